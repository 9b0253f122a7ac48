// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fastpath/fastpath.h"

#include "bench/synthetic/fastpath_world.h"
#include "counters/single_step.h"
#include "fastpath/breakdown.h"
#include "fastpath/loops.h"
#include "fastpath/probes.h"
#include "support/cpu_time.h"
#include "support/statistics.h"

#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kTargets = 16;
constexpr std::int32_t kRank = 7;
constexpr std::int64_t kLpid = FastpathWorld::lpid_of(kRank);
constexpr std::int64_t kDisplacement = 3;
constexpr unsigned char kByte = 1;
constexpr const char *kAllConstant = "all";
constexpr const char *kAllVariable = "all, variable count";

using Count = std::optional<std::uint64_t>;

/// One build or proposal: how it is counted and how it is timed.
struct Subject {
  const char *name;
  std::function<Count()> count_put;
  std::function<Count()> count_isend;
  avrm_bench_loop_fn *put;
  avrm_bench_loop_fn *isend;
};

/// Instructions of a call of `entry`, up to the network.
template <class Function, class Call> Count count(Function *entry, const void *network, Call call, const Log &note) {
  counters::StepOptions options;
  options.stop_at = network;
  const counters::Result<counters::StepCount> counted = counters::count_call(entry, call, options);
  if (!counted.ok()) {
    note("instructions of the fast path were not counted: " + counted.message());
    return std::nullopt;
  }
  return counted->instructions;
}

std::vector<Subject> subjects(FastpathWorld &world, std::uint64_t remote, const Log &note) {
  const auto *const tinject = reinterpret_cast<const void *>(&avrm_probe_tinject);
  const auto *const put_inject = reinterpret_cast<const void *>(&avrm_probe_put_inject);
  const auto *const table_tinject = reinterpret_cast<const void *>(&avrm_i_fp_tinject);
  const auto *const table_put_inject = reinterpret_cast<const void *>(&avrm_i_fp_put_inject);
  static avrm_request_t *request;
  const auto nothing = [] { return Count(); };

  const auto isend_build = [=, &world](auto *build) {
    return [=, &world] {
      return count(
          build, table_tinject, [&] { build(&kByte, 1, AVRM_BYTE, kRank, 5, world.comm, &request); }, note);
    };
  };
  const auto put_build = [=, &world](auto *build) {
    return [=, &world] {
      return count(
          build, table_put_inject, [&] { build(&kByte, 1, AVRM_BYTE, kRank, kDisplacement, world.window); }, note);
    };
  };
  const auto isend = [=](auto *probe, auto... arguments) {
    return [=] {
      return count(
          probe, tinject, [=] { probe(&kByte, arguments...); }, note);
    };
  };
  const auto put = [=](auto *probe, auto... arguments) {
    return [=] {
      return count(
          probe, put_inject, [=] { probe(&kByte, arguments...); }, note);
    };
  };

  return {
      {"default", put_build(avrm_fp_put_default), isend_build(avrm_fp_isend_default), avrm_bench_put_default,
       avrm_bench_isend_default},
      {"no-err", put_build(avrm_fp_put_no_err), isend_build(avrm_fp_isend_no_err), avrm_bench_put_no_err,
       avrm_bench_isend_no_err},
      {"no-err-single", put_build(avrm_fp_put_no_err_single), isend_build(avrm_fp_isend_no_err_single),
       avrm_bench_put_no_err_single, avrm_bench_isend_no_err_single},
      {"datatype at run time", put(avrm_probe_put_typed, 1, AVRM_BYTE, kRank, kDisplacement, world.window),
       isend(avrm_probe_isend_typed, 1, AVRM_BYTE, kRank, 5, world.comm, &request), nullptr, nullptr},
      {"no-err-single-ipo", put(avrm_probe_put, 1, kRank, kDisplacement, world.window),
       isend(avrm_probe_isend, 1, kRank, 5, world.comm, &request), avrm_bench_put_inline, avrm_bench_isend_inline},
      {"global rank", put(avrm_probe_put_global, 1, kLpid, kDisplacement, world.window),
       isend(avrm_probe_isend_global, 1, kLpid, 5, world.comm, &request), avrm_bench_put_global,
       avrm_bench_isend_global},
      {"virtual address", put(avrm_probe_put_virtual_addr, 1, kRank, remote, world.window), nothing,
       avrm_bench_put_virtual_addr, nullptr},
      {"predefined handle", put(avrm_probe_put_predefined, 1, kRank, kDisplacement),
       isend(avrm_probe_isend_predefined, 1, kRank, 5, &request), avrm_bench_put_predefined,
       avrm_bench_isend_predefined},
      {"no PROC_NULL", put(avrm_probe_put_npn, 1, kRank, kDisplacement, world.window),
       isend(avrm_probe_isend_npn, 1, kRank, 5, world.comm, &request), avrm_bench_put_npn, avrm_bench_isend_npn},
      {"no request", nothing, isend(avrm_probe_isend_noreq, 1, kRank, 5, world.comm), nullptr, avrm_bench_isend_noreq},
      {"no match", nothing, isend(avrm_probe_isend_nomatch, 1, kRank, world.comm, &request), nullptr,
       avrm_bench_isend_nomatch},
      {kAllVariable, put(avrm_probe_put_all_opts, 1, kLpid, remote), isend(avrm_probe_isend_all_opts, 1, kLpid),
       nullptr, nullptr},
      {kAllConstant, put(avrm_probe_put_all_opts_one, kLpid, remote), isend(avrm_probe_isend_all_opts_one, kLpid),
       avrm_bench_put_all_opts, avrm_bench_isend_all_opts},
  };
}

