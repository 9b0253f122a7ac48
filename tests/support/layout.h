// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes and places of fields by name, so that a test can list them.
#ifndef AVRANKMAP_TESTS_SUPPORT_LAYOUT_H
#define AVRANKMAP_TESTS_SUPPORT_LAYOUT_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace avrankmap::test {

using Numbers = std::vector<std::pair<std::string, std::size_t>>;

} // namespace avrankmap::test

#define AVRM_SIZE(type)                                                                                                \
  { #type, sizeof(type) }
#define AVRM_OFFSET(type, field)                                                                                       \
  { #type "." #field, offsetof(type, field) }

#endif
