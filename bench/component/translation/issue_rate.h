// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Issue rates: how many operations per second one core hands to the null network, through every
// scheme, on the same communicators and in the same orders. The benchmarks are Google Benchmark's:
//
//     BM_Issue/<put|isend>/<mode>/<peers>/<rr|random>             ours, by the communicator's mode
//     BM_Issue/<put|isend>/<scheme>/<mode>/<peers>/<rr|random>    others, on the same communicator
//
// vc-vcrt and vc-lean are two ways to issue on the same structures (issue_path.h); ompi and
// ompi-sparse have the same objects of processes, and a dense and a sparse group.
//
// All schemes of one size exist at the same time and are measured in turn, one round after the
// other: scheme A, B, C, ... on one communicator, then the next communicator; then all of it again.
// A measurement is as many passes over the ranks as take a while, after as many that are not timed,
// so that the caches hold what they can of that scheme's structures; less than one pass only where
// a pass would take too long. A rate is the median over the rounds, a ratio the median of the
// ratios within a round; both are of the processor time of the thread.
//
// Addresses are compared with what they have to be before anything is timed.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_ISSUE_RATE_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_ISSUE_RATE_H

#include "communicators/shapes.h"
#include "measurement/measurement.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct IssueOptions {
  std::vector<std::int32_t> peers; ///< sizes of communicators
  int rounds = 0;                  ///< at least; more for small sizes, which take little time
  double seconds = 0;              ///< that one measurement should take, at least
  double seconds_at_most = 0;      ///< and at most, even if that is less than one pass
  std::string filter;              ///< regular expression on the benchmarks' names; empty for all
};

/// One measured rate.
struct IssueRate {
  std::int32_t peers = 0;
  std::string order; ///< "rr" or "random"
  std::string op;    ///< "put" or "isend"
  /// A mode's label for ours, else the scheme's name, also that of ours with an implicit
  /// address vector.
  std::string scheme;
  std::string mode; ///< of the communicator, as we represent it
  double rate = 0;  ///< operations per second
  int rounds = 0;
  /// Only ours: rate over that of VC-VCRT on the same communicator.
  std::optional<double> ratio_to_vc_vcrt;
  /// Only ours: the same, when VC-VCRT issues as we do, without a call.
  std::optional<double> ratio_to_vc_lean;
  /// Only ours: rate over that of addresses translated beforehand.
  std::optional<double> ratio_to_raw;
};
AVRM_BENCH_ROW(IssueRate, peers, order, op, scheme, mode, rate, rounds, ratio_to_vc_vcrt, ratio_to_vc_lean,
               ratio_to_raw);

/// Measures the communicators of shapes.h, size by size. A size that does not fit into the
/// machine's free memory is left out; `note` is told. `progress` is told what comes next. A wrong
/// address, or a mode that is not the expected one, is a std::runtime_error.
std::vector<IssueRate> measure_issue_rates(const IssueOptions &options, const Log &progress, const Log &note);

/// Measures one communicator of the caller's, `options.peers` aside. `mode` of the result is the
/// mode that it got.
std::vector<IssueRate> measure_issue_rates_of(std::vector<avrm_gpid_t> processes, const IssueOptions &options,
                                              const Log &note);

extern const Measurement kIssueRates;
extern const Measurement kMapRates;

} // namespace avrankmap::bench

#endif