double seconds_of(avrm_bench_loop_fn *run, avrm_bench_loop_t &loop, std::int64_t operations) {
  const double start = thread_seconds();
  run(&loop, operations);
  return thread_seconds() - start;
}

/// One loop and its times beside the bare one, by round. Null: there is no such loop.
struct Timing {
  avrm_bench_loop_fn *run;
  avrm_bench_loop_fn *bare;
  std::vector<double> own;
  std::vector<double> bares;

  void time(avrm_bench_loop_t &loop, std::int64_t operations) {
    if (run != nullptr) {
      seconds_of(run, loop, operations / 16); // its code and data are in the caches
      own.push_back(seconds_of(run, loop, operations));
      bares.push_back(seconds_of(bare, loop, operations));
    }
  }
  void report(std::int64_t operations, std::optional<double> &rate, std::optional<double> &ratio) const {
    if (run != nullptr) {
      rate = static_cast<double>(operations) / median(own);
      ratio = median_ratio(bares, own);
    }
  }
};

/// Operations per second of the bare loop, in all rounds of `timings`.
double bare_rate(const std::vector<Timing> &timings, std::int64_t operations) {
  std::vector<double> all;
  for (const Timing &timing : timings) {
    all.insert(all.end(), timing.bares.begin(), timing.bares.end());
  }
  return static_cast<double>(operations) / median(all);
}

} // namespace

Fastpath measure_fastpath(int rounds, double seconds, const Log &note) {
  FastpathWorld world;
  std::uint64_t remote = 0;
  require(avrm_fp_window_address(world.window, kRank, &remote));
  remote += static_cast<std::uint64_t>(kDisplacement) * FastpathWorld::kUnit;

  std::int32_t ranks[kTargets];
  std::int64_t lpids[kTargets];
  std::uint64_t addresses[kTargets];
  for (std::int32_t i = 0; i < kTargets; ++i) {
    ranks[i] = i;
    lpids[i] = FastpathWorld::lpid_of(i);
    addresses[i] = world.address_of(FastpathWorld::lpid_of(i));
  }
  avrm_bench_loop_t loop{&kByte, world.comm,        world.window, ranks,  lpids, addresses, avrm_match_pack(1, 0, 5),
                         remote, world.window->key, kTargets - 1, nullptr};
  constexpr std::int64_t kTrial = 1 << 20;
  const double trial = seconds_of(avrm_bench_put_bare, loop, kTrial);
  const auto operations = static_cast<std::int64_t>(seconds / trial * static_cast<double>(kTrial)) + 1;

  const std::vector<Subject> all = subjects(world, remote, note);
  std::vector<Timing> puts;
  std::vector<Timing> isends;
  for (const Subject &subject : all) {
    puts.push_back({subject.put, avrm_bench_put_bare, {}, {}});
    isends.push_back({subject.isend, avrm_bench_isend_bare, {}, {}});
  }
  // All of them in each round: what slows the machine for a while then slows a round of each, which
  // the medians leave out.
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      puts[i].time(loop, operations);
      isends[i].time(loop, operations);
    }
  }
  Fastpath result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    FastpathRow row;
    row.name = all[i].name;
    row.put = all[i].count_put();
    row.isend = all[i].count_isend();
    puts[i].report(operations, row.rate_put, row.put_to_bare);
    isends[i].report(operations, row.rate_isend, row.isend_to_bare);
    result.rows.push_back(std::move(row));
  }
  result.bare_put = bare_rate(puts, operations);
  result.bare_isend = bare_rate(isends, operations);
  return result;
}

