// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The applications of the paper's survey (Table I) and the communicators that one of their
// processes holds: real input for whatever costs memory or time per communicator. The table says
// which kinds of communicators an application creates; where the text says how many and of which
// shape (Nek5000, NWChem, LSMS, HACC, Nekbone, AMG2013, BT, SP, FT), so do we. The other shapes are
// what such codes do, chosen here: `shape` of each row states them.
//
// With every communicator of the application an MPI library makes two of its own: one of the
// processes on the same node, one of the first process of each node (the communicator's "node" and
// "node-roots").
#ifndef AVRANKMAP_BENCH_COMMUNICATORS_SURVEY_H
#define AVRANKMAP_BENCH_COMMUNICATORS_SURVEY_H

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Columns of Table I.
enum class SurveyKind { kDup, kOffset, kStride, kIrregular, kTopology, kIntercomm };

/// World ranks of a communicator's processes: rank r is world rank offset + (r / block) *
/// stride + r % block.
struct Members {
  std::int32_t size = 0;
  std::int32_t offset = 0;
  std::int32_t stride = 1;
  std::int32_t block = 1;

  [[nodiscard]] std::int32_t at(std::int32_t rank) const {
    return static_cast<std::int32_t>(offset + std::int64_t{rank / block} * stride + rank % block);
  }
  [[nodiscard]] std::vector<std::int32_t> list() const;

  friend bool operator==(const Members &, const Members &) = default;
};

/// Communicators of one kind and shape that the process `viewer` of an application is in.
struct SurveyComm {
  SurveyKind kind;
  Members members;
  int copies = 1; ///< each created anew
};

struct SurveyApplication {
  std::string name;
  std::string shape; ///< what `comms` are, in words
  std::int32_t processes_per_node = 16;
  /// World rank of the process whose communicators these are; first on its node.
  std::int32_t viewer = 0;
  std::vector<SurveyComm> comms;
};

/// All rows of Table I, in its order; those with two cases twice. `processes` is 1024 or 3072 times
/// a power of two.
std::vector<SurveyApplication> survey(std::int32_t processes);

/// Ranks, in the communicator, of its processes on one node: that of world rank `viewer`.
std::vector<std::int32_t> node_ranks(const Members &members, std::int32_t processes_per_node, std::int32_t viewer);

/// Ranks, in the communicator, of the first process of each node.
std::vector<std::int32_t> node_root_ranks(const Members &members, std::int32_t processes_per_node);

} // namespace avrankmap::bench

#endif
