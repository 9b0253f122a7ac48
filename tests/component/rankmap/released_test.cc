// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A bound map keeps its address vectors: all that it and they are asked has the same answer after
// their release, whatever other process groups come and go, and they may still be written.
#include "avrankmap/group.h"
#include "avrankmap/hierarchy.h"
#include "tests/component/rankmap/one_of_each.h"

namespace avrankmap::test {
namespace {

enum class Sort { kTable, kImplicit, kImplicitOnce };

constexpr std::int32_t kProcesses = 1000; // of each group
constexpr std::int32_t kLocal = 4;        // the first ones are on the own node

class RankmapOfReleasedAvs : public testing::TestWithParam<std::tuple<Kind, Sort>> {
protected:
  Instance instance{false, std::get<0>(GetParam()).cost};
  int mark = 0; // its address is each AV's user
  AvPtr avs[3] = {make(), make(), make()};
  MapPtr map = std::get<0>(GetParam()).make(instance);

  void SetUp() override { require(avrm_rankmap_bind(map.get())); }

  // All that can be asked of an AV is there: far and further addresses, and declared nodes in one.
  AvPtr make() {
    avrm_av_options_t options{};
    options.kind = std::get<1>(GetParam()) == Sort::kTable ? AVRM_AV_TABLE : AVRM_AV_IMPLICIT;
    avrm_av_t *av = nullptr;
    require(avrm_av_create(instance, kProcesses, &options, &av));
    AvPtr owner(av);
    fill(av);
    std::vector<std::uint64_t> addresses(kProcesses);
    for (std::int32_t lpid = 0; lpid < kProcesses; ++lpid) {
      addresses[static_cast<std::size_t>(lpid)] = address_of({av->pgid, lpid}) + 5000;
    }
    require(avrm_addresses_set(av, 1, 0, kProcesses, addresses.data()));
    for (std::int32_t lpid = 0; lpid < kLocal && std::get<1>(GetParam()) != Sort::kImplicit; ++lpid) {
      avrm_ave_t ave{};
      require(avrm_ofi_pack_far({AVRM_FAR_LOCAL, static_cast<std::uint32_t>(lpid)}, 0, &ave));
      require(avrm_av_set(av, lpid, &ave)); // an implicit AV makes its table
    }
    require(avrm_av_set_far_address(av, 0, 77));
    require(avrm_av_set_user(av, &mark, nullptr));
    const avrm_node_run_t run{0, 3, 7, 50};
    if (av->pgid == 1) {
      require(avrm_av_declare_nodes(av, 1, &run));
    }
    return owner;
  }

  void release() {
    for (AvPtr &av : avs) {
      const std::int32_t pgid = av->pgid;
      av.reset();
      EXPECT_EQ(avrm_av_find(instance, pgid, &found), AVRM_ERR_PGID_RELEASED);
    }
    for (int i = 0; i < 20; ++i) { // the directory grows, and slots get other owners
      others.push_back(make_av(instance, 1));
    }
    for (std::size_t i = 0; i < others.size(); i += 2) {
      others[i].reset();
    }
  }

  [[nodiscard]] Ranks ranks() const {
    Ranks some;
    for (std::int32_t rank = 0; rank < map->size; rank += 1 + map->size / 300) {
      some.push_back(rank);
    }
    some.push_back(map->size - 1);
    return some;
  }

