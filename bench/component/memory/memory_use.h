// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes that one process holds to reach all others, in every scheme: measured by building the
// communicators and asking for the bytes, not by formula. Each communicator of an application
// counts with the two that MPICH makes with it, its node and node-roots communicators; so does the
// world. Open MPI makes none.
#ifndef AVRANKMAP_BENCH_COMPONENT_MEMORY_MEMORY_USE_H
#define AVRANKMAP_BENCH_COMPONENT_MEMORY_MEMORY_USE_H

#include "measurement/measurement.h"

#include "communicators/survey.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Memory of one application's communicators in one scheme.
struct MemoryUse {
  std::string application;
  std::string scheme;
  std::int32_t processes = 0;    ///< of the world
  std::uint64_t bytes = 0;       ///< in all, addresses of processes included
  std::uint64_t world_bytes = 0; ///< of them without any communicator
  /// All of them: the world's, the application's, the library's own.
  int communicators = 0;
  std::map<std::string, int> modes; ///< only ours: how many of them got which mode
};
AVRM_BENCH_ROW(MemoryUse, application, scheme, processes, bytes, world_bytes, communicators, modes);

/// The experiments of the paper's V-A as applications: communicators that split the world into odd
/// and even ranks, and duplicates of the world.
SurveyApplication split_experiment(std::int32_t processes, int communicators);
SurveyApplication dup_experiment(std::int32_t processes, int communicators);

/// Builds the communicators of each application in each scheme, in a world of `processes`. Scheme
/// after scheme, so that only one of them is in memory at a time.
std::vector<MemoryUse> measure_memory(std::int32_t processes, const std::vector<SurveyApplication> &applications);

/// Maps of an application that have one model in the strict scheme, the paper's.
struct ModelUse {
  std::string application;
  std::string model;
  int communicators = 0;
  std::uint64_t vcrt_bytes = 0;   ///< of their VCRTs, and the pointers to them
  std::uint64_t strict_bytes = 0; ///< of their strict maps
};

/// The same communicators by the models of their maps.
std::vector<ModelUse> measure_models(std::int32_t processes, const std::vector<SurveyApplication> &applications);

extern const Measurement kBytesPerProcess;
extern const Measurement kSurvey;

} // namespace avrankmap::bench

#endif
