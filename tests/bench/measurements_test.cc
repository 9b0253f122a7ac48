// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Measurements as units: their rows, tables and budgets.

#include "sample_results.h"

#include "component/groups/shrink.h"
#include "component/memory/torus_split.h"
#include "component/translation/instructions.h"
#include "component/translation/issue_rate.h"
#include "device/transports/opening.h"
#include "device/transports/sleep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace avrankmap::bench {
namespace {

const Log kSilent = [](const std::string &) {};

const Json &rows_of_sample(const Measurement &measurement) { return sample_results().at(measurement.name); }

std::vector<Budget> judged(const std::string &name, const Json &rows) {
  Budgets budgets;
  measurement_named(name).judge(rows, budgets);
  return budgets.all();
}

class EveryMeasurement : public testing::TestWithParam<const Measurement *> {};

INSTANTIATE_TEST_SUITE_P(Registered, EveryMeasurement, testing::ValuesIn(all_measurements()),
                         [](const auto &info) { return std::string(info.param->name); });

// A measurement that is registered belongs into the sample, too.
TEST_P(EveryMeasurement, HasRowsInTheSample) {
  ASSERT_TRUE(sample_results().contains(GetParam()->name));
  ASSERT_TRUE(rows_of_sample(*GetParam()).is_array());
  EXPECT_FALSE(rows_of_sample(*GetParam()).empty());
}

TEST_P(EveryMeasurement, HasTablesWithoutHoles) {
  const std::vector<TextTable> tables = GetParam()->tables(rows_of_sample(*GetParam()));
  ASSERT_FALSE(tables.empty());
  for (const TextTable &table : tables) {
    EXPECT_FALSE(table.title().empty());
    ASSERT_GT(table.rows().size(), 1U) << table.title();
    const std::size_t columns = table.rows().front().size();
    EXPECT_GT(columns, 1U) << table.title();
    for (const std::vector<std::string> &row : table.rows()) {
      EXPECT_TRUE(row.empty() || row.size() == columns) << table.text();
    }
  }
}

TEST_P(EveryMeasurement, ReadsItsTablesFromTextAlone) {
  const Json &rows = rows_of_sample(*GetParam());
  const Json read = Json::parse(rows.dump());
  const std::vector<TextTable> tables = GetParam()->tables(rows);
  const std::vector<TextTable> tables_of_read = GetParam()->tables(read);
  ASSERT_EQ(tables.size(), tables_of_read.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    EXPECT_EQ(tables[i].text_with_title(), tables_of_read[i].text_with_title());
  }
}

// Results of another version are refused, not misread.
TEST_P(EveryMeasurement, RefusesRowsThatLackAField) {
  Json rows = rows_of_sample(*GetParam());
  rows.front().erase(rows.front().begin());
  EXPECT_THROW((void)GetParam()->tables(rows), nlohmann::json::exception);
}

TEST(Measurements, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Measurement *const measurement : all_measurements()) {
    EXPECT_TRUE(names.insert(measurement->name).second) << measurement->name;
  }
}

TEST(Rows, KeepTheOrderOfTheirFieldsAndWhatIsMissing) {
  const IssueRate rate{16, "rr", "put", "direct", "direct", 1e6, 1, 1.5, {}, 0.9};
  const Json row = rate;
  EXPECT_EQ(row.begin().key(), "peers");
  EXPECT_TRUE(row["ratio_to_vc_lean"].is_null());
  const auto read = row.get<IssueRate>();
  EXPECT_EQ(read.ratio_to_vc_vcrt, 1.5);
  EXPECT_EQ(read.ratio_to_vc_lean, std::nullopt);
}

// ---- budgets ----