  std::vector<AvPtr> others;
  avrm_av_t *found = nullptr;
};

using Answers = std::vector<std::uint64_t>;

template <typename T> void add(Answers *answers, T answer) { answers->push_back(static_cast<std::uint64_t>(answer)); }

void ask_av(const avrm_rankmap_t *map, std::int32_t rank, Answers *answers) {
  avrm_av_t *av = nullptr;
  require(avrm_rankmap_av(map, rank, &av));
  const std::int32_t lpid = avrm_rankmap_lpid(map, rank);
  avrm_ave_t ave{};
  require(avrm_av_get(av, lpid, &ave));
  std::uint64_t address = 0;
  add(answers, avrm_av_network_address(av, avrm_ave_word(&ave), &address));
  add(answers, address);
  add(answers, avrm_addresses_get(av, lpid, 1, &address));
  add(answers, address);
  avrm_av_info_t info{};
  require(avrm_av_describe(av, &info));
  for (const std::int64_t answer : {std::int64_t{av->size}, std::int64_t{av->pgid}, std::int64_t{info.kind},
                                    std::int64_t{info.filled}, static_cast<std::int64_t>(info.bytes)}) {
    add(answers, answer);
  }
  add(answers, reinterpret_cast<std::uintptr_t>(avrm_av_user(av)));
  add(answers, avrm_ave_word(&ave));
  add(answers, avrm_ave_node(&ave));
}

void ask_map(const avrm_rankmap_t *map, const Ranks &ranks, Answers *answers) {
  std::vector<std::uint64_t> words(ranks.size());
  std::vector<std::uint32_t> nodes(ranks.size());
  require(avrm_rankmap_words(map, ranks.size(), ranks.data(), words.data()));
  require(avrm_rankmap_nodes(map, ranks.size(), ranks.data(), nodes.data()));
  answers->insert(answers->end(), words.begin(), words.end());
  answers->insert(answers->end(), nodes.begin(), nodes.end());
  for (const std::int32_t rank : ranks) {
    const avrm_ave_t *const ave = avrm_rankmap_ave(map, rank);
    std::int32_t first = 0;
    require(avrm_rankmap_rank(map, avrm_rankmap_gpid(map, rank), &first));
    add(answers, avrm_rankmap_word(map, rank));
    add(answers, avrm_rankmap_node(map, rank));
    add(answers, ave == nullptr ? 0 : avrm_ave_word(ave));
    add(answers, first);
    ask_av(map, rank, answers);
  }
  avrm_rankmap_info_t info{};
  require(avrm_rankmap_describe(map, &info));
  add(answers, info.bound);
  add(answers, info.folded);
}

void ask_hierarchy(const avrm_rankmap_t *map, const Ranks &ranks, Answers *answers) {
  avrm_hierarchy_t hierarchy{};
  require(avrm_hierarchy_create(map, &hierarchy));
  add(answers, avrm_hierarchy_nodes(&hierarchy));
  for (const std::int32_t rank : ranks) {
    add(answers, avrm_hierarchy_node(&hierarchy, rank));
    add(answers, avrm_hierarchy_local(&hierarchy, rank));
  }
  avrm_rankmap_t members{};
  avrm_rankmap_t leaders{};
  require(avrm_hierarchy_node_map(&hierarchy, avrm_hierarchy_node(&hierarchy, ranks.back()), map, &members));
  require(avrm_hierarchy_leaders_map(&hierarchy, map, &leaders));
  add(answers, avrm_rankmap_gpid(&members, members.size - 1).lpid);
  add(answers, avrm_rankmap_gpid(&leaders, leaders.size - 1).lpid);
  avrm_rankmap_destroy(&members);
  avrm_rankmap_destroy(&leaders);
  avrm_hierarchy_destroy(&hierarchy);
}

void ask_group(const avrm_rankmap_t *map, const Ranks &ranks, Answers *answers) {
  avrm_group_t *group = nullptr;
  const avrm_status_t status = avrm_group_create(map, &group);
  add(answers, status);
  if (status == AVRM_OK) {
    Ranks same(ranks.size());
    require(avrm_group_translate_ranks(group, ranks.size(), ranks.data(), group, same.data()));
    EXPECT_EQ(same, ranks);
    avrm_group_destroy(group);
  }
}

Answers answers_of(const avrm_rankmap_t *map, const Ranks &ranks) {
  Answers answers;
  ask_map(map, ranks, &answers);
  ask_hierarchy(map, ranks, &answers);
  ask_group(map, ranks, &answers);
  EXPECT_TRUE(avrm_rankmap_validate(map, nullptr));
  return answers;
}

TEST_P(RankmapOfReleasedAvs, AnswersAsBefore) {
  const Answers before = answers_of(map.get(), ranks());
  release();
  EXPECT_EQ(answers_of(map.get(), ranks()), before);
}

TEST_P(RankmapOfReleasedAvs, IsConnectedToPeersLater) {
  release();
  const std::int32_t rank = map->size - 1;
  const std::int32_t lpid = avrm_rankmap_lpid(map.get(), rank);
  avrm_av_t *av = nullptr;
  require(avrm_rankmap_av(map.get(), rank, &av));
  avrm_ave_t ave{};
  require(avrm_ofi_pack(123456789, 99, &ave));
  require(avrm_av_set(av, lpid, &ave));
  EXPECT_EQ(avrm_rankmap_word(map.get(), rank), avrm_ave_word(&ave));
  EXPECT_EQ(avrm_rankmap_node(map.get(), rank), 99U);
  const std::uint64_t further = 4711;
  std::uint64_t address = 0;
  require(avrm_addresses_set(av, 2, lpid, 1, &further));
  require(avrm_addresses_get(av, lpid, 2, &address));
  EXPECT_EQ(address, further);
  require(avrm_av_make_table(av));
  EXPECT_EQ(avrm_rankmap_word(map.get(), rank), avrm_ave_word(&ave));
}

std::string name_of(const testing::TestParamInfo<std::tuple<Kind, Sort>> &info) {
  constexpr const char *kSorts[] = {"Table", "Implicit", "ImplicitOnce"};
  return std::string(std::get<0>(info.param).name) + kSorts[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(All, RankmapOfReleasedAvs,
                         testing::Combine(testing::ValuesIn(kKinds),
                                          testing::Values(Sort::kTable, Sort::kImplicit, Sort::kImplicitOnce)),
                         name_of);

} // namespace
} // namespace avrankmap::test
