// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two worlds that connect and disconnect while memory, system calls or the transport of one process
// fail, call by call: that process gets a status, the others the same status or a lost peer, and
// the next meeting works.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "avrankmap/device/dynamic.h"
#include "tests/device/dynamic/multi_world_comms.h"
#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/sweep.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

constexpr int kSizes[] = {2, 1}; // of the world that accepts, and of the one that connects
constexpr int kProcesses = 3;
constexpr int kRoots[] = {0, 2};
// Milliseconds that a root waits for the other one: where that one may have given up, and
// where it has not.
constexpr std::int32_t kShortTimeoutMs = 300;
constexpr std::int32_t kLongTimeoutMs = 30000;

// A process's number in all worlds.
int number_of(int world, int rank) { return kRoots[world] + rank; }
int world_of(int number) { return number < kRoots[1] ? 0 : 1; }

// Shared by all of them.
struct Board {
  std::atomic<int> round;      // that the victim has started
  std::atomic<int> port_round; // whose port is there
  std::atomic<int> told;       // statuses that were written, in all rounds
  std::atomic<int> ended;      // processes that have ended a round, of all rounds
  std::atomic<bool> over;
  char port[AVRM_PORT_MAX];
  std::atomic<avrm_status_t> statuses[kProcesses];
};

enum class Act { kConnect, kFreeConsensus };

struct Case {
  const Transport *transport;
  int victim;
  Act act;
  unsigned families;
  std::vector<Fault> faults;
  SweepOptions options;
  Board *board;
};

bool is_clear_or_late(avrm_status_t status) { return is_clear(status) || status == AVRM_ERR_TIMEOUT; }

// A process of some world.
class WorldProcess {
public:
  WorldProcess(const Case &one, int world, avrm_boot_t *boot)
      : case_(one), board_(*one.board), boot_(boot), world_(world), number_(number_of(world, avrm_boot_rank(boot))) {}

  avrm_status_t open() {
    hooks_ = memory_.hooks();
    const avrm_device_options_t options = options_over(*case_.transport, boot_, &hooks_);
    return avrm_device_open(&options, &device_);
  }
  void close() {
    AVRM_MUST(avrm_device_close(device_) == AVRM_OK);
    AVRM_MUST(memory_.books.live_bytes() == 0);
  }

  // The victim: first without a fault, then with each of them.
  void lead() {
    begin(nullptr);
    begin(nullptr);
    const std::uint64_t bytes = memory_.books.live_bytes();
    const auto progress = [this] { (void)avrm_progress(device_); };
    const int descriptors = open_descriptors_after(100, -1, progress);
    sweep(
        case_.families, case_.faults,
        [&](const Shot &shot) {
          begin(&shot);
          begin(nullptr);
        },
        case_.options);
    AVRM_MUST(open_descriptors_after(kClosesWithin, descriptors, progress) <= descriptors);
    // The device keeps the connections that it used last, with their list.
    AVRM_MUST(memory_.books.live_bytes() == bytes);
    board_.over = true;
  }
  void follow() {
    for (;;) {
      until([&] { return board_.over.load() || board_.round.load() != round_; });
      if (board_.over) {
        return;
      }
      play(nullptr);
    }
  }
  [[nodiscard]] bool is_victim() const { return number_ == case_.victim; }

private:
  // The others must know whether anything fails.
  void begin(const Shot *shot) {
    board_.round = 2 * (round_ / 2 + 1) + (shot != nullptr ? 1 : 0);
    play(shot);
  }

  template <typename Condition> void until(Condition condition) {
    for (int idle = 0; !condition();) {
      if (avrm_progress(device_) != 0) {
        idle = 0;
      } else if (++idle > 100) {
        usleep(50);
      }
    }
  }
  [[nodiscard]] bool is_root() const { return number_ == kRoots[world_]; }
  [[nodiscard]] avrm_comm_t *world() const { return avrm_device_world(device_); }

  // Opens a port. The victim may need a second attempt.
  void hang_out_port(const Shot *shot) {
    avrm_status_t status = avrm_port_open(device_, board_.port);
    if (status != AVRM_OK) {
      AVRM_MUST(shot != nullptr && (status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_SYSTEM));
      status = avrm_port_open(device_, board_.port);
      AVRM_MUST(is_clear(status));
      if (status != AVRM_OK) {
        disarm();
        AVRM_MUST(avrm_port_open(device_, board_.port) == AVRM_OK);
      }
    }
    board_.port_round = round_;
  }

