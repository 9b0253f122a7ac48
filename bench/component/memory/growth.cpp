// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/memory/growth.h"

#include "baseline/per_rank.h"
#include "communicators/survey.h"
#include "schemes/counted_schemes.h"
#include "schemes/schemes.h"
#include "support/statistics.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>
#include <random>
#include <type_traits>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPerNode = 16;
using Ranks = std::vector<std::int32_t>;

/// Every `step`-th of so many ranks.
Ranks every(std::int32_t count, std::int32_t step, std::int32_t first = 0) {
  return Members{count / step, first, step}.list();
}

/// Ranks, in a communicator whose rank r is world rank members[r], of those on the node of world
/// rank 0, and of the first of each node that appears.
struct Internal {
  Ranks node;
  Ranks roots;

  explicit Internal(const Ranks &members) {
    std::vector<bool> seen(*std::max_element(members.begin(), members.end()) / kPerNode + 1);
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const auto on = static_cast<std::size_t>(members[rank] / kPerNode);
      if (on == 0) {
        node.push_back(static_cast<std::int32_t>(rank));
      }
      if (!seen[on]) {
        seen[on] = true;
        roots.push_back(static_cast<std::int32_t>(rank));
      }
    }
  }
};

Ranks shuffled(std::int32_t count, int seed) {
  Ranks ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), std::mt19937_64(static_cast<std::uint64_t>(seed)));
  return ranks;
}

/// The parents of all communicators of one kind, whatever the scheme.
struct Plan {
  GrowthKind kind;
  std::int32_t processes;
  bool two_worlds;
  std::int32_t world; ///< processes of the first one
  Ranks evens;        ///< of the world, of the intercommunicator's groups
  Ranks odds;
  std::vector<Gpid> remote; ///< processes of the remote group
  std::vector<Gpid> all;    ///< of both worlds
  std::optional<Internal> internal;
  std::int32_t members = 0;  ///< of each one whose nodes a library looks for
  std::uint64_t entries = 0; ///< of all tables that each one adds to VC-VCRT's

  Plan(GrowthKind k, std::int32_t count)
      : kind(k), processes(count), two_worlds(k == GrowthKind::kDynamic || k == GrowthKind::kMerge),
        world(two_worlds || k == GrowthKind::kInterDynamic ? count / 2 : count) {
    const Ranks ranks = every(count, 1);
    switch (kind) {
    case GrowthKind::kSplit:
      evens = every(count, 2);
      internal.emplace(evens);
      break;
    case GrowthKind::kReversed:
      evens = every(count, 2, 1);
      std::reverse(evens.begin(), evens.end());
      internal.emplace(evens);
      break;
    case GrowthKind::kSplitInter:
      evens = every(count / 2, 2);
      internal.emplace(every(count, 4));
      break;
    case GrowthKind::kWholeInter:
      evens = every(count / 2, 1);
      internal.emplace(every(count, 2));
      break;
    case GrowthKind::kDupInter: internal.emplace(every(count, 2)); break;
    case GrowthKind::kInter:
      internal.emplace(every(count, 2));
      for (const std::int32_t rank : every(count, 2, 1)) {
        remote.push_back({0, rank});
      }
      break;
    case GrowthKind::kInterDynamic: internal.emplace(every(world, 1)); break;
    case GrowthKind::kDup: internal.emplace(ranks); break;
    case GrowthKind::kReordered: break;
    case GrowthKind::kMerge: internal.emplace(ranks); [[fallthrough]];
    case GrowthKind::kDynamic:
      for (const std::int32_t rank : ranks) {
        all.push_back({rank / (count / 2), rank % (count / 2)});
      }
      break;
    case GrowthKind::kMergeOne: {
      Ranks merged = every(count, 2);
      for (const std::int32_t rank : every(count, 2, 1)) {
        merged.push_back(rank);
      }
      internal.emplace(merged);
      for (const std::int32_t rank : merged) {
        all.push_back({0, rank});
      }
      break;
    }
    }
    count_tables();
  }

private:
  [[nodiscard]] bool is_merged() const { return kind == GrowthKind::kMerge || kind == GrowthKind::kMergeOne; }
  [[nodiscard]] bool is_reordered() const { return kind == GrowthKind::kReordered || kind == GrowthKind::kDynamic; }

  /// A duplicate shares its table.
  void count_tables() {
    const bool is_split = kind == GrowthKind::kSplit || kind == GrowthKind::kReversed;
    const bool is_split_inter = kind == GrowthKind::kSplitInter || kind == GrowthKind::kWholeInter;
    const bool is_inter = is_split_inter || kind == GrowthKind::kDupInter || kind == GrowthKind::kInter ||
                          kind == GrowthKind::kInterDynamic;
    members = is_split || is_split_inter ? static_cast<std::int32_t>(evens.size())
              : is_inter                 ? processes / 2
                                         : processes;
    const std::size_t beside = is_reordered() ? static_cast<std::size_t>(kPerNode + processes / kPerNode)
                                              : internal->node.size() + internal->roots.size();
    const std::size_t of_itself = is_split_inter                      ? 2 * evens.size()
                                  : is_split                          ? evens.size()
                                  : kind == GrowthKind::kInter        ? remote.size()
                                  : kind == GrowthKind::kInterDynamic ? static_cast<std::size_t>(processes - world)
                                  : is_reordered() || is_merged()     ? static_cast<std::size_t>(processes)
                                                                      : 0;
    entries = of_itself + beside;
  }
};

