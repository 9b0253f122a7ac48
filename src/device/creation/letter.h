// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups with processes of any world, as a letter that the leader of another group can read.
#ifndef AVRANKMAP_SRC_CREATION_LETTER_H
#define AVRANKMAP_SRC_CREATION_LETTER_H

#include "comm/site.h"
#include "core/device.h"

namespace avrankmap::detail {

[[nodiscard]] avrm_status_t write_group(avrm_device_t *device, const avrm_rankmap_t *group, Letter *letter) noexcept;
// Makes the worlds known that occur in it; new ones have this keeper.
[[nodiscard]] avrm_status_t read_group(avrm_device_t *device, const Letter &letter, std::int32_t keeper,
                                       MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
