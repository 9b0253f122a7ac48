// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that affine and blocked maps have in common: both have three parameters and no data in
// addition to the rankmap.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_REGULAR_FORM_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_REGULAR_FORM_H

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

struct RegularForm : NoTable, NoOffer, OneGroup {
  static MapOwner copy(const avrm_rankmap_t *map) noexcept;
  static void drop(avrm_rankmap_t * /*map*/) noexcept {}
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  static constexpr auto exact_max_lpids = max_lpids;
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
};

// The common part of `fault`.
[[nodiscard]] const char *regular_fault(const avrm_rankmap_t *map) noexcept;

} // namespace avrankmap::detail

#endif