template <Scheme S> class Growing {
public:
  explicit Growing(const Plan &plan) : plan_(plan) {
    const std::int32_t each = plan.world;
    for (int world = 0; world <= (plan.two_worlds ? 1 : 0); ++world) {
      scheme_.add_world(each);
    }
    growth_.scheme = S::kName;
    growth_.processes = plan.processes;
    growth_.address_bytes = scheme_.bytes();
    const Comm &world = keep(scheme_.make_world(0));
    beside(world, Internal(every(each, 1)));
    parent_ = &world;
    if (plan.kind == GrowthKind::kSplitInter || plan.kind == GrowthKind::kWholeInter ||
        plan.kind == GrowthKind::kDupInter || plan.kind == GrowthKind::kInter) {
      local_ = &keep(scheme_.make_child(world, every(plan.processes, 2)));
      remote_ = &keep(scheme_.make_child(world, every(plan.processes, 2, 1)));
    } else if (plan.kind == GrowthKind::kDynamic) {
      parent_ = &keep(scheme_.make_merged(plan.all));
      if constexpr (kIsOpenMpi<S>) { // connecting looks each of them up
        const std::uint64_t before = scheme_.bytes();
        for (std::int32_t rank = each; rank < plan.processes; ++rank) {
          scheme_.contact(*parent_, rank);
        }
        growth_.address_bytes += scheme_.bytes() - before;
      }
    }
    growth_.bytes.push_back(scheme_.bytes());
    if constexpr (kIsVcVcrt) {
      nodes_.add_nodes(each, 1, kPerNode, false);
      // The world's, those that the library makes with it, and those that all are made from.
      const auto processes_of = static_cast<std::uint64_t>(each);
      growth_.entries = {
          processes_of + kPerNode + processes_of / kPerNode +
          (local_ != nullptr || plan.kind == GrowthKind::kDynamic ? static_cast<std::uint64_t>(plan.processes) : 0)};
      growth_.node_bytes = {nodes_.bytes()};
    }
  }

  Growth run(int communicators) {
    std::vector<double> seconds;
    for (int i = 0; i < communicators; ++i) {
      seconds.push_back(add(i));
      growth_.bytes.push_back(scheme_.bytes());
      if constexpr (kIsVcVcrt) {
        nodes_.add_nodes(plan_.members, 1, kPerNode, false);
        growth_.node_bytes.push_back(nodes_.bytes());
        growth_.entries.push_back(growth_.entries.back() + plan_.entries);
      }
    }
    growth_.seconds = seconds.empty() ? 0 : median(seconds);
    if constexpr (std::is_base_of_v<HasAllocator, S>) {
      growth_.asked_bytes = scheme_.allocator.asked_bytes() + scheme_.map_bytes();
    }
    return std::move(growth_);
  }

private:
  using Comm = typename S::Comm;
  static constexpr bool kIsVcVcrt = std::is_same_v<S, VcVcrt>;

  const Comm &keep(Comm comm) { return comms_.emplace_back(std::move(comm)); }

  void beside(const Comm &comm, const Internal &internal) {
    if constexpr (kIsOpenMpi<S>) {
      return;
    }
    keep(scheme_.make_child(comm, internal.node));
    keep(scheme_.make_child(comm, internal.roots));
  }

  /// An intercommunicator: the two groups, and the communicator of the local one.
  void inter(Comm local, Comm remote) {
    const Comm &kept = keep(std::move(local));
    keep(std::move(remote));
    keep(scheme_.dup(kept));
    beside(kept, *plan_.internal);
  }

  /// Makes number i; seconds that this took.
  double add(int i) {
    Ranks order;
    std::optional<Internal> internal;
    if (plan_.kind == GrowthKind::kReordered || plan_.kind == GrowthKind::kDynamic) {
      order = shuffled(plan_.processes, i);
      internal.emplace(order);
    }
    const auto start = std::chrono::steady_clock::now();
    switch (plan_.kind) {
    case GrowthKind::kSplit:
    case GrowthKind::kReversed: beside(keep(scheme_.make_child(*parent_, plan_.evens)), *plan_.internal); break;
    case GrowthKind::kDup: beside(keep(scheme_.dup(*parent_)), *plan_.internal); break;
    case GrowthKind::kSplitInter:
    case GrowthKind::kWholeInter:
      inter(scheme_.make_child(*local_, plan_.evens), scheme_.make_child(*remote_, plan_.evens));
      break;
    case GrowthKind::kDupInter: inter(scheme_.dup(*local_), scheme_.dup(*remote_)); break;
    case GrowthKind::kInter: inter(scheme_.dup(*local_), scheme_.make_merged(plan_.remote)); break;
    case GrowthKind::kReordered:
    case GrowthKind::kDynamic: beside(keep(scheme_.make_child(*parent_, order)), *internal); break;
    case GrowthKind::kInterDynamic:
      inter(scheme_.dup(*parent_), scheme_.make_world(scheme_.add_world(plan_.processes - plan_.world)));
      break;
    case GrowthKind::kMerge:
    case GrowthKind::kMergeOne: beside(keep(scheme_.make_merged(plan_.all)), *plan_.internal); break;
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const Plan &plan_;
  S scheme_;
  std::deque<Comm> comms_; // goes before the scheme; references to its members stay good
  const Comm *parent_ = nullptr;
  const Comm *local_ = nullptr;
  const Comm *remote_ = nullptr;
  PerRankTables nodes_;
  Growth growth_;
};

} // namespace

std::vector<Growth> measure_growth(GrowthKind kind, std::int32_t processes, int communicators) {
  const Plan plan(kind, processes);
  std::vector<Growth> all;
  SchemeList<StrictScheme, TableScheme, DefaultScheme, VcVcrt, Mpich4, Mpich4Ucx, Mpich5, OmpiAtStart,
             OmpiSparseAtStart>::for_each([&](auto type) {
    all.push_back(Growing<typename decltype(type)::type>(plan).run(communicators));
  });
  return all;
}

} // namespace avrankmap::bench
