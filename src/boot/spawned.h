// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a spawned program finds its job. Variables of its environment say so:
//
//   AVRM_SPAWNED=descriptor:inode:size:local:rank   the file that holds the job's book, and its place there
//   AVRM_PARENT_PORT=name                           where those that spawned it wait
//
// The descriptor is closed when the program runs another one. So what a spawned program starts in its turn may inherit the
// variables, but is no member of the job.
#ifndef AVRANKMAP_SRC_BOOT_SPAWNED_H
#define AVRANKMAP_SRC_BOOT_SPAWNED_H

#include <cstdint>
#include <memory>

#include "boot/boot.h"

namespace avrankmap::detail {

inline constexpr char kSpawnedVariable[] = "AVRM_SPAWNED";
inline constexpr char kParentVariable[] = "AVRM_PARENT_PORT";
// Digits of the rank, at the end: the launcher writes one after the other in place.
inline constexpr int kRankDigits = 10;

struct SpawnedJob {
  int descriptor = -1;
  std::uint64_t inode = 0;
  std::int32_t size = 0;
  int local = 0;
  std::int32_t rank = 0;

  // In the environment. False if this program was not spawned.
  [[nodiscard]] bool find() noexcept;
};

// AVRM_OK, AVRM_ERR_BOOT (it has left its job before), AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t open_spawned(const SpawnedJob &job, std::unique_ptr<avrm_boot> *boot_p) noexcept;

} // namespace avrankmap::detail

#endif
