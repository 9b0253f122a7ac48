// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What wrap_pmi2.cc pretends, also in threads, whose calls the faults do not count.
#ifndef AVRANKMAP_TESTS_FAULT_PMI2_SERVER_H
#define AVRANKMAP_TESTS_FAULT_PMI2_SERVER_H

#include <atomic>
#include <map>
#include <string>

namespace avrankmap::test {

// The job, and this process's rank in it; its attribute PMI_process_mapping, or null; and what
// was put into its key-value space.
inline int pmi2_size = 1;
inline int pmi2_rank = 0;
inline int pmi2_is_spawned = 0;
inline const char *pmi2_mapping = "(vector,(0,1,1))";
inline std::map<std::string, std::string> &pmi2_values() {
  static auto *const values = new std::map<std::string, std::string>; // a fence may outlive main()
  return *values;
}
// Fences that fail from now on.
inline std::atomic<int> refused_pmi2_fences{0};
// A fence that has begun does not end before this is false.
inline std::atomic<bool> holds_pmi2_fences{false};
// One has begun, and waits for that.
inline std::atomic<bool> is_pmi2_fence_held{false};
// Calls of PMI2_Job_Spawn.
inline std::atomic<int> pmi2_spawns{0};
// Calls of PMI2_Finalize.
inline std::atomic<int> pmi2_finalizes{0};

} // namespace avrankmap::test

#endif
