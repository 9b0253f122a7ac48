// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who carries out the atomics of a window: what the processes of a job say, each for itself. Then
// the network reaches processes of the same node, too, and the own one: near peers.
#include <signal.h>
#include <unistd.h>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/comm.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/core/window.h"

namespace avrankmap::test {
namespace {

class NetworkAtomics : public testing::TestWithParam<Transport> {};

constexpr int kProcesses = 4;

// Runs a body in a job whose processes have called `prepare` with their rank.
void run_prepared(const Transport &transport, void (*prepare)(int rank), const std::function<void(Process &)> &body) {
  struct Prepared {
    Job job;
    void (*prepare)(int rank);
  };
  Prepared prepared{{&transport, &body, AVRM_OK}, prepare};
  const auto run = [](avrm_boot_t *boot, void *user) {
    auto *const mine = static_cast<Prepared *>(user);
    mine->prepare(avrm_boot_rank(boot));
    return run_process(boot, &mine->job);
  };
  avrm_fork_options_t options{};
  options.size = kProcesses;
  options.per_node = transport.per_node;
  options.timeout_ms = job_timeout_ms();
  options.kill_on_failure = 1;
  std::vector<std::int32_t> codes(kProcesses);
  before_forking(transport);
  ASSERT_EQ(avrm_boot_fork_run(&options, run, &prepared, codes.data()), AVRM_OK);
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(codes, std::vector<std::int32_t>(kProcesses, 0));
}

void use_windows(Process &process, bool by_network) {
  {
    const Window window(process, 8, true, AVRM_WINDOW_NETWORK_ATOMICS);
    AVRM_MUST(avrm_window_has_network_atomics(window.get()) == by_network);
  }
  each_ticket_is_drawn_once(process);
  a_lock_of_atomics_keeps_others_out(process);
  atomics_of_one_process_keep_their_order(process);
  narrow_atomics_agree_with_their_twin(process);
}

// UCX is not asked for them over TCP alone, unless somebody wants it.
TEST_P(NetworkAtomics, AreUsedWhereAllHaveThem) {
  run_prepared(
      GetParam(), [](int /*rank*/) { AVRM_MUST(setenv("AVRM_UCX_NO_RMA", "0", 1) == 0); },
      [](Process &process) { use_windows(process, true); });
}

TEST_P(NetworkAtomics, AreLeftToTheProcessorIfOneProcessSaysSo) {
  run_prepared(
      GetParam(),
      [](int rank) {
        AVRM_MUST(setenv("AVRM_UCX_NO_RMA", "0", 1) == 0);
        AVRM_MUST(rank != kProcesses - 1 || setenv("AVRM_ATOMICS", "processor", 1) == 0);
      },
      [](Process &process) { use_windows(process, false); });
}

INSTANTIATE_TEST_SUITE_P(Over, NetworkAtomics, testing::ValuesIn(transports_of(Suites::kAll, has_network)), kByName);

// A counter of each member of a communicator of its own.
class Counters {
public:
  explicit Counters(Process &process) : process_(process) {
    AVRM_MUST(avrm_comm_dup(process.world, &comm_) == AVRM_OK);
    AVRM_MUST(avrm_window_create(comm_, &own_, sizeof own_, AVRM_WINDOW_NETWORK_ATOMICS, &window_) == AVRM_OK);
    AVRM_MUST(avrm_window_has_network_atomics(window_));
  }
  Counters(const Counters &) = delete;
  Counters &operator=(const Counters &) = delete;
  // Once everybody is here.
  void free() {
    AVRM_MUST(avrm_flush_all(window_) == AVRM_OK);
    barrier(process_);
    AVRM_MUST(avrm_comm_free(comm_) == AVRM_ERR_BUSY); // its window exists
    AVRM_MUST(avrm_window_free(window_) == AVRM_OK);
    AVRM_MUST(avrm_comm_free(comm_) == AVRM_OK);
  }

  // Adds one to the counters of all members. Does not wait.
  void add(std::vector<avrm_request_t *> &requests) {
    for (int target = 0; target < process_.size; ++target) {
      avrm_request_t *&request = requests.emplace_back();
      AVRM_MUST(avrm_fetch_and_op(window_, &one_, &old_, AVRM_UINT64, AVRM_OP_SUM, target, 0, &request) == AVRM_OK);
    }
  }
  [[nodiscard]] std::uint64_t own() const { return own_; }

private:
  Process &process_;
  std::uint64_t own_ = 0;
  std::uint64_t one_ = 1;
  std::uint64_t old_ = 0; // of any
  avrm_comm_t *comm_ = nullptr;
  avrm_window_t *window_ = nullptr;
};

void wait_all(std::vector<avrm_request_t *> &requests) {
  AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests.size()), requests.data(), nullptr) == AVRM_OK);
  requests.clear();
}

