// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_SRC_CORE_GROUP_OWNER_H
#define AVRANKMAP_SRC_CORE_GROUP_OWNER_H

#include <memory>

#include "avrankmap/group.h"

namespace avrankmap::detail {

struct GroupDeleter {
  void operator()(avrm_group_t *group) const noexcept { avrm_group_destroy(group); }
};
using GroupOwner = std::unique_ptr<avrm_group_t, GroupDeleter>;

} // namespace avrankmap::detail

#endif
