// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Directory of process groups: pgid -> AV.
//
// An append-only list of chunks, each as long as all before it together, so that nothing ever
// moves: readers take no lock, and a pgid costs 8 bytes. A slot is a tagged word:
//
//   0                      never used
//   pointer                the AV is there
//   pointer | 1            released, but bound rankmaps still hold the AV
//   (next + 1) << 2 | 2    gone; in the list of pgids to use again, `next` follows it, or -1
//
// All changes are made under the instance's lock.
#ifndef AVRANKMAP_SRC_AV_DIRECTORY_H
#define AVRANKMAP_SRC_AV_DIRECTORY_H

#include <atomic>
#include <cstdint>

#include "avrankmap/status.h"
#include "base/memory.h"

namespace avrankmap::detail {

class AddressVector;

class Directory {
public:
  explicit Directory(Memory &memory) noexcept : memory_(memory) { chunks_[0].store(first_, std::memory_order_relaxed); }
  ~Directory();
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;

  // Makes sure that the next `insert` cannot fail.
  [[nodiscard]] avrm_status_t reserve() noexcept;
  // The pgid that `insert` will use, so that an AV is complete before other threads can find it.
  [[nodiscard]] std::int32_t next() const noexcept;
  // Gives an AV the pgid `next`. After a successful `reserve` only.
  void insert(AddressVector *av) noexcept;
  // From now on nobody finds the pgid; the AV stays.
  void retire(std::int32_t pgid) noexcept;
  // Puts a retired pgid on the list of those to use again.
  void recycle(std::int32_t pgid) noexcept;
  // The AV of a pgid whether retired or not; there must be one.
  [[nodiscard]] AddressVector *held(std::int32_t pgid) const noexcept;
  // Lock-free.
  [[nodiscard]] avrm_status_t find(std::int32_t pgid, AddressVector **av_p) const noexcept;

private:
  using Slot = std::atomic<std::uintptr_t>;
  static constexpr std::uintptr_t kRetired = 1;
  static constexpr std::uintptr_t kFree = 2;
  static constexpr int kFirstBits = 2; // length of the first chunk: 4
  static constexpr int kChunks = 31 - kFirstBits + 1;

  struct Place {
    int chunk;
    std::uint32_t index;
  };
  [[nodiscard]] static Place place_of(std::uint32_t pgid) noexcept;
  [[nodiscard]] static std::size_t chunk_length(int chunk) noexcept;
  [[nodiscard]] Slot *slot(std::int32_t pgid) const noexcept; // null if its chunk does not exist

  Memory &memory_;
  std::int64_t unused_ = 0;        // the lowest pgid that was never used
  std::int32_t free_head_ = -1;    // list of pgids to use again
  Slot first_[1U << kFirstBits]{}; // so that a job with a few worlds needs no chunk
  std::atomic<Slot *> chunks_[kChunks]{};
};

} // namespace avrankmap::detail

#endif
