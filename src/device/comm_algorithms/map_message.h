// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rankmap in a message: a few integers if it is regular, otherwise its runs.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_MAP_MESSAGE_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_MAP_MESSAGE_H

#include "rankmap/create/runs.h"

namespace avrankmap::detail {

// The header. The receiver does not trust it.
struct MapHeader {
  std::int32_t size;
  std::int32_t pgid;
  std::int32_t offset;
  std::int32_t stride;
  std::int32_t block;
  std::int32_t runs;             // that follow; 0: the map is regular, and nothing follows
  std::int32_t by_group_message; // not 0: a group message follows; ignore the above
  std::int32_t high = 0;         // not 0: of two groups that merge, this one comes last
};

[[nodiscard]] MapHeader header_of(const avrm_rankmap_t *map) noexcept;

// Writes the runs of a map that is not regular.
void write_runs(const avrm_rankmap_t *map, Run *runs) noexcept;

// Creates the map from a header and its runs. Returns AVRM_OK, AVRM_ERR_MISMATCH (invalid header or
// runs) or AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t map_from_message(avrm_instance_t *instance, const MapHeader &header, const Run *runs,
                                             MapOwner *map_p) noexcept;

} // namespace avrankmap::detail

#endif
