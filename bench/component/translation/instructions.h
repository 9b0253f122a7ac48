// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of each form of a map: bytes without the map's own, and instructions from (rankmap, rank)
// to the address word. Both are exact. Instructions are counted by single-stepping a call of the
// inline translation, the way in which the tests count them
// (tests/component/instructions/translation_test.cc).
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_INSTRUCTIONS_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_INSTRUCTIONS_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A form on one sample communicator.
struct FormCost {
  std::string form;   ///< label of its mode
  std::string sample; ///< what distinguishes it from other samples of the form: "5-D", "31 runs"
  std::int32_t ranks = 0;
  std::uint64_t bytes = 0; ///< of the map and its table, the map's own 56 aside
  std::uint64_t instructions = 0;
  std::uint64_t divisions = 0; ///< of these
};
AVRM_BENCH_ROW(FormCost, form, sample, ranks, bytes, instructions, divisions);

/// All samples. Throws std::runtime_error if one has another form or other bytes than it should.
/// Empty, after a note, where the system does not let us count.
std::vector<FormCost> measure_forms_cost(const Log &note);

extern const Measurement kInstructions;

} // namespace avrankmap::bench

#endif
