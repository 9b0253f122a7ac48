// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every call of the component that may run out of memory, with each of its allocations refused in
// turn: a call that fails leaves all bytes as they were, those that the allocator sees and those
// that the objects report. Caches do not count: an inverse that was built stays.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/component/av/further.h"
#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/component/window_table/window_table_twin.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kSize = 300;
constexpr unsigned kAny = AVRM_RANKMAP_UNIQUE;
using Numbers = std::vector<std::int32_t>;

Numbers in_order(std::int32_t count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}
Numbers shuffled(std::int32_t count) {
  std::mt19937_64 engine = seeded_engine();
  Numbers numbers = in_order(count);
  std::shuffle(numbers.begin(), numbers.end(), engine);
  return numbers;
}
std::uint64_t scattered(std::int32_t lpid) { return number(lpid) * 0x9e3779b97f4a7c15 >> 20; }

// One object of every kind, and the place for what a call makes.
class Holdings {
public:
  explicit Holdings(bool interns) {
    const avrm_allocator_t hooks = memory.hooks();
    const avrm_instance_options_t options{&hooks, false, AVRM_COST_BYTES, interns};
    require(avrm_instance_create(&options, &instance));
    table.reset(make_av(instance, kSize).release());
    fill(table.get());
    avrm_av_options_t implicit_options{};
    implicit_options.kind = AVRM_AV_IMPLICIT;
    avrm_av_t *av = nullptr;
    require(avrm_av_create(instance, kSize, &implicit_options, &av));
    implicit.reset(av);
    for (std::int32_t lpid = 0; lpid < kSize / 2; ++lpid) {
      const avrm_ave_t ave = at_address(number(lpid), static_cast<std::uint32_t>(lpid) / 4);
      require(avrm_av_set(av, lpid, &ave));
    }
    world = make_map([&](avrm_rankmap_t *map) { return avrm_rankmap_create_direct(instance, 0, kSize, map); });
    lut = of_lpids(shuffled(kSize));
    Numbers blocks = in_order(kSize);
    std::rotate(blocks.begin(), blocks.begin() + 17, blocks.begin() + 190);
    segments = of_lpids(blocks);
    for (std::int32_t lpid : shuffled(kSize)) {
      gpids.push_back({lpid % 2, lpid});
      keys.push_back(scattered(lpid) % 50);
    }
    mlut = make_map(
        [&](avrm_rankmap_t *map) { return avrm_rankmap_create_gpids(instance, kSize, gpids.data(), kAny, map); });
    require(avrm_group_create(lut.get(), &group));
    require(avrm_group_create(mlut.get(), &mixed));
    require(avrm_hierarchy_create_keys(instance, kSize, keys.data(), &hierarchy));
    require(avrm_directory_create(instance, 1 << 20, &directory));
    parts = random_parts(engine, 200);
    for (std::int32_t rank = 0; rank < 100; ++rank) {
      require(avrm_directory_learn(&directory, rank, &parts[static_cast<std::size_t>(rank)]));
    }
  }
  Holdings(const Holdings &) = delete;
  Holdings &operator=(const Holdings &) = delete;
  ~Holdings() {
    for (avrm_group_t *const some : {group, mixed, new_group}) {
      avrm_group_destroy(some);
    }
    for (avrm_hierarchy_t *const some : {&hierarchy, &new_hierarchy}) {
      avrm_hierarchy_destroy(some);
    }
    for (avrm_directory_t *const some : {&directory, &new_directory}) {
      avrm_directory_destroy(some);
    }
    avrm_rankmap_destroy(&new_map);
    for (MapPtr *const some : {&world, &lut, &segments, &mlut}) {
      some->reset();
    }
    avrm_av_release(new_av);
    table.reset();
    implicit.reset();
    EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
  }

