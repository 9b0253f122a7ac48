// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The plain `switch` and the division without 128-bit integers, as on other machines, against the
// code of this one.

#include "tests/component/rankmap/code/portable_dispatch.h"

#include <algorithm>
#include <cstdint>

#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using RankmapPortable = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapPortable, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapPortable, WordAgrees) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    ASSERT_EQ(avrm_test_portable_word(map.get(), rank), avrm_rankmap_word(map.get(), rank)) << "rank " << rank;
  }
}

TEST_P(RankmapPortable, AveAgrees) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    ASSERT_EQ(avrm_test_portable_ave(map.get(), rank), avrm_rankmap_ave(map.get(), rank)) << "rank " << rank;
  }
}

TEST_P(RankmapPortable, NodeAgrees) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    ASSERT_EQ(avrm_test_portable_node(map.get(), rank), avrm_rankmap_node(map.get(), rank)) << "rank " << rank;
  }
}

TEST_P(RankmapPortable, GpidAgrees) {
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    ASSERT_EQ(avrm_test_portable_gpid(map.get(), rank), avrm_rankmap_gpid(map.get(), rank)) << "rank " << rank;
  }
}

TEST(RankmapPortableBuild, IsWhatItSays) { EXPECT_EQ(avrm_test_portable_is_portable(), 1); }

TEST(RankmapPortableBlockOf, AgreesWithDivision) {
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 20000; ++round) {
    const auto block = static_cast<std::int32_t>(
        std::min<std::uint64_t>(2 + below(engine, std::uint64_t{1} << below(engine, 32)), kIntMax - 1));
    const std::uint64_t reciprocal = make_blocked(instance, kMaxSize, 0, 1, block)->v.reciprocal;
    const auto random = static_cast<std::int64_t>(below(engine, std::uint64_t{1} << 31));
    const std::int64_t multiple = random / block * block;
    for (const std::int64_t rank : {random, multiple, multiple > 0 ? multiple - 1 : 0, std::int64_t{kIntMax}}) {
      ASSERT_EQ(avrm_test_portable_block_of(rank, reciprocal), rank / block) << rank << " / " << block;
    }
  }
}

} // namespace
} // namespace avrankmap::test
