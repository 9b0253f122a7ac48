// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/forms.h"

#include "bench/synthetic/form_lpids.h"
#include "bench/synthetic/synthetic_job.h"
#include "device/fastpath/loops.h"
#include "support/in_turn.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPeers = 16;
constexpr std::int32_t kFewProcesses = 40000;
constexpr std::int32_t kManyProcesses = 786432;
constexpr std::int32_t kPerNode = 128;
constexpr unsigned char kByte = 1;

/// The first node is the own one.
SyntheticJob::Layout in_vector_loops() {
  return {kPerNode, [](std::int32_t lpid) { return lpid < kPerNode; }};
}

/// The map of these lpids; without some ranks, as after failures.
avrm_rankmap_t map_of(const SyntheticJob &job, const Lpids &lpids, const std::vector<std::int32_t> &failed = {}) {
  avrm_rankmap_t map{};
  require(avrm_rankmap_create_lpids(job.instance(), 0, static_cast<std::int32_t>(lpids.size()), lpids.data(), 0, &map));
  if (!failed.empty()) {
    avrm_rankmap_t all = map;
    require(avrm_rankmap_create_without(&all, static_cast<std::int32_t>(failed.size()), failed.data(), 0, &map));
    avrm_rankmap_destroy(&all);
  }
  return map;
}

/// A communicator of a job, and a sequence of targets, as many as a power of two.
class Sender {
public:
  /// Consumes the map.
  Sender(const SyntheticJob &job, std::uint32_t context, avrm_rankmap_t map, const Lpids &lpids,
         std::vector<std::int32_t> targets)
      : targets_(std::move(targets)) {
    require(avrm_comm_create_local(job.device(), &map, 0, context, &plain_));
    require(avrm_fp_comm_create(job.fp(), plain_, &comm_));
    for (const std::int32_t lpid : lpids) {
      addresses_.push_back(static_cast<std::uint64_t>(lpid));
    }
    loop_.buffer = &kByte;
    loop_.comm = comm_;
    loop_.ranks = targets_.data();
    loop_.addresses = addresses_.data();
    loop_.match = avrm_match_pack(context, 0, 5);
    loop_.mask = static_cast<std::uint32_t>(targets_.size() - 1);
  }
  ~Sender() {
    (void)avrm_fp_comm_free(comm_);
    (void)avrm_comm_free(plain_);
  }
  Sender(const Sender &) = delete;
  Sender &operator=(const Sender &) = delete;

  /// Sends to so many targets.
  [[nodiscard]] Passes by(avrm_bench_loop_fn *loop, std::int64_t messages) {
    return [this, loop, messages](std::int64_t passes) { loop(&loop_, passes * messages); };
  }

private:
  std::vector<std::int32_t> targets_;
  std::vector<std::uint64_t> addresses_; ///< by rank
  avrm_comm_t *plain_ = nullptr;
  avrm_fp_comm_t *comm_ = nullptr;
  avrm_bench_loop_t loop_{};
};

Lpids all_of(std::int32_t processes) {
  Lpids lpids(static_cast<std::size_t>(processes));
  std::iota(lpids.begin(), lpids.end(), 0);
  return lpids;
}

Lpids shuffled(std::int32_t processes) {
  Lpids lpids = all_of(processes);
  std::shuffle(lpids.begin(), lpids.end(), std::mt19937_64(1));
  return lpids;
}

/// Far apart, none of them on the own node.
std::vector<std::int32_t> few_of(const Lpids &lpids) {
  std::vector<std::int32_t> ranks;
  const auto step = static_cast<std::int32_t>(lpids.size() / kPeers);
  for (std::int32_t i = 0; i < kPeers; ++i) {
    std::int32_t rank = i * step;
    while (lpids[static_cast<std::size_t>(rank)] < kPerNode) {
      ++rank;
    }
    ranks.push_back(rank);
  }
  return ranks;
}

