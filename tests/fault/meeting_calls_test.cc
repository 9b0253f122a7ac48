// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two worlds that meet and part while memory, system calls or the transport fail in one of their processes, call by call:
// a status for that process, the same or a lost peer for the others, and the next meeting is as good as the first.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "avrankmap/dynamic.h"
#include "tests/dynamic/abroad.h"
#include "tests/fault/failing_memory.h"
#include "tests/fault/nets.h"
#include "tests/fault/sweep.h"

namespace avrankmap::test {
namespace {

constexpr int kSizes[] = {2, 1}; // of the world that accepts, and of the one that connects
constexpr int kProcesses = 3;
constexpr int kRoots[] = {0, 2};
// Milliseconds that a root waits for the other: where that one may have given up, and where it has not.
constexpr std::int32_t kShortPatience = 300;
constexpr std::int32_t kLongPatience = 30000;

// A process's number in all worlds.
int number_of(int world, int rank) { return kRoots[world] + rank; }
int world_of(int number) { return number < kRoots[1] ? 0 : 1; }

// Shared by all of them.
struct Board {
  std::atomic<int> round;      // that the victim has begun
  std::atomic<int> port_round; // whose port is there
  std::atomic<int> told;       // statuses that are there, of all rounds
  std::atomic<int> ended;      // processes that have ended a round, of all rounds
  std::atomic<bool> over;
  char port[AVRM_PORT_MAX];
  std::atomic<avrm_status_t> statuses[kProcesses];
};

enum class Act { kMeeting, kParting };

struct Case {
  const Net *net;
  int victim;
  Act act;
  unsigned families;
  std::vector<Fault> faults;
  SweepOptions options;
  Board *board;
};

bool is_clear_abroad(avrm_status_t status) { return is_clear(status) || status == AVRM_ERR_TIMEOUT; }

// A process of some world.
class Inhabitant {
public:
  Inhabitant(const Case &one, int world, avrm_boot_t *boot)
      : case_(one), board_(*one.board), boot_(boot), world_(world), number_(number_of(world, avrm_boot_rank(boot))) {}

  avrm_status_t open() {
    hooks_ = memory_.hooks();
    avrm_device_options_t options{};
    options.boot = boot_;
    options.netmod = case_.net->netmod;
    options.provider = case_.net->provider;
    options.shmmod = "none";
    options.allocator = &hooks_;
    return avrm_device_open(&options, &device_);
  }
  void close() {
    AVRM_MUST(avrm_device_close(device_) == AVRM_OK);
    AVRM_MUST(memory_.books.live_bytes() == 0);
  }

  // The victim: everything once without a fault, and then with each of them.
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
    AVRM_MUST(open_descriptors_after(3000, descriptors, progress) == descriptors);
    // The last connections that were used are kept, with their list.
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

  // Of a port that it opens: the victim may need a second attempt.
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

  // Tells the others, and hears from them.
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
    until([&] { return board_.ended.load() >= everybody; }); // before they are written over
    return statuses;
  }

