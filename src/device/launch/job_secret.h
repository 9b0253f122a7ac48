// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 128 random bits that only the processes of a job know. Rank 0 generates the bits and publishes
// them through the launcher.
#ifndef AVRANKMAP_SRC_LAUNCH_JOB_SECRET_H
#define AVRANKMAP_SRC_LAUNCH_JOB_SECRET_H

#include <cstdint>

#include "avrankmap/device/boot.h"

namespace avrankmap::detail {

struct JobSecret {
  // The slot of rank 0 in which they are published.
  static constexpr std::int32_t kSlot = AVRM_BOOT_SLOTS - 1;

  std::uint64_t words[2] = {}; // all zero: none

  [[nodiscard]] bool is_none() const noexcept { return (words[0] | words[1]) == 0; }
  // Takes constant time, regardless of where the two differ.
  [[nodiscard]] bool is_same(const JobSecret &other) const noexcept {
    return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1])) == 0;
  }
};

} // namespace avrankmap::detail

#endif