/// In random order, none of them on the own node.
std::vector<std::int32_t> many_of(const Lpids &lpids) {
  constexpr std::size_t kTargets = std::size_t{1} << 20;
  std::mt19937_64 engine(2);
  std::vector<std::int32_t> ranks;
  while (ranks.size() < kTargets) {
    const auto rank = static_cast<std::int32_t>(engine() % lpids.size());
    if (lpids[static_cast<std::size_t>(rank)] >= kPerNode) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

struct Form {
  const char *name;
  Lpids lpids;
  std::vector<std::int32_t> failed{}; ///< ranks that the map lacks
};

Lpids remaining(const Form &form) {
  Lpids lpids;
  for (std::size_t rank = 0; rank < form.lpids.size(); ++rank) {
    if (std::find(form.failed.begin(), form.failed.end(), static_cast<std::int32_t>(rank)) == form.failed.end()) {
      lpids.push_back(form.lpids[rank]);
    }
  }
  return lpids;
}

constexpr const char *kAffine = "affine";
constexpr const char *kLut = "lut";
constexpr const char *kBlocked = "blocked";
constexpr const char *kCart = "cart of 3 dimensions";
constexpr const char *kLess = "the cart without 10 processes";
constexpr const char *kFewSegments = "7 segments";
constexpr const char *kManySegments = "32 segments";
constexpr const char *kWorld = "world";
constexpr const char *kLutOfAll = "lut of all";

void measure_few(bool implicit, int rounds, double seconds, std::vector<FastpathFormRow> &rows) {
  const SyntheticJob job(kFewProcesses, implicit, in_vector_loops());
  const Form forms[] = {{kAffine, all_of(kFewProcesses)},
                        {kLut, shuffled(1000)},
                        {kBlocked, blocked_lpids(kPerNode)},
                        {kCart, box_lpids(20, 20, 20)},
                        {kLess, box_lpids(20, 20, 20), {17, 804, 1502, 2333, 3600, 4119, 5005, 5750, 6502, 7777}},
                        {kFewSegments, run_lpids(7)},
                        {kManySegments, run_lpids(32)}};
  std::vector<std::unique_ptr<Sender>> senders;
  std::vector<Passes> loops;
  for (const Form &form : forms) {
    const Lpids lpids = remaining(form);
    senders.push_back(std::make_unique<Sender>(job, static_cast<std::uint32_t>(senders.size() + 1),
                                               map_of(job, form.lpids, form.failed), lpids, few_of(lpids)));
    loops.push_back(senders.back()->by(avrm_bench_isend_noreq, kPeers));
  }
  const auto times = time_in_turn(loops, rounds, seconds);
  for (std::size_t i = 0; i < times.size(); ++i) {
    rows.push_back({implicit ? "implicit" : "table", kPeers, forms[i].name, kPeers / median(times[i]),
                    median_ratio(times[0], times[i]), 1});
  }
}

void measure_many(int rounds, double seconds, std::vector<FastpathFormRow> &rows) {
  constexpr std::int64_t kMessages = 4096;
  const SyntheticJob job(kManyProcesses, true, in_vector_loops());
  const Lpids world = all_of(kManyProcesses);
  const Lpids lut = shuffled(kManyProcesses);
  Sender few(job, 1, map_of(job, world), world, few_of(world));
  Sender regular(job, 2, map_of(job, world), world, many_of(world));
  Sender irregular(job, 3, map_of(job, lut), lut, many_of(lut));
  const auto times =
      time_in_turn({few.by(avrm_bench_isend_noreq, kMessages), regular.by(avrm_bench_isend_translated, kMessages),
                    regular.by(avrm_bench_isend_noreq, kMessages), irregular.by(avrm_bench_isend_translated, kMessages),
                    irregular.by(avrm_bench_isend_noreq, kMessages)},
                   rounds, seconds);
  const auto row = [&](const char *form, std::size_t translated, std::size_t own) {
    rows.push_back({"implicit", kManyProcesses, form, kMessages / median(times[own]),
                    median_ratio(times[translated], times[own]), median_ratio(times[0], times[own])});
  };
  row(kWorld, 1, 2);
  row(kLutOfAll, 3, 4);
}

Json run(Session &session) {
  std::vector<FastpathFormRow> rows;
  const int rounds = session.choose(7, 21);
  const double seconds = session.choose(0.005, 0.02);
  for (const bool implicit : {false, true}) {
    session.progress(implicit ? "implicit address vector" : "table");
    measure_few(implicit, rounds, seconds, rows);
  }
  session.progress("a large job");
  measure_many(rounds, seconds, rows);
  return rows;
}

std::vector<TextTable> tables(const Json &json) {
  TextTable table(3, "Fast path by form of the communicator: isend without request, null network, 1 byte. Ratio: to an "
                     "affine communicator (16 peers), or to a loop over addresses translated in advance (more peers, "
                     "in random order). Of 16 peers: ratio to the world with 16 peers");
  table.row({"address vector", "peers", "form", "M/s", "ratio", "of 16 peers"});
  for (const FastpathFormRow &row : rows_of<FastpathFormRow>(json)) {
    table.row({row.av, std::to_string(row.peers), row.form, fmt::format("{:.1f}", row.rate * 1e-6),
               fmt::format("{:.2f}x", row.ratio), row.peers == kPeers ? "-" : fmt::format("{:.2f}x", row.to_few)});
  }
  return {table};
}

void judge(const Json &json, Budgets &budgets) {
  const auto rows = rows_of<FastpathFormRow>(json);
  const auto limit = [&](double least, const char *form, std::int64_t peers, double FastpathFormRow::*value,
                         const std::string &name) {
    Budgets::Values &values = budgets.at_least(least, name);
    for (const FastpathFormRow &row : rows) {
      if (row.form == form && row.peers == peers) {
        values.add(row.*value);
      }
    }
  };
  const auto of_affine = [&](double least, const char *form) {
    limit(least, form, kPeers, &FastpathFormRow::ratio, fmt::format("fast path, {} over affine, 16 peers", form));
  };
  of_affine(0.85, kLut);
  for (const char *const form : {kBlocked, kCart, kFewSegments, kManySegments}) {
    of_affine(0.5, form);
  }
  limit(0.85, kWorld, kManyProcesses, &FastpathFormRow::to_few,
        "fast path, world of 786,432 in random order over its rate at 16 peers");
  limit(1, kWorld, kManyProcesses, &FastpathFormRow::ratio,
        "fast path, world of 786,432 in random order over addresses translated beforehand");
  limit(0.6, kLutOfAll, kManyProcesses, &FastpathFormRow::ratio,
        "fast path, lut of 786,432 in random order over addresses translated beforehand");
}

} // namespace

const Measurement kFastpathForms = {"fastpath_forms", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
