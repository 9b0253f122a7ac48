// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators that are created while the transport of one of three processes fails, call by call:
// all processes get the same status, none hangs, nothing leaks, and the parents stay usable.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "tests/device/comm/members.h"
#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/sweep.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

constexpr int kSize = 3;

// Shared by all processes.
struct Board {
  std::atomic<int> begun; // rounds, by the victim
  std::atomic<int> told;
  std::atomic<int> heard;
  std::atomic<bool> over;
  std::atomic<avrm_status_t> statuses[kSize];
};

struct Case {
  const Transport *transport;
  int victim;
  std::vector<Fault> faults; // empty: every call fails from then on
  SweepOptions options;
  Board *board;
};

constexpr int kGivenUp = 9; // exit code of a process whose transport fails for good

// The parents of all creations: the world, its first two processes, its third process, and these
// two groups as an intercommunicator.
class Parents {
public:
  explicit Parents(const Process &process) : process_(process), world_(process.world) {
    AVRM_MUST(avrm_comm_split(world_, is_low() ? 0 : 1, 0, &part_) == AVRM_OK);
    AVRM_MUST(avrm_intercomm_create(part_, 0, world_, is_low() ? 2 : 0, 1, &inter_) == AVRM_OK);
    const Members low{0, 1};
    const Members high{2};
    test::check(process_, part_, is_low() ? low : high);
    check_inter(process_, inter_, is_low() ? low : high, is_low() ? high : low);
    pair_ = group_of(process, {2, 0});
    all_ = group_of(process, {1, 2, 0});
  }
  ~Parents() {
    avrm_group_destroy(all_);
    avrm_group_destroy(pair_);
    release(inter_);
    release(part_);
  }
  Parents(const Parents &) = delete;
  Parents &operator=(const Parents &) = delete;

  static constexpr int kWays = 13;
  avrm_status_t make(int way, avrm_comm_t **comm_p) {
    const int rank = process_.rank;
    const std::int32_t dims[] = {3};
    const std::int32_t periods[] = {0};
    switch (way) {
    case 0: return avrm_comm_dup(world_, comm_p);
    case 1: return avrm_comm_split(world_, rank % 2, -rank, comm_p);
    case 2: return avrm_comm_split_type(world_, AVRM_COMM_NODE, 0, comm_p);
    case 3: return avrm_comm_create(world_, all_, comm_p);
    case 4: return rank == 1 ? AVRM_OK : avrm_comm_create_group(world_, pair_, 5, comm_p);
    case 5: return avrm_cart_create(world_, 1, dims, periods, false, comm_p);
    case 6: return avrm_intercomm_create(part_, is_low() ? 1 : 0, world_, is_low() ? 2 : 1, 2, comm_p);
    case 7: return avrm_intercomm_merge(inter_, is_low(), comm_p);
    case 8: return avrm_comm_split(inter_, 0, rank, comm_p);
    case 9: return avrm_comm_dup(inter_, comm_p);
    case 10: return avrm_comm_merge(part_, is_low() ? 1 : 0, world_, is_low() ? 2 : 1, 3, is_low(), comm_p);
    case 11: return rank == 1 ? AVRM_OK : avrm_comm_create_from_group(process_.device, pair_, "pair", comm_p);
    default: {
      avrm_request_t *request = nullptr;
      const avrm_status_t status = avrm_comm_idup(world_, comm_p, &request);
      return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
    }
    }
  }
  // Checks that the new communicator has the expected processes, and that they can communicate.
  void check(int way, avrm_comm_t *comm) const {
    const Members low{0, 1};
    const Members high{2};
    switch (way) {
    case 1: test::check(process_, comm, process_.rank % 2 == 0 ? Members{2, 0} : Members{1}); return;
    case 2: test::check(process_, comm, {process_.rank}); return;
    case 3: test::check(process_, comm, {1, 2, 0}); return;
    case 4:
    case 11: test::check(process_, comm, {2, 0}); return;
    case 6:
    case 8:
    case 9: check_inter(process_, comm, is_low() ? low : high, is_low() ? high : low); return;
    case 7:
    case 10: test::check(process_, comm, {2, 0, 1}); return;
    default: test::check(process_, comm, everyone(process_)); return;
    }
  }

private:
  [[nodiscard]] bool is_low() const { return process_.rank < 2; }

  const Process &process_;
  avrm_comm_t *world_;
  avrm_comm_t *part_ = nullptr;
  avrm_comm_t *inter_ = nullptr;
  avrm_group_t *pair_ = nullptr;
  avrm_group_t *all_ = nullptr;
};

class Member {
public:
  Member(const Case &one, Process &process) : case_(one), board_(*one.board), process_(process), parents_(process) {
    contexts_ = live_contexts(process);
  }

  // The victim gets the status and exits; then the others get AVRM_ERR_PEER.
  void break_for_good() {
    if (process_.rank == case_.victim) {
      begin(nullptr);
      arm(kTransport, Fault::kHard, 0, INT64_MAX);
    } else {
      until([&] { return board_.begun.load() != begun_; });
      ++begun_;
      play(nullptr);
    }
    avrm_comm_t *comm = nullptr;
    const avrm_status_t status = avrm_comm_dup(process_.world, &comm);
    disarm();
    AVRM_MUST(comm == nullptr);
    AVRM_MUST(live_contexts(process_) <= contexts_ + 1); // one on which others may have agreed
    if (process_.rank == case_.victim) {
      AVRM_MUST(status == AVRM_ERR_TRANSPORT);
      std::_Exit(kGivenUp);
    }
    AVRM_MUST(status == AVRM_ERR_PEER);
  }

