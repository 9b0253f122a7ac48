// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps of experiments.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_OWNED_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_OWNED_H

#include "avrankmap/avrankmap.h"
#include "support/owned_map.h"

#include <cstdint>
#include <span>

namespace avrankmap::bench {

inline OwnedMap make_child_map(const OwnedMap &parent, std::span<const std::int32_t> ranks) {
  return make_map(avrm_rankmap_create_child, parent.get(), static_cast<std::int32_t>(ranks.size()), ranks.data(),
                  static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
}

inline avrm_rankmap_info_t describe(const OwnedMap &map) {
  avrm_rankmap_info_t info{};
  require(avrm_rankmap_describe(map.get(), &info));
  return info;
}

} // namespace avrankmap::bench

#endif
