// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sample_results.h"

#include "component/creation/irregular.h"
#include "component/creation/map_creation.h"
#include "component/groups/group_operations.h"
#include "component/groups/shrink.h"
#include "component/memory/memory_use.h"
#include "component/memory/survey_modes.h"
#include "component/memory/torus_split.h"
#include "component/translation/implicit_scaling.h"
#include "component/translation/instruction_counts.h"
#include "component/translation/instructions.h"
#include "component/translation/inverse.h"
#include "component/translation/issue_rate.h"

namespace avrankmap::bench {
namespace {

constexpr const char *kMachine = R"({
  "processor": "A processor", "cpus": 2, "caches": ["L1d 32K"], "memory": 8000000000,
  "virtual_machine": true, "huge_pages": "madvise", "kernel": "Linux", "compiler": "gcc",
  "pinned_cpu": 1})";

// Rows of measurements that need processes, or that take long at any size.
constexpr const char *kMadeUp = R"json({
  "compression": [
    {"name": "random permutation of 1024", "ranks": 1024, "mode": "lut", "bytes": 4168,
     "bytes_lut": 4168, "rate_vs_lut": 1.0, "chained_vs_lut": 1.0, "bulk_vs_lut": 1.0},
    {"name": "two merged worlds", "ranks": 2000, "mode": "segments", "bytes": 128,
     "bytes_lut": 16104, "rate_vs_lut": 0.8, "chained_vs_lut": 1.1, "bulk_vs_lut": 0.9}],
  "caches": [
    {"scheme": "128 x 8", "neighbours": 124, "hops": 2, "order": "rr", "hits": 1000, "misses": 0,
     "nanoseconds": 2.0, "nanoseconds_ours": 1.5, "ours_over_theirs": 0.75},
    {"scheme": "128 x 8", "neighbours": 342, "hops": 3, "order": "random", "hits": 990,
     "misses": 10, "nanoseconds": 5.0, "nanoseconds_ours": 1.5, "ours_over_theirs": 0.3},
    {"scheme": "128 x 8", "neighbours": 728, "hops": 4, "order": "rr", "hits": 900, "misses": 100,
     "nanoseconds": 4.0, "nanoseconds_ours": 9.0, "ours_over_theirs": 2.25},
    {"scheme": "plain table", "neighbours": 124, "hops": 2, "order": "rr", "hits": 0, "misses": 0,
     "nanoseconds": 0.5, "nanoseconds_ours": 1.5, "ours_over_theirs": 3.0}],
  "cache_misses_per_put": [
    {"peers": 16, "scheme": "direct", "l1d": 0.01, "l2": 0.0, "last_level": 0.0, "simulated": true,
     "source": "cachegrind (simulated)"
}],
  "fastpath": [
    {"name": "default", "put_before": 73, "put": 79, "isend_before": 66, "isend": 71,
     "rate_put": 1e8, "rate_isend": 1e8,
     "put_to_bare": 0.4, "isend_to_bare": 0.4},
    {"name": "no-err-single-ipo", "put_before": 29, "put": 29, "isend_before": 25, "isend": 25, "rate_put": 1e8, "rate_isend": 2e8,
     "put_to_bare": 0.5, "isend_to_bare": 0.9},
    {"name": "no request", "put_before": null, "put": null, "isend_before": 21, "isend": 21, "rate_put": null, "rate_isend": 2e8,
     "put_to_bare": null, "isend_to_bare": 0.95},
    {"name": "all, variable count", "put_before": 12, "put": 12, "isend_before": 13, "isend": 13, "rate_put": null, "rate_isend": null,
     "put_to_bare": null, "isend_to_bare": null},
    {"name": "all, constant count", "put_before": 10, "put": 10, "isend_before": 9, "isend": 9, "rate_put": 2e8, "rate_isend": 2e8, "put_to_bare": 1.0,
     "isend_to_bare": 0.95},
    {"name": "bare", "put_before": null, "put": null, "isend_before": null, "isend": null, "rate_put": 2e8, "rate_isend": 2.1e8,
     "put_to_bare": null, "isend_to_bare": null}],
  "fastpath_counts": [
    {"network": "null", "name": "default", "put_before": 78, "put": 84, "isend_before": 69, "isend": 74},
    {"network": "null", "name": "no-err-single-ipo", "put_before": 24, "put": 24, "isend_before": 25, "isend": 25},
    {"network": "libfabric", "name": "default", "put_before": 88, "put": 99, "isend_before": 76, "isend": 86},
    {"network": "libfabric", "name": "no-err-single-ipo", "put_before": 42, "put": 46, "isend_before": 35, "isend": 39},
    {"network": "ucx", "name": "default", "put_before": 103, "put": 115, "isend_before": 85, "isend": 96},
    {"network": "ucx", "name": "no-err-single-ipo", "put_before": 43, "put": 49, "isend_before": 35, "isend": 39},
    {"network": "null", "name": "all, variable count", "put_before": 14, "put": 14, "isend_before": 13, "isend": 13},
    {"network": "null", "name": "all, constant count", "put_before": 12, "put": 12, "isend_before": 9, "isend": 9}],
  "fastpath_forms": [
    {"av": "table", "peers": 16, "form": "7 segments", "rate": 2e8, "ratio": 0.6, "to_few": 1.0}],
  "fastpath_threads": [
    {"threads": 2, "rate_own": 3e7, "rate_shared": 1e7, "scaling": 1.9}],
  "fastpath_networks": [
    {"network": "ofi:tcp;ofi_rxm", "configuration": "all", "rate_put": null, "rate_isend": 1.5e6,
     "bare_put": null, "bare_isend": 2e6, "put_to_bare": null, "isend_to_bare": 0.75}],
  "creation_ops": [
    {"op": "dup", "processes": 16, "members": 16, "simulated": false, "seconds": 0.0002,
     "messages": null, "steps": null, "depth": null, "bytes": null, "map_bytes": 56,
     "peak_temporary_bytes": 3000},
    {"op": "dup", "processes": 1024, "members": 1024, "simulated": true, "seconds": 0.001,
     "messages": 10240, "steps": 10, "depth": 10, "bytes": 320, "map_bytes": 56, "peak_temporary_bytes": 1424}],
  "split_crossover": [
    {"processes": 1024, "gather_seconds": 31e-6, "sort_seconds": 123e-6,
     "gather_temporary_bytes": 13760, "sort_temporary_bytes": 1888}],
  "connection": [
    {"policy": "on-demand", "peers": 1, "contacted": 1, "resident_bytes": 600000,
     "seconds": 0.010, "contact_seconds": 1e-5},
    {"policy": "on-demand", "peers": 786432, "contacted": 100, "resident_bytes": 800000,
     "seconds": 0.011, "contact_seconds": 1e-3},
    {"policy": "eager", "peers": 786432, "contacted": 100, "resident_bytes": 90000000,
     "seconds": 0.020, "contact_seconds": 1e-4}],
  "transports": [
    {"transport": "ofi:tcp;ofi_rxm", "op": "isend", "bytes": 8, "rate": 9e5, "rate_bare": 1e6,
     "latency_us": 4.4, "latency_bare_us": 4.0, "rate_ratio": 0.9, "latency_ratio": 1.1,
     "posix_rate_ratio": null, "posix_latency_ratio": null},
    {"transport": "ucx:posix,cma", "op": "isend", "bytes": 8, "rate": 2e6, "rate_bare": 2e6,
     "latency_us": 0.4, "latency_bare_us": 0.4, "rate_ratio": 1.0, "latency_ratio": 1.0,
     "posix_rate_ratio": 1.5, "posix_latency_ratio": 0.5},
    {"transport": "ucx:posix,cma", "op": "isend", "bytes": 65536, "rate": 1e5, "rate_bare": 2e5,
     "latency_us": 20, "latency_bare_us": 10, "rate_ratio": 0.5, "latency_ratio": 2.0,
     "posix_rate_ratio": 1.2, "posix_latency_ratio": 0.8},
    {"transport": "posix", "op": "isend", "bytes": 8, "rate": 3e6, "rate_bare": null,
     "latency_us": 0.2, "latency_bare_us": null, "rate_ratio": null, "latency_ratio": null,
     "posix_rate_ratio": null, "posix_latency_ratio": null}],
  "sleep": [
    {"transport": "posix", "shared_memory": true, "wakes": true, "awake_us": 0.5, "asleep_us": 12.5,
     "bare_us": 10.0, "awake_share": 1.0, "asleep_share": 0.001, "never_us": 0.3, "ready_us": 0.3},
    {"transport": "ofi:net;ofi_rxm", "shared_memory": false, "wakes": false, "awake_us": 1.0, "asleep_us": 300.0,
     "bare_us": 10.0, "awake_share": 1.0, "asleep_share": 0.012, "never_us": 0.5, "ready_us": 0.5}],
  "opening": [
    {"transport": "ofi:tcp;ofi_rxm", "processes": 16, "seconds": 2.5, "bare_seconds": 2.25, "query_seconds": 1.5},
    {"transport": "posix", "processes": 16, "seconds": 0.005, "bare_seconds": 0.0, "query_seconds": 0.0}],
  "put_rates": [
    {"transport": "ofi:tcp;ofi_rxm", "processes": 16, "mode": "lut", "scheme": "ours", "rate": 1.8e5,
     "of_vcrt": 1.01, "of_known": 0.99, "issuing": 0.98}],
  "whole_device": [
    {"scheme": "vc-vcrt", "network": "", "processes": 786432, "per_node": 128, "met": 1000,
     "measured": true, "resident": 1200000000, "address_space": 1200000000, "av_touched": 0,
     "provider": 0, "kinds": {"addresses": 400000000, "windows": 190000000}},
    {"scheme": "mpich4", "network": "", "processes": 786432, "per_node": 128, "met": 1000,
     "measured": true, "resident": 720000000, "address_space": 720000000, "av_touched": 0,
     "provider": 0, "kinds": {"addresses": 60000000, "windows": 190000000}},
    {"scheme": "mpich4.1", "network": "", "processes": 786432, "per_node": 128, "met": 1000,
     "measured": true, "resident": 3900000000, "address_space": 3900000000, "av_touched": 0,
     "provider": 0, "kinds": {"addresses": 3230000000, "windows": 190000000}},
    {"scheme": "mpich5", "network": "", "processes": 786432, "per_node": 128, "met": 1000,
     "measured": true, "resident": 240000000, "address_space": 240000000, "av_touched": 0,
     "provider": 0, "kinds": {"addresses": 50000000, "windows": 190000000}},
    {"scheme": "ompi", "network": "", "processes": 786432, "per_node": 128, "met": 1000,
     "measured": true, "resident": 145000000, "address_space": 145000000, "av_touched": 0,
     "provider": 0, "kinds": {"addresses": 132000000, "windows": 0}},
    {"scheme": "ompi-sparse", "network": "", "processes": 786432, "per_node": 128, "met": 1000,
     "measured": true, "resident": 138000000, "address_space": 138000000, "av_touched": 0,
     "provider": 0, "kinds": {"addresses": 132000000, "windows": 0}},
    {"scheme": "avrankmap, on demand", "network": "null", "processes": 786432, "per_node": 128,
     "met": 1000, "measured": true, "resident": 5000000, "address_space": 11000000,
     "av_touched": 4096000, "provider": 0, "kinds": {"av": 9962152, "communicator": 500328}},
    {"scheme": "avrankmap, implicit AV", "network": "null", "processes": 786432, "per_node": 128,
     "met": 1000, "measured": true, "resident": 550000, "address_space": 680000, "av_touched": 0,
     "provider": 0, "kinds": {"av": 1752, "communicator": 496696, "hierarchies": 5656}},
    {"scheme": "avrankmap, implicit AV", "network": "ofi:tcp;ofi_rxm", "processes": 786432,
     "per_node": 128, "met": 1000, "measured": true, "resident": 310000000,
     "address_space": 1400000000, "av_touched": 0, "provider": 309450000, "kinds": {"av": 1752}},
    {"scheme": "avrankmap, implicit AV", "network": "null", "processes": 100000000, "per_node": 128,
     "met": 1000, "measured": false, "resident": 550000, "address_space": 680000, "av_touched": 0,
     "provider": 0, "kinds": {"av": 1752}}]})json";

