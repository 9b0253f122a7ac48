// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job that does not run yet, and the communicators that one of its processes will hold.
//
//   world                          all processes, created anew
//   dup                            a duplicate of the world
//   node                           the processes of the process's node
//   node-roots                     the first process of each node
//   split-rows:K, split-columns:K  one of K contiguous parts; every K-th process
//   split-colours:K                one of K parts, each process in one drawn at random
//   cart2:XxY, cart3:XxYxZ         a grid of the first processes, its lines through the process, in
//                                  3-D also its planes
//   random                         all processes in random order, another one each time
//   merged:M                       the world and another one of M processes
//   failed:K                       the world without K processes drawn at random
//
// After a kind and its parameter, if it has one, a count may follow:
// "dup:100,split-rows:1024,cart3:64x64x192:2".
#ifndef AVRANKMAP_BENCH_TOOLS_PLAN_PLAN_H
#define AVRANKMAP_BENCH_TOOLS_PLAN_PLAN_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace avrankmap::planner {

struct Job {
  std::int32_t processes = 0;
  std::int32_t per_node = 1; ///< processes are laid out in blocks of so many
  std::int32_t rank = 0;     ///< whose communicators are planned
  /// Each communicator comes with those of its node and its node roots, as in MPI libraries.
  bool internal = true;
};

enum class Kind { kWorld, kDup, kRows, kColumns, kColours, kCart, kRandom, kMerged, kFailed, kNode, kNodeRoots };

struct Request {
  std::string text;
  Kind kind = Kind::kWorld;
  /// Extents of a cart; else the one parameter, if there is one.
  std::vector<std::int32_t> parameters;
  std::int32_t count = 1;
};

/// A communicator of the process.
struct Communicator {
  std::vector<std::int32_t> world_ranks; ///< empty for a duplicate of the world
  std::int32_t others = 0;               ///< processes of another world after them
};

/// Reads a list of kinds for a job. Whatever is wrong with either is a std::invalid_argument whose
/// text says what.
std::vector<Request> parse(std::string_view list, const Job &job);

/// The communicators of a request, once. Those where the process is not a member are
/// not among them.
/// @param copy  which of the request's count, from 0
std::vector<Communicator> expand(const Request &request, const Job &job, std::int32_t copy);

/// The number of ranks in `world_ranks` of all communicators that `expand` returns, in O(1); for
/// colours the expected number.
double world_ranks_of(const Request &request, const Job &job);

} // namespace avrankmap::planner

#endif
