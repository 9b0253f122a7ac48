// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The business card of a process: where it runs, and its addresses in the transports. What a peer publishes is checked
// before it is used.
#ifndef AVRANKMAP_SRC_CORE_CARD_H
#define AVRANKMAP_SRC_CORE_CARD_H

#include <cstddef>
#include <cstdint>

#include "avrankmap/boot.h"

namespace avrankmap::detail {

struct Card {
  static constexpr std::uint32_t kMagic = 0x6176726d; // "avrm"
  static constexpr std::size_t kHeader = 20;
  static constexpr std::size_t kRoom = AVRM_BOOT_CARD_MAX - kHeader;

  std::uint32_t magic = kMagic;
  std::uint32_t node = 0;
  std::int32_t local_rank = 0;
  std::uint32_t net_bytes = 0;
  std::uint32_t shm_bytes = 0;
  unsigned char bytes[kRoom] = {}; // the netmod's address, then the shmmod's card

  [[nodiscard]] const void *net() const noexcept { return bytes; }
  [[nodiscard]] const void *shm() const noexcept { return bytes + net_bytes; }
  [[nodiscard]] std::size_t size() const noexcept { return kHeader + net_bytes + shm_bytes; }
  [[nodiscard]] bool is_sound(std::size_t length) const noexcept {
    return length >= kHeader && magic == kMagic && net_bytes <= kRoom && shm_bytes <= kRoom - net_bytes &&
           size() == length;
  }
};
static_assert(sizeof(Card) == AVRM_BOOT_CARD_MAX);
static_assert(offsetof(Card, bytes) == Card::kHeader);

} // namespace avrankmap::detail

#endif
