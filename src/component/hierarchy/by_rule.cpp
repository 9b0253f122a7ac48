// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy/by_rule.h"

#include <cstdlib>

namespace avrankmap::detail {

namespace {

// A position in the order of a rule: a run with a negative stride counts positions and nodes from
// the other end.
struct Walk {
  std::int64_t node;   // key of the first node
  std::int64_t step;   // 1 or -1
  std::uint64_t place; // position of the first rank's block, less than the period
  std::uint64_t in;    // ranks before it in the block, as if the stride were 1
  std::uint64_t stride;
  std::uint64_t block;
  std::uint64_t period;
};

[[nodiscard]] Walk walk_of(const Run &run, const NodeIdRule &rule) noexcept {
  const std::uint64_t position = std::uint64_t{static_cast<std::uint32_t>(run.offset)} - rule.first + rule.phase;
  const std::int64_t node = std::int64_t{run.pgid} << 32 | rule.node;
  Walk walk{node, 1, position / rule.block % rule.period, position % rule.block, 0, rule.block, rule.period};
  walk.stride = static_cast<std::uint64_t>(std::abs(std::int64_t{run.stride}));
  if (run.stride < 0) {
    walk.node += std::int64_t{rule.period} - 1;
    walk.step = -1;
    walk.place = walk.period - 1 - walk.place;
    walk.in = walk.block - 1 - walk.in;
  }
  return walk;
}

// For a stride that divides the block: blocks become shorter.
void push_dense(const Walk &walk, std::uint32_t count, PieceList *keys) noexcept {
  const std::uint64_t block = walk.block / walk.stride;
  const std::uint64_t first = (walk.block - walk.in + walk.stride - 1) / walk.stride;
  Piece piece{walk.node, walk.step, count, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block - first),
              1};
  const std::uint64_t blocks = blocks_of(piece);
  if (walk.place + blocks <= walk.period) { // any period of at least `blocks` is correct
    piece.node += walk.step * static_cast<std::int64_t>(walk.place);
    piece.period = static_cast<std::uint32_t>(blocks);
  } else {
    piece.phase += static_cast<std::uint32_t>(walk.place * block);
    piece.period = static_cast<std::uint32_t>(walk.period);
  }
  keys->push(piece);
}

// The loops below end when the list is closed: its keys are then not used, and a run may have 2^31
// - 1 ranks.

// For a stride that is a multiple of the block: each rank is on a different node than the previous
// one, or all are on one node.
void push_sparse(const Walk &walk, std::uint32_t count, PieceList *keys) noexcept {
  const std::uint64_t skip = walk.stride / walk.block % walk.period;
  const auto key_at = [&walk](std::uint64_t place) { return walk.node + walk.step * static_cast<std::int64_t>(place); };
  if (skip == 0) {
    keys->push(key_at(walk.place), count);
    return;
  }
  const std::int64_t step = walk.step * static_cast<std::int64_t>(skip);
  const bool wraps = walk.place + (count - 1) * skip >= walk.period;
  if (wraps && walk.period % skip == 0) {
    keys->push({key_at(walk.place % skip), step, count, 1, static_cast<std::uint32_t>(walk.place / skip),
                static_cast<std::uint32_t>(walk.period / skip)});
    return;
  }
  std::uint64_t place = walk.place;
  for (std::uint32_t left = count; left > 0 && !keys->is_closed();) {
    const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, (walk.period - 1 - place) / skip + 1));
    keys->push({key_at(place), step, taken, 1, 0, taken});
    place = (place + taken * skip) % walk.period;
    left -= taken;
  }
}

void push_uneven(const Walk &walk, std::uint32_t count, PieceList *keys) noexcept {
  std::uint64_t position = walk.place * walk.block + walk.in;
  for (std::uint32_t left = count; left > 0 && !keys->is_closed();) {
    const std::uint64_t here = (walk.block - 1 - position % walk.block) / walk.stride + 1;
    const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, here));
    keys->push(walk.node + walk.step * static_cast<std::int64_t>(position / walk.block % walk.period), taken);
    position += taken * walk.stride;
    left -= taken;
  }
}

} // namespace

std::int32_t push_run(const Run &run, const NodeIdRule &rule, PieceList *keys) noexcept {
  const Walk walk = walk_of(run, rule);
  std::int64_t count = run.count;
  if (run.stride != 0) {
    const std::int64_t room =
        run.stride > 0 ? std::int64_t{rule.end} - 1 - run.offset : run.offset - std::int64_t{rule.first};
    count = std::min(count, room / static_cast<std::int64_t>(walk.stride) + 1);
  }
  const auto ranks = static_cast<std::uint32_t>(count);
  if (walk.stride == 0 || walk.period == 1 || count == 1) {
    keys->push(walk.node + walk.step * static_cast<std::int64_t>(walk.place), ranks);
  } else if (walk.block % walk.stride == 0) {
    push_dense(walk, ranks, keys);
  } else if (walk.stride % walk.block == 0) {
    push_sparse(walk, ranks, keys);
  } else {
    push_uneven(walk, ranks, keys);
  }
  return static_cast<std::int32_t>(count);
}

} // namespace avrankmap::detail
