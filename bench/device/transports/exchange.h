// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses and keys of bare endpoints travel as business cards, in slots of their own.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_EXCHANGE_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_EXCHANGE_H

#include "avrankmap/device/boot.h"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace avrankmap::bench {

/// Publishes `bytes` bytes and returns what each process published, by rank. All must call it.
inline std::vector<std::vector<unsigned char>> exchange(avrm_boot_t *boot, int slot, const void *card,
                                                        std::size_t bytes) {
  std::vector<std::vector<unsigned char>> all(static_cast<std::size_t>(avrm_boot_size(boot)));
  bool is_done = avrm_boot_publish(boot, slot, card, bytes) == AVRM_OK && avrm_boot_fence(boot) == AVRM_OK;
  for (std::int32_t rank = 0; rank < avrm_boot_size(boot) && is_done; ++rank) {
    std::vector<unsigned char> &one = all[static_cast<std::size_t>(rank)];
    one.resize(AVRM_BOOT_CARD_MAX);
    std::size_t room = one.size();
    is_done = avrm_boot_fetch(boot, rank, slot, one.data(), &room) == AVRM_OK;
    one.resize(room);
  }
  if (!is_done) {
    throw std::runtime_error("addresses could not be exchanged");
  }
  return all;
}

/// The one peer of a process: the other of two.
inline std::int32_t other_of(avrm_boot_t *boot) { return avrm_boot_rank(boot) == 0 ? 1 : 0; }

constexpr int kAddressSlot = 1;
constexpr int kMemorySlot = 2;

} // namespace avrankmap::bench

#endif
