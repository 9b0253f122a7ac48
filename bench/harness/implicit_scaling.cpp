// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/implicit_scaling.h"

#include "harness/issue_path.h"
#include "harness/schemes.h"
#include "harness/shapes.h"
#include "harness/statistics.h"

#include <time.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// One communicator of one size in one scheme.
template <class S> class Subject {
public:
  Subject(avrm_mode_t mode, std::int32_t peers) : orders_(make_orders(peers)), comm_(make(scheme_, mode, peers)) {}

  /// Seconds per operation, over `operations` operations in random order.
  template <Op op> double cost(IssueContext &context, std::size_t operations) {
    const std::span<const std::int32_t> ranks(orders_.random);
    const double start = thread_seconds();
    for (std::size_t done = 0; done < operations;) {
      const std::size_t part = std::min(operations - done, ranks.size() - position_);
      issue_all<S, op>(context, comm_, ranks.subspan(position_, part));
      position_ = (position_ + part) % ranks.size();
      done += part;
    }
    return (thread_seconds() - start) / static_cast<double>(operations);
  }

private:
  static typename S::Comm make(S &scheme, avrm_mode_t mode, std::int32_t peers) {
    for (const std::int32_t size : world_sizes(peers)) {
      scheme.add_world(size);
    }
    const Shape shape = make_shape(mode, peers);
    typename S::Comm comm = scheme.make_child(scheme.make_world(0), shape.parent_ranks);
    for (std::size_t rank = 0; rank < shape.processes.size(); ++rank) {
      if (S::address(comm, static_cast<std::int32_t>(rank)) != address_of(shape.processes[rank])) {
        throw std::runtime_error("wrong address with an implicit address vector");
      }
    }
    return comm;
  }

  S scheme_;
  Orders orders_;
  typename S::Comm comm_;
  std::size_t position_ = 0;
};

/// Large and small in turn.
template <class S> struct Pair {
  Pair(avrm_mode_t mode, std::int32_t small_size, std::int32_t large_size)
      : small(mode, small_size), large(mode, large_size) {}

  template <Op op> double ratio(IssueContext &context, std::size_t operations, int rounds) {
    std::vector<double> small_costs;
    std::vector<double> large_costs;
    small.template cost<op>(context, operations);
    large.template cost<op>(context, operations);
    for (int round = 0; round < rounds; ++round) {
      small_costs.push_back(small.template cost<op>(context, operations));
      large_costs.push_back(large.template cost<op>(context, operations));
    }
    return median_ratio(small_costs, large_costs);
  }

  Subject<S> small;
  Subject<S> large;
};

} // namespace

std::vector<ImplicitScaling> measure_implicit_scaling(int rounds, std::int32_t small, std::int32_t large) {
  const auto context = std::make_unique<IssueContext>();
  const std::size_t operations = std::clamp<std::size_t>(static_cast<std::size_t>(large), 1024, 1 << 18);
  std::vector<ImplicitScaling> rows;
  for (const avrm_mode_t mode : {AVRM_MODE_DIRECT, AVRM_MODE_OFFSET, AVRM_MODE_STRIDE, AVRM_MODE_BLOCKED}) {
    Pair<AvrankmapImplicit> implicit(mode, small, large);
    Pair<AvrankmapScheme> tables(mode, small, large);
    const bool affine = mode <= AVRM_MODE_STRIDE;
    rows.push_back({avrm_mode_label(mode), "put", affine, implicit.ratio<Op::kPut>(*context, operations, rounds),
                    tables.ratio<Op::kPut>(*context, operations, rounds)});
    rows.push_back({avrm_mode_label(mode), "isend", affine, implicit.ratio<Op::kIsend>(*context, operations, rounds),
                    tables.ratio<Op::kIsend>(*context, operations, rounds)});
  }
  return rows;
}

} // namespace avrankmap::bench
