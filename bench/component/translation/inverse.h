// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way back, from a process to its rank: instructions of avrm_rankmap_rank by single-stepping,
// on communicators of the same form and different sizes. A search shows as a count that grows.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_INVERSE_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_INVERSE_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct InverseCost {
  std::string form;
  std::int32_t ranks = 0;
  std::int32_t runs = 0;          ///< of a regular pattern
  std::uint64_t instructions = 0; ///< for the process of the last rank; the inverse has been built
};
AVRM_BENCH_ROW(InverseCost, form, ranks, runs, instructions);

/// Throws std::runtime_error at a wrong rank. Empty, after a note, where the system does not let us
/// count.
std::vector<InverseCost> measure_inverse(const Log &note);

extern const Measurement kInverse;

} // namespace avrankmap::bench

#endif
