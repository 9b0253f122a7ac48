// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Derived datatypes, and the layout in memory of a buffer of any datatype.
#ifndef AVRANKMAP_SRC_P2P_DATATYPE_H
#define AVRANKMAP_SRC_P2P_DATATYPE_H

#include <cstdint>

#include "avrankmap/device/datatype.h"
#include "avrankmap/device/device.h"

namespace avrankmap::detail {

struct Datatype {
  avrm_instance_t *instance;
  avrm_layout_t layout; // of one element
  bool committed;
};

// Finds the layout of `count` elements. Returns AVRM_OK, AVRM_ERR_COUNT, AVRM_ERR_DATATYPE (null or
// not committed), AVRM_ERR_LIMIT or AVRM_ERR_UNSUPPORTED (several elements with gaps).
[[nodiscard]] avrm_status_t layout_of(std::int32_t count, avrm_datatype_t type, avrm_layout_t *layout_p) noexcept;

} // namespace avrankmap::detail

#endif
