// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode blocked. lpid = offset + rank + (rank / block) * (stride - block): one multiplication by a
// stored reciprocal gives the number of blocks before the rank, each of which adds the same number
// of bytes.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_BLOCKED_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_BLOCKED_H

#include "rankmap/forms/regular_form.h"

namespace avrankmap::detail {

// Turns an empty map into a blocked one.
void make_blocked(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept;

struct BlockedForm : RegularForm,
                     FoldedByBase<AVRM_CLASS_IMPLICIT_BLOCKED>,
                     TranslatedBy<avrm_i_blocked>,
                     KnowsRuns<BlockedForm> {
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_BLOCKED; }
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
  static constexpr Model kModel = Model::kStride;
};

template <> struct Form<AVRM_MODE_BLOCKED> : BlockedForm {};

} // namespace avrankmap::detail

#endif
