// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The job that wrap_pmix.cc pretends, of which this process is rank 0.
#ifndef AVRANKMAP_TESTS_FAULT_PMIX_SERVER_H
#define AVRANKMAP_TESTS_FAULT_PMIX_SERVER_H

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::test {

inline std::uint32_t pmix_size = 1;
inline std::string pmix_local_peers = "0";
// Requests for values of other nodes are answered when the process leaves.
inline bool delays_pmix_gets = false;

// A spawned job is started, as far as the server says.
inline bool starts_pmix_jobs = false;
// The server's answer to a query for the processes of any job; empty: it refuses.
struct PmixProcess {
  std::uint32_t rank;
  bool has_died;
};
inline std::vector<PmixProcess> pmix_processes;

} // namespace avrankmap::test

#endif
