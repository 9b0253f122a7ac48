// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads of each process on the fast path, each with its own communicator and window, over
// every transport.
#include <array>
#include <deque>
#include <string_view>
#include <thread>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/fastpath.h"
#include "core/device.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kThreads = 3;
constexpr int kEach = 40;

// A thread's own communicator, window and memory.
struct Lane {
  avrm_comm_t *plain = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  std::array<std::uint64_t, kEach> memory{};
};

void open_lane(const Process &process, avrm_fp_t *fp, std::uint32_t number, Lane &lane) {
  avrm_rankmap_t map{};
  AVRM_MUST(avrm_rankmap_create_stride(avrm_device_instance(process.device), 0, process.size, 0, 1, &map) == AVRM_OK);
  AVRM_MUST(avrm_comm_create_local(process.device, &map, process.rank, 700 + number, &lane.plain) == AVRM_OK);
  AVRM_MUST(avrm_fp_comm_create(fp, lane.plain, &lane.comm) == AVRM_OK);
  AVRM_MUST(avrm_fp_window_create(lane.comm, lane.memory.data(), sizeof lane.memory, 8, 0, &lane.window) == AVRM_OK);
}

void close_lane(Lane &lane) {
  AVRM_MUST(avrm_fp_window_free(lane.window) == AVRM_OK);
  AVRM_MUST(avrm_fp_comm_free(lane.comm) == AVRM_OK);
  AVRM_MUST(avrm_comm_free(lane.plain) == AVRM_OK);
}

// Sends to the next process and puts into its window, receives from the previous one.
void use_lane(const Process &process, Lane &lane, int number) {
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  for (int i = 0; i < kEach; ++i) {
    const Buffer out = content(process.rank, next, 100 * number + i, i % 4 == 3 ? 9000 : 8);
    Buffer in(out.size());
    const auto count = static_cast<std::int32_t>(out.size());
    avrm_request_t *sent = nullptr;
    avrm_request_t *received = nullptr;
    AVRM_MUST(avrm_fp_irecv(in.data(), count, AVRM_BYTE, previous, i, lane.comm, &received) == AVRM_OK);
    const auto isend = i % 2 == 0 ? avrm_fp_isend_default : avrm_fp_isend_no_err;
    AVRM_MUST(isend(out.data(), count, AVRM_BYTE, next, i, lane.comm, &sent) == AVRM_OK);
    const std::uint64_t value = static_cast<std::uint64_t>(number) << 32 | static_cast<std::uint64_t>(i);
    const auto put = i % 2 == 0 ? avrm_fp_put_default : avrm_fp_put_no_err;
    AVRM_MUST(put(&value, 1, AVRM_UINT64, next, i, lane.window) == AVRM_OK);
    wait(received);
    wait(sent);
    AVRM_MUST(in == content(previous, process.rank, 100 * number + i, in.size()));
  }
  AVRM_MUST(avrm_fp_flush_all(lane.window) == AVRM_OK);
}

// Lanes of all threads, in every process.
class Lanes {
public:
  explicit Lanes(Process &process) : process_(process) {
    AVRM_MUST(avrm_fp_open(process.device, static_cast<std::int32_t>(kThreads), &fp_) == AVRM_OK);
    for (std::size_t i = 0; i < kThreads; ++i) {
      open_lane(process, fp_, static_cast<std::uint32_t>(i), lanes_[i]);
    }
    barrier(process);
  }
  Lanes(const Lanes &) = delete;
  Lanes &operator=(const Lanes &) = delete;
  ~Lanes() {
    for (Lane &lane : lanes_) {
      close_lane(lane);
    }
    AVRM_MUST(avrm_fp_close(fp_) == AVRM_OK);
    barrier(process_); // the next ones have the same context ids
  }

  [[nodiscard]] avrm_fp_t *fp() const { return fp_; }
  [[nodiscard]] const Lane &operator[](std::size_t i) const { return lanes_[i]; }
  // Runs `body(lane, number)` in a thread for each.
  template <typename Body> void run(Body body) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { body(lanes_[i], static_cast<int>(i)); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    barrier(process_);
  }

private:
  Process &process_;
  avrm_fp_t *fp_ = nullptr;
  std::array<Lane, kThreads> lanes_;
};

