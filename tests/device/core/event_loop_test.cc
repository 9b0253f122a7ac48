// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptor of a device, and arming it. Where the transport announces everything, loops wait
// far longer than they may, so that a wake-up that is lost fails the test.
#include <poll.h>
#include <unistd.h>

#include <thread>

#include "avrankmap/device/event.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

constexpr std::int64_t kMillisecond = 1000000;
constexpr int kFarTooLong = 100000; // milliseconds

bool is_readable(int descriptor, int milliseconds) {
  pollfd readable{descriptor, POLLIN, 0};
  return poll(&readable, 1, milliseconds) == 1;
}

int descriptor_of(const Process &process) {
  int descriptor = -1;
  AVRM_MUST(avrm_device_descriptor(process.device, &descriptor) == AVRM_OK && descriptor >= 0);
  return descriptor;
}

// Arms a device, with progress until there is none to make. Returns the time that it may wait.
std::int64_t arm(const Process &process) {
  std::int64_t nanoseconds = 0;
  for (avrm_status_t status = AVRM_ERR_AGAIN; status != AVRM_OK;) {
    avrm_progress(process.device);
    status = avrm_device_arm(process.device, &nanoseconds);
    AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_AGAIN);
  }
  AVRM_MUST(nanoseconds >= kMillisecond);
  return nanoseconds;
}

// Waits as an event loop does. Returns how often the descriptor became readable.
int loop_until_done(const Process &process, avrm_request_t *request) {
  const int descriptor = descriptor_of(process);
  int wakes = 0;
  for (;;) {
    bool done = false;
    AVRM_MUST(avrm_test(&request, &done, nullptr) == AVRM_OK);
    if (done) {
      return wakes;
    }
    std::int64_t nanoseconds = 0;
    const avrm_status_t status = avrm_device_arm(process.device, &nanoseconds);
    if (status == AVRM_ERR_AGAIN) {
      continue;
    }
    AVRM_MUST(status == AVRM_OK);
    const bool announces = nanoseconds > kMillisecond;
    const bool woken = is_readable(descriptor, announces ? kFarTooLong : 1);
    AVRM_MUST(woken || !announces);
    wakes += woken ? 1 : 0;
    avrm_device_disarm(process.device);
  }
}

class EventLoop : public testing::TestWithParam<Transport> {};

TEST_P(EventLoop, IsWokenByEachMessage) {
  run_job(GetParam(), 2, [](Process &process) {
    for (const std::size_t bytes : {8, 5000, 20000, 300000}) { // the first connects
      Buffer in(bytes);
      avrm_request_t *request = nullptr;
      if (process.rank == 0) {
        AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, 1, 3, &request) == AVRM_OK);
        (void)loop_until_done(process, request);
        AVRM_MUST(in == content(1, 0, 3, bytes));
        AVRM_MUST(avrm_isend(process.world, nullptr, 0, 1, 4, &request) == AVRM_OK);
        (void)loop_until_done(process, request);
      } else {
        usleep(30000);
        send(process, content(1, 0, 3, bytes), 0, 3);
        AVRM_MUST(avrm_irecv(process.world, nullptr, 0, 0, 4, &request) == AVRM_OK);
        (void)loop_until_done(process, request);
      }
    }
  });
}

TEST_P(EventLoop, IsWokenByAnotherThread) {
  run_job(
      GetParam(), 2,
      [](Process &process) {
        unsigned char in = 0;
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_irecv(process.world, &in, 1, process.rank, 3, &request) == AVRM_OK);
        std::thread loop([&] { (void)loop_until_done(process, request); });
        usleep(30000);
        // To this process itself: no transport knows of it.
        const unsigned char out = 7;
        avrm_request_t *sent = nullptr;
        AVRM_MUST(avrm_isend(process.world, &out, 1, process.rank, 3, &sent) == AVRM_OK);
        loop.join();
        wait(sent);
        AVRM_MUST(in == 7);
      },
      -1, true);
}

TEST_P(EventLoop, LooksAgainAfterSomethingHasHappened) {
  run_job(GetParam(), 2, [](Process &process) {
    (void)arm(process);
    unsigned char byte = 0;
    avrm_request_t *requests[2] = {};
    AVRM_MUST(avrm_irecv(process.world, &byte, 1, process.rank, 3, &requests[0]) == AVRM_OK);
    AVRM_MUST(avrm_isend(process.world, &byte, 1, process.rank, 3, &requests[1]) == AVRM_OK);
    std::int64_t nanoseconds = 0;
    AVRM_MUST(avrm_device_arm(process.device, &nanoseconds) == AVRM_ERR_AGAIN);
    AVRM_MUST(avrm_waitall(2, requests, nullptr) == AVRM_OK);
  });
}

INSTANTIATE_TEST_SUITE_P(Every, EventLoop, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

TEST(EventLoopAlone, RefusesNullPointers) {
  run_job(kNull, 1, [](Process &process) {
    std::int64_t nanoseconds = 0;
    int descriptor = 0;
    AVRM_MUST(avrm_device_descriptor(nullptr, &descriptor) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_device_descriptor(process.device, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_device_arm(nullptr, &nanoseconds) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_device_arm(process.device, nullptr) == AVRM_ERR_NULL);
    avrm_device_disarm(nullptr);
    avrm_device_disarm(process.device);
  });
}

TEST(EventLoopAlone, HasOneDescriptor) {
  run_job(kNull, 1, [](Process &process) { AVRM_MUST(descriptor_of(process) == descriptor_of(process)); });
}

} // namespace
} // namespace avrankmap::test
