// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Random maps, parts of shared tables above all, while address vectors of either kind come, break
// their pattern, and go. Some process groups have no AV yet, or no longer. Every binding is
// compared with a model of the directory, every bound map with the elements that were set, and
// every map is validated after every step.

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <vector>

#include "rankmap/bind/implicit_bind.h"
#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/random_world.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kAvs = 5;         // at a time
constexpr std::size_t kRemembered = 6;   // process groups that new maps name, dead ones included
constexpr std::int32_t kNever = 1 << 30; // a pgid that no AV gets
constexpr std::int32_t kLpids = 60;      // an AV may be shorter
constexpr std::int32_t kMostRanks = 80;
constexpr std::size_t kPool = 12;
constexpr int kSteps = 300;

struct Live {
  MapPtr map;
  Table table;
  std::set<std::int32_t> named; // process groups of the whole table, which others may share
  bool bound = false;
};

// What is known of a pgid.
struct Place {
  AvPtr av; // null before its creation and after its release
  std::int32_t holders = 0;
  std::vector<avrm_ave_t> elements; // all zero where none was set; none before its creation

  [[nodiscard]] bool exists() const { return av != nullptr || holders > 0; }
};

std::set<std::int32_t> pgids_of(const Table &table) {
  std::set<std::int32_t> pgids;
  for (const avrm_gpid_t &gpid : table) {
    pgids.insert(gpid.pgid);
  }
  return pgids;
}

class Round {
public:
  Round(std::mt19937_64 &engine, avrm_cost_t cost) : input_(engine), instance_(&memory_, false, cost) {}

  // Maps that asked an implicit AV while their table named a process group without AV.
  [[nodiscard]] int odd_ones() const { return odd_ones_; }
  [[nodiscard]] int refused() const { return refused_; }

  void run() {
    for (int step = 0; step < kSteps; ++step) {
      take_step();
      for (const Live &live : pool_) {
        const char *reason = nullptr;
        ASSERT_TRUE(avrm_rankmap_validate(live.map.get(), &reason)) << "step " << step << ": " << reason;
      }
      if (!pool_.empty()) {
        ASSERT_NO_FATAL_FAILURE(translate(any())) << "step " << step;
      }
    }
    while (!pool_.empty()) {
      destroy(pool_.size() - 1);
    }
  }

private:
  void take_step() {
    switch (input_.below(10)) {
    case 0:
    case 1: return create_av();
    case 2: return input_.one_in(3) ? set_element() : toggle_binding();
    case 3: return input_.one_in(3) ? places_[any_pgid()].av.reset() : toggle_binding();
    case 4: return create_map();
    case 5:
    case 6: return pool_.empty() ? create_map() : create_part();
    default: return toggle_binding();
    }
  }

  // ---- address vectors ----

  void create_av() {
    if (std::count_if(places_.begin(), places_.end(), [](const auto &p) { return p.second.exists(); }) == kAvs) {
      return;
    }
    const std::int32_t size = input_.one_in(5) ? input_.size(kLpids) : kLpids;
    AvPtr av = input_.one_in(3) ? make_av(instance_, size) : make_implicit_av(instance_, size);
    Place &place = places_[av->pgid];
    ASSERT_TRUE(place.elements.empty()) << "pgid " << av->pgid << " is used twice";
    place.elements.assign(static_cast<std::size_t>(size), avrm_ave_t{});
    const std::int32_t filled = input_.one_in(2) ? size : input_.below(size);
    for (std::int32_t lpid = 0; lpid < filled; ++lpid) {
      place.elements[static_cast<std::size_t>(lpid)] = ave_of({av->pgid, lpid});
    }
    require(avrm_av_set_range(av.get(), 0, filled, place.elements.data()));
    if (recent_.size() == kRemembered) { // more than there may be AVs, so one of them is gone
      recent_.erase(std::find_if(recent_.begin(), recent_.end(), [&](auto pgid) { return !places_[pgid].exists(); }));
    }
    recent_.push_back(av->pgid);
    place.av = std::move(av);
  }

  // Seldom the next of a pattern.
  void set_element() {
    Place &place = places_[any_pgid()];
    if (place.av != nullptr) {
      const std::int32_t lpid = input_.below(place.av->size);
      const avrm_ave_t ave = at_address(1000000 + static_cast<std::uint64_t>(input_.below(1000)), 7);
      require(avrm_av_set(place.av.get(), lpid, &ave));
      place.elements[static_cast<std::size_t>(lpid)] = ave;
    }
  }

  // ---- maps ----

  void create_map() {
    if (pool_.size() == kPool) {
      return destroy(any_index());
    }
    Table table;
    for (std::int32_t pieces = 1 + input_.below(4); pieces > 0; --pieces) {
      const Table piece = in_group(input_.one_in(20) ? kNever : any_pgid(), input_.ranks(kLpids, kMostRanks / 4));
      table.insert(table.end(), piece.begin(), piece.end());
    }
    pool_.push_back({make_gpids(instance_, table), table, pgids_of(table)});
  }

