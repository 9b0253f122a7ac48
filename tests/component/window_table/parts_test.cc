// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Summaries of parts: merged in any order of steps, written, read, and made directories of.
#include <array>
#include <limits>

#include "tests/component/window_table/window_table_twin.h"

namespace avrankmap::test {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes bytes_of(const avrm_parts_t &summary) {
  Bytes bytes(avrm_parts_bytes(&summary));
  require(avrm_parts_write(&summary, bytes.data()));
  return bytes;
}

// The summary of the ranks first .. end - 1, merged at random places, and written and read on the
// way.
avrm_parts_t summary_of(const Parts &parts, std::size_t first, std::size_t end, std::mt19937_64 &engine) {
  avrm_parts_t summary{};
  if (end - first == 1) {
    require(avrm_parts_of(static_cast<std::int32_t>(first), &parts[first], &summary));
    return summary;
  }
  const std::size_t middle = first + 1 + below(engine, end - first - 1);
  summary = summary_of(parts, first, middle, engine);
  const Bytes bytes = bytes_of(summary_of(parts, middle, end, engine));
  avrm_parts_t behind{};
  require(avrm_parts_read(bytes.data(), bytes.size(), &behind));
  require(avrm_parts_append(&summary, &behind));
  return summary;
}

bool is_irregular(const avrm_parts_t &summary, int field) { return summary.runs[field] == 0; }

class PartsSummary : public testing::Test {
protected:
  Instance instance;
  std::mt19937_64 engine = seeded_engine();
};

TEST_F(PartsSummary, RulesHaveOneRunHoweverTheyAreMerged) {
  for (const std::size_t ranks : {1, 2, 3, 5, 33, 1000}) {
    for (int round = 0; round < 20; ++round) {
      Parts parts;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        parts.push_back({~std::uint64_t{0} - 100 + rank * 64, 9, 8000 - rank * 8, 4});
      }
      const avrm_parts_t summary = summary_of(parts, 0, ranks, engine);
      EXPECT_EQ(avrm_parts_bytes(&summary), 24 + 4 * 20U);
      const DirectoryPtr directory = of_summary(instance, summary);
      EXPECT_EQ(avrm_directory_bytes(directory.get()), 0U);
      EXPECT_EQ(avrm_directory_form(directory.get()), ranks > 1 ? AVRM_DIRECTORY_REGULAR : AVRM_DIRECTORY_UNIFORM);
      EXPECT_TRUE(agrees(directory.get(), parts));
    }
  }
}

TEST_F(PartsSummary, ExceptionsTakeAtMostThreeRunsMore) {
  for (int round = 0; round < 100; ++round) {
    Parts parts(1000, {1U << 20, 5, 4096, 8});
    for (int i = 0; i < 20; ++i) {
      parts[below(engine, parts.size())].base = engine();
    }
    const avrm_parts_t summary = summary_of(parts, 0, parts.size(), engine);
    ASSERT_FALSE(is_irregular(summary, 0));
    EXPECT_LE(summary.runs[0], 1 + 3 * 20U);
    const DirectoryPtr directory = of_summary(instance, summary);
    EXPECT_TRUE(agrees(directory.get(), parts));
    EXPECT_LE(avrm_directory_bytes(directory.get()), 320 + 20 * 12U);
  }
}

TEST_F(PartsSummary, RandomPartsAgreeOrAreIrregular) {
  int known = 0;
  int partial = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t ranks = 1 + below(engine, 300);
    const Parts parts = random_parts(engine, ranks);
    const avrm_parts_t summary = summary_of(parts, 0, ranks, engine);
    const DirectoryPtr directory = of_summary(instance, summary);
    bool is_whole = true;
    for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
      is_whole = is_whole && !is_irregular(summary, field);
    }
    (is_whole ? known : partial) += 1;
    EXPECT_LE(avrm_directory_bytes(directory.get()), ranks * sizeof(avrm_part_t));
    if (!is_whole) {
      for (std::size_t rank = 0; rank < ranks; ++rank) { // what is not known yet is learned
        const auto number = static_cast<std::int32_t>(rank);
        avrm_part_t none{};
        ASSERT_FALSE(avrm_directory_find(directory.get(), number, &none));
        const avrm_directory_form_t form = avrm_directory_form(directory.get());
        ASSERT_EQ(avrm_directory_target(directory.get(), number, &none.base, &none.key),
                  form != AVRM_DIRECTORY_RECORDS);
        ASSERT_TRUE(form == AVRM_DIRECTORY_RECORDS || (none.base == parts[rank].base && none.key == parts[rank].key));
        ASSERT_EQ(avrm_directory_learn(directory.get(), number, &parts[rank]), AVRM_OK);
      }
    }
    ASSERT_TRUE(agrees(directory.get(), parts));
  }
  EXPECT_GT(known, 100);
  EXPECT_GT(partial, 100);
}

