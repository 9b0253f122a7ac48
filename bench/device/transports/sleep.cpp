// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/sleep.h"

#include "device/transports/pair_process.h"
#include "support/cpu_time.h"
#include "support/machine.h"
#include "support/open_device.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include "avrankmap/device/event.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <regex>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace avrankmap::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{5};
// The share of a processor is measured in the longer one.
constexpr std::chrono::milliseconds kLongPause{500};
constexpr int kTag = 1;
constexpr std::size_t kAwake = 0;
constexpr std::size_t kAsleep = 1;
/// Places in PairControl.
constexpr int kLatencies = 0;
constexpr int kShares = 1;
constexpr int kWakes = 2;
constexpr int kPingPong = 3;
constexpr int kBareWakes = 4;

avrm_device_t *open_device(avrm_boot_t *boot, const Transport &transport, std::size_t way) {
  avrm_device_options_t options = options_of(boot, transport);
  options.spin_us = way == kAwake ? AVRM_SPIN_FOREVER : 1;
  return bench::open_device(options);
}

void send(avrm_comm_t *world, std::int32_t peer, std::int64_t value) {
  avrm_request_t *request = nullptr;
  require(avrm_isend(world, &value, sizeof value, peer, kTag, &request));
  require(avrm_wait(&request, nullptr));
}

std::int64_t receive(avrm_comm_t *world, std::int32_t peer) {
  std::int64_t value = 0;
  avrm_request_t *request = nullptr;
  require(avrm_irecv(world, &value, sizeof value, peer, kTag, &request));
  require(avrm_wait(&request, nullptr));
  return value;
}

std::int64_t now_ns() { return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); }

/// Wakes a process without any transport: an event of the system that both processes have.
class BareWake {
public:
  BareWake() : event_(eventfd(0, EFD_CLOEXEC)) {
    if (event_ < 0) {
      throw std::system_error(errno, std::generic_category(), "eventfd");
    }
  }
  BareWake(const BareWake &) = delete;
  BareWake &operator=(const BareWake &) = delete;
  ~BareWake() { close(event_); }

  /// Tells the sleeper the time at which this begins.
  void wake() const {
    const auto now = static_cast<std::uint64_t>(now_ns());
    if (write(event_, &now, sizeof now) != sizeof now) {
      throw std::system_error(errno, std::generic_category(), "write to an eventfd");
    }
  }
  /// Sleeps as the device does. Returns the seconds that waking took.
  [[nodiscard]] double sleep() const {
    pollfd readable{event_, POLLIN, 0};
    std::uint64_t begun = 0;
    if (poll(&readable, 1, -1) != 1 || read(event_, &begun, sizeof begun) != sizeof begun) {
      throw std::system_error(errno, std::generic_category(), "waiting for an eventfd");
    }
    return static_cast<double>(now_ns() - static_cast<std::int64_t>(begun)) * 1e-9;
  }

private:
  int event_;
};

/// Median over some runs of half a round trip, in seconds.
double ping_pong(avrm_comm_t *world, std::int32_t rank) {
  constexpr int kRuns = 31;
  constexpr int kTrips = 200;
  std::vector<double> samples;
  for (int run = 0; run < kRuns; ++run) {
    const Clock::time_point start = Clock::now();
    for (int trip = 0; trip < kTrips; ++trip) {
      if (rank == 0) {
        send(world, 1, 0);
      }
      (void)receive(world, 1 - rank);
      if (rank == 1) {
        send(world, 0, 0);
      }
    }
    samples.push_back(std::chrono::duration<double>(Clock::now() - start).count() / kTrips / 2);
  }
  return median(samples);
}

/// Process 1 sends the time at which it begins to, process 0 looks at the clock when it has it. A
/// bare wake-up follows each message, so that both meet the same machine.
void measure(avrm_device_t *device, std::int32_t rank, int messages, PairControl &control, std::size_t way,
             const BareWake &bare) {
  avrm_comm_t *const world = avrm_device_world(device);
  const double half_trip = ping_pong(world, rank);
  if (rank == 1) {
    for (int i = 0; i <= messages; ++i) {
      (void)receive(world, 0);
      std::this_thread::sleep_for(i < messages ? kPause : kLongPause);
      send(world, 0, now_ns());
      if (i < messages) {
        std::this_thread::sleep_for(kPause);
        bare.wake();
      }
    }
    return;
  }
  for (int i = 0; i < messages; ++i) {
    send(world, 1, 0);
    const std::int64_t sent = receive(world, 1);
    control.seconds[kLatencies][way][i] = static_cast<double>(now_ns() - sent) * 1e-9;
    control.seconds[kBareWakes][way][i] = bare.sleep();
  }
  send(world, 1, 0);
  const double busy = thread_seconds();
  const Clock::time_point start = Clock::now();
  (void)receive(world, 1);
  control.seconds[kPingPong][way][0] = half_trip;
  control.seconds[kShares][way][0] =
      (thread_seconds() - busy) / std::chrono::duration<double>(Clock::now() - start).count();
  std::int64_t nanoseconds = 0;
  while (avrm_device_arm(device, &nanoseconds) == AVRM_ERR_AGAIN) {
    (void)avrm_progress(device);
  }
  avrm_device_disarm(device);
  control.seconds[kWakes][way][0] = static_cast<double>(nanoseconds) * 1e-9;
}

} // namespace

