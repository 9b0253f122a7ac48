// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of ours in an isend and a put of one byte, by build and proposal and by network:
// from the first instruction of the function that the application calls, or into which the path is
// inlined, to its return. All functions of ours count, those of the netmod included. The network's
// function does not: the provider's operation, ucp_tag_send_nbx or ucp_put_nbx, or the functions
// that write the null network's descriptor. StepCount::before are the instructions up to it, as
// "Why Is MPI So Slow?" counts.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_PATH_COUNTS_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_PATH_COUNTS_H

#include "bench/synthetic/loopback_world.h"
#include "counters/single_step.h"
#include "device/fastpath/probes.h"

#include <optional>
#include <vector>

namespace avrankmap::bench {

using PathCount = counters::Result<counters::StepCount>;

/// One build or proposal. Fields are empty where it does not exist.
struct CountedPath {
  const char *name;
  std::optional<PathCount> put;
  std::optional<PathCount> isend;
};

struct CountedNetwork {
  const char *name;
  const char *netmod;
  const char *provider; ///< null: the only one
  const avrm_probes_t *probes;
  /// Functions of an open netmod that are not counted.
  std::vector<const void *> (*functions)(const avrm_netmod_t *net);
};

/// The null network, and libfabric and UCX as far as this build has them. Ours takes as many
/// instructions over any provider of libfabric, unless it needs contexts for puts or does not match
/// (netmod/ofi/provider.h). "sockets" needs neither.
const std::vector<CountedNetwork> &counted_networks();

inline constexpr const char *kDefaultPath = "default";
inline constexpr const char *kMandatoryPath = "no-err-single-ipo";
/// The same, where each target's part has a record.
inline constexpr const char *kRecordPath = "a record per target";
/// All proposals, with a variable and with a constant count of elements.
inline constexpr const char *kAllOfVariableCount = "all, variable count";
inline constexpr const char *kAllOfConstantCount = "all, constant count";

/// Counts an operation. Fails unless it reaches the network exactly once.
template <class Function, class Call>
PathCount count_path(Function *entry, const std::vector<const void *> &network, Call call) {
  counters::StepOptions options;
  options.stubs = network;
  PathCount counted = counters::count_call(entry, call, options);
  if (counted.ok() && counted->stubbed != 1) {
    return counters::failed("the operation did not reach the network once");
  }
  return counted;
}

/// In the order of the ladder, then the proposals.
std::vector<CountedPath> count_paths(const CountedNetwork &network, LoopbackWorld &world);

} // namespace avrankmap::bench

#endif
