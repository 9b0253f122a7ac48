// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What survivors do with a communicator of their own: spares, windows, grids.
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "avrankmap/device/dynamic.h"
#include "comm_algorithms/channel/collectives.h"
#include "comm_calls/device_channel.h"
#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"
#include "tests/device/liveness/kill_at_message.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

using detail::Channel;
using detail::DeviceChannel;
using detail::next_tag;
using detail::Operation;
using detail::Task;

void lose(const Process &process, int victim) {
  check_messages(process.world, process.rank, everyone(process));
  fence(process);
  if (process.rank == victim) {
    kill(getpid(), SIGKILL);
  }
}

// Survivors go on until all are through.
void barrier(avrm_comm_t *comm) {
  std::uint64_t value = 0;
  AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK);
}

class AfterDeaths : public testing::TestWithParam<Transport> {
protected:
  static void run(int size, int victim, const std::function<void(Process &)> &body) {
    run_job(
        GetParam(), size,
        [&, victim](Process &process) {
          lose(process, victim);
          body(process);
        },
        victim);
  }
};

TEST_P(AfterDeaths, ASpareTakesThePlaceOfADeadProcess) {
  run(6, 1, [](Process &process) {
    avrm_comm_t *comm = nullptr;
    do { // until the death has come
      release(comm);
      comm = nullptr;
      AVRM_MUST(avrm_comm_replace(process.world, 4, &comm) == AVRM_OK);
    } while (avrm_comm_size(comm) == 6);
    check(process, comm, {0, 5, 2, 3, 4});
    avrm_comm_t *again = nullptr;
    AVRM_MUST(avrm_comm_replace(comm, 4, &again) == AVRM_OK);
    check(process, again, {0, 5, 2, 3, 4});
    AVRM_MUST(avrm_barrier(again) == AVRM_OK);
    barrier(again);
    release(again);
    release(comm);
  });
}

TEST_P(AfterDeaths, SparesThatAreMissingOrDifferAreAnErrorInAllSurvivors) {
  if (is_slow(GetParam())) {
    GTEST_SKIP() << "over networks with AVRM_TEST_LONG=1 only";
  }
  run(4, 2, [](Process &process) {
    std::uint64_t value = 0;
    AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER); // so the death has come
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_replace(process.world, 0, &comm) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_comm_replace(process.world, 5, &comm) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_comm_replace(process.world, 4, &comm) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_comm_replace(process.world, process.rank == 0 ? 2 : 3, &comm) == AVRM_ERR_MISMATCH);
    AVRM_MUST(comm == nullptr);
    AVRM_MUST(avrm_comm_replace(process.world, 3, &comm) == AVRM_OK);
    check(process, comm, {0, 1, 3});
    barrier(comm);
    release(comm);
  });
}

avrm_comm_t *survivors_of(const Process &process, int victim) {
  avrm_comm_t *comm = nullptr;
  do {
    release(comm);
    comm = nullptr;
    AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_OK);
  } while (avrm_comm_size(comm) == process.size);
  check(process, comm, without(process, victim));
  return comm;
}