  void run(const FailingMemory &memory) {
    if (process_.rank != case_.victim) {
      for (;;) {
        until([&] { return board_.over.load() || board_.begun.load() != begun_; });
        if (board_.over) {
          return;
        }
        ++begun_;
        play(nullptr);
      }
    }
    begin(nullptr);
    begin(nullptr);
    const std::uint64_t bytes = memory.books.live_bytes();
    const int descriptors = open_descriptors();
    sweep(
        kTransport, case_.faults,
        [&](const Shot &shot) {
          begin(&shot);
          begin(nullptr);
        },
        case_.options);
    AVRM_MUST(memory.books.live_bytes() == bytes);
    AVRM_MUST(open_descriptors() == descriptors);
    board_.over = true;
  }

private:
  void begin(const Shot *shot) {
    board_.begun = ++begun_;
    play(shot);
  }
  template <typename Condition> void until(Condition condition) {
    for (int idle = 0; !condition();) {
      if (avrm_progress(process_.device) != 0) {
        idle = 0;
      } else if (++idle > 100) {
        usleep(20);
      }
    }
  }

  void play(const Shot *shot) {
    std::array<avrm_comm_t *, Parents::kWays> comms{};
    std::array<avrm_status_t, Parents::kWays> statuses{};
    if (shot != nullptr) {
      shot->arm();
    }
    for (std::size_t way = 0; way < Parents::kWays; ++way) {
      statuses[way] = parents_.make(static_cast<int>(way), &comms[way]);
    }
    disarm();
    for (std::size_t way = 0; way < Parents::kWays; ++way) {
      const avrm_status_t status = statuses[way];
      const bool all_well = gather(status, static_cast<int>(way));
      AVRM_MUST(all_well);
      parents_.check(static_cast<int>(way), comms[way]);
      release(comms[way]);
    }
    AVRM_MUST(live_contexts(process_) == contexts_);
  }

  // Shares the status with the others. True if all succeeded; otherwise all must have
  // the same status.
  bool gather(avrm_status_t status, int way) {
    const int all = told_ += kSize;
    board_.statuses[process_.rank] = status;
    ++board_.told;
    until([&] { return board_.told.load() >= all; });
    for (const auto &other : board_.statuses) {
      if (!is_clear(other) || other.load() != status) {
        std::fprintf(stderr, "way %d, %s: %s here, %s elsewhere\n", way, place_of_death(), avrm_status_name(status),
                     avrm_status_name(other));
      }
      AVRM_MUST(is_clear(other) && other.load() == status);
    }
    ++board_.heard;
    until([&] { return board_.heard.load() >= all; }); // before the next round overwrites them
    return status == AVRM_OK;
  }

  const Case &case_;
  Board &board_;
  Process &process_;
  Parents parents_;
  int contexts_;
  int begun_ = 0;
  int told_ = 0;
};

int run_process(avrm_boot_t *boot, void *user) {
  const Case &one = *static_cast<const Case *>(user);
  FailingMemory memory;
  const avrm_allocator_t hooks = memory.hooks();
  const avrm_device_options_t options = options_over(*one.transport, boot, &hooks);
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t opened = avrm_device_open(&options, &process.device);
  if (means_lacking(opened)) {
    return kSkipped;
  }
  AVRM_MUST(opened == AVRM_OK);
  process.world = avrm_device_world(process.device);
  {
    Member member(one, process);
    if (one.faults.empty()) {
      member.break_for_good();
    } else {
      member.run(memory);
    }
  }
  AVRM_MUST(avrm_device_close(process.device) == (one.faults.empty() ? AVRM_ERR_PEER : AVRM_OK));
  AVRM_MUST(memory.books.live_bytes() == 0);
  AVRM_MUST(!has_leaks());
  return testing::Test::HasFailure() ? 1 : 0;
}

class CreationCalls : public testing::TestWithParam<Transport> {
protected:
  // Over `netmod` by default, over both in long runs.
  static void run(const char *netmod, int victim, const std::vector<Fault> &faults, const SweepOptions &options) {
    if (std::strcmp(GetParam().netmod, netmod) != 0 && !is_long()) {
      GTEST_SKIP() << "over " << GetParam().name << " with AVRM_TEST_LONG=1 only";
    }
    const Shared<Board> board;
    Case one{&GetParam(), victim, faults, options, &*board};
    const avrm_fork_options_t forked{kSize, 1, job_timeout_ms(), faults.empty() ? 0 : 1};
    std::int32_t codes[kSize] = {};
    (void)seed();
    *place_of_death() = '\0';
    const avrm_status_t status = avrm_boot_fork_run(&forked, run_process, &one, codes);
    ASSERT_EQ(status, AVRM_OK) << avrm_status_name(status) << ", " << place_of_death();
    if (any_skipped(codes)) {
      GTEST_SKIP() << lacks(GetParam());
    }
    for (int rank = 0; rank < kSize; ++rank) {
      EXPECT_EQ(codes[rank], faults.empty() && rank == victim ? kGivenUp : 0) << place_of_death();
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Over, CreationCalls, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)),
                         kByName);

// Each over one transport by default, since opening a job takes longer than running it.
TEST_P(CreationCalls, OneThatFailsInALeaderIsRepeated) {
  run("ofi", 0, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, {.samples = 4});
}
TEST_P(CreationCalls, OneThatFailsInAMemberIsRepeated) {
  run("ucx", 1, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, {.samples = 4});
}
TEST_P(CreationCalls, SomeThatFailOneAfterTheOtherAreRepeated) {
  run("ofi", 2, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, {.samples = 2, .in_a_row = 50});
}
TEST_P(CreationCalls, WhatFailsForGoodIsToldAndEndsWithTheProcess) { run("ucx", 1, {}, {}); }

} // namespace
} // namespace avrankmap::test
