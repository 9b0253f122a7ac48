// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/directory.h"

#include <bit>
#include <limits>

namespace avrankmap::detail {

// Chunk 0 holds pgids 0..3, chunk c > 0 holds 2^(c+1) .. 2^(c+2) - 1.
Directory::Place Directory::place_of(std::uint32_t pgid) noexcept {
  if (pgid < (1U << kFirstBits)) {
    return {0, pgid};
  }
  const int top = static_cast<int>(std::bit_width(pgid)) - 1;
  return {top - kFirstBits + 1, pgid ^ (1U << top)};
}

std::size_t Directory::chunk_length(int chunk) noexcept {
  return std::size_t{1} << (chunk == 0 ? kFirstBits : kFirstBits + chunk - 1);
}

Directory::~Directory() {
  for (int chunk = 1; chunk < kChunks; ++chunk) {
    memory_.release(chunks_[chunk].load(std::memory_order_relaxed), chunk_length(chunk) * sizeof(Slot), alignof(Slot),
                    AVRM_MEM_INSTANCE);
  }
}

Directory::Slot *Directory::slot(std::int32_t pgid) const noexcept {
  const Place place = place_of(static_cast<std::uint32_t>(pgid));
  Slot *const chunk = chunks_[place.chunk].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : chunk + place.index;
}

avrm_status_t Directory::reserve() noexcept {
  if (free_head_ >= 0) {
    return AVRM_OK;
  }
  if (unused_ > std::numeric_limits<std::int32_t>::max()) {
    return AVRM_ERR_LIMIT;
  }
  const int chunk = place_of(static_cast<std::uint32_t>(unused_)).chunk;
  if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
    // Zero-filled memory is an array of empty slots: std::atomic of an integer has the integer's
    // representation.
    auto *const slots =
        static_cast<Slot *>(memory_.allocate(chunk_length(chunk) * sizeof(Slot), alignof(Slot), AVRM_MEM_INSTANCE));
    if (slots == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    chunks_[chunk].store(slots, std::memory_order_release);
  }
  return AVRM_OK;
}

std::int32_t Directory::next() const noexcept {
  return free_head_ >= 0 ? free_head_ : static_cast<std::int32_t>(unused_);
}

void Directory::insert(AddressVector *av) noexcept {
  Slot *const s = slot(next());
  if (free_head_ >= 0) {
    free_head_ = static_cast<std::int32_t>(static_cast<std::int64_t>(s->load(std::memory_order_relaxed) >> 2) - 1);
  } else {
    ++unused_;
  }
  s->store(reinterpret_cast<std::uintptr_t>(av), std::memory_order_release);
}

void Directory::retire(std::int32_t pgid) noexcept {
  Slot *const s = slot(pgid);
  s->store(s->load(std::memory_order_relaxed) | kRetired, std::memory_order_release);
}

void Directory::recycle(std::int32_t pgid) noexcept {
  slot(pgid)->store((static_cast<std::uintptr_t>(free_head_ + std::int64_t{1}) << 2) | kFree,
                    std::memory_order_release);
  free_head_ = pgid;
}

AddressVector *Directory::held(std::int32_t pgid) const noexcept {
  return reinterpret_cast<AddressVector *>(slot(pgid)->load(std::memory_order_relaxed) & ~kRetired);
}

avrm_status_t Directory::find(std::int32_t pgid, AddressVector **av_p) const noexcept {
  if (pgid < 0) {
    return AVRM_ERR_PGID_UNKNOWN;
  }
  const Slot *const s = slot(pgid);
  const std::uintptr_t word = s == nullptr ? 0 : s->load(std::memory_order_acquire);
  if (word == 0) {
    return AVRM_ERR_PGID_UNKNOWN;
  }
  if ((word & (kRetired | kFree)) != 0) {
    return AVRM_ERR_PGID_RELEASED;
  }
  *av_p = reinterpret_cast<AddressVector *>(word);
  return AVRM_OK;
}

} // namespace avrankmap::detail
