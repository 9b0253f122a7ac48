// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device over a netmod that does the minimum that netmod.h requires, as late and as early as it
// may. The netmod itself ends a process whose core calls what it may not.
#include "tests/device/netmod/minimal_netmod.h"

#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <optional>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/fastpath.h"
#include "avrankmap/device/ft.h"
#include "avrankmap/device/probe.h"
#include "core/active.h"
#include "core/device.h"
#include "rma/window.h"
#include "rma/window_service.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;

constexpr Transport over_minimal(const char *name, const char *shmmod, int per_node, avrm_connect_policy_t connect) {
  Transport transport{name, "minimal", nullptr, shmmod, per_node, Suites::kDevice};
  transport.connect = connect;
  transport.netmod_ops = minimal_ops;
  return transport;
}
constexpr Transport kMinimal = over_minimal("minimal", "none", 1, AVRM_CONNECT_ON_DEMAND);
constexpr Transport kMinimalAndPosix = over_minimal("minimal_and_posix", "posix", 2, AVRM_CONNECT_ON_DEMAND);
constexpr Transport kEagerMinimal = over_minimal("eager_minimal", "none", 1, AVRM_CONNECT_EAGER);

class MinimalNetmod : public testing::TestWithParam<Ending> {
protected:
  void SetUp() override { set_minimal({GetParam()}); }
};

// Bodies one after the other, each in all processes before the next one.
template <typename... Bodies> void run_bodies(Process &process, Bodies... bodies) {
  (..., (bodies(process), fence(process)));
}

// ---- messages ----

TEST_P(MinimalNetmod, NeedsNoCapabilityForMessages) {
  run_job(kMinimal, 2, [](Process &process) {
    run_bodies(process, posted_receives_are_matched_by_tag, unexpected_messages_of_every_size_are_kept,
               several_requests_are_waited_for, a_process_can_send_to_itself, a_message_that_is_too_long_is_truncated,
               strided_data_arrive_strided, data_of_any_lists_arrive_in_their_order);
  });
}

constexpr int kMessages = 60;

// Sizes on both sides of inject_max, and of what fits into a datagram.
Buffer numbered_message(int from, int to, int number) {
  constexpr std::size_t kSizes[] = {8, 9, 300, 0, 2000, 8, 16};
  return content(from, to, number, kSizes[static_cast<std::size_t>(number) % std::size(kSizes)]);
}

void send_numbered_messages(Process &process, avrm_comm_t *comm, std::vector<Buffer> *out,
                            std::vector<avrm_request_t *> *requests) {
  for (int i = 0; i < kMessages; ++i) {
    out->push_back(numbered_message(process.rank, process.partner(), i));
    AVRM_MUST(avrm_isend(comm, out->back().data(), out->back().size(), process.partner(), i % 3,
                         &requests->emplace_back()) == AVRM_OK);
  }
}

// Each message may be taken by any of the receives, which are posted before one is waited for.
void receive_numbered_messages(Process &process, avrm_comm_t *comm) {
  std::vector<Buffer> in(kMessages, Buffer(2000));
  std::vector<avrm_request_t *> requests;
  for (Buffer &buffer : in) {
    AVRM_MUST(avrm_irecv(comm, buffer.data(), buffer.size(), process.partner(), AVRM_ANY_TAG,
                         &requests.emplace_back()) == AVRM_OK);
  }
  for (int i = 0; i < kMessages; ++i) {
    avrm_outcome_t outcome{};
    Buffer &buffer = in[static_cast<std::size_t>(i)];
    wait(requests[static_cast<std::size_t>(i)], &outcome);
    buffer.resize(outcome.bytes);
    AVRM_MUST(outcome.tag == i % 3 && buffer == numbered_message(process.partner(), process.rank, i));
  }
}

void wait_for_all(const std::vector<avrm_request_t *> &requests) {
  for (avrm_request_t *const request : requests) {
    wait(request);
  }
}

