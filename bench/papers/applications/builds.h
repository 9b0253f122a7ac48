// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The builds of the fast path that applications are run with: how a process issues the messages of
// one step of an exchange.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_BUILDS_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_BUILDS_H

#include "avrankmap/device/fastpath.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace avrankmap::bench {

/// A message on its way out.
struct OutgoingMessage {
  const double *data;
  std::int32_t count; ///< of doubles
  std::int32_t rank;
  std::int32_t tag;
  avrm_request_t *request; ///< receives that of builds that have one
};

struct MessageBuild {
  const char *name;
  void (*issue)(OutgoingMessage *messages, std::size_t count, avrm_fp_comm_t *comm);
  /// False: the receiver takes messages in the order of their arrival, whose sender and tag it does
  /// not learn; they are over by avrm_fp_comm_waitall.
  bool matches;
};

inline constexpr std::size_t kMessageBuildCount = 5;
/// The default one is the first, that with all proposals the last.
extern const std::array<MessageBuild, kMessageBuildCount> kMessageBuilds;

} // namespace avrankmap::bench

#endif
