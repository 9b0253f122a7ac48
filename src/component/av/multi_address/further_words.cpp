// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/multi_address/further_words.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>

#include "av/address_vector.h"

namespace avrankmap::detail {

namespace {

constexpr struct {
  avrm_further_t part;
  std::uint64_t deltas[1];
} kNoFurther = {{1, 0, 0}, {0}};
static_assert(sizeof kNoFurther == sizeof(avrm_further_t) + sizeof(std::uint64_t), "the deltas follow");

// An irregular word that means that the peer has no such word. It is not a network address in
// either codec.
constexpr std::uint64_t kTakenAway = (std::uint64_t{1} << 63) + 2;

template <typename T> T load(const T &field) noexcept { return __atomic_load_n(&field, __ATOMIC_ACQUIRE); }
template <typename T> void store(T &field, T value) noexcept { __atomic_store_n(&field, value, __ATOMIC_RELEASE); }

std::uint64_t times(std::int64_t step, std::int64_t count) noexcept {
  return static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(count);
}

} // namespace

const std::uint64_t *no_further() noexcept { return kNoFurther.deltas; }

FurtherWords::FurtherWords(const AddressVector &av) noexcept : av_(av), irregular_(av.handle.size) {}

// ---- readers ----

std::uint64_t FurtherWords::irregular_word(std::int32_t lpid, std::uint32_t k) const noexcept {
  const std::uint64_t *const place = irregular_.at(lpid, k);
  return place == nullptr ? 0 : load(*place);
}

std::uint64_t FurtherWords::by_function(const WordRow &row, std::int32_t lpid, std::uint64_t word0) const noexcept {
  if (lpid >= load(row.filled)) {
    return 0;
  }
  if ((load(row.candidates) & WordRow::kAfterFirst) == 0) {
    return load(row.base) + times(load(row.step), lpid);
  }
  const std::uint64_t first = row.declared ? av_.network_word(word0) : av_.is_network(word0) ? word0 : 0;
  return first == 0 ? 0 : first + load(row.delta);
}

std::uint64_t FurtherWords::word(std::int32_t lpid, std::uint32_t k) const noexcept {
  if (k >= count()) {
    return 0;
  }
  const WordRow &function = *row(k);
  for (;;) {
    const std::uint64_t word0 = av_.word(lpid);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); // word 0 first; see before_first
    // `filled`, which shows whether there is a word at all, is loaded next: an irregular word is
    // stored before its lpid counts as filled.
    const bool filled = lpid < load(function.filled);
    const std::uint64_t kept = irregular_word(lpid, k);
    if (kept != 0) {
      return kept == kTakenAway ? 0 : kept;
    }
    const std::uint64_t computed = filled ? by_function(function, lpid, word0) : 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (av_.word(lpid) == word0) {
      return computed;
    }
  }
}

std::uint64_t FurtherWords::bytes() const noexcept {
  return sizeof *this + published_bytes_.load(std::memory_order_relaxed) + rows_.bytes() + irregular_.bytes();
}

const std::uint64_t *FurtherWords::inline_part() const noexcept {
  return newest_ == nullptr ? no_further() : newest_->deltas();
}

std::uint32_t FurtherWords::plain() const noexcept {
  const auto *const part = reinterpret_cast<const avrm_further_t *>(load(av_.handle.further)) - 1;
  return static_cast<std::uint32_t>(std::max(load(part->after_first), load(part->by_lpid)));
}

// ---- what inline functions compute ----

bool FurtherWords::is_plain(const WordRow &row) const noexcept {
  return !row.closed && (row.declared || (row.filled == av_.handle.size && row.samples != 0));
}

void FurtherWords::open() noexcept {
  avrm_further_t &part = newest_->part;
  const std::uint32_t count = count_.load(std::memory_order_relaxed);
  std::uint64_t k = std::max(part.after_first, part.by_lpid);
  if (k == 1 && (row(1)->candidates & WordRow::kAfterFirst) == 0 && is_plain(*row(1))) {
    part.step = row(1)->step;
    store(part.by_lpid, std::uint64_t{1});
  }
  const bool by_lpid = part.by_lpid != 0;
  const std::uint32_t wanted = by_lpid ? WordRow::kByLpid : WordRow::kAfterFirst;
  for (; k < count; ++k) {
    const WordRow &function = *row(static_cast<std::uint32_t>(k));
    if (!is_plain(function) || (function.candidates & wanted) == 0 || (by_lpid && function.step != part.step)) {
      break;
    }
    newest_->deltas()[k] = by_lpid ? function.base : function.delta;
  }
  store(by_lpid ? part.by_lpid : part.after_first, k);
}