  // Whatever counts bytes.
  [[nodiscard]] std::vector<std::uint64_t> books() const {
    require(avrm_instance_drop_caches(instance));
    std::vector<std::uint64_t> all;
    for (int kind = 0; kind < AVRM_MEM_TOTAL; ++kind) {
      const avrm_mem_usage_t usage = memory.usage(static_cast<avrm_mem_kind_t>(kind));
      avrm_mem_usage_t own{};
      require(avrm_instance_mem_usage(instance, static_cast<avrm_mem_kind_t>(kind), &own));
      all.insert(all.end(), {usage.live_bytes, usage.live_blocks, own.live_bytes, own.live_blocks});
    }
    for (const AvPtr *const av : {&table, &implicit}) {
      avrm_addresses_info_t further{};
      require(avrm_addresses_describe(av->get(), &further));
      all.insert(all.end(), {avrm_av_bytes(av->get()), static_cast<std::uint64_t>(further.count),
                             static_cast<std::uint64_t>(further.plain), further.kept, further.bytes});
    }
    for (const MapPtr *const map : {&world, &lut, &segments, &mlut}) {
      avrm_rankmap_info_t info{};
      require(avrm_rankmap_describe(map->get(), &info));
      all.insert(all.end(), {info.own_bytes, info.table_bytes, info.table_sharers});
    }
    all.insert(all.end(), {avrm_hierarchy_bytes(&hierarchy), avrm_directory_bytes(&directory)});
    return all;
  }

  [[nodiscard]] MapPtr of_lpids(const Numbers &lpids) const {
    return make_map([&](avrm_rankmap_t *map) {
      return avrm_rankmap_create_lpids(instance, 0, static_cast<std::int32_t>(lpids.size()), lpids.data(), kAny, map);
    });
  }

  CountingAllocator memory;
  std::mt19937_64 engine = seeded_engine();
  avrm_instance_t *instance = nullptr;
  AvPtr table;    // all are connected
  AvPtr implicit; // the first half is connected
  MapPtr world;
  MapPtr lut;
  MapPtr segments;
  MapPtr mlut;
  std::vector<avrm_gpid_t> gpids;
  std::vector<std::uint64_t> keys;
  avrm_group_t *group = nullptr;
  avrm_group_t *mixed = nullptr;
  avrm_hierarchy_t hierarchy{};
  avrm_directory_t directory{};
  Parts parts;

  avrm_av_t *new_av = nullptr;
  avrm_rankmap_t new_map{};
  avrm_group_t *new_group = nullptr;
  avrm_hierarchy_t new_hierarchy{};
  avrm_directory_t new_directory{};
};

struct Refusable {
  const char *name;
  avrm_status_t (*call)(Holdings &h);
  void (*prepare)(Holdings &h) = nullptr;
};

avrm_status_t set_words(const AvPtr &av, std::int32_t k, std::int32_t count) {
  std::vector<std::uint64_t> addresses;
  for (std::int32_t lpid = 0; lpid < count; ++lpid) {
    addresses.push_back(scattered(lpid));
  }
  return avrm_addresses_set(av.get(), k, 0, count, addresses.data());
}
avrm_status_t set_elements(const AvPtr &av, std::int32_t first, std::int32_t count) {
  Elements elements;
  for (std::int32_t lpid = first; lpid < first + count; ++lpid) {
    elements.push_back(at_address(scattered(lpid) % 1000000, static_cast<std::uint32_t>(lpid * lpid)));
  }
  return avrm_av_set_range(av.get(), first, count, elements.data());
}
avrm_status_t declare(const AvPtr &av, std::int32_t count) {
  const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 4, 0, 0};
  return avrm_addresses_declare(av.get(), count, &rule);
}
// Words that follow the elements' addresses, so that they move with them.
void follow(const AvPtr &av, std::int32_t words) {
  for (std::int32_t k = 1; k < words; ++k) {
    set_all(av, k, [&](std::int32_t lpid) {
      const std::uint64_t word = word_of_element(av, lpid);
      return word == 0 ? 7 : word - 1 + number(k);
    });
  }
}
template <typename Create> avrm_status_t make_summary(Holdings &h, Create create) {
  avrm_parts_t all{};
  for (std::int32_t rank = 0; rank < 100; ++rank) {
    const avrm_part_t part = create(static_cast<std::uint64_t>(rank));
    avrm_parts_t behind{};
    require(avrm_parts_of(rank, &part, &behind));
    if (rank == 0) {
      all = behind;
    } else {
      require(avrm_parts_append(&all, &behind));
    }
  }
  return avrm_directory_create_summary(h.instance, &all, &h.new_directory);
}