  // Exchanges statuses with the others.
  std::vector<avrm_status_t> gather(avrm_status_t status) {
    const int all = board_told_ += kProcesses;
    board_.statuses[number_] = status;
    ++board_.told;
    until([&] { return board_.told.load() >= all; });
    std::vector<avrm_status_t> statuses;
    for (const auto &one : board_.statuses) {
      statuses.push_back(one.load());
    }
    const int everybody = board_ended_ += kProcesses;
    ++board_.ended;
    // Before the next round overwrites them.
    until([&] { return board_.ended.load() >= everybody; });
    return statuses;
  }

  void play(const Shot *shot) {
    round_ = board_.round;
    const bool may_fail = round_ % 2 != 0;
    if (shot != nullptr && case_.act == Act::kConnect) {
      shot->arm();
    }
    char port[AVRM_PORT_MAX] = "";
    if (is_root()) {
      if (world_ == 0) {
        hang_out_port(shot);
      }
      until([&] { return board_.port_round.load() == round_; });
      std::memcpy(port, board_.port, sizeof port);
    }
    avrm_comm_t *comm = nullptr;
    const avrm_meet_options_t options{may_fail && case_.act == Act::kConnect ? kShortTimeoutMs : kLongTimeoutMs};
    const avrm_status_t met = world_ == 0 ? avrm_comm_accept(world(), 0, port, &options, &comm)
                                          : avrm_comm_connect(world(), 0, port, &options, &comm);
    if (case_.act == Act::kConnect) {
      disarm();
    }
    if (is_root() && world_ == 0) {
      AVRM_MUST(avrm_port_close(device_, port) == AVRM_OK);
    }
    AVRM_MUST((met == AVRM_OK) == (comm != nullptr));
    const std::vector<avrm_status_t> statuses = gather(met);
    const bool all_well = check(statuses, may_fail && case_.act == Act::kConnect);
    for (int number = 0; number < kProcesses; ++number) { // members of a group get the same status
      AVRM_MUST(statuses[static_cast<std::size_t>(number)] ==
                statuses[static_cast<std::size_t>(kRoots[world_of(number)])]);
    }
    if (comm != nullptr && all_well) {
      const WorldMember self{world(), id_of(world_, number_ - kRoots[world_])};
      check_intercomm(self, comm, ids_of(1 - world_, world_ == 0 ? 1 : 2));
    }
    part(comm, shot, may_fail, all_well);
    AVRM_MUST(contexts() == 1); // the world's
  }

  // True if all succeeded.
  bool check(const std::vector<avrm_status_t> &statuses, bool may_fail) const {
    bool all_well = true;
    for (int number = 0; number < kProcesses; ++number) {
      const avrm_status_t status = statuses[static_cast<std::size_t>(number)];
      all_well = all_well && status == AVRM_OK;
      if (!(is_clear_or_late(status) && (may_fail || status == AVRM_OK))) {
        std::fprintf(stderr, "process %d, %s: process %d has %s\n", number_, place_of_death(), number,
                     avrm_status_name(status));
      }
      AVRM_MUST(is_clear_or_late(status) && (may_fail || status == AVRM_OK));
    }
    return all_well;
  }

  // A process without an intercommunicator has nothing to disconnect. A process whose peers have
  // none finds nobody.
  void part(avrm_comm_t *comm, const Shot *shot, bool may_fail, bool met) {
    if (shot != nullptr && case_.act == Act::kFreeConsensus) {
      shot->arm();
    }
    const avrm_status_t status = comm == nullptr ? AVRM_OK : avrm_comm_disconnect(&comm);
    disarm();
    AVRM_MUST(comm == nullptr);
    if (!met) {
      AVRM_MUST(is_clear(status));
      (void)gather(AVRM_OK);
      return;
    }
    (void)check(gather(status), may_fail && case_.act == Act::kFreeConsensus);
  }

  [[nodiscard]] int contexts() const {
    std::int32_t live = 0;
    std::int32_t most = 0;
    avrm_device_contexts(device_, &live, &most);
    return live;
  }

