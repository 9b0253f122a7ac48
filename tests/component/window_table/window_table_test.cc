// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Directories whose parts follow rules, and records of those that were learned.
#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "tests/component/window_table/window_table_twin.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kMaxRanks = std::numeric_limits<std::int32_t>::max();

class Directory : public testing::Test {
protected:
  Instance instance;
};

avrm_part_t part_of(const avrm_part_t &first, const avrm_part_t &step, std::int32_t rank) {
  const auto times = static_cast<std::uint64_t>(rank);
  return {first.base + times * step.base, first.key + times * step.key, first.size + times * step.size,
          first.unit + static_cast<std::uint32_t>(rank) * step.unit};
}

TEST_F(Directory, RulesOfEachFieldKeepNothing) {
  constexpr std::uint64_t kTop = ~std::uint64_t{0};
  const avrm_part_t first{kTop - 5, 0, 4096, 8};
  for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << 40, kTop}) {
    for (const std::uint64_t key : {0, 3}) {
      for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{64}, kTop - 7}) {
        for (const std::uint32_t unit : {0U, 1U, ~0U}) {
          const avrm_part_t step{base, key, size, unit};
          for (const std::int32_t ranks : {1, 10, kMaxRanks}) {
            const DirectoryPtr directory = of_rule(instance, ranks, first, step);
            EXPECT_EQ(avrm_directory_bytes(directory.get()), 0U);
            EXPECT_EQ(avrm_directory_ranks(directory.get()), ranks);
            EXPECT_EQ(avrm_directory_form(directory.get()), key != 0    ? AVRM_DIRECTORY_TABLES
                                                            : base != 0 ? AVRM_DIRECTORY_REGULAR
                                                                        : AVRM_DIRECTORY_UNIFORM);
            for (const std::int32_t rank : {0, ranks / 2, ranks - 1}) {
              EXPECT_TRUE(knows(directory.get(), rank, part_of(first, step, rank)));
            }
          }
        }
      }
    }
  }
}

TEST_F(Directory, WithoutAStepAllPartsAreAlike) {
  const avrm_part_t all{7, 8, 9, 1};
  const DirectoryPtr directory = make_directory([&](avrm_directory_t *directory_p) {
    return avrm_directory_create_regular(instance, 5, &all, nullptr, directory_p);
  });
  EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_UNIFORM);
  EXPECT_TRUE(knows(directory.get(), 4, all));
}

TEST_F(Directory, NothingIsKnownAtFirst) {
  const DirectoryPtr directory = of_nothing(instance, kMaxRanks);
  EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_RECORDS);
  EXPECT_EQ(avrm_directory_bytes(directory.get()), 0U);
  for (const std::int32_t rank : {0, 1, kMaxRanks - 1}) {
    EXPECT_TRUE(ignores(directory.get(), rank));
  }
}

TEST_F(Directory, BaseAndKeyMayBeZero) {
  const avrm_part_t zero{};
  const DirectoryPtr directory = of_nothing(instance, 3);
  require(avrm_directory_learn(directory.get(), 0, &zero));
  EXPECT_TRUE(knows(directory.get(), 0, {0, 0, 0, 0}));
  EXPECT_TRUE(ignores(directory.get(), 1));
}

TEST_F(Directory, LearningTheSameAgainDoesNothing) {
  const avrm_part_t part{10, 20, 30, 4};
  const DirectoryPtr records = of_nothing(instance, 10);
  require(avrm_directory_learn(records.get(), 3, &part));
  const DirectoryPtr rule = of_rule(instance, 10, part, {});
  for (const DirectoryPtr *directory : {&records, &rule}) {
    const std::uint64_t bytes = avrm_directory_bytes(directory->get());
    EXPECT_EQ(avrm_directory_learn(directory->get(), 3, &part), AVRM_OK);
    for (avrm_part_t other : {avrm_part_t{11, 20, 30, 4}, {10, 21, 30, 4}, {10, 20, 31, 4}, {10, 20, 30, 5}}) {
      EXPECT_EQ(avrm_directory_learn(directory->get(), 3, &other), AVRM_ERR_MISMATCH);
    }
    EXPECT_TRUE(knows(directory->get(), 3, part));
    EXPECT_EQ(avrm_directory_bytes(directory->get()), bytes);
  }
}

