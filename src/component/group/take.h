// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From ranks to processes, run by run.
#ifndef AVRANKMAP_SRC_GROUP_TAKE_H
#define AVRANKMAP_SRC_GROUP_TAKE_H

#include "group/process_list.h"

namespace avrankmap::detail {

// Appends to `out` the processes of `list` at `ranks`, all within its range and none twice in a
// row. Without memory out->failed() is true. O(k log k) for k runs in all, and never more than O(n
// log k) for n ranks.
void take(const ProcessList &list, const ProcessList &ranks, ProcessList *out) noexcept;

} // namespace avrankmap::detail

#endif
