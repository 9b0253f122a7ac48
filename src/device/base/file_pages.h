// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pages of files that processes share. If the system limits the size of files or accounts for
// memory strictly, a refusal is an error, not a signal.
#ifndef AVRANKMAP_SRC_BASE_FILE_PAGES_H
#define AVRANKMAP_SRC_BASE_FILE_PAGES_H

#include <signal.h>

#include <cstddef>

namespace avrankmap::detail {

// Blocks SIGXFSZ in the calling thread as long as it exists, and discards a signal raised
// meanwhile. A call that makes a file exceed RLIMIT_FSIZE then returns EFBIG. Also used around
// calls of libraries that create files. Costs four system calls.
class NoFileSizeSignal {
public:
  NoFileSizeSignal() noexcept;
  ~NoFileSizeSignal();
  NoFileSizeSignal(const NoFileSizeSignal &) = delete;
  NoFileSizeSignal &operator=(const NoFileSizeSignal &) = delete;

private:
  sigset_t before_{};
  bool was_pending_ = false;
};

// Gives a new memfd its size. Its pages take memory once they are touched. If vm.overcommit_memory
// is 2, they are allocated immediately, because a page that is refused later raises SIGBUS. Returns
// 0, or an error such as EFBIG (beyond RLIMIT_FSIZE) or ENOSPC.
[[nodiscard]] int make_pages(int descriptor, std::size_t bytes) noexcept;

} // namespace avrankmap::detail

#endif
