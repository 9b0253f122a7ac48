// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of creations, of communicators that were made before. Every process follows all of them in plain lists
// and takes part in those of its own.
#include <random>

#include "tests/comm/members.h"
#include "tests/device/job.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class Sequence {
public:
  Sequence(Process &process, std::uint64_t seed) : process_(process), random_(seed) {
    nodes_.push_back({process.world, everyone(process)});
  }

  void step() {
    const std::size_t at = random_() % nodes_.size();
    const Node parent = nodes_[at];
    switch (random_() % 6) {
    case 0:
      make(
          parent, [](const Members &members) { return members; },
          [&](const Members &, avrm_comm_t **comm_p) { return avrm_comm_dup(parent.comm, comm_p); });
      break;
    case 1: split(parent); break;
    case 2: part(parent, true); break;
    case 3: part(parent, false); break;
    case 4: grid(parent); break;
    default: join(parent); break;
    }
    while (nodes_.size() > 12) {
      const std::size_t victim = 1 + random_() % (nodes_.size() - 1);
      release(nodes_[victim].comm);
      nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }

  void end() {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      release(nodes_[i].comm);
    }
    AVRM_MUST(live_contexts(process_) == 0);
  }

private:
  struct Node {
    avrm_comm_t *comm; // null in those who are not in it
    Members members;
  };

  // `create` is called by the members of the parent.
  template <typename Expect, typename Create> void make(const Node &parent, Expect expect, Create create) {
    const Members members = expect(parent.members);
    avrm_comm_t *comm = nullptr;
    if (has(parent.members, process_.rank)) {
      AVRM_MUST(create(members, &comm) == AVRM_OK);
      check(process_, comm, members);
    }
    if (!members.empty()) {
      nodes_.push_back({comm, members});
    }
  }

  void split(const Node &parent) {
    std::vector<int> colours(parent.members.size());
    std::vector<int> keys(parent.members.size());
    const auto count = 1 + random_() % 3;
    for (std::size_t rank = 0; rank < colours.size(); ++rank) {
      colours[rank] = random_() % 8 == 0 ? AVRM_UNDEFINED : static_cast<int>(random_() % count);
      keys[rank] = static_cast<int>(random_() % 4);
    }
    avrm_comm_t *comm = nullptr;
    const bool is_member = has(parent.members, process_.rank);
    const auto own = static_cast<std::size_t>(is_member ? rank_in(parent.members, process_.rank) : 0);
    if (is_member) {
      AVRM_MUST(avrm_comm_split(parent.comm, colours[own], keys[own], &comm) == AVRM_OK);
    }
    for (int colour = 0; colour < static_cast<int>(count); ++colour) {
      std::vector<std::size_t> ranks;
      for (std::size_t rank = 0; rank < colours.size(); ++rank) {
        if (colours[rank] == colour) {
          ranks.push_back(rank);
        }
      }
      std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
      Members members;
      for (const std::size_t rank : ranks) {
        members.push_back(parent.members[rank]);
      }
      const bool mine = has(members, process_.rank);
      if (mine) {
        check(process_, comm, members);
      }
      if (!members.empty()) {
        nodes_.push_back({mine ? comm : nullptr, members});
      }
    }
  }

  // A random part in random order, made by all of the parent or by its members alone.
  void part(const Node &parent, bool by_all) {
    Members members = parent.members;
    std::shuffle(members.begin(), members.end(), random_);
    members.resize(1 + random_() % members.size());
    const auto tag = static_cast<int>(random_() % 1000);
    const Node makers = by_all ? parent : Node{has(members, process_.rank) ? parent.comm : nullptr, members};
    make(
        makers, [&](const Members &) { return members; },
        [&](const Members &wanted, avrm_comm_t **comm_p) {
          avrm_group_t *const group = group_of(process_, wanted);
          const avrm_status_t status = by_all ? avrm_comm_create(parent.comm, group, comm_p)
                                              : avrm_comm_create_group(parent.comm, group, tag, comm_p);
          avrm_group_destroy(group);
          return status;
        });
  }

  void grid(const Node &parent) {
    const auto size = static_cast<int>(parent.members.size());
    const std::int32_t dims[] = {1 + static_cast<int>(random_() % 3) % size, 1};
    const std::int32_t extents[] = {dims[0], size / dims[0]};
    const std::int32_t periods[] = {0, 1};
    const std::int32_t remain[] = {static_cast<int>(random_() % 2), static_cast<int>(random_() % 2)};
    avrm_comm_t *grid = nullptr;
    if (has(parent.members, process_.rank)) {
      AVRM_MUST(avrm_cart_create(parent.comm, 2, extents, periods, true, &grid) == AVRM_OK);
    }
    Members places = parent.members;
    places.resize(static_cast<std::size_t>(extents[0] * extents[1]));
    if (!has(places, process_.rank)) {
      AVRM_MUST(grid == nullptr);
      return;
    }
    check(process_, grid, places);
    const int own = rank_in(places, process_.rank);
    Members members;
    for (int rank = 0; rank < extents[0] * extents[1]; ++rank) {
      const bool same_row = rank / extents[1] == own / extents[1];
      const bool same_column = rank % extents[1] == own % extents[1];
      if ((remain[0] != 0 || same_row) && (remain[1] != 0 || same_column)) {
        members.push_back(places[static_cast<std::size_t>(rank)]);
      }
    }
    avrm_comm_t *sub = nullptr;
    AVRM_MUST(avrm_cart_sub(grid, remain, &sub) == AVRM_OK);
    check(process_, sub, members);
    release(sub);
    release(grid);
  }

  // Two parts of a communicator, side by side, and then one again.
  void join(const Node &parent) {
    if (parent.members.size() < 2) {
      return;
    }
    const auto cut = 1 + random_() % (parent.members.size() - 1);
    const Members low(parent.members.begin(), parent.members.begin() + static_cast<std::ptrdiff_t>(cut));
    const Members high(parent.members.begin() + static_cast<std::ptrdiff_t>(cut), parent.members.end());
    const bool swapped = random_() % 2 == 0;
    const auto tag = static_cast<int>(random_() % 1000);
    Members merged = swapped ? high : low;
    const Members &rest = swapped ? low : high;
    merged.insert(merged.end(), rest.begin(), rest.end());
    make(
        parent, [&](const Members &) { return merged; },
        [&](const Members &, avrm_comm_t **comm_p) {
          const bool is_low = has(low, process_.rank);
          avrm_comm_t *half = nullptr;
          avrm_comm_t *inter = nullptr;
          AVRM_MUST(avrm_comm_split(parent.comm, is_low ? 0 : 1, 0, &half) == AVRM_OK);
          const auto partner = static_cast<int>(is_low ? cut : 0);
          AVRM_MUST(avrm_intercomm_create(half, 0, parent.comm, partner, tag, &inter) == AVRM_OK);
          release(half);
          check_inter(process_, inter, is_low ? low : high, is_low ? high : low);
          const avrm_status_t status = avrm_intercomm_merge(inter, is_low == swapped, comm_p);
          release(inter);
          return status;
        });
  }

  Process &process_;
  std::mt19937_64 random_;
  std::vector<Node> nodes_;
};

class RandomCreation : public testing::TestWithParam<Transport> {};

TEST_P(RandomCreation, AgreesWithPlainLists) {
  const std::uint64_t first = seed();
  for (const int size : {2, 5, 8}) {
    run_job(GetParam(), size, [&](Process &process) {
      Sequence sequence(process, first + static_cast<std::uint64_t>(size));
      for (int i = 0; i < (is_long() ? 5000 : 60); ++i) {
        sequence.step();
      }
      sequence.end();
    });
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Over, RandomCreation,
                         testing::Values(Transport{"posix", "null", nullptr, "posix", 0},
                                         Transport{"ofi_and_posix", "ofi", "tcp;ofi_rxm", "posix", 3},
                                         Transport{"ucx_and_posix", "ucx", "tcp,self", "posix", 3}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
