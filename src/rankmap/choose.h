// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a form for a map that is not regular: by bytes, then by the cost of translation.
#ifndef AVRANKMAP_SRC_RANKMAP_CHOOSE_H
#define AVRANKMAP_SRC_RANKMAP_CHOOSE_H

#include <cstdint>

#include "rankmap/map.h"

namespace avrankmap::detail {

// What the bytes of each form depend on.
struct Traits {
  std::int32_t size = 0;
  std::int32_t groups = 1;
  std::int64_t min_lpid = 0;
  std::int64_t max_lpid = 0;
  std::int64_t runs = 0; // canonical; 0: more than are worth counting
  int dimensions = 0;    // of the cart that the map is; 0: none
};

// The form of the fewest bytes among those that the instance's cost class allows.
[[nodiscard]] avrm_mode_t smallest_form(const avrm_instance_t *instance, const Traits &traits) noexcept;

// More runs than this are no reason to keep segments, whatever else is known of the map.
[[nodiscard]] std::int64_t most_segments(std::int32_t size, std::int32_t groups) noexcept;

// Gives a map that has a sealed plain table of its own, lut or mlut, the form that its instance's cost class asks for.
// The map is not regular. @return AVRM_OK, AVRM_ERR_NO_MEMORY (the map is as it was). O(size).
[[nodiscard]] avrm_status_t compress(MapOwner *map) noexcept;

} // namespace avrankmap::detail

#endif
