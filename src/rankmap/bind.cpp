// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding: the one place where rankmaps and address vectors meet.
#include <algorithm>

#include "av/address_vector.h"
#include "rankmap/implicit_bind.h"
#include "rankmap/lut.h"
#include "rankmap/mlut.h"
#include "rankmap/packed.h"
#include "rankmap/segments.h"

using namespace avrankmap::detail;

namespace {

// A process group that a map uses, with the greatest lpid that it has there; for a part of a lut, that of the whole table.
struct Use {
  std::int32_t pgid;
  std::int32_t slot;
  std::int64_t max_lpid;
};

// True for forms that reach an AV through a list of process groups in their table.
bool has_slots(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_MLUT || map->mode == AVRM_MODE_SEGMENTS || map->mode == AVRM_MODE_PACKED_MLUT;
}

const avrm_ave_t **tables_of(const avrm_rankmap_t *map) noexcept {
  if (map->mode == AVRM_MODE_SEGMENTS) {
    return segments_tables(map);
  }
  return map->mode == AVRM_MODE_MLUT ? mlut_tables(map) : packed_tables(map);
}

void max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count, std::int32_t *max_lpids) noexcept {
  if (map->mode == AVRM_MODE_MLUT) {
    mlut_max_lpids_of(map, first, count, max_lpids);
  } else if (map->mode == AVRM_MODE_PACKED_MLUT) {
    packed_max_lpids_of(map, first, count, max_lpids);
  } else {
    segments_max_lpids_of(map, first, count, max_lpids);
  }
}

// Slots that are looked at together: a part of a table is read once for so many.
constexpr std::int32_t kSlotsAtOnce = 1024;

// Greatest lpid of a map of one process group without slots; for a part of a table, of the whole of it.
std::int64_t bound_of(const avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_LUT: return lut_header(map)->max_lpid;
  case AVRM_MODE_PACKED_LUT: return packed_header(map)->max_lpid;
  case AVRM_MODE_CART: return map->stride;
  default: return range_of(form_of(map)).max;
  }
}

// The same of exactly the ranks that the map has.
std::int64_t max_lpid_of(const avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_LUT: return lut_max_lpid(map);
  case AVRM_MODE_PACKED_LUT: return packed_max_lpid(map);
  default: return bound_of(map);
  }
}

// Calls visit(Use) for each process group that some rank of the map is in, until it returns something else than AVRM_OK.
// A part of an mlut may leave out some groups of the table.
template <typename Visit> avrm_status_t for_each_use(const avrm_rankmap_t *map, Visit visit) noexcept {
  if (!has_slots(map)) {
    return visit(Use{map->pgid, 0, bound_of(map)});
  }
  const std::int32_t slots = groups_of(map);
  std::int32_t count = 0;
  for (std::int32_t first = 0; first < slots; first += count) {
    std::int32_t max_lpids[kSlotsAtOnce];
    count = std::min(kSlotsAtOnce, slots - first);
    max_lpids_of(map, first, count, max_lpids);
    for (std::int32_t i = 0; i < count; ++i) {
      if (max_lpids[i] >= 0) {
        const avrm_status_t status = visit(Use{map->u.pgids[first + i], first + i, max_lpids[i]});
        if (status != AVRM_OK) {
          return status;
        }
      }
    }
  }
  return AVRM_OK;
}

const char *bytes(const void *pointer) noexcept { return static_cast<const char *>(pointer); }

// What the hot path starts from. The AVs are held already.
const char *base_of(const avrm_rankmap_t *map, const avrm_ave_t *elements) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED:
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_CART: return bytes(elements + map->offset);
  case AVRM_MODE_LUT: return bytes(elements);
  case AVRM_MODE_MLUT:
  case AVRM_MODE_PACKED_MLUT:
  case AVRM_MODE_SEGMENTS: return bytes(tables_of(map));
  }
  AVRM_UNREACHABLE();
  return nullptr;
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
    if (use.max_lpid < av->handle.size) {
      return AVRM_OK;
    }
    // A part of a lut may leave out what is outside.
    return !has_slots(map) && max_lpid_of(map) < av->handle.size ? AVRM_OK : AVRM_ERR_LPID;
  });
  if (status != AVRM_OK) {
    return status;
  }
  // From here on nothing fails.
  const avrm_ave_t *elements = nullptr;
  bool implicit = false;
  (void)for_each_use(map, [map, &directory, &elements, &implicit](const Use &use) {
    AddressVector *const av = directory.held(use.pgid);
    av->hold();
    elements = av->handle.elements;
    if (elements == nullptr) { // no map that reads its slot can exist
      implicit = true;
      return AVRM_OK;
    }
    // Maps that share the table may be in use. If one of them uses this group, its AV is held, hence the same, and there
    // is nothing to write.
    if (has_slots(map) && tables_of(map)[use.slot] != elements) {
      tables_of(map)[use.slot] = elements;
    }
    return AVRM_OK;
  });
  if (implicit) {
    bind_implicitly(map);
  } else {
    map->base = base_of(map, elements);
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
