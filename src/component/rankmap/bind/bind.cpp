// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding of rankmaps to the address vectors of their process groups.
#include "av/address_vector.h"
#include "rankmap/bind/implicit_bind.h"
#include "rankmap/bind/used_groups.h"
#include "rankmap/forms/forms.h"

using namespace avrankmap::detail;

namespace {

constexpr auto kTables = by_mode([]<typename F>() { return F::tables; });
constexpr auto kAttach = by_mode([]<typename F>() { return F::attach; });
constexpr auto kExactMaxLpids = by_mode([]<typename F>() { return F::exact_max_lpids; });

// True if all ranks of the map in one process group have an element in its AV.
bool fits(const avrm_rankmap_t *map, const UsedGroup &use, const avrm_av_t &av) noexcept {
  std::int32_t max_lpid = use.max_lpid;
  if (max_lpid >= av.size) { // may be the lpid of a rank outside the part of a table
    kExactMaxLpids[map->mode](map, use.slot, 1, &max_lpid);
  }
  return max_lpid < av.size;
}

} // namespace

avrm_status_t avrm_rankmap_bind(avrm_rankmap_t *map) noexcept {
  if (map == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->bound != 0) {
    return AVRM_ERR_ALREADY_BOUND;
  }
  const ProcessGroupTable &process_groups = map->instance->process_groups;
  const std::scoped_lock guard(map->instance->lock);
  const avrm_status_t status = for_each_used_group(map, [map, &process_groups](const UsedGroup &use) {
    AddressVector *av = nullptr;
    const avrm_status_t found = process_groups.find(use.pgid, &av);
    if (found != AVRM_OK) {
      return found;
    }
    return fits(map, use, av->handle) ? AVRM_OK : AVRM_ERR_LPID;
  });
  if (status != AVRM_OK) {
    return status;
  }
  // Nothing below can fail.
  const avrm_ave_t *elements = nullptr;
  bool implicit = false;
  const avrm_ave_t **const tables = kTables[map->mode](map);
  (void)for_each_used_group(map, [&](const UsedGroup &use) {
    AddressVector *const av = process_groups.held(use.pgid);
    av->hold();
    elements = av->handle.elements;
    if (elements == nullptr) {
      implicit = true;
      return AVRM_OK;
    }
    // Other threads may be reading through maps that share the table. If one of these maps uses the
    // process group, the slot already has the correct value, which is not written again, or a line
    // from before the AV had a table, which may be replaced while they read.
    if (tables != nullptr && tables[use.slot] != elements) {
      __atomic_store_n(&tables[use.slot], elements, __ATOMIC_RELEASE);
    }
    return AVRM_OK;
  });
  if (implicit) {
    bind_implicitly(map);
  } else if (map->size != 0) {
    kAttach[map->mode](map, elements);
  }
  map->bound = 1;
  return AVRM_OK;
}

avrm_status_t avrm_rankmap_unbind(avrm_rankmap_t *map) noexcept {
  if (map == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  const ProcessGroupTable &process_groups = map->instance->process_groups;
  const std::scoped_lock guard(map->instance->lock);
  if (is_bound_implicitly(map)) {
    unbind_implicitly(map);
  }
  (void)for_each_used_group(map, [&process_groups](const UsedGroup &use) {
    process_groups.held(use.pgid)->let_go();
    return AVRM_OK;
  });
  map->at.word = 0;
  map->bound = 0;
  return AVRM_OK;
}
