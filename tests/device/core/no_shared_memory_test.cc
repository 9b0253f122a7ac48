// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes of one node that cannot share memory, as in containers: the network takes over. Rank 1
// enters namespaces of its own, or lets nobody look at it, before it opens its device.
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "core/peers/connect.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

constexpr int kHermit = 1;
constexpr int kSize = 4;

// How the hermit separates itself. False: the system does not allow it.
bool forbids_looking() { return prctl(PR_SET_DUMPABLE, 0) == 0; }
bool leaves_user_namespace() { return unshare(CLONE_NEWUSER) == 0; }
bool leaves_pid_namespace() { return unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0; }
bool leaves_all_namespaces() { return unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS) == 0; }
bool mounts_proc() {
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("proc", "/proc", "proc", 0, nullptr) == 0;
}

struct Separation {
  const char *name;
  bool (*leave)();
  bool in_child; // of the process that leaves
  bool (*settle)();
};
constexpr Separation kSeparations[] = {
    {"Undumpable", forbids_looking, false, nullptr},
    {"UserNamespace", leaves_user_namespace, false, nullptr},
    {"PidNamespace", leaves_pid_namespace, true, nullptr},
    {"PidNamespaceWithItsProc", leaves_all_namespaces, true, mounts_proc},
};
std::ostream &operator<<(std::ostream &out, const Separation &separation) { return out << separation.name; }

struct SeparateJob {
  const Transport *transport;
  const Separation *separation;
  void (*body)(Process &process);
};

struct Reports {
  int count = 0;
  int others = 0;
};

int run_device(avrm_boot_t *boot, const SeparateJob &job) {
  Reports reports;
  avrm_device_options_t options = options_over(*job.transport, boot);
  options.user = &reports;
  options.on_error = [](void *user, avrm_status_t status, const char *text) {
    const bool is_expected = status == AVRM_ERR_UNSUPPORTED && std::strstr(text, "memory") != nullptr;
    auto *const counts = static_cast<Reports *>(user);
    ++(is_expected ? counts->count : counts->others);
  };
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  job.body(process);
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  AVRM_MUST(reports.count == 1 && reports.others == 0);
  return 0;
}

int run_separated(avrm_boot_t *boot, void *user) {
  const auto &job = *static_cast<const SeparateJob *>(user);
  if (avrm_boot_rank(boot) != kHermit) {
    return run_device(boot, job);
  }
  if (!job.separation->leave()) {
    return kSkipped;
  }
  if (!job.separation->in_child) {
    return run_device(boot, job);
  }
  const pid_t child = fork();
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(job.separation->settle != nullptr && !job.separation->settle() ? kSkipped : run_device(boot, job));
  }
  int status = 0;
  AVRM_MUST(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void run_separately(const Transport &transport, const Separation &separation, void (*body)(Process &)) {
  avrm_fork_options_t options{};
  options.size = kSize;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(kSize);
  SeparateJob job{&transport, &separation, body};
  before_forking(transport);
  ASSERT_EQ(AVRM_OK, avrm_boot_fork_run(&options, run_separated, &job, codes.data()));
  if (any_skipped(codes)) {
    GTEST_SKIP() << "this system allows no " << separation.name << ", or " << lacks(transport);
  }
  EXPECT_EQ(codes, std::vector<std::int32_t>(kSize, 0));
}

bool is_reached_by_network(const Process &process, int rank) {
  detail::Route route{};
  AVRM_MUST(detail::route_to(process.world, detail::peer_of(process.world, rank), &route) == AVRM_OK);
  return route.kind == detail::Route::kNet;
}

// Not all sizes of messages.cc, which depend on the transports that a process has.
void sizes_arrive_intact(Process &process) {
  for (const std::size_t bytes : {0, 1, 100, 4096, 8193, 40000, 1 << 20}) {
    const int peer = process.partner();
    const Buffer sent = content(process.rank, peer, 0, bytes);
    Buffer received(bytes);
    avrm_request_t *in = nullptr;
    AVRM_MUST(avrm_irecv(process.world, received.data(), bytes, peer, 5, &in) == AVRM_OK);
    send(process, sent, peer, 5);
    wait(in);
    AVRM_MUST(received == content(peer, process.rank, 0, bytes));
  }
}

class NoSharedMemory : public testing::TestWithParam<std::tuple<Transport, Separation>> {
protected:
  void run(void (*body)(Process &)) {
    const auto &[transport, separation] = GetParam();
    run_separately(transport, separation, body);
  }
};
INSTANTIATE_TEST_SUITE_P(Over, NoSharedMemory,
                         testing::Combine(testing::ValuesIn(transports_of(Suites::kAll, has_both)),
                                          testing::ValuesIn(kSeparations)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

TEST_P(NoSharedMemory, OnlyTheHermitIsReachedByTheNetwork) {
  run([](Process &process) {
    for (int peer = 0; peer < process.size; ++peer) {
      const bool expected = peer != process.rank && (peer == kHermit || process.rank == kHermit);
      AVRM_MUST(is_reached_by_network(process, peer) == expected);
    }
    barrier(process);
  });
}

TEST_P(NoSharedMemory, MessagesArriveInOrderAndReceivesFromAnybodyTakeThem) {
  run([](Process &process) {
    a_receive_from_anybody_takes_each_message_once(process);
    messages_of_one_sender_keep_their_order(process);
    sizes_arrive_intact(process);
    random_traffic_arrives_intact(process);
    communicators_do_not_mix_their_messages(process);
  });
}

TEST_P(NoSharedMemory, WindowsTakePutsAndGets) {
  run([](Process &process) {
    windows_of_allocated_memory_take_puts_and_gets(process);
    windows_of_own_memory_take_puts_and_gets(process);
    puts_of_every_size_are_there_after_a_flush(process);
    strided_puts_of_any_layout_land_where_they_should(process);
    windows_that_are_exchanged_ask_nobody(process);
  });
}

// The addresses of the node's processes, which nobody uses otherwise, come in order.
TEST(NoSharedMemoryEagerly, MessagesArriveWithAnImplicitAddressVector) {
  Transport transport = transport_named("ofi_tcp_and_posix");
  transport.connect = AVRM_CONNECT_EAGER;
  transport.av = AVRM_DEVICE_AV_IMPLICIT;
  run_separately(transport, kSeparations[1], [](Process &process) {
    AVRM_MUST(is_reached_by_network(process, kHermit) == (process.rank != kHermit));
    sizes_arrive_intact(process);
    a_receive_from_anybody_takes_each_message_once(process);
  });
}

TEST(NoSharedMemoryNorNetwork, TheHermitIsUnreachableAndNoMessageIsLost) {
  run_separately(transport_named("posix"), kSeparations[1], [](Process &process) {
    for (int peer = 0; peer < process.size; ++peer) {
      const bool expected = peer == process.rank || (peer != kHermit && process.rank != kHermit);
      avrm_request_t *request = nullptr;
      const avrm_status_t status = avrm_isend(process.world, nullptr, 0, peer, 1, &request);
      AVRM_MUST(status == (expected ? AVRM_OK : AVRM_ERR_PEER));
      if (expected) {
        wait(request);
        Buffer nothing;
        (void)receive(process, nothing, peer, 1);
      }
    }
  });
}

} // namespace
} // namespace avrankmap::test
