// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The results of a run of sizes that take no time: measured where that is quick, made up where
// processes would have to be started.
#ifndef AVRANKMAP_TESTS_BENCH_SAMPLE_RESULTS_H
#define AVRANKMAP_TESTS_BENCH_SAMPLE_RESULTS_H

#include "measurement/measurement.h"
#include "report/registry.h"

#include <stdexcept>
#include <string>

namespace avrankmap::bench {

/// Rows of every measurement. Made once.
const Json &sample_results();

/// The measurement of that name.
inline const Measurement &measurement_named(const std::string &name) {
  for (const Measurement *const measurement : all_measurements()) {
    if (measurement->name == name) {
      return *measurement;
    }
  }
  throw std::invalid_argument(name);
}

} // namespace avrankmap::bench

#endif
