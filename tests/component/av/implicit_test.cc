// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit address vectors against plain tables of the same elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "avrankmap/hierarchy.h"
#include "tests/component/av/layouts.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class ImplicitAv : public testing::TestWithParam<std::tuple<Layout, Addressing>> {
protected:
  static const Layout &layout() { return std::get<0>(GetParam()); }
  static const Addressing &addressing() { return std::get<1>(GetParam()); }
  static bool has_pattern() { return layout().node_runs != 0 && addressing().word_runs != 0; }

  const Elements elements = elements_of(layout(), addressing());
  const Instance instance;
};

INSTANTIATE_TEST_SUITE_P(All, ImplicitAv,
                         testing::Combine(testing::ValuesIn(kLayouts), testing::ValuesIn(kAddressings)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + std::get<1>(info.param).name;
                         });

TEST_P(ImplicitAv, HoldsEveryElement) {
  for (const std::int32_t at_a_time : {1, 3, 64, 1000}) {
    const AvPtr av = make_implicit_av(instance, 1000);
    set_in_order(av, elements, at_a_time);
    expect_elements(av, elements);
  }
}

TEST_P(ImplicitAv, IsImplicitWhereThereIsAPattern) {
  const AvPtr av = make_implicit_av(instance, 1000);
  set_in_order(av, elements, 100);
  const avrm_av_info_t info = info_of(av);
  EXPECT_EQ(info.kind, has_pattern() ? AVRM_AV_IMPLICIT : AVRM_AV_TABLE);
  EXPECT_EQ(info.size, 1000);
  EXPECT_EQ(info.bytes, avrm_av_bytes(av.get()));
  EXPECT_EQ(av->elements == nullptr, has_pattern());
  if (has_pattern()) {
    EXPECT_EQ(info.filled, 1000);
    EXPECT_EQ(info.word_runs, addressing().word_runs);
    EXPECT_EQ(info.node_runs == layout().node_runs || addressing().element(399, 9).w[2] != 9, true)
        << info.node_runs; // an exception has no node
    EXPECT_LT(info.bytes, 4096U);
  }
}

TEST_P(ImplicitAv, HoldsWhatIsSetWhileItIsFilled) {
  const AvPtr av = make_implicit_av(instance, 1000);
  for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 305U, 306U, 999U}) {
    const Elements part(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(count));
    set_in_order(av, part, 1000);
    expect_elements(av, part);
  }
}

TEST_P(ImplicitAv, LosesNothingWhenThePatternBreaks) {
  for (const std::int32_t where : {0, 1, 2, 499, 998, 999}) {
    const AvPtr av = make_implicit_av(instance, 1000);
    set_in_order(av, elements, 50);
    Elements changed = elements;
    changed[static_cast<std::size_t>(where)] = at_address(123456789, 4242);
    require(avrm_av_set(av.get(), where, &changed[static_cast<std::size_t>(where)]));
    EXPECT_EQ(info_of(av).kind, AVRM_AV_TABLE);
    expect_elements(av, changed);
    // From then on it is a table like any other.
    require(avrm_av_set(av.get(), where, &elements[static_cast<std::size_t>(where)]));
    expect_elements(av, elements);
    EXPECT_EQ(info_of(av).kind, AVRM_AV_TABLE);
  }
}

TEST_P(ImplicitAv, LosesNothingWhenElementsComeOutOfOrder) {
  std::mt19937_64 engine = seeded_engine();
  for (const std::int32_t ordered : {0, 1, 500, 998}) {
    const AvPtr av = make_implicit_av(instance, 1000);
    const Elements part(elements.begin(), elements.begin() + ordered);
    set_in_order(av, part, 10);
    std::vector<std::int32_t> rest;
    for (std::int32_t lpid = ordered; lpid < 1000; ++lpid) {
      rest.push_back(lpid);
    }
    std::shuffle(rest.begin(), rest.end(), engine);
    std::swap(rest.front(), *std::max_element(rest.begin(), rest.end()));
    for (const std::int32_t lpid : rest) {
      require(avrm_av_set(av.get(), lpid, &elements[static_cast<std::size_t>(lpid)]));
    }
    EXPECT_EQ(info_of(av).kind, AVRM_AV_TABLE);
    expect_elements(av, elements);
  }
}

