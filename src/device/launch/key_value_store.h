// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The key-value store of a forked or spawned job: shared memory that contains the cards of its
// processes, their fence, and the sets of processes that have died or left.
//
//   head | failures | left | index: one word per (slot, rank) | cards, one after another
//
// The layout reserves address space for the worst case; a page takes memory only once it is
// written. The index is ordered by slot, then by rank, because most slots are never used: a job
// takes 8 bytes per rank and slot in use, plus the bytes of its cards.
//
// An index word is 0 if there is no card, otherwise (offset of the card / 8 + 1) << 11 | length. A
// card is written before its word and never changed afterwards; a new card for the same slot is
// stored elsewhere. Readers therefore need no lock.
#ifndef AVRANKMAP_SRC_LAUNCH_KEY_VALUE_STORE_H
#define AVRANKMAP_SRC_LAUNCH_KEY_VALUE_STORE_H

#include <cstddef>
#include <cstdint>

#include "avrankmap/status.h"
#include "launch/failed_processes.h"
#include "launch/fence.h"
#include "launch/zero_pages.h"

namespace avrankmap::detail {

class KeyValueStore {
public:
  // An empty store. `create` or `open` makes a usable one.
  KeyValueStore() noexcept = default;
  // Returns AVRM_OK or AVRM_ERR_NO_MEMORY.
  [[nodiscard]] static avrm_status_t create(std::int32_t size, KeyValueStore *store_p) noexcept;
  // Size of a store in memory or in a file. A file of zeros is an empty store.
  [[nodiscard]] static std::size_t bytes(std::int32_t size) noexcept;
  // Maps the store in a file of bytes(size) bytes.
  [[nodiscard]] static avrm_status_t open(std::int32_t size, int descriptor, KeyValueStore *store_p) noexcept;

  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] const ZeroPages &pages() const noexcept { return pages_; }

  // The arguments must be valid. Returns AVRM_OK or AVRM_ERR_NO_MEMORY.
  [[nodiscard]] avrm_status_t publish(std::int32_t rank, std::int32_t slot, const void *card,
                                      std::size_t bytes) const noexcept;
  // Returns AVRM_OK, AVRM_ERR_PEER or AVRM_ERR_SIZE; AVRM_ERR_BOOT if the store is corrupt.
  [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                    std::size_t *bytes_p) const noexcept;

  [[nodiscard]] Fence &fence() const noexcept;
  [[nodiscard]] const FailedProcesses &failures() const noexcept { return failures_; }

  // A process has left if its body returned 0 or, in a spawned job, if it closed its boot.
  void mark_left(std::int32_t rank) const noexcept { left_.mark(rank); }
  [[nodiscard]] bool has_left(std::int32_t rank) const noexcept { return left_.has(rank); }

private:
  struct Head;
  struct Layout;

  [[nodiscard]] static avrm_status_t lay_out(std::int32_t size, ZeroPages &&pages, KeyValueStore *store_p) noexcept;
  [[nodiscard]] Head &head() const noexcept;
  [[nodiscard]] std::uint64_t &word(std::int32_t rank, std::int32_t slot) const noexcept;

  ZeroPages pages_;
  std::int32_t size_ = 0;
  FailedProcesses failures_;
  FailedProcesses left_; // a set of ranks that only grows, like the failures
  std::uint64_t *index_ = nullptr;
  std::byte *cards_ = nullptr;
  std::size_t room_ = 0; // bytes for cards
};

} // namespace avrankmap::detail

#endif
