// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device whose allocations, system calls and transport fail, call by call, and a peer without
// faults. The failed call returns a status in that process, works when it is repeated, and the peer
// gets what it waits for.
#include <gtest/gtest.h>

#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/fastpath.h"
#include "tests/device/core/process.h"
#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/sweep.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

// Shared by both processes.
struct Board {
  std::atomic<int> round{0};    // that the victim has begun
  std::atomic<int> accessed{0}; // in which the other has tried to reach the victim's window
  std::atomic<int> well{0};     // the last one in which nothing fails any more
  std::atomic<int> answered{0}; // that the other has ended
  std::atomic<bool> over{false};
  std::atomic<bool> has_window{false}; // of the victim's, in this round
};

constexpr std::size_t kLarge = 300000;

// One end of the job. Rank 0 is the victim.
class Side {
public:
  Side(avrm_boot_t *boot, const Transport &transport, Board *board)
      : boot_(boot), transport_(transport), board_(board) {}

  avrm_status_t open(bool threads = false) {
    hooks_ = memory_.hooks();
    avrm_device_options_t options = options_over(transport_, boot_, &hooks_);
    options.threads = threads;
    device_ = nullptr;
    return avrm_device_open(&options, &device_);
  }
  avrm_status_t close() { return avrm_device_close(device_); }
  [[nodiscard]] avrm_device_t *device() const { return device_; }
  [[nodiscard]] bool is_victim() const { return avrm_boot_rank(boot_) == 0; }
  [[nodiscard]] int other() const { return 1 - avrm_boot_rank(boot_); }
  [[nodiscard]] avrm_comm_t *world() const { return avrm_device_world(device_); }
  [[nodiscard]] std::uint64_t live_bytes() const { return memory_.books.live_bytes(); }
  [[nodiscard]] Board &board() const { return *board_; }

  template <typename Condition> void until(Condition condition) const {
    while (!condition()) {
      if (avrm_progress(device_) == 0) {
        sched_yield();
      }
    }
  }

private:
  avrm_boot_t *boot_;
  const Transport &transport_;
  Board *board_;
  FailingMemory memory_;
  avrm_allocator_t hooks_{};
  avrm_device_t *device_ = nullptr;
};

using Bytes = std::vector<unsigned char>;

// Messages of every kind, both ways. All of them arrive, some at the second attempt.
class Messages {
public:
  explicit Messages(const Side &side) : side_(side) {
    for (std::size_t i = 0; i < kKinds; ++i) {
      out_[i].resize(kSizes[i]);
      std::iota(out_[i].begin(), out_[i].end(), static_cast<unsigned char>(i));
      for (std::size_t gap = 3; (i == kInLayout || i == kInList) && gap < out_[i].size(); gap += 4) {
        out_[i][gap] = 0; // like the bytes that nothing is received into
      }
      in_[i].assign(kSizes[i], 0);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i] = {static_cast<std::int64_t>(i * kLayout.pitch), kLayout.block};
    }
  }

  void post() {
    for (std::size_t i = 0; i < kKinds; ++i) {
      received_[i].status = receive(i);
      sent_[i].status = send(i);
    }
  }
  // Waits for all operations, unless one was refused and must be repeated first.
  void look() {
    const auto is_posted = [](const Operation &operation) { return operation.status == AVRM_OK; };
    if (std::all_of(sent_.begin(), sent_.end(), is_posted) &&
        std::all_of(received_.begin(), received_.end(), is_posted)) {
      side_.until([&] { return is_over(); });
    }
  }
  void repeat() {
    for (std::size_t i = 0; i < kKinds; ++i) {
      repeat(received_[i], [&] { return receive(i); });
      repeat(sent_[i], [&] { return send(i); });
    }
  }
  void finish() {
    side_.until([&] { return is_over(); });
    for (std::size_t i = 0; i < kKinds; ++i) {
      end(sent_[i]);
      end(received_[i]);
      AVRM_MUST(in_[i] == out_[i]);
    }
  }

