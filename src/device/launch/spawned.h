// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the job of a program that the embedded launcher started, from its environment:
//
//   AVRM_SPAWNED=descriptor:inode:size:local:rank   the file with the job's store, and this rank
//   AVRM_PARENT_PORT=name                           where the parents wait
//
// Opening the job marks the descriptor as close-on-exec. Programs that a spawned program starts
// afterwards therefore inherit the variables, but are not members of the job.
#ifndef AVRANKMAP_SRC_LAUNCH_SPAWNED_H
#define AVRANKMAP_SRC_LAUNCH_SPAWNED_H

#include <cstdint>
#include <memory>

#include "launch/boot.h"

namespace avrankmap::detail {

// Number of digits of the rank, which comes last: the launcher overwrites it for each process.
inline constexpr int kRankDigits = 10;

struct SpawnedJob {
  int descriptor = -1;
  std::uint64_t inode = 0;
  std::int32_t size = 0;
  int local = 0;
  std::int32_t rank = 0;

  // Reads the environment. Returns false if this program was not spawned.
  [[nodiscard]] bool find() noexcept;
};

// Returns AVRM_OK, AVRM_ERR_BOOT (this process has already left its job) or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t open_spawned(const SpawnedJob &job, std::unique_ptr<avrm_boot> *boot_p) noexcept;

} // namespace avrankmap::detail

#endif