  void create_part() {
    if (pool_.size() == kPool) {
      return destroy(any_index());
    }
    const Live &parent = any();
    const std::int32_t size = static_cast<std::int32_t>(parent.table.size());
    const std::int32_t count = input_.size(size);
    const std::int32_t first = input_.below(size - count + 1);
    Live live{make_child_regular(parent.map, count, first, 1),
              child_table(parent.table, regular_values(count, first, 1)),
              {}};
    live.named = info_of(live.map.get()).table_entries > count ? parent.named : pgids_of(live.table);
    pool_.push_back(std::move(live));
  }

  void destroy(std::size_t index) {
    let_go(pool_[index]);
    pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void toggle_binding() {
    if (pool_.empty()) {
      return;
    }
    const std::size_t index = any_index();
    Live &live = pool_[index];
    if (live.bound) {
      require(avrm_rankmap_unbind(live.map.get()));
      let_go(live);
      return;
    }
    const std::set<avrm_status_t> expected = binding_of(live.table);
    const avrm_status_t status = avrm_rankmap_bind(live.map.get());
    ASSERT_EQ(expected.count(status), 1U) << avrm_status_name(status);
    if (status != AVRM_OK) {
      ++refused_;
      if (status == AVRM_ERR_PGID_RELEASED) { // for good
        destroy(index);
      }
      return;
    }
    live.bound = true;
    bool odd = live.map->pgid < 0 && live.map->klass != detail::natural_class(live.map.get());
    for (const std::int32_t pgid : pgids_of(live.table)) {
      ++places_[pgid].holders;
    }
    odd = odd && std::any_of(live.named.begin(), live.named.end(), [&](auto pgid) { return !places_[pgid].exists(); });
    odd_ones_ += odd ? 1 : 0;
  }

  // The statuses that binding may return, one for each process group that stands in the way.
  std::set<avrm_status_t> binding_of(const Table &table) {
    std::set<avrm_status_t> statuses;
    for (const avrm_gpid_t &gpid : table) {
      const Place &place = places_[gpid.pgid];
      if (place.av == nullptr) {
        statuses.insert(place.elements.empty() ? AVRM_ERR_PGID_UNKNOWN : AVRM_ERR_PGID_RELEASED);
      } else if (gpid.lpid >= place.av->size) {
        statuses.insert(AVRM_ERR_LPID);
      }
    }
    return statuses.empty() ? std::set{AVRM_OK} : statuses;
  }

  void let_go(Live &live) {
    if (live.bound) {
      live.bound = false;
      for (const std::int32_t pgid : pgids_of(live.table)) {
        --places_[pgid].holders;
      }
    }
  }

  void translate(const Live &live) {
    for (std::size_t r = 0; r < live.table.size(); ++r) {
      const auto rank = static_cast<std::int32_t>(r);
      const avrm_gpid_t gpid = live.table[r];
      ASSERT_EQ(avrm_rankmap_gpid(live.map.get(), rank), gpid) << "rank " << rank;
      if (live.bound) {
        const avrm_ave_t &ave = places_[gpid.pgid].elements.at(static_cast<std::size_t>(gpid.lpid));
        ASSERT_EQ(avrm_rankmap_word(live.map.get(), rank), avrm_ave_word(&ave)) << "rank " << rank;
        ASSERT_EQ(avrm_rankmap_node(live.map.get(), rank), ave.w[2]) << "rank " << rank;
      }
    }
  }

  // ---- choosing ----

  // Of a process group that is there or was; before the first one, of one that comes.
  std::int32_t any_pgid() {
    return recent_.empty() ? 0
                           : recent_[static_cast<std::size_t>(input_.below(static_cast<std::int32_t>(recent_.size())))];
  }
  std::size_t any_index() { return static_cast<std::size_t>(input_.below(static_cast<std::int32_t>(pool_.size()))); }
  Live &any() { return pool_[any_index()]; }

  RandomInput input_;
  CountingAllocator memory_;
  Instance instance_;
  std::map<std::int32_t, Place> places_;
  std::vector<std::int32_t> recent_; // pgids
  std::vector<Live> pool_;
  int odd_ones_ = 0;
  int refused_ = 0;
};

class RankmapLifetimes : public testing::TestWithParam<avrm_cost_t> {};

TEST_P(RankmapLifetimes, MapsAreSoundWhileAvsComeAndGo) {
  std::mt19937_64 engine = seeded_engine();
  int odd_ones = 0;
  int refused = 0;
  const int rounds = is_brief() ? 1000 : 3000;
  for (int number = 0; number < (is_long() ? 200000 : rounds); ++number) {
    Round round(engine, GetParam());
    round.run();
    ASSERT_FALSE(HasFailure()) << "in round " << number << "; AVRM_TEST_SEED=" << seed() << " repeats it";
    odd_ones += round.odd_ones();
    refused += round.refused();
  }
  std::cout << odd_ones << " maps asked an implicit AV beside process groups without one; " << refused
            << " bindings refused\n";
  EXPECT_GT(odd_ones, rounds / 60);
  EXPECT_GT(refused, 100);
}

INSTANTIATE_TEST_SUITE_P(All, RankmapLifetimes, testing::Values(AVRM_COST_SPEED, AVRM_COST_BYTES),
                         [](const auto &param) { return param.param == AVRM_COST_SPEED ? "Speed" : "Bytes"; });

} // namespace
} // namespace avrankmap::test