class LocalNetPeers : public testing::TestWithParam<Transport> {
protected:
  // The processes inherit it.
  void SetUp() override { ASSERT_EQ(setenv("AVRM_UCX_NO_RMA", "0", 1), 0); }
  void TearDown() override { ASSERT_EQ(unsetenv("AVRM_UCX_NO_RMA"), 0); }
};

// Those that the first window has introduced to the network are used by the second one.
TEST_P(LocalNetPeers, OutliveTheWindowAndCommunicatorThatMetThem) {
  run_job(GetParam(), 2, [](Process &process) {
    constexpr std::uint64_t kEach = 20;
    std::vector<avrm_request_t *> requests;
    Counters first(process);
    first.add(requests);
    wait_all(requests);
    Counters second(process);
    for (std::uint64_t i = 0; i < kEach; ++i) {
      second.add(requests);
    }
    first.free();
    AVRM_MUST(first.own() == 2);
    for (std::uint64_t i = 0; i < kEach; ++i) {
      second.add(requests);
    }
    wait_all(requests);
    second.free();
    AVRM_MUST(second.own() == 4 * kEach);
  });
}

// One dies while an operation on it is under way.
TEST_P(LocalNetPeers, AreReachedAfterTheDeathOfAnother) {
  constexpr int kVictim = 1;
  run_job(
      GetParam(), 3,
      [](Process &process) {
        alarm(static_cast<unsigned>(job_timeout_ms() / 1000)); // ends a process that hangs
        std::uint64_t own = 0;
        std::uint64_t one = 1;
        std::uint64_t old = 0;
        avrm_window_t *window = nullptr;
        AVRM_MUST(avrm_window_create(process.world, &own, sizeof own, AVRM_WINDOW_NETWORK_ATOMICS, &window) == AVRM_OK);
        const auto add = [&](int target) {
          avrm_request_t *request = nullptr;
          const avrm_status_t status =
              avrm_fetch_and_op(window, &one, &old, AVRM_UINT64, AVRM_OP_SUM, target, 0, &request);
          return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
        };
        for (int target = 0; target < process.size; ++target) {
          AVRM_MUST(add(target) == AVRM_OK);
        }
        gather_at(process, kVictim);
        if (process.rank == kVictim) {
          usleep(20000); // the others' next operation is on its way, and nobody carries it out
          (void)kill(getpid(), SIGKILL);
        }
        for (avrm_status_t status = AVRM_OK; status != AVRM_ERR_PEER; status = add(kVictim)) {
          AVRM_MUST(status == AVRM_OK);
        }
        for (int target = 0; target < process.size; ++target) {
          const avrm_status_t expected = target == kVictim ? AVRM_ERR_PEER : AVRM_OK;
          AVRM_MUST(add(target) == expected && (expected != AVRM_OK || old >= 1));
          AVRM_MUST(avrm_flush(window, target) == expected);
        }
        for (int peer = 0; peer < process.size; ++peer) { // all serve the others
          Buffer nothing;
          if (peer != kVictim && peer != process.rank) {
            send(process, nothing, peer, 1);
            receive(process, nothing, peer, 1);
          }
        }
        AVRM_MUST(avrm_window_free(window) == AVRM_OK);
      },
      kVictim);
}

INSTANTIATE_TEST_SUITE_P(Over, LocalNetPeers, testing::ValuesIn(transports_of(Suites::kAll, has_both)), kByName);

TEST(AtomicsSetting, AWordThatIsNoneIsRefused) {
  avrm_boot_t *boot = nullptr;
  ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = "null";
  avrm_device_t *device = nullptr;
  ASSERT_EQ(setenv("AVRM_ATOMICS", "hardware", 1), 0);
  EXPECT_EQ(avrm_device_open(&options, &device), AVRM_ERR_OPTION);
  EXPECT_EQ(device, nullptr);
  ASSERT_EQ(unsetenv("AVRM_ATOMICS"), 0);
  avrm_boot_close(boot);
}

} // namespace
} // namespace avrankmap::test