/// Numbers of instructions where the machine does not let us count: the tables are tested all the
/// same.
Json or_made_up(Json counted, const char *made_up) { return counted.empty() ? Json::parse(made_up) : counted; }

Json measure_sample() {
  const Log silent = [](const std::string &) {};
  Json results{{"commit", "0123456789abcdef"}, {"command", "bench/run.sh --quick"}, {"machine", Json::parse(kMachine)}};
  results["instructions"] = or_made_up(measure_forms_cost(silent), R"([
    {"form": "direct", "sample": "", "ranks": 1000, "bytes": 0, "instructions": 6, "divisions": 0}])");
  results["instruction_study"] = or_made_up(count_instructions_of_all(silent), R"([
    {"path": "avrankmap", "mode": "direct", "instructions": 6, "paper": null}])");
  results["inverse"] = or_made_up(measure_inverse(silent), R"([
    {"form": "direct", "ranks": 1000, "runs": 1, "instructions": 50},
    {"form": "direct", "ranks": 1000000, "runs": 1, "instructions": 50}])");
  const IssueOptions options{{2, 16}, 1, 1e-5, 1e-3, {}};
  results["issue_rate"] = measure_issue_rates(options, silent, silent);
  results["map"] = measure_issue_rates_of({{0, 1}, {0, 4}, {0, 8}, {0, 12}}, options, silent);
  results["implicit_scaling"] = measure_implicit_scaling(1, 16, 2048);
  results["bytes_per_process"] = measure_memory(1024, {split_experiment(1024, 10), dup_experiment(1024, 10)});
  results["survey"] = measure_memory(1024, survey(1024));
  results["survey_modes"] = survey_modes(1024, survey(1024));
  results["torus_splits"] = std::vector<TorusSplit>{measure_torus_split({8, 4, 2}, 100)};
  results["detection"] = compare_detection(4096, 3);
  results["creation"] = compare_creation(4096, 3);
  results["irregular_ranks"] = measure_irregular_creation({16, 64}, 3);
  results["group_ops"] = measure_group_operations({300, 600}, 400);
  results["shrink"] = measure_shrink({1000}, {1, 10});
  results.update(Json::parse(kMadeUp));
  results["notes"] = {"something is left out"};
  return results;
}

} // namespace

const Json &sample_results() {
  static const Json results = measure_sample();
  return results;
}

} // namespace avrankmap::bench