TEST(Budgets, AreJudgedByTheirWorstValue) {
  Budgets budgets;
  Budgets::Values &least = budgets.at_least(1, "a");
  Budgets::Values &most = budgets.at_most(5, "b");
  budgets.at_most(1, "without a value");
  for (const double value : {1.5, 0.99, 1.2}) {
    least.add(value, std::to_string(value));
    most.add(4 * value);
  }
  const std::vector<Budget> all = budgets.all();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].value, 0.99);
  EXPECT_EQ(all[0].where, "0.990000");
  EXPECT_FALSE(all[0].met());
  EXPECT_EQ(all[1].value, 6);
  EXPECT_FALSE(all[1].met());
}

TEST(Budgets, AreMetAtTheirLimit) {
  Budgets budgets;
  budgets.at_least(1, "a").add(1);
  budgets.at_most(5, "b").add(5);
  for (const Budget &budget : budgets.all()) {
    EXPECT_TRUE(budget.met()) << budget.what;
  }
}

Json rates(std::int32_t peers, const char *order, const char *mode, bool implicit, double to_vc_vcrt, double to_raw) {
  const IssueRate rate{peers,      order, "put", implicit ? "avrankmap-implicit" : mode, mode, 1e6, 1,
                       to_vc_vcrt, 1.0,   to_raw};
  return Json::array({rate});
}

/// Rows that just meet a budget, rows that just do not, and what the budget says of itself.
struct Edge {
  const char *name; ///< of the test
  const char *measurement;
  const char *what;
  Json met;
  Json missed;
};

Json form(const char *name, const char *sample, int instructions, int divisions = 0) {
  return Json::array({FormCost{name, sample, 100, 0, static_cast<std::uint64_t>(instructions),
                               static_cast<std::uint64_t>(divisions)}});
}

Json inverse(int few, int many, const char *name) {
  return Json::array({{{"form", name}, {"ranks", 1000}, {"runs", 1}, {"instructions", few}},
                      {{"form", name}, {"ranks", 1000000}, {"runs", 1}, {"instructions", many}}});
}

Json caches(const char *order, int neighbours, double ratio, int hops = 3) {
  return Json::array({{{"scheme", "128 x 8"},
                       {"neighbours", neighbours},
                       {"hops", hops},
                       {"order", order},
                       {"hits", 10},
                       {"misses", 0},
                       {"nanoseconds", 1.0},
                       {"nanoseconds_ours", 1.0},
                       {"ours_over_theirs", ratio}}});
}

Json compressed(const char *name, int ranks, int bytes) {
  return Json::array({{{"name", name},
                       {"ranks", ranks},
                       {"mode", "m"},
                       {"bytes", bytes},
                       {"bytes_lut", 1},
                       {"rate_vs_lut", 0.1},
                       {"chained_vs_lut", 0.1},
                       {"bulk_vs_lut", 0.1}}});
}

Json memory(const char *scheme, int bytes) {
  return Json::array({{{"application", "split"},
                       {"scheme", scheme},
                       {"processes", 1000},
                       {"bytes", bytes},
                       {"world_bytes", 0},
                       {"communicators", 10},
                       {"modes", Json::object()}}});
}

Json beside_yardstick(double ratio, bool regular = true) {
  return Json::array(
      {{{"pattern", "p"}, {"regular", regular}, {"seconds", 1.0}, {"yardstick_seconds", 1.0}, {"ratio", ratio}}});
}

Json groups(const char *op, const char *kind, double few, double many, double mpich5 = 1) {
  const auto row = [&](int n, double seconds) {
    return Json{{"op", op},
                {"n", n},
                {"kind", kind},
                {"seconds", seconds},
                {"seconds_quadratic", nullptr},
                {"seconds_mpich5", mpich5},
                {"seconds_mpich4", nullptr}};
  };
  return Json::array({row(1000, few), row(10000, many)});
}

// Instructions before the null network's function.
Json fastpath(const char *name, int put, int isend) {
  return Json::array({{{"network", "null"},
                       {"name", name},
                       {"put_before", put},
                       {"put", put},
                       {"isend_before", isend},
                       {"isend", isend}}});
}

