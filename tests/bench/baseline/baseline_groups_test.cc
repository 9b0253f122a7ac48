// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The group operations that ours are compared with, against their definitions.
#include "baseline/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace avrankmap::bench {
namespace {

Processes defined(GroupOperation operation, const Processes &a, const Processes &b) {
  const auto rank = [](const Processes &group, std::int64_t process) {
    const auto found = std::find(group.begin(), group.end(), process);
    return found == group.end() ? std::int64_t{-1} : found - group.begin();
  };
  Processes result = operation == GroupOperation::kUnion ? a : Processes{};
  for (const std::int64_t process : operation == GroupOperation::kUnion ? b : a) {
    switch (operation) {
    case GroupOperation::kUnion:
      if (rank(a, process) < 0) {
        result.push_back(process);
      }
      break;
    case GroupOperation::kIntersection:
    case GroupOperation::kDifference:
      if ((rank(b, process) >= 0) == (operation == GroupOperation::kIntersection)) {
        result.push_back(process);
      }
      break;
    case GroupOperation::kTranslate: result.push_back(rank(b, process)); break;
    }
  }
  return result;
}

template <class Group> class BaselineGroups : public testing::Test {};
using Groups = testing::Types<OmpiGroup, Mpich5Group, Mpich4Group>;
TYPED_TEST_SUITE(BaselineGroups, Groups);

TYPED_TEST(BaselineGroups, DoWhatTheOperationsAreDefinedToDo) {
  std::mt19937 engine(1);
  const auto some = [&engine](int most) {
    Processes processes;
    for (int i = 0; i < most; i += 1 + static_cast<int>(engine() % 3)) {
      processes.push_back(i);
    }
    if (engine() % 2 == 0) {
      std::shuffle(processes.begin(), processes.end(), engine);
    }
    return processes;
  };
  const Processes strided = {30, 27, 24, 21, 18, 15};
  for (int i = 0; i < 50; ++i) {
    const Processes a = i % 5 == 0 ? strided : some(40);
    const Processes b = i % 7 == 0 ? strided : some(30);
    for (const GroupOperation operation : {GroupOperation::kUnion, GroupOperation::kIntersection,
                                           GroupOperation::kDifference, GroupOperation::kTranslate}) {
      EXPECT_EQ(TypeParam::apply(operation, TypeParam(a), TypeParam(b)), defined(operation, a, b));
    }
  }
}

} // namespace
} // namespace avrankmap::bench
