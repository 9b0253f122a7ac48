// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding to implicit address vectors. All under the instance's lock.
#ifndef AVRANKMAP_SRC_RANKMAP_IMPLICIT_BIND_H
#define AVRANKMAP_SRC_RANKMAP_IMPLICIT_BIND_H

#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// The class that goes with a map's mode, bound to tables or not bound.
[[nodiscard]] avrm_class_t natural_class(const avrm_rankmap_t *map) noexcept;

// Whether a map folds an implicit AV in, or asks its AVs.
[[nodiscard]] bool is_bound_implicitly(const avrm_rankmap_t *map) noexcept;

// Makes a map, some AV of which is implicit and all of which are held, fold it in if it can, else ask. Sets base and class.
void bind_implicitly(avrm_rankmap_t *map) noexcept;
// Undoes it. The AVs are still held.
void unbind_implicitly(avrm_rankmap_t *map) noexcept;

// For validation: the first violation found, or null. Takes the lock.
[[nodiscard]] const char *implicit_fault(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