Json fastpath_rates(const char *name, double put, Json put_to_bare = nullptr, Json isend_to_bare = nullptr) {
  return Json::array({{{"name", name},
                       {"put_before", nullptr},
                       {"put", nullptr},
                       {"isend_before", nullptr},
                       {"isend", nullptr},
                       {"rate_put", put},
                       {"rate_isend", 1.0},
                       {"put_to_bare", std::move(put_to_bare)},
                       {"isend_to_bare", std::move(isend_to_bare)}}});
}

Json form(const char *name, int peers, double ratio, double to_few = 1) {
  return Json::array(
      {{{"av", "table"}, {"peers", peers}, {"form", name}, {"rate", 1.0}, {"ratio", ratio}, {"to_few", to_few}}});
}

Json connection(int resident) {
  const auto row = [](int peers, int bytes) {
    return Json{{"policy", "on-demand"},   {"peers", peers}, {"contacted", 1},
                {"resident_bytes", bytes}, {"seconds", 1.0}, {"contact_seconds", 1.0}};
  };
  return Json::array({row(1, 1000), row(786432, 1000 + resident)});
}

// `late`: over a bare wake-up.
Json asleep(bool shared_memory, double late, double share) {
  return Json::array({SleepCost{"t", shared_memory, true, 1.0, 1.0 + 100.0 * late, 100.0, 1.0, share, 1.0, 1.0}});
}

Json opening(double seconds) { return Json::array({OpeningCost{"ofi:tcp;ofi_rxm", 16, seconds, 2.25, 1.5}}); }

Json transport(int bytes, double rate, double latency, Json posix_rate = nullptr, Json posix_latency = nullptr) {
  return Json::array({{{"transport", "t"},
                       {"op", "isend"},
                       {"bytes", bytes},
                       {"rate", 1.0},
                       {"rate_bare", 1.0},
                       {"latency_us", 1.0},
                       {"latency_bare_us", 1.0},
                       {"rate_ratio", rate},
                       {"latency_ratio", latency},
                       {"posix_rate_ratio", std::move(posix_rate)},
                       {"posix_latency_ratio", std::move(posix_latency)}}});
}

Json scaling(double ratio) {
  return Json::array({{{"mode", "blocked"},
                       {"op", "put"},
                       {"small", 16},
                       {"large", 1000},
                       {"ratio", ratio},
                       {"ratio_with_tables", 0.1}}});
}

constexpr std::int32_t kMany = 786432;

// One row of a whole device, all of whose resident bytes but `hidden` are accounted for.
Json whole_device(const char *scheme, std::uint64_t resident, std::uint64_t address_space, std::uint64_t av_touched = 0,
                  std::uint64_t hidden = 0, const char *network = "null", bool measured = true) {
  return Json::array({{{"scheme", scheme},
                       {"network", network},
                       {"processes", kMany},
                       {"per_node", 128},
                       {"met", 1000},
                       {"measured", measured},
                       {"resident", resident},
                       {"address_space", address_space},
                       {"av_touched", av_touched},
                       {"provider", 0},
                       {"kinds", {{"av", resident - hidden - 1000}, {"communicator", 1000}}}}});
}
constexpr const char *kImplicit = "avrankmap, implicit AV";
constexpr const char *kOnDemand = "avrankmap, on demand";
constexpr std::uint64_t kMiB = 1 << 20;

Json shrink(std::int32_t failures, std::uint64_t bytes) {
  return std::vector<Shrink>{{"affine", 1048576, failures, "segments", bytes, 0, 8388608, 1e-6, 1e-3}};
}