const Refusable kCalls[] = {
    {"avrm_av_create", [](Holdings &h) { return avrm_av_create(h.instance, 10, nullptr, &h.new_av); }},
    {"avrm_av_set_user", [](Holdings &h) { return avrm_av_set_user(h.table.get(), &h, nullptr); }},
    {"avrm_av_set_far_address", [](Holdings &h) { return avrm_av_set_far_address(h.table.get(), 3, 70); }},
    {"avrm_av_set_far_address of another piece",
     [](Holdings &h) { return avrm_av_set_far_address(h.table.get(), 200, 70); },
     [](Holdings &h) { require(avrm_av_set_far_address(h.table.get(), 3, 70)); }},
    {"avrm_av_declare_nodes",
     [](Holdings &h) {
       const avrm_node_run_t runs[] = {{0, 0, 4, 100}, {100, 200, 1, 300}};
       return avrm_av_declare_nodes(h.table.get(), 2, runs);
     }},
    {"avrm_av_make_table", [](Holdings &h) { return avrm_av_make_table(h.implicit.get()); }},
    {"avrm_av_set_range of an implicit AV",
     [](Holdings &h) {
       Elements elements; // so regular that all of them are runs
       for (std::int32_t i = 0; i < 60; ++i) {
         elements.push_back(at_address(number(i) + 1000 * number(i / 8), static_cast<std::uint32_t>(i / 7 * 7)));
       }
       return avrm_av_set_range(h.implicit.get(), kSize / 2, 60, elements.data());
     }},
    {"avrm_av_set_range that needs a table", [](Holdings &h) { return set_elements(h.implicit, 5, 200); }},
    {"avrm_av_set under words that follow", [](Holdings &h) { return set_elements(h.table, 40, 1); },
     [](Holdings &h) { follow(h.table, 6); }},
    {"avrm_av_set_range under words that follow", [](Holdings &h) { return set_elements(h.table, 40, 100); },
     [](Holdings &h) { follow(h.table, 6); }},
    {"avrm_av_set_range of an implicit AV under words", [](Holdings &h) { return set_elements(h.implicit, 40, 200); },
     [](Holdings &h) { follow(h.implicit, 6); }},
    {"avrm_av_set_if under words that follow",
     [](Holdings &h) {
       const avrm_ave_t ave = at_address(12345, 0);
       std::uint64_t found = 0;
       return avrm_av_set_if(h.table.get(), 9, word_of_element(h.table, 9), &ave, &found);
     },
     [](Holdings &h) { follow(h.table, 6); }},

    {"avrm_addresses_declare", [](Holdings &h) { return declare(h.table, 20); }},
    {"avrm_addresses_declare of an implicit AV", [](Holdings &h) { return declare(h.implicit, 200); }},
    {"avrm_addresses_set", [](Holdings &h) { return set_words(h.table, 1, kSize); }},
    {"avrm_addresses_set of a high word", [](Holdings &h) { return set_words(h.table, 777, 20); }},
    {"avrm_addresses_set beside other words", [](Holdings &h) { return set_words(h.table, 30, 200); },
     [](Holdings &h) {
       require(set_words(h.table, 1, 20));
       require(set_words(h.table, 2, 7));
     }},
    {"avrm_addresses_set against a rule", [](Holdings &h) { return set_words(h.table, 60, kSize); },
     [](Holdings &h) { require(declare(h.table, 20)); }},
    {"avrm_addresses_clear", [](Holdings &h) { return avrm_addresses_clear(h.table.get(), 100); },
     [](Holdings &h) { require(declare(h.table, 200)); }},

    {"avrm_rankmap_create_lpids",
     [](Holdings &h) {
       const Numbers lpids = shuffled(200);
       return avrm_rankmap_create_lpids(h.instance, 0, 200, lpids.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_gpids",
     [](Holdings &h) { return avrm_rankmap_create_gpids(h.instance, 200, h.gpids.data(), kAny, &h.new_map); }},
    {"avrm_rankmap_create_gpids that exist",
     [](Holdings &h) { return avrm_rankmap_create_gpids(h.instance, kSize, h.gpids.data(), kAny, &h.new_map); }},
    {"avrm_rankmap_create_function",
     [](Holdings &h) {
       const auto process = [](void *gpids, std::int32_t rank) { return static_cast<avrm_gpid_t *>(gpids)[rank]; };
       return avrm_rankmap_create_function(h.instance, 250, process, h.gpids.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_function of runs",
     [](Holdings &h) {
       const auto process = [](void *, std::int32_t rank) { return avrm_gpid_t{rank / 100, rank}; };
       return avrm_rankmap_create_function(h.instance, 300, process, nullptr, kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_lpids64",
     [](Holdings &h) {
       const Numbers lpids = shuffled(200);
       const std::vector<std::uint64_t> wide(lpids.begin(), lpids.end());
       return avrm_rankmap_create_lpids64(h.instance, 0, 200, wide.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_numbers",
     [](Holdings &h) {
       std::vector<std::uint64_t> numbers;
       for (const avrm_gpid_t gpid : h.gpids) {
         numbers.push_back(number(gpid.pgid) << 32 | number(gpid.lpid));
       }
       return avrm_rankmap_create_numbers(h.instance, 250, numbers.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_runs",
     [](Holdings &h) {
       std::vector<avrm_run_t> runs;
       for (std::int32_t i = 0; i < 20; ++i) {
         runs.push_back({10, 0, 1000 - 20 * i, 1});
       }
       return avrm_rankmap_create_runs(h.instance, 20, runs.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_dup", [](Holdings &h) { return avrm_rankmap_dup(h.mlut.get(), &h.new_map); }},
    {"avrm_rankmap_create_child",
     [](Holdings &h) {
       const Numbers ranks = shuffled(200);
       return avrm_rankmap_create_child(h.lut.get(), 200, ranks.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_child of groups",
     [](Holdings &h) {
       const Numbers ranks = shuffled(200);
       return avrm_rankmap_create_child(h.mlut.get(), 200, ranks.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_child_regular",
     [](Holdings &h) { return avrm_rankmap_create_child_regular(h.mlut.get(), 90, 2, 3, 1, kAny, &h.new_map); }},
    {"avrm_rankmap_create_without",
     [](Holdings &h) {
       const Numbers ranks = {3, 4, 90};
       return avrm_rankmap_create_without(h.segments.get(), 3, ranks.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_without of a rule",
     [](Holdings &h) {
       const Numbers ranks = {3, 4, 90};
       return avrm_rankmap_create_without(h.world.get(), 3, ranks.data(), kAny, &h.new_map);
     }},
    {"avrm_rankmap_create_merged",
     [](Holdings &h) {
       const avrm_rankmap_t *const parents[] = {h.lut.get(), h.mlut.get()};
       Numbers which;
       for (std::int32_t i = 0; i < 100; ++i) {
         which.push_back(i % 2);
       }
       const Numbers ranks = in_order(100);
       return avrm_rankmap_create_merged(2, parents, 100, which.data(), ranks.data(), AVRM_RANKMAP_DEFAULT, &h.new_map);
     }},
    {"avrm_rankmap_create_concat",
     [](Holdings &h) {
       const avrm_rankmap_t *const parents[] = {h.segments.get(), h.mlut.get(), h.lut.get()};
       return avrm_rankmap_create_concat(3, parents, AVRM_RANKMAP_DEFAULT, &h.new_map);
     }},
    {"avrm_rankmap_bind", [](Holdings &h) { return avrm_rankmap_bind(h.mlut.get()); }},
    {"avrm_rankmap_ranks",
     [](Holdings &h) {
       Numbers ranks(h.gpids.size());
       return avrm_rankmap_ranks(h.mlut.get(), h.gpids.size(), h.gpids.data(), ranks.data());
     }},
    {"avrm_rankmap_translate_ranks",
     [](Holdings &h) {
       const Numbers ranks = shuffled(kSize);
       Numbers found(ranks.size());
       return avrm_rankmap_translate_ranks(h.lut.get(), ranks.size(), ranks.data(), h.mlut.get(), found.data());
     }},

    {"avrm_group_create", [](Holdings &h) { return avrm_group_create(h.segments.get(), &h.new_group); }},
    {"avrm_group_create_empty", [](Holdings &h) { return avrm_group_create_empty(h.instance, &h.new_group); }},
    {"avrm_group_create_gpids",
     [](Holdings &h) { return avrm_group_create_gpids(h.instance, 250, h.gpids.data(), &h.new_group); }},
    {"avrm_group_dup", [](Holdings &h) { return avrm_group_dup(h.mixed, &h.new_group); }},
    {"avrm_group_incl",
     [](Holdings &h) {
       const Numbers ranks = shuffled(200);
       return avrm_group_incl(h.mixed, 200, ranks.data(), &h.new_group);
     }},
    {"avrm_group_excl",
     [](Holdings &h) {
       const Numbers ranks = shuffled(100);
       return avrm_group_excl(h.mixed, 100, ranks.data(), &h.new_group);
     }},
    {"avrm_group_range_incl",
     [](Holdings &h) {
       const avrm_range_t ranges[] = {{5, 90, 3}, {200, 100, -2}, {210, 299, 1}};
       return avrm_group_range_incl(h.group, 3, ranges, &h.new_group);
     }},
    {"avrm_group_range_excl",
     [](Holdings &h) {
       const avrm_range_t ranges[] = {{5, 90, 3}, {200, 100, -2}, {210, 299, 1}};
       return avrm_group_range_excl(h.group, 3, ranges, &h.new_group);
     }},
    {"avrm_group_union", [](Holdings &h) { return avrm_group_union(h.group, h.mixed, &h.new_group); }},
    {"avrm_group_intersection", [](Holdings &h) { return avrm_group_intersection(h.group, h.mixed, &h.new_group); }},
    {"avrm_group_difference", [](Holdings &h) { return avrm_group_difference(h.group, h.mixed, &h.new_group); }},
    {"avrm_group_compare",
     [](Holdings &h) {
       avrm_comparison_t comparison{};
       return avrm_group_compare(h.group, h.mixed, &comparison);
     }},
    {"avrm_group_translate_ranks",
     [](Holdings &h) {
       const Numbers ranks = shuffled(kSize);
       Numbers found(ranks.size());
       return avrm_group_translate_ranks(h.group, ranks.size(), ranks.data(), h.mixed, found.data());
     }},

    {"avrm_hierarchy_create", [](Holdings &h) { return avrm_hierarchy_create(h.lut.get(), &h.new_hierarchy); },
     [](Holdings &h) { require(avrm_rankmap_bind(h.lut.get())); }},
    {"avrm_hierarchy_create_keys",
     [](Holdings &h) { return avrm_hierarchy_create_keys(h.instance, 250, h.keys.data(), &h.new_hierarchy); }},
    {"avrm_hierarchy_create_function",
     [](Holdings &h) {
       const auto key = [](void *, avrm_gpid_t process) { return scattered(process.lpid) % 30; };
       return avrm_hierarchy_create_function(h.mlut.get(), key, nullptr, &h.new_hierarchy);
     }},
    {"avrm_hierarchy_create_layout",
     [](Holdings &h) { return avrm_hierarchy_create_layout(h.segments.get(), 100, 4, &h.new_hierarchy); }},
    {"avrm_hierarchy_node_map",
     [](Holdings &h) { return avrm_hierarchy_node_map(&h.hierarchy, 3, h.mlut.get(), &h.new_map); }},
    {"avrm_hierarchy_leaders_map",
     [](Holdings &h) { return avrm_hierarchy_leaders_map(&h.hierarchy, h.mlut.get(), &h.new_map); }},
    {"avrm_hierarchy_dup", [](Holdings &h) { return avrm_hierarchy_dup(&h.hierarchy, &h.new_hierarchy); }},

    {"avrm_directory_create_parts",
     [](Holdings &h) { return avrm_directory_create_parts(h.instance, 200, h.parts.data(), &h.new_directory); }},
    {"avrm_directory_create_summary",
     [](Holdings &h) {
       return make_summary(h, [](std::uint64_t rank) { return avrm_part_t{rank / 50 * 1000, 5, rank % 50 * 8, 1}; });
     }},
    {"avrm_directory_create_summary of irregular sizes",
     [](Holdings &h) {
       return make_summary(h, [](std::uint64_t rank) { return avrm_part_t{rank / 50 * 1000, 5, rank * rank, 1}; });
     }},
    {"avrm_directory_learn", [](Holdings &h) { return avrm_directory_learn(&h.directory, 100, &h.parts[100]); }},
};

class Refusals : public testing::TestWithParam<bool> {};

TEST_P(Refusals, LeaveAllBytesAsTheyWere) {
  int refused = 0;
  for (const Refusable &refusable : kCalls) {
    SCOPED_TRACE(refusable.name);
    Holdings h(GetParam());
    if (refusable.prepare != nullptr) {
      refusable.prepare(h);
    }
    for (std::uint64_t point = 0;; ++point) {
      const std::vector<std::uint64_t> before = h.books();
      h.memory.refuse_after(point);
      const avrm_status_t status = refusable.call(h);
      const bool was_refused = h.memory.refused();
      h.memory.refuse_none();
      if (!was_refused || status == AVRM_OK) {
        ASSERT_EQ(status, AVRM_OK);
        break;
      }
      ++refused;
      ASSERT_EQ(status, AVRM_ERR_NO_MEMORY) << "allocation " << point;
      EXPECT_EQ(h.books(), before) << "allocation " << point;
    }
  }
  EXPECT_GT(refused, 100);
}

INSTANTIATE_TEST_SUITE_P(Instances, Refusals, testing::Bool(),
                         [](const auto &param) { return param.param ? "Interning" : "Plain"; });

} // namespace
} // namespace avrankmap::test