TEST_P(ImplicitAv, StaysAsItIsWhenTheSameIsSetAgain) {
  const AvPtr av = make_implicit_av(instance, 1000);
  set_in_order(av, elements, 77);
  const avrm_av_info_t before = info_of(av);
  set_in_order(av, elements, 1000);
  require(avrm_av_set(av.get(), 500, &elements[500]));
  const avrm_av_info_t after = info_of(av);
  EXPECT_EQ(after.kind, before.kind);
  EXPECT_EQ(after.bytes, before.bytes);
  expect_elements(av, elements);
}

TEST_P(ImplicitAv, MakesItsTableWhenAsked) {
  const AvPtr av = make_implicit_av(instance, 1000);
  set_in_order(av, Elements(elements.begin(), elements.begin() + 600), 100);
  ASSERT_EQ(avrm_av_make_table(av.get()), AVRM_OK);
  ASSERT_EQ(avrm_av_make_table(av.get()), AVRM_OK);
  EXPECT_EQ(info_of(av).kind, AVRM_AV_TABLE);
  expect_elements(av, Elements(elements.begin(), elements.begin() + 600));
  for (std::int32_t lpid = 0; lpid < 600; ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), elements[static_cast<std::size_t>(lpid)]);
  }
}

TEST(ImplicitAvOfUcx, FindsEndpointsInAPool) {
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 500, AVRM_CODEC_UCX);
  Elements elements(500);
  for (std::uint32_t lpid = 0; lpid < 500; ++lpid) {
    require(avrm_ucx_pack(reinterpret_cast<const void *>(0x7f0012345678 + 88 * std::uintptr_t{lpid}), lpid / 8,
                          &elements[lpid]));
  }
  set_in_order(av, elements, 9);
  EXPECT_EQ(info_of(av).word_runs, 1);
  expect_elements(av, elements);
  const avrm_ave_t moved = elements[3];
  require(avrm_av_set(av.get(), 400, &moved));
  elements[400] = moved;
  expect_elements(av, elements);
}

TEST(ImplicitAvOfRandomPieces, HoldsEveryElement) {
  std::mt19937_64 engine = seeded_engine();
  const Instance instance;
  for (int round = 0; round < 60; ++round) {
    Elements elements;
    while (elements.size() < 3000) {
      const std::uint64_t length = 1 + below(engine, 400);
      const std::uint64_t address = below(engine, std::uint64_t{1} << 62);
      const std::uint64_t step = below(engine, 4);
      const auto node = static_cast<std::uint32_t>(below(engine, 3));
      const auto block = static_cast<std::uint32_t>(1 + below(engine, 5));
      const auto period = static_cast<std::uint32_t>(1 + below(engine, 9));
      for (std::uint64_t i = 0; i < length; ++i) {
        elements.push_back(at_address(address + i * step, node + static_cast<std::uint32_t>(i) / block % period));
      }
    }
    const AvPtr av = make_implicit_av(instance, static_cast<std::int32_t>(elements.size()));
    set_in_order(av, elements, static_cast<std::int32_t>(1 + below(engine, 300)));
    expect_elements(av, elements);
  }
}

// Nodes of all processes of two implicit AVs with these node ids.
std::vector<std::int32_t> nodes_of(const std::vector<std::uint32_t> &first, const std::vector<std::uint32_t> &second) {
  const Instance instance;
  std::vector<AvPtr> avs;
  std::vector<avrm_gpid_t> processes;
  for (const std::vector<std::uint32_t> &ids : {first, second}) {
    avs.push_back(make_implicit_av(instance, static_cast<std::int32_t>(ids.size())));
    for (const std::uint32_t id : ids) {
      const auto lpid = static_cast<std::int32_t>(processes.size() - (avs.size() - 1) * first.size());
      avrm_ave_t ave;
      EXPECT_EQ(avrm_ofi_pack(static_cast<std::uint64_t>(lpid), id, &ave), AVRM_OK);
      EXPECT_EQ(avrm_av_set(avs.back().get(), lpid, &ave), AVRM_OK);
      processes.push_back({avs.back()->pgid, lpid});
    }
  }
  avrm_rankmap_t map;
  avrm_hierarchy_t hierarchy;
  const auto size = static_cast<std::int32_t>(processes.size());
  EXPECT_EQ(avrm_rankmap_create_gpids(instance, size, processes.data(), 0, &map), AVRM_OK);
  EXPECT_EQ(avrm_rankmap_bind(&map), AVRM_OK);
  EXPECT_EQ(avrm_hierarchy_create(&map, &hierarchy), AVRM_OK);
  std::vector<std::int32_t> nodes;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    nodes.push_back(avrm_hierarchy_node(&hierarchy, rank));
  }
  avrm_hierarchy_destroy(&hierarchy);
  avrm_rankmap_destroy(&map);
  return nodes;
}

