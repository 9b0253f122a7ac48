// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes direct, offset and stride: one case of the hot path, which only people tell apart.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_AFFINE_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_AFFINE_H

#include "rankmap/forms/regular_form.h"

namespace avrankmap::detail {

// Turns an empty map into an affine one.
void make_affine(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept;

struct AffineForm : RegularForm,
                    TranslatedByOrFolded<avrm_i_affine, AVRM_CLASS_IMPLICIT, avrm_i_implicit_word>,
                    KnowsRuns<AffineForm> {
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_AFFINE; }
  static constexpr avrm_class_t kFoldedClass = AVRM_CLASS_IMPLICIT;
  static bool fold(avrm_rankmap_t *map) noexcept;
  static void unfold(avrm_rankmap_t *map) noexcept { map->u.step = AVRM_I_AVE_BYTES * map->stride; }
  static bool has_line(const avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
};

template <> struct Form<AVRM_MODE_DIRECT> : AffineForm { static constexpr Model kModel = Model::kDirect; };
template <> struct Form<AVRM_MODE_OFFSET> : AffineForm { static constexpr Model kModel = Model::kOffset; };
template <> struct Form<AVRM_MODE_STRIDE> : AffineForm { static constexpr Model kModel = Model::kStride; };

} // namespace avrankmap::detail

#endif
