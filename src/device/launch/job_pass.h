// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 128 random bits that only the processes of a job know. The first of them draws the bits and
// publishes them through the launcher.
#ifndef AVRANKMAP_SRC_LAUNCH_JOB_PASS_H
#define AVRANKMAP_SRC_LAUNCH_JOB_PASS_H

#include <cstdint>

#include "avrankmap/device/boot.h"

namespace avrankmap::detail {

struct JobPass {
  // Of the cards of rank 0.
  static constexpr std::int32_t kSlot = AVRM_BOOT_SLOTS - 1;

  std::uint64_t words[2] = {}; // all zero: none

  [[nodiscard]] bool is_none() const noexcept { return (words[0] | words[1]) == 0; }
  // Takes the same time wherever the two differ.
  [[nodiscard]] bool is_same(const JobPass &other) const noexcept {
    return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1])) == 0;
  }
};

} // namespace avrankmap::detail

#endif