  const Case &case_;
  Board &board_;
  avrm_boot_t *boot_;
  int world_;
  int number_;
  int round_ = 0; // odd: something fails in it
  int board_told_ = 0;
  int board_ended_ = 0;
  FailingMemory memory_;
  avrm_allocator_t hooks_{};
  avrm_device_t *device_ = nullptr;
};

struct World {
  const Case *one;
  int number;
};

int live(avrm_boot_t *boot, void *user) {
  const World &world = *static_cast<const World *>(user);
  WorldProcess inhabitant(*world.one, world.number, boot);
  const avrm_status_t opened = inhabitant.open();
  if (means_lacking(opened)) {
    return kSkipped;
  }
  AVRM_MUST(opened == AVRM_OK);
  if (inhabitant.is_victim()) {
    inhabitant.lead();
  } else {
    inhabitant.follow();
  }
  inhabitant.close();
  AVRM_MUST(!has_leaks());
  return testing::Test::HasFailure() ? 1 : 0;
}

// A launcher of its own for each world.
int launch(avrm_boot_t *boot, void *user) {
  const World world{static_cast<const Case *>(user), avrm_boot_rank(boot)};
  const int size = kSizes[world.number];
  const avrm_fork_options_t options{size, 1, job_timeout_ms(), 1};
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  AVRM_MUST(avrm_boot_fork_run(&options, live, const_cast<World *>(&world), codes.data()) == AVRM_OK);
  if (any_skipped(codes)) {
    return kSkipped; // the launcher has ended the other processes
  }
  return *std::max_element(codes.begin(), codes.end());
}

class ConnectCalls : public testing::TestWithParam<Transport> {
protected:
  static void run(Act act, int victim, unsigned families, const std::vector<Fault> &faults,
                  const SweepOptions &options = {.samples = 6}) {
    if (is_ofi(GetParam()) && families != kTransport && !is_long()) {
      GTEST_SKIP() << "only the transport's own calls differ: over libfabric with AVRM_TEST_LONG=1 only";
    }
    const Shared<Board> board;
    Case one{&GetParam(), victim, act, families, faults, options, &*board};
    const avrm_fork_options_t forked{2, 0, 2 * job_timeout_ms(), 1};
    std::int32_t codes[2] = {};
    (void)seed();
    *place_of_death() = '\0';
    const avrm_status_t status = avrm_boot_fork_run(&forked, launch, &one, codes);
    ASSERT_EQ(status, AVRM_OK) << place_of_death();
    if (any_skipped(codes)) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(codes[0], 0) << place_of_death();
    EXPECT_EQ(codes[1], 0) << place_of_death();
  }
};

constexpr int kAccepting = 0;
constexpr int kMember = 1;
constexpr int kConnecting = 2;

INSTANTIATE_TEST_SUITE_P(Over, ConnectCalls, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)), kByName);

TEST_P(ConnectCalls, AnAcceptingRootWhoseSystemFailsSaysSo) {
  run(Act::kConnect, kAccepting, kSystem, {Fault::kHard, Fault::kAgain});
}
TEST_P(ConnectCalls, AConnectingRootWhoseSystemFailsSaysSo) {
  run(Act::kConnect, kConnecting, kSystem, {Fault::kHard, Fault::kAgain});
}
TEST_P(ConnectCalls, AnAcceptingRootWithoutMemorySaysSo) {
  run(Act::kConnect, kAccepting, kMemory, {Fault::kNoMemory});
}
TEST_P(ConnectCalls, AConnectingRootWithoutMemorySaysSo) {
  run(Act::kConnect, kConnecting, kMemory, {Fault::kNoMemory});
}
TEST_P(ConnectCalls, AMemberWithoutMemorySaysSo) { run(Act::kConnect, kMember, kMemory, {Fault::kNoMemory}); }
TEST_P(ConnectCalls, ATransportThatFailsIsSurvivedOrTold) {
  for (const int victim : is_long() ? std::vector{kAccepting, kMember} : std::vector{kMember}) {
    run(Act::kConnect, victim, kTransport, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, {.samples = 3});
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}
TEST_P(ConnectCalls, DisconnectSurvivesWhatFails) {
  for (const int victim : is_long() ? std::vector{kAccepting, kMember, kConnecting} : std::vector{kAccepting}) {
    run(Act::kFreeConsensus, victim, kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory}, {.samples = 5});
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

} // namespace
} // namespace avrankmap::test
