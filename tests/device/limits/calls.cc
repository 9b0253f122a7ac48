// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/limits/calls.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "avrankmap/device/boot.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/device.h"
#include "avrankmap/device/dynamic.h"
#include "tests/device/limits/course.h"
#include "tests/device/limits/low_limit.h"
#include "tests/support/sanitizers.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr int kTag = 5;

// Not allocated under the limit.
std::array<unsigned char, kMost> sent;
std::array<unsigned char, kMost> received;

// Statuses that say what a process lacks, or that another one has ended or says so.
int code_of(avrm_status_t status, bool wrong) noexcept {
  switch (status) {
  case AVRM_OK: return wrong ? kUnclear : kAllWell;
  case AVRM_ERR_NO_MEMORY:
  case AVRM_ERR_SYSTEM:
  case AVRM_ERR_PEER:
  case AVRM_ERR_TRANSPORT:
  case AVRM_ERR_UNSUPPORTED:
  case AVRM_ERR_TIMEOUT:
  case AVRM_ERR_BOOT: return wrong ? kUnclear : kEndedByStatus;
  default: return kUnclear;
  }
}

// Waits sleep after a millisecond, so that a process which is busy for seconds spins. Jobs are over
// sooner unless somebody waits for what does not come.
bool has_spun(double since) noexcept {
  constexpr double kLong = 4;
  const double wall = seconds_of(CLOCK_MONOTONIC) - since;
  return !kSanitized && wall > kLong && seconds_of(CLOCK_PROCESS_CPUTIME_ID) > wall / 2;
}

class Caller {
public:
  Caller(avrm_boot_t *boot, avrm_device_t *device) noexcept
      : boot_(boot), device_(device), world_(avrm_device_world(device)), rank_(avrm_boot_rank(boot)),
        size_(avrm_boot_size(boot)) {}

  // Returns the status of the first call that has one.
  avrm_status_t call_all() noexcept {
    return call_in_turn(this, &Caller::exchange_messages, &Caller::create_communicators, &Caller::create_windows,
                        &Caller::further, &Caller::others, &Caller::meet, &Caller::spawn, &Caller::exchange_messages,
                        &Caller::fence);
  }
  [[nodiscard]] bool is_wrong() const noexcept { return wrong_; }

private:
  // Sends to the next member and receives from the one before.
  avrm_status_t exchange(avrm_comm_t *comm, std::size_t bytes) noexcept {
    const int rank = avrm_comm_rank(comm);
    const int size = avrm_comm_size(comm);
    const int from = (rank + size - 1) % size;
    std::fill_n(sent.begin(), bytes, static_cast<unsigned char>(rank + 1));
    avrm_request_t *in = nullptr;
    avrm_request_t *out = nullptr;
    avrm_status_t status = avrm_irecv(comm, received.data(), bytes, from, kTag, &in);
    if (status == AVRM_OK) {
      status = avrm_isend(comm, sent.data(), bytes, (rank + 1) % size, kTag, &out);
    }
    if (status == AVRM_OK) {
      status = avrm_wait(&in, nullptr);
    }
    if (status != AVRM_OK) {
      return status;
    }
    wrong_ = wrong_ || std::any_of(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(bytes),
                                   [from](unsigned char byte) { return byte != from + 1; });
    return avrm_wait(&out, nullptr);
  }

