// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace avrankmap::bench {
namespace {

using Json = nlohmann::ordered_json;

const Log kSilent = [](const std::string &) {};

IssueOptions tiny(std::vector<std::int32_t> peers, std::string filter = {}) {
  return {std::move(peers), 1, 1e-5, 1e-3, std::move(filter)};
}

/// A whole run, but of sizes that take no time.
const Report &tiny_report() {
  static const Report report = [] {
    Report r;
    r.machine = describe_machine();
    r.commit = "0123456789abcdef";
    r.options = "--quick";
    r.instruction_source = instruction_source();
    r.instructions = count_instructions_of_all([&](const std::string &note) { r.notes.push_back(note); });
    r.detection = compare_detection(4096, 3);
    r.creation = compare_creation(4096, 3);
    r.group_operations = measure_sixty_differences(600, 600);
    for (const GroupTiming &timing : measure_group_operations({300}, 200)) {
      r.group_operations.push_back(timing);
    }
    r.processes = 1024;
    r.communicators = 10;
    r.split = measure_memory(1024, {split_experiment(1024, 10)});
    r.dup = measure_memory(1024, {dup_experiment(1024, 10)});
    r.survey = measure_memory(1024, survey(1024));
    r.issue_rates = measure_issue_rates(tiny({2, 16}), kSilent, kSilent);
    r.transports = {{"ofi:tcp;ofi_rxm", "isend", 8, 9e5, 1e6, 4.4, 4.0, 0.9, 1.1, {}, {}},
                    {"ucx:posix,cma", "isend", 8, 2e6, 2e6, 0.4, 0.4, 1.0, 1.0, 1.5, 0.5},
                    {"ucx:posix,cma", "isend", 65536, 1e5, 2e5, 20, 10, 0.5, 2.0, 1.2, 0.7},
                    {"posix", "isend", 8, 3e6, {}, 0.2, {}, {}, {}, {}, {}}};
    r.connection = {{"on-demand", 1, 1, 600000, 0.010, 1e-5},
                    {"on-demand", 4096, 100, 800000, 0.011, 1e-3},
                    {"eager", 4096, 100, 9000000, 0.020, 1e-4}};
    r.mode_rates = {{"ofi:tcp;ofi_rxm", "lut", "flags", 1.8e6, 2e6, 0.9}};
    r.creation_ops = {{"dup", 16, 16, false, 0.0002, {}, {}, {}, 56, 3000},
                      {"dup", 1024, 1024, true, 0.001, 10240, 10, 320, 56, 1424},
                      {"group, by its members", 16, 4, false, 1e-4, {}, {}, {}, 56, 3000},
                      {"group, by the parent", 16, 4, false, 2e-4, {}, {}, {}, 56, 3000},
                      {"group, by its members", 8192, 32, true, 1e-4, 160, 5, 160, 56, 1424},
                      {"group, by the parent", 8192, 32, true, 1e-1, 106496, 10, 416, 56, 1424}};
    r.split_crossover = {{1024, 31e-6, 123e-6, 13760, 1888}};
    r.mcmc = {{"none", 0, 8192, true, 7.0, 3.5, 0, 0, 0, 0}, {"asynchronous", 0, 8192, true, 3.5, 3.5, 5.4, 2.1, 2, 8}};
    r.forms = {{"a permutation", 1000, "packed lut", 1400, 4072, 0.8, 1.1, 0.9}};
    r.survey_modes = survey_modes(1024, survey(1024));
    r.caches = {{kPaperCache, 124, 2, "rr", 1000, 0, 2.0, 1.5, 0.75},
                {kPaperCache, 728, 4, "rr", 900, 100, 4.0, 1.5, 0.4}};
    r.torus_splits = {measure_torus_split({8, 4, 2}, 100)};
    r.implicit_scaling = measure_implicit_scaling(1, 16, 2048);
    r.fastpath.rows = {{"no-err-single-ipo", 29, 25, 1e8, 2e8, 0.5, 0.9}, {"no request", {}, 21, {}, 2e8, {}, 0.95}};
    r.fastpath_threads = {{2, 3e7, 1e7, 1.9}};
    r.fastpath_networks = {{"ofi:tcp;ofi_rxm", "all", {}, 1.5e6, {}, 2e6, {}, 0.75}};
    r.fastpath.bare_put = 2e8;
    r.fastpath.bare_isend = 2.1e8;
    r.map_file = "walkers.map";
    r.map_rates = measure_issue_rates_of({{0, 1}, {0, 4}, {0, 8}, {0, 12}}, tiny({}), kSilent);
    return r;
  }();
  return report;
}

std::set<std::string> keys(const Json &object) {
  std::set<std::string> found;
  for (const auto &item : object.items()) {
    found.insert(item.key());
  }
  return found;
}

const std::set<std::string> kSchemes{"avrankmap", "avrankmap-implicit", "vc-vcrt", "mpich4",
                                     "mpich5",    "ompi-sparse",        "raw"};
/// Ways to issue that are measured: vc-lean is a second one on the structures of vc-vcrt.
const std::set<std::string> kWays{"avrankmap", "avrankmap-implicit", "vc-vcrt", "vc-lean", "mpich4",
                                  "mpich5",    "ompi-sparse",        "raw"};
const std::set<std::string> kModes{"direct", "offset", "stride", "blocked", "lut", "mlut"};

TEST(ReportJson, HasItsKeys) {
  const Json json = to_json(tiny_report());
  for (const char *key : {"instructions", "bytes_per_process", "issue_rate", "transports", "detection", "creation",
                          "machine", "options", "commit"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(ReportJson, SurvivesText) {
  const Json json = to_json(tiny_report());
  EXPECT_EQ(Json::parse(json.dump()), json);
}

TEST(ReportJson, InstructionsAreCountsByMode) {
  if (tiny_report().instructions.empty()) {
    GTEST_SKIP() << tiny_report().notes.front();
  }
  const Json json = to_json(tiny_report());
  EXPECT_EQ(keys(json["instructions"]), kModes);
  for (const auto &item : json["instructions"].items()) {
    EXPECT_TRUE(item.value().is_number_unsigned()) << item.key();
    EXPECT_GT(item.value().get<int>(), 0) << item.key();
  }
}

TEST(ReportJson, BytesPerProcessAreBytesByScheme) {
  const Json json = to_json(tiny_report());
  EXPECT_EQ(keys(json["bytes_per_process"]), kSchemes);
  for (const auto &item : json["bytes_per_process"].items()) {
    EXPECT_TRUE(item.value().is_number_unsigned()) << item.key();
  }
}

TEST(ReportJson, IssueRatesHaveTheirFields) {
  const Json json = to_json(tiny_report());
  ASSERT_FALSE(json["issue_rate"].empty());
  for (const Json &row : json["issue_rate"]) {
    EXPECT_TRUE(row["peers"].is_number_integer());
    EXPECT_TRUE(row["order"] == "rr" || row["order"] == "random") << row;
    EXPECT_TRUE(row["op"] == "put" || row["op"] == "isend") << row;
    EXPECT_TRUE(kModes.contains(row["mode"])) << row;
    EXPECT_TRUE(row["scheme"] == row["mode"] || kWays.contains(row["scheme"])) << row;
    EXPECT_GT(row["rate"].get<double>(), 0) << row;
  }
}

TEST(ReportJson, OurRatesComeWithTheirRatios) {
  const Json json = to_json(tiny_report());
  for (const Json &row : json["issue_rate"]) {
    const bool ours = row["scheme"] == row["mode"] || row["scheme"] == "avrankmap-implicit";
    EXPECT_EQ(row.contains("ratio_to_vc_vcrt"), ours) << row;
    EXPECT_EQ(row.contains("ratio_to_vc_lean"), ours) << row;
    EXPECT_EQ(row.contains("ratio_to_raw"), ours) << row;
  }
}

TEST(ReportJson, CachesHaveTheirFields) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["caches"].size(), 2U);
  EXPECT_EQ(keys(json["caches"][0]), (std::set<std::string>{"scheme", "neighbours", "hops", "order", "hits", "misses",
                                                            "nanoseconds", "nanoseconds_ours", "ours_over_theirs"}));
  EXPECT_EQ(json["caches"][1]["misses"], 100);
}

TEST(ReportJson, SplitsOfATorusHaveTheirFields) {
  const Json row = to_json(tiny_report())["torus_splits"][0];
  EXPECT_EQ(keys(row), (std::set<std::string>{"extents", "processes", "communicators", "bytes", "bytes_table", "modes",
                                              "checked", "seconds"}));
  EXPECT_EQ(row["processes"], 64);
  EXPECT_EQ(row["communicators"], 7 + 3 + 1);
  EXPECT_EQ(row["checked"], 100);
}

TEST(ReportJson, SurveyModesSayWhatBothSettingsTake) {
  const Json rows = to_json(tiny_report())["survey_modes"];
  ASSERT_FALSE(rows.empty());
  for (const Json &row : rows) {
    EXPECT_EQ(keys(row),
              (std::set<std::string>{"application", "communicator", "part", "copies", "ranks", "strict", "extended"}));
    EXPECT_LE(row["extended"]["bytes"], row["strict"]["bytes"]) << row;
  }
}

// A cache that misses is not what the budget speaks of.
TEST(ReportBudgets, CartesianTranslationIsJudgedAtAHundredPercentHits) {
  const std::vector<Budget> all = budgets(tiny_report());
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const Budget &budget) { return budget.what.starts_with("3-D Cartesian"); });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->value, 0.75);
  EXPECT_TRUE(found->met());
}