std::vector<SleepCost> measure_sleep(const SleepOptions &options, const Log &progress, const Log &note) {
  if (cpu_count() < 2) {
    note("sleeping is left out: it needs two CPUs");
    return {};
  }
  if (options.messages > kMaxRounds) {
    throw std::invalid_argument("too many messages");
  }
  const std::regex filter(options.filter);
  std::vector<SleepCost> costs;
  for (const Transport &transport : kTransports) {
    if ((transport.studies & kInRates) == 0 || !std::regex_search(fmt::format("BM_Sleep/{}", transport.name), filter)) {
      continue;
    }
    progress(fmt::format("sleeping, {}", transport.name));
    const SharedPages<PairControl> shared;
    PairControl &control = *shared.get();
    const BareWake bare;
    struct Nothing {};
    const bool done = run_pair<Nothing>("sleeping", transport, note, [&](avrm_boot_t *boot, Nothing & /*state*/) {
      for (const std::size_t way : {kAwake, kAsleep}) {
        avrm_device_t *const device = open_device(boot, transport, way);
        measure(device, avrm_boot_rank(boot), options.messages, control, way, bare);
        require(avrm_device_close(device));
      }
    });
    if (done) {
      costs.push_back({transport.name, transport.shared_memory, control.seconds[kWakes][kAsleep][0] > 2e-3,
                       median(control.samples(kLatencies, kAwake, options.messages)) * 1e6,
                       median(control.samples(kLatencies, kAsleep, options.messages)) * 1e6,
                       median(control.samples(kBareWakes, kAsleep, options.messages)) * 1e6,
                       control.seconds[kShares][kAwake][0], control.seconds[kShares][kAsleep][0],
                       control.seconds[kPingPong][kAwake][0] * 1e6, control.seconds[kPingPong][kAsleep][0] * 1e6});
    }
  }
  return costs;
}

namespace {

Json run(Session &session) {
  return measure_sleep({session.choose(31, kMaxRounds), session.filter}, session.progress, session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1,
                  "Sleeping: one-way time of an 8-byte message to a process that polls, and to one that sleeps; their "
                  "difference (late); a bare wake-up by an eventfd; the receiver's share of a processor while it "
                  "waits; and ping-pong on both devices. Where arrivals do not wake a process (woken: no), it polls "
                  "at increasing intervals");
  table.row({"transport", "woken", "polling us", "asleep us", "late us", "bare wake-up us", "polling %", "asleep %",
             "ping-pong us", "may sleep us"});
  for (const SleepCost &cost : rows_of<SleepCost>(rows)) {
    table.row({cost.transport, cost.wakes ? "yes" : "no", fmt::format("{:.1f}", cost.awake_us),
               fmt::format("{:.1f}", cost.asleep_us), fmt::format("{:.1f}", cost.asleep_us - cost.awake_us),
               fmt::format("{:.1f}", cost.bare_us), fmt::format("{:.1f}", cost.awake_share * 100),
               fmt::format("{:.2f}", cost.asleep_share * 100), fmt::format("{:.2f}", cost.never_us),
               fmt::format("{:.2f}", cost.ready_us)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  // The system's own way of a byte through TCP takes 1.4 times as long as the bare wake-up.
  Budgets::Values &by_network =
      budgets.at_most(2, "bare wake-ups that a message to a sleeping process is late, networks");
  Budgets::Values &by_memory =
      budgets.at_most(1.5, "bare wake-ups that a message to a sleeping process is late, shared memory");
  Budgets::Values &share = budgets.at_most(0.02, "share of a processor of a process that sleeps in a wait");
  for (const SleepCost &cost : rows_of<SleepCost>(rows)) {
    if (cost.wakes) {
      const double late_us = cost.asleep_us - cost.awake_us;
      (cost.shared_memory ? by_memory : by_network).add(late_us / cost.bare_us, cost.transport);
      share.add(cost.asleep_share, cost.transport);
    }
  }
}

} // namespace

const Measurement kSleep = {"sleep", "BM_Sleep/<transport>", false, run, tables, judge};

} // namespace avrankmap::bench
