// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The book that the processes of a forked job share: their cards, their fence, who has died, who has left.
//
//   head | failures | left | index: one word per (slot, rank) | cards, one behind the other
//
// All of it is laid out for the worst case in pages that nobody has touched. The index has the ranks of a slot side by
// side, since most slots are never used: a job pays for 8 bytes per rank and slot in use, and for its cards' bytes.
//
// A word of the index is 0 if there is no card, else (place of the card / 8 + 1) << 11 | length. A card is written
// before its word and never changed afterwards; a new card in the same slot gets a new place. So readers take no lock.
#ifndef AVRANKMAP_SRC_BOOT_BOOK_H
#define AVRANKMAP_SRC_BOOT_BOOK_H

#include <cstddef>
#include <cstdint>

#include "avrankmap/status.h"
#include "boot/failures.h"
#include "boot/fence.h"
#include "boot/pages.h"

namespace avrankmap::detail {

class Book {
public:
  // A book of no job; `create` makes it usable.
  Book() noexcept = default;
  // AVRM_OK or AVRM_ERR_NO_MEMORY.
  [[nodiscard]] static avrm_status_t create(std::int32_t size, Book *book_p) noexcept;
  // Bytes of address space, and of a file that holds one. Zero bytes are an empty book.
  [[nodiscard]] static std::size_t bytes(std::int32_t size) noexcept;
  // The book in a file of that length.
  [[nodiscard]] static avrm_status_t open(std::int32_t size, int descriptor, Book *book_p) noexcept;

  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] const Pages &pages() const noexcept { return pages_; }

  // Arguments have been checked. AVRM_OK or AVRM_ERR_NO_MEMORY.
  [[nodiscard]] avrm_status_t publish(std::int32_t rank, std::int32_t slot, const void *card,
                                      std::size_t bytes) const noexcept;
  // AVRM_OK, AVRM_ERR_PEER, AVRM_ERR_SIZE; AVRM_ERR_BOOT if somebody has scribbled in it.
  [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                    std::size_t *bytes_p) const noexcept;

  [[nodiscard]] Fence &fence() const noexcept;
  [[nodiscard]] const Failures &failures() const noexcept { return failures_; }

  // A process has left when its body returned 0.
  void mark_left(std::int32_t rank) const noexcept { left_.mark(rank); }
  [[nodiscard]] bool has_left(std::int32_t rank) const noexcept { return left_.has(rank); }

private:
  struct Head;
  struct Layout;

  [[nodiscard]] static avrm_status_t lay_out(std::int32_t size, Pages &&pages, Book *book_p) noexcept;
  [[nodiscard]] Head &head() const noexcept;
  [[nodiscard]] std::uint64_t &word(std::int32_t rank, std::int32_t slot) const noexcept;

  Pages pages_;
  std::int32_t size_ = 0;
  Failures failures_;
  Failures left_; // the same: a set of ranks that only grows
  std::uint64_t *index_ = nullptr;
  std::byte *cards_ = nullptr;
  std::size_t room_ = 0; // bytes from cards_ on
};

} // namespace avrankmap::detail

#endif