TEST_P(AfterDeaths, WindowsOfSurvivorsTakePutsAndGets) {
  constexpr int kVictim = 1;
  for (const unsigned flags : {0U, unsigned{AVRM_WINDOW_EXCHANGE}}) {
    if (flags != 0 && is_slow(GetParam())) {
      continue;
    }
    run(5, kVictim, [=](Process &process) {
      avrm_comm_t *const comm = survivors_of(process, kVictim);
      const int rank = avrm_comm_rank(comm);
      const int size = avrm_comm_size(comm);
      std::vector<int> memory(static_cast<std::size_t>(2 * size), -1);
      memory[static_cast<std::size_t>(size)] = 100 + rank;
      avrm_window_t *window = nullptr;
      AVRM_MUST(avrm_window_create(comm, memory.data(), memory.size() * sizeof(int), flags, &window) == AVRM_OK);
      AVRM_MUST(avrm_barrier(comm) == AVRM_OK);
      std::vector<int> got(static_cast<std::size_t>(size), -1);
      for (int target = 0; target < size; ++target) {
        avrm_request_t *request = nullptr;
        const auto offset = static_cast<std::uint64_t>(rank) * sizeof(int);
        AVRM_MUST(avrm_put(window, &rank, sizeof rank, target, offset, &request) == AVRM_OK);
        wait(request);
        const auto start = static_cast<std::uint64_t>(size) * sizeof(int);
        AVRM_MUST(avrm_get(window, &got[static_cast<std::size_t>(target)], sizeof(int), target, start, &request) ==
                  AVRM_OK);
        wait(request);
        AVRM_MUST(avrm_flush(window, target) == AVRM_OK);
        AVRM_MUST(got[static_cast<std::size_t>(target)] == 100 + target);
      }
      AVRM_MUST(avrm_barrier(comm) == AVRM_OK);
      for (int origin = 0; origin < size; ++origin) {
        AVRM_MUST(memory[static_cast<std::size_t>(origin)] == origin);
      }
      AVRM_MUST(avrm_window_free(window) == AVRM_OK);
      barrier(comm);
      release(comm);
    });
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

// Three by two, with ranks as they are and reordered; one survivor is not in it.
TEST_P(AfterDeaths, SurvivorsMakeAGrid) {
  constexpr int kVictim = 3;
  run(8, kVictim, [](Process &process) {
    avrm_comm_t *const comm = survivors_of(process, kVictim);
    for (const bool reorder : {false, true}) {
      const std::int32_t extents[] = {3, 2};
      const std::int32_t periods[] = {1, 0};
      avrm_comm_t *grid = nullptr;
      AVRM_MUST(avrm_cart_create(comm, 2, extents, periods, reorder, &grid) == AVRM_OK);
      AVRM_MUST(reorder || (grid == nullptr) == (avrm_comm_rank(comm) == 6));
      if (grid != nullptr) {
        AVRM_MUST(avrm_comm_size(grid) == 6);
        check_messages(grid, avrm_comm_rank(grid), {0, 1, 2, 3, 4, 5});
        release(grid);
      }
    }
    barrier(comm);
    release(comm);
  });
}

constexpr int kNumber = 3; // of the creations of groups

avrm_status_t create_of(const Process &process, avrm_comm_t *parent, const Members &members, avrm_comm_t **comm_p) {
  avrm_group_t *const group = group_of(process, members);
  const avrm_status_t status = avrm_comm_create_group(parent, group, kNumber, comm_p);
  avrm_group_destroy(group);
  return status;
}
avrm_comm_t *create_of(const Process &process, const Members &members) {
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(create_of(process, process.world, members, &comm) == AVRM_OK);
  return comm;
}

// Process 0 sends a message of a barrier that no process receives. It is the first operation of its
// communicator, as the later barrier is of the survivors' one.
TEST_P(AfterDeaths, AMessageOfAFreedCommunicatorEntersNoLaterOne) {
  constexpr int kVictim = 3;
  const Shared<std::atomic<int>> has_come;
  run_job(
      GetParam(), 4,
      [&has_come](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        avrm_comm_t *const broken = create_of(process, everyone(process));
        int word = 0;
        avrm_request_t *request = nullptr;
        if (process.rank == kVictim) {
          AVRM_MUST(avrm_irecv(process.world, &word, sizeof word, 0, 5, &request) == AVRM_OK);
          wait(request);
          usleep(100000); // the message of the barrier follows that one
          kill(getpid(), SIGKILL);
        }
        if (process.rank == 0) {
          AVRM_MUST(avrm_isend(process.world, &word, sizeof word, kVictim, 5, &request) == AVRM_OK);
          wait(request);
        } else {
          await_failure(process, broken);
        }
        AVRM_MUST(avrm_barrier(broken) == AVRM_ERR_PEER);
        release(broken);
        avrm_comm_t *const comm = create_of(process, without(process, kVictim));
        if (process.rank == 0) {
          usleep(50000);
          has_come->store(1);
        }
        AVRM_MUST(avrm_barrier(comm) == AVRM_OK);
        AVRM_MUST(has_come->load() == 1);
        barrier(comm);
        release(comm);
      },
      kVictim);
}

// Takes part in the first step of an agreement on a context id, as process 3 of 6, and proposes the
// same id as process 2.
Task agree_with_one(Channel &channel) {
  unsigned char proposal[32];
  const avrm_status_t status = co_await receive(channel, 2, proposal, sizeof proposal);
  co_return status != AVRM_OK ? status : co_await send(channel, 2, proposal, sizeof proposal);
}

bool is_in_use(const Process &process, std::uint32_t context) {
  avrm_rankmap_t map{};
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(avrm_rankmap_dup(avrm_comm_map(process.world), &map) == AVRM_OK);
  const avrm_status_t status = avrm_comm_create_local(process.device, &map, process.rank, context, &comm);
  AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_BUSY);
  avrm_rankmap_destroy(&map);
  release(comm);
  return status == AVRM_ERR_BUSY;
}

// Processes 1 and 5 fail to create a communicator, on which the others agree, and in which they may
// send messages.
void expect_id_to_be_kept(const Transport &transport, bool by_death) {
  constexpr int kLate = 3;
  const Shared<std::atomic<int>> agreed;
  const Shared<std::atomic<std::uint32_t>> context;
  run_job(
      transport, 6,
      [&agreed, &context, by_death](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        avrm_comm_t *const parent = dup_of(process.world);
        fence(process);
        if (process.rank == kLate) {
          Operation agreement(parent);
          DeviceChannel channel(agreement, parent->collective, detail::tag_of(kNumber));
          agreement.run(agree_with_one(channel));
          AVRM_MUST(agreement.wait() == AVRM_OK);
          while (*agreed != 3) {
            avrm_progress(process.device);
          }
          if (by_death) {
            kill(getpid(), SIGKILL);
          }
          AVRM_MUST(avrm_comm_revoke(parent) == AVRM_OK);
          release(parent);
          return;
        }
        avrm_comm_t *comm = nullptr;
        const avrm_status_t status = create_of(process, parent, everyone(process), &comm);
        if (process.rank % 2 == 0) {
          AVRM_MUST(status == AVRM_OK);
          *context = comm->context;
          ++*agreed;
        } else {
          AVRM_MUST(status == (by_death ? AVRM_ERR_PEER : AVRM_ERR_REVOKED));
          AVRM_MUST(is_in_use(process, *context));
          // The members cannot take part any more.
          const int live = live_contexts(process);
          AVRM_MUST(create_of(process, parent, everyone(process), &comm) == status);
          AVRM_MUST(live_contexts(process) == live);
        }
        release(comm);
        release(parent);
      },
      by_death ? kLate : -1);
}

TEST_P(AfterDeaths, AnIdOnWhichOthersAgreedBeforeADeathIsNotUsedAgain) { expect_id_to_be_kept(GetParam(), true); }
TEST_P(AfterDeaths, AnIdOnWhichOthersAgreedBeforeARevocationIsNotUsedAgain) { expect_id_to_be_kept(GetParam(), false); }

// A netmod that cannot receive any more for agreements of survivors, once this process has sent two
// votes.
class DeafVoter {
public:
  explicit DeafVoter(avrm_device_t *device) : device_(device), real_(device->net->ops), ops_(*real_) {
    self_ = this;
    ops_.tinject = [](avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle, uint64_t match) {
      return self_->count(match, self_->real_->tinject(netmod, buffer, bytes, handle, match));
    };
    ops_.tsend = [](avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces, size_t count,
                    avrm_request_t *request) {
      return self_->count(match, self_->real_->tsend(netmod, handle, match, pieces, count, request));
    };
    ops_.trecv = [](avrm_netmod_t *netmod, uint64_t handle, uint64_t match, uint64_t ignore, const avrm_piece_t *pieces,
                    size_t count, avrm_request_t *request) {
      return self_->votes_ >= 2 && is_of_agreement(match)
                 ? AVRM_ERR_TRANSPORT
                 : self_->real_->trecv(netmod, handle, match, ignore, pieces, count, request);
    };
    device->net->ops = &ops_;
  }
  ~DeafVoter() { device_->net->ops = real_; }
  DeafVoter(const DeafVoter &) = delete;
  DeafVoter &operator=(const DeafVoter &) = delete;

private:
  static bool is_of_agreement(std::uint64_t match) {
    return (match & AVRM_MATCH_TAG_MASK) == static_cast<std::uint64_t>(detail::survivors_tag(0));
  }
  avrm_status_t count(std::uint64_t match, avrm_status_t status) {
    votes_ += status == AVRM_OK && is_of_agreement(match) ? 1 : 0;
    return status;
  }

  static inline DeafVoter *self_ = nullptr;
  avrm_device_t *device_;
  const avrm_netmod_ops_t *real_;
  avrm_netmod_ops_t ops_;
  int votes_ = 0;
};

// Process 1 agrees to a communicator, but does not learn the verdict.
TEST(FailingShrink, KeepsAnIdThatTheOthersUse) {
  const Shared<std::atomic<std::uint32_t>> context;
  run_job(transport_named("ofi_tcp"), 2, [&context](Process &process) {
    check_messages(process.world, process.rank, everyone(process));
    avrm_comm_t *comm = nullptr;
    if (process.rank == 0) {
      AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_OK);
      *context = comm->context;
    } else {
      const DeafVoter voter(process.device);
      AVRM_MUST(avrm_comm_shrink(process.world, &comm) == AVRM_ERR_TRANSPORT && comm == nullptr);
      while (*context == 0) {
        avrm_progress(process.device);
      }
      AVRM_MUST(is_in_use(process, *context));
    }
    release(comm);
  });
}