namespace {

constexpr const char *kBare = "bare";
constexpr const char *kMandatory = "no-err-single-ipo";

Json run(Session &session) {
  const Fastpath fastpath = measure_fastpath(session.choose(15, 51), session.choose(0.005, 0.02), session.note);
  std::vector<FastpathRow> rows = fastpath.rows;
  rows.push_back({kBare, {}, {}, fastpath.bare_put, fastpath.bare_isend, {}, {}});
  return rows;
}

/// Where the instructions go, and what each proposal saves of them.
TextTable breakdown_table(const std::vector<FastpathPart> &parts) {
  const auto text = [](const std::optional<std::int64_t> &value) { return value ? std::to_string(*value) : "-"; };
  TextTable table(2, "What these instructions are for (2), and what each proposal saves of the mandatory ones (3), "
                     "beside the paper's");
  table.row({"section", "", "put", "paper", "isend", "paper"});
  for (const FastpathPart &part : parts) {
    table.row(
        {part.section, part.reason, text(part.put), text(part.put_paper), text(part.isend), text(part.isend_paper)});
    if (!part.note.empty()) {
      table.note(fmt::format("{} {}: {}", part.section, part.reason, part.note));
    }
  }
  return table;
}

std::vector<TextTable> tables(const Json &json) {
  const Fastpath fastpath{rows_of<FastpathRow>(json), 0, 0};
  TextTable table(1,
                  "Fast path of the device, strided communicator, null network, 1 byte: instructions from the call to "
                  "the network, issue rate, and the rate over that of a loop that writes the same descriptors");
  table.row({"", "put: instr.", "M/s", "of bare", "isend: instr.", "M/s", "of bare"});
  for (const FastpathRow &row : fastpath.rows) {
    table.row({row.name, optional_text(row.put), optional_text(row.rate_put, "{:.1f}", 1e-6),
               optional_text(row.put_to_bare, "{:.2f}x"), optional_text(row.isend),
               optional_text(row.rate_isend, "{:.1f}", 1e-6), optional_text(row.isend_to_bare, "{:.2f}x")});
  }
  std::vector<TextTable> all{table};
  if (const std::vector<FastpathPart> parts = break_down(fastpath); !parts.empty()) {
    all.push_back(breakdown_table(parts));
  }
  return all;
}

void judge(const Json &json, Budgets &budgets) {
  struct Limit {
    std::string_view row;
    const char *what;
    double put;
    double isend;
  };
  const auto rows = rows_of<FastpathRow>(json);
  for (const auto &[name, what, most_put, most_isend] :
       {Limit{kMandatory, "inlined", 31, 27}, Limit{kAllVariable, "all six proposals", 15, 15},
        Limit{kAllConstant, "all six proposals, constant count", 12, 12}, Limit{"default", "default build", 105, 95}}) {
    Budgets::Values &put = budgets.at_most(most_put, fmt::format("instructions, put to the null network, {}", what));
    Budgets::Values &isend =
        budgets.at_most(most_isend, fmt::format("instructions, isend to the null network, {}", what));
    for (const FastpathRow &row : rows) {
      if (row.name == name && row.put && row.isend) {
        put.add(static_cast<double>(*row.put));
        isend.add(static_cast<double>(*row.isend));
      }
    }
  }
}

} // namespace

const Measurement kFastpath = {"fastpath", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
