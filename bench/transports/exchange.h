// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses and keys of bare endpoints travel as business cards, in slots of their own.
#ifndef AVRANKMAP_BENCH_TRANSPORTS_EXCHANGE_H
#define AVRANKMAP_BENCH_TRANSPORTS_EXCHANGE_H

#include "avrankmap/boot.h"

#include <stdexcept>
#include <vector>

namespace avrankmap::bench {

/// Publishes `bytes` bytes and returns what the other of two processes published.
/// Both must call it.
inline std::vector<unsigned char> exchange(avrm_boot_t *boot, int slot, const void *card, std::size_t bytes) {
  std::vector<unsigned char> other(AVRM_BOOT_CARD_MAX);
  std::size_t room = other.size();
  if (avrm_boot_publish(boot, slot, card, bytes) != AVRM_OK || avrm_boot_fence(boot) != AVRM_OK ||
      avrm_boot_fetch(boot, 1 - avrm_boot_rank(boot), slot, other.data(), &room) != AVRM_OK) {
    throw std::runtime_error("addresses could not be exchanged");
  }
  other.resize(room);
  return other;
}

constexpr int kAddressSlot = 1;
constexpr int kMemorySlot = 2;

} // namespace avrankmap::bench

#endif