void FurtherWords::close(std::uint32_t k) noexcept {
  row(k)->closed = true;
  for (Published *published = newest_; published != nullptr; published = published->older) {
    avrm_further_t &part = published->part;
    if (part.after_first > k) {
      store(part.after_first, std::uint64_t{k});
    }
    if (part.by_lpid > k) {
      store(part.by_lpid, std::uint64_t{k});
    }
  }
}

// ---- the writer ----

FurtherWords::Making::~Making() {
  if (is_kept_) {
    return;
  }
  words_.rows_.keep_only(memory_, rows_);
  words_.irregular_.give_up(memory_, places_);
  if (words_.newest_ != newest_) {
    const std::size_t bytes = Published::bytes(words_.newest_->room);
    memory_.release(words_.newest_, bytes, alignof(Published), AVRM_MEM_AV);
    words_.newest_ = newest_;
    words_.published_bytes_.store(words_.published_bytes_.load(std::memory_order_relaxed) - bytes,
                                  std::memory_order_relaxed);
  }
}

bool FurtherWords::Making::make_rows(std::uint32_t count) noexcept {
  for (std::uint32_t k = words_.count_.load(std::memory_order_relaxed); k < count; ++k) {
    if (!words_.rows_.make(memory_, k - 1)) {
      return false;
    }
  }
  return publish_room(count);
}

bool FurtherWords::Making::publish_room(std::uint32_t count) noexcept {
  if (newest_ != nullptr && newest_->room >= count) {
    return true;
  }
  const std::uint64_t room = std::max(4U, std::bit_ceil(count));
  void *const block = memory_.allocate(Published::bytes(room), alignof(Published), AVRM_MEM_AV);
  if (block == nullptr) {
    return false;
  }
  auto *const published = new (block) Published{newest_, room, newest_ == nullptr ? kNoFurther.part : newest_->part};
  const std::uint64_t used = std::max(published->part.after_first, published->part.by_lpid);
  if (newest_ != nullptr) {
    std::copy_n(newest_->deltas(), used, published->deltas());
  }
  words_.newest_ = published;
  words_.published_bytes_.store(words_.published_bytes_.load(std::memory_order_relaxed) + Published::bytes(room),
                                std::memory_order_relaxed);
  return true;
}

bool FurtherWords::extend(WordRow *row, std::int32_t lpid, std::uint64_t word) const noexcept {
  const std::uint64_t word0 = av_.word(lpid);
  if (!av_.is_network(word0)) {
    return false;
  }
  if (row->samples == 0) {
    store(row->delta, word - word0);
    store(row->base, word);
    store(row->candidates, WordRow::kAfterFirst | WordRow::kByLpid);
    row->samples = 1;
    row->sample = lpid;
    return true;
  }
  std::uint32_t right = word - word0 == row->delta ? WordRow::kAfterFirst : 0;
  if (row->samples == 1) {
    // Base and step are not used while both candidates are left.
    const auto rise = static_cast<std::int64_t>(word - row->base);
    const std::int64_t step = rise / (lpid - row->sample);
    right |= rise % (lpid - row->sample) == 0 ? WordRow::kByLpid : 0;
    if (right == 0) {
      return false;
    }
    store(row->base, row->base - times(step, row->sample));
    store(row->step, step);
    row->samples = 2;
  } else {
    right |= word == row->base + times(row->step, lpid) ? WordRow::kByLpid : 0;
  }
  right &= row->candidates;
  if (right == 0) {
    return false;
  }
  store(row->candidates, right);
  return true;
}

bool FurtherWords::take(WordRow *row, std::uint32_t k, std::int32_t lpid, std::uint64_t word) const noexcept {
  const bool is_next = lpid == row->filled && word != 0;
  bool follows = false;
  if (irregular_word(lpid, k) != 0) {
    follows = false;
  } else if (is_next) {
    follows = extend(row, lpid, word);
  } else {
    follows = by_function(*row, lpid, av_.word(lpid)) == word;
  }
  if (is_next) {
    row->filled = lpid + 1; // the caller publishes it
  }
  return follows;
}