// Rank 0 sends before it receives, so that its own receives are posted late, and those of rank 1
// early.
void exchange_numbered_messages(Process &process) {
  std::vector<Buffer> out;
  std::vector<avrm_request_t *> requests;
  if (process.rank == 0) {
    send_numbered_messages(process, process.world, &out, &requests);
    receive_numbered_messages(process, process.world);
  } else {
    receive_numbered_messages(process, process.world);
    send_numbered_messages(process, process.world, &out, &requests);
  }
  wait_for_all(requests);
}

TEST_P(MinimalNetmod, KeepsTheOrderOfMessagesThatOneReceiveMayTakeBoth) {
  run_job(kMinimal, 2, [](Process &process) {
    run_bodies(process, exchange_numbered_messages, a_receive_of_any_tag_takes_messages_in_order,
               fastpath_messages_arrive_intact_and_in_order);
  });
}

TEST_P(MinimalNetmod, MayRefuseEachOperationForAWhile) {
  run_job(kMinimal, 2, [](Process &process) {
    exchange_numbered_messages(process);
    AVRM_MUST(GetParam() == Ending::kAtOnce || minimal_counts().refused >= 2 * kMessages);
  });
}

// What was sent first is received last.
TEST_P(MinimalNetmod, MayMatchContextsInAnyOrder) {
  run_job(kMinimal, 2, [](Process &process) {
    avrm_comm_t *comms[3] = {process.world};
    AVRM_MUST(avrm_comm_dup(process.world, &comms[1]) == AVRM_OK && avrm_comm_dup(comms[1], &comms[2]) == AVRM_OK);
    std::vector<Buffer> out;
    std::vector<avrm_request_t *> requests;
    for (avrm_comm_t *const comm : comms) {
      send_numbered_messages(process, comm, &out, &requests);
    }
    for (avrm_comm_t *const comm : {comms[2], comms[1], comms[0]}) {
      receive_numbered_messages(process, comm);
    }
    wait_for_all(requests);
    AVRM_MUST(GetParam() == Ending::kAtOnce || minimal_counts().overtaken != 0);
    AVRM_MUST(avrm_comm_free(comms[2]) == AVRM_OK && avrm_comm_free(comms[1]) == AVRM_OK);
  });
}

// The match bits say who sent a message, so `handle` of trecv matches nothing.
TEST_P(MinimalNetmod, NeedNotMatchTheHandleOfAReceive) {
  run_job(kMinimal, 4, [](Process &process) {
    run_bodies(process, everyone_exchanges_with_everyone, a_receive_from_anybody_takes_each_message_once,
               fastpath_messages_satisfy_receives_from_anybody);
  });
}

// Each process inserts all peers at once, whose addresses have several lengths.
TEST_P(MinimalNetmod, NumbersPeersAsItLikes) { run_job(kEagerMinimal, 5, everyone_exchanges_with_everyone); }

// Receives from anybody are at two places, and that of the network is withdrawn within the
// progress of the other.
TEST_P(MinimalNetmod, IsOneOfTwoTransports) {
  run_job(kMinimalAndPosix, 4, [](Process &process) {
    run_bodies(process, everyone_exchanges_with_everyone, a_receive_from_anybody_takes_each_message_once,
               windows_that_are_exchanged_ask_nobody);
  });
}

// The core acknowledges synchronous messages itself, also if each operation is refused for a while.
TEST_P(MinimalNetmod, NeedsNoOperationForSynchronousMessages) {
  for (const Transport &transport : {kMinimal, kMinimalAndPosix}) {
    run_job(transport, 4, [](Process &process) {
      run_bodies(process, a_synchronous_message_completes_once_it_is_matched,
                 synchronous_messages_to_posted_receives_complete, synchronous_messages_keep_their_order_among_others,
                 each_synchronous_message_is_told_of_its_own_receive, a_truncated_synchronous_message_was_matched,
                 synchronous_messages_in_blocks_arrive_in_blocks,
                 a_synchronous_message_to_oneself_waits_for_its_receive);
      AVRM_MUST(process.device->served == 0 && process.device->unacknowledged.first() == nullptr);
    });
  }
}

