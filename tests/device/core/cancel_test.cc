// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The library's own cancels, when a member dies or a communicator is revoked, and requests that
// nobody has yet.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "avrankmap/device/comm.h"
#include "avrankmap/device/ft.h"
#include "avrankmap/device/probe.h"
#include "comm_calls/device_channel.h"
#include "core/device.h"
#include "p2p/matcher.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kLarge = 40000; // more than a sender pushes into a ring unasked
constexpr int kTag = 7;
constexpr int kVictim = 2;

// Large messages go through the rings, so a receive that has taken one waits for its sender.
class ThroughRings {
public:
  ThroughRings() { setenv("AVRM_POSIX_NO_CMA", "1", 1); } // the processes inherit it
  ThroughRings(const ThroughRings &) = delete;
  ThroughRings &operator=(const ThroughRings &) = delete;
  ~ThroughRings() { unsetenv("AVRM_POSIX_NO_CMA"); }
};

// What the processes of a job have done.
struct Steps {
  std::atomic<int> taken{0}; // receives that have taken a message
  std::atomic<int> seen{0};  // their processes know of the death, or the revocation
};

void await(const std::atomic<int> &step, int count, avrm_device_t *progressed) {
  while (step.load() < count) {
    if (progressed != nullptr) {
      avrm_progress(progressed);
    }
    usleep(100);
  }
}

class CancelByLibrary : public testing::TestWithParam<Transport> {
protected:
  ThroughRings through_rings_;
  Shared<Steps> steps_;
};

// Rank 1 makes no progress until the receive of rank 0, which has taken its message, has been
// through what ends receives that wait.
TEST_P(CancelByLibrary, DeathsEndNoReceiveThatHasItsMessage) {
  run_job(
      GetParam(), 4,
      [this](Process &process) {
        const Buffer out = content(1, 0, 1, kLarge);
        if (process.rank == kVictim) {
          await(steps_->taken, 1, process.device);
          kill(getpid(), SIGKILL);
        }
        if (process.rank == 1) {
          avrm_request_t *sent[2] = {};
          for (int i = 0; i < 2; ++i) {
            AVRM_MUST(avrm_isend(process.world, out.data(), kLarge, 0, kTag + i, &sent[i]) == AVRM_OK);
          }
          await(steps_->seen, 1, nullptr);
          AVRM_MUST(avrm_waitall(2, sent, nullptr) == AVRM_OK);
        }
        if (process.rank == 0) {
          Buffer in[2] = {Buffer(kLarge), Buffer(kLarge)};
          avrm_request_t *received[2] = {};
          for (int i = 0; i < 2; ++i) {
            AVRM_MUST(avrm_probe(process.world, 1, kTag + i, nullptr) == AVRM_OK);
            AVRM_MUST(avrm_irecv(process.world, in[i].data(), kLarge, i == 0 ? 1 : AVRM_ANY_SOURCE, kTag + i,
                                 &received[i]) == AVRM_OK);
          }
          ++steps_->taken;
          while (process.device->failures_seen == 0) {
            avrm_progress(process.device);
          }
          for (avrm_request_t *request : received) {
            AVRM_MUST(avrm_cancel(request) == AVRM_OK);
          }
          ++steps_->seen;
          AVRM_MUST(avrm_waitall(2, received, nullptr) == AVRM_OK && in[0] == out && in[1] == out);
        }
        if (process.rank == 3) {
          await(steps_->seen, 1, process.device);
        }
      },
      kVictim);
}

