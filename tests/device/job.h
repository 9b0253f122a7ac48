// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a piece of code on a device in every process of a forked job. A job that hangs is killed.
#ifndef AVRANKMAP_TESTS_DEVICE_JOB_H
#define AVRANKMAP_TESTS_DEVICE_JOB_H

#include <gtest/gtest.h>

#include <functional>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "tests/device/process.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/shared.h"
#include "tests/support/shared_files.h"

namespace avrankmap::test {

// One way to carry messages: a netmod with its provider, a shmmod, and how processes are spread over nodes.
struct Transport {
  const char *name;
  const char *netmod;
  const char *provider; // null: none asked for
  const char *shmmod;
  int per_node;       // 0: all on one node
  int at_a_death = 3; // processes, where one is killed
  avrm_connect_policy_t connect = AVRM_CONNECT_ON_DEMAND;
  avrm_device_av_t av = AVRM_DEVICE_AV_AUTO;
};

inline std::ostream &operator<<(std::ostream &out, const Transport &transport) { return out << transport.name; }

inline constexpr Transport kTransports[] = {
    {"posix", "null", nullptr, "posix", 0},
    {"ofi_tcp", "ofi", "tcp;ofi_rxm", "none", 1},
    {"ofi_net", "ofi", "net", "none", 1},
    {"ofi_sockets", "ofi", "sockets", "none", 1},
    {"ofi_shm", "ofi", "shm", "none", 0, 2}, // with 3, survivors of a death were seen to hang in libfabric 1.17
    {"ofi_udp", "ofi", "udp;ofi_rxd", "none", 1},
    {"ofi_tcp_and_posix", "ofi", "tcp;ofi_rxm", "posix", 2},
    {"ucx_tcp", "ucx", "tcp,self", "none", 1},
    {"ucx_shm", "ucx", "posix,self,cma", "none", 0},
    {"ucx_tcp_and_posix", "ucx", "tcp,self", "posix", 2},
};

// Nobody gets what goes over this one.
inline constexpr Transport kNull{"null", "null", nullptr, "none", 1};

struct Job {
  const Transport *transport;
  const std::function<void(Process &)> *body;
  avrm_status_t closed; // what closing the device must return
  bool threads = false;
  int killed = -1;
  const Shared<pid_t> *killed_pid = nullptr;
};

inline int run_process(avrm_boot_t *boot, void *user) {
  const auto *const job = static_cast<const Job *>(user);
  CountingAllocator allocator;
  const avrm_allocator_t hooks = allocator.hooks();
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = job->transport->netmod;
  options.provider = job->transport->provider;
  options.shmmod = job->transport->shmmod;
  options.allocator = &hooks;
  options.threads = job->threads;
  options.connect = job->transport->connect;
  options.av = job->transport->av;
  options.on_error = [](void *, avrm_status_t status, const char *text) {
    std::fprintf(stderr, "%s: %s\n", avrm_status_name(status), text);
  };
  if (avrm_boot_rank(boot) == job->killed) {
    **job->killed_pid = getpid();
  }
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_OPTION) {
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  (*job->body)(process);
  const avrm_status_t closed = avrm_device_close(process.device);
  AVRM_MUST(closed == job->closed);
  AVRM_MUST(allocator.live_bytes() == 0);
#if defined(__SANITIZE_ADDRESS__)
  AVRM_MUST(__lsan_do_recoverable_leak_check() == 0); // a forked process does not get to its own at exit
#endif
  return 0;
}

// Runs `body` in `size` processes, of which rank `killed` ends by SIGKILL, if it is a rank; with devices for several threads
// if `threads`. Skips the test if this machine lacks the transport.
inline void run_job(const Transport &transport, int size, const std::function<void(Process &)> &body, int killed = -1,
                    bool threads = false) {
  if (is_unreliable(transport.provider)) {
    GTEST_SKIP() << transport.provider << " loses data under load; AVRM_TEST_LONG=1 tests it all the same";
  }
  avrm_fork_options_t options{};
  options.size = size;
  options.per_node = transport.per_node;
  options.timeout_ms = is_long() ? 3000000 : kSanitized ? 240000 : 60000;
  options.kill_on_failure = killed < 0 ? 1 : 0;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  const Shared<pid_t> killed_pid;
  Job job{&transport, &body, killed < 0 ? AVRM_OK : AVRM_ERR_PEER, threads, killed, &killed_pid};
  ASSERT_EQ(AVRM_OK, avrm_boot_fork_run(&options, run_process, &job, codes.data()));
  if (*killed_pid != 0) {
    remove_leftovers(*killed_pid);
  }
  for (const std::int32_t code : codes) {
    if (code == kSkipped) {
      GTEST_SKIP() << "this machine lacks " << transport.name;
    }
  }
  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(codes[static_cast<std::size_t>(rank)], rank == killed ? 128 + 9 : 0) << "process " << rank;
  }
}

} // namespace avrankmap::test

#endif
