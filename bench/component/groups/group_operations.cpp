// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/groups/group_operations.h"

#include "avrankmap/group.h"
#include "baseline/groups.h"
#include "support/owned_map.h"
#include "support/require.h"
#include "support/timing.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr int kDifferences = 60;

struct GroupDestroyer {
  void operator()(avrm_group_t *group) const { avrm_group_destroy(group); }
};
using GroupPtr = std::unique_ptr<avrm_group_t, GroupDestroyer>;

GroupPtr group_of(avrm_instance_t *instance, const Processes &processes) {
  const std::vector<std::int32_t> lpids(processes.begin(), processes.end());
  avrm_rankmap_t map{};
  avrm_group_t *group = nullptr;
  require(avrm_rankmap_create_lpids(instance, 0, static_cast<std::int32_t>(lpids.size()), lpids.data(), 0, &map) ==
              AVRM_OK,
          "a rankmap cannot be made");
  const avrm_status_t status = avrm_group_create(&map, &group);
  avrm_rankmap_destroy(&map);
  require(status == AVRM_OK, "a group cannot be made");
  return GroupPtr(group);
}

/// Our way, on groups that are there.
GroupPtr apply(GroupOperation operation, const GroupPtr &a, const GroupPtr &b) {
  avrm_group_t *group = nullptr;
  avrm_status_t status = AVRM_OK;
  switch (operation) {
  case GroupOperation::kUnion: status = avrm_group_union(a.get(), b.get(), &group); break;
  case GroupOperation::kIntersection: status = avrm_group_intersection(a.get(), b.get(), &group); break;
  case GroupOperation::kDifference: status = avrm_group_difference(a.get(), b.get(), &group); break;
  case GroupOperation::kTranslate: break;
  }
  require(status == AVRM_OK, "a group operation failed");
  return GroupPtr(group);
}

Processes processes_of(const GroupPtr &group) {
  Processes processes;
  for (std::int32_t rank = 0; rank < avrm_group_size(group.get()); ++rank) {
    processes.push_back(avrm_rankmap_gpid(avrm_group_map(group.get()), rank).lpid);
  }
  return processes;
}

/// Ranks in b of all ranks of a. Asked with the caches dropped, so that the inverse is part of the
/// price.
void translate(avrm_instance_t *instance, const GroupPtr &a, const GroupPtr &b, const std::vector<std::int32_t> &ranks,
               std::vector<std::int32_t> &result) {
  require(avrm_instance_drop_caches(instance) == AVRM_OK &&
              avrm_group_translate_ranks(a.get(), ranks.size(), ranks.data(), b.get(), result.data()) == AVRM_OK,
          "ranks cannot be translated");
}

struct Pair {
  Processes a;
  std::vector<Processes> b;
};

Processes shuffled(std::int32_t n, std::mt19937_64 &engine) {
  Processes processes(static_cast<std::size_t>(n));
  std::iota(processes.begin(), processes.end(), 0);
  std::shuffle(processes.begin(), processes.end(), engine);
  return processes;
}

Pair regular_pair(std::int32_t n) {
  Pair pair{Processes(static_cast<std::size_t>(n)), {{}}};
  std::iota(pair.a.begin(), pair.a.end(), 0);
  for (std::int64_t process = n - 1; process >= 0; process -= 3) {
    pair.b[0].push_back(process);
  }
  return pair;
}

Pair random_pair(std::int32_t n) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(n));
  Pair pair{shuffled(n, engine), {shuffled(n, engine)}};
  pair.b[0].resize(static_cast<std::size_t>(n / 2));
  return pair;
}

/// A world and the processes of each of 60 nodes.
Pair regular_sixty(std::int32_t n) {
  Pair pair = regular_pair(n);
  pair.b.clear();
  for (std::int64_t node = 0; node < kDifferences; ++node) {
    const std::int64_t first = n * node / kDifferences;
    pair.b.emplace_back(static_cast<std::size_t>(n * (node + 1) / kDifferences - first));
    std::iota(pair.b.back().begin(), pair.b.back().end(), first);
  }
  return pair;
}

Pair random_sixty(std::int32_t n) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(n));
  Pair pair{shuffled(n, engine), {}};
  for (int i = 0; i < kDifferences; ++i) {
    pair.b.push_back(shuffled(n, engine));
    pair.b.back().resize(static_cast<std::size_t>(n / 2));
  }
  return pair;
}

/// The operation on a and each of the b, one after the other.
template <class Group> double time_baseline(GroupOperation operation, const Pair &pair) {
  const Group a(pair.a);
  const std::vector<Group> b(pair.b.begin(), pair.b.end());
  std::size_t sum = 0;
  const double time = typical_seconds([&] {
    for (const Group &each : b) {
      sum += Group::apply(operation, a, each).size();
    }
  });
  require(sum > 0, "a baseline found nothing");
  return time;
}