TEST(ReportText, TellsOfCachesAndOfTheSurveysModes) {
  const std::string text = to_text(tiny_report());
  for (const char *part : {"728 rr, all within 4", "90.0 %", "8 x 4 x 2", "node roots", "lut 88 -> packed lut 81"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(ReportJson, TransportsHaveTheirFields) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["transports"].size(), 4U);
  EXPECT_EQ(keys(json["transports"][0]),
            (std::set<std::string>{"transport", "op", "bytes", "rate", "rate_bare", "latency_us", "latency_bare_us",
                                   "rate_ratio", "latency_ratio", "posix_rate_ratio", "posix_latency_ratio"}));
  EXPECT_EQ(json["transports"][0]["latency_bare_us"], 4.0);
}

TEST(ReportJson, ATransportWithoutABareInterfaceHasNullsForIt) {
  const Json row = to_json(tiny_report())["transports"].back();
  EXPECT_EQ(row["transport"], "posix");
  EXPECT_TRUE(row["rate_bare"].is_null());
  EXPECT_TRUE(row["latency_ratio"].is_null());
}

TEST(ReportJson, ConnectionsHaveTheirFields) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["connection"].size(), 3U);
  EXPECT_EQ(keys(json["connection"][0]),
            (std::set<std::string>{"policy", "peers", "contacted", "resident_bytes", "seconds", "contact_seconds"}));
  EXPECT_EQ(json["connection"][1]["resident_bytes"], 800000);
}

