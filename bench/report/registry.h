// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_BENCH_REPORT_REGISTRY_H
#define AVRANKMAP_BENCH_REPORT_REGISTRY_H

#include "measurement/measurement.h"

#include <span>

namespace avrankmap::bench {

/// All measurements of this build, in the order in which they are shown.
std::span<const Measurement *const> all_measurements();

} // namespace avrankmap::bench

#endif