TEST_F(Directory, ArgumentsAreChecked) {
  const avrm_part_t part{};
  avrm_directory_t none{};
  EXPECT_EQ(avrm_directory_create(nullptr, 1, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create(instance, 1, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create(instance, -1, &none), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_directory_create_regular(nullptr, 1, &part, nullptr, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_regular(instance, 1, nullptr, nullptr, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_regular(instance, 1, &part, nullptr, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_regular(instance, -1, &part, nullptr, &none), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_directory_learn(nullptr, 0, &part), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_learn(&none, 0, &part), AVRM_ERR_NULL);
  EXPECT_EQ(none.instance, nullptr);
  avrm_directory_destroy(nullptr);
  avrm_directory_destroy(&none);
  EXPECT_EQ(avrm_directory_bytes(nullptr), 0U);
  const DirectoryPtr directory = of_nothing(instance, 5);
  EXPECT_EQ(avrm_directory_learn(directory.get(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_learn(directory.get(), -1, &part), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_directory_learn(directory.get(), 5, &part), AVRM_ERR_RANK);
  const DirectoryPtr empty = of_nothing(instance, 0);
  EXPECT_EQ(avrm_directory_ranks(empty.get()), 0);
  EXPECT_EQ(avrm_directory_learn(empty.get(), 0, &part), AVRM_ERR_RANK);
}

// Learns random ranks of a random number, and asks for them and for others, as long as there are
// checks left.
TEST_F(Directory, RecordsAgreeWithAPlainTable) {
  std::mt19937_64 engine = seeded_engine();
  for (std::int64_t left = twin_checks(); left > 0;) {
    const auto ranks = static_cast<std::int32_t>(1 + below(engine, below(engine, 2) == 0 ? 300 : kMaxRanks));
    const std::uint64_t stride = std::uint64_t{1} << below(engine, 20);
    const std::uint64_t targets = 1 + below(engine, below(engine, 8) == 0 ? 20000 : 300);
    const std::uint64_t sizes = 1 + below(engine, 3);
    const std::uint64_t units = 1 + below(engine, 3);
    const DirectoryPtr directory = of_nothing(instance, ranks);
    std::unordered_map<std::int32_t, avrm_part_t> twin;
    const auto check = [&](std::int32_t rank) {
      const auto known = twin.find(rank);
      ASSERT_TRUE(known == twin.end() ? ignores(directory.get(), rank) : knows(directory.get(), rank, known->second));
      left -= 4;
    };
    for (std::uint64_t i = 0; i < targets; ++i) {
      const auto rank = static_cast<std::int32_t>((below(engine, 4) == 0 ? engine() : i * stride) %
                                                  static_cast<std::uint64_t>(ranks));
      const avrm_part_t part{engine(), engine(), below(engine, sizes),
                             static_cast<std::uint32_t>(below(engine, units))};
      const avrm_status_t expected = twin.emplace(rank, part).second ? AVRM_OK : AVRM_ERR_MISMATCH;
      ASSERT_EQ(avrm_directory_learn(directory.get(), rank, &part), expected);
      check(rank);
      check(static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(ranks)));
    }
    for (const auto &[rank, part] : twin) {
      check(rank);
    }
    EXPECT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, avrm_directory_bytes(directory.get()));
  }
}

// Learns all of these parts, in random order, and looks for rules each time.
DirectoryPtr learn_all(const Instance &instance, const Parts &parts, std::mt19937_64 &engine) {
  DirectoryPtr directory = of_nothing(instance, static_cast<std::int32_t>(parts.size()));
  std::vector<std::int32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), engine);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int32_t rank = order[i];
    require(avrm_directory_learn(directory.get(), rank, &parts[static_cast<std::size_t>(rank)]));
    if (i + 1 < order.size()) {
      EXPECT_FALSE(avrm_directory_recognise(directory.get()));
      EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_RECORDS);
    }
  }
  return directory;
}

TEST_F(Directory, RulesAreRecognisedOnceAllPartsAreKnown) {
  std::mt19937_64 engine = seeded_engine();
  const avrm_part_t first{~std::uint64_t{0} - 99, 7, 4096, 8};
  for (const avrm_part_t &step :
       {avrm_part_t{}, {64, 0, 0, 0}, {0, 0, ~std::uint64_t{0}, 3}, {~std::uint64_t{0}, 0, 5, 0}}) {
    for (const std::int32_t ranks : {1, 2, 3, 100}) {
      Parts parts;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        parts.push_back(part_of(first, step, rank));
      }
      const DirectoryPtr directory = learn_all(instance, parts, engine);
      EXPECT_TRUE(avrm_directory_recognise(directory.get()));
      EXPECT_TRUE(avrm_directory_recognise(directory.get()));
      EXPECT_EQ(avrm_directory_form(directory.get()),
                step.base != 0 && ranks > 1 ? AVRM_DIRECTORY_REGULAR : AVRM_DIRECTORY_UNIFORM);
      EXPECT_TRUE(agrees(directory.get(), parts));
      EXPECT_EQ(avrm_directory_bytes(directory.get()), 0U);
      EXPECT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, 0U);
    }
  }
}

