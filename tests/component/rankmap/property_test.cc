// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Random rankmaps from random chains of creations against their brute-force twins, at every rank
// and by every function that translates: at least 10 million (map, rank) pairs in all, or a
// thousand million with AVRM_TEST_LONG=1.
//
// A round is one instance with a few process groups and a pool of live maps. Each step makes a map
// by one of the creating functions, as often as not from maps of the pool, or destroys one, in no
// order; parents go before their children, sharers of a table before its first owner. Every map is
// checked when it is made and again now and then, bound or not.

#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/component/rankmap/random_world.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

// Pairs for each of the eight variants: strict, or of a cost class, and the two codecs.
constexpr std::uint64_t kDefaultTarget = 2'000'000;
constexpr std::uint64_t kLongTarget = 250'000'000;

// Modes, and how many of them come first in the list and are all that a strict instance or one of
// cost class speed has.
#define AVRM_COUNT(name, label) +1
constexpr std::size_t kModes = 0 AVRM_MODE_LIST(AVRM_COUNT);
#undef AVRM_COUNT
constexpr std::size_t kPlainModes = AVRM_MODE_MLUT + 1;

struct Setting {
  const char *name;
  bool strict;
  avrm_cost_t cost;
};
constexpr Setting kStrict{"Strict", true, AVRM_COST_BYTES};
constexpr Setting kSpeed{"Speed", false, AVRM_COST_SPEED};
constexpr Setting kBalanced{"Balanced", false, AVRM_COST_BALANCED};
constexpr Setting kBytes{"Bytes", false, AVRM_COST_BYTES};

constexpr std::int32_t kMostRanks = 4000;
constexpr int kStepsPerRound = 400;
constexpr std::size_t kPool = 20;
constexpr int kDeepest = 8;

std::uint64_t target() { return is_long() ? kLongTarget : kDefaultTarget; }

// A map of the pool, with its twin.
struct Live {
  MapPtr map;
  Table table;
  int depth = 0; // generations since a map that was made without a parent
};

class Round {
public:
  Round(std::mt19937_64 &engine, const Setting &setting, avrm_codec_t codec)
      : input_(engine), world_(input_, setting.strict, setting.cost, codec), pairs_(0) {}

