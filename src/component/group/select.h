// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The basis of all set operations: selects the processes of one list that are, or are not, in
// another.
#ifndef AVRANKMAP_SRC_GROUP_SELECT_H
#define AVRANKMAP_SRC_GROUP_SELECT_H

#include "group/process_list.h"

namespace avrankmap::detail {

enum class Keep : std::uint8_t {
  kMembers, // processes that are in `other`: intersection
  kOthers   // processes that are not: difference
};

// Appends to `out`, which is empty, the processes of `list` that `keep` selects, in the order of
// `list`. No process may occur twice in `list`, nor in `other`. After an error out->failed() is
// true.
//
// There are three methods. The numbers of runs and processes determine the cheapest one:
//   by runs    arithmetic on pairs of runs that overlap; O(k log k) for k runs of any length with
//              few overlaps
//   by bits    a bitmap of the lpids that both lists reach; O(n) time, at most 64 bits of scratch
//              per process
//   by keys    a sorted list of `other`, if lpids are too sparse for a bitmap and too many runs
//              overlap; O(n log n) time, 8 bytes of scratch per process
void select(const ProcessList &list, const ProcessList &other, Keep keep, ProcessList *out) noexcept;

} // namespace avrankmap::detail

#endif