std::vector<Edge> edges() {
  return {
      {"Divisions", "instructions", "divisions", form("segments", "31 runs", 99, 0),
       form("segments", "31 runs", 99, 1)},
      {"InverseOfRegular", "inverse", "regular", inverse(50, 50, "direct"), inverse(50, 51, "direct")},
      {"InverseOfSegments", "inverse", "segments", inverse(50, 100, "segments"), inverse(50, 101, "segments")},
      {"FewPeersAffine", "issue_rate", "16 peers, over VC-VCRT, affine", rates(16, "rr", "direct", false, 1.0, 0.9),
       rates(16, "rr", "direct", false, 0.99, 0.9)},
      {"FewPeersLut", "issue_rate", "16 peers, over VC-VCRT, affine and lut",
       rates(16, "random", "lut", false, 1.0, 0.1), rates(16, "random", "lut", false, 0.99, 0.1)},
      {"FewPeersMlut", "issue_rate", "over VC-VCRT, mlut", rates(16, "rr", "mlut", false, 0.75, 0.1),
       rates(16, "rr", "mlut", false, 0.74, 0.1)},
      {"FewPeersBlocked", "issue_rate", "over VC-VCRT, blocked", rates(16, "rr", "blocked", false, 0.5, 0.1),
       rates(16, "rr", "blocked", false, 0.49, 0.1)},
      {"FewPeersOverRaw", "issue_rate", "over raw, affine", rates(16, "rr", "stride", false, 2, 0.8),
       rates(16, "rr", "stride", false, 2, 0.79)},
      {"InOrderRegular", "issue_rate", "round robin, over raw", rates(kMany, "rr", "blocked", false, 1, 0.6),
       rates(kMany, "rr", "blocked", false, 9, 0.59)},
      {"InOrderTables", "issue_rate", "round robin, over VC-VCRT, tables", rates(kMany, "rr", "mlut", false, 1.4, 0.1),
       rates(kMany, "rr", "mlut", false, 1.39, 1)},
      {"RandomRegular", "issue_rate", "random, over VC-VCRT, regular", rates(kMany, "random", "offset", false, 2, 0.1),
       rates(kMany, "random", "offset", false, 1.99, 1)},
      {"RandomTables", "issue_rate", "random, over VC-VCRT, tables", rates(kMany, "random", "lut", false, 1.4, 0.1),
       rates(kMany, "random", "lut", false, 1.39, 1)},
      {"ImplicitAffine", "issue_rate", "implicit AV, over raw, affine", rates(kMany, "random", "stride", true, 9, 1),
       rates(kMany, "random", "stride", true, 9, 0.99)},
      {"ImplicitLut", "issue_rate", "implicit AV, over raw, lut", rates(kMany, "random", "lut", true, 9, 0.6),
       rates(kMany, "random", "lut", true, 9, 0.59)},
      {"ImplicitScaling", "implicit_scaling", "786,432 peers over 16", scaling(0.85), scaling(0.84)},
      {"Permutation", "compression", "random permutation", compressed("random permutation", 1024, 4096 + 128),
       compressed("random permutation", 1024, 4096 + 129)},
      {"MergedWorlds", "compression", "two merged", compressed("two merged worlds", 9, 128),
       compressed("two merged worlds", 9, 129)},
      {"CacheInOrder", "caches", "all hits", caches("rr", 26, 1.5), caches("rr", 26, 1.51)},
      {"CacheAtRandom", "caches", "342", caches("random", 342, 0.8), caches("random", 342, 0.81)},
      {"BytesPerMap", "bytes_per_process", "in addition to 12", memory("avrankmap", 12000 + 640),
       memory("avrankmap", 12000 + 641)},
      {"BytesImplicit", "bytes_per_process", "implicit", memory("avrankmap-implicit", 65536),
       memory("avrankmap-implicit", 65537)},
      {"WholeResident", "whole_device", "AV: resident bytes", whole_device(kImplicit, kMiB, 1),
       whole_device(kImplicit, kMiB + 1, 1)},
      {"WholeAddressSpace", "whole_device", "implicit AV: bytes of address space",
       whole_device(kImplicit, kMiB, 4 * kMiB), whole_device(kImplicit, kMiB, 4 * kMiB + 1)},
      {"WholeAccounted", "whole_device", "not accounted", whole_device(kImplicit, kMiB, 1, 0, 65536),
       whole_device(kImplicit, kMiB, 1, 0, 65537)},
      {"OnDemandResident", "whole_device", "without touched pages", whole_device(kOnDemand, 5 * kMiB, 1, 4 * kMiB),
       whole_device(kOnDemand, 5 * kMiB + 1, 1, 4 * kMiB)},
      {"OnDemandAddressSpace", "whole_device", "on demand: bytes of address space",
       whole_device(kOnDemand, kMiB, 16 * kMiB), whole_device(kOnDemand, kMiB, 16 * kMiB + 1)},
      {"Detection", "detection", "detection", beside_yardstick(0.75), beside_yardstick(0.74)},
      {"Creation", "creation", "creation", beside_yardstick(0.25), beside_yardstick(0.26)},
      {"RegularSetOperations", "group_ops", "set operations", groups("union", "regular", 1, 2),
       groups("union", "regular", 1, 2.1)},
      {"RandomGroups", "group_ops", "random groups", groups("translate", "random", 1, 160),
       groups("translate", "random", 1, 161)},
      {"RegularTranslate", "group_ops", "MPICH 5's loop", groups("translate", "regular", 1, 1),
       groups("translate", "regular", 1, 1.1)},
      {"ShrunkenBytes", "shrink", "shrunken communicator", shrink(10, 368), shrink(10, 369)},
      {"PutOverIsend", "fastpath", "fast path, inlined, null network, put over isend",
       fastpath_rates("no-err-single-ipo", 0.9), fastpath_rates("no-err-single-ipo", 0.89)},
      {"PutOverBare", "fastpath", "fast path, inlined, null network, over",
       fastpath_rates("no-err-single-ipo", 1, 0.75, 0.75), fastpath_rates("no-err-single-ipo", 1, 0.74, 0.75)},
      {"IsendOverBare", "fastpath", "fast path, inlined, null network, over",
       fastpath_rates("no-err-single-ipo", 1, 0.75, 0.75), fastpath_rates("no-err-single-ipo", 1, 0.75, 0.74)},
      {"DefaultPutOverBare", "fastpath", "fast path, default build", fastpath_rates("default", 1, 0.35, 0.35),
       fastpath_rates("default", 1, 0.34, 0.35)},
      {"DefaultIsendOverBare", "fastpath", "fast path, default build", fastpath_rates("default", 1, 0.35, 0.35),
       fastpath_rates("default", 1, 0.35, 0.34)},
      {"PutInlined", "fastpath_counts", "put to null, inlined", fastpath("no-err-single-ipo", 40, 40),
       fastpath("no-err-single-ipo", 41, 40)},
      {"IsendInlined", "fastpath_counts", "isend to null, inlined", fastpath("no-err-single-ipo", 40, 40),
       fastpath("no-err-single-ipo", 40, 41)},
      {"PutDefaultBuild", "fastpath_counts", "put to null, default build", fastpath("default", 110, 110),
       fastpath("default", 111, 110)},
      {"IsendDefaultBuild", "fastpath_counts", "isend to null, default build", fastpath("default", 110, 110),
       fastpath("default", 110, 111)},
      {"PutAllProposals", "fastpath_counts", "put to null, all six proposals, constant count",
       fastpath("all, constant count", 20, 20), fastpath("all, constant count", 21, 20)},
      {"IsendAllProposals", "fastpath_counts", "isend to null, all six proposals, constant count",
       fastpath("all, constant count", 20, 20), fastpath("all, constant count", 20, 21)},
      {"FastpathFewLut", "fastpath_forms", "fast path, lut over affine", form("lut", 16, 0.85), form("lut", 16, 0.84)},
      {"FastpathBlocked", "fastpath_forms", "fast path, blocked", form("blocked", 16, 0.5), form("blocked", 16, 0.49)},
      {"FastpathCart", "fastpath_forms", "fast path, cart", form("cart of 3 dimensions", 16, 0.5),
       form("cart of 3 dimensions", 16, 0.49)},
      {"FastpathFewSegments", "fastpath_forms", "fast path, 7 segments", form("7 segments", 16, 0.5),
       form("7 segments", 16, 0.49)},
      {"FastpathManySegments", "fastpath_forms", "fast path, 32 segments", form("32 segments", 16, 0.5),
       form("32 segments", 16, 0.49)},
      {"FastpathWorldToFew", "fastpath_forms", "over its rate at 16 peers", form("world", 786432, 1, 0.85),
       form("world", 786432, 1, 0.84)},
      {"FastpathWorld", "fastpath_forms", "fast path, world of 786,432 in random order over addresses",
       form("world", 786432, 1), form("world", 786432, 0.99)},
      {"FastpathLut", "fastpath_forms", "fast path, lut of 786,432", form("lut of all", 786432, 0.6),
       form("lut of all", 786432, 0.59)},
      {"FarMessageToASleeper", "sleep", "sleeping process is late, networks", asleep(false, 2, 0),
       asleep(false, 2.1, 0)},
      {"NearMessageToASleeper", "sleep", "is late, shared memory", asleep(true, 1.5, 0), asleep(true, 1.6, 0)},
      {"ShareOfASleeper", "sleep", "sleeps in a wait", asleep(true, 0, 0.02), asleep(true, 0, 0.03)},
      {"Opening", "opening", "16 processes are open", opening(2.5), opening(2.75)},
      {"Connection", "connection", "786,432 peers", connection(1 << 20), connection((1 << 20) + 1)},
      {"NetworkRate", "transports", "rate over bare, networks", transport(256, 0.95, 1), transport(256, 0.94, 1)},
      {"NetworkLatency", "transports", "latency over bare, networks", transport(8, 1, 1.05), transport(8, 1, 1.06)},
      {"SharedMemoryRate", "transports", "rate over bare, providers'", transport(8, 0.85, 1, 1, 1),
       transport(8, 0.84, 1, 1, 1)},
      {"SharedMemoryLatency", "transports", "latency over bare, providers'", transport(8, 1, 1.15, 1, 1),
       transport(8, 1, 1.16, 1, 1)},
      {"PosixRate", "transports", "posix, rate", transport(1 << 20, 0.1, 9, 0.95, 1),
       transport(1 << 20, 0.1, 9, 0.94, 1)},
      {"PosixLatency", "transports", "posix, 1 / latency", transport(65536, 0.1, 9, 1, 1 / 0.95),
       transport(65536, 0.1, 9, 1, 1 / 0.94)},
  };
}

