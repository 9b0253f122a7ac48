// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/implicit_bind.h"

#include "av/address_vector.h"
#include "rankmap/forms.h"
#include "rankmap/uses.h"

namespace avrankmap::detail {

namespace {

constexpr auto kNaturalClass = by_mode([]<typename F>() { return F::natural_class; });
constexpr auto kFoldedClass = by_mode([]<typename F>() { return F::kFoldedClass; });
constexpr auto kLine = by_mode([]<typename F>() { return F::line; });
constexpr auto kSetStep = by_mode([]<typename F>() { return F::set_step; });
constexpr auto kPlace = by_mode([]<typename F>() { return F::place; });
constexpr auto kSetPlace = by_mode([]<typename F>() { return F::set_place; });

avrm_class_t class_of(const avrm_rankmap_t *map) noexcept {
  return static_cast<avrm_class_t>(__atomic_load_n(&map->klass, __ATOMIC_RELAXED));
}

void set_class(avrm_rankmap_t *map, avrm_class_t klass) noexcept {
  __atomic_store_n(&map->klass, static_cast<std::uint8_t>(klass), __ATOMIC_RELEASE);
}

// Folds the AV's function into a map, if the form can and all its processes are in one run of the
// AV. Otherwise returns false and changes nothing.
bool fold_in(avrm_rankmap_t *map) noexcept {
  if (kFoldedClass[map->mode] == AVRM_CLASS_THROUGH || sizeof(void *) != sizeof(std::uint64_t)) {
    return false;
  }
  ImplicitVector *const av = map->instance->directory.held(map->pgid)->implicit;
  const std::optional<WordLine> line = kLine[map->mode](map, *av);
  // A bound map has a base.
  if (!line || line->base == 0 || !av->follow(map->instance->memory, map)) {
    return false;
  }
  map->base = reinterpret_cast<const char *>(static_cast<std::uintptr_t>(line->base));
  kSetStep[map->mode](map, line->step);
  set_class(map, kFoldedClass[map->mode]);
  return true;
}

// Whether a bound map uses an AV that is or was implicit.
bool has_or_had_implicit_av(const avrm_rankmap_t *map) noexcept {
  const Directory &directory = map->instance->directory;
  bool found = false;
  (void)for_each_use(map, [&directory, &found](const Use &use) {
    found = found || directory.held(use.pgid)->implicit != nullptr;
    return AVRM_OK;
  });
  return found;
}

} // namespace

// Only the class changes: the fields of a reader that has loaded the old class stay valid.
void follower_to_ask(avrm_rankmap *map) noexcept { set_class(map, AVRM_CLASS_THROUGH); }
void follower_moved(avrm_rankmap *map, std::int64_t place) noexcept { kSetPlace[map->mode](map, place); }

avrm_class_t natural_class(const avrm_rankmap_t *map) noexcept { return kNaturalClass[map->mode](map); }

bool is_folded(const avrm_rankmap_t *map) noexcept {
  const avrm_class_t klass = class_of(map);
  return klass != AVRM_CLASS_THROUGH && klass == kFoldedClass[map->mode];
}

bool is_bound_implicitly(const avrm_rankmap_t *map) noexcept {
  return is_folded(map) || class_of(map) == AVRM_CLASS_THROUGH;
}

bool has_class(const avrm_rankmap_t *map) noexcept {
  return is_bound_implicitly(map) || map->klass == natural_class(map);
}

void bind_implicitly(avrm_rankmap_t *map) noexcept {
  if (!fold_in(map)) {
    map->base = reinterpret_cast<const char *>(map); // not used, but a bound map has a base
    set_class(map, AVRM_CLASS_THROUGH);
  }
}

void unbind_implicitly(avrm_rankmap_t *map) noexcept {
  if (is_folded(map)) {
    map->instance->directory.held(map->pgid)->implicit->unfollow(kPlace[map->mode](map));
  }
  // With tables: bytes per rank. A lut has stride 0 and does not use the step.
  kSetStep[map->mode](map, AVRM_I_AVE_BYTES * map->stride);
  set_class(map, natural_class(map));
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
  if (!is_folded(map)) { // the map reads the AV's table
    return map->pgid >= 0 && map->instance->directory.held(map->pgid)->handle.elements == nullptr ? text : nullptr;
  }
  if (map->pgid < 0) {
    return text;
  }
  const AddressVector *const av = map->instance->directory.held(map->pgid);
  return av->implicit != nullptr && av->implicit->is_followed_by(map, kPlace[map->mode](map)) ? nullptr : text;
}

} // namespace avrankmap::detail