Task send_report(Channel &channel) {
  const unsigned char report = 1;
  co_return co_await send(channel, 0, &report, sizeof report);
}

// Process 1 has reported to process 0, learns of the death first, and gives up. Process 0 releases
// process 2 first, which then dies.
TEST_P(AfterDeaths, DisconnectingWaitsForNoProcessThatHasGivenUp) {
  constexpr int kVictim = 2;
  const Shared<std::atomic<int>> has_returned;
  run_job(
      GetParam(), 3,
      [&has_returned](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        avrm_comm_t *comm = dup_of(process.world);
        fence(process);
        if (process.rank == 1) {
          Operation reporting(comm);
          DeviceChannel channel(reporting, comm->collective, next_tag(comm));
          reporting.run(send_report(channel));
          AVRM_MUST(reporting.wait() == AVRM_OK);
          while (*has_returned == 0) {
            avrm_progress(process.device);
          }
          release(comm);
          return;
        }
        const avrm_status_t status = avrm_comm_disconnect(&comm);
        if (process.rank == kVictim) {
          AVRM_MUST(status == AVRM_OK);
          for (int i = 0; i < 100; ++i) { // process 0 receives the last acknowledgements
            avrm_progress(process.device);
            usleep(1000);
          }
          kill(getpid(), SIGKILL);
        }
        *has_returned = 1;
        AVRM_MUST(status == AVRM_ERR_PEER);
      },
      kVictim);
}

