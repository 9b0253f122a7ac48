// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/fastpath.h"

#include "bench/synthetic/fastpath_world.h"
#include "device/fastpath/breakdown.h"
#include "device/fastpath/counts.h"
#include "device/fastpath/loops.h"
#include "device/fastpath/path_counts.h"
#include "support/cpu_time.h"
#include "support/statistics.h"

#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kTargets = 16;
constexpr std::int32_t kRank = 7;
constexpr std::int64_t kDisplacement = 3;
constexpr unsigned char kByte = 1;

/// One build or proposal: how it is timed. Null: not at all.
struct Subject {
  const char *name;
  avrm_bench_loop_fn *put;
  avrm_bench_loop_fn *isend;
};

constexpr Subject kSubjects[] = {
    {kDefaultPath, avrm_bench_put_default, avrm_bench_isend_default},
    {"no-err", avrm_bench_put_no_err, avrm_bench_isend_no_err},
    {"no-err-single", avrm_bench_put_no_err_single, avrm_bench_isend_no_err_single},
    {"datatype at run time", nullptr, nullptr},
    {kMandatoryPath, avrm_bench_put_inline, avrm_bench_isend_inline},
    {"global rank", avrm_bench_put_global, avrm_bench_isend_global},
    {"virtual address", avrm_bench_put_virtual_addr, nullptr},
    {"predefined handle", avrm_bench_put_predefined, avrm_bench_isend_predefined},
    {"no PROC_NULL", avrm_bench_put_npn, avrm_bench_isend_npn},
    {"no request", nullptr, avrm_bench_isend_noreq},
    {"no match", nullptr, avrm_bench_isend_nomatch},
    {kAllOfVariableCount, nullptr, nullptr},
    {kAllOfConstantCount, avrm_bench_put_all_opts, avrm_bench_isend_all_opts},
};

double seconds_of(avrm_bench_loop_fn *run, avrm_bench_loop_t &loop, std::int64_t operations) {
  const double start = thread_seconds();
  run(&loop, operations);
  return thread_seconds() - start;
}

/// One loop, its times and those of the bare one, by round. Null: there is no such loop.
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

namespace {

Fastpath time_fastpath(int rounds, double seconds) {
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

  std::vector<Timing> puts;
  std::vector<Timing> isends;
  for (const Subject &subject : kSubjects) {
    puts.push_back({subject.put, avrm_bench_put_bare, {}, {}});
    isends.push_back({subject.isend, avrm_bench_isend_bare, {}, {}});
  }
  // All of them in each round: what slows the machine for a while then slows a round of each, which
  // the medians leave out.
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < puts.size(); ++i) {
      puts[i].time(loop, operations);
      isends[i].time(loop, operations);
    }
  }
  Fastpath result;
  for (std::size_t i = 0; i < puts.size(); ++i) {
    FastpathRow row;
    row.name = kSubjects[i].name;
    puts[i].report(operations, row.rate_put, row.put_to_bare);
    isends[i].report(operations, row.rate_isend, row.isend_to_bare);
    result.rows.push_back(std::move(row));
  }
  std::size_t former = 0;
  for (std::size_t i = 1; i < puts.size() && std::string_view(kSubjects[former].name) != kMandatoryPath; ++i) {
    if (puts[i].run != nullptr) {
      result.steps.push_back({kSubjects[i].name, spread_of_ratios(puts[former].own, puts[i].own),
                              spread_of_ratios(isends[former].own, isends[i].own)});
      former = i;
    }
  }
  result.bare_put = bare_rate(puts, operations);
  result.bare_isend = bare_rate(isends, operations);
  return result;
}

} // namespace

Fastpath measure_fastpath(int rounds, double seconds, const Log &note) {
  Fastpath result = time_fastpath(rounds, seconds);
  for (const FastpathCountRow &counted : count_fastpath("null", note)) {
    for (FastpathRow &row : result.rows) {
      if (row.name == counted.name) {
        row.put_before = counted.put_before;
        row.put = counted.put;
        row.isend_before = counted.isend_before;
        row.isend = counted.isend;
      }
    }
  }
  return result;
}

namespace {

constexpr const char *kBare = "bare";

Json run(Session &session) {
  const Fastpath fastpath = measure_fastpath(session.choose(15, 51), session.choose(0.005, 0.02), session.note);
  std::vector<FastpathRow> rows = fastpath.rows;
  rows.push_back({kBare, {}, {}, {}, {}, fastpath.bare_put, fastpath.bare_isend, {}, {}});
  return rows;
}

/// Where the instructions go, and what each proposal saves of them.
TextTable breakdown_table(const std::vector<FastpathPart> &parts) {
  const auto text = [](const std::optional<std::int64_t> &value) { return value ? std::to_string(*value) : "-"; };
  TextTable table(2, "Purpose of these instructions, from entry to return (section 2 of the paper), and mandatory "
                     "instructions that each proposal saves (section 3), next to the paper's numbers");
  table.row({"section", "", "put", "paper", "isend", "paper"});
  for (const FastpathPart &part : parts) {
    table.row(
        {part.section, part.reason, text(part.put), text(part.put_paper), text(part.isend), text(part.isend_paper)});
  }
  return table;
}

std::vector<TextTable> tables(const Json &json) {
  const Fastpath fastpath{rows_of<FastpathRow>(json), {}, 0, 0};
  TextTable table(
      1, "Fast path of the device, strided communicator, null network, 1 byte: our instructions before the network's "
         "function / from entry to return without that function, the issue rate, and its ratio to that of a plain loop "
         "that writes the same descriptors");
  table.row({"", "put: instr.", "M/s", "over loop", "isend: instr.", "M/s", "over loop"});
  for (const FastpathRow &row : fastpath.rows) {
    table.row({row.name, both_counts(row.put_before, row.put), optional_text(row.rate_put, "{:.1f}", 1e-6),
               optional_text(row.put_to_bare, "{:.2f}x"), both_counts(row.isend_before, row.isend),
               optional_text(row.rate_isend, "{:.1f}", 1e-6), optional_text(row.isend_to_bare, "{:.2f}x")});
  }
  std::vector<TextTable> all{table};
  std::vector<FastpathCountRow> counts;
  for (const FastpathRow &row : fastpath.rows) {
    counts.push_back({"null", row.name, row.put_before, row.put, row.isend_before, row.isend});
  }
  if (const std::vector<FastpathPart> parts = break_down(counts, "null"); !parts.empty()) {
    all.push_back(breakdown_table(parts));
  }
  return all;
}

void judge(const Json &json, Budgets &budgets) {
  const auto rows = rows_of<FastpathRow>(json);
  const auto over_bare = [&](double least, const char *path, const char *what) {
    Budgets::Values &values =
        budgets.at_least(least, fmt::format("fast path, {}, null network, over the bare loop", what));
    for (const FastpathRow &row : rows) {
      if (row.name == path && row.put_to_bare && row.isend_to_bare) {
        values.add(*row.put_to_bare, "put");
        values.add(*row.isend_to_bare, "isend");
      }
    }
  };
  over_bare(0.75, kMandatoryPath, "inlined");
  over_bare(0.35, kDefaultPath, "default build");
  // A put and an isend write one descriptor each; a put that takes longer waits for its own bytes.
  Budgets::Values &values = budgets.at_least(0.9, "fast path, inlined, null network, put over isend");
  for (const FastpathRow &row : rows) {
    if (row.name == kMandatoryPath && row.rate_put && row.rate_isend) {
      values.add(*row.rate_put / *row.rate_isend);
    }
  }
}

} // namespace

const Measurement kFastpath = {"fastpath", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
