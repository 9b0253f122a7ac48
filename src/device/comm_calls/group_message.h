// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups with processes of any world, as a message that the leader of another group can read.
#ifndef AVRANKMAP_SRC_COMM_CALLS_GROUP_MESSAGE_H
#define AVRANKMAP_SRC_COMM_CALLS_GROUP_MESSAGE_H

#include "comm_algorithms/creation_host.h"
#include "core/device.h"

namespace avrankmap::detail {

[[nodiscard]] avrm_status_t write_group(avrm_device_t *device, const avrm_rankmap_t *group,
                                        GroupMessage *group_message) noexcept;
// Adds the worlds of the message that are not known. `link_owner` is the lpid of the process with
// the link to them; -1 if it is in another world.
[[nodiscard]] avrm_status_t read_group(avrm_device_t *device, const GroupMessage &group_message,
                                       std::int32_t link_owner, MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
