// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Owning pointers to instances and rankmaps, and functions that make them or throw.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_OWNED_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_OWNED_H

#include "avrankmap/avrankmap.h"
#include "support/owned_map.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>

namespace avrankmap::bench {

struct DestroyInstance {
  void operator()(avrm_instance_t *instance) const noexcept { (void)avrm_instance_destroy(instance); }
};
using OwnedInstance = std::unique_ptr<avrm_instance_t, DestroyInstance>;

inline OwnedInstance make_instance(bool strict) {
  avrm_instance_options_t options{};
  options.strict = strict;
  options.cost = AVRM_COST_BYTES;
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(&options, &instance));
  return OwnedInstance(instance);
}

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
