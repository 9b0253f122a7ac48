// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The shared-memory shmmod between two processes on two cores, below the core: no matching, no requests but where the
// shmmod needs one.
//
//   BM_HalfRoundTrip/<bytes>   ping-pong; the time is half a round trip
//   BM_MessageRate/<bytes>     one way, answered once per burst; the time is that of one message
//
// Time is per message, not per iteration: an iteration is a burst. Look at the minimum of the repetitions: whatever else
// runs on the two cores only adds to it.

#include <benchmark/benchmark.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "posix/posix.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kData = 1;
constexpr std::uint64_t kLast = 2; // last of a burst: to be answered
constexpr std::uint64_t kStop = 3;

// What the two processes see of each other before they are connected.
struct Meeting {
  std::atomic<int> arrived{0};
  std::size_t card_bytes[2]{};
  unsigned char cards[2][256]{};
};

void pin_to(int index) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return;
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed) && index-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      (void)sched_setaffinity(0, sizeof one, &one);
      return;
    }
  }
}

class Side {
public:
  Side(int rank, Meeting *meeting, std::size_t bytes) : peer_(1 - rank), out_(bytes), in_(bytes) {
    const avrm_shmmod_config_t config{rank, 2, on_message, on_am, this};
    if (ops_->open(&config, &shm_) != AVRM_OK) {
      std::_Exit(3);
    }
    meeting->card_bytes[rank] = sizeof meeting->cards[rank];
    (void)ops_->card(shm_, meeting->cards[rank], &meeting->card_bytes[rank]);
    ++meeting->arrived;
    while (meeting->arrived < 2) {
      sched_yield();
    }
    if (ops_->connect(shm_, peer_, meeting->cards[peer_], meeting->card_bytes[peer_]) != AVRM_OK) {
      std::_Exit(4);
    }
  }
  ~Side() { ops_->close(shm_); }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  void send(std::uint64_t match) {
    const bool small = out_.size() <= shm_->inject_max;
    avrm_request_t request{};
    request.complete = on_done;
    while (ops_->send(shm_, peer_, match, out_.data(), out_.size(), small ? nullptr : &request) != AVRM_OK) {
      ops_->progress(shm_);
    }
    while (!small && request.done == 0) {
      ops_->progress(shm_);
    }
  }
  // Waits until as many bursts have ended here.
  void wait_for(std::uint64_t count) {
    unsigned idle = 0;
    while (seen_ < count) {
      if (ops_->progress(shm_) == 0) {
        pause(&idle);
      }
    }
  }
  // Answers every burst until told to stop.
  void serve() {
    std::uint64_t answered = 0;
    unsigned idle = 0;
    while (!stopped_) {
      if (ops_->progress(shm_) == 0) {
        pause(&idle);
      }
      if (seen_ > answered) {
        ++answered;
        send(kLast);
      }
    }
  }

private:
  static void on_message(void *user, const avrm_arrival_t *arrival) {
    auto *const side = static_cast<Side *>(user);
    if (arrival->data != nullptr) {
      std::memcpy(side->in_.data(), arrival->data, std::min<std::size_t>(arrival->bytes, side->in_.size()));
      side->count(arrival->match);
      return;
    }
    avrm_request_t &request = side->taking_;
    request.complete = on_taken;
    current_ = side;
    (void)side->ops_->take(side->shm_, arrival->local_rank, arrival->ticket, side->in_.data(), side->in_.size(),
                           &request);
  }
  static void on_taken(avrm_request_t * /*request*/, avrm_status_t /*status*/, std::uint64_t match,
                       std::uint64_t /*bytes*/) {
    current_->count(match);
  }
  static void on_done(avrm_request_t *request, avrm_status_t /*status*/, std::uint64_t /*match*/,
                      std::uint64_t /*bytes*/) {
    request->done = 1;
  }
  static void on_am(void * /*user*/, const void * /*data*/, std::size_t /*bytes*/) {}
  // Should the two share a core, the other one gets its turn.
  static void pause(unsigned *idle_p) {
    if (++*idle_p == 100000) {
      sched_yield();
      *idle_p = 0;
    }
  }
  void count(std::uint64_t match) {
    seen_ += match == kLast ? 1 : 0;
    stopped_ = stopped_ || match == kStop;
  }

  static inline Side *current_ = nullptr; // the only one of its process
  const avrm_shmmod_ops_t *ops_ = avrm_shmmod_posix();
  avrm_shmmod_t *shm_ = nullptr;
  int peer_;
  std::uint64_t seen_ = 0;
  bool stopped_ = false;
  avrm_request_t taking_{};
  std::vector<unsigned char> out_;
  std::vector<unsigned char> in_;
};

// Runs `body` here against a process that serves.
template <typename Body> void with_server(benchmark::State &state, std::size_t bytes, Body body) {
  void *const page = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    state.SkipWithError("no memory");
    return;
  }
  auto *const meeting = new (page) Meeting;
  cpu_set_t before;
  (void)sched_getaffinity(0, sizeof before, &before);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin_to(1);
    {
      Side side(1, meeting, bytes);
      side.serve();
    }
    std::_Exit(0);
  }
  pin_to(0);
  {
    Side side(0, meeting, bytes);
    body(side);
    side.send(kStop);
    int ended = 0;
    waitpid(child, &ended, 0);
  }
  (void)sched_setaffinity(0, sizeof before, &before);
  munmap(page, sizeof(Meeting));
}

void measure(benchmark::State &state, int burst, double messages_per_burst) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  with_server(state, bytes, [&](Side &side) {
    std::uint64_t answers = 0;
    for (auto _ : state) {
      (void)_;
      const auto start = Clock::now();
      if (messages_per_burst > burst) { // ping-pong: each is answered
        for (int i = 0; i < burst; ++i) {
          side.send(kLast);
          side.wait_for(++answers);
        }
      } else {
        for (int i = 1; i < burst; ++i) {
          side.send(kData);
        }
        side.send(kLast);
        side.wait_for(++answers);
      }
      const std::chrono::duration<double> elapsed = Clock::now() - start;
      state.SetIterationTime(elapsed.count() / messages_per_burst);
    }
  });
}

void BM_HalfRoundTrip(benchmark::State &state) {
  const int burst = state.range(0) > 65536 ? 50 : 2000;
  measure(state, burst, 2.0 * burst);
}

void BM_MessageRate(benchmark::State &state) {
  const int burst = state.range(0) > 65536 ? 50 : 5000;
  measure(state, burst, burst);
}

double minimum(const std::vector<double> &times) { return *std::min_element(times.begin(), times.end()); }

void configure(benchmark::internal::Benchmark *bench) {
  bench->Arg(8)->Arg(64)->Arg(512)->Arg(4096)->Arg(65536)->Arg(1048576);
  bench->UseManualTime()->Iterations(10)->Repetitions(15)->ReportAggregatesOnly();
  bench->ComputeStatistics("min", minimum);
}

BENCHMARK(BM_HalfRoundTrip)->Apply(configure);
BENCHMARK(BM_MessageRate)->Apply(configure);

} // namespace

BENCHMARK_MAIN();
