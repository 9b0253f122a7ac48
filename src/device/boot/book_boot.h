// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boots from a book: a process of a forked job uses the book of its parent, a job of one process
// has a book of its own.
#ifndef AVRANKMAP_SRC_BOOT_BOOK_BOOT_H
#define AVRANKMAP_SRC_BOOT_BOOK_BOOT_H

#include <utility>

#include "boot/book.h"
#include "boot/boot.h"

namespace avrankmap::detail {

class BookBoot : public avrm_boot {
public:
  [[nodiscard]] avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept final {
    return book_.publish(place_.rank, slot, card, bytes);
  }
  [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                    std::size_t *bytes_p) noexcept final {
    return book_.fetch(rank, slot, card, bytes_p);
  }
  [[nodiscard]] avrm_status_t fence_start() noexcept final {
    return book_.fence().arrive(book_.size(), &round_) ? AVRM_OK : AVRM_ERR_PEER;
  }
  [[nodiscard]] avrm_status_t fence_test(bool *done_p) noexcept final {
    const Fence::State state = book_.fence().look(round_);
    *done_p = state != Fence::State::kOpen;
    return state == Fence::State::kBroken ? AVRM_ERR_PEER : AVRM_OK;
  }
  [[nodiscard]] avrm_status_t fence_wait() noexcept final {
    return book_.fence().wait(round_) ? AVRM_OK : AVRM_ERR_PEER;
  }

protected:
  BookBoot(const Book &book, const Place &place) noexcept : book_(book) {
    place_ = place;
    failures_ = book.failures();
  }

private:
  const Book &book_;
  std::uint64_t round_ = 0; // of the fence that was started
};

class ForkBoot final : public BookBoot {
public:
  ForkBoot(const Book &book, const Place &place) noexcept : BookBoot(book, place) {}
  [[nodiscard]] const char *kind() const noexcept override { return "fork"; }
  [[nodiscard]] bool is_opened() const noexcept override { return false; }
};

// A base class, so that the book exists before BookBoot refers to it.
struct OwnBook {
  Book own_book;
};

class SingletonBoot final : private OwnBook, public BookBoot {
public:
  explicit SingletonBoot(Book &&book) noexcept : OwnBook{std::move(book)}, BookBoot(own_book, Place{.block = 1}) {}
  [[nodiscard]] const char *kind() const noexcept override { return "singleton"; }
  [[nodiscard]] bool is_opened() const noexcept override { return true; }
};

} // namespace avrankmap::detail

#endif
