// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Owning pointers to instances and rankmaps, and functions that make them or throw.
#ifndef AVRANKMAP_BENCH_SUPPORT_OWNED_MAP_H
#define AVRANKMAP_BENCH_SUPPORT_OWNED_MAP_H

#include "avrankmap/rankmap.h"
#include "support/require.h"

#include <cstdint>
#include <memory>

namespace avrankmap::bench {

struct DestroyInstance {
  void operator()(avrm_instance_t *instance) const noexcept { (void)avrm_instance_destroy(instance); }
};
using OwnedInstance = std::unique_ptr<avrm_instance_t, DestroyInstance>;

inline OwnedInstance make_instance(avrm_cost_t cost, bool strict = false) {
  const avrm_instance_options_t options{nullptr, strict, cost, false};
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(&options, &instance));
  return OwnedInstance(instance);
}

struct DestroyMap {
  std::uint64_t *bytes = nullptr; ///< counts the map's own bytes, if not null

  void operator()(avrm_rankmap_t *map) const noexcept {
    avrm_rankmap_destroy(map);
    delete map;
    if (bytes != nullptr) {
      *bytes -= sizeof *map;
    }
  }
};
/// A rankmap that may be bound, in memory of its own.
using OwnedMap = std::unique_ptr<avrm_rankmap_t, DestroyMap>;

/// The same map; its own bytes are in *bytes as long as it lives.
inline OwnedMap counted(OwnedMap map, std::uint64_t *bytes) {
  *bytes += sizeof *map;
  map.get_deleter().bytes = bytes;
  return map;
}

/// Calls create with these arguments and a place for the map, as in
/// make_map(avrm_rankmap_create_direct, instance, pgid, size).
template <class Create, class... Arguments> OwnedMap make_map(Create *create, Arguments... arguments) {
  OwnedMap map(new avrm_rankmap_t{});
  require(create(arguments..., map.get()));
  return map;
}

} // namespace avrankmap::bench

#endif