// ---- windows ----

// Descriptions and data travel in active messages of AVRM_NETMOD_AM_MIN bytes at most.
TEST_P(MinimalNetmod, NeedsNoCapabilityForWindows) {
  run_job(kMinimal, 3, [](Process &process) {
    run_bodies(process, windows_of_allocated_memory_take_puts_and_gets, windows_that_are_exchanged_ask_nobody,
               empty_windows_take_nothing);
  });
}

TEST_P(MinimalNetmod, NeedsNoCapabilityForFlushes) {
  run_job(kMinimal, 2, [](Process &process) {
    run_bodies(process, puts_outside_a_window_are_refused, strided_gets_of_any_layout_bring_what_they_should,
               puts_of_any_lists_land_where_they_should, gets_of_any_lists_bring_what_they_should,
               lists_outside_a_window_are_refused, visible_puts_need_no_flush, a_flush_waits_for_visible_puts,
               fastpath_puts_land_where_they_should);
  });
}

// A netmod that refuses one of the pieces in which numbers are fetched: the first answer says that
// the target has no memory, or the third request cannot be sent.
class OneRefusal {
public:
  enum class Of { kAnswer, kRequest };

  OneRefusal(avrm_netmod_t *net, Of what) : net_(net), ops_(*net->ops) {
    all_ = net->ops;
    left_ = what == Of::kAnswer ? 1 : 3;
    what_ = what;
    ops_.am_send = [](avrm_netmod_t *self, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t bytes) {
      ActiveHeader sent{};
      std::memcpy(&sent, header, sizeof sent);
      const bool is_request = sent.type == ActiveType::kGet || sent.type == ActiveType::kFetchAtomic;
      const bool counts = what_ == Of::kRequest ? is_request : sent.type == ActiveType::kGetData;
      const bool is_refused = counts && left_ == 1;
      if (is_refused && what_ == Of::kRequest) {
        left_ = 0;
        return AVRM_ERR_NO_MEMORY;
      }
      if (is_refused) {
        sent.type = ActiveType::kRefused;
        sent.position = detail::kWantsMemory;
        sent.bytes = bytes = 0;
      }
      const avrm_status_t status = all_->am_send(self, handle, &sent, header_bytes, payload, bytes);
      left_ -= counts && left_ != 0 && status == AVRM_OK ? 1 : 0;
      return status;
    };
    net_->ops = &ops_;
  }
  ~OneRefusal() { net_->ops = all_; }
  OneRefusal(const OneRefusal &) = delete;
  OneRefusal &operator=(const OneRefusal &) = delete;

private:
  inline static const avrm_netmod_ops_t *all_ = nullptr;
  inline static int left_ = 0; // until it is refused
  inline static Of what_ = Of::kAnswer;
  avrm_netmod_t *net_;
  avrm_netmod_ops_t ops_;
};

constexpr std::uint64_t kUntouched = 77;

// Rank 0 fetches 1,000 numbers of rank 1 by `fetch`. When its request completes, all pieces have
// arrived that were not refused, which is for certain if they are answered before.
template <typename Fetch> void fetch_partly(Process &process, avrm_window_t *window, OneRefusal::Of what, Fetch fetch) {
  const bool refuses = (process.rank == 0) == (what == OneRefusal::Of::kRequest);
  std::optional<OneRefusal> refusal;
  if (refuses) {
    refusal.emplace(process.device->net, what);
  }
  barrier(process);
  if (process.rank == 0) {
    std::vector<std::uint64_t> in(1000, kUntouched);
    avrm_request_t *request = nullptr;
    AVRM_MUST(fetch(window, in.data(), &request) == AVRM_OK && avrm_wait(&request, nullptr) == AVRM_ERR_NO_MEMORY);
    AVRM_MUST((in.front() == kUntouched) == (what == OneRefusal::Of::kAnswer));
    AVRM_MUST((in.back() == kUntouched) == (what == OneRefusal::Of::kRequest));
    std::size_t arrived = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      AVRM_MUST(in[i] == kUntouched || in[i] == 1000 + i);
      arrived += in[i] == kUntouched ? 0 : 1;
    }
    AVRM_MUST(what == OneRefusal::Of::kRequest ? arrived > 100 : arrived > 800);
    AVRM_MUST(window->users == 0 && avrm_flush(window, 1) == AVRM_OK);
  }
  barrier(process);
}

