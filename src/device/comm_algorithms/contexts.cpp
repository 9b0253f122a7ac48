// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/contexts.h"

#include <algorithm>

namespace avrankmap::detail {

Contexts::~Contexts() { memory_.release(ranges_, capacity_ * sizeof(Range), alignof(Range), AVRM_MEM_COMM); }

std::uint32_t Contexts::place_of(std::uint32_t id) const noexcept {
  const Range *const at = std::lower_bound(ranges_, ranges_ + size_, id,
                                           [](const Range &range, std::uint32_t i) { return range.last < i; });
  return static_cast<std::uint32_t>(at - ranges_);
}

bool Contexts::insert(std::uint32_t place, Range range) noexcept {
  if (size_ == capacity_) {
    const std::uint32_t capacity = capacity_ == 0 ? 2 : 2 * capacity_;
    auto *const ranges =
        static_cast<Range *>(memory_.allocate(capacity * sizeof(Range), alignof(Range), AVRM_MEM_COMM));
    if (ranges == nullptr) {
      return false;
    }
    std::copy(ranges_, ranges_ + size_, ranges);
    memory_.release(ranges_, capacity_ * sizeof(Range), alignof(Range), AVRM_MEM_COMM);
    ranges_ = ranges;
    capacity_ = capacity;
  }
  std::copy_backward(ranges_ + place, ranges_ + size_, ranges_ + size_ + 1);
  ranges_[place] = range;
  ++size_;
  return true;
}

void Contexts::erase(std::uint32_t place) noexcept {
  std::copy(ranges_ + place + 1, ranges_ + size_, ranges_ + place);
  --size_;
}

// `place` is place_of(id), and id is free.
avrm_status_t Contexts::take_at(std::uint32_t place, std::uint32_t id) noexcept {
  const bool joins_previous = place > 0 && ranges_[place - 1].last + 1 == id;
  const bool joins_next = place < size_ && ranges_[place].first == id + 1;
  if (joins_previous && joins_next) {
    ranges_[place - 1].last = ranges_[place].last;
    erase(place);
  } else if (joins_previous) {
    ranges_[place - 1].last = id;
  } else if (joins_next) {
    ranges_[place].first = id;
  } else if (!insert(place, {id, id})) {
    return AVRM_ERR_NO_MEMORY;
  }
  ++count_;
  return AVRM_OK;
}

bool Contexts::has(std::uint32_t id) const noexcept {
  const std::lock_guard guard(lock_);
  const std::uint32_t place = place_of(id);
  return place < size_ && ranges_[place].first <= id;
}

avrm_status_t Contexts::take(std::uint32_t id) noexcept {
  const std::lock_guard guard(lock_);
  const std::uint32_t place = place_of(id);
  return place < size_ && ranges_[place].first <= id ? AVRM_ERR_BUSY : take_at(place, id);
}

avrm_status_t Contexts::take_first(std::uint32_t from, std::uint32_t *id_p) noexcept {
  const std::lock_guard guard(lock_);
  std::uint32_t place = place_of(from);
  std::uint32_t id = from;
  // The id after a range is free, since adjacent ranges are merged.
  if (place < size_ && ranges_[place].first <= id) {
    id = ranges_[place].last + 1;
    ++place;
  }
  const avrm_status_t status = id <= most_ ? take_at(place, id) : AVRM_ERR_LIMIT;
  *id_p = status == AVRM_OK ? id : kNone;
  return status;
}

void Contexts::give(std::uint32_t id) noexcept {
  const std::lock_guard guard(lock_);
  const std::uint32_t place = place_of(id);
  Range &range = ranges_[place];
  if (range.first == range.last) {
    erase(place);
  } else if (range.first == id) {
    ++range.first;
  } else if (range.last == id) {
    --range.last;
  } else {
    const Range behind{id + 1, range.last};
    range.last = id - 1;
    if (!insert(place + 1, behind)) {
      // The id remains in use: losing one is better than an error that no caller can handle.
      range.last = behind.last;
      return;
    }
  }
  --count_;
}

void Contexts::free_ids(std::uint32_t from, std::uint32_t words, std::uint64_t *bits) const noexcept {
  const std::lock_guard guard(lock_);
  std::fill(bits, bits + words, ~std::uint64_t{0});
  const auto clear = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t id = first; id <= last; ++id) {
      bits[(id - from) / 64] &= ~(std::uint64_t{1} << (id - from) % 64);
    }
  };
  const std::uint64_t end = std::uint64_t{from} + std::uint64_t{words} * 64;
  for (std::uint32_t place = place_of(from); place < size_ && ranges_[place].first < end; ++place) {
    clear(std::max(from, ranges_[place].first), std::min<std::uint64_t>(end - 1, ranges_[place].last));
  }
  if (end > std::uint64_t{most_} + 1) {
    clear(std::max<std::uint64_t>(from, std::uint64_t{most_} + 1), end - 1);
  }
}

std::uint32_t Contexts::count() const noexcept {
  const std::lock_guard guard(lock_);
  return count_;
}

} // namespace avrankmap::detail
