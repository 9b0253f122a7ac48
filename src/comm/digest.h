// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A number that equal maps have in common, and that different ones have in common by accident only: to notice that
// processes mean different groups.
#ifndef AVRANKMAP_SRC_COMM_DIGEST_H
#define AVRANKMAP_SRC_COMM_DIGEST_H

#include "rankmap/runs.h"

namespace avrankmap::detail {

// O(runs).
[[nodiscard]] inline std::uint64_t digest_of(const avrm_rankmap_t *map) noexcept {
  std::uint64_t digest = static_cast<std::uint64_t>(map->size);
  const auto mix = [&digest](std::int32_t value) {
    digest = (digest ^ static_cast<std::uint32_t>(value)) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 29;
  };
  (void)for_each_run(map, [&](const Run &run) {
    mix(run.count);
    mix(run.pgid);
    mix(run.offset);
    mix(run.stride);
    return AVRM_OK;
  });
  return digest;
}

} // namespace avrankmap::detail

#endif