TEST_P(MinimalNetmod, EndsAFetchOfWhichAPieceIsRefusedOnceTheOthersAreAnswered) {
  run_job(kMinimal, 2, [](Process &process) {
    std::vector<std::uint64_t> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 1000);
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, numbers.data(), 8000, 0, &window) == AVRM_OK);
    for (const auto what : {OneRefusal::Of::kAnswer, OneRefusal::Of::kRequest}) {
      fetch_partly(process, window, what, [](avrm_window_t *of, std::uint64_t *in, avrm_request_t **request) {
        return avrm_get(of, in, 8000, 1, 0, request);
      });
      fetch_partly(process, window, what, [](avrm_window_t *of, std::uint64_t *in, avrm_request_t **request) {
        return avrm_get_accumulate(of, nullptr, in, 1000, AVRM_UINT64, AVRM_OP_NO_OP, 1, 0, request);
      });
    }
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

// To a request that was given up.
TEST_P(MinimalNetmod, DropsLateAnswersAndReportsThoseToNoRequest) {
  run_job(kMinimal, 2, [](Process &process) {
    int reports = 0;
    process.device->on_error = [](void *user, avrm_status_t, const char *) { ++*static_cast<int *>(user); };
    process.device->user = &reports;
    std::uint64_t number = 5;
    avrm_window_t *window = nullptr;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_window_create(process.world, &number, sizeof number, 0, &window) == AVRM_OK);
    std::uint64_t in = 0;
    AVRM_MUST(avrm_get(window, &in, sizeof in, process.partner(), 0, &request) == AVRM_OK);
    wait(request);
    ActiveHeader answer{};
    answer.type = ActiveType::kGetData;
    answer.sender = process.partner();
    answer.window = window->id;
    answer.token = (window->next_token - 1) | detail::kRequestToken;
    AVRM_MUST(detail::handle_active(process.device, answer, &number, sizeof number));
    AVRM_MUST(reports == 0);
    ++answer.token;
    AVRM_MUST(detail::handle_active(process.device, answer, &number, sizeof number));
    AVRM_MUST(reports == 1 && in == 5);
    barrier(process);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

// Atomics travel in active messages, which keep their order.
TEST_P(MinimalNetmod, KeepsTheOrderOfActiveMessages) {
  run_job(kMinimal, 4, [](Process &process) {
    run_bodies(process, atomics_of_one_process_keep_their_order, each_ticket_is_drawn_once,
               narrow_atomics_agree_with_their_twin);
  });
}

// ---- receives that are cancelled ----

void cancel_and_receive(Process &process) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{5000}}) {
    Buffer in(bytes);
    avrm_request_t *request = nullptr;
    for (const int source : {process.partner(), AVRM_ANY_SOURCE}) {
      AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, source, 3, &request) == AVRM_OK);
      AVRM_MUST(avrm_cancel(request) == AVRM_OK && avrm_cancel(request) == AVRM_OK);
      AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
    }
    barrier(process);
    // With its message under way it may end either way, and the message goes to the next receive.
    AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, process.partner(), 3, &request) == AVRM_OK);
    avrm_request_t *sent = nullptr;
    const Buffer out = content(process.rank, process.partner(), 1, bytes);
    AVRM_MUST(avrm_isend(process.world, out.data(), bytes, process.partner(), 3, &sent) == AVRM_OK);
    for (int i = process.rank; i < 5; ++i) {
      avrm_progress(process.device);
    }
    AVRM_MUST(avrm_cancel(request) == AVRM_OK);
    const avrm_status_t status = avrm_wait(&request, nullptr);
    AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_CANCELLED);
    if (status == AVRM_ERR_CANCELLED) {
      receive(process, in, process.partner(), 3);
    }
    wait(sent);
    AVRM_MUST(in == content(process.partner(), process.rank, 1, bytes));
    barrier(process);
  }
}

