// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which mode each communicator of the survey takes, and how many bytes: strict, with the modes of
// the AV-Rankmap paper and its Table II alone, and extended, with all that we have.
#ifndef AVRANKMAP_BENCH_COMPONENT_MEMORY_SURVEY_MODES_H
#define AVRANKMAP_BENCH_COMPONENT_MEMORY_SURVEY_MODES_H

#include "measurement/measurement.h"

#include "communicators/survey.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A map in one of the two settings.
struct ModeAndBytes {
  std::string mode;
  std::uint64_t bytes = 0; ///< of the map and its table, the fixed part included
  friend bool operator==(const ModeAndBytes &, const ModeAndBytes &) = default;
};
AVRM_BENCH_ROW(ModeAndBytes, mode, bytes);

/// One communicator of an application, or one of the two that the library makes for it.
struct SurveyMode {
  std::string application;
  /// "world", or its column of Table I and its shape: "offset, 768 ranks".
  std::string communicator;
  std::string part; ///< "itself", "node" or "node roots"
  int copies = 1;   ///< so many alike
  std::int32_t ranks = 0;
  ModeAndBytes strict;
  ModeAndBytes extended;
};
AVRM_BENCH_ROW(SurveyMode, application, communicator, part, copies, ranks, strict, extended);

/// All communicators of all applications in a world of `processes`.
std::vector<SurveyMode> survey_modes(std::int32_t processes, const std::vector<SurveyApplication> &applications);

extern const Measurement kSurveyModes;

} // namespace avrankmap::bench

#endif
