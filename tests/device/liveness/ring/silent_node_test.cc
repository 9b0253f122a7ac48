// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A node that falls silent: its link is down, so that nothing says that its processes have died.
// Two nodes are simulated by network namespaces.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "dynamic/socket.h"
#include "tests/device/liveness/ring/silent_job.h"
#include "tests/support/shared.h"

// The kernel's timeout for a silent machine is 30 s, for which only the long form of the test
// waits. Else the linker sends the library's calls here, and it is a few seconds.
extern "C" int __real_setsockopt(int socket, int level, int name, const void *value, socklen_t bytes);
extern "C" int __wrap_setsockopt(int socket, int level, int name, const void *value, socklen_t bytes);
extern "C" int __wrap_setsockopt(int socket, int level, int name, const void *value, socklen_t bytes) {
  const bool is_time = level == IPPROTO_TCP && bytes == sizeof(int) &&
                       (name == TCP_KEEPIDLE || name == TCP_KEEPINTVL || name == TCP_USER_TIMEOUT);
  if (!is_time || avrankmap::test::is_long()) {
    return __real_setsockopt(socket, level, name, value, bytes);
  }
  const int brief = std::max(1, *static_cast<const int *>(value) / 20);
  return __real_setsockopt(socket, level, name, &brief, sizeof brief);
}

namespace avrankmap::test {
namespace {

using detail::Socket;

// Two network namespaces, connected by a link. They end with the last process that is in them.
class TwoNodes {
public:
  TwoNodes() {
    const Socket own(here());
    are_there_ = own.is_open();
    for (int node = 0; node < 2 && are_there_; ++node) {
      are_there_ = unshare(CLONE_NEWNET) == 0;
      node_[node] = Socket(here());
      const std::string other = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(node_[0].get());
      are_there_ = are_there_ && run("ip link set lo up") &&
                   (node == 0 || run("ip link add eth0 type veth peer name eth0 netns " + other));
    }
    for (int node = 0; node < 2 && are_there_; ++node) {
      enter(node);
      are_there_ =
          run("ip addr add 10.77.0." + std::to_string(node + 1) + "/24 dev eth0") && run("ip link set eth0 up");
    }
    EXPECT_EQ(setns(own.get(), CLONE_NEWNET), 0);
  }
  TwoNodes(const TwoNodes &) = delete;
  TwoNodes &operator=(const TwoNodes &) = delete;
  ~TwoNodes() = default;

  [[nodiscard]] bool are_there() const { return are_there_; }
  void enter(int node) const { AVRM_MUST(setns(node_[node].get(), CLONE_NEWNET) == 0); }
  // The caller's node falls silent.
  static void pull_the_cable() { AVRM_MUST(run("ip link set eth0 down")); }

private:
  static int here() { return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }
  static bool run(const std::string &command) { return std::system((command + " 2>/dev/null").c_str()) == 0; }

  Socket node_[2];
  bool are_there_ = false;
};

// Process 5 is watched from its own node alone.
TEST(WatchRing, FindsAllDeathsOfANodeThatFallsSilent) {
  const TwoNodes nodes;
  if (!nodes.are_there()) {
    GTEST_SKIP() << "nodes cannot be simulated here: that needs root, network namespaces and iproute2";
  }
  Transport transport = transport_named("ucx_tcp_and_posix");
  transport.per_node = 3;
  const Shared<Looks> looks;
  const Shared<std::atomic<bool>> is_silent;
  SilentJob job{&transport, 6, {3, 4, 5}};
  job.prepare = [&](int rank) {
    nodes.enter(rank / 3);
    AVRM_MUST(setenv("AVRM_PORT_INTERFACE", "eth0", 1) == 0);
  };
  job.body = [&](Process &process) {
    look_together(process, *looks);
    if (job.is_victim(process.rank)) {
      if (process.rank == 3) {
        TwoNodes::pull_the_cable();
        *is_silent = true;
      }
      while (!*is_silent) {
        usleep(1000);
      }
      die();
    }
    for (const int victim : job.victims) {
      while (!avrm_boot_has_failed(process.boot, victim)) {
        progress_for(process, 1);
      }
    }
    leave_together(process);
  };
  run_silent_job(job);
}

} // namespace
} // namespace avrankmap::test