  avrm_status_t exchange_messages() noexcept {
    avrm_status_t status = AVRM_OK;
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{10000}, std::size_t{100000}, kMost}) {
      status = status == AVRM_OK ? exchange(world_, bytes) : status;
    }
    return status;
  }

  avrm_status_t fence() noexcept {
    avrm_status_t status = avrm_boot_fence_start(boot_);
    for (bool done = false; status == AVRM_OK && !done;) {
      avrm_progress(device_);
      usleep(50);
      status = avrm_boot_fence_test(boot_, &done);
    }
    return status;
  }

  avrm_status_t create_communicators() noexcept {
    avrm_comm_t *dup = nullptr;
    avrm_comm_t *part = nullptr;
    avrm_status_t status = avrm_comm_dup(world_, &dup);
    status = status == AVRM_OK ? exchange(dup, 1000) : status;
    status = status == AVRM_OK ? avrm_comm_split(dup, 0, -rank_, &part) : status;
    status = status == AVRM_OK ? exchange(part, 1000) : status;
    status = status == AVRM_OK ? avrm_comm_free(part) : status;
    return status == AVRM_OK ? avrm_comm_free(dup) : status;
  }

  avrm_status_t use(avrm_window_t *window, std::size_t bytes) noexcept {
    const int next = (rank_ + 1) % size_;
    std::fill_n(sent.begin(), bytes, static_cast<unsigned char>(rank_ + 1));
    avrm_request_t *request = nullptr;
    avrm_status_t status = avrm_put(window, sent.data(), bytes, next, 0, &request);
    status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
    status = status == AVRM_OK ? avrm_flush(window, next) : status;
    status = status == AVRM_OK ? avrm_get(window, received.data(), bytes, next, 0, &request) : status;
    status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
    if (status == AVRM_OK) {
      wrong_ = wrong_ || !std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(bytes), received.begin());
    }
    return status == AVRM_OK ? fence() : status;
  }

  avrm_status_t create_windows() noexcept {
    avrm_status_t status = AVRM_OK;
    for (const unsigned flags : {0u, unsigned{AVRM_WINDOW_EXCHANGE}, unsigned{AVRM_WINDOW_SYMMETRIC}}) {
      for (const std::size_t bytes : {std::size_t{1000}, kMost}) {
        avrm_window_t *window = nullptr;
        void *base = nullptr;
        status = status == AVRM_OK ? avrm_window_allocate(world_, bytes, flags, &base, &window) : status;
        status = status == AVRM_OK ? use(window, bytes) : status;
        status = status == AVRM_OK ? avrm_window_free(window) : status;
      }
    }
    return status;
  }

  avrm_status_t further() noexcept { return make_further_calls(device_, &wrong_); }
  avrm_status_t others() noexcept { return make_other_calls(boot_, device_, &wrong_); }

  // The first and the last process of the world meet at a port.
  avrm_status_t meet() noexcept {
    avrm_comm_t *self = nullptr;
    char name[AVRM_PORT_MAX] = {};
    avrm_status_t status = rank_ == 0 ? avrm_port_open(device_, name) : AVRM_OK;
    if (status == AVRM_ERR_UNSUPPORTED) {
      name[0] = '\0'; // told to the other one
      status = AVRM_OK;
    }
    avrm_request_t *request = nullptr;
    if (status == AVRM_OK && rank_ == 0) {
      status = avrm_isend(world_, name, sizeof name, size_ - 1, kTag, &request);
    } else if (status == AVRM_OK && rank_ == size_ - 1) {
      status = avrm_irecv(world_, name, sizeof name, 0, kTag, &request);
    }
    status = status == AVRM_OK && request != nullptr ? avrm_wait(&request, nullptr) : status;
    status = status == AVRM_OK ? avrm_comm_split(world_, rank_, 0, &self) : status;
    if (status == AVRM_OK && name[0] != '\0') {
      constexpr avrm_meet_options_t kOptions{10000};
      avrm_comm_t *other = nullptr;
      status = rank_ == 0 ? avrm_comm_accept(self, 0, name, &kOptions, &other)
                          : avrm_comm_connect(self, 0, name, &kOptions, &other);
      status = status == AVRM_OK ? avrm_comm_disconnect(&other) : status;
      status = status == AVRM_OK && rank_ == 0 ? avrm_port_close(device_, name) : status;
    }
    return status == AVRM_OK ? avrm_comm_free(self) : status;
  }

  // A program that never asks for its parents. Nobody lives on as if it had started.
  avrm_status_t spawn() noexcept {
    constexpr avrm_spawn_options_t kOptions{nullptr, nullptr, 10000};
    avrm_comm_t *children = nullptr;
    const avrm_status_t status = avrm_comm_spawn(world_, 0, "/bin/true", 1, &kOptions, &children, nullptr);
    wrong_ = wrong_ || status == AVRM_OK || children != nullptr;
    return code_of(status, false) == kEndedByStatus ? AVRM_OK : status;
  }

  avrm_boot_t *boot_;
  avrm_device_t *device_;
  avrm_comm_t *world_;
  int rank_;
  int size_;
  bool wrong_ = false;
};

} // namespace

int make_calls(avrm_boot_t *boot, void *calls) noexcept {
  const Calls &wish = *static_cast<const Calls *>(calls);
  const int rank = avrm_boot_rank(boot);
  const double since = seconds_of(CLOCK_MONOTONIC);
  const avrm_device_options_t options = options_over(*wish.transport, boot);
  wish.before_opening(rank);
  avrm_device_t *device = nullptr;
  avrm_status_t status = avrm_device_open(&options, &device);
  if (wish.may_lack && means_lacking(status)) {
    return kSkipped;
  }
  bool wrong = false;
  if (status == AVRM_OK) {
    wish.after_opening(rank);
    Caller caller(boot, device);
    status = caller.call_all();
    wrong = caller.is_wrong();
  }
  if (status == AVRM_OK) {
    status = avrm_device_close(device);
    wrong = wrong || has_leaks();
  }
  wrong = wrong || has_spun(since);
  const int code = code_of(status, wrong);
  if (code == kUnclear) {
    std::fprintf(stderr, "process %d: %s%s\n", rank, avrm_status_name(status),
                 wrong ? ", wrong data, leaks or spins" : "");
  }
  return code;
}

} // namespace avrankmap::test
