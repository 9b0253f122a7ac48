// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Asks a PMIx server for the state of a job's processes. In a job that may lose processes, a server
// need not report deaths (Open MPI 4.1's does not), but it answers queries.
#ifndef AVRANKMAP_SRC_LAUNCH_PMIX_JOB_H
#define AVRANKMAP_SRC_LAUNCH_PMIX_JOB_H

#include <pmix.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace avrankmap::detail {

enum class ProcessFate { kRuns, kEnded, kNotStarted, kDied };

// True if the process ran on this machine and no longer exists.
[[nodiscard]] inline bool is_gone(const pmix_proc_info_t &process) noexcept {
  char host[256] = "";
  return process.pid > 0 && process.hostname != nullptr && gethostname(host, sizeof host - 1) == 0 &&
         std::strcmp(host, process.hostname) == 0 && kill(process.pid, 0) != 0 && errno == ESRCH;
}

[[nodiscard]] inline ProcessFate fate_of(const pmix_proc_info_t &process) noexcept {
  const pmix_proc_state_t state = process.state;
  if (state <= PMIX_PROC_STATE_UNTERMINATED) {
    // Open MPI 4.1 has no state for a process that ended with exit code 0.
    return state == PMIX_PROC_STATE_UNDEF && is_gone(process) ? ProcessFate::kEnded : ProcessFate::kRuns;
  }
  if (state < PMIX_PROC_STATE_ERROR) {
    return ProcessFate::kEnded;
  }
  return state == PMIX_PROC_STATE_FAILED_TO_START || state == PMIX_PROC_STATE_FAILED_TO_LAUNCH
             ? ProcessFate::kNotStarted
             : ProcessFate::kDied;
}

// Calls visit(rank, fate) for each process. Returns false if the server does not answer. Takes a
// round trip to the server.
template <typename Visit> bool look_at_job(const char *name, Visit visit) noexcept {
  char *keys[] = {const_cast<char *>(PMIX_QUERY_PROC_TABLE), nullptr};
  pmix_info_t job = {};
  PMIX_INFO_LOAD(&job, PMIX_NSPACE, name, PMIX_STRING);
  pmix_query_t query = {};
  query.keys = keys;
  query.qualifiers = &job;
  query.nqual = 1;
  pmix_info_t *answers = nullptr;
  std::size_t count = 0;
  const pmix_status_t status = PMIx_Query_info(&query, 1, &answers, &count);
  PMIX_INFO_DESTRUCT(&job);
  bool known = false;
  for (std::size_t i = 0; i < count && status == PMIX_SUCCESS; ++i) {
    const pmix_value_t &value = answers[i].value;
    if (value.type != PMIX_DATA_ARRAY || value.data.darray == nullptr) {
      continue;
    }
    const pmix_data_array_t &table = *value.data.darray;
    const auto look = [&](const pmix_proc_info_t &process) {
      known = true;
      visit(static_cast<std::int32_t>(process.proc.rank), fate_of(process));
    };
    // The layout of the standard, then that of Open MPI.
    for (std::size_t k = 0; k < table.size; ++k) {
      if (table.type == PMIX_PROC_INFO) {
        look(static_cast<const pmix_proc_info_t *>(table.array)[k]);
      } else if (table.type == PMIX_INFO) {
        const pmix_value_t &row = static_cast<const pmix_info_t *>(table.array)[k].value;
        if (row.type == PMIX_PROC_INFO && row.data.pinfo != nullptr) {
          look(*row.data.pinfo);
        }
      }
    }
  }
  PMIX_INFO_FREE(answers, count);
  return known;
}

} // namespace avrankmap::detail

#endif