TEST_F(Directory, NothingIsRecognisedWhereOnePartDiffers) {
  std::mt19937_64 engine = seeded_engine();
  for (const avrm_part_t &other : {avrm_part_t{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}) {
    for (const std::size_t rank : {0, 1, 2, 50, 99}) {
      Parts parts(100, {10, 20, 30, 4});
      parts[rank] = {10 + other.base, 20 + other.key, 30 + other.size, 4 + other.unit};
      const DirectoryPtr directory = learn_all(instance, parts, engine);
      EXPECT_FALSE(avrm_directory_recognise(directory.get()));
      EXPECT_TRUE(agrees(directory.get(), parts));
    }
  }
  EXPECT_FALSE(avrm_directory_recognise(nullptr));
  EXPECT_FALSE(avrm_directory_recognise(of_nothing(instance, 0).get()));
}

// What differs among the parts.
struct Varied {
  const char *name;
  std::uint64_t sizes; // number of different ones
  std::uint64_t units;
  std::uint64_t most; // bytes per target
};

class DirectoryBytes : public testing::TestWithParam<Varied> {};

TEST_P(DirectoryBytes, AreFewPerTarget) {
  const Varied &varied = GetParam();
  const Instance instance;
  std::mt19937_64 engine = seeded_engine();
  const DirectoryPtr directory = of_nothing(instance, kMaxRanks);
  std::uint64_t count = 0;
  while (count < 20000) {
    const avrm_part_t part{engine(), engine(), below(engine, varied.sizes),
                           static_cast<std::uint32_t>(below(engine, varied.units))};
    const auto rank = static_cast<std::int32_t>(below(engine, kMaxRanks));
    count += avrm_directory_learn(directory.get(), rank, &part) == AVRM_OK ? 1 : 0;
    if (count >= 100) {
      ASSERT_LE(avrm_directory_bytes(directory.get()), varied.most * count) << count << " targets";
    }
  }
}

// Sizes and units that begin to differ at any time, narrow units before wide ones.
TEST_F(Directory, FieldsThatDifferLateCostLittleMore) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 300; ++round) {
    const DirectoryPtr directory = of_nothing(instance, kMaxRanks);
    const std::uint64_t sizes_from = below(engine, 2) == 0 ? below(engine, 8) : below(engine, 400);
    const std::uint64_t units_from = below(engine, 2) == 0 ? sizes_from + below(engine, 3) : below(engine, 400);
    const std::uint64_t wide_from = units_from + below(engine, 4);
    for (std::uint64_t count = 0; count < 600;) {
      const std::uint64_t size = count < sizes_from ? 1 : engine();
      const std::uint64_t unit = count < units_from ? 1 : count < wide_from ? below(engine, 1U << 16) : engine() >> 32;
      const avrm_part_t part{engine(), engine(), size, static_cast<std::uint32_t>(unit)};
      const auto rank = static_cast<std::int32_t>(below(engine, kMaxRanks));
      count += avrm_directory_learn(directory.get(), rank, &part) == AVRM_OK ? 1 : 0;
      ASSERT_LE(avrm_directory_bytes(directory.get()), 43 * count + 1600) << count << " targets";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, DirectoryBytes,
                         testing::Values(Varied{"SameSizeAndUnit", 1, 1, 40}, Varied{"Sizes", 1U << 30, 1, 40},
                                         Varied{"Units", 1, 1U << 16, 41},
                                         Varied{"SizesAndUnits", 1U << 30, 1U << 16, 41},
                                         Varied{"SizesAndWideUnits", 1U << 30, 1U << 31, 43}),
                         [](const testing::TestParamInfo<Varied> &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
