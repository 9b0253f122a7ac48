// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding to implicit address vectors. All under the instance's lock.
#ifndef AVRANKMAP_SRC_RANKMAP_BIND_IMPLICIT_BIND_H
#define AVRANKMAP_SRC_RANKMAP_BIND_IMPLICIT_BIND_H

#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// The class of a map that is bound to tables or not bound.
[[nodiscard]] avrm_class_t natural_class(const avrm_rankmap_t *map) noexcept;

// Whether a map has the lines of implicit AVs.
[[nodiscard]] bool is_folded(const avrm_rankmap_t *map) noexcept;

// The same, or calls its AVs.
[[nodiscard]] bool is_bound_implicitly(const avrm_rankmap_t *map) noexcept;

// Whether a map has its natural class, or one of those that maps bound to an implicit AV have. The
// latter are checked by implicit_fault.
[[nodiscard]] bool has_class(const avrm_rankmap_t *map) noexcept;

// Binds a map with an implicit AV: by lines if all that are implicit have one, else the map calls
// its AVs. All AVs must be held. Sets base and class.
void bind_implicitly(avrm_rankmap_t *map) noexcept;
// Undoes bind_implicitly.
void unbind_implicitly(avrm_rankmap_t *map) noexcept;

// For validation: the first violation found, or null. Takes the lock.
[[nodiscard]] const char *implicit_fault(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
