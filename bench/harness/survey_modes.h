// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which mode each communicator of the survey takes, and how many bytes: strict, with the modes of the AV-Rankmap paper
// and its Table II alone, and extended, with all that we have.
#ifndef AVRANKMAP_BENCH_HARNESS_SURVEY_MODES_H
#define AVRANKMAP_BENCH_HARNESS_SURVEY_MODES_H

#include "harness/survey.h"

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

/// One communicator of an application, or one of the two that the library makes beside it.
struct SurveyMode {
  std::string application;
  std::string communicator; ///< "world", or its column of Table I and its shape: "offset, 768 ranks"
  std::string part;         ///< "itself", "node" or "node roots"
  int copies = 1;           ///< so many alike
  std::int32_t ranks = 0;
  ModeAndBytes strict;
  ModeAndBytes extended;
};

/// All communicators of all applications in a world of `processes`.
std::vector<SurveyMode> survey_modes(std::int32_t processes, const std::vector<SurveyApplication> &applications);

} // namespace avrankmap::bench

#endif