  // The number of (map, rank) pairs that were checked.
  [[nodiscard]] std::uint64_t pairs() const { return pairs_; }
  [[nodiscard]] const std::array<std::uint64_t, kModes> &maps_by_mode() const { return maps_by_mode_; }
  [[nodiscard]] const std::array<std::uint64_t, kDeepest + 1> &maps_by_depth() const { return maps_by_depth_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

  void run() {
    for (int step = 0; step < kStepsPerRound; ++step) {
      ASSERT_NO_FATAL_FAILURE(take_step()) << "step " << step;
    }
    while (!pool_.empty()) {
      ASSERT_NO_FATAL_FAILURE(destroy_one());
    }
    EXPECT_EQ(world_.memory.usage(AVRM_MEM_RANKMAP).live_blocks, 0U);
    EXPECT_EQ(world_.memory.usage(AVRM_MEM_LUT).live_blocks, 0U);
    EXPECT_EQ(world_.memory.usage(AVRM_MEM_MLUT).live_blocks, 0U);
  }

private:
  void take_step() {
    if (pool_.size() == kPool || (!pool_.empty() && input_.one_in(8))) {
      destroy_one();
      return;
    }
    const bool from_pool = !pool_.empty() && !input_.one_in(3);
    if (!from_pool) {
      switch (input_.below(3)) {
      case 0: return from_parameters();
      case 1: return from_lpids();
      default: return from_gpids();
      }
    }
    switch (input_.below(7)) {
    case 0: return duplicate();
    case 1: return child_by_pattern();
    case 2: return merge();
    case 3: return concatenate();
    case 4: return leave_out();
    default: return child_by_array();
    }
  }

  // ---- making maps ----

  void from_parameters() {
    const std::int32_t pgid = input_.below(RandomWorld::kGroups);
    const RegularInput form = input_.regular(world_.group_size(pgid), kMostRanks);
    const auto create = [&](avrm_rankmap_t *map_p) {
      if (form.block > 1) {
        return avrm_rankmap_create_blocked(world_.instance, pgid, form.size, form.offset, form.stride, form.block,
                                           map_p);
      }
      if (form.stride != 1) {
        return avrm_rankmap_create_stride(world_.instance, pgid, form.size, form.offset, form.stride, map_p);
      }
      if (form.offset != 0) {
        return avrm_rankmap_create_offset(world_.instance, pgid, form.size, form.offset, map_p);
      }
      return avrm_rankmap_create_direct(world_.instance, pgid, form.size, map_p);
    };
    make(create, regular_table(pgid, form.size, form.offset, form.stride, form.block), 0, AVRM_RANKMAP_DEFAULT);
  }

  void from_lpids() {
    const std::int32_t pgid = input_.below(RandomWorld::kGroups);
    const Ranks lpids = input_.ranks(world_.group_size(pgid), kMostRanks);
    const unsigned flags = random_flags();
    make(
        [&](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_lpids(world_.instance, pgid, size_of(lpids), lpids.data(), flags, map_p);
        },
        in_group(pgid, lpids), 0, flags);
  }

  void from_gpids() {
    // Pieces of several groups, one after the other or interleaved.
    Table table;
    const std::int32_t pieces = 1 + input_.below(4);
    for (std::int32_t piece = 0; piece < pieces; ++piece) {
      const std::int32_t pgid = input_.below(RandomWorld::kGroups);
      const Table part = in_group(pgid, input_.ranks(world_.group_size(pgid), kMostRanks / 4));
      const std::size_t at =
          input_.one_in(2) ? table.size() : static_cast<std::size_t>(input_.below(size_of(table) + 1));
      table.insert(table.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
    }
    const unsigned flags = random_flags();
    make(
        [&](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_gpids(world_.instance, size_of(table), table.data(), flags, map_p);
        },
        table, 0, flags);
  }

  void duplicate() {
    const Live &original = any();
    make([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(original.map.get(), map_p); }, original.table,
         original.depth, AVRM_RANKMAP_DEFAULT);
  }

  void leave_out() {
    const Live &parent = input_.one_in(4) ? any_parent() : large_grid();
    Ranks ranks = input_.ranks(size_of(parent.table), std::max(1, size_of(parent.table) / 16));
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    Table table;
    for (std::int32_t rank = 0; rank < size_of(parent.table); ++rank) {
      if (!std::binary_search(ranks.begin(), ranks.end(), rank)) {
        table.push_back(parent.table[static_cast<std::size_t>(rank)]);
      }
    }
    if (table.empty()) {
      return;
    }
    const unsigned flags = random_flags();
    make(
        [&](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_without(parent.map.get(), size_of(ranks), ranks.data(), flags, map_p);
        },
        table, parent.depth + 1, flags);
  }

  void child_by_pattern() {
    const Live &parent = any_parent();
    const RegularInput form = input_.regular(size_of(parent.table), kMostRanks);
    const unsigned flags = random_flags();
    make(
        [&](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_child_regular(parent.map.get(), form.size, form.offset, form.stride, form.block,
                                                   flags, map_p);
        },
        child_table(parent.table, regular_values(form.size, form.offset, form.stride, form.block)), parent.depth + 1,
        flags);
  }

  void child_by_array() {
    const Live &parent = any_parent();
    const Ranks ranks = input_.ranks(size_of(parent.table), kMostRanks);
    const unsigned flags = random_flags();
    make(
        [&](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_child(parent.map.get(), size_of(ranks), ranks.data(), flags, map_p);
        },
        child_table(parent.table, ranks), parent.depth + 1, flags);
  }

  void merge() {
    const auto [parents, live, depth] = several_parents();
    Ranks which(static_cast<std::size_t>(input_.size(kMostRanks)));
    Ranks ranks;
    Table table;
    for (std::int32_t &parent : which) {
      parent = input_.below(size_of(parents));
      const Table &twin = live[static_cast<std::size_t>(parent)]->table;
      ranks.push_back(input_.below(size_of(twin)));
      table.push_back(twin[static_cast<std::size_t>(ranks.back())]);
    }
    const unsigned flags = random_flags();
    make(
        [&, &parents = parents](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_merged(size_of(parents), parents.data(), size_of(which), which.data(),
                                            ranks.data(), flags, map_p);
        },
        table, depth, flags);
  }

  void concatenate() {
    const auto [parents, live, depth] = several_parents();
    Table table;
    for (const Live *const parent : live) {
      table.insert(table.end(), parent->table.begin(), parent->table.end());
    }
    const unsigned flags = random_flags();
    make(
        [&, &parents = parents](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_concat(size_of(parents), parents.data(), flags, map_p);
        },
        table, depth, flags);
  }

  // Bytes of all maps and AVs; the list by which the instance knows equal tables is not a part of
  // any map.
  std::uint64_t map_bytes() const {
    return world_.memory.live_bytes() - world_.memory.usage(AVRM_MEM_INSTANCE).live_bytes;
  }

  // Calls create(&map) and puts the map into the pool, unless the flags forbid it.
  template <typename Create> void make(Create create, Table table, int depth, unsigned flags) {
    const std::uint64_t live_bytes = world_.memory.live_bytes();
    const std::uint64_t live_map_bytes = map_bytes();
    MapPtr map(new avrm_rankmap_t{});
    const avrm_status_t status = create(map.get());
    if ((flags & AVRM_RANKMAP_UNIQUE) != 0 && has_twice(table)) {
      ++refused_;
      ASSERT_EQ(status, AVRM_ERR_DUPLICATE);
      ASSERT_TRUE(is_no_map(*map));
      ASSERT_EQ(world_.memory.live_bytes(), live_bytes);
      return;
    }
    ASSERT_EQ(status, AVRM_OK);
    const std::uint64_t bytes = map_bytes() - live_map_bytes;
    const avrm_mode_t mode = info_of(map.get()).mode;
    if (mode <= AVRM_MODE_BLOCKED) {
      ASSERT_EQ(bytes, 0U);
    } else {
      ASSERT_LE(bytes, plain_table_bytes(table));
    }
    ASSERT_EQ(world_.instance.usage(AVRM_MEM_TOTAL).live_bytes, world_.memory.live_bytes());
    ++maps_by_mode_[mode];
    ++maps_by_depth_[static_cast<std::size_t>(depth)];
    pool_.push_back({std::move(map), std::move(table), depth});
    check(pool_.back());
  }

  void destroy_one() {
    const auto victim = pool_.begin() + input_.below(static_cast<std::int32_t>(pool_.size()));
    pool_.erase(victim);
    if (!pool_.empty()) {
      check(any());
    }
  }

  // ---- choosing ----

  template <typename Container> static std::int32_t size_of(const Container &container) {
    return static_cast<std::int32_t>(container.size());
  }
  unsigned random_flags() { return input_.one_in(4) ? AVRM_RANKMAP_UNIQUE : AVRM_RANKMAP_DEFAULT; }

  Live &any() { return pool_[static_cast<std::size_t>(input_.below(size_of(pool_)))]; }

  // One that is not at the deepest level yet; the youngest more often than the others, so that
  // chains become long.
  Live &any_parent() {
    Live *candidate = input_.one_in(2) ? &pool_.back() : &any();
    for (int attempt = 0; candidate->depth == kDeepest && attempt < 100; ++attempt) {
      candidate = &any();
    }
    if (candidate->depth == kDeepest) {
      candidate->depth = 0; // a pool of the deepest only: count from here
    }
    return *candidate;
  }

  // The largest that is blocked, Cartesian or a less map, if there is one.
  Live &large_grid() {
    Live *largest = nullptr;
    for (Live &live : pool_) {
      const bool is_grid = live.map->mode == AVRM_MODE_BLOCKED || live.map->mode >= AVRM_MODE_CART;
      if (is_grid && live.depth < kDeepest && (largest == nullptr || live.table.size() > largest->table.size())) {
        largest = &live;
      }
    }
    return largest != nullptr ? *largest : any_parent();
  }

  std::tuple<std::vector<const avrm_rankmap_t *>, std::vector<const Live *>, int> several_parents() {
    std::vector<const avrm_rankmap_t *> parents;
    std::vector<const Live *> live;
    int depth = 0;
    std::size_t ranks = 0;
    const std::int32_t count = 1 + input_.below(4);
    for (std::int32_t i = 0; i < count; ++i) {
      const Live &parent = any_parent();
      if (i == 0 || ranks + parent.table.size() <= 2U * kMostRanks) {
        ranks += parent.table.size();
        parents.push_back(parent.map.get());
        live.push_back(&parent);
        depth = std::max(depth, parent.depth + 1);
      }
    }
    return {parents, live, depth};
  }

  // ---- checking ----

  void check(Live &live) {
    ASSERT_TRUE(agrees(live.map.get(), live.table));
    if (live.map->bound == 0) {
      ASSERT_EQ(avrm_rankmap_bind(live.map.get()), AVRM_OK);
      ASSERT_TRUE(avrm_rankmap_validate(live.map.get(), nullptr));
    }
    ASSERT_TRUE(translates(live));
    ASSERT_TRUE(translates_in_bulk(live));
    if (input_.one_in(2)) {
      ASSERT_EQ(avrm_rankmap_unbind(live.map.get()), AVRM_OK);
    }
    pairs_ += live.table.size();
  }

  [[nodiscard]] testing::AssertionResult translates(const Live &live) const {
    const avrm_rankmap_t *const map = live.map.get();
    for (std::int32_t rank = 0; rank < size_of(live.table); ++rank) {
      const avrm_gpid_t expected = live.table[static_cast<std::size_t>(rank)];
      const avrm_ave_t *const place = world_.place(expected);
      const avrm_ave_t &content = world_.content(expected);
      std::uint64_t word = 0;
      const avrm_ave_t *ave = nullptr;
      avrm_gpid_t gpid{-1, -1};
      const bool right = avrm_rankmap_word(map, rank) == avrm_ave_word(&content) &&
                         avrm_rankmap_ave(map, rank) == place && avrm_rankmap_node(map, rank) == content.w[2] &&
                         avrm_rankmap_word_checked(map, rank, &word) == AVRM_OK && word == avrm_ave_word(&content) &&
                         avrm_rankmap_ave_checked(map, rank, &ave) == AVRM_OK && ave == place &&
                         avrm_rankmap_gpid_checked(map, rank, &gpid) == AVRM_OK && gpid == expected;
      if (!right) {
        return testing::AssertionFailure() << shape_of(map) << ": rank " << rank << " is not translated to "
                                           << expected.pgid << ':' << expected.lpid;
      }
    }
    std::uint64_t word = 0;
    for (const std::int32_t outside : {-1, size_of(live.table)}) {
      if (avrm_rankmap_word_checked(map, outside, &word) != AVRM_ERR_RANK) {
        return testing::AssertionFailure() << shape_of(map) << ": rank " << outside << " is taken for one";
      }
    }
    return testing::AssertionSuccess();
  }

  [[nodiscard]] testing::AssertionResult translates_in_bulk(const Live &live) {
    // All ranks, or some of them several times, in an order with jumps.
    const std::int32_t size = size_of(live.table);
    const std::int32_t first = input_.below(size);
    const std::int32_t step = input_.below(size);
    Ranks ranks(live.table.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i] = static_cast<std::int32_t>((first + static_cast<std::int64_t>(i) * step) % size);
    }
    std::vector<std::uint64_t> words(ranks.size());
    Table gpids(ranks.size());
    if (avrm_rankmap_words(live.map.get(), ranks.size(), ranks.data(), words.data()) != AVRM_OK ||
        avrm_rankmap_gpids(live.map.get(), ranks.size(), ranks.data(), gpids.data()) != AVRM_OK) {
      return testing::AssertionFailure() << shape_of(live.map.get()) << ": bulk translation is refused";
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const avrm_gpid_t expected = live.table[static_cast<std::size_t>(ranks[i])];
      if (words[i] != avrm_ave_word(&world_.content(expected)) || !(gpids[i] == expected)) {
        return testing::AssertionFailure()
               << shape_of(live.map.get()) << ": rank " << ranks[i] << " is not translated in bulk";
      }
    }
    return testing::AssertionSuccess();
  }

  RandomInput input_;
  RandomWorld world_;
  std::vector<Live> pool_; // after the world, so that it goes before it
  std::uint64_t pairs_;
  std::uint64_t refused_ = 0;
  std::array<std::uint64_t, kModes> maps_by_mode_{};
  std::array<std::uint64_t, kDeepest + 1> maps_by_depth_{};
};

class RankmapProperty : public testing::TestWithParam<std::tuple<Setting, avrm_codec_t>> {};

TEST_P(RankmapProperty, EveryMapAgreesWithItsTwinAtEveryRank) {
  const auto [setting, codec] = GetParam();
  const bool all_modes = !setting.strict && setting.cost != AVRM_COST_SPEED;
  // Not eight times the same maps.
  std::mt19937_64 engine(seed() + (setting.strict ? 6 : 2 * static_cast<unsigned>(setting.cost)) +
                         (codec == AVRM_CODEC_UCX ? 1 : 0));
  std::uint64_t pairs = 0;
  std::uint64_t refused = 0;
  std::array<std::uint64_t, kModes> modes{};
  std::array<std::uint64_t, kDeepest + 1> depths{};
  for (int number = 0; pairs < target(); ++number) {
    Round round(engine, setting, codec);
    round.run();
    if (HasFailure()) {
      FAIL() << "in round " << number << "; AVRM_TEST_SEED=" << seed() << " repeats it";
    }
    pairs += round.pairs();
    refused += round.refused();
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      modes[mode] += round.maps_by_mode()[mode];
    }
    for (std::size_t depth = 0; depth < depths.size(); ++depth) {
      depths[depth] += round.maps_by_depth()[depth];
    }
  }
  std::cout << pairs << " (map, rank) pairs checked, of maps:";
  for (std::size_t mode = 0; mode < modes.size(); ++mode) {
    std::cout << ' ' << modes[mode] << ' ' << avrm_mode_label(static_cast<avrm_mode_t>(mode));
    const avrm_mode_t value = static_cast<avrm_mode_t>(mode);
    const bool plain_table = value == AVRM_MODE_LUT || value == AVRM_MODE_MLUT;
    if (all_modes && plain_table == (setting.cost == AVRM_COST_BYTES) && mode > AVRM_MODE_BLOCKED) {
      continue; // plain tables are seldom the smallest, other forms seldom save a page
    }
    if (mode < kPlainModes || all_modes) {
      const std::uint64_t least = value == AVRM_MODE_LESS ? 10 : 100; // only one operation makes it
      EXPECT_GT(modes[mode], least) << avrm_mode_label(value);
    } else {
      EXPECT_EQ(modes[mode], 0U) << avrm_mode_label(value);
    }
  }
  std::cout << "; by generation:";
  for (const std::uint64_t maps : depths) {
    std::cout << ' ' << maps;
    EXPECT_GT(maps, 10U);
  }
  std::cout << "; refused for duplicates: " << refused << '\n';
  EXPECT_GT(refused, 100U);
  EXPECT_GE(pairs, target());
}

INSTANTIATE_TEST_SUITE_P(All, RankmapProperty,
                         testing::Combine(testing::Values(kStrict, kSpeed, kBalanced, kBytes),
                                          testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX)),
                         [](const auto &param) {
                           const Setting &setting = std::get<0>(param.param);
                           const bool ofi = std::get<1>(param.param) == AVRM_CODEC_OFI;
                           return std::string(setting.name) + (ofi ? "Ofi" : "Ucx");
                         });

} // namespace
} // namespace avrankmap::test
