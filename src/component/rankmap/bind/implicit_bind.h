// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding to implicit address vectors. All functions require the instance's lock unless stated
// otherwise.
#ifndef AVRANKMAP_SRC_RANKMAP_BIND_IMPLICIT_BIND_H
#define AVRANKMAP_SRC_RANKMAP_BIND_IMPLICIT_BIND_H

#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// The class of a map that is bound to tables, or not bound.
[[nodiscard]] avrm_class_t natural_class(const avrm_rankmap_t *map) noexcept;

// True if a map is bound to the lines of implicit AVs.
[[nodiscard]] bool is_folded(const avrm_rankmap_t *map) noexcept;

// True if a map is bound to lines, or calls its AVs.
[[nodiscard]] bool is_bound_implicitly(const avrm_rankmap_t *map) noexcept;

// True if a map has its natural class, or one of the classes of maps bound to implicit AVs, which
// implicit_fault checks.
[[nodiscard]] bool has_class(const avrm_rankmap_t *map) noexcept;

// Binds a map to AVs of which at least one is implicit: to the lines of the implicit ones if all of
// these have a line; otherwise the map calls its AVs. All AVs must be held. Sets map->at and the
// class.
void bind_implicitly(avrm_rankmap_t *map) noexcept;
// Undoes bind_implicitly.
void unbind_implicitly(avrm_rankmap_t *map) noexcept;

// For validation: returns the first violation, or null. Takes the lock.
[[nodiscard]] const char *implicit_fault(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