class ReportBudgets : public testing::TestWithParam<Edge> {};

INSTANTIATE_TEST_SUITE_P(All, ReportBudgets, testing::ValuesIn(edges()),
                         [](const auto &info) { return std::string(info.param.name); });

/// The one budget whose name has these words.
const Budget *budget_with(const std::vector<Budget> &budgets, const char *what) {
  const Budget *found = nullptr;
  for (const Budget &budget : budgets) {
    if (budget.what.find(what) != std::string::npos) {
      EXPECT_EQ(found, nullptr) << what << " is not one budget";
      found = &budget;
    }
  }
  return found;
}

TEST_P(ReportBudgets, AreMetUpToTheirLimitAndNoFurther) {
  const std::vector<Budget> met = judged(GetParam().measurement, GetParam().met);
  const std::vector<Budget> missed = judged(GetParam().measurement, GetParam().missed);
  ASSERT_NE(budget_with(met, GetParam().what), nullptr);
  EXPECT_TRUE(budget_with(met, GetParam().what)->met());
  ASSERT_NE(budget_with(missed, GetParam().what), nullptr);
  EXPECT_FALSE(budget_with(missed, GetParam().what)->met());
}

TEST(ReportBudgets, EveryBudgetHasItsEdge) {
  std::set<std::string> seen;
  for (const Edge &edge : edges()) {
    for (const Budget &budget : judged(edge.measurement, edge.met)) {
      if (budget.what.find(edge.what) != std::string::npos) {
        seen.insert(budget.what);
      }
    }
  }
  for (const Measurement *const measurement : all_measurements()) {
    if (measurement->judge == nullptr) {
      continue;
    }
    for (const Budget &budget : judged(measurement->name, rows_of_sample(*measurement))) {
      EXPECT_TRUE(seen.contains(budget.what)) << budget.what;
    }
  }
}

