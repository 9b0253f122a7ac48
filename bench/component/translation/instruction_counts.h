// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Exact instruction counts from (communicator, rank) to the address word, by single-stepping: for
// each mode ours, every way to dispatch of the study for Table III, and the other schemes on the
// same communicator.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_INSTRUCTION_COUNTS_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_INSTRUCTION_COUNTS_H

#include "measurement/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// One counted translation.
struct InstructionCount {
  std::string path; ///< "avrankmap", "dispatch/<way>", or a scheme's name
  std::string mode; ///< of the communicator, as we represent it
  std::uint64_t instructions = 0;
  std::optional<int> paper; ///< what Table III says of the same, where it does
};
AVRM_BENCH_ROW(InstructionCount, path, mode, instructions, paper);

/// Counts them all. Empty, and `note` is told why, where the machine does not let us count.
std::vector<InstructionCount> count_instructions_of_all(const Log &note);

extern const Measurement kInstructionStudy;

} // namespace avrankmap::bench

#endif