TEST_P(MinimalNetmod, EndsCancelledReceivesInItsProgress) {
  run_job(kMinimal, 2, [](Process &process) {
    cancel_and_receive(process);
    only_receives_can_be_cancelled(process);
    AVRM_MUST(minimal_counts().cancels != 0);
    AVRM_MUST(GetParam() == Ending::kAtOnce || minimal_counts().late_cancels != 0);
  });
}

// ---- operations that are null ----

TEST_P(MinimalNetmod, NeedNotProbe) {
  run_job(kMinimal, 2, [](Process &process) {
    bool found = false;
    avrm_message_t *message = nullptr;
    for (const int source : {process.partner(), AVRM_ANY_SOURCE}) {
      AVRM_MUST(avrm_iprobe(process.world, source, 5, &found, nullptr) == AVRM_ERR_UNSUPPORTED);
      AVRM_MUST(avrm_probe(process.world, source, 5, nullptr) == AVRM_ERR_UNSUPPORTED);
      AVRM_MUST(avrm_improbe(process.world, source, 5, &found, &message, nullptr) == AVRM_ERR_UNSUPPORTED);
      AVRM_MUST(avrm_mprobe(process.world, source, 5, &message, nullptr) == AVRM_ERR_UNSUPPORTED);
    }
    send(process, Buffer(3), process.rank, 5); // the core's own messages are found
    AVRM_MUST(avrm_iprobe(process.world, process.rank, 5, &found, nullptr) == AVRM_OK && found);
    Buffer in(3);
    receive(process, in, process.rank, 5);
  });
}

// A thread that waits sleeps all the same, and the messages of all threads go through the netmod
// itself.
TEST_P(MinimalNetmod, NeedNotArmNorHaveQueues) {
  run_job(
      kMinimal, 2,
      [](Process &process) {
        avrm_fp_t *fp = nullptr;
        AVRM_MUST(avrm_fp_open(process.device, 2, &fp) == AVRM_OK && avrm_fp_queues(fp) == 0);
        AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
        exchange_numbered_messages(process);
        usleep(process.rank == 0 ? 30000 : 0); // rank 1 falls asleep
        exchange_numbered_messages(process);
      },
      -1, true);
}

// It loses everything, and has no window of its own.
TEST(MinimalNetmodOfNoCapability, IssuesMessages) {
  set_minimal({Ending::kLate, false});
  run_job(kMinimal, 2, [](Process &process) {
    a_process_can_send_to_itself(process);
    avrm_request_t *request = nullptr;
    const Buffer out(100);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100}}) {
      AVRM_MUST(avrm_isend(process.world, out.data(), bytes, process.partner(), 3, &request) == AVRM_OK);
      wait(request);
    }
    Buffer in(100);
    AVRM_MUST(avrm_irecv(process.world, in.data(), 100, process.partner(), 3, &request) == AVRM_OK);
    AVRM_MUST(avrm_cancel(request) == AVRM_OK && avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, in.data(), 100, 0, &window) == AVRM_OK);
    AVRM_MUST(avrm_put(window, out.data(), 8, process.rank, 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_put(window, out.data(), 8, process.partner(), 0, &request) == AVRM_ERR_UNSUPPORTED);
    AVRM_MUST(avrm_flush_all(window) == AVRM_OK && avrm_window_free(window) == AVRM_OK);
  });
}