TEST_P(CancelByLibrary, RevocationsEndNoReceiveThatHasItsMessage) {
  run_job(GetParam(), 4, [this](Process &process) {
    const Buffer out = content(1, 0, 1, kLarge);
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_OK);
    if (process.rank == 1) {
      avrm_request_t *sent = nullptr;
      AVRM_MUST(avrm_isend(comm, out.data(), kLarge, 0, kTag, &sent) == AVRM_OK);
      await(steps_->seen, 1, nullptr);
      const avrm_status_t status = avrm_wait(&sent, nullptr);
      AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_REVOKED);
    }
    if (process.rank == 0) {
      Buffer in(kLarge);
      avrm_request_t *received = nullptr;
      AVRM_MUST(avrm_probe(comm, 1, kTag, nullptr) == AVRM_OK);
      AVRM_MUST(avrm_irecv(comm, in.data(), kLarge, 1, kTag, &received) == AVRM_OK);
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      ++steps_->seen;
      wait(received);
      AVRM_MUST(in == out);
    }
    barrier(process);
    AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
  });
}

detail::Task transfer(detail::Channel &channel, detail::Transfer transfer) {
  co_return co_await detail::Exchange(channel, transfer);
}

// A collective operation whose receive has its message when a member dies, and cancels it then.
TEST_P(CancelByLibrary, BrokenOperationsKeepMessagesThatTheyHave) {
  run_job(
      GetParam(), 4,
      [this](Process &process) {
        const Buffer out = content(1, 0, 1, kLarge);
        Buffer in(kLarge);
        detail::Operation operation(process.world);
        detail::DeviceChannel channel(operation, process.world->collective, detail::tag_of(kTag));
        if (process.rank == kVictim) {
          await(steps_->taken, 1, process.device);
          kill(getpid(), SIGKILL);
        }
        if (process.rank == 1) {
          detail::Transfer sent;
          sent.dest = 0;
          sent.out = out.data();
          sent.out_bytes = kLarge;
          operation.run(transfer(channel, sent));
          await(steps_->seen, 1, nullptr);
          AVRM_MUST(operation.wait() == AVRM_OK);
        }
        if (process.rank == 0) {
          AVRM_MUST(avrm_probe(process.world->collective, 1, detail::tag_of(kTag), nullptr) == AVRM_OK);
          detail::Transfer received;
          received.source = 1;
          received.in = in.data();
          received.in_room = kLarge;
          operation.run(transfer(channel, received));
          ++steps_->taken;
          while (!operation.is_broken()) {
            AVRM_MUST(!operation.poll());
          }
          ++steps_->seen;
          AVRM_MUST(operation.wait() == AVRM_OK && in == out);
        }
        if (process.rank == 3) {
          await(steps_->seen, 1, process.device);
        }
      },
      kVictim);
}

INSTANTIATE_TEST_SUITE_P(Over, CancelByLibrary, testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)),
                         kByName);

// The netmod puts off receives from anybody: `refusals` times, or until the core has a message.
class PuttingOff {
public:
  static void begin(avrm_device_t *device, int refusals, std::atomic<int> *put_off) {
    device_ = device;
    refusals_ = refusals;
    put_off_ = put_off;
    real_ = device->net->ops;
    ops_ = *real_;
    ops_.trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
      if (handle != AVRM_ANY_ADDRESS) {
        return real_->trecv(net, handle, match, ignore, pieces, count, request);
      }
      AVRM_MUST(device_->matcher->first_posted() != nullptr); // nobody needs it otherwise
      ++*put_off_;
      return refusals_-- != 0 ? AVRM_ERR_AGAIN : AVRM_ERR_NO_MEMORY;
    };
    device->net->ops = &ops_;
  }
  static void end() { device_->net->ops = real_; }

private:
  static inline avrm_device_t *device_ = nullptr;
  static inline int refusals_ = 0;
  static inline std::atomic<int> *put_off_ = nullptr;
  static inline const avrm_netmod_ops_t *real_ = nullptr;
  static inline avrm_netmod_ops_t ops_{};
};

class CancelTwin : public testing::TestWithParam<Transport> {
protected:
  Shared<Steps> steps_;
};

