// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages over a communicator of real processes, its ranks translated in one of several ways: by
// our map, or as the n-D Cartesian compression paper's library does it, from the rank to the global
// rank, to which the device then sends. Receives cost no translation in that library: it matches by
// the rank in the communicator.
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_PEERS_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_PEERS_H

#include "avrankmap/device/device.h"
#include "baseline/world_rectangles.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace avrankmap::bench {

/// Ways to translate.
enum class Lookup { kTable, kFunction, kLinear16, kPaperCache, kOurs };

/// "plain table", "mapping function", "linear 16", "128 x 8", "ours".
const char *name_of(Lookup lookup);

/// The addresses of the ranks of one communicator, without ours.
class Ranks {
public:
  virtual ~Ranks() = default;
  virtual std::int32_t world_rank(std::int32_t rank) = 0;
};

/// Not thread-safe. The communicators must outlive it.
class Peers {
public:
  /// @param comm         of the processes `world_ranks`, in this order
  /// @param rectangle    whose part the communicator is; dimension 0 counts fastest
  /// @param tag          of all messages; another one for each communicator of a process
  /// Throws std::runtime_error if the communicator is no part of the rectangle.
  Peers(avrm_comm_t *world, avrm_comm_t *comm, const Extents &rectangle, std::vector<std::int32_t> world_ranks,
        Lookup lookup, std::int32_t tag);

  /// Rank of this process, and number of processes.
  [[nodiscard]] std::int32_t rank() const { return rank_; }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(world_ranks_.size()); }

  void isend(const void *data, std::size_t bytes, std::int32_t rank);
  void irecv(void *data, std::size_t bytes, std::int32_t rank);
  /// Waits for everything that was posted since the last call.
  void wait_all();

  /// The sum over all processes of the communicator, the same in each; their number is a power of
  /// two. Log2 of it messages.
  double sum(double own);

private:
  avrm_comm_t *world_;
  avrm_comm_t *comm_;
  std::vector<std::int32_t> world_ranks_;
  std::unique_ptr<Ranks> theirs_; ///< null: ours
  std::int32_t tag_;
  std::int32_t rank_;
  std::vector<avrm_request_t *> requests_;
};

} // namespace avrankmap::bench

#endif