// The null netmod's operations of windows, or some of them.
class SomeOperations {
public:
  SomeOperations(avrm_netmod_t *net, unsigned capabilities) : net_(net), all_(net->ops), some_(*net->ops) {
    net_->capabilities = capabilities | AVRM_NETMOD_PLAIN_KEYS;
    net_->ops = &some_;
    some_.put_inject = nullptr;
    some_.fp_put_inject = nullptr;
    if (capabilities == AVRM_NETMOD_GET) {
      some_.put = nullptr;
      some_.flush = nullptr;
    } else {
      some_.get = nullptr;
    }
  }
  SomeOperations(const SomeOperations &) = delete;
  SomeOperations &operator=(const SomeOperations &) = delete;
  ~SomeOperations() { net_->ops = all_; }

private:
  avrm_netmod_t *net_;
  const avrm_netmod_ops_t *all_;
  avrm_netmod_ops_t some_;
};

class NetmodOfOneCapability : public testing::TestWithParam<unsigned> {};

// The other operation asks the peer by an active message, which the null netmod does not send.
TEST_P(NetmodOfOneCapability, NeedsNoOtherOperations) {
  run_job(kNull, 2, [](Process &process) {
    const SomeOperations some(process.device->net, GetParam());
    Buffer memory(100);
    avrm_window_t *window = nullptr;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_window_create(process.world, memory.data(), 100, 0, &window) == AVRM_OK);
    const bool gets = GetParam() == AVRM_NETMOD_GET;
    AVRM_MUST((gets ? avrm_get(window, memory.data(), 100, process.partner(), 0, &request)
                    : avrm_put(window, memory.data(), 100, process.partner(), 0, &request)) == AVRM_OK);
    wait(request);
    AVRM_MUST((gets ? avrm_put(window, memory.data(), 8, process.partner(), 0, &request)
                    : avrm_get(window, memory.data(), 8, process.partner(), 0, &request)) == AVRM_ERR_UNSUPPORTED);
    AVRM_MUST(avrm_flush(window, process.partner()) == AVRM_OK && avrm_flush_all(window) == AVRM_OK);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

INSTANTIATE_TEST_SUITE_P(Either, NetmodOfOneCapability, testing::Values(AVRM_NETMOD_PUT, AVRM_NETMOD_GET),
                         [](const auto &info) { return std::string(info.param == AVRM_NETMOD_PUT ? "Put" : "Get"); });

// ---- communicators, and failures ----

TEST_P(MinimalNetmod, IsEnoughForCommunicators) {
  run_job(kMinimal, 4, [](Process &process) {
    avrm_comm_t *halves = nullptr;
    avrm_comm_t *twin = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank % 2, -process.rank, &halves) == AVRM_OK);
    AVRM_MUST(avrm_comm_dup(halves, &twin) == AVRM_OK);
    AVRM_MUST(avrm_comm_free(halves) == AVRM_OK && avrm_comm_free(twin) == AVRM_OK);
  });
}

constexpr int kVictim = 2;

