// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a communicator exchange their nodes: lists of pieces (hierarchy/pieces.h) are sent
// up a binomial tree, and the list of all ranks is sent down. A member sends at most 2 log P + 2
// messages of O(pieces) bytes, at most 4 KiB each. If there are more pieces, all members gather a
// number per rank.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_FIND_HIERARCHY_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_FIND_HIERARCHY_H

#include "avrankmap/hierarchy.h"
#include "comm_algorithms/channel/task.h"
#include "hierarchy/pieces.h"

namespace avrankmap::detail {

// The most pieces that a message may contain.
inline constexpr std::size_t kMostSentPieces = 128;

// Appends pieces that were received in a message, which is not trusted. Returns false if they are
// invalid, or do not cover `ranks` ranks in total.
[[nodiscard]] bool append_received(const Piece *pieces, std::size_t count, std::uint32_t ranks,
                                   PieceList *list) noexcept;

// Creates the hierarchy of a channel's members from their node numbers, which are not negative. An
// error may be local.
// @return also AVRM_ERR_NO_MEMORY. Temporary memory: 5 KiB, and 12 bytes per member if the nodes
//         are irregular
Task find_hierarchy(Channel &channel, avrm_instance_t *instance, std::int32_t node,
                    avrm_hierarchy_t *hierarchy_p) noexcept;

} // namespace avrankmap::detail

#endif
