// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/implicit_bind.h"

#include <algorithm>
#include <mutex>

#include "av/address_vector.h"
#include "rankmap/lut.h"
#include "rankmap/map.h"

namespace avrankmap::detail {

namespace {

avrm_class_t class_of(const avrm_rankmap_t *map) noexcept {
  return static_cast<avrm_class_t>(__atomic_load_n(&map->klass, __ATOMIC_RELAXED));
}

void set_class(avrm_rankmap_t *map, avrm_class_t klass) noexcept {
  __atomic_store_n(&map->klass, static_cast<std::uint8_t>(klass), __ATOMIC_RELEASE);
}

bool is_folded(avrm_class_t klass) noexcept { return klass == AVRM_CLASS_IMPLICIT || klass == AVRM_CLASS_IMPLICIT_LUT; }

std::int64_t place_of(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_LUT ? map->u.line.place : map->v.place;
}

// The lpids that have to be in one run. Of a lut's only the greatest is known without a look at all of them.
Range lpids_of(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_LUT ? Range{0, lut_header(map)->max_lpid} : range_of(form_of(map));
}

// Folds the AV's function into an affine map or a lut, if all its processes are in one run. False, and nothing is changed, if
// not.
bool fold_in(avrm_rankmap_t *map) noexcept {
  const bool is_lut = map->mode == AVRM_MODE_LUT;
  if ((!is_lut && natural_class(map) != AVRM_CLASS_AFFINE) || sizeof(void *) != sizeof(std::uint64_t)) {
    return false;
  }
  AddressVector *const av = map->instance->directory.held(map->pgid);
  const Range range = lpids_of(map);
  const std::optional<WordLine> line = av->implicit->line_of(range.min, range.max);
  if (!line) {
    return false;
  }
  const std::uint64_t base = line->base + (is_lut ? 0 : static_cast<std::uint64_t>(map->offset * line->step));
  if (base == 0 || !av->implicit->follow(map->instance->memory, map)) { // a bound map has a base
    return false;
  }
  map->base = reinterpret_cast<const char *>(static_cast<std::uintptr_t>(base));
  if (is_lut) {
    map->u.line.step = static_cast<std::int32_t>(line->step);
  } else {
    map->u.step = map->stride * line->step;
  }
  set_class(map, is_lut ? AVRM_CLASS_IMPLICIT_LUT : AVRM_CLASS_IMPLICIT);
  return true;
}

bool has_or_had_implicit_av(const avrm_rankmap_t *map) noexcept {
  const Directory &directory = map->instance->directory;
  if (map->pgid >= 0) {
    return directory.held(map->pgid)->implicit != nullptr;
  }
  return std::any_of(map->u.pgids, map->u.pgids + groups_of(map),
                     [&](std::int32_t pgid) { return directory.held(pgid)->implicit != nullptr; });
}

} // namespace

// Nothing else changes: a reader that has seen the old class still finds what goes with it.
void follower_to_ask(avrm_rankmap *map) noexcept { set_class(map, AVRM_CLASS_THROUGH); }
void follower_moved(avrm_rankmap *map, std::int64_t place) noexcept {
  if (map->mode == AVRM_MODE_LUT) {
    map->u.line.place = static_cast<std::int32_t>(place);
  } else {
    map->v.place = place;
  }
}

avrm_class_t natural_class(const avrm_rankmap_t *map) noexcept {
  switch (mode_of(map)) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE: break;
  case AVRM_MODE_BLOCKED: return AVRM_CLASS_BLOCKED;
  case AVRM_MODE_LUT: return AVRM_CLASS_LUT;
  case AVRM_MODE_MLUT: return AVRM_CLASS_MLUT;
  case AVRM_MODE_SEGMENTS: return AVRM_CLASS_SEGMENTS;
  case AVRM_MODE_PACKED_LUT: return AVRM_CLASS_PACKED_LUT;
  case AVRM_MODE_PACKED_MLUT: return AVRM_CLASS_PACKED_MLUT;
  case AVRM_MODE_CART: return map->block == 3 ? AVRM_CLASS_CART_3D : AVRM_CLASS_CART;
  }
  return AVRM_CLASS_AFFINE;
}

bool is_bound_implicitly(const avrm_rankmap_t *map) noexcept {
  const avrm_class_t klass = class_of(map);
  return is_folded(klass) || klass == AVRM_CLASS_THROUGH;
}

void bind_implicitly(avrm_rankmap_t *map) noexcept {
  if (!fold_in(map)) {
    map->base = reinterpret_cast<const char *>(map); // of no use but to be there
    set_class(map, AVRM_CLASS_THROUGH);
  }
}

void unbind_implicitly(avrm_rankmap_t *map) noexcept {
  if (is_folded(class_of(map))) {
    map->instance->directory.held(map->pgid)->implicit->unfollow(place_of(map));
  }
  if (natural_class(map) == AVRM_CLASS_AFFINE) {
    make_affine(map, map->pgid, form_of(map));
  } else {
    set_class(map, natural_class(map));
  }
}

const char *implicit_fault(const avrm_rankmap_t *map) noexcept {
  const std::scoped_lock guard(map->instance->lock);
  const char *const text = "the binding to an implicit AV is not sound";
  if (map->bound == 0) {
    return is_bound_implicitly(map) ? text : nullptr;
  }
  if (class_of(map) == AVRM_CLASS_THROUGH) {
    return has_or_had_implicit_av(map) ? nullptr : text;
  }
  if (!is_folded(class_of(map))) { // it reads the AV's table, then
    return map->pgid >= 0 && map->instance->directory.held(map->pgid)->handle.elements == nullptr ? text : nullptr;
  }
  const avrm_class_t foldable = class_of(map) == AVRM_CLASS_IMPLICIT ? AVRM_CLASS_AFFINE : AVRM_CLASS_LUT;
  if (natural_class(map) != foldable || map->pgid < 0) {
    return text;
  }
  const AddressVector *const av = map->instance->directory.held(map->pgid);
  return av->implicit != nullptr && av->implicit->is_followed_by(map, place_of(map)) ? nullptr : text;
}

} // namespace avrankmap::detail
