// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The context ids that a process uses, as a sorted list of ranges. Communicators that are created
// consecutively have consecutive ids, and take 8 bytes in total. Communicators that are created and
// freed in any order take at most 8 bytes each.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CONTEXTS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CONTEXTS_H

#include <cstdint>
#include <mutex>

#include "avrankmap/device/request.h"
#include "base/memory.h"

namespace avrankmap::detail {

class Contexts {
public:
  // Ids are 0 .. kMost, unless `limit` was called.
  static constexpr std::uint32_t kMost = AVRM_MATCH_MAX_CONTEXT;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit Contexts(Memory &memory) noexcept : memory_(memory) {}
  ~Contexts();
  Contexts(const Contexts &) = delete;
  Contexts &operator=(const Contexts &) = delete;

  // Limits ids to 0 .. most. Must be called before any id is taken, with the same value in all
  // processes that agree on ids.
  void limit(std::uint32_t most) noexcept { most_ = most; }
  [[nodiscard]] std::uint32_t most() const noexcept { return most_; }

  // All functions below may be called from any thread. Those for one id take O(log ranges), plus
  // the time to move the following ranges if a range is added or removed.

  // Takes an id. Returns AVRM_OK, AVRM_ERR_BUSY (it is in use) or AVRM_ERR_NO_MEMORY.
  [[nodiscard]] avrm_status_t take(std::uint32_t id) noexcept;
  // Takes the first free id that is not less than `from`. Returns AVRM_OK, AVRM_ERR_LIMIT (there is
  // none) or AVRM_ERR_NO_MEMORY; after an error *id_p is kNone.
  [[nodiscard]] avrm_status_t take_first(std::uint32_t from, std::uint32_t *id_p) noexcept;
  // True if an id is in use.
  [[nodiscard]] bool has(std::uint32_t id) const noexcept;
  // Releases an id that is in use.
  void give(std::uint32_t id) noexcept;
  // Sets bit i of the array of `words` words if id from + i is free, and clears it otherwise. Ids
  // greater than most() are not free.
  void free_ids(std::uint32_t from, std::uint32_t words, std::uint64_t *bits) const noexcept;

  // Number of ids in use.
  [[nodiscard]] std::uint32_t count() const noexcept;

private:
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  // Index of the first range that ends at or after `id`.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t id) const noexcept;
  [[nodiscard]] avrm_status_t take_at(std::uint32_t place, std::uint32_t id) noexcept;
  [[nodiscard]] bool insert(std::uint32_t place, Range range) noexcept;
  void erase(std::uint32_t place) noexcept;

  Memory &memory_;
  std::uint32_t most_ = kMost;
  Range *ranges_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t count_ = 0;
  mutable std::mutex lock_;
};

} // namespace avrankmap::detail

#endif