TEST_F(PartsSummary, RulesOfAnIrregularWindowHoldForItsRecords) {
  Parts parts(300, {0, 5, 4096, 8});
  for (avrm_part_t &part : parts) {
    part.base = engine();
  }
  const avrm_parts_t summary = summary_of(parts, 0, parts.size(), engine);
  EXPECT_TRUE(is_irregular(summary, 0));
  const DirectoryPtr directory = of_summary(instance, summary);
  EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_RECORDS);
  EXPECT_EQ(avrm_directory_size(directory.get(), 9), 4096U);
  EXPECT_EQ(avrm_directory_unit(directory.get(), 9), 8U);
  for (avrm_part_t other : {avrm_part_t{1, 6, 4096, 8}, {1, 5, 4097, 8}, {1, 5, 4096, 9}}) {
    EXPECT_EQ(avrm_directory_learn(directory.get(), 9, &other), AVRM_ERR_MISMATCH);
  }
  EXPECT_EQ(avrm_directory_learn(directory.get(), 9, &parts[9]), AVRM_OK);
}

TEST_F(PartsSummary, IrregularSizesLeaveBaseAndKeyUniform) {
  Parts parts(300, {1000, 5, 0, 8});
  for (avrm_part_t &part : parts) {
    part.size = engine();
  }
  const DirectoryPtr directory = of_summary(instance, summary_of(parts, 0, parts.size(), engine));
  EXPECT_EQ(avrm_directory_form(directory.get()), AVRM_DIRECTORY_UNIFORM);
  EXPECT_EQ(avrm_directory_size(directory.get(), 9), 0U);
  EXPECT_EQ(avrm_directory_unit(directory.get(), 9), 8U);
  EXPECT_EQ(avrm_directory_learn(directory.get(), 9, &parts[9]), AVRM_OK);
  EXPECT_TRUE(knows(directory.get(), 9, parts[9]));
}

// The shapes that a field of a summary has, each with what is known of it.
enum Shape { kSame, kStep, kRuns, kIrregular, kShapes };

std::uint64_t value_of(Shape shape, std::uint64_t rank, std::mt19937_64 &engine) {
  switch (shape) {
  case kSame: return 1000;
  case kStep: return 1000 + rank * 8;
  case kRuns: return rank < 100 ? 1000 : 5000 + rank % 150;
  default: return engine() >> 40;
  }
}