private:
  struct Operation {
    avrm_request_t *request = nullptr;
    avrm_status_t status = AVRM_OK;
  };
  static constexpr std::size_t kKinds = 6; // small, from anybody, two in blocks, large, empty
  static constexpr std::size_t kInLayout = 2;
  static constexpr std::size_t kInList = 3;
  static constexpr std::size_t kSizes[kKinds] = {8, 40, 4000, 4000, kLarge, 0};
  static constexpr avrm_layout_t kLayout{3, 1000, 4};

  avrm_status_t receive(std::size_t i) {
    const auto tag = static_cast<std::int32_t>(i);
    avrm_request_t **const request = &received_[i].request;
    if (i == kInLayout) {
      return avrm_irecv_strided(side_.world(), in_[i].data(), &kLayout, side_.other(), tag, request);
    }
    if (i == kInList) {
      const avrm_blocks_t list{blocks_.data(), blocks_.size()};
      return avrm_irecv_blocks(side_.world(), in_[i].data(), &list, side_.other(), tag, request);
    }
    return avrm_irecv(side_.world(), in_[i].data(), in_[i].size(), i == 1 ? AVRM_ANY_SOURCE : side_.other(), tag,
                      request);
  }
  avrm_status_t send(std::size_t i) {
    const auto tag = static_cast<std::int32_t>(i);
    avrm_request_t **const request = &sent_[i].request;
    if (i == kInLayout) {
      return avrm_isend_strided(side_.world(), out_[i].data(), &kLayout, side_.other(), tag, request);
    }
    if (i == kInList) {
      const avrm_blocks_t list{blocks_.data(), blocks_.size()};
      return avrm_isend_blocks(side_.world(), out_[i].data(), &list, side_.other(), tag, request);
    }
    return avrm_isend(side_.world(), out_[i].data(), out_[i].size(), side_.other(), tag, request);
  }
  template <typename Again> static void repeat(Operation &operation, Again again) {
    if (operation.status != AVRM_OK) {
      AVRM_MUST(is_clear(operation.status) && operation.request == nullptr);
      operation.status = again();
    }
  }
  static void end(Operation &operation) {
    if (operation.status != AVRM_OK) {
      std::fprintf(stderr, "%s\n", avrm_status_name(operation.status));
    }
    AVRM_MUST(operation.status == AVRM_OK);
    const avrm_status_t status = avrm_wait(&operation.request, nullptr);
    if (status != AVRM_OK) {
      std::fprintf(stderr, "ended with %s\n", avrm_status_name(status));
    }
    AVRM_MUST(status == AVRM_OK);
  }
  [[nodiscard]] static bool is_over(Operation &operation) {
    return operation.request == nullptr ||
           std::atomic_ref<std::uint32_t>(operation.request->done).load(std::memory_order_acquire) != 0;
  }
  [[nodiscard]] bool is_over() {
    return std::all_of(sent_.begin(), sent_.end(), [](Operation &one) { return is_over(one); }) &&
           std::all_of(received_.begin(), received_.end(), [](Operation &one) { return is_over(one); });
  }

  const Side &side_;
  std::array<avrm_block_t, kLayout.count> blocks_{}; // of the layout
  std::array<Bytes, kKinds> out_;
  std::array<Bytes, kKinds> in_;
  std::array<Operation, kKinds> sent_;
  std::array<Operation, kKinds> received_;
};