/// Their loop as it is, from array to array.
double time_translation_of_mpich5(const Pair &pair, const Processes &expected) {
  const Mpich5Group a(pair.a);
  const Mpich5Group b(pair.b.front());
  std::vector<std::int32_t> ranks(pair.a.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::int32_t> result(ranks.size());
  const double time = typical_seconds([&] { Mpich5Group::translate(a, ranks, b, result); });
  require(std::equal(result.begin(), result.end(), expected.begin(), expected.end()), "a baseline is wrong");
  return time;
}

GroupTiming measure(GroupOperation operation, std::string name, std::string kind, const Pair &pair, bool quadratic) {
  const auto n = static_cast<std::int32_t>(pair.a.size());
  GroupTiming timing{std::move(name), n, std::move(kind), 0, {}, {}, {}};
  const OwnedInstance instance = make_instance(AVRM_COST_BYTES);
  const GroupPtr a = group_of(instance.get(), pair.a);
  std::vector<GroupPtr> b;
  for (const Processes &processes : pair.b) {
    b.push_back(group_of(instance.get(), processes));
  }
  const Processes expected = Mpich4Group::apply(operation, Mpich4Group(pair.a), Mpich4Group(pair.b.front()));
  if (operation == GroupOperation::kTranslate) {
    std::vector<std::int32_t> ranks(pair.a.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<std::int32_t> result(ranks.size());
    timing.seconds = typical_seconds([&] { translate(instance.get(), a, b.front(), ranks, result); });
    require(std::equal(
                result.begin(), result.end(), expected.begin(), expected.end(),
                [](std::int64_t ours, std::int64_t theirs) { return ours == (theirs < 0 ? AVRM_UNDEFINED : theirs); }),
            "translated ranks are wrong");
  } else {
    require(processes_of(apply(operation, a, b.front())) == expected, "a group operation is wrong");
    timing.seconds = typical_seconds([&] {
      for (const GroupPtr &each : b) {
        apply(operation, a, each);
      }
    });
  }
  timing.seconds_mpich4 = time_baseline<Mpich4Group>(operation, pair);
  const bool has_stride = timing.kind == "regular";
  if (operation == GroupOperation::kTranslate && has_stride) {
    timing.seconds_mpich5 = time_translation_of_mpich5(pair, expected);
  } else if (quadratic || has_stride) {
    timing.seconds_mpich5 = time_baseline<Mpich5Group>(operation, pair);
  }
  if (quadratic) {
    timing.seconds_quadratic = time_baseline<OmpiGroup>(operation, pair);
  }
  return timing;
}

} // namespace

std::vector<GroupTiming> measure_group_operations(const std::vector<std::int32_t> &sizes,
                                                  std::int32_t quadratic_limit) {
  constexpr std::pair<GroupOperation, const char *> kOperations[] = {{GroupOperation::kUnion, "union"},
                                                                     {GroupOperation::kIntersection, "intersection"},
                                                                     {GroupOperation::kDifference, "difference"},
                                                                     {GroupOperation::kTranslate, kTranslate}};
  std::vector<GroupTiming> timings;
  for (const std::int32_t n : sizes) {
    for (const auto &[operation, name] : kOperations) {
      timings.push_back(measure(operation, name, "regular", regular_pair(n), n <= quadratic_limit));
      timings.push_back(measure(operation, name, "random", random_pair(n), n <= quadratic_limit));
    }
  }
  return timings;
}

std::vector<GroupTiming> measure_sixty_differences(std::int32_t n, std::int32_t quadratic_limit) {
  const bool quadratic = n <= quadratic_limit;
  return {measure(GroupOperation::kDifference, kSixtyDifferences, "regular", regular_sixty(n), quadratic),
          measure(GroupOperation::kDifference, kSixtyDifferences, "random", random_sixty(n), quadratic)};
}

namespace {

// Of Open MPI's issue 12286; quadratic algorithms go no further.
constexpr std::int32_t kFew = 14000;
constexpr std::int32_t kMany = 786432;

Json run(Session & /*session*/) {
  std::vector<GroupTiming> timings = measure_sixty_differences(kFew, kFew);
  for (GroupTiming &timing : measure_group_operations({kFew, kMany}, kFew)) {
    timings.push_back(std::move(timing));
  }
  return timings;
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(3, "Group operations, microseconds");
  table.row({"operation", "groups", "processes", "ours", "quadratic", "mpich5", "mpich4"});
  for (const GroupTiming &timing : rows_of<GroupTiming>(rows)) {
    table.row({timing.op, timing.kind, grouped(static_cast<std::uint64_t>(timing.n)),
               fmt::format("{:.1f}", timing.seconds * 1e6), optional_text(timing.seconds_quadratic, "{:.1f}", 1e6),
               optional_text(timing.seconds_mpich5, "{:.1f}", 1e6),
               optional_text(timing.seconds_mpich4, "{:.1f}", 1e6)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  const auto timings = rows_of<GroupTiming>(rows);
  Budgets::Values &regular =
      budgets.at_most(2, "regular groups: set operations, time of 786,432 processes over 14,000");
  // A quadratic operation takes 56 times as long per process; caches account for up to six times.
  Budgets::Values &random = budgets.at_most(16, "random groups: operations, time per process, 786,432 over 14,000");
  Budgets::Values &translate = budgets.at_most(1, "regular groups: translate_ranks, time over MPICH 5's loop");
  for (const GroupTiming &many : timings) {
    if (many.kind == "regular" && many.op == kTranslate && many.seconds_mpich5) {
      translate.add(many.seconds / *many.seconds_mpich5,
                    fmt::format("{} processes", grouped(static_cast<std::uint64_t>(many.n))));
    }
    for (const GroupTiming &few : timings) {
      if (few.op != many.op || few.kind != many.kind || few.n >= many.n) {
        continue;
      }
      if (many.kind == "regular" && many.op != kTranslate) {
        regular.add(many.seconds / few.seconds, many.op);
      } else if (many.kind == "random") {
        random.add(many.seconds / few.seconds * few.n / many.n, many.op);
      }
    }
  }
}

} // namespace

const Measurement kGroupOperations = {"group_ops", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