TEST(ImplicitAvOfGreatNodeIds, IdsThatWrapAroundAreNotThoseOfAnotherProcessGroup) {
  EXPECT_EQ(nodes_of({0xffffffff, 0}, {0}), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(nodes_of({0xfffffffe, 0xfffffffe, 0xffffffff, 0xffffffff, 0, 0}, {0, 1}),
            (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 4}));
}

// Every rank of the map of all processes must have the word of the process's element.
void expect_translation(const Instance &instance, const AvPtr &av) {
  avrm_rankmap_t map;
  ASSERT_EQ(avrm_rankmap_create_direct(instance, av->pgid, av->size, &map), AVRM_OK);
  ASSERT_EQ(avrm_rankmap_bind(&map), AVRM_OK);
  for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
    avrm_ave_t ave;
    ASSERT_EQ(avrm_av_get(av.get(), lpid, &ave), AVRM_OK);
    ASSERT_EQ(avrm_rankmap_word(&map, lpid), avrm_ave_word(&ave)) << lpid;
  }
  avrm_rankmap_destroy(&map);
}

TEST(ImplicitAvOfDistantAddresses, TranslatesProcessesThatAreNotSet) {
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 65536);
  for (std::int32_t lpid = 0; lpid < 32768; ++lpid) {
    avrm_ave_t ave;
    ASSERT_EQ(avrm_ofi_pack(static_cast<std::uint64_t>(lpid) << 48, 0, &ave), AVRM_OK);
    ASSERT_EQ(avrm_av_set(av.get(), lpid, &ave), AVRM_OK);
  }
  expect_translation(instance, av);
}

TEST(ImplicitAvOfDistantAddresses, TranslatesPeriodsOfUnconnectedProcesses) {
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 3 * 65536);
  for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
    const auto place = static_cast<std::uint64_t>(lpid % 65536);
    avrm_ave_t ave;
    ASSERT_EQ(place < 32768 ? avrm_ofi_pack(place << 48, 0, &ave)
                            : avrm_ofi_pack_far({AVRM_FAR_UNCONNECTED, 0}, 0, &ave),
              AVRM_OK);
    ASSERT_EQ(avrm_av_set(av.get(), lpid, &ave), AVRM_OK);
  }
  expect_translation(instance, av);
}

TEST(ImplicitAvArguments, AreChecked) {
  const Instance instance;
  avrm_av_options_t options{};
  options.kind = static_cast<avrm_av_kind_t>(2);
  avrm_av_t *av = nullptr;
  EXPECT_EQ(avrm_av_create(instance, 10, &options, &av), AVRM_ERR_OPTION);
  EXPECT_EQ(av, nullptr);
  EXPECT_EQ(avrm_av_make_table(nullptr), AVRM_ERR_NULL);
  avrm_av_info_t info{};
  const AvPtr implicit = make_implicit_av(instance, 10);
  EXPECT_EQ(avrm_av_describe(nullptr, &info), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_describe(implicit.get(), nullptr), AVRM_ERR_NULL);
  const avrm_ave_t ave = at_address(1, 1);
  EXPECT_EQ(avrm_av_set(implicit.get(), 10, &ave), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_av_set_range(implicit.get(), 9, 2, &ave), AVRM_ERR_LPID);
  EXPECT_EQ(info_of(implicit).filled, 0);
  const AvPtr table = make_av(instance, 10);
  EXPECT_EQ(info_of(table).kind, AVRM_AV_TABLE);
  EXPECT_EQ(avrm_av_make_table(table.get()), AVRM_OK);
}

