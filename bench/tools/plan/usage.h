// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text that -h prints.
#ifndef AVRANKMAP_BENCH_TOOLS_PLAN_USAGE_H
#define AVRANKMAP_BENCH_TOOLS_PLAN_USAGE_H

#include <string_view>

namespace avrankmap::planner {

std::string_view usage();

} // namespace avrankmap::planner

#endif