void FurtherWords::keep(std::uint32_t k, std::int32_t lpid, std::uint64_t word, bool is_network) noexcept {
  std::uint64_t *const place = irregular_.make(lpid, k);
  if (*place == 0) {
    kept_.store(kept_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  store(*place, word == 0 ? kTakenAway : word);
  if (is_network && !row(k)->closed) {
    close(k);
  }
}

bool FurtherWords::set(Memory &memory, std::uint32_t k, std::int32_t first, std::int32_t count,
                       const std::uint64_t *words) noexcept {
  const std::uint32_t rows = std::max(count_.load(std::memory_order_relaxed), k + 1);
  Making making(*this, memory);
  if (!making.make_rows(rows)) {
    return false;
  }
  // Try a copy of the function first, to reserve room for irregular words.
  WordRow trial = *row(k);
  for (std::int32_t i = 0; i < count; ++i) {
    if (!take(&trial, k, first + i, words[i]) && !making.make_place(first + i, k)) {
      return false;
    }
  }
  making.keep();
  count_.store(rows, std::memory_order_release);
  WordRow *const function = row(k);
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t lpid = first + i;
    WordRow next = *function;
    if (!take(&next, k, lpid, words[i])) {
      keep(k, lpid, words[i], av_.is_network(av_.word(lpid)));
      next.closed = function->closed;
    }
    store(function->delta, next.delta);
    store(function->base, next.base);
    store(function->step, next.step);
    store(function->candidates, next.candidates);
    function->samples = next.samples;
    function->sample = next.sample;
    store(function->filled, next.filled); // stored last, once the element is complete
  }
  open();
  return true;
}

bool FurtherWords::declare(Memory &memory, std::uint32_t count, const avrm_addresses_rule_t &rule) noexcept {
  Making making(*this, memory);
  if (!making.make_rows(count)) {
    return false;
  }
  making.keep();
  for (std::uint32_t k = 1; k < count; ++k) {
    WordRow *const function = row(k);
    function->declared = true;
    function->filled = av_.handle.size;
    if (rule.kind == AVRM_ADDRESSES_AFTER_FIRST) {
      function->candidates = WordRow::kAfterFirst;
      function->delta = times(rule.per_word, k);
    } else {
      function->candidates = WordRow::kByLpid;
      function->base = rule.base + times(rule.per_word, k);
      function->step = rule.per_lpid;
    }
  }
  declared_ = count;
  count_.store(count, std::memory_order_release);
  open();
  return true;
}

bool FurtherWords::has_word(std::int32_t lpid, std::uint32_t k) const noexcept {
  return word(lpid, k) != 0 || (row(k)->declared && irregular_word(lpid, k) == 0);
}

bool FurtherWords::clear(Memory &memory, std::int32_t lpid) noexcept {
  const std::uint32_t count = count_.load(std::memory_order_relaxed);
  Making making(*this, memory);
  for (std::uint32_t k = 1; k < count; ++k) {
    if (has_word(lpid, k) && !making.make_place(lpid, k)) {
      return false;
    }
  }
  making.keep();
  for (std::uint32_t k = 1; k < count; ++k) {
    if (has_word(lpid, k)) {
      keep(k, lpid, 0, av_.is_network(av_.word(lpid)));
    }
  }
  return true;
}

bool FurtherWords::moves(std::int32_t lpid, std::uint32_t k) const noexcept {
  const WordRow &function = *row(k);
  return !function.declared && (function.candidates & WordRow::kAfterFirst) != 0 && irregular_word(lpid, k) == 0 &&
         by_function(function, lpid, av_.word(lpid)) != 0;
}

std::uint32_t FurtherWords::next_affected(std::int32_t lpid, std::uint32_t k) const noexcept {
  while (k < declared_ && irregular_.at(lpid, k) == nullptr) {
    k = std::min(declared_, 2 * std::bit_floor(k)); // the group of k has no block for this peer
  }
  return k;
}

bool FurtherWords::plan_first(Making *making, std::int32_t lpid, std::uint64_t word0) const noexcept {
  const std::uint32_t count = av_.word(lpid) == word0 ? 0 : count_.load(std::memory_order_relaxed);
  for (std::uint32_t k = declared_; k < count; ++k) {
    if (moves(lpid, k) && !making->make_place(lpid, k)) {
      return false;
    }
  }
  return true;
}

// A reader loads word 0 first. If it finds the new word 0, it has passed the barrier after these
// stores, so it also finds the irregular word and the limit.
bool FurtherWords::before_first(std::int32_t lpid, std::uint64_t word0) noexcept {
  bool needs_barrier = false;
  const std::uint64_t old = av_.word(lpid);
  const std::uint32_t count = old == word0 ? 0 : count_.load(std::memory_order_relaxed);
  for (std::uint32_t k = next_affected(lpid, 1); k < count; k = next_affected(lpid, k + 1)) {
    if (moves(lpid, k)) {
      keep(k, lpid, by_function(*row(k), lpid, old), av_.is_network(word0));
      needs_barrier = true;
    } else if (irregular_word(lpid, k) != 0 && av_.is_network(word0) && !row(k)->closed) {
      close(k);
      needs_barrier = true;
    }
  }
  return needs_barrier;
}

void FurtherWords::release(Memory &memory) noexcept {
  while (newest_ != nullptr) {
    Published *const older = newest_->older;
    memory.release(newest_, Published::bytes(newest_->room), alignof(Published), AVRM_MEM_AV);
    newest_ = older;
  }
  rows_.release(memory);
  irregular_.release(memory);
}

} // namespace avrankmap::detail