// Puts and gets of every kind, in the peer's window.
class Accesses {
public:
  explicit Accesses(const Side &side) : side_(side), out_(kLarge), in_(kLarge) {
    std::iota(out_.begin(), out_.end(), static_cast<unsigned char>(1));
  }
  avrm_status_t open() {
    void *base = nullptr;
    const avrm_status_t status = avrm_window_allocate(side_.world(), 2 * kLarge, 0, &base, &window_);
    AVRM_MUST(is_clear(status) && (status == AVRM_OK) == (window_ != nullptr));
    return status;
  }
  void close() {
    if (window_ != nullptr) {
      AVRM_MUST(avrm_window_free(window_) == AVRM_OK);
      window_ = nullptr;
    }
  }
  // The first status that is not AVRM_OK.
  avrm_status_t access() {
    const avrm_layout_t dense{3000, 1, 3000};
    const avrm_layout_t sparse{3, 1000, 7};
    const avrm_block_t listed[] = {{2000, 1000}, {0, 1500}};
    const avrm_blocks_t list{listed, 2};
    std::fill(in_.begin(), in_.end(), static_cast<unsigned char>(0));
    const std::array<avrm_status_t, 11> statuses{
        one([&](avrm_request_t **request) { return avrm_put(window_, out_.data(), 8, side_.other(), 0, request); }),
        one([&](avrm_request_t **request) {
          return avrm_put_strided(window_, out_.data(), &dense, side_.other(), kLarge, &sparse, request);
        }),
        one([&](avrm_request_t **request) {
          return avrm_put(window_, out_.data(), kLarge, side_.other(), 0, request);
        }),
        clear(avrm_flush(window_, side_.other())),
        one([&](avrm_request_t **request) {
          return avrm_rput(window_, out_.data(), kLarge, side_.other(), 0, request);
        }),
        one([&](avrm_request_t **request) {
          return avrm_get_strided(window_, in_.data(), &dense, side_.other(), kLarge, &sparse, request);
        }),
        one([&](avrm_request_t **request) {
          return avrm_rput_blocks(window_, out_.data(), &list, side_.other(), kLarge, &list, request);
        }),
        one([&](avrm_request_t **request) {
          return avrm_get_blocks(window_, in_.data(), &list, side_.other(), kLarge, &list, request);
        }),
        one([&](avrm_request_t **request) {
          return avrm_get_accumulate(window_, out_.data(), in_.data(), 100, AVRM_UINT64, AVRM_OP_REPLACE, side_.other(),
                                     0, request);
        }),
        one([&](avrm_request_t **request) { return avrm_get(window_, in_.data(), kLarge, side_.other(), 0, request); }),
        clear(avrm_flush_all(window_)),
    };
    for (const avrm_status_t status : statuses) {
      if (status != AVRM_OK) {
        return status;
      }
    }
    AVRM_MUST(in_ == out_);
    return AVRM_OK;
  }

private:
  static avrm_status_t clear(avrm_status_t status) {
    if (!is_clear(status)) {
      std::fprintf(stderr, "%s\n", avrm_status_name(status));
    }
    AVRM_MUST(is_clear(status));
    return status;
  }
  template <typename Start> static avrm_status_t one(Start start) {
    avrm_request_t *request = nullptr;
    const avrm_status_t status = clear(start(&request));
    return status != AVRM_OK ? status : clear(avrm_wait(&request, nullptr));
  }

  const Side &side_;
  Bytes out_;
  Bytes in_;
  avrm_window_t *window_ = nullptr;
};

struct Case {
  const Transport *transport;
  unsigned families;
  std::vector<Fault> faults;
  SweepOptions options;
  void (*play)(Side &side, const Shot *shot, int round); // shot: the victim's
  Board *board;
};

// Both processes, round by round.
int run_case(avrm_boot_t *boot, void *user) {
  const Case &one = *static_cast<const Case *>(user);
  Side side(boot, *one.transport, one.board);
  const avrm_status_t opened = side.open();
  if (means_lacking(opened)) {
    return kSkipped;
  }
  AVRM_MUST(opened == AVRM_OK);
  Board &board = side.board();
  int round = 0;
  if (side.is_victim()) {
    const auto next = [&](const Shot *shot) {
      board.round = ++round;
      one.play(side, shot, round);
      disarm();
      side.until([&] { return board.answered.load() == round; });
    };
    next(nullptr);
    next(nullptr);
    const std::uint64_t before = side.live_bytes();
    const int descriptors = open_descriptors();
    sweep(
        one.families, one.faults,
        [&](const Shot &shot) {
          next(&shot);
          next(nullptr);
        },
        one.options);
    AVRM_MUST(side.live_bytes() == before);
    AVRM_MUST(open_descriptors() == descriptors);
    board.over = true;
  } else {
    for (;;) {
      side.until([&] { return board.over.load() || board.round.load() != round; });
      if (board.over) {
        break;
      }
      one.play(side, nullptr, ++round);
      board.answered = round;
    }
  }
  AVRM_MUST(side.close() == AVRM_OK);
  AVRM_MUST(side.live_bytes() == 0);
  AVRM_MUST(!has_leaks());
  return testing::Test::HasFailure() ? 1 : 0;
}

void play_messages(Side &side, const Shot *shot, int) {
  Messages messages(side);
  if (shot != nullptr) {
    shot->arm();
    messages.post();
    messages.look();
    disarm();
    messages.repeat();
  } else {
    messages.post();
  }
  messages.finish();
}