// Nobody is told by the netmod. Rank 1 waits in sends, rank 0 in receives.
TEST_P(MinimalNetmod, NeedNotDetectFailures) {
  run_job(
      kMinimal, 3,
      [](Process &process) {
        Buffer in(5000);
        avrm_request_t *request = nullptr;
        barrier(process);
        if (process.rank == kVictim) {
          send(process, content(kVictim, 0, 1, 8), 0, 4);
          receive(process, in, 1, 6);
          gather_at(process, kVictim);
          AVRM_MUST(kill(getpid(), SIGKILL) == 0);
        }
        if (process.rank == 1) {
          send(process, Buffer(8), kVictim, 6);
        }
        gather_at(process, kVictim);
        if (process.rank == 1) {
          avrm_status_t status = avrm_isend(process.world, in.data(), in.size(), kVictim, 5, &request);
          status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER); // it may have been buffered
          while (status != AVRM_ERR_PEER) {
            status = avrm_isend(process.world, in.data(), 8, kVictim, 5, &request);
            avrm_progress(process.device);
          }
        } else {
          AVRM_MUST(avrm_irecv(process.world, in.data(), in.size(), kVictim, 5, &request) == AVRM_OK);
          AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_PEER);
          // A message that has arrived before is still there.
          in.resize(8);
          AVRM_MUST(receive(process, in, kVictim, 4).source == kVictim && in == content(kVictim, 0, 1, 8));
          const avrm_status_t status = avrm_irecv(process.world, in.data(), in.size(), kVictim, 4, &request);
          AVRM_MUST(status == AVRM_OK && avrm_wait(&request, nullptr) == AVRM_ERR_PEER);
        }
        AVRM_MUST(minimal_counts().failed != 0); // which it is told
      },
      kVictim);
}

// Survivors of a revoked communicator leave receives behind that drain it.
TEST_P(MinimalNetmod, IsEnoughForSurvivors) {
  run_job(
      kMinimal, 3,
      [](Process &process) {
        avrm_comm_t *comm = nullptr;
        avrm_comm_t *rest = nullptr;
        AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_OK);
        gather_at(process, kVictim);
        if (process.rank == kVictim) {
          AVRM_MUST(kill(getpid(), SIGKILL) == 0);
        }
        avrm_request_t *request = nullptr;
        Buffer in(5000);
        // Nobody receives it. The other process may have revoked the communicator already.
        const avrm_status_t sent = avrm_isend(comm, in.data(), in.size(), 1 - process.rank, 5, &request);
        AVRM_MUST(sent == AVRM_OK || sent == AVRM_ERR_REVOKED);
        AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
        (void)avrm_wait(&request, nullptr);
        AVRM_MUST(avrm_comm_shrink(comm, &rest) == AVRM_OK && avrm_comm_free(comm) == AVRM_OK);
        std::uint64_t value = 0; // nobody leaves before
        AVRM_MUST(avrm_comm_agree(rest, &value) == AVRM_OK && avrm_comm_free(rest) == AVRM_OK);
      },
      kVictim);
}

// Peers are removed whose world is not known any more, and which may have failed.
TEST_P(MinimalNetmod, RemovesPeersOfAnotherWorld) {
  run_worlds(kMinimal, {2, 2},
             [](WorldProcess &self) {
               self.keeps_contexts = true;
               avrm_comm_t *const inter = connect_worlds(self);
               check_intercomm(self.world_member(), inter, ids_of(1 - self.world, 2));
               self.board.counters[0].fetch_add(1);
               while (self.board.counters[0].load() < 4) {
                 avrm_progress(self.process.device);
               }
               if (self.world == 1 && self.process.rank == 1) {
                 AVRM_MUST(kill(getpid(), SIGKILL) == 0);
               }
               if (self.world == 0) {
                 char in = 0;
                 avrm_request_t *request = nullptr;
                 const avrm_status_t status = avrm_irecv(inter, &in, 1, 1, 9, &request);
                 AVRM_MUST((status == AVRM_OK ? avrm_wait(&request, nullptr) : status) == AVRM_ERR_PEER);
               }
               self.board.counters[1].fetch_add(1); // the survivor of world 1 tells the others
               while (self.board.counters[1].load() < 3) {
                 avrm_progress(self.process.device);
               }
               AVRM_MUST(avrm_comm_free(inter) == AVRM_OK);
               AVRM_MUST(self.world == 1 || minimal_counts().removed != 0);
             },
             {1, 1});
}

INSTANTIATE_TEST_SUITE_P(Ending, MinimalNetmod, testing::Values(Ending::kLate, Ending::kAtOnce),
                         [](const auto &info) { return std::string(info.param == Ending::kLate ? "Late" : "AtOnce"); });

} // namespace
} // namespace avrankmap::test
