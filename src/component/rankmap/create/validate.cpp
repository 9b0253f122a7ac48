// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/bind/implicit_bind.h"
#include "rankmap/forms/forms.h"

using namespace avrankmap::detail;

namespace {

constexpr auto kFault = by_mode([]<typename F>() { return F::fault; });

// Returns the first violation, or null.
const char *fault_of(const avrm_rankmap_t *map) noexcept {
  if (map->size < 0 || (map->size == 0 && map->mode != AVRM_MODE_DIRECT) || map->instance == nullptr) {
    return "the size or the instance is invalid";
  }
  // An empty map needs no AV, and a map that calls its AV stores nothing about it.
  const bool is_attached = map->at.word != 0;
  const bool may_be_without = map->size == 0 || map->klass == AVRM_CLASS_THROUGH;
  if (map->bound > 1 || (is_attached ? map->bound == 0 : map->bound != 0 && !may_be_without)) {
    return "the binding is invalid";
  }
  if (map->mode >= kFault.size()) {
    return "the mode is unknown";
  }
  const char *const text = implicit_fault(map);
  return text != nullptr ? text : kFault[map->mode](map);
}

} // namespace

bool avrm_rankmap_validate(const avrm_rankmap_t *map, const char **reason_p) noexcept {
  const char *const reason = map == nullptr ? "the map is null" : fault_of(map);
  if (reason_p != nullptr) {
    *reason_p = reason;
  }
  return reason == nullptr;
}
