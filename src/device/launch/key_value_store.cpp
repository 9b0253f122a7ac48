// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/key_value_store.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "avrankmap/device/boot.h"

namespace avrankmap::detail {

namespace {

constexpr int kLengthBits = 11;
constexpr std::uint64_t kLengthMask = (std::uint64_t{1} << kLengthBits) - 1;
static_assert(AVRM_BOOT_CARD_MAX <= kLengthMask);

// The room of a replaced card is not reused, so small jobs get room for more than one card per
// slot.
constexpr std::size_t kLeastRoom = std::size_t{64} << 20;

constexpr std::size_t round_up(std::size_t size, std::size_t unit) noexcept { return (size + unit - 1) / unit * unit; }

} // namespace

// The fence has its own cache line, so that publishing does not disturb waiters. The initial state
// is all zeros, so that no process has to initialise it.
struct KeyValueStore::Head {
  alignas(64) Fence fence;
  alignas(64) std::uint64_t used = 0; // bytes of cards
};

// Offsets of the parts.
struct KeyValueStore::Layout {
  explicit Layout(std::int32_t size) noexcept {
    const auto count = static_cast<std::size_t>(size);
    left = round_up(failures + FailedProcesses::bytes(size), 64);
    index = round_up(left + FailedProcesses::bytes(size), 64);
    cards = index + count * AVRM_BOOT_SLOTS * sizeof(std::uint64_t);
    room = std::max(count * AVRM_BOOT_SLOTS * AVRM_BOOT_CARD_MAX, kLeastRoom);
  }

  std::size_t failures = sizeof(Head);
  std::size_t left;
  std::size_t index;
  std::size_t cards;
  std::size_t room;
};

std::size_t KeyValueStore::bytes(std::int32_t size) noexcept {
  const Layout layout(size);
  return layout.cards + layout.room;
}

avrm_status_t KeyValueStore::create(std::int32_t size, KeyValueStore *store_p) noexcept {
  return lay_out(size, ZeroPages(bytes(size), ZeroPages::Sharing::kShared), store_p);
}

avrm_status_t KeyValueStore::open(std::int32_t size, int descriptor, KeyValueStore *store_p) noexcept {
  return lay_out(size, ZeroPages(bytes(size), descriptor), store_p);
}

avrm_status_t KeyValueStore::lay_out(std::int32_t size, ZeroPages &&pages, KeyValueStore *store_p) noexcept {
  const Layout layout(size);
  KeyValueStore store;
  store.pages_ = std::move(pages);
  std::byte *const base = store.pages_.data();
  if (base == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  store.size_ = size;
  store.failures_ = FailedProcesses(base + layout.failures, size);
  store.left_ = FailedProcesses(base + layout.left, size);
  store.index_ = reinterpret_cast<std::uint64_t *>(base + layout.index);
  store.cards_ = base + layout.cards;
  store.room_ = layout.room;
  *store_p = std::move(store);
  return AVRM_OK;
}

KeyValueStore::Head &KeyValueStore::head() const noexcept {
  return *std::launder(reinterpret_cast<Head *>(pages_.data()));
}

Fence &KeyValueStore::fence() const noexcept { return head().fence; }

std::uint64_t &KeyValueStore::word(std::int32_t rank, std::int32_t slot) const noexcept {
  return index_[static_cast<std::int64_t>(slot) * size_ + rank];
}

avrm_status_t KeyValueStore::publish(std::int32_t rank, std::int32_t slot, const void *card,
                                     std::size_t bytes) const noexcept {
  const std::atomic_ref used(head().used);
  std::uint64_t place = used.load(std::memory_order_relaxed);
  std::uint64_t end = 0;
  do {
    // Compares without overflow, because a peer may have written any number.
    if (place > room_ || round_up(bytes, 8) > room_ - place) {
      return AVRM_ERR_NO_MEMORY;
    }
    end = place + round_up(bytes, 8);
  } while (!used.compare_exchange_weak(place, end, std::memory_order_relaxed));
  if (bytes != 0) {
    std::memcpy(cards_ + place, card, bytes);
  }
  std::atomic_ref(word(rank, slot)).store((place / 8 + 1) << kLengthBits | bytes, std::memory_order_release);
  return AVRM_OK;
}

avrm_status_t KeyValueStore::fetch(std::int32_t rank, std::int32_t slot, void *card,
                                   std::size_t *bytes_p) const noexcept {
  const std::uint64_t found = std::atomic_ref(word(rank, slot)).load(std::memory_order_acquire);
  if (found == 0) {
    return AVRM_ERR_PEER;
  }
  const std::size_t bytes = found & kLengthMask;
  if (bytes > *bytes_p) {
    return AVRM_ERR_SIZE;
  }
  // Out of range if the word encodes no offset.
  const std::uint64_t place = ((found >> kLengthBits) - 1) * 8;
  if (place > room_ || bytes > room_ - place) {
    return AVRM_ERR_BOOT;
  }
  if (bytes != 0) {
    std::memcpy(card, cards_ + place, bytes);
  }
  *bytes_p = bytes;
  return AVRM_OK;
}

} // namespace avrankmap::detail
