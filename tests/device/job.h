// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a piece of code on a device in every process of a forked job.
#ifndef AVRANKMAP_TESTS_DEVICE_JOB_H
#define AVRANKMAP_TESTS_DEVICE_JOB_H

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "avrankmap/device.h"

namespace avrankmap::test {

// One way to carry messages: a netmod with its provider, a shmmod, and how processes are spread over nodes.
struct Transport {
  const char *name;
  const char *netmod;
  const char *provider; // null: none asked for
  const char *shmmod;
  int per_node; // 0: all on one node
};

inline std::ostream &operator<<(std::ostream &out, const Transport &transport) { return out << transport.name; }

// In a child: a condition that must hold, else the process ends with code 1.
#define AVRM_MUST(condition)                                                                                           \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                               \
      std::_Exit(1);                                                                                                   \
    }                                                                                                                  \
  } while (false)

constexpr int kSkipped = 77; // exit code: this machine lacks the transport

struct Process {
  avrm_boot_t *boot;
  avrm_device_t *device;
  avrm_comm_t *world;
  int rank;
  int size;
};

using Body = std::function<void(Process &)>;

struct Job {
  const Transport *transport;
  const Body *body;
};

inline int run_process(avrm_boot_t *boot, void *user) {
  const auto *const job = static_cast<const Job *>(user);
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = job->transport->netmod;
  options.provider = job->transport->provider;
  options.shmmod = job->transport->shmmod;
  options.on_error = [](void *, avrm_status_t status, const char *text) {
    std::fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
  };
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_OPTION) {
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  (*job->body)(process);
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  return 0;
}

// Runs `body` in `size` processes; skips the test if this machine lacks the transport.
inline void run_job(const Transport &transport, int size, const Body &body) {
  avrm_fork_options_t options{};
  options.size = size;
  options.per_node = transport.per_node;
  options.timeout_ms = 120000;
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  Job job{&transport, &body};
  ASSERT_EQ(AVRM_OK, avrm_boot_fork_run(&options, run_process, &job, codes.data()));
  for (const std::int32_t code : codes) {
    if (code == kSkipped) {
      GTEST_SKIP() << "this machine lacks " << transport.name;
    }
  }
  for (std::size_t rank = 0; rank < codes.size(); ++rank) {
    EXPECT_EQ(0, codes[rank]) << "process " << rank;
  }
}

} // namespace avrankmap::test

#endif