// What is no matter of a budget does not count for it.
TEST(ReportBudgets, LeaveOutWhatTheyAreNotAbout) {
  EXPECT_TRUE(judged("creation", beside_yardstick(9, false)).empty());
  EXPECT_TRUE(judged("transports", transport(4096, 0.1, 9)).empty());
  EXPECT_TRUE(judged("caches", caches("random", 26, 9)).empty());
  EXPECT_TRUE(judged("caches", caches("rr", 10, 9, 0)).empty()) << "five dimensions";
  EXPECT_TRUE(judged("issue_rate", rates(4096, "rr", "direct", false, 0.1, 0.1)).empty());
  EXPECT_TRUE(judged("issue_rate", rates(kMany, "rr", "lut", true, 0.1, 0.1)).empty());
  EXPECT_TRUE(judged("whole_device", whole_device(kImplicit, 9 * kMiB, 9 * kMiB, 0, 0, "ofi:tcp;ofi_rxm")).empty());
  EXPECT_TRUE(judged("whole_device", whole_device(kImplicit, 9 * kMiB, 9 * kMiB, 0, 0, "null", false)).empty());
  EXPECT_TRUE(judged("whole_device", whole_device("mpich5", 9 * kMiB, 9 * kMiB, 0, 0, "")).empty());
}

