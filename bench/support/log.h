// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_BENCH_SUPPORT_LOG_H
#define AVRANKMAP_BENCH_SUPPORT_LOG_H

#include <functional>
#include <string>

namespace avrankmap::bench {

/// Receives a line of text: the next step of a measurement, or what was left out and why.
using Log = std::function<void(const std::string &)>;

} // namespace avrankmap::bench

#endif
