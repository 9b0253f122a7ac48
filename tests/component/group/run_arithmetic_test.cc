// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Intersections of arithmetic sequences, compared with a look at every element.
#include "group/run_arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/component/group/sequences.h"
#include "tests/support/seed.h"

namespace avrankmap::detail {
namespace {

using test::below;
using test::Sequence;

std::vector<std::int64_t> found(const Sequence &run, const Sequence &other) {
  const RunIndices places = common_indices(run, other);
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < places.count; ++i) {
    list.push_back(places.first + i * places.step);
  }
  return list;
}

std::vector<std::int64_t> looked_for(const Sequence &run, const Sequence &other) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < run.count; ++i) {
    for (std::int64_t j = 0; j < other.count; ++j) {
      if (run.pgid == other.pgid && run.offset + i * run.stride == other.offset + j * other.stride) {
        list.push_back(i);
      }
    }
  }
  return list;
}

TEST(Meeting, EveryPairOfSmallRunsMeetsWhereItShould) {
  constexpr std::int32_t kOffset = 100;
  for (std::int32_t stride = -7; stride <= 7; ++stride) {
    for (std::int32_t other_stride = -7; other_stride <= 7; ++other_stride) {
      for (std::int32_t shift = -20; stride != 0 && other_stride != 0 && shift <= 20; ++shift) {
        for (const std::int32_t count : {1, 2, 5, 12}) {
          for (const std::int32_t other_count : {1, 2, 9}) {
            const Sequence run{0, kOffset, stride, count};
            const Sequence other{0, kOffset + shift, other_stride, other_count};
            ASSERT_EQ(found(run, other), looked_for(run, other))
                << stride << '*' << count << " and " << shift << '+' << other_stride << '*' << other_count;
          }
        }
      }
    }
  }
}

TEST(RowsWithout, EveryRestOfASmallRunIsThatOfALookAtEveryElement) {
  int found_rows = 0;
  for (std::int32_t stride = -3; stride <= 3; ++stride) {
    for (std::int32_t grid = -15; stride != 0 && grid <= 15; ++grid) {
      for (std::int32_t first = -2; grid != 0 && first <= 20; ++first) {
        for (std::int32_t count = 1; count <= 9; ++count) {
          const Sequence run{0, 100, stride, 20};
          const Sequence other{0, 100 + first * stride, grid, count};
          const std::optional<Cart> rows = rows_without(run, other);
          if (!rows) {
            continue;
          }
          ++found_rows;
          std::vector<std::int64_t> rest;
          const std::vector<std::int64_t> met = looked_for(run, other);
          for (std::int64_t i = 0; i < run.count; ++i) {
            if (std::find(met.begin(), met.end(), i) == met.end()) {
              rest.push_back(run.at(i));
            }
          }
          ASSERT_EQ(rows->size, static_cast<std::int32_t>(rest.size()));
          for (std::int32_t rank = 0; rank < rows->size; ++rank) {
            ASSERT_EQ(rows->at(rank), rest[static_cast<std::size_t>(rank)])
                << stride << " without " << first << '+' << grid << '*' << count;
          }
        }
      }
    }
  }
  EXPECT_GT(found_rows, 100);
}

TEST(Meeting, RunsOfTwoProcessGroupsDoNotMeet) {
  EXPECT_EQ(common_indices(Sequence{0, 0, 1, 10}, Sequence{1, 0, 1, 10}).count, 0);
}

TEST(Meeting, LongestRunsMeetWithoutOverflow) {
  const Sequence up{0, 0, 1, 0x7fffffff};
  const Sequence down{0, 0x7ffffffe, -1, 0x7fffffff};
  const RunIndices places = common_indices(up, down);
  EXPECT_EQ(places.first, 0);
  EXPECT_EQ(places.step, 1);
  EXPECT_EQ(places.count, 0x7fffffff);
}

TEST(Meeting, LongestStridesMeetWithoutOverflow) {
  const Sequence a{0, 0, 0x7ffffffe, 2};
  const Sequence b{0, 0x7ffffffe, -0x7ffffffd, 2};
  EXPECT_EQ(found(a, b), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(found(b, a), (std::vector<std::int64_t>{0}));
}

TEST(Meeting, RandomLongRunsMeetWhereTheyShould) {
  std::mt19937_64 engine = test::seeded_engine();
  const auto random_run = [&engine] {
    const auto stride = static_cast<std::int64_t>(1 + below(engine, 50000));
    const auto offset = static_cast<std::int64_t>(below(engine, 2000000000));
    const bool up = below(engine, 2) == 0;
    const std::int64_t room = (up ? 0x7ffffffe - offset : offset) / stride + 1;
    const auto count = std::min<std::int64_t>(room, 1 + static_cast<std::int64_t>(below(engine, 1000000)));
    return Sequence{0, static_cast<std::int32_t>(offset), static_cast<std::int32_t>(up ? stride : -stride),
                    static_cast<std::int32_t>(count)};
  };
  const auto has = [](const Sequence &run, std::int64_t value) {
    return (value - run.offset) % run.stride == 0 && (value - run.offset) / run.stride >= 0 &&
           (value - run.offset) / run.stride < run.count;
  };
  for (int i = 0; i < 300; ++i) {
    const Sequence run = random_run();
    const Sequence other = random_run();
    const RunIndices places = common_indices(run, other);
    std::int64_t meetings = 0;
    for (std::int64_t place = 0; place < run.count; ++place) {
      meetings += has(other, run.at(place)) ? 1 : 0;
    }
    ASSERT_EQ(places.count, meetings);
    for (std::int64_t i = 0; i < places.count; ++i) {
      ASSERT_TRUE(has(other, run.at(places.first + i * places.step)));
    }
  }
}

} // namespace
} // namespace avrankmap::detail
