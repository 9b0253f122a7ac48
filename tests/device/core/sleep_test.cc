// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that wait give the processor away, and wake up for whatever they wait for.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "avrankmap/device/comm.h"
#include "avrankmap/device/probe.h"
#include "core/device.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

// The processes of a job inherit it.
class SpinTime {
public:
  explicit SpinTime(const char *microseconds) { setenv("AVRM_SPIN_US", microseconds, 1); }
  SpinTime(const SpinTime &) = delete;
  SpinTime &operator=(const SpinTime &) = delete;
  ~SpinTime() { unsetenv("AVRM_SPIN_US"); }
};

std::int64_t cpu_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

class Sleep : public testing::TestWithParam<Transport> {};

constexpr int kIdleMs = 600;
// 2 % and much of a loaded machine's noise. In the first wait ofi_rxm clears buffers, which takes
// long with the thread sanitizer.
constexpr std::int64_t kMostNs = std::int64_t{kIdleMs} * 1000000 / (kSanitized ? 2 : 6);

// Waits of every kind for process 1, which sleeps meanwhile, all transports being connected.
void each_wait_rests(Process &process, const std::function<void()> &waits, const std::function<void()> &lets_go) {
  barrier(process);
  if (process.rank == 1) {
    usleep(kIdleMs * 1000);
    lets_go();
  } else {
    const std::int64_t start = cpu_time_ns();
    waits();
    const std::int64_t taken = cpu_time_ns() - start;
    if (taken >= kMostNs) {
      std::fprintf(stderr, "waiting for %d ms took %.1f ms of the processor\n", kIdleMs,
                   static_cast<double>(taken) / 1e6);
    }
    AVRM_MUST(taken < kMostNs);
  }
}

TEST_P(Sleep, RestsInAWait) {
  run_job(GetParam(), 2, [](Process &process) {
    Buffer in(8);
    each_wait_rests(
        process, [&] { receive(process, in, 1, 3); }, [&] { send(process, content(1, 0, 3, 8), 0, 3); });
    AVRM_MUST(process.rank == 1 || in == content(1, 0, 3, 8));
  });
}

TEST_P(Sleep, RestsInAProbe) {
  run_job(GetParam(), 2, [](Process &process) {
    Buffer in(8);
    each_wait_rests(
        process, [&] { AVRM_MUST(avrm_probe(process.world, 1, 3, nullptr) == AVRM_OK); },
        [&] { send(process, content(1, 0, 3, 8), 0, 3); });
    if (process.rank == 0) {
      receive(process, in, 1, 3);
    }
  });
}

TEST_P(Sleep, RestsWhileACommunicatorIsMade) {
  run_job(GetParam(), 2, [](Process &process) {
    avrm_comm_t *twin = nullptr;
    const auto dup = [&] { AVRM_MUST(avrm_comm_dup(process.world, &twin) == AVRM_OK); };
    each_wait_rests(process, dup, dup);
    AVRM_MUST(avrm_comm_free(twin) == AVRM_OK);
  });
}

TEST_P(Sleep, RestsInAWaitForSeveral) {
  run_job(GetParam(), 2, [](Process &process) {
    avrm_request_t *requests[2] = {};
    Buffer in[2] = {Buffer(8), Buffer(8)};
    if (process.rank == 0) {
      for (const int i : {0, 1}) {
        AVRM_MUST(avrm_irecv(process.world, in[i].data(), 8, 1, 3 + i, &requests[i]) == AVRM_OK);
      }
    }
    each_wait_rests(
        process,
        [&] {
          std::int32_t index = AVRM_UNDEFINED;
          AVRM_MUST(avrm_waitany(2, requests, &index, nullptr) == AVRM_OK && index == 1);
        },
        [&] { send(process, content(1, 0, 4, 8), 0, 4); });
    each_wait_rests(
        process, [&] { AVRM_MUST(avrm_waitall(2, requests, nullptr) == AVRM_OK); },
        [&] { send(process, content(1, 0, 3, 8), 0, 3); });
    AVRM_MUST(process.rank == 1 || (in[0] == content(1, 0, 3, 8) && in[1] == content(1, 0, 4, 8)));
  });
}