// The victim fails to create its window, to access the peer's, or to answer for its own.
void play_windows(Side &side, const Shot *shot, int round) {
  Board &board = side.board();
  Accesses accesses(side);
  if (side.is_victim()) {
    if (shot != nullptr) {
      shot->arm();
    }
    const bool made = accesses.open() == AVRM_OK;
    if (made) {
      (void)accesses.access();
    }
    side.until([&] { return board.accessed.load() == round; }); // the peer has sent requests
    disarm();
    board.has_window = made;
    board.well = round;
    if (!made) {
      AVRM_MUST(accesses.open() == AVRM_OK);
    }
    AVRM_MUST(accesses.access() == AVRM_OK);
  } else {
    AVRM_MUST(accesses.open() == AVRM_OK);
    (void)accesses.access(); // ends with any status
    board.accessed = round;
    side.until([&] { return board.well.load() == round; });
    if (!board.has_window) { // the victim starts again
      accesses.close();
      AVRM_MUST(accesses.open() == AVRM_OK);
    }
    AVRM_MUST(accesses.access() == AVRM_OK);
  }
  play_messages(side, nullptr, round); // the windows are not used any more
  accesses.close();
}

// The victim fails to open queues, or to send by them. It uses another device, since queues stay
// until their device is closed.
void play_queues(Side &side, const Shot *shot, int) {
  AVRM_MUST(side.close() == AVRM_OK);
  AVRM_MUST(side.open(true) == AVRM_OK);
  const auto clear = [](avrm_status_t status) {
    AVRM_MUST(is_clear(status));
    return status == AVRM_OK;
  };
  avrm_fp_t *fp = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  Bytes expected(kLarge);
  std::iota(expected.begin(), expected.end(), static_cast<unsigned char>(0));
  Bytes buffer = side.is_victim() ? expected : Bytes(kLarge);
  std::array<avrm_request_t *, 2> requests{};
  const std::array<std::int32_t, 2> counts{8, static_cast<std::int32_t>(kLarge)};
  const auto send = [&](std::size_t i) {
    requests[i] = nullptr;
    return clear(avrm_fp_isend_default(buffer.data(), counts[i], AVRM_BYTE, side.other(), static_cast<std::int32_t>(i),
                                       comm, &requests[i]));
  };
  const auto test = [&](std::size_t i) {
    bool done = false;
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_test(&requests[i], &done, &outcome) == AVRM_OK);
    AVRM_MUST(!done || outcome.status == AVRM_OK);
    return done;
  };
  if (shot != nullptr) {
    shot->arm();
  }
  const bool opened = clear(avrm_fp_open(side.device(), 2, &fp));
  const bool made = opened && clear(avrm_fp_comm_create(fp, side.world(), &comm));
  const std::array<bool, 2> sent{side.is_victim() && made && send(0), side.is_victim() && made && send(1)};
  disarm();
  AVRM_MUST(opened || avrm_fp_open(side.device(), 2, &fp) == AVRM_OK);
  AVRM_MUST(made || avrm_fp_comm_create(fp, side.world(), &comm) == AVRM_OK);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (side.is_victim()) {
      AVRM_MUST(sent[i] || send(i));
    } else {
      AVRM_MUST(avrm_fp_irecv(buffer.data(), counts[i], AVRM_BYTE, side.other(), static_cast<std::int32_t>(i), comm,
                              &requests[i]) == AVRM_OK);
    }
    side.until([&] { return test(i); });
  }
  AVRM_MUST(buffer == expected);
  AVRM_MUST(avrm_fp_comm_free(comm) == AVRM_OK);
  AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
}

// Threads that wait poll no longer than it takes to fall asleep. Processes of a job inherit it.
class SleepAtOnce {
public:
  SleepAtOnce() { setenv("AVRM_SPIN_US", "0", 1); }
  SleepAtOnce(const SleepAtOnce &) = delete;
  SleepAtOnce &operator=(const SleepAtOnce &) = delete;
  ~SleepAtOnce() { unsetenv("AVRM_SPIN_US"); }
};