// ---- what is measured ----

const std::set<std::string> kSchemes{"avrankmap", "avrankmap-implicit", "vc-vcrt", "mpich4",
                                     "mpich5",    "ompi-sparse",        "raw"};
/// Ways to issue that are measured: vc-lean is a second one on the structures of vc-vcrt, ompi one
/// on those of ompi-sparse.
const std::set<std::string> kWays{"avrankmap", "avrankmap-implicit", "vc-vcrt", "vc-lean", "mpich4", "mpich5",
                                  "ompi",      "ompi-sparse",        "raw"};
const std::set<std::string> kModes{"direct", "offset", "stride", "blocked", "lut", "mlut"};

std::vector<IssueRate> sample_rates() { return rows_of<IssueRate>(sample_results()["issue_rate"]); }

TEST(BytesPerProcess, AreMeasuredInEveryScheme) {
  std::set<std::tuple<std::string, std::string>> found;
  for (const Json &row : sample_results()["bytes_per_process"]) {
    found.emplace(row["application"], row["scheme"]);
    // Open MPI makes no communicators of its own with each of an application.
    const bool has_own = !row["scheme"].get<std::string>().starts_with("ompi");
    EXPECT_EQ(row["communicators"], (has_own ? 3 : 1) * (10 + 1)) << row["scheme"];
  }
  for (const std::string &scheme : kSchemes) {
    EXPECT_TRUE(found.contains({"split", scheme})) << scheme;
    EXPECT_TRUE(found.contains({"dup", scheme})) << scheme;
  }
}

TEST(IssueRates, OursComeWithTheirRatios) {
  for (const IssueRate &rate : sample_rates()) {
    const bool ours = rate.scheme == rate.mode || rate.scheme == "avrankmap-implicit";
    EXPECT_EQ(rate.ratio_to_vc_vcrt.has_value(), ours) << rate.scheme;
    EXPECT_EQ(rate.ratio_to_vc_lean.has_value(), ours) << rate.scheme;
    EXPECT_EQ(rate.ratio_to_raw.has_value(), ours) << rate.scheme;
    EXPECT_GT(rate.rate, 0) << rate.scheme;
  }
}

