// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/implicit_scaling.h"

#include "communicators/shapes.h"
#include "schemes/issue_path.h"
#include "schemes/schemes.h"
#include "support/cpu_time.h"
#include "support/statistics.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace avrankmap::bench {
namespace {

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
    const auto add = [&]<Op op>(std::integral_constant<Op, op>, const char *name) {
      rows.push_back({avrm_mode_label(mode), name, small, large, implicit.ratio<op>(*context, operations, rounds),
                      tables.ratio<op>(*context, operations, rounds)});
    };
    add(std::integral_constant<Op, Op::kPut>(), "put");
    add(std::integral_constant<Op, Op::kIsend>(), "isend");
  }
  return rows;
}

namespace {

Json run(Session &session) { return measure_implicit_scaling(session.choose(15, 51)); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(2, "Issue rate in random order, peers over few peers, by kind of address vector");
  table.row({"mode", "op", "peers", "over", "implicit", "table"});
  for (const ImplicitScaling &row : rows_of<ImplicitScaling>(rows)) {
    table.row({row.mode, row.op, grouped(static_cast<std::uint64_t>(row.large)), std::to_string(row.small),
               fmt::format("{:.2f}x", row.ratio), fmt::format("{:.2f}x", row.ratio_with_tables)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  Budgets::Values &values =
      budgets.at_least(0.85, "issue rate, implicit AV, random, 786,432 peers over 16, regular modes");
  for (const ImplicitScaling &row : rows_of<ImplicitScaling>(rows)) {
    values.add(row.ratio, fmt::format("{}, {}", row.mode, row.op));
  }
}

} // namespace

const Measurement kImplicitScaling = {"implicit_scaling", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