  void play(const Shot *shot) {
    round_ = board_.round;
    const bool may_fail = round_ % 2 != 0;
    if (shot != nullptr && case_.act == Act::kMeeting) {
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
    const avrm_meet_options_t options{may_fail && case_.act == Act::kMeeting ? kShortPatience : kLongPatience};
    const avrm_status_t met = world_ == 0 ? avrm_comm_accept(world(), 0, port, &options, &comm)
                                          : avrm_comm_connect(world(), 0, port, &options, &comm);
    if (case_.act == Act::kMeeting) {
      disarm();
    }
    if (is_root() && world_ == 0) {
      AVRM_MUST(avrm_port_close(device_, port) == AVRM_OK);
    }
    AVRM_MUST((met == AVRM_OK) == (comm != nullptr));
    const std::vector<avrm_status_t> statuses = gather(met);
    const bool all_well = check(statuses, may_fail && case_.act == Act::kMeeting);
    for (int number = 0; number < kProcesses; ++number) { // those of a group hear the same
      AVRM_MUST(statuses[static_cast<std::size_t>(number)] ==
                statuses[static_cast<std::size_t>(kRoots[world_of(number)])]);
    }
    if (comm != nullptr && all_well) {
      const Citizen self{world(), id_of(world_, number_ - kRoots[world_])};
      check_meeting(self, comm, ids_of(1 - world_, world_ == 0 ? 1 : 2));
    }
    part(comm, shot, may_fail, all_well);
    AVRM_MUST(contexts() == 1); // the world's
  }

  // True if all is well.
  bool check(const std::vector<avrm_status_t> &statuses, bool may_fail) const {
    bool all_well = true;
    for (int number = 0; number < kProcesses; ++number) {
      const avrm_status_t status = statuses[static_cast<std::size_t>(number)];
      all_well = all_well && status == AVRM_OK;
      if (!(is_clear_abroad(status) && (may_fail || status == AVRM_OK))) {
        std::fprintf(stderr, "process %d, %s: process %d has %s\n", number_, place_of_death(), number,
                     avrm_status_name(status));
      }
      AVRM_MUST(is_clear_abroad(status) && (may_fail || status == AVRM_OK));
    }
    return all_well;
  }

  // Who met nobody has nothing to part with. Who met somebody that knows nothing of it finds nobody there.
  void part(avrm_comm_t *comm, const Shot *shot, bool may_fail, bool met) {
    if (shot != nullptr && case_.act == Act::kParting) {
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
    (void)check(gather(status), may_fail && case_.act == Act::kParting);
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
  Inhabitant inhabitant(*world.one, world.number, boot);
  const avrm_status_t opened = inhabitant.open();
  if (opened == AVRM_ERR_UNSUPPORTED || opened == AVRM_ERR_OPTION) {
    return kSkipped;
  }
  AVRM_MUST(opened == AVRM_OK);
  if (inhabitant.is_victim()) {
    inhabitant.lead();
  } else {
    inhabitant.follow();
  }
  inhabitant.close();
#if defined(__SANITIZE_ADDRESS__)
  AVRM_MUST(__lsan_do_recoverable_leak_check() == 0); // a forked process does not get to its own at exit
#endif
  return testing::Test::HasFailure() ? 1 : 0;
}

constexpr std::int32_t kLongest = 3000000;
std::int32_t time_limit() { return is_long() ? kLongest : kSanitized ? 240000 : 60000; }

// A launcher of its own for each world.
int launch(avrm_boot_t *boot, void *user) {
  const World world{static_cast<const Case *>(user), avrm_boot_rank(boot)};
  const int size = kSizes[world.number];
  const avrm_fork_options_t options{size, 1, time_limit(), 1};
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  AVRM_MUST(avrm_boot_fork_run(&options, live, const_cast<World *>(&world), codes.data()) == AVRM_OK);
  if (std::find(codes.begin(), codes.end(), kSkipped) != codes.end()) {
    return kSkipped; // of which the others were ended
  }
  return *std::max_element(codes.begin(), codes.end());
}

class MeetingCalls : public testing::TestWithParam<Net> {
protected:
  static void run(Act act, int victim, unsigned families, const std::vector<Fault> &faults,
                  const SweepOptions &options = {.samples = 6}) {
    if (std::strcmp(GetParam().netmod, "ofi") == 0 && families != kTransport && !is_long()) {
      GTEST_SKIP()
          << "the same over either, but for what the transport does: over libfabric with AVRM_TEST_LONG=1 only";
    }
    void *const page = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    Case one{&GetParam(), victim, act, families, faults, options, new (page) Board{}};
    const avrm_fork_options_t forked{2, 0, 2 * time_limit(), 1};
    std::int32_t codes[2] = {};
    (void)seed();
    *place_of_death() = '\0';
    const avrm_status_t status = avrm_boot_fork_run(&forked, launch, &one, codes);
    munmap(page, sizeof(Board));
    ASSERT_EQ(status, AVRM_OK) << place_of_death();
    if (codes[0] == kSkipped || codes[1] == kSkipped) {
      GTEST_SKIP() << "this machine lacks the transport";
    }
    EXPECT_EQ(codes[0], 0) << place_of_death();
    EXPECT_EQ(codes[1], 0) << place_of_death();
  }
};

constexpr int kAccepting = 0;
constexpr int kMember = 1;
constexpr int kConnecting = 2;

INSTANTIATE_TEST_SUITE_P(Over, MeetingCalls, testing::ValuesIn(kNets),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(MeetingCalls, AnAcceptingRootWhoseSystemFailsSaysSo) {
  run(Act::kMeeting, kAccepting, kSystem, {Fault::kHard, Fault::kAgain});
}
TEST_P(MeetingCalls, AConnectingRootWhoseSystemFailsSaysSo) {
  run(Act::kMeeting, kConnecting, kSystem, {Fault::kHard, Fault::kAgain});
}
TEST_P(MeetingCalls, AnAcceptingRootWithoutMemorySaysSo) {
  run(Act::kMeeting, kAccepting, kMemory, {Fault::kNoMemory});
}
TEST_P(MeetingCalls, AConnectingRootWithoutMemorySaysSo) {
  run(Act::kMeeting, kConnecting, kMemory, {Fault::kNoMemory});
}
TEST_P(MeetingCalls, AMemberWithoutMemorySaysSo) { run(Act::kMeeting, kMember, kMemory, {Fault::kNoMemory}); }
TEST_P(MeetingCalls, ATransportThatFailsIsSurvivedOrTold) {
  for (const int victim : is_long() ? std::vector{kAccepting, kMember} : std::vector{kMember}) {
    run(Act::kMeeting, victim, kTransport, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, {.samples = 3});
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}
TEST_P(MeetingCalls, PartingSurvivesWhatFails) {
  for (const int victim : is_long() ? std::vector{kAccepting, kMember, kConnecting} : std::vector{kAccepting}) {
    run(Act::kParting, victim, kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory}, {.samples = 5});
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

} // namespace
} // namespace avrankmap::test