TEST(IssueRates, EverySchemeIsMeasuredOnEveryCommunicator) {
  std::set<std::tuple<std::int32_t, std::string, std::string>> found;
  for (const IssueRate &rate : sample_rates()) {
    found.emplace(rate.peers, rate.mode, rate.scheme);
  }
  for (const std::string &mode : kModes) {
    for (const std::string &scheme : kWays) {
      EXPECT_TRUE(found.contains({16, mode, scheme == "avrankmap" ? mode : scheme})) << mode << ' ' << scheme;
    }
  }
}

TEST(IssueRates, TwoRanksAreNeverIrregularOrBlocked) {
  for (const IssueRate &rate : sample_rates()) {
    EXPECT_TRUE(rate.peers > 2 || (rate.mode != "lut" && rate.mode != "blocked")) << rate.mode;
  }
}

IssueOptions tiny(std::vector<std::int32_t> peers, std::string filter = {}) {
  return {std::move(peers), 1, 1e-5, 1e-3, std::move(filter)};
}

TEST(IssueRates, FilterChoosesByName) {
  const std::vector<IssueRate> chosen =
      measure_issue_rates(tiny({16}, "^BM_Issue/put/vc-vcrt/stride/16/rr$"), kSilent, kSilent);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].scheme, "vc-vcrt");
  EXPECT_EQ(chosen[0].mode, "stride");
  EXPECT_EQ(chosen[0].op, "put");
  EXPECT_EQ(chosen[0].order, "rr");
}

TEST(IssueRates, FilterThatMatchesNothingGivesNothing) {
  EXPECT_TRUE(measure_issue_rates(tiny({16}, "no such benchmark"), kSilent, kSilent).empty());
}

TEST(IssueRates, MapIsMeasuredInEveryScheme) {
  std::set<std::string> schemes;
  for (const IssueRate &rate : rows_of<IssueRate>(sample_results()["map"])) {
    EXPECT_EQ(rate.mode, "lut");
    EXPECT_EQ(rate.peers, 4);
    schemes.insert(rate.scheme);
  }
  std::set<std::string> expected = kWays;
  expected.erase("avrankmap");
  expected.insert("lut");
  EXPECT_EQ(schemes, expected);
}

TEST(IssueRates, MapMayNameAnyProcessGroups) {
  const std::vector<IssueRate> of_map =
      measure_issue_rates_of({{2147483647, 3}, {7, 0}, {7, 2}, {2147483647, 0}}, tiny({}), kSilent);
  ASSERT_FALSE(of_map.empty());
  EXPECT_EQ(of_map.front().mode, "mlut");
}

TEST(IssueRates, MapThatDoesNotFitIntoMemoryIsLeftOut) {
  std::vector<std::string> notes;
  const std::vector<IssueRate> of_map =
      measure_issue_rates_of({{0, 2147483646}}, tiny({}), [&](const std::string &note) { notes.push_back(note); });
  EXPECT_TRUE(of_map.empty());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find("left out"), std::string::npos);
}

TEST(SurveyModes, SayWhatBothSettingsTake) {
  for (const Json &row : sample_results()["survey_modes"]) {
    EXPECT_LE(row["extended"]["bytes"], row["strict"]["bytes"]) << row;
  }
}

TEST(TorusSplits, CountWhatTheyCheck) {
  const auto split = sample_results()["torus_splits"][0].get<TorusSplit>();
  EXPECT_EQ(split.processes, 64);
  EXPECT_EQ(split.communicators, 7 + 3 + 1);
  EXPECT_EQ(split.checked, 100U);
}

TEST(GroupOperations, LeaveOutWhatWouldTakeTooLong) {
  const Json &rows = sample_results()["group_ops"];
  ASSERT_EQ(rows.size(), 16U);
  for (const Json &row : rows) {
    EXPECT_GT(row["seconds"].get<double>(), 0) << row;
    EXPECT_EQ(row["seconds_quadratic"].is_null(), row["n"] == 600) << row;
  }
}

} // namespace
} // namespace avrankmap::bench