TEST(ImplicitAvArguments, ARangeOfNoElementsChangesNothing) {
  const Instance instance;
  const AvPtr av = make_implicit_av(instance, 10);
  const avrm_ave_t ave = at_address(1, 1);
  require(avrm_av_set(av.get(), 0, &ave));
  for (const std::int32_t first : {0, 1, 5, 10}) {
    EXPECT_EQ(avrm_av_set_range(av.get(), first, 0, &ave), AVRM_OK);
    EXPECT_EQ(info_of(av).kind, AVRM_AV_IMPLICIT) << first;
    EXPECT_EQ(info_of(av).filled, 1) << first;
  }
  EXPECT_EQ(avrm_av_set_range(av.get(), 11, 0, &ave), AVRM_ERR_LPID);
}

TEST(ImplicitAvPages, AreThoseOfTheTable) {
  const Instance instance;
  avrm_av_options_t options{};
  options.kind = AVRM_AV_IMPLICIT;
  options.pages = AVRM_AV_PAGES_TRANSPARENT;
  avrm_av_t *raw = nullptr;
  require(avrm_av_create(instance, 1000, &options, &raw));
  const AvPtr av(raw);
  EXPECT_LT(avrm_av_bytes(raw), 4096U);
  require(avrm_av_make_table(raw));
  EXPECT_GE(avrm_av_bytes(raw), std::uint64_t{2} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raw->elements) % (std::uintptr_t{2} << 20), 0U);
}

// Allocation points: growth of the words, of the nodes, and the table.
TEST(ImplicitAvWithoutMemory, IsAsItWas) {
  for (std::uint64_t point = 0; point < 24; ++point) {
    CountingAllocator memory;
    const Instance instance(&memory);
    const AvPtr av = make_implicit_av(instance, 1000);
    const Elements elements = elements_of(kLayouts[7], kAddressings[3]);
    Elements done;
    memory.refuse_after(point);
    for (std::size_t lpid = 0; lpid < elements.size(); lpid += 10) {
      avrm_status_t status = avrm_av_set_range(av.get(), static_cast<std::int32_t>(lpid), 10, &elements[lpid]);
      if (status != AVRM_OK) {
        ASSERT_EQ(status, AVRM_ERR_NO_MEMORY);
        expect_elements(av, done);
        status = avrm_av_set_range(av.get(), static_cast<std::int32_t>(lpid), 10, &elements[lpid]);
      }
      ASSERT_EQ(status, AVRM_OK);
      done.insert(done.end(), elements.begin() + static_cast<std::ptrdiff_t>(lpid),
                  elements.begin() + static_cast<std::ptrdiff_t>(lpid) + 10);
    }
    const avrm_ave_t odd = at_address(99999, 3);
    const avrm_status_t status = avrm_av_set(av.get(), 700, &odd);
    if (status != AVRM_OK) {
      ASSERT_EQ(status, AVRM_ERR_NO_MEMORY);
      expect_elements(av, elements);
      EXPECT_EQ(info_of(av).kind, AVRM_AV_IMPLICIT);
    } else {
      done[700] = odd;
      expect_elements(av, done);
    }
    if (!memory.refused()) {
      EXPECT_GE(point, 2U) << "fewer allocations than expected";
      memory.refuse_none();
      return;
    }
  }
  FAIL() << "more allocations than expected";
}

// Memory runs out when some runs of the range are there already.
TEST(ImplicitAvWithoutMemory, ForgetsTheBeginningOfARange) {
  Elements elements;
  for (std::uint32_t piece = 0; piece < 20; ++piece) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      elements.push_back(at_address(std::uint64_t{piece} * piece * 100000 + i, piece * piece * 1000));
    }
  }
  int points = 0;
  for (bool refused = true; refused; ++points) {
    CountingAllocator memory;
    const Instance instance(&memory);
    const AvPtr av = make_implicit_av(instance, 1000);
    memory.refuse_after(static_cast<std::uint64_t>(points));
    const avrm_status_t status = avrm_av_set_range(av.get(), 0, 1000, elements.data());
    refused = memory.refused();
    memory.refuse_none();
    EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
    if (refused) {
      EXPECT_EQ(info_of(av).filled, 0);
      expect_elements(av, {});
      // Another beginning than what was forgotten.
      require(avrm_av_set_range(av.get(), 0, 7, elements.data()));
      require(avrm_av_set_range(av.get(), 7, 993, &elements[7]));
    }
    EXPECT_EQ(info_of(av).word_runs, 20);
    EXPECT_EQ(info_of(av).node_runs, 20);
    expect_elements(av, elements);
  }
  EXPECT_EQ(points, 7) << "8, 16 and 32 runs of each sort, and none";
}

