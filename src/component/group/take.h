// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Selection of processes by rank, run by run.
#ifndef AVRANKMAP_SRC_GROUP_TAKE_H
#define AVRANKMAP_SRC_GROUP_TAKE_H

#include "group/process_list.h"

namespace avrankmap::detail {

// Appends to `out` the processes of `list` at `ranks`, which must be within the list's range, with
// no rank twice in succession. After an error out->failed() is true. O(k log k) for k runs in
// total, and at most O(n log k) for n ranks.
void take(const ProcessList &list, const ProcessList &ranks, ProcessList *out) noexcept;

} // namespace avrankmap::detail

#endif
