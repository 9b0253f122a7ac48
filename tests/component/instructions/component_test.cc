// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of the component's inline queries but translation, by single-stepping. A diagnosis:
// the counts are those of the compilers whose code was looked at, with two to spare. Translation is
// in translation_test.cc.
#include "bench/counters/single_step.h"
#include "tests/component/av/further.h"
#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/component/instructions/probes.h"
#include "tests/component/window_table/window_table_twin.h"
#include "tests/support/counted.h"

extern "C" {
int avrm_test_count_network(uint64_t /*address*/) { return 4242; }
int avrm_test_count_local(uint32_t local_rank) { return static_cast<int>(local_rank); }
}

namespace avrankmap::test {

namespace {

using counters::InstructionKind;
using counters::Result;
using counters::StepCount;

// One of each form that is counted.
struct Objects {
  Objects() {
    for (const AvPtr &av : {std::cref(after_first), std::cref(by_lpid), std::cref(irregular)}) {
      connect(av, number);
    }
    const avrm_addresses_rule_t after{AVRM_ADDRESSES_AFTER_FIRST, 4, 16, 1000};
    require(avrm_addresses_declare(after_first.get(), 8, &after));
    require(avrm_addresses_declare(irregular.get(), 8, &after));
    set_one(irregular, 77, 3, 99);
    const avrm_addresses_rule_t by{AVRM_ADDRESSES_BY_LPID, 4, 16, 1000};
    require(avrm_addresses_declare(by_lpid.get(), 8, &by));
    require(avrm_directory_learn(records.get(), 42, &part));
  }

  Instance instance;
  AvPtr after_first = make_av(instance, 100);
  AvPtr by_lpid = make_av(instance, 100);
  AvPtr irregular = make_av(instance, 100);

  avrm_part_t part{1000, 77, 4096, 8};
  DirectoryPtr uniform = of_rule(instance, 100, part, {});
  DirectoryPtr regular = of_rule(instance, 100, part, {64, 0, 0, 0});
  DirectoryPtr records = of_nothing(instance, 100);