// Sends by every function in turn, small and large messages, before anybody receives; then
// receives, in order.
void send_and_receive_in_order(const Process &process, const Lane &lane, int number) {
  constexpr std::size_t kSizes[] = {1, 100000, 8, 0, 3000, 9000};
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  const auto bytes_of = [&](int i) { return kSizes[static_cast<std::size_t>(i) % std::size(kSizes)]; };
  std::array<Buffer, kEach> out;
  std::array<avrm_request_t *, kEach> sent{};
  for (int i = 0; i < kEach; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = content(process.rank, next, 100 * number + i, bytes_of(i));
    const avrm_layout_t layout{out[at].size(), 1, out[at].size()};
    const auto count = static_cast<std::int32_t>(out[at].size());
    switch (i % 4) {
    case 0:
      AVRM_MUST(avrm_fp_isend_default(out[at].data(), count, AVRM_BYTE, next, i, lane.comm, &sent[at]) == AVRM_OK);
      break;
    case 1: AVRM_MUST(avrm_isend_strided(lane.plain, out[at].data(), &layout, next, i, &sent[at]) == AVRM_OK); break;
    case 2: AVRM_MUST(avrm_isend(lane.plain, out[at].data(), out[at].size(), next, i, &sent[at]) == AVRM_OK); break;
    default:
      AVRM_MUST(avrm_fp_isend_no_err(out[at].data(), count, AVRM_BYTE, next, i, lane.comm, &sent[at]) == AVRM_OK);
      break;
    }
  }
  for (int i = 0; i < kEach; ++i) {
    Buffer in(bytes_of(i));
    avrm_request_t *received = nullptr;
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_irecv(lane.plain, in.data(), in.size(), previous, AVRM_ANY_TAG, &received) == AVRM_OK);
    wait(received, &outcome);
    AVRM_MUST(outcome.tag == i && outcome.bytes == in.size());
    AVRM_MUST(in == content(previous, process.rank, 100 * number + i, in.size()));
  }
  for (avrm_request_t *request : sent) {
    wait(request);
  }
}

// A window of the communicator of a lane, for atomics, and its memory: a ticket counter in the part
// of rank 0, and in each part words that the previous process alone operates on.
class AtomicLane {
public:
  AtomicLane(const Process &process, const Lane &lane, unsigned flags)
      : size_(static_cast<std::uint64_t>(process.size)), next_((process.rank + 1) % process.size) {
    AVRM_MUST(avrm_window_create(lane.plain, memory_.data(), sizeof memory_, flags, &window_) == AVRM_OK);
  }
  AtomicLane(const AtomicLane &) = delete;
  AtomicLane &operator=(const AtomicLane &) = delete;
  void free() { AVRM_MUST(avrm_window_free(window_) == AVRM_OK); }

  void use() {
    std::uint64_t least = 0;
    for (std::uint64_t i = 0; i < kEach; ++i) {
      const std::uint64_t ticket = fetch_and_add(0, 0);
      AVRM_MUST(ticket >= least && ticket < size_ * kEach);
      least = ticket + 1;
      AVRM_MUST(compare_and_swap(i, i + 1) == i);
      const std::array<std::uint64_t, 3> operands{i, 2 * i, 1};
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_accumulate(window_, operands.data(), 3, AVRM_UINT64, AVRM_OP_SUM, next_, 2 * kWord, &request) ==
                AVRM_OK);
      wait(request);
    }
    AVRM_MUST(avrm_flush_all(window_) == AVRM_OK);
  }

  // Once all processes have used it.
  void verify(int rank) const {
    constexpr std::uint64_t kSum = std::uint64_t{kEach} * (kEach - 1) / 2;
    const std::array<std::uint64_t, 5> expected{rank == 0 ? size_ * kEach : 0, kEach, kSum, 2 * kSum, kEach};
    AVRM_MUST(memory_ == expected);
  }
  [[nodiscard]] avrm_window_t *get() const { return window_; }

private:
  static constexpr std::uint64_t kWord = sizeof(std::uint64_t);

  std::uint64_t fetch_and_add(int target, std::uint64_t offset) {
    const std::uint64_t one = 1;
    std::uint64_t old = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_fetch_and_op(window_, &one, &old, AVRM_UINT64, AVRM_OP_SUM, target, offset, &request) == AVRM_OK);
    wait(request);
    return old;
  }
  std::uint64_t compare_and_swap(std::uint64_t expected, std::uint64_t wanted) {
    std::uint64_t old = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_compare_and_swap(window_, &wanted, &expected, &old, AVRM_UINT64, next_, kWord, &request) == AVRM_OK);
    wait(request);
    return old;
  }

  std::uint64_t size_;
  int next_;
  std::array<std::uint64_t, 5> memory_{};
  avrm_window_t *window_ = nullptr;
};