TEST_P(CancelTwin, IsNotPostedOnceTheOtherHalfHasAMessage) {
  run_job(GetParam(), 3, [this](Process &process) {
    for (const std::size_t bytes : {std::size_t{8}, kLarge}) {
      if (process.rank == 0) {
        Buffer in(bytes);
        avrm_request_t *request = nullptr;
        PuttingOff::begin(process.device, -1, &steps_->taken);
        AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, AVRM_ANY_SOURCE, kTag, &request) == AVRM_OK);
        PuttingOff::end();
        AVRM_MUST(avrm_cancel(request) == AVRM_OK);
        wait(request);
        AVRM_MUST(in == content(1, 0, 1, bytes));
        steps_->taken = 0;
      } else if (process.rank == 1) {
        await(steps_->taken, 1, process.device);
        send(process, content(1, 0, 1, bytes), 0, kTag);
      }
      barrier(process);
    }
  });
}

TEST_P(CancelTwin, ThatIsRefusedLeavesNoReceive) {
  run_job(GetParam(), 3, [this](Process &process) {
    if (process.rank == 0) {
      Buffer in(8);
      avrm_request_t *request = nullptr;
      PuttingOff::begin(process.device, 3, &steps_->taken);
      AVRM_MUST(avrm_irecv(process.world, in.data(), 8, AVRM_ANY_SOURCE, kTag, &request) == AVRM_ERR_NO_MEMORY);
      AVRM_MUST(request == nullptr && process.device->matcher->first_posted() == nullptr);
      PuttingOff::end();
    }
    barrier(process);
    if (process.rank != 0) {
      send(process, content(process.rank, 0, 1, 8), 0, kTag);
    } else {
      for (int i = 1; i < process.size; ++i) {
        Buffer in(8);
        const avrm_outcome_t outcome = receive(process, in, AVRM_ANY_SOURCE, kTag);
        AVRM_MUST(in == content(outcome.source, 0, 1, 8));
      }
    }
    barrier(process);
  });
}

// The netmod puts off all receives until the device has something to do later: to revoke the
// communicator, as another member asks.
class PuttingOffUntilRevoked {
public:
  PuttingOffUntilRevoked(avrm_device_t *device, std::atomic<int> *put_off) : ops_(*device->net->ops) {
    device_ = device;
    put_off_ = put_off;
    real_ = device->net->ops;
    ops_.trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
      ++*put_off_;
      return device_->ready.count() == 0 ? AVRM_ERR_AGAIN
                                         : real_->trecv(net, handle, match, ignore, pieces, count, request);
    };
    device->net->ops = &ops_;
  }
  PuttingOffUntilRevoked(const PuttingOffUntilRevoked &) = delete;
  PuttingOffUntilRevoked &operator=(const PuttingOffUntilRevoked &) = delete;
  ~PuttingOffUntilRevoked() { device_->net->ops = real_; }

private:
  static inline avrm_device_t *device_ = nullptr;
  static inline std::atomic<int> *put_off_ = nullptr;
  static inline const avrm_netmod_ops_t *real_ = nullptr;
  avrm_netmod_ops_t ops_;
};

TEST_P(CancelTwin, IsEndedByARevocationThatArrivesWhileItIsPutOff) {
  run_job(GetParam(), 3, [this](Process &process) {
    for (const int source : {AVRM_ANY_SOURCE, 2}) {
      avrm_comm_t *comm = nullptr;
      AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_OK);
      barrier(process);
      if (process.rank == 0) {
        avrm_request_t *request = nullptr;
        {
          const PuttingOffUntilRevoked putting_off(process.device, &steps_->taken);
          AVRM_MUST(avrm_irecv(comm, nullptr, 0, source, kTag, &request) == AVRM_OK);
        }
        AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_REVOKED);
        steps_->taken = 0;
      } else if (process.rank == 1) {
        await(steps_->taken, 1, process.device);
        AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      }
      barrier(process);
      AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Over, CancelTwin, testing::ValuesIn(transports_of(Suites::kAll, has_both)), kByName);

} // namespace
} // namespace avrankmap::test