TEST(ReportJson, RatesByModeHaveTheirFieldsAndATable) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["mode_rates"].size(), 1U);
  EXPECT_EQ(keys(json["mode_rates"][0]), (std::set<std::string>{"transport", "mode", "rate", "rate_raw", "ratio"}));
  EXPECT_EQ(json["mode_rates"][0]["ratio"], 0.9);
  EXPECT_NE(to_text(tiny_report()).find("Table V, top"), std::string::npos);
}

TEST(ReportJson, FormsHaveTheirFields) {
  const Json json = to_json(tiny_report());
  EXPECT_EQ(json["forms"]["a permutation"]["mode"], "packed lut");
  EXPECT_EQ(json["forms"]["a permutation"]["bytes"], 1400);
  EXPECT_EQ(json["forms"]["a permutation"]["bytes_lut"], 4072);
  EXPECT_EQ(json["forms"]["a permutation"]["rate_vs_lut"], 0.8);
}

TEST(ReportJson, TheFastPathHasItsFields) {
  const Json json = to_json(tiny_report());
  EXPECT_EQ(json["fastpath"]["no-err-single-ipo"]["put"], 29);
  EXPECT_EQ(json["fastpath"]["no-err-single-ipo"]["rate_isend"], 2e8);
  EXPECT_TRUE(json["fastpath"]["no request"]["put"].is_null());
  EXPECT_EQ(json["fastpath_bare_rate"]["put"], 2e8);
}

