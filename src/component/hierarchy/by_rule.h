// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces (pieces.h) of hierarchies from runs of maps and rules for node ids, and hierarchies from
// pieces.
#ifndef AVRANKMAP_SRC_HIERARCHY_BY_RULE_H
#define AVRANKMAP_SRC_HIERARCHY_BY_RULE_H

#include "av/implicit.h"
#include "avrankmap/hierarchy.h"
#include "hierarchy/pieces.h"
#include "rankmap/create/runs.h"

namespace avrankmap::detail {

// Appends the ranks of a run up to the first lpid outside the rule's range, and returns their
// number. The rule must apply to the run's first lpid. Keys consist of process group and node id.
// Cost: O(1) if the stride divides the block, or is a multiple of the block and divides block *
// period; otherwise O(changes of node).
[[nodiscard]] std::int32_t push_run(const Run &run, const NodeIdRule &rule, PieceList *keys) noexcept;

// Initialises a hierarchy of `size` ranks from a finished list of keys; hierarchies of equal pieces
// share their data.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (too many pieces; nothing is written)
[[nodiscard]] avrm_status_t create_of_pieces(avrm_instance_t *instance, std::int32_t size, const PieceList &keys,
                                             avrm_hierarchy_t *hierarchy_p) noexcept;

// Creates a hierarchy from one rule for the lpids of all process groups.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
[[nodiscard]] avrm_status_t create_of_rule(const avrm_rankmap_t *map, const NodeIdRule &rule,
                                           avrm_hierarchy_t *hierarchy_p) noexcept;

// Initialises a hierarchy from any finished list that does not overflow and whose keys are below
// 2^32. If there are too many pieces, they are processed rank by rank.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
[[nodiscard]] avrm_status_t create_of_list(avrm_instance_t *instance, std::int32_t size, const PieceList &keys,
                                           avrm_hierarchy_t *hierarchy_p) noexcept;

// Creates a hierarchy from a key of each rank.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
[[nodiscard]] avrm_status_t create_of_numbers(avrm_instance_t *instance, std::int32_t size,
                                              const std::uint32_t *numbers, avrm_hierarchy_t *hierarchy_p) noexcept;

} // namespace avrankmap::detail

#endif