// All threads operate, each over the queue of its communicator.
void operate_over_queues(Process &process, unsigned flags) {
  Lanes lanes(process);
  std::deque<AtomicLane> windows;
  for (std::size_t i = 0; i < kThreads; ++i) {
    AVRM_MUST((lanes[i].plain->queue != nullptr) == (avrm_fp_queues(lanes.fp()) != 0));
    windows.emplace_back(process, lanes[i], flags);
    const bool by_network = avrm_window_has_network_atomics(windows.back().get());
    AVRM_MUST(!by_network || flags == AVRM_WINDOW_NETWORK_ATOMICS);
  }
  barrier(process);
  lanes.run([&](const Lane & /*lane*/, int number) { windows[static_cast<std::size_t>(number)].use(); });
  for (AtomicLane &window : windows) {
    window.verify(process.rank);
    window.free();
  }
}

class FastpathThreads : public testing::TestWithParam<Transport> {
protected:
  void run(int size, const std::function<void(Process &)> &body) { run_job(GetParam(), size, body, -1, true); }
};

TEST_P(FastpathThreads, HaveQueuesOfTheirOwn) {
  run(2, [](Process &process) {
    const Lanes lanes(process);
    AVRM_MUST(avrm_fp_queues(lanes.fp()) == static_cast<std::int32_t>(kThreads));
  });
}

TEST_P(FastpathThreads, DoNotDisturbOneAnother) {
  run(2, [](Process &process) {
    Lanes lanes(process);
    lanes.run([&](Lane &lane, int number) { use_lane(process, lane, number); });
    for (std::size_t i = 0; i < kThreads; ++i) {
      for (std::size_t j = 0; j < kEach; ++j) {
        AVRM_MUST(lanes[i].memory[j] == (i << 32 | j));
      }
    }
  });
}

TEST_P(FastpathThreads, MessagesOfACommunicatorDoNotOvertakeOneAnother) {
  run(3, [](Process &process) {
    Lanes lanes(process);
    lanes.run([&](const Lane &lane, int number) { send_and_receive_in_order(process, lane, number); });
  });
}

// One thread meets the last member while others put: then the directory changes its form.
TEST_P(FastpathThreads, MayPutWhileAllPartsOfAWindowBecomeKnown) {
  run(3, [](Process &process) {
    Lanes lanes(process);
    const Lane &shared = lanes[0];
    const int next = (process.rank + 1) % process.size;
    const int previous = (process.rank + process.size - 1) % process.size;
    const auto value_of = [](int rank, int number) { return static_cast<std::uint64_t>(100 * rank + number + 1); };
    lanes.run([&](const Lane & /*own*/, int number) {
      for (int i = 0; i < 300; ++i) {
        const int target = number == 0 && i > 100 ? previous : next;
        const std::uint64_t value = value_of(process.rank, number);
        AVRM_MUST(avrm_fp_put_default(&value, 1, AVRM_UINT64, target, 3 * process.rank + number, shared.window) ==
                  AVRM_OK);
      }
      AVRM_MUST(avrm_fp_flush_all(shared.window) == AVRM_OK);
    });
    for (int number = 0; number < static_cast<int>(kThreads); ++number) {
      const auto at = [number](int origin) { return static_cast<std::size_t>(3 * origin + number); };
      AVRM_MUST(shared.memory[at(previous)] == value_of(previous, number));
      AVRM_MUST(shared.memory[at(next)] == (number == 0 ? value_of(next, number) : 0));
    }
    barrier(process);
  });
}

TEST_P(FastpathThreads, AtomicsOverQueuesAreAtomic) {
  run(3, [](Process &process) { operate_over_queues(process, 0); });
}

TEST_P(FastpathThreads, AtomicsOverQueuesAreAtomicInTheNetwork) {
  run(3, [](Process &process) { operate_over_queues(process, AVRM_WINDOW_NETWORK_ATOMICS); });
}

// The queues stay, and keep their connected peers.
TEST_P(FastpathThreads, TheInterfaceCanBeClosedAndOpenedAgain) {
  run(2, [](Process &process) {
    for (int i = 0; i < 3; ++i) {
      Lanes lanes(process);
      lanes.run([&](Lane &lane, int number) { use_lane(process, lane, number); });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Every, FastpathThreads, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

} // namespace
} // namespace avrankmap::test
