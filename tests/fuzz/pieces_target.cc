// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of pieces as they come from other members (comm_algorithms/find_hierarchy.h). Each is
// refused, or it gives every rank the node that it says, and a hierarchy of these nodes.
#include <unordered_map>

#include "av/instance.h"
#include "comm_algorithms/find_hierarchy.h"
#include "hierarchy/by_rule.h"
#include "tests/fuzz/input.h"

namespace {

using avrankmap::detail::Piece;
using avrankmap::detail::PieceList;
using avrankmap::fuzz::Input;
using Keys = std::vector<std::int64_t>;

constexpr std::uint32_t kFew = 4096; // ranks that are looked at one by one

// Mostly sound.
Piece told(Input &input) {
  Piece piece;
  piece.node = input.between(0, 40);
  piece.step = input.between(-4, 4);
  piece.count = 1 + input.below(60);
  piece.block = 1 + input.below(6);
  piece.period = 1 + input.below(6);
  piece.phase = input.below(piece.block * piece.period);
  switch (input.below(40)) {
  case 0: piece.node = static_cast<std::int64_t>(input.edgy()); break;
  case 1: piece.step = static_cast<std::int64_t>(input.edgy()); break;
  case 2: piece.count = static_cast<std::uint32_t>(input.edgy()); break;
  case 3: piece.block = static_cast<std::uint32_t>(input.edgy()); break;
  case 4: piece.period = static_cast<std::uint32_t>(input.edgy()); break;
  case 5: piece.phase = static_cast<std::uint32_t>(input.edgy()); break;
  default: break;
  }
  return piece;
}

Keys keys_of(const Piece *begin, const Piece *end) {
  Keys keys;
  for (const Piece *piece = begin; piece != end; ++piece) {
    for (std::uint32_t i = 0; i < piece->count; ++i) {
      const std::uint64_t place = (std::uint64_t{i} + piece->phase) / piece->block % piece->period;
      keys.push_back(piece->node + piece->step * static_cast<std::int64_t>(place));
    }
  }
  return keys;
}

// Nodes are numbered as they first occur, and have their ranks in order.
void check_hierarchy(avrm_instance_t *instance, const PieceList &list, const Keys &keys) {
  avrm_hierarchy_t hierarchy{};
  const auto size = static_cast<std::int32_t>(keys.size());
  AVRM_MUST(create_of_list(instance, size, list, &hierarchy) == AVRM_OK);
  std::unordered_map<std::int64_t, std::int32_t> number;
  std::vector<std::int32_t> sizes;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const auto place = number.emplace(keys[static_cast<std::size_t>(rank)], static_cast<std::int32_t>(sizes.size()));
    if (place.second) {
      sizes.push_back(0);
    }
    const std::int32_t node = place.first->second;
    const std::int32_t local = sizes[static_cast<std::size_t>(node)]++;
    AVRM_MUST(avrm_hierarchy_node(&hierarchy, rank) == node);
    AVRM_MUST(avrm_hierarchy_local(&hierarchy, rank) == local);
    AVRM_MUST(avrm_hierarchy_rank(&hierarchy, node, local) == rank);
  }
  AVRM_MUST(avrm_hierarchy_nodes(&hierarchy) == static_cast<std::int32_t>(sizes.size()));
  avrm_hierarchy_destroy(&hierarchy);
}

void check(avrm_instance_t *instance, const std::vector<Piece> &pieces, std::uint32_t ranks) {
  PieceList list(instance->memory, avrankmap::detail::kMostSentPieces);
  const bool sound = append_received(pieces.data(), pieces.size(), ranks, &list);
  list.finish();
  AVRM_MUST(!list.failed());
  if (!sound || ranks > kFew || list.overflows()) {
    return;
  }
  const Keys keys = keys_of(pieces.data(), pieces.data() + pieces.size());
  AVRM_MUST(keys.size() == ranks);
  AVRM_MUST(std::all_of(keys.begin(), keys.end(), [](std::int64_t key) { return key >= 0 && key <= INT32_MAX; }));
  AVRM_MUST(keys_of(list.begin(), list.end()) == keys);
  check_hierarchy(instance, list, keys);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  std::vector<Piece> pieces;
  std::uint64_t ranks = 0;
  for (std::uint32_t count = input.below(avrankmap::detail::kMostSentPieces + 1); pieces.size() < count;) {
    pieces.push_back(told(input));
    ranks += pieces.back().count;
    if (input.empty()) {
      break;
    }
  }
  if (input.below(16) == 0 || ranks > INT32_MAX) {
    ranks = input.below(2) == 0 ? input.below(kFew) : INT32_MAX;
  }
  avrm_instance_t *instance = nullptr;
  AVRM_MUST(avrm_instance_create(nullptr, &instance) == AVRM_OK);
  check(instance, pieces, static_cast<std::uint32_t>(ranks));
  AVRM_MUST(avrm_instance_destroy(instance) == AVRM_OK); // nothing leaked
  return 0;
}