constexpr std::size_t kMuch = std::size_t{256} << 10; // more than any transport buffers

Task send_much(Channel &channel, const std::vector<char> *much) {
  co_return co_await send(channel, 1, much->data(), much->size());
}

// Process 1 learns of the death, gives up, and frees the communicator. Process 0 has begun to send
// before.
TEST_P(AfterDeaths, ALongMessageWaitsForNoProcessThatHasGivenUp) {
  constexpr int kVictim = 2;
  const Shared<std::atomic<int>> is_sent;
  run_job(
      GetParam(), 3,
      [&is_sent](Process &process) {
        check_messages(process.world, process.rank, everyone(process));
        avrm_comm_t *const comm = dup_of(process.world);
        fence(process);
        if (process.rank == kVictim) {
          usleep(50000);
          kill(getpid(), SIGKILL);
        }
        if (process.rank == 0) {
          const std::vector<char> much(kMuch, 'a');
          Operation sending(comm);
          DeviceChannel channel(sending, comm->collective, next_tag(comm));
          sending.run(send_much(channel, &much));
          const avrm_status_t status = sending.wait();
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
          *is_sent = 1;
        } else {
          await_failure(process, comm);
        }
        AVRM_MUST(avrm_barrier(comm) == AVRM_ERR_PEER);
        release(comm);
        while (*is_sent == 0) {
          avrm_progress(process.device);
        }
      },
      kVictim);
}

Task exchange_much(Channel &channel) {
  std::vector<char> all(kMuch * static_cast<std::size_t>(channel.size()), 'a');
  for (std::int32_t root = 0; root < channel.size(); ++root) {
    avrm_status_t status = co_await broadcast(channel, root, all.data(), all.size());
    if (status == AVRM_OK) {
      const std::vector<char> own(kMuch, 'b');
      status = co_await allgather(channel, own.data(), own.size(), all.data());
    }
    if (status != AVRM_OK) {
      co_return status;
    }
  }
  co_return AVRM_OK;
}

TEST_P(AfterDeaths, SurvivorsReturnFromLongExchangesWhicheverMessageAProcessDiesAt) {
  const int points = is_slow(GetParam()) ? 2 : 12;
  for (int point = 0; point < points; ++point) {
    const int victim = point % 5;
    run_job(
        GetParam(), 5,
        [=](Process &process) {
          check_messages(process.world, process.rank, everyone(process));
          avrm_comm_t *const comm = dup_of(process.world);
          fence(process);
          if (process.rank == victim) {
            KillAtMessage::arm(
                process.device, point, [](void *) {}, nullptr);
          }
          Operation exchanging(comm);
          DeviceChannel channel(exchanging, comm->collective, next_tag(comm));
          exchanging.run(exchange_much(channel));
          const avrm_status_t status = exchanging.wait();
          AVRM_MUST(process.rank != victim);
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
          std::uint64_t value = 0;
          AVRM_MUST(avrm_comm_agree(process.world, &value) == AVRM_ERR_PEER);
          release(comm);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Over, AfterDeaths,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

} // namespace
} // namespace avrankmap::test
