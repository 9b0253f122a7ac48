// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/bind/implicit_bind.h"

#include "av/address_vector.h"
#include "rankmap/bind/used_groups.h"
#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kNaturalClass = by_mode([]<typename F>() { return F::natural_class; });
constexpr auto kFoldedClass = by_mode([]<typename F>() { return F::kFoldedClass; });
constexpr auto kFold = by_mode([]<typename F>() { return F::fold; });
constexpr auto kUnfold = by_mode([]<typename F>() { return F::unfold; });
constexpr auto kHasLine = by_mode([]<typename F>() { return F::has_line; });

avrm_class_t class_of(const avrm_rankmap_t *map) noexcept { return static_cast<avrm_class_t>(map->klass); }
void set_class(avrm_rankmap_t *map, avrm_class_t klass) noexcept { map->klass = static_cast<std::uint8_t>(klass); }

// True if a bound map uses an AV that is implicit or was implicit earlier.
bool has_or_had_implicit_av(const avrm_rankmap_t *map) noexcept {
  const ProcessGroupTable &process_groups = map->instance->process_groups;
  bool found = false;
  (void)for_each_used_group(map, [&process_groups, &found](const UsedGroup &use) {
    found = found || process_groups.held(use.pgid)->implicit != nullptr;
    return AVRM_OK;
  });
  return found;
}

} // namespace

bool fold_slots(avrm_rankmap_t *map, const avrm_ave_t **tables) noexcept {
  const ProcessGroupTable &process_groups = map->instance->process_groups;
  const auto each_implicit = [map, &process_groups](auto visit) {
    return for_each_used_group(map, [&process_groups, visit](const UsedGroup &use) {
      AddressVector *const av = process_groups.held(use.pgid);
      return av->handle.elements == nullptr ? visit(use.slot, av) : AVRM_OK;
    });
  };
  const avrm_status_t status = each_implicit([](std::int32_t /*slot*/, AddressVector *av) {
    return av->implicit->line() != nullptr ? AVRM_OK : AVRM_ERR_UNSUPPORTED;
  });
  if (status != AVRM_OK) {
    return false;
  }
  // Other threads may be reading through maps that share the slots; they find this line or an older
  // one.
  (void)each_implicit([tables](std::int32_t slot, AddressVector *av) {
    __atomic_store_n(reinterpret_cast<std::uintptr_t *>(&tables[slot]), av->place(), __ATOMIC_RELEASE);
    return AVRM_OK;
  });
  map->at.tables = tables;
  return true;
}

bool has_lines_in_slots(const avrm_rankmap_t *map, const avrm_ave_t *const *tables) noexcept {
  const ProcessGroupTable &process_groups = map->instance->process_groups;
  const avrm_status_t status = for_each_used_group(map, [tables, &process_groups](const UsedGroup &use) {
    const AddressVector *const av = process_groups.held(use.pgid);
    const auto place = reinterpret_cast<std::uintptr_t>(tables[use.slot]);
    const bool right = avrm_i_is_line(place) ? av->implicit != nullptr && av->implicit->has(avrm_i_line_at(place))
                                             : tables[use.slot] == av->handle.elements;
    return right ? AVRM_OK : AVRM_ERR_UNSUPPORTED;
  });
  return status == AVRM_OK && map->at.tables == tables;
}

avrm_class_t natural_class(const avrm_rankmap_t *map) noexcept { return kNaturalClass[map->mode](map); }

bool is_folded(const avrm_rankmap_t *map) noexcept {
  return class_of(map) == kFoldedClass[map->mode] && class_of(map) != AVRM_CLASS_THROUGH;
}

bool is_bound_implicitly(const avrm_rankmap_t *map) noexcept {
  return is_folded(map) || class_of(map) == AVRM_CLASS_THROUGH;
}

bool has_class(const avrm_rankmap_t *map) noexcept {
  return is_bound_implicitly(map) || map->klass == natural_class(map);
}

void bind_implicitly(avrm_rankmap_t *map) noexcept {
  if (kFold[map->mode](map)) {
    set_class(map, kFoldedClass[map->mode]);
  } else {
    map->at.word = 0; // not used
    set_class(map, AVRM_CLASS_THROUGH);
  }
}

void unbind_implicitly(avrm_rankmap_t *map) noexcept {
  kUnfold[map->mode](map);
  set_class(map, natural_class(map));
}

const char *implicit_fault(const avrm_rankmap_t *map) noexcept {
  const std::scoped_lock guard(map->instance->lock);
  const char *const text = "the binding to an implicit AV is invalid";
  if (natural_class(map) == AVRM_CLASS_THROUGH) {
    return nullptr;
  }
  if (map->bound == 0) {
    return is_bound_implicitly(map) ? text : nullptr;
  }
  if (class_of(map) == AVRM_CLASS_THROUGH) {
    return has_or_had_implicit_av(map) ? nullptr : text;
  }
  if (!is_folded(map)) { // the map reads the AV's table
    const bool has_table = map->pgid < 0 || map->instance->process_groups.held(map->pgid)->handle.elements != nullptr;
    return has_table ? nullptr : text;
  }
  return has_or_had_implicit_av(map) && kHasLine[map->mode](map) ? nullptr : text;
}

} // namespace avrankmap::detail
