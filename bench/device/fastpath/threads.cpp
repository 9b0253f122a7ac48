// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/threads.h"

#include "bench/synthetic/fastpath_world.h"
#include "support/cpu_time.h"
#include "support/machine.h"
#include "support/statistics.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>
#include <thread>

namespace avrankmap::bench {
namespace {

constexpr int kMostThreads = 8;
constexpr unsigned char kByte = 1;

/// Communicators of one device, over queues in addition to the device's own or, if there is to be
/// one, over that.
class Communicators {
public:
  Communicators(int count, int queues) : world_(true, queues) {
    for (int i = 0; i < count; ++i) {
      plain_.push_back(world_.make_comm(static_cast<std::uint32_t>(10 + i)));
      avrm_fp_comm_t *comm = nullptr;
      require(avrm_fp_comm_create(world_.fp, plain_.back(), &comm));
      comms_.push_back(comm);
    }
  }
  Communicators(const Communicators &) = delete;
  Communicators &operator=(const Communicators &) = delete;
  ~Communicators() {
    for (std::size_t i = 0; i < comms_.size(); ++i) {
      (void)avrm_fp_comm_free(comms_[i]);
      (void)avrm_comm_free(plain_[i]);
    }
  }

  /// Operations per second of all threads together, each of which does `each`.
  double rate(std::int64_t each) const {
    const auto count = static_cast<int>(comms_.size());
    std::atomic<int> waiting{count};
    std::vector<double> rates(comms_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < comms_.size(); ++i) {
      threads.emplace_back([&, i] {
        issue(comms_[i], each / 16); // its caches are warm, and all threads are there
        --waiting;
        while (waiting.load() > 0) {
          std::this_thread::yield();
        }
        const double start = thread_seconds();
        issue(comms_[i], each);
        rates[i] = static_cast<double>(each) / (thread_seconds() - start);
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    return std::accumulate(rates.begin(), rates.end(), 0.0);
  }

private:
  static void issue(avrm_fp_comm_t *comm, std::int64_t operations) {
    for (std::int64_t i = 0; i < operations; ++i) {
      avrm_request_t *request = nullptr;
      (void)avrm_fp_isend_default(&kByte, 1, AVRM_BYTE, static_cast<std::int32_t>(i & 15), 5, comm, &request);
    }
  }

  FastpathWorld world_;
  std::vector<avrm_comm_t *> plain_;
  std::vector<avrm_fp_comm_t *> comms_;
};

} // namespace

std::vector<FastpathThreads> measure_fastpath_threads(int rounds, double seconds) {
  constexpr std::int64_t kTrial = 1 << 18;
  std::int64_t each = 0;
  {
    const Communicators one(1, 2);
    each = static_cast<std::int64_t>(seconds * one.rate(kTrial)) + 1;
  }
  std::vector<FastpathThreads> rows;
  for (int threads = 1; threads <= std::min(cpu_count(), kMostThreads); threads *= 2) {
    std::vector<double> own;
    std::vector<double> shared;
    std::vector<double> single;
    for (int round = 0; round < rounds; ++round) {
      // A world at a time: each takes the predefined handles. A queue more: the communicator of
      // those also has one.
      single.push_back(Communicators(1, 2).rate(each));
      own.push_back(Communicators(threads, threads + 1).rate(each));
      shared.push_back(Communicators(threads, 1).rate(each));
    }
    rows.push_back({threads, median(own), median(shared), median_ratio(own, single)});
  }
  return rows;
}

namespace {

Json run(Session &session) { return measure_fastpath_threads(session.choose(11, 31), session.choose(0.003, 0.01)); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1,
                  "Fast path by several threads on as many communicators, default build, null network: isends of all "
                  "together, by CPU time");
  table.row({"threads", "own queues: M/s", "over one thread", "one queue: M/s"});
  for (const FastpathThreads &row : rows_of<FastpathThreads>(rows)) {
    table.row({std::to_string(row.threads), fmt::format("{:.1f}", row.rate_own / 1e6),
               fmt::format("{:.2f}x", row.scaling), fmt::format("{:.1f}", row.rate_shared / 1e6)});
  }
  return {table};
}

} // namespace

const Measurement kFastpathThreads = {"fastpath_threads", nullptr, false, run, tables};

} // namespace avrankmap::bench
