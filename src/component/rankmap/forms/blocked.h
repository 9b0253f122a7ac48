// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode blocked. lpid = offset + rank + (rank / block) * (stride - block). The number of blocks
// before the rank is found with one multiplication by a stored reciprocal.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_BLOCKED_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_BLOCKED_H

#include "rankmap/forms/regular_form.h"

namespace avrankmap::detail {

// Turns an empty map into a blocked one.
void make_blocked(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept;

struct BlockedForm : RegularForm,
                     FoldedByLine<AVRM_CLASS_IMPLICIT_BLOCKED>,
                     Translated<BlockedForm>,
                     KnowsRuns<BlockedForm> {
  static RankPlace place(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return {0, lpid_of(map->as, map->offset, rank)};
  }
  static std::int32_t lpid_of(const decltype(avrm_rankmap_t::as) &fields, std::int32_t offset,
                              std::int32_t rank) noexcept {
    const auto &as = fields.blocked;
    const auto block = static_cast<std::uint32_t>(avrm_i_block_of(rank, as.reciprocal));
    // Modulo 2^32, since intermediate sums may exceed 2^31.
    const std::uint32_t gap = static_cast<std::uint32_t>(as.stride) - static_cast<std::uint32_t>(as.block);
    const std::uint32_t first = static_cast<std::uint32_t>(offset) + static_cast<std::uint32_t>(rank);
    return static_cast<std::int32_t>(first + block * gap);
  }
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_BLOCKED; }
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
  static constexpr Model kModel = Model::kStride;
};

template <> struct Form<AVRM_MODE_BLOCKED> : BlockedForm {};
template <> struct Translation<AVRM_CLASS_BLOCKED> : OnTables<BlockedForm> {};
template <> struct Translation<AVRM_CLASS_IMPLICIT_BLOCKED> : OnLines<BlockedForm> {};

} // namespace avrankmap::detail

#endif