  // Rank 16 is the third of node 4's first block, of which each node has three.
  HierarchyPtr planes = of_layout(make_offset(instance, 118, 2), 10, 4);
};

std::uint64_t network_word(avrm_codec_t codec) {
  avrm_ave_t ave{};
  require(avrm_ave_pack(codec, 4242, 0, &ave));
  return avrm_ave_word(&ave);
}
std::uint64_t local_word(avrm_codec_t codec) {
  avrm_ave_t ave{};
  require(avrm_ave_pack_far(codec, {AVRM_FAR_LOCAL, 7}, 0, &ave));
  return avrm_ave_word(&ave);
}

// Counts a call that must return `value`.
template <typename Value, typename... Parameters, typename... Arguments>
Result<StepCount> count(Value value, Value (*probe)(Parameters...), Arguments... arguments) {
  EXPECT_EQ(probe(arguments...), value);
  return counters::count_call(probe, [=] { (void)probe(arguments...); });
}
Result<StepCount> count_target(const avrm_test_target_t &value, const DirectoryPtr &directory) {
  const avrm_test_target_t found = avrm_test_count_target(directory.get(), 42);
  EXPECT_EQ(found.base, value.base);
  EXPECT_EQ(found.key, value.key);
  return counters::count_call(avrm_test_count_target, [&] { (void)avrm_test_count_target(directory.get(), 42); });
}
// Up to the function that gets the address or the local rank.
template <typename Function>
Result<StepCount> count_send(int value, int (*send)(std::uint64_t), std::uint64_t word, Function *end) {
  EXPECT_EQ(send(word), value);
  counters::StepOptions options;
  options.stop_at = reinterpret_cast<const void *>(end);
  return counters::count_call(
      send, [=] { (void)send(word); }, options);
}

constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::uint64_t kSpare = 2;

// Counts by gcc 12 and clang 14.
struct Row {
  const char *name;
  std::uint64_t gcc;
  std::uint64_t clang;
  Result<StepCount> (*count)(const Objects &);
  bool may_call = false;
};
std::ostream &operator<<(std::ostream &out, const Row &row) { return out << row.name; }

const Row kRows[] = {
    // The word itself is 1.
    {"AddressZero", 6, 6,
     [](const Objects &o) {
       return count(std::uint64_t{78}, avrm_test_count_further, o.by_lpid.get(), 77, std::uint64_t{78}, std::size_t{0});
     }},
    {"AddressAfterTheFirst", 6, 6,
     [](const Objects &o) {
       return count(std::uint64_t{78 + 12}, avrm_test_count_further, o.after_first.get(), 77, std::uint64_t{78},
                    std::size_t{3});
     }},
    {"AddressByLpid", 10, 12,
     [](const Objects &o) {
       return count(std::uint64_t{1000 + 16 * 77 + 12 + 1}, avrm_test_count_further, o.by_lpid.get(), 77,
                    std::uint64_t{78}, std::size_t{3});
     }},
    {"AddressOfATable", kAny, kAny,
     [](const Objects &o) {
       return count(std::uint64_t{100}, avrm_test_count_further, o.irregular.get(), 77, std::uint64_t{78},
                    std::size_t{3});
     },
     true},
    {"OfiNetwork", 5, 5,
     [](const Objects & /*o*/) {
       return count_send(4242, avrm_test_count_ofi_send, network_word(AVRM_CODEC_OFI), avrm_test_count_network);
     }},
    {"OfiLocalRank", 8, 8,
     [](const Objects & /*o*/) {
       return count_send(7, avrm_test_count_ofi_send, local_word(AVRM_CODEC_OFI), avrm_test_count_local);
     }},
    {"UcxNetwork", 6, 6,
     [](const Objects & /*o*/) {
       return count_send(4242, avrm_test_count_ucx_send, network_word(AVRM_CODEC_UCX), avrm_test_count_network);
     }},
    {"UcxLocalRank", 10, 10,
     [](const Objects & /*o*/) {
       return count_send(7, avrm_test_count_ucx_send, local_word(AVRM_CODEC_UCX), avrm_test_count_local);
     }},
    {"PartUniform", 5, 10,
     [](const Objects &o) {
       return count_target({1000, 77}, o.uniform);
     }},
    {"PartRegular", 9, 9,
     [](const Objects &o) {
       return count_target({1000 + 42 * 64, 77}, o.regular);
     }},
    {"PartRecord", 18, 22,
     [](const Objects &o) {
       return count_target({1000, 77}, o.records);
     }},
    {"Node", 8, 8, [](const Objects &o) { return count(4, avrm_test_count_hierarchy_node, o.planes.get(), 16); }},
    {"LocalRank", 24, 22,
     [](const Objects &o) { return count(2, avrm_test_count_hierarchy_local, o.planes.get(), 16); }},
    {"LocalRankOnItsNode", 27, 25,
     [](const Objects &o) { return count(2, avrm_test_count_hierarchy_local_on, o.planes.get(), 4, 16); }},
    {"LocalRankOnAnotherNode", 17, 14,
     [](const Objects &o) { return count(AVRM_UNDEFINED, avrm_test_count_hierarchy_local_on, o.planes.get(), 4, 19); }},
    {"NodeSize", 17, 18,
     [](const Objects &o) { return count(12, avrm_test_count_hierarchy_node_size, o.planes.get(), 4); }},
    {"RankOfALocalRank", 19, 19,
     [](const Objects &o) { return count(16, avrm_test_count_hierarchy_rank, o.planes.get(), 4, 2); }},
    {"Leader", 8, 7, [](const Objects &o) { return count(14, avrm_test_count_hierarchy_leader, o.planes.get(), 4); }},
};

class Instructions : public testing::TestWithParam<Row> {};

TEST_P(Instructions, AreAsPinnedWithoutCallDivisionOrLock) {
  const Row &row = GetParam();
  const Objects objects;
  const Result<StepCount> counted = row.count(objects);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->count(InstructionKind::divide), 0U) << counted->listing();
  EXPECT_EQ(counted->count(InstructionKind::syscall), 0U) << counted->listing();
  EXPECT_EQ(counted->locked(), 0U) << counted->listing();
  if (!row.may_call) {
    EXPECT_EQ(counted->count(InstructionKind::call), 0U) << counted->listing();
  }
#if defined(__clang__)
  const std::uint64_t pinned = __clang_major__ == 14 ? row.clang : kAny;
#else
  const std::uint64_t pinned = __GNUC__ == 12 ? row.gcc : kAny;
#endif
  if (pinned != kAny) {
    EXPECT_LE(counted->instructions, pinned + kSpare) << counted->listing();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Instructions, testing::ValuesIn(kRows),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

} // namespace avrankmap::test