TEST(ReportJson, TheFastPathOverNetworksHasItsFields) {
  const Json json = to_json(tiny_report());
  const Json &row = json["fastpath_networks"][0];
  EXPECT_EQ(row["network"], "ofi:tcp;ofi_rxm");
  EXPECT_EQ(row["configuration"], "all");
  EXPECT_EQ(row["rate_isend"], 1.5e6);
  EXPECT_EQ(row["bare_isend"], 2e6);
  EXPECT_EQ(row["isend_to_bare"], 0.75);
  EXPECT_TRUE(row["rate_put"].is_null());
}

TEST(ReportJson, MakingCommunicatorsHasItsFields) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["creation_ops"].size(), 6U);
  EXPECT_EQ(keys(json["creation_ops"][0]),
            (std::set<std::string>{"op", "processes", "members", "simulated", "seconds", "messages", "steps", "bytes",
                                   "map_bytes", "peak_temporary_bytes"}));
  EXPECT_TRUE(json["creation_ops"][0]["messages"].is_null()); // nobody counts those of real processes
  EXPECT_EQ(json["creation_ops"][1]["messages"], 10240);
}

TEST(ReportJson, TheCrossoverOfSplitsHasItsFields) {
  const Json json = to_json(tiny_report());
  EXPECT_EQ(keys(json["split_crossover"][0]),
            (std::set<std::string>{"processes", "gather_seconds", "sort_seconds", "gather_temporary_bytes",
                                   "sort_temporary_bytes"}));
}

TEST(ReportJson, MarkovChainsHaveTheirFields) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["mcmc"].size(), 2U);
  EXPECT_EQ(keys(json["mcmc"][1]),
            (std::set<std::string>{"balancing", "interval", "processes", "simulated", "seconds", "ideal_seconds",
                                   "regroupings_mean", "regroupings_deviation", "regroupings_min", "regroupings_max"}));
}

TEST(ReportBudgets, JudgeNoncollectiveCreationAndWhatItIsFor) {
  const Json json = to_json(tiny_report());
  int found = 0;
  for (const Json &budget : json["budgets"]) {
    const std::string what = budget["what"];
    if (what.find("by the parent, 16 processes") != std::string::npos ||
        what.find("by the parent, 8,192") != std::string::npos || what.find("Markov chains") != std::string::npos) {
      EXPECT_EQ(budget["value"], 0.5) << what;
      ++found;
    }
  }
  EXPECT_EQ(found, 3);
}

TEST(ReportJson, TheFastPathByThreadsHasItsFields) {
  const Json json = to_json(tiny_report());
  const Json &row = json["fastpath_threads"][0];
  EXPECT_EQ(row["threads"], 2);
  EXPECT_EQ(row["rate_own"], 3e7);
  EXPECT_EQ(row["rate_shared"], 1e7);
  EXPECT_EQ(row["scaling"], 1.9);
}

TEST(ReportJson, TheBreakdownIsWhatTheCountsDifferBy) {
  const Json json = to_json(tiny_report());
  const Json &rows = json["fastpath_breakdown"];
  ASSERT_EQ(rows.size(), 2U); // of the rows that there are
  EXPECT_EQ(rows[0]["reason"], "mandatory");
  EXPECT_EQ(rows[0]["put"], 29);
  EXPECT_EQ(rows[0]["isend_paper"], 59);
  EXPECT_EQ(rows[1]["section"], "3.5");
  EXPECT_EQ(rows[1]["isend"], 4);
  EXPECT_TRUE(rows[1]["put"].is_null());
}

