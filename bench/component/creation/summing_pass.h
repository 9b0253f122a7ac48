// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The yardstick for anything that reads an array once: the sum of its values, with the widest
// vectors that the machine has, and several independent sums so that no addition waits for the
// one before it.
#ifndef AVRANKMAP_BENCH_COMPONENT_CREATION_SUMMING_PASS_H
#define AVRANKMAP_BENCH_COMPONENT_CREATION_SUMMING_PASS_H

#include <cstddef>
#include <cstdint>

namespace avrankmap::bench {

std::int64_t summing_pass(const std::int32_t *values, std::size_t count);

} // namespace avrankmap::bench

#endif
