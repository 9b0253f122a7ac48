// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding of rankmaps to the address vectors of their process groups.
#include <algorithm>

#include "av/address_vector.h"
#include "rankmap/forms.h"
#include "rankmap/implicit_bind.h"

using namespace avrankmap::detail;

namespace {

constexpr auto kTables = by_mode([]<typename F>() { return F::tables; });
constexpr auto kBase = by_mode([]<typename F>() { return F::base; });
constexpr auto kMaxLpids = by_mode([]<typename F>() { return F::max_lpids; });
constexpr auto kExactMaxLpids = by_mode([]<typename F>() { return F::exact_max_lpids; });

// A process group that a map uses.
struct Use {
  std::int32_t pgid;
  std::int32_t slot;
  std::int32_t max_lpid; // for a part of a table, perhaps that of the whole table
};

// Number of slots whose lpids are looked up together. It costs one pass over a part of a table.
constexpr std::int32_t kSlotsAtOnce = 1024;

// Calls visit(Use) for each process group of the map's ranks, until it returns an error, and
// returns this error. A part of a table may use only some of the table's groups.
template <typename Visit> avrm_status_t for_each_use(const avrm_rankmap_t *map, Visit visit) noexcept {
  const bool has_slots = kTables[map->mode](map) != nullptr;
  const std::int32_t slots = groups_of(map);
  std::int32_t count = 0;
  for (std::int32_t first = 0; first < slots; first += count) {
    std::int32_t max_lpids[kSlotsAtOnce];
    count = std::min(kSlotsAtOnce, slots - first);
    kMaxLpids[map->mode](map, first, count, max_lpids);
    for (std::int32_t i = 0; i < count; ++i) {
      if (max_lpids[i] >= 0) {
        const std::int32_t pgid = has_slots ? map->u.pgids[first + i] : map->pgid;
        const avrm_status_t status = visit(Use{pgid, first + i, max_lpids[i]});
        if (status != AVRM_OK) {
          return status;
        }
      }
    }
  }
  return AVRM_OK;
}

// Whether all ranks of the map in one process group have an element in its AV.
bool fits(const avrm_rankmap_t *map, const Use &use, const avrm_av_t &av) noexcept {
  std::int32_t max_lpid = use.max_lpid;
  if (max_lpid >= av.size) { // a part of a table may leave out the lpids that are too great
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
  const Directory &directory = map->instance->directory;
  const std::scoped_lock guard(map->instance->lock);
  const avrm_status_t status = for_each_use(map, [map, &directory](const Use &use) {
    AddressVector *av = nullptr;
    const avrm_status_t found = directory.find(use.pgid, &av);
    if (found != AVRM_OK) {
      return found;
    }
    return fits(map, use, av->handle) ? AVRM_OK : AVRM_ERR_LPID;
  });
  if (status != AVRM_OK) {
    return status;
  }
  // From here on nothing fails.
  const avrm_ave_t *elements = nullptr;
  bool implicit = false;
  const avrm_ave_t **const tables = kTables[map->mode](map);
  (void)for_each_use(map, [tables, &directory, &elements, &implicit](const Use &use) {
    AddressVector *const av = directory.held(use.pgid);
    av->hold();
    elements = av->handle.elements;
    if (elements == nullptr) { // no map can read its slot
      implicit = true;
      return AVRM_OK;
    }
    // Other threads may be reading through maps that share the table. If one of these maps uses the
    // process group, the slot has its value already and must not be written.
    if (tables != nullptr && tables[use.slot] != elements) {
      tables[use.slot] = elements;
    }
    return AVRM_OK;
  });
  if (implicit) {
    bind_implicitly(map);
  } else {
    map->base = kBase[map->mode](map, elements);
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
  const Directory &directory = map->instance->directory;
  const std::scoped_lock guard(map->instance->lock);
  if (is_bound_implicitly(map)) {
    unbind_implicitly(map);
  }
  (void)for_each_use(map, [&directory](const Use &use) {
    directory.held(use.pgid)->let_go();
    return AVRM_OK;
  });
  map->base = nullptr;
  map->bound = 0;
  return AVRM_OK;
}