// Each field of each shape: base and key are known if both have runs, each other field if it has,
// and the whole part once it is learned. 256 directories.
TEST_F(PartsSummary, FieldsOfEveryShapeAreKnown) {
  constexpr std::size_t kRanks = 200;
  const int fields = AVRM_PARTS_FIELDS;
  for (int choice = 0; choice < kShapes * kShapes * kShapes * kShapes; ++choice) {
    const Shape shapes[] = {static_cast<Shape>(choice % kShapes), static_cast<Shape>(choice / kShapes % kShapes),
                            static_cast<Shape>(choice / kShapes / kShapes % kShapes),
                            static_cast<Shape>(choice / kShapes / kShapes / kShapes)};
    SCOPED_TRACE(testing::Message() << "shapes " << shapes[0] << shapes[1] << shapes[2] << shapes[3]);
    Parts parts;
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      std::uint64_t values[AVRM_PARTS_FIELDS];
      for (int field = 0; field < fields; ++field) {
        values[field] = value_of(shapes[field], rank, engine);
      }
      parts.push_back({values[0], values[1], values[2], static_cast<std::uint32_t>(values[3])});
    }
    const avrm_parts_t summary = summary_of(parts, 0, kRanks, engine);
    for (int field = 0; field < fields; ++field) {
      ASSERT_EQ(is_irregular(summary, field), shapes[field] == kIrregular);
    }
    const DirectoryPtr directory = of_summary(instance, summary);
    avrm_directory_t *const all = directory.get();
    const bool knows_target = shapes[0] != kIrregular && shapes[1] != kIrregular;
    const bool knows_size = shapes[2] != kIrregular;
    const bool knows_unit = shapes[3] != kIrregular;
    const bool is_rule = shapes[0] < kRuns && shapes[1] == kSame;
    EXPECT_EQ(avrm_directory_form(all), is_rule ? shapes[0] == kSame ? AVRM_DIRECTORY_UNIFORM : AVRM_DIRECTORY_REGULAR
                                        : knows_target ? AVRM_DIRECTORY_TABLES
                                                       : AVRM_DIRECTORY_RECORDS);
    EXPECT_LE(avrm_directory_bytes(all), kRanks * sizeof(avrm_part_t));
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(kRanks); ++rank) {
      const avrm_part_t &part = parts[static_cast<std::size_t>(rank)];
      avrm_part_t found{1, 2, 3, 4};
      ASSERT_EQ(avrm_directory_target(all, rank, &found.base, &found.key), knows_target);
      ASSERT_EQ(found.base, knows_target ? part.base : 1);
      ASSERT_EQ(found.key, knows_target ? part.key : 2);
      ASSERT_EQ(avrm_directory_size(all, rank), knows_size ? part.size : 0);
      ASSERT_EQ(avrm_directory_unit(all, rank), knows_unit ? part.unit : 0);
      ASSERT_EQ(avrm_directory_find(all, rank, &found), knows_target && knows_size && knows_unit);
      // A part that differs in what is known is refused.
      for (int field = 0; field < fields; ++field) {
        avrm_part_t other = part;
        (field == 0 ? other.base : field == 1 ? other.key : other.size) += field < 3 ? 1 : 0;
        other.unit += field == 3 ? 1 : 0;
        if (shapes[field] != kIrregular) {
          ASSERT_EQ(avrm_directory_learn(all, rank, &other), AVRM_ERR_MISMATCH);
        }
      }
      ASSERT_EQ(avrm_directory_learn(all, rank, &part), AVRM_OK);
      ASSERT_TRUE(knows(all, rank, part));
    }
    EXPECT_TRUE(agrees(all, parts));
    EXPECT_EQ(avrm_directory_recognise(all), is_rule && shapes[2] < kRuns && shapes[3] < kRuns);
    EXPECT_TRUE(agrees(all, parts));
    EXPECT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, avrm_directory_bytes(all));
  }
}

TEST_F(PartsSummary, SizesUpToTheLargest) {
  constexpr std::uint32_t kMost = 0x7fffffff;
  avrm_parts_t summary{};
  const avrm_part_t part{1, 2, 3, 4};
  require(avrm_parts_of(0, &part, &summary));
  for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
    summary.run[field][0].step = field == 3 ? 1 : 7;
  }
  summary.count = kMost - 1;
  const Bytes bytes = bytes_of(summary);
  require(avrm_parts_read(bytes.data(), bytes.size(), &summary));
  avrm_parts_t last{};
  const avrm_part_t next{1 + 7 * std::uint64_t{kMost - 1}, 0, 0, 0};
  require(avrm_parts_of(kMost - 1, &next, &last));
  avrm_parts_t beyond = last;
  require(avrm_parts_append(&summary, &last));
  EXPECT_EQ(summary.count, kMost);
  EXPECT_EQ(summary.runs[0], 1U);
  EXPECT_EQ(summary.runs[1], 2U);
  beyond.first = kMost;
  EXPECT_EQ(avrm_parts_append(&summary, &beyond), AVRM_ERR_SIZE);
  const DirectoryPtr directory = of_summary(instance, summary);
  EXPECT_TRUE(knows(directory.get(), 0, part));
  EXPECT_TRUE(knows(directory.get(), kMost - 1, next));
}

