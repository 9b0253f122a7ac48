// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/implicit.h"

#include <algorithm>

#include "av/line_exceptions.h"

namespace avrankmap::detail {

namespace {

// Access fields of the last entry, which may still change while readers use the entry for earlier
// elements.
template <typename T> T load(const T &field) noexcept { return __atomic_load_n(&field, __ATOMIC_RELAXED); }
template <typename T> void store(T &field, T value) noexcept { __atomic_store_n(&field, value, __ATOMIC_RELAXED); }

// ceil(2^63 / divisor), to divide numbers i below 2^31. In units of 2^64, (2i + 1) times this value
// exceeds (i + 1/2) / divisor by less than 2^-32. The next integer is at least 1 / (2 divisor)
// away, which is no less, so the result is exact, also for a divisor of 1.
std::uint64_t reciprocal(std::uint32_t divisor) noexcept { return ((std::uint64_t{1} << 63) + divisor - 1) / divisor; }
std::uint32_t divide(std::uint32_t i, std::uint64_t by) noexcept {
  const std::uint64_t narrow = 2 * std::uint64_t{i} + 1; // below 2^32
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint32_t>((static_cast<Wide>(narrow) * by) >> 64);
#else
  return static_cast<std::uint32_t>((narrow * (by >> 32) + ((narrow * static_cast<std::uint32_t>(by)) >> 32)) >> 32);
#endif
}

// A step is either small, so that an exceptional element does not form a run with the next element,
// or a small multiple of 2^32, as between libfabric's words of local ranks. Bit 0 distinguishes the
// two.
constexpr std::int64_t kHighHalf = std::int64_t{1} << 32;
bool pack_step(std::int64_t step, std::int32_t *packed_p) noexcept {
  constexpr std::int64_t kMost = 1 << 16;
  const bool high = step != 0 && step % kHighHalf == 0;
  const std::int64_t number = high ? step / kHighHalf : step;
  if (number < -kMost || number > kMost) {
    return false;
  }
  *packed_p = static_cast<std::int32_t>(2 * number + (high ? 1 : 0));
  return true;
}
std::int64_t step_of(const WordRun &run) noexcept {
  const std::int32_t packed = load(run.step);
  return (packed & 1) != 0 ? (packed >> 1) * kHighHalf : packed >> 1;
}

std::uint64_t word_at(const WordRun &run, std::uint32_t lpid) noexcept {
  return run.word + distance(lpid - run.first, step_of(run));
}

// A reciprocal of 0 means that the block or period has not ended.
std::uint32_t node_at(const NodeRun &run, std::uint32_t lpid) noexcept {
  const std::uint32_t blocks = divide(lpid - run.first + run.phase, load(run.by_block));
  return run.node + blocks - load(run.period) * divide(blocks, load(run.by_period));
}

std::uint64_t word_of(const avrm_ave_t &ave) noexcept { return avrm_ave_word(&ave); }

} // namespace

std::uint64_t ImplicitVector::word(std::int32_t lpid) const noexcept {
  return lpid < filled() ? word_at(words_.at(static_cast<std::uint32_t>(lpid)), static_cast<std::uint32_t>(lpid)) : 0;
}

std::uint32_t ImplicitVector::node(std::int32_t lpid) const noexcept {
  return lpid < filled() ? node_at(nodes_.at(static_cast<std::uint32_t>(lpid)), static_cast<std::uint32_t>(lpid)) : 0;
}

std::optional<NodeIdRule> ImplicitVector::node_rule(std::int32_t lpid) const noexcept {
  if (filled() != size_) {
    return {};
  }
  const NodeRun &run = nodes_.at(static_cast<std::uint32_t>(lpid));
  NodeIdRule rule{run.first,       nodes_.end_of(run, static_cast<std::uint32_t>(size_)),
                  run.node,        run.phase,
                  load(run.block), load(run.period)};
  const std::uint32_t positions = rule.end - rule.first + rule.phase;
  if (rule.block == 0) {
    rule.block = positions;
  }
  if (rule.period == 0) {
    rule.period = (positions - 1) / rule.block + 1;
  }
  return rule;
}

std::uint64_t ImplicitVector::most_bytes() const noexcept {
  // A quarter of a table: there are two lists, and old copies may take as much as the newest one.
  return static_cast<std::uint64_t>(size_) * sizeof(avrm_ave_t) / 4;
}

ImplicitVector::Outcome ImplicitVector::append_word(Memory &memory, std::uint32_t lpid, std::uint64_t word) noexcept {
  if (words_.appended() != 0) {
    WordRun &run = words_.last();
    std::int32_t step = 0;
    if (lpid - run.first == 1 && pack_step(static_cast<std::int64_t>(word - run.word), &step)) {
      store(run.step, step);
    }
    if (word == word_at(run, lpid)) {
      return Outcome::kTaken;
    }
  }
  switch (words_.make_room(memory, most_bytes())) {
  case Room::kThere: words_.append({lpid, 0, word}); return Outcome::kTaken;
  case Room::kNoMemory: return Outcome::kNoMemory;
  case Room::kNoMore: break;
  }
  return Outcome::kBreaks;
}

ImplicitVector::Outcome ImplicitVector::append_node(Memory &memory, std::uint32_t lpid, std::uint32_t node) noexcept {
  // Ids must not wrap around within a run, because hierarchies compute them in 64 bits.
  if (nodes_.appended() != 0 && node >= nodes_.last().node) {
    NodeRun &run = nodes_.last();
    const std::uint32_t i = lpid - run.first + run.phase;
    if (run.block == 0 && node == run.node + 1) {
      run.block = i;
      store(run.by_block, reciprocal(i));
    } else if (run.block != 0 && run.period == 0 && node == run.node && i % run.block == 0 && i != run.block) {
      store(run.period, i / run.block);
      store(run.by_period, reciprocal(run.period));
    }
    if (node == node_at(run, lpid)) {
      return Outcome::kTaken;
    }
  }
  using NodeRoom = decltype(nodes_)::Room;
  switch (nodes_.make_room(memory, most_bytes())) {
  case NodeRoom::kThere:
    nodes_.append({lpid, node, on_node_ != 0 && node == last_node_ ? on_node_ : 0, 0, 0, 0, 0});
    return Outcome::kTaken;
  case NodeRoom::kNoMemory: return Outcome::kNoMemory;
  case NodeRoom::kNoMore: break;
  }
  return Outcome::kBreaks;
}

ImplicitVector::Outcome ImplicitVector::append(Memory &memory, std::int32_t first, std::int32_t count,
                                               const avrm_ave_t *aves) noexcept {
  const std::int32_t filled = filled_.load(std::memory_order_relaxed);
  if (first > filled) {
    return Outcome::kBreaks;
  }
  const std::int32_t known = std::min(count, filled - first);
  for (std::int32_t i = 0; i < known; ++i) {
    if (word_of(aves[i]) != word(first + i) || avrm_ave_node(&aves[i]) != node(first + i)) {
      return Outcome::kBreaks;
    }
  }
  const std::uint32_t last_node = last_node_;
  const std::uint32_t on_node = on_node_;
  const NodeRun last_run = nodes_.appended() == 0 ? NodeRun{} : nodes_.last();
  Outcome outcome = Outcome::kTaken;
  for (std::int32_t i = known; i < count && outcome == Outcome::kTaken; ++i) {
    const auto lpid = static_cast<std::uint32_t>(first + i);
    const std::uint32_t here = avrm_ave_node(&aves[i]);
    outcome = append_word(memory, lpid, word_of(aves[i]));
    if (outcome == Outcome::kTaken) {
      outcome = append_node(memory, lpid, here);
    }
    on_node_ = on_node_ != 0 && here == last_node_ ? on_node_ + 1 : 1;
    last_node_ = here;
  }
  if (outcome != Outcome::kTaken) {
    words_.withdraw(memory);
    nodes_.withdraw(memory);
    if (nodes_.appended() != 0) { // its block or period may have ended in the elements withdrawn
      NodeRun &run = nodes_.last();
      store(run.block, last_run.block);
      store(run.period, last_run.period);
      store(run.by_block, last_run.by_block);
      store(run.by_period, last_run.by_period);
    }
    last_node_ = last_node;
    on_node_ = on_node;
  }
  return outcome;
}

void ImplicitVector::publish(std::int32_t end) noexcept {
  words_.publish();
  nodes_.publish();
  filled_.store(std::max(filled_.load(std::memory_order_relaxed), end), std::memory_order_release);
  count_bytes();
}

std::optional<WordLine> ImplicitVector::line_of(std::int64_t min, std::int64_t max) const noexcept {
  const std::int32_t filled = filled_.load(std::memory_order_relaxed);
  if (max >= filled) {
    return std::nullopt;
  }
  const WordRun &run = words_.at(static_cast<std::uint32_t>(min));
  if (max >= words_.end_of(run, static_cast<std::uint32_t>(filled))) {
    return std::nullopt;
  }
  // The step of a run of one element may still change. Maps of such a run use only one lpid, so any
  // step is correct.
  const std::int64_t step = step_of(run);
  return WordLine{run.word - distance(run.first, step), step};
}

void ImplicitVector::write_out(avrm_ave_t *table) const noexcept {
  const std::int32_t filled = filled_.load(std::memory_order_relaxed);
  for (std::int32_t lpid = 0; lpid < filled; ++lpid) {
    table[lpid] = avrm_i_ave_of(word(lpid), node(lpid));
  }
}

const WordRun &ImplicitVector::longest_run() const noexcept {
  const WordRun *longest = &words_.entry(0);
  std::uint32_t most = 0;
  for (std::int32_t i = 0; i < words_.count(); ++i) {
    const WordRun &run = words_.entry(i);
    const std::uint32_t count = words_.end_of(run, static_cast<std::uint32_t>(filled())) - run.first;
    if (count > most) {
      most = count;
      longest = &run;
    }
  }
  return *longest;
}

std::optional<avrm_line_t> ImplicitVector::find_line() const noexcept {
  const auto filled = static_cast<std::uint32_t>(this->filled());
  if (filled == 0) {
    return std::nullopt;
  }
  const WordRun &main = longest_run();
  const std::int64_t step = step_of(main);
  const std::uint64_t base = main.word - distance(main.first, step);
  LineExceptions exceptions;
  for (std::int32_t i = 0; i < words_.count(); ++i) {
    const WordRun &run = words_.entry(i);
    const std::uint32_t end = words_.end_of(run, filled);
    const std::uint64_t on_line = base + distance(run.first, step);
    if (run.word != on_line || (end - run.first > 1 && step_of(run) != step)) {
      exceptions.add(run.first, end);
    }
  }
  exceptions.add(filled, static_cast<std::uint32_t>(size_));
  return exceptions.line(base, step, size_);
}

const avrm_line_t *ImplicitVector::line() noexcept {
  std::optional<avrm_line_t> &line = filled() == size_ ? of_all_ : of_a_part_;
  if (!line) {
    line = find_line();
  }
  return line ? &*line : nullptr;
}

bool ImplicitVector::has(const avrm_line_t *line) const noexcept {
  return line == &of_a_run_ || (of_a_part_ && line == &*of_a_part_) || (of_all_ && line == &*of_all_);
}

void ImplicitVector::close_lines() noexcept {
  // The left side of the comparison is even (line_exceptions.h) and hence below this limit.
  constexpr std::uint64_t kEverywhere = ~std::uint64_t{0};
  __atomic_store_n(&of_a_run_.limit, kEverywhere, __ATOMIC_RELEASE);
  for (std::optional<avrm_line_t> *line : {&of_a_part_, &of_all_}) {
    if (*line) {
      __atomic_store_n(&(*line)->limit, kEverywhere, __ATOMIC_RELEASE);
    }
  }
}

void ImplicitVector::count_bytes() noexcept {
  bytes_.store(words_.bytes() + nodes_.bytes(), std::memory_order_relaxed);
}

void ImplicitVector::release(Memory &memory) noexcept {
  words_.release(memory);
  nodes_.release(memory);
}

} // namespace avrankmap::detail
