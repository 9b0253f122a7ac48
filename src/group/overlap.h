// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Selection by arithmetic on runs.
#ifndef AVRANKMAP_SRC_GROUP_OVERLAP_H
#define AVRANKMAP_SRC_GROUP_OVERLAP_H

#include "group/select.h"

namespace avrankmap::detail {

// `select`, looking at nothing but runs: those of `other` are sorted by lpid, and each run of `list` meets those that
// overlap it. Returns false, with `out` as it was, if that would take more than `budget` looks; true if it is done or
// out->failed().
[[nodiscard]] bool select_by_runs(const ProcessList &list, const ProcessList &other, Keep keep, std::int64_t budget,
                                  ProcessList *out) noexcept;

} // namespace avrankmap::detail

#endif
