// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All forms, and tables of their operations (form.h).
//
// A new form has a pair of files here, with the structs Form<mode> and Translation<class>; include
// its header below. src/README.md lists everything else that it needs.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_FORMS_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_FORMS_H

#include <array>

#include "rankmap/forms/affine.h"
#include "rankmap/forms/blocked.h"
#include "rankmap/forms/cart.h"
#include "rankmap/forms/less.h"
#include "rankmap/forms/lut.h"
#include "rankmap/forms/mlut.h"
#include "rankmap/forms/segments.h"

namespace avrankmap::detail {

// Entry of a form in a table: its operation or constant.
template <typename F, typename Entry> [[nodiscard]] constexpr auto entry_of(Entry entry) noexcept {
  return entry.template operator()<F>();
}

// Creates a table by mode.
//   constexpr auto kDrop = by_mode([]<typename F>() { return F::drop; });
template <typename Entry> [[nodiscard]] constexpr auto by_mode(Entry entry) noexcept {
#define AVRM_ENTRY_OF(mode, label) entry_of<Form<mode>>(entry),
  return std::array{AVRM_MODE_LIST(AVRM_ENTRY_OF)};
#undef AVRM_ENTRY_OF
}

} // namespace avrankmap::detail

#endif