// A refused range sets nothing: had it begun otherwise than the range that is set in its place, it
// would leave a block or period that the other does not have.
class ImplicitAvWithoutMemoryForNodes : public testing::Test {
protected:
  // Sets processes on the first nodes, fails to set some on the second ones, and sets the third
  // ones in their place.
  void set(const std::vector<std::uint32_t> &first, const std::vector<std::uint32_t> &refused,
           const std::vector<std::uint32_t> &third) {
    const auto end = static_cast<std::int32_t>(first.size());
    Elements elements;
    const auto append = [&elements](const std::vector<std::uint32_t> &nodes) {
      for (const std::uint32_t node : nodes) {
        elements.push_back(at_address(elements.size(), node));
      }
    };
    append(first);
    set_in_order(av, elements, end);
    Elements scattered; // each takes a run of words
    for (const std::uint32_t node : refused) {
      scattered.push_back(at_address((std::uint64_t{1} << 20) << scattered.size(), node));
    }
    memory.refuse_all(true);
    ASSERT_EQ(avrm_av_set_range(av.get(), end, static_cast<std::int32_t>(refused.size()), scattered.data()),
              AVRM_ERR_NO_MEMORY);
    memory.refuse_all(false);
    expect_elements(av, elements);
    append(third);
    set_in_order(av, elements, static_cast<std::int32_t>(elements.size()));
    expect_elements(av, elements);
    EXPECT_EQ(info_of(av).node_runs, 1);
  }

  CountingAllocator memory;
  const Instance instance{&memory};
  const AvPtr av = make_implicit_av(instance, 100);
};

TEST_F(ImplicitAvWithoutMemoryForNodes, BlockDoesNotEnd) { set({0}, {1, 1, 2, 2}, std::vector<std::uint32_t>(99, 0)); }

TEST_F(ImplicitAvWithoutMemoryForNodes, PeriodDoesNotEnd) { set({0, 1, 2}, {0, 1, 2, 0}, {3, 4, 5, 6, 0, 1, 2, 3}); }

TEST(ImplicitAvAccounting, IsExact) {
  CountingAllocator memory;
  const Instance instance(&memory);
  const auto expect_equal = [&](const char *when) {
    for (const avrm_mem_kind_t kind : {AVRM_MEM_AV, AVRM_MEM_TOTAL}) {
      EXPECT_EQ(instance.usage(kind).live_bytes, memory.usage(kind).live_bytes) << when;
      EXPECT_EQ(instance.usage(kind).live_blocks, memory.usage(kind).live_blocks) << when;
    }
  };
  AvPtr av = make_implicit_av(instance, 1000);
  expect_equal("created");
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, avrm_av_bytes(av.get()));
  const Elements elements = elements_of(kLayouts[7], kAddressings[3]);
  set_in_order(av, elements, 10);
  expect_equal("filled");
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, avrm_av_bytes(av.get()));
  MapPtr map = make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_offset(instance, 0, 9, 400, map_p); });
  require(avrm_rankmap_bind(map.get()));
  expect_equal("bound");
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, avrm_av_bytes(av.get()));
  require(avrm_av_make_table(av.get()));
  expect_equal("table");
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, avrm_av_bytes(av.get()));
  EXPECT_GE(avrm_av_bytes(av.get()), 12U * 1000U);
  av.reset();
  expect_equal("released but held");
  EXPECT_GE(instance.usage(AVRM_MEM_AV).live_bytes, 12U * 1000U);
  map.reset();
  expect_equal("over");
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, 0U);
}

} // namespace
} // namespace avrankmap::test