TEST(ReportText, ShowsFormsAndTheFastPath) {
  const std::string text = to_text(tiny_report());
  EXPECT_NE(text.find("a permutation"), std::string::npos);
  EXPECT_NE(text.find("no-err-single-ipo"), std::string::npos);
}

TEST(ReportBudgets, JudgeConnectionsBeyondOnePeer) {
  const std::vector<Budget> all = budgets(tiny_report());
  const auto resident = std::find_if(
      all.begin(), all.end(), [](const Budget &b) { return b.what == "resident bytes beyond one peer, on demand"; });
  ASSERT_NE(resident, all.end());
  EXPECT_EQ(resident->value, 200000);
}

TEST(ReportBudgets, JudgeTransportsAgainstTheirBareInterface) {
  const std::vector<Budget> all = budgets(tiny_report());
  const auto of = [&](const std::string &what) {
    return std::find_if(all.begin(), all.end(), [&](const Budget &b) { return b.what == what; });
  };
  const auto rate = of("message rate over the bare interface, libfabric and UCX");
  ASSERT_NE(rate, all.end());
  EXPECT_EQ(rate->value, 0.9);
  EXPECT_FALSE(rate->met());
  const auto latency = of("message latency of posix over the bare shared-memory providers");
  ASSERT_NE(latency, all.end());
  EXPECT_EQ(latency->value, 0.7) << "of all sizes";
  EXPECT_TRUE(latency->met());
  const auto small = of("small-message latency over the bare interface, shared-memory providers");
  ASSERT_NE(small, all.end());
  EXPECT_EQ(small->value, 1.0);
}

TEST(ReportJson, DetectionAndCreationAreRatios) {
  const Json json = to_json(tiny_report());
  EXPECT_GT(json["detection"]["ratio_to_sum"].get<double>(), 0);
  EXPECT_GT(json["creation"]["ratio_to_vcrt"].get<double>(), 0);
}

TEST(ReportJson, DetectionAndCreationAreTheWorstOfTheRegularPatterns) {
  Report report;
  report.detection = {{"a", true, 1, 1, 1.5}, {"b", true, 1, 1, 0.5}, {"c", true, 1, 1, 1.0}};
  report.creation = {{"a", true, 1, 1, 0.1}, {"b", true, 1, 1, 0.2}, {"lut", false, 1, 1, 0.9}};
  const Json json = to_json(report);
  EXPECT_EQ(json["detection"]["ratio_to_sum"], 0.5);
  EXPECT_EQ(json["creation"]["ratio_to_vcrt"], 0.2);
}

TEST(ReportJson, GroupOperationsHaveTheirFields) {
  const Json json = to_json(tiny_report());
  ASSERT_EQ(json["group_ops"].size(), 10u);
  for (const Json &row : json["group_ops"]) {
    EXPECT_EQ(keys(row), (std::set<std::string>{"op", "n", "kind", "seconds", "seconds_quadratic", "seconds_mpich5",
                                                "seconds_mpich4"}));
    EXPECT_TRUE(row["kind"] == "regular" || row["kind"] == "random") << row;
    EXPECT_GT(row["seconds"].get<double>(), 0) << row;
    EXPECT_EQ(row["seconds_quadratic"].is_null(), row["n"] == 300) << row;
  }
}

TEST(ReportJson, EmptyReportHasItsKeysToo) {
  const Json json = to_json(Report{});
  EXPECT_TRUE(json["instructions"].empty());
  EXPECT_TRUE(json["issue_rate"].is_array());
  EXPECT_TRUE(json["budgets"].empty());
}

TEST(ReportText, NamesEverySchemeAndMode) {
  const std::string text = to_text(tiny_report());
  for (const std::set<std::string> *names : {&kWays, &kModes}) {
    for (const std::string &name : *names) {
      EXPECT_NE(text.find(name), std::string::npos) << name;
    }
  }
}

