// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sorted set of handles of peers, for few that are looked up often.
#ifndef AVRANKMAP_SRC_BASE_HANDLE_SET_H
#define AVRANKMAP_SRC_BASE_HANDLE_SET_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace avrankmap::detail {

class HandleSet {
public:
  [[nodiscard]] bool empty() const noexcept { return handles_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return handles_.size(); }
  [[nodiscard]] bool has(std::uint64_t handle) const noexcept {
    return std::binary_search(handles_.begin(), handles_.end(), handle);
  }
  // Throws std::bad_alloc if memory is exhausted, unless `reserve` has made room.
  void add(std::uint64_t handle) {
    const auto place = std::lower_bound(handles_.begin(), handles_.end(), handle);
    if (place == handles_.end() || *place != handle) {
      handles_.insert(place, handle);
    }
  }
  void remove(std::uint64_t handle) noexcept {
    const auto [first, last] = std::equal_range(handles_.begin(), handles_.end(), handle);
    handles_.erase(first, last);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return handles_.capacity(); }
  void reserve(std::size_t count) { handles_.reserve(count); }

private:
  std::vector<std::uint64_t> handles_; // ascending
};

} // namespace avrankmap::detail

#endif