class DeviceCalls : public testing::TestWithParam<Transport> {
protected:
  static void run(unsigned families, const std::vector<Fault> &faults, void (*play)(Side &, const Shot *, int),
                  const SweepOptions &options = {.samples = 8}) {
    const Shared<Board> board;
    Case one{&GetParam(), families, faults, options, play, &*board};
    avrm_fork_options_t forked{2, GetParam().per_node, job_timeout_ms(), 1};
    std::int32_t codes[2] = {};
    (void)seed();
    *place_of_death() = '\0';
    const avrm_status_t status = avrm_boot_fork_run(&forked, run_case, &one, codes);
    ASSERT_EQ(status, AVRM_OK) << avrm_status_name(status) << ", " << place_of_death();
    if (any_skipped(codes)) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(codes[0], 0) << place_of_death();
    EXPECT_EQ(codes[1], 0) << place_of_death();
  }
};

INSTANTIATE_TEST_SUITE_P(Over, DeviceCalls, testing::ValuesIn(transports_of(Suites::kAll, has_one)), kByName);

TEST_P(DeviceCalls, MessagesSurviveAnAllocationThatFails) { run(kMemory, {Fault::kNoMemory}, play_messages); }

TEST_P(DeviceCalls, MessagesSurviveMemoryThatIsShortForAWhile) {
  run(kMemory, {Fault::kNoMemory}, play_messages, {.samples = 6, .in_a_row = 20});
}

TEST_P(DeviceCalls, MessagesSurviveATransportThatFails) {
  if (!has_network(GetParam())) {
    GTEST_SKIP() << "this transport calls no library";
  }
  run(kTransport, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, play_messages);
}

TEST_P(DeviceCalls, MessagesSurviveATransportThatFailsForAWhile) {
  if (!has_network(GetParam())) {
    GTEST_SKIP() << "this transport calls no library";
  }
  run(kTransport, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, play_messages, {.samples = 6, .in_a_row = 20});
}

TEST_P(DeviceCalls, WindowsSurviveAnAllocationThatFails) { run(kMemory, {Fault::kNoMemory}, play_windows); }

TEST_P(DeviceCalls, WindowsSurviveMemoryThatIsShortForAWhile) {
  run(kMemory, {Fault::kNoMemory}, play_windows, {.samples = 6, .in_a_row = 20});
}

TEST_P(DeviceCalls, WaitsThatSleepSurviveAnAllocationThatFails) {
  const SleepAtOnce setting;
  run(kMemory, {Fault::kNoMemory}, play_windows, {.samples = 5});
}

TEST_P(DeviceCalls, WaitsThatSleepSurviveASystemCallThatFails) {
  if (!has_shared_memory(GetParam())) {
    GTEST_SKIP() << "it calls the system for shared memory alone";
  }
  const SleepAtOnce setting;
  run(kSystem | kCopies, {Fault::kHard, Fault::kNoMemory, Fault::kPeer}, play_windows, {.samples = 5});
}

TEST_P(DeviceCalls, WaitsThatSleepSurviveATransportThatFails) {
  if (!has_network(GetParam())) {
    GTEST_SKIP() << "this transport calls no library";
  }
  const SleepAtOnce setting;
  run(kTransport, {Fault::kHard, Fault::kAgain}, play_messages, {.samples = 4});
}

TEST_P(DeviceCalls, WindowsSurviveASystemCallThatFails) {
  if (!has_shared_memory(GetParam())) {
    GTEST_SKIP() << "it calls the system for shared memory alone";
  }
  run(kSystem | kCopies, {Fault::kHard, Fault::kNoMemory, Fault::kPeer}, play_windows);
}

TEST_P(DeviceCalls, WindowsSurviveATransportThatFails) {
  if (!has_network(GetParam())) {
    GTEST_SKIP() << "this transport calls no library";
  }
  run(kTransport, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, play_windows);
}

TEST_P(DeviceCalls, QueuesSurviveAnAllocationThatFails) { run(kMemory, {Fault::kNoMemory}, play_queues); }

TEST_P(DeviceCalls, QueuesSurviveATransportThatFails) {
  if (!has_network(GetParam())) {
    GTEST_SKIP() << "this transport calls no library";
  }
  // Each round opens devices, whose memory some providers fill when they connect.
  run(kTransport, {Fault::kHard, Fault::kNoMemory, Fault::kAgain}, play_queues, {.samples = 3});
}

} // namespace
} // namespace avrankmap::test