TEST_P(Sleep, RestsUntilATimeIsOver) {
  run_job(GetParam(), 2, [](Process &process) {
    barrier(process);
    if (process.rank == 0) {
      Buffer in(8);
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_irecv(process.world, in.data(), 8, 1, 3, &request) == AVRM_OK);
      const auto begin = std::chrono::steady_clock::now();
      const std::int64_t start = cpu_time_ns();
      AVRM_MUST(avrm_wait_for(&request, kIdleMs * 1000000, nullptr) == AVRM_ERR_TIMEOUT && request != nullptr);
      AVRM_MUST(cpu_time_ns() - start < kMostNs);
      AVRM_MUST(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(kIdleMs));
      AVRM_MUST(avrm_cancel(request) == AVRM_OK);
      AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
    }
    barrier(process);
  });
}

// Each call of progress finds an event, as where others send without a pause.
TEST(WaitFor, EndsInSteadyTraffic) {
  run_job(kNull, 1, [](Process &process) {
    avrm_netmod_t *const net = process.device->net;
    const avrm_netmod_ops_t *const real = net->ops;
    avrm_netmod_ops_t busy = *real;
    busy.progress = [](avrm_netmod_t *) { return 1; };
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, nullptr, 0, 0, 3, &request) == AVRM_OK);
    net->ops = &busy;
    AVRM_MUST(avrm_wait_for(&request, 1000, nullptr) == AVRM_ERR_TIMEOUT && request != nullptr);
    net->ops = real;
    AVRM_MUST(avrm_cancel(request) == AVRM_OK);
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
  });
}

TEST_P(Sleep, LosesNothingIfItSleepsAtOnce) {
  const SpinTime none("0");
  run_job(GetParam(), 3, [](Process &process) {
    for (const auto body :
         {every_size_arrives_intact, a_receive_from_anybody_takes_each_message_once, random_traffic_arrives_intact,
          several_requests_are_waited_for, probes_find_what_a_receive_would_take,
          windows_of_own_memory_take_puts_and_gets, windows_of_allocated_memory_take_puts_and_gets,
          visible_puts_need_no_flush, each_ticket_is_drawn_once, a_flood_pushes_back_and_loses_nothing}) {
      body(process);
      barrier(process);
    }
  });
}

TEST_P(Sleep, NeverSleepsIfToldSo) {
  const SpinTime forever("-1");
  run_job(GetParam(), 2, several_requests_are_waited_for);
}

TEST(SpinTimeOfADevice, ThatIsBelowForeverIsRefused) {
  avrm_boot_t *boot = nullptr;
  ASSERT_EQ(avrm_boot_open(&boot), AVRM_OK);
  for (const std::int32_t wrong : {AVRM_SPIN_FOREVER - 1, INT32_MIN}) {
    avrm_device_options_t options{};
    options.boot = boot;
    options.netmod = "null";
    options.spin_us = wrong;
    avrm_device_t *device = nullptr;
    EXPECT_EQ(avrm_device_open(&options, &device), AVRM_ERR_OPTION) << wrong;
    EXPECT_EQ(device, nullptr);
  }
  for (const char *const wrong : {"-2", "soon", "1000000000000"}) {
    const SpinTime setting(wrong);
    avrm_device_options_t options{};
    options.boot = boot;
    options.netmod = "null";
    avrm_device_t *device = nullptr;
    EXPECT_EQ(avrm_device_open(&options, &device), AVRM_ERR_OPTION) << wrong;
    EXPECT_EQ(device, nullptr);
  }
  avrm_boot_close(boot);
}

// Each thread makes progress for the others while it is awake.
TEST_P(Sleep, ThreadsWakeOneAnother) {
  const SpinTime none("0");
  constexpr int kThreads = 4;
  constexpr int kEach = 20;
  run_job(
      GetParam(), 2,
      [](Process &process) {
        barrier(process);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
          threads.emplace_back([&process, thread] {
            for (int i = 0; i < kEach; ++i) { // a ping-pong of each thread with its twin
              Buffer in(16);
              if (process.rank == 0) {
                send(process, content(0, 1, i, 16), 1, thread);
              }
              receive(process, in, 1 - process.rank, thread);
              AVRM_MUST(in == content(1 - process.rank, process.rank, i, 16));
              if (process.rank == 1) {
                send(process, content(1, 0, i, 16), 0, thread);
              }
            }
          });
        }
        for (std::thread &thread : threads) {
          thread.join();
        }
        barrier(process);
      },
      -1, true);
}

INSTANTIATE_TEST_SUITE_P(Every, Sleep, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

} // namespace
} // namespace avrankmap::test
