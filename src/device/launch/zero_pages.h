// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Zero-filled pages that take no memory until they are written, so that tables can reserve room for
// the largest job.
#ifndef AVRANKMAP_SRC_LAUNCH_ZERO_PAGES_H
#define AVRANKMAP_SRC_LAUNCH_ZERO_PAGES_H

#include <cstddef>
#include <utility>

namespace avrankmap::detail {

class ZeroPages {
public:
  // kShared: processes that this one forks later see the same pages.
  enum class Sharing { kPrivate, kShared };

  ZeroPages() noexcept = default;
  // `data` is null afterwards if there is not enough memory or address space.
  ZeroPages(std::size_t size, Sharing sharing) noexcept;
  // The pages of a file of this size, shared by all processes that map it.
  ZeroPages(std::size_t size, int descriptor) noexcept;
  ~ZeroPages();
  ZeroPages(ZeroPages &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ZeroPages &operator=(ZeroPages &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] std::byte *data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  void map(std::size_t size, int flags, int descriptor) noexcept;

  std::byte *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace avrankmap::detail

#endif
