// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A hash of a map: equal for equal maps, and different for different ones except by chance. It
// detects that processes pass different groups.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_DIGEST_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_DIGEST_H

#include "rankmap/create/runs.h"

namespace avrankmap::detail {

// number_of(pgid) must be the same in all processes. It is ignored for a group within one world,
// whose members agree on the world in any case. O(runs).
template <typename NumberOf>
[[nodiscard]] std::uint64_t digest_of(const avrm_rankmap_t *map, NumberOf number_of) noexcept {
  bool is_one_world = true;
  (void)for_each_run(map, [&](const Run &run) {
    is_one_world = is_one_world && run.pgid == avrm_rankmap_gpid(map, 0).pgid;
    return AVRM_OK;
  });
  std::uint64_t digest = static_cast<std::uint64_t>(map->size);
  const auto mix = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 29;
  };
  (void)for_each_run(map, [&](const Run &run) {
    mix(static_cast<std::uint32_t>(run.count));
    mix(is_one_world ? 0 : number_of(run.pgid));
    mix(static_cast<std::uint32_t>(run.offset));
    mix(static_cast<std::uint32_t>(run.stride));
    return AVRM_OK;
  });
  return digest;
}

} // namespace avrankmap::detail

#endif
