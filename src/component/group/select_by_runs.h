// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Selection by arithmetic on runs.
#ifndef AVRANKMAP_SRC_GROUP_SELECT_BY_RUNS_H
#define AVRANKMAP_SRC_GROUP_SELECT_BY_RUNS_H

#include "group/select.h"

namespace avrankmap::detail {

// `select` by runs only: the runs of `other` are sorted by lpid, and each run of `list` is
// intersected with those that overlap it. Returns false and leaves `out` empty if that would take
// more than `budget` steps; otherwise returns true, even if out->failed().
[[nodiscard]] bool select_by_runs(const ProcessList &list, const ProcessList &other, Keep keep, std::int64_t budget,
                                  ProcessList *out) noexcept;

} // namespace avrankmap::detail

#endif