TEST(Budgets, AreJudgedByTheirWorstValue) {
  Report report;
  IssueRate rate{16, "rr", "put", "direct", "direct", 1e6, 1, 1.5, 1.1, 0.9};
  report.issue_rates.push_back(rate);
  rate.mode = rate.scheme = "stride";
  rate.ratio_to_vc_vcrt = 0.99;
  report.issue_rates.push_back(rate);
  const std::vector<Budget> all = budgets(report);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].value, 0.99);
  EXPECT_EQ(all[0].where, "stride, put, rr");
  EXPECT_FALSE(all[0].met());
  EXPECT_EQ(all[2].value, 0.9);
  EXPECT_TRUE(all[2].met());
}

TEST(Budgets, CallingThroughTheConnectionDoesNotHideALossAgainstItsTwin) {
  Report report;
  report.issue_rates.push_back({16, "rr", "put", "direct", "direct", 1e6, 1, 1.5, 0.9, 1.0});
  const std::vector<Budget> all = budgets(report);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[0].met());
  EXPECT_FALSE(all[1].met());
}

TEST(IssueRates, EverySchemeIsMeasuredOnEveryCommunicator) {
  std::set<std::tuple<std::int32_t, std::string, std::string>> found;
  for (const IssueRate &rate : tiny_report().issue_rates) {
    found.emplace(rate.peers, rate.mode, rate.scheme);
  }
  for (const std::string &mode : kModes) {
    for (const std::string &scheme : kWays) {
      EXPECT_TRUE(found.contains({16, mode, scheme == "avrankmap" ? mode : scheme})) << mode << ' ' << scheme;
    }
  }
}

TEST(IssueRates, TwoRanksAreNeverIrregularOrBlocked) {
  for (const IssueRate &rate : tiny_report().issue_rates) {
    EXPECT_TRUE(rate.peers > 2 || (rate.mode != "lut" && rate.mode != "blocked")) << rate.mode;
  }
}

TEST(IssueRates, FilterChoosesByName) {
  const std::vector<IssueRate> rates =
      measure_issue_rates(tiny({16}, "^BM_Issue/put/vc-vcrt/stride/16/rr$"), kSilent, kSilent);
  ASSERT_EQ(rates.size(), 1u);
  EXPECT_EQ(rates[0].scheme, "vc-vcrt");
  EXPECT_EQ(rates[0].mode, "stride");
  EXPECT_EQ(rates[0].op, "put");
  EXPECT_EQ(rates[0].order, "rr");
}

TEST(IssueRates, FilterThatMatchesNothingGivesNothing) {
  EXPECT_TRUE(measure_issue_rates(tiny({16}, "no such benchmark"), kSilent, kSilent).empty());
}

TEST(IssueRates, MapIsMeasuredInEveryScheme) {
  std::set<std::string> schemes;
  for (const IssueRate &rate : tiny_report().map_rates) {
    EXPECT_EQ(rate.mode, "lut");
    EXPECT_EQ(rate.peers, 4);
    schemes.insert(rate.scheme);
  }
  EXPECT_EQ(schemes, (std::set<std::string>{"lut", "avrankmap-implicit", "vc-vcrt", "vc-lean", "mpich4", "mpich5",
                                            "ompi-sparse", "raw"}));
}

TEST(IssueRates, MapMayNameAnyProcessGroups) {
  const std::vector<IssueRate> rates =
      measure_issue_rates_of({{2147483647, 3}, {7, 0}, {7, 2}, {2147483647, 0}}, tiny({}), kSilent);
  ASSERT_FALSE(rates.empty());
  EXPECT_EQ(rates.front().mode, "mlut");
}

TEST(IssueRates, MapThatDoesNotFitIntoMemoryIsLeftOut) {
  std::vector<std::string> notes;
  const std::vector<IssueRate> rates =
      measure_issue_rates_of({{0, 2147483646}}, tiny({}), [&](const std::string &note) { notes.push_back(note); });
  EXPECT_TRUE(rates.empty());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes.front().find("left out"), std::string::npos);
}

} // namespace
} // namespace avrankmap::bench
