// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The business card of a process: where it runs, and its addresses in the transports. What a peer
// publishes is checked before it is used.
#ifndef AVRANKMAP_SRC_CORE_PEERS_CARD_H
#define AVRANKMAP_SRC_CORE_PEERS_CARD_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "avrankmap/device/boot.h"
#include "core/peers/process_name.h"
#include "core/peers/world_name.h"

namespace avrankmap::detail {

struct Card {
  static constexpr std::uint32_t kMagic = 0x6176726d; // "avrm"
  static constexpr std::size_t kHeader = 48;
  static constexpr std::size_t kRoom = AVRM_BOOT_CARD_MAX - kHeader;

  std::uint32_t magic = kMagic;
  std::uint32_t node = 0;
  std::int32_t local_rank = 0;
  std::uint32_t net_bytes = 0;
  std::uint32_t shm_bytes = 0;
  std::int32_t pid = 0;
  WorldName name;          // of this process's device; the name of rank 0 also names the world
  std::uint32_t space = 0; // pid, space and start form a ProcessName
  std::uint32_t start = 0;
  unsigned char bytes[kRoom] = {}; // the netmod's address, then the shmmod's card

  // Copies the network part of a card whose header is valid.
  void load(const unsigned char *from) noexcept {
    std::memcpy(static_cast<void *>(this), from, kHeader);
    std::memcpy(bytes, from + kHeader, net_bytes);
    shm_bytes = 0;
  }
  [[nodiscard]] ProcessName process() const noexcept { return {pid, space, start}; }
  [[nodiscard]] const void *net() const noexcept { return bytes; }
  [[nodiscard]] const void *shm() const noexcept { return bytes + net_bytes; }
  [[nodiscard]] std::size_t size() const noexcept { return kHeader + net_bytes + shm_bytes; }
  // True if memory of this length, at least kHeader, begins with a valid card without a shmmod
  // part.
  [[nodiscard]] static bool is_sound_in(const unsigned char *memory, std::size_t length) noexcept {
    std::uint32_t head[5];
    std::memcpy(head, memory, sizeof head);
    return head[0] == kMagic && head[3] <= length - kHeader && head[4] == 0;
  }
  [[nodiscard]] bool is_sound(std::size_t length) const noexcept {
    return length >= kHeader && magic == kMagic && net_bytes <= kRoom && shm_bytes <= kRoom - net_bytes &&
           size() == length;
  }
};
static_assert(sizeof(Card) == AVRM_BOOT_CARD_MAX);
static_assert(offsetof(Card, bytes) == Card::kHeader && offsetof(Card, net_bytes) == 12 &&
              offsetof(Card, shm_bytes) == 16);

} // namespace avrankmap::detail

#endif
