// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes direct, offset and stride: one case of the hot path. The modes differ only in their names.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_AFFINE_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_AFFINE_H

#include "av/line_exceptions.h"
#include "rankmap/forms/regular_form.h"

namespace avrankmap::detail {

// Turns an empty map into an affine one.
void make_affine(avrm_rankmap_t *map, std::int32_t pgid, const Regular &form) noexcept;

struct AffineForm : RegularForm, Translated<AffineForm>, KnowsRuns<AffineForm> {
  static RankPlace place(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return {0, avrm_i_affine_lpid(map, rank)};
  }
  static const avrm_ave_t *ave(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return avrm_i_affine_ave(map, rank);
  }
  static std::uint64_t word_on_line(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    const std::uint64_t word = map->at.word + distance(rank, map->as.affine.step);
    return AVRM_LIKELY(!avrm_i_is_exception(map->as.affine.line, word)) ? word : word_by_av(map, process(map, rank));
  }
  static void attach(avrm_rankmap_t *map, const avrm_ave_t *elements) noexcept {
    map->at.base = reinterpret_cast<const char *>(elements + map->offset);
  }
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_AFFINE; }
  static constexpr avrm_class_t kFoldedClass = AVRM_CLASS_IMPLICIT;
  static bool fold(avrm_rankmap_t *map) noexcept;
  static void unfold(avrm_rankmap_t *map) noexcept {
    map->as.affine.step = AVRM_I_AVE_BYTES * map->as.affine.stride;
    map->as.affine.line = nullptr;
  }
  static bool has_line(const avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
};

template <> struct Form<AVRM_MODE_DIRECT> : AffineForm { static constexpr Model kModel = Model::kDirect; };
template <> struct Form<AVRM_MODE_OFFSET> : AffineForm { static constexpr Model kModel = Model::kOffset; };
template <> struct Form<AVRM_MODE_STRIDE> : AffineForm { static constexpr Model kModel = Model::kStride; };

template <> struct Translation<AVRM_CLASS_AFFINE> : OnTables<AffineForm> {};
template <> struct Translation<AVRM_CLASS_IMPLICIT> : OnLines<AffineForm> {};

} // namespace avrankmap::detail

#endif
