// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Families of maps that share what they refer to: equal maps, maps with equal lpids in other
// process groups, duplicates, parts, parts of parts, and maps without some ranks of one parent.
// Each has its plain table. Whatever form a content takes, an answer must not depend on which of
// the family asked first.
#ifndef AVRANKMAP_TESTS_RANKMAP_SHARERS_H
#define AVRANKMAP_TESTS_RANKMAP_SHARERS_H

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {

struct Content {
  const char *name;
  Ranks lpids;
  Ranks groups; // by rank, 0 or 1; empty: one process group

  friend std::ostream &operator<<(std::ostream &out, const Content &content) { return out << content.name; }
};

// Of tests that are run for some contents with the default cost class and that of the fewest bytes.
using ContentInClass = std::tuple<Content, avrm_cost_t>;

inline auto in_both_classes(const std::vector<Content> &some) {
  return testing::Combine(testing::ValuesIn(some), testing::Values(AVRM_COST_BALANCED, AVRM_COST_BYTES));
}
inline std::string content_name(const testing::TestParamInfo<ContentInClass> &info) {
  const auto &[content, cost] = info.param;
  return content.name + std::string(cost == AVRM_COST_BYTES ? "InFewBytes" : "");
}

// Number of process groups that families use: 0 .. kPgids - 1.
inline constexpr std::int32_t kPgids = 4;

template <typename LpidAt> Ranks lpids_of(std::int32_t size, LpidAt lpid_at) {
  Ranks lpids;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    lpids.push_back(lpid_at(rank));
  }
  return lpids;
}

// Sixty ranks of each of some strides, from 100 on, so that all runs overlap.
inline Ranks overlapping_runs(std::int32_t strides) {
  return lpids_of(60 * strides, [](std::int32_t rank) { return 100 + rank / 60 + rank % 60 * (rank / 60 + 1); });
}

// Each form, with and without an inverse by arithmetic, with processes that occur once and twice.
// Lpids are at most `most`.
inline std::vector<Content> contents(std::int32_t most = kLastLpid) {
  const auto square = [](std::int32_t rank) { return rank * rank; };
  const auto thin = [](std::int32_t rank) { return rank * rank * rank * 20011; };
  const auto scattered = [](std::int32_t rank) { return rank * 23 % 61; };
  const auto twice = [](std::int32_t rank) { return rank * rank % 37; };
  const auto blocked = [](std::int32_t rank) { return rank / 6 * 20 + rank % 6; };
  const auto nesting = [](std::int32_t rank) { return rank % 4 * 300 + rank / 4 % 3 + rank / 12 * 5; };
  const auto overlapping = [](std::int32_t rank) { return rank % 4 * 2 + rank / 4 % 3 * 3 + rank / 12 * 40; };
  const auto apart = [](std::int32_t rank) { return rank / 60 * 400 + rank % 60 * (rank / 60 + 1); };
  const auto large = [](std::int32_t rank) { return 7919 * rank % 3001; };
  const auto alternating = [](std::int32_t rank) { return rank * 7 % 5 % 2; };
  const auto halves = [](std::int32_t rank) { return rank / 60 % 2; };
  std::vector<Content> all = {
      {"Squares", lpids_of(40, square), {}},
      {"Thin", lpids_of(40, thin), {}},
      {"Scattered", lpids_of(60, scattered), {}},
      {"Twice", lpids_of(50, twice), {}},
      {"Blocked", lpids_of(300, blocked), {}},
      {"NestingCart", lpids_of(600, nesting), {}},
      {"OverlappingCart", lpids_of(600, overlapping), {}},
      {"Runs", lpids_of(300, apart), {}},
      {"OverlappingRuns", overlapping_runs(3), {}},
      {"RunsOfManyStrides", overlapping_runs(12), {}},
      {"TwoGroups", lpids_of(60, scattered), lpids_of(60, alternating)},
      {"TwiceInTwoGroups", lpids_of(60, twice), lpids_of(60, alternating)},
      {"RunsInTwoGroups", lpids_of(300, apart), lpids_of(300, halves)},
      {"Large", lpids_of(3000, large), {}},
  };
  all.erase(std::remove_if(all.begin(), all.end(),
                           [most](const Content &content) {
                             return *std::max_element(content.lpids.begin(), content.lpids.end()) > most;
                           }),
            all.end());
  return all;
}

inline Table table_of(const Content &content, std::int32_t pgid, std::int32_t other_pgid) {
  Table table = in_group(pgid, content.lpids);
  for (std::size_t rank = 0; rank < content.groups.size(); ++rank) {
    table[rank].pgid = content.groups[rank] == 0 ? pgid : other_pgid;
  }
  return table;
}

struct Sharer {
  std::string name;
  MapPtr map;
  Table table;
};

class Family {
public:
  Family(const Instance &instance, const Content &content) {
    for (const auto &[pgid, other] : {std::pair{0, 1}, std::pair{2, 3}, std::pair{3, 0}}) {
      group_ = " of group " + std::to_string(pgid);
      add_all_of(instance, table_of(content, pgid, other));
    }
  }

  [[nodiscard]] std::vector<Sharer> &sharers() { return sharers_; }

private:
  // A sharer's place in the list.
  using Place = std::size_t;

  void add_all_of(const Instance &instance, const Table &table) {
    const auto size = static_cast<std::int32_t>(table.size());
    const Place whole = add("map", make_gpids(instance, table), table);
    add("equal map", make_gpids(instance, table), table);
    add("duplicate", make_dup(sharers_[whole].map), table);
    const Place middle = add_part("middle", whole, size / 5, size / 2);
    add_part("beginning", whole, 0, size / 2);
    add_part("end", whole, size / 2, size - size / 2);
    add_part("part of the middle", middle, 3, size / 3);
    add("duplicate of the middle", make_dup(sharers_[middle].map), sharers_[middle].table);
    const Place trimmed = add_without("trimmed map", whole, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, size - 1});
    const Place less = add_without("map with gaps", whole, {7, size / 2});
    add_without("trimmed map with a gap", trimmed, {9});
    add_without("map with three gaps", less, {size - 9});
    add("duplicate with gaps", make_dup(sharers_[less].map), sharers_[less].table);
  }

  Place add(const std::string &name, MapPtr map, Table table) {
    sharers_.push_back({name + group_, std::move(map), std::move(table)});
    return sharers_.size() - 1;
  }
  Place add_part(const std::string &name, Place parent, std::int32_t first, std::int32_t count) {
    const auto begin = sharers_[parent].table.begin() + first;
    return add(name, make_child_regular(sharers_[parent].map, count, first, 1), Table(begin, begin + count));
  }
  Place add_without(const std::string &name, Place parent, const Ranks &ranks) {
    Ranks rest;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(sharers_[parent].table.size()); ++rank) {
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
        rest.push_back(rank);
      }
    }
    return add(name, make_without(sharers_[parent].map, ranks), child_table(sharers_[parent].table, rest));
  }

  std::string group_;
  std::vector<Sharer> sharers_;
};

// Calls ask(sharer) for the whole family in orders that begin with each of them: the rest forwards,
// then backwards. Calls begin() before each order.
template <typename Begin, typename Ask> void in_all_orders(const std::vector<Sharer> &sharers, Begin begin, Ask ask) {
  for (const Sharer &first : sharers) {
    begin();
    ask(first);
    std::for_each(sharers.begin(), sharers.end(), ask);
    begin();
    ask(first);
    std::for_each(sharers.rbegin(), sharers.rend(), ask);
  }
}

} // namespace avrankmap::test

#endif
