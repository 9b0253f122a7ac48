// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The group behind the handle of the C interface.
#ifndef AVRANKMAP_SRC_GROUP_GROUP_H
#define AVRANKMAP_SRC_GROUP_GROUP_H

#include "avrankmap/group.h"
#include "group/process_list.h"

// The handle of the C interface.
struct avrm_group {
  avrm_rankmap_t map; // not bound, except in a view (avrm_group_view)
};

namespace avrankmap::detail {

// Creates the group of a map if `status` is AVRM_OK.
[[nodiscard]] avrm_status_t finish_group(avrm_status_t status, MapOwner map, avrm_group_t **group_p) noexcept;

// Creates the group of a list.
[[nodiscard]] avrm_status_t finish_group(avrm_instance_t *instance, const ProcessList &list,
                                         avrm_group_t **group_p) noexcept;

[[nodiscard]] inline avrm_instance_t *instance_of(const avrm_group_t *group) noexcept { return group->map.instance; }
[[nodiscard]] inline Memory &memory_of(const avrm_group_t *group) noexcept { return instance_of(group)->memory; }
[[nodiscard]] inline std::int32_t size_of(const avrm_group_t *group) noexcept { return group->map.size; }

} // namespace avrankmap::detail

#endif
