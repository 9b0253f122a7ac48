// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The set operation that all others are made of: which processes of one list are in another.
#ifndef AVRANKMAP_SRC_GROUP_SELECT_H
#define AVRANKMAP_SRC_GROUP_SELECT_H

#include "group/process_list.h"

namespace avrankmap::detail {

enum class Keep : std::uint8_t {
  kMembers, // those that are in `other`: intersection
  kOthers   // those that are not: difference
};

// Appends to `out`, which is empty, the processes of `list` that `keep` selects, in the order of
// `list`. No process may occur twice in `list`, nor in `other`. Without memory out->failed() is
// true.
//
// There are three ways. The numbers of runs and processes tell which one is the cheapest:
//   by runs    arithmetic on pairs of runs that overlap; O(k log k) for k runs of any length with
//              few overlaps
//   by bits    a bitmap of the lpids that both lists reach; O(n) time, at most 64 bits of scratch
//              per process
//   by keys    a sorted list of `other`, where lpids are too thin for a bitmap and runs overlap too
//              often; O(n log n) time, 8 bytes of scratch per process
void select(const ProcessList &list, const ProcessList &other, Keep keep, ProcessList *out) noexcept;

} // namespace avrankmap::detail

#endif
