// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A growing array of trivial objects, in accounted memory, which is scratch memory unless the array
// outlives a call. A failed allocation is remembered, and later elements are dropped: append
// everything, then check `failed` once.
#ifndef AVRANKMAP_SRC_BASE_ARRAY_H
#define AVRANKMAP_SRC_BASE_ARRAY_H

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/memory.h"

namespace avrankmap::detail {

template <typename T, avrm_mem_kind_t kKind = AVRM_MEM_SCRATCH> class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  explicit Array(Memory &memory) noexcept : memory_(&memory) {}
  ~Array() { memory_->release(data_, capacity_ * sizeof(T), alignof(T), kKind); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  void append(const T &value) noexcept {
    if (!failed_ && (size_ < capacity_ || grow(1))) {
      data_[size_++] = value;
    } else {
      failed_ = true;
    }
  }
  // Makes room for `more` additional elements. Returns false if out of memory, which is not
  // remembered.
  [[nodiscard]] bool make_room(std::size_t more) noexcept { return more <= capacity_ - size_ || grow(more); }
  void swap(Array &other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(failed_, other.failed_);
  }
  // Drops the element at `end` and all later ones.
  void truncate(const T *end) noexcept { size_ = static_cast<std::size_t>(end - data_); }
  // Drops all elements and forgets a failure; keeps the memory.
  void clear() noexcept {
    size_ = 0;
    failed_ = false;
  }
  // True if elements are missing because an allocation failed.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T *begin() noexcept { return data_; }
  [[nodiscard]] T *end() noexcept { return data_ + size_; }
  [[nodiscard]] const T *begin() const noexcept { return data_; }
  [[nodiscard]] const T *end() const noexcept { return data_ + size_; }
  [[nodiscard]] T &operator[](std::size_t i) noexcept { return data_[i]; }

private:
  [[nodiscard]] bool grow(std::size_t more) noexcept {
    const std::size_t capacity = std::max(capacity_ == 0 ? 8 : 2 * capacity_, size_ + more);
    auto *const data = static_cast<T *>(memory_->allocate(capacity * sizeof(T), alignof(T), kKind));
    if (data == nullptr) {
      return false;
    }
    std::copy(begin(), end(), data);
    memory_->release(data_, capacity_ * sizeof(T), alignof(T), kKind);
    data_ = data;
    capacity_ = capacity;
    return true;
  }

  Memory *memory_;
  T *data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool failed_ = false;
};

} // namespace avrankmap::detail

#endif