TEST_F(PartsSummary, ArgumentsAreChecked) {
  const avrm_part_t part{};
  avrm_parts_t summary{};
  std::array<unsigned char, 200> bytes{};
  EXPECT_EQ(avrm_parts_of(0, nullptr, &summary), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_of(0, &part, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_of(-1, &part, &summary), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_parts_of(std::numeric_limits<std::int32_t>::max(), &part, &summary), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_parts_append(nullptr, &summary), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_append(&summary, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_write(nullptr, bytes.data()), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_write(&summary, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_read(nullptr, 24, &summary), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_read(bytes.data(), 24, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_parts_bytes(nullptr), 0U);
  require(avrm_parts_of(3, &part, &summary));
  avrm_parts_t behind = summary;
  EXPECT_EQ(avrm_parts_append(&summary, &behind), AVRM_ERR_RANGE);
  avrm_directory_t none{};
  EXPECT_EQ(avrm_directory_create_summary(instance, &summary, &none), AVRM_ERR_RANGE);
  summary.first = 0;
  EXPECT_EQ(avrm_directory_create_summary(nullptr, &summary, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_summary(instance, nullptr, &none), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_directory_create_summary(instance, &summary, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(none.instance, nullptr);
}

TEST_F(PartsSummary, TornBytesAreRefused) {
  const Parts parts = random_parts(engine, 40);
  const Bytes bytes = bytes_of(summary_of(parts, 0, parts.size(), engine));
  avrm_parts_t summary{};
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_EQ(avrm_parts_read(bytes.data(), length, &summary), AVRM_ERR_MISMATCH);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes torn = bytes;
    torn[i] ^= static_cast<unsigned char>(1 + below(engine, 255));
    ASSERT_EQ(avrm_parts_read(torn.data(), torn.size(), &summary), AVRM_ERR_MISMATCH);
  }
  EXPECT_EQ(summary.count, 0U);
}

// Written with the right checksum, hence by someone who lies.
TEST_F(PartsSummary, LiesAreRefused) {
  avrm_parts_t sound{};
  const avrm_part_t part{1, 2, 3, 4};
  require(avrm_parts_of(5, &part, &sound));
  sound.count = 10;
  sound.runs[2] = 2;
  sound.run[2][1] = {7, 1, 9};
  const auto read = [](const avrm_parts_t &summary) {
    const Bytes bytes = bytes_of(summary);
    avrm_parts_t out{};
    return avrm_parts_read(bytes.data(), bytes.size(), &out);
  };
  EXPECT_EQ(read(sound), AVRM_OK);
  const auto lie = [&](auto change) {
    avrm_parts_t lying = sound;
    change(lying);
    EXPECT_EQ(read(lying), AVRM_ERR_MISMATCH);
  };
  lie([](avrm_parts_t &s) { s.count = 0; });
  lie([](avrm_parts_t &s) { s.count = 0x7fffffff; });
  lie([](avrm_parts_t &s) { s.first = 6; });
  lie([](avrm_parts_t &s) { s.run[0][0].first = 6; });
  lie([](avrm_parts_t &s) { s.run[2][1].first = 5; });
  lie([](avrm_parts_t &s) { s.run[2][1].first = 15; });
  lie([](avrm_parts_t &s) { s.run[2][1].first = 14; });
  lie([](avrm_parts_t &s) { s.run[2][0].first = 4; });
  lie([](avrm_parts_t &s) { s.run[3][0].value = std::uint64_t{1} << 32; });
  lie([](avrm_parts_t &s) { s.run[3][0].step = std::uint64_t{1} << 31; });
  lie([](avrm_parts_t &s) { s.run[3][0].step = std::uint64_t{0} - 1; });
  lie([](avrm_parts_t &s) { s.run[3][0].step = std::uint64_t{1} << 63; });
}

} // namespace
} // namespace avrankmap::test
