// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/intern.h"

#include <cstring>

#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kIntern = by_mode([]<typename F>() { return F::intern; });

} // namespace

avrm_status_t intern(avrm_rankmap_t *map) noexcept {
  return map->instance->interned.enabled ? kIntern[map->mode](map) : AVRM_OK;
}

// Hashes 64-bit words in four independent lanes, each the value of a polynomial, then the remaining
// bytes one by one.
std::uint64_t hash_bytes(const void *data, std::size_t size, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;
  const auto *bytes = static_cast<const unsigned char *>(data);
  const auto mix = [](std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    return hash ^ hash >> 32;
  };
  std::uint64_t lane0 = seed; // separate variables, since compilers keep a small array in memory
  std::uint64_t lane1 = seed + 1;
  std::uint64_t lane2 = seed + 2;
  std::uint64_t lane3 = seed + 3;
  std::uint64_t words[4];
  for (; size >= sizeof words; size -= sizeof words, bytes += sizeof words) {
    std::memcpy(words, bytes, sizeof words);
    lane0 = lane0 * kMultiplier + words[0];
    lane1 = lane1 * kMultiplier + words[1];
    lane2 = lane2 * kMultiplier + words[2];
    lane3 = lane3 * kMultiplier + words[3];
  }
  std::uint64_t hash = mix(mix(mix(lane0, lane1 * kMultiplier), lane2), lane3);
  for (; size > 0; --size, ++bytes) {
    hash = mix(hash, *bytes);
  }
  return hash;
}

bool give_up_share(Interned *interned, HashTable *known, std::atomic<std::uint32_t> *sharers, std::uint64_t key,
                   const void *header) noexcept {
  std::uint32_t count = sharers->load(std::memory_order_relaxed);
  // While a table is known, another thread may be taking a share of it under the lock, so the last
  // share is also given up under the lock.
  while (key == 0 || count > 1) {
    if (sharers->compare_exchange_weak(count, count - 1, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return count == 1;
    }
  }
  const std::scoped_lock guard(interned->lock);
  if (sharers->fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return false;
  }
  known->erase(key, header);
  return true;
}

} // namespace avrankmap::detail
