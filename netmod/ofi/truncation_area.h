// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Address space that follows the buffers of receives. Providers handle messages that are longer
// than their receive in different ways: some report an error, some do not, some hang, some close
// the connection. So no message is longer than its receive: every receive ends with this area, and
// bytes that arrive there are dropped.
#ifndef AVRANKMAP_NETMOD_OFI_TRUNCATION_AREA_H
#define AVRANKMAP_NETMOD_OFI_TRUNCATION_AREA_H

#include <cstddef>

namespace avrankmap::detail::ofi {

class TruncationArea {
public:
  static constexpr std::size_t kMost = std::size_t{1} << 30;
  static constexpr std::size_t kLeast = std::size_t{16} << 20;

  TruncationArea() = default;
  TruncationArea(const TruncationArea &) = delete;
  TruncationArea &operator=(const TruncationArea &) = delete;
  ~TruncationArea();
  // Reserves the area; if address space is limited, half of what is free. Returns false if that is
  // too little.
  [[nodiscard]] bool open() noexcept;
  // Returns null if there is no area.
  [[nodiscard]] void *base() const noexcept { return base_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Returns pages to the system after `bytes` bytes were written.
  void wipe(std::size_t bytes) noexcept;

private:
  void *base_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace avrankmap::detail::ofi

#endif
