// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/handle_set.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

TEST(HandleSet, AgreesWithASetOfTheStandardLibrary) {
  std::mt19937_64 engine = seeded_engine();
  detail::HandleSet handles;
  std::set<std::uint64_t> expected;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t handle = below(engine, 64);
    if (below(engine, 2) == 0) {
      handles.add(handle);
      expected.insert(handle);
    } else {
      handles.remove(handle);
      expected.erase(handle);
    }
    ASSERT_EQ(handles.size(), expected.size());
    ASSERT_EQ(handles.empty(), expected.empty());
    const std::uint64_t other = below(engine, 64);
    ASSERT_EQ(handles.has(other), expected.count(other) != 0) << other;
  }
}

TEST(HandleSet, AddsWithoutMemoryWithinItsRoom) {
  detail::HandleSet handles;
  handles.reserve(10);
  const std::size_t room = handles.capacity();
  EXPECT_GE(room, 10U);
  for (std::uint64_t i = room; i-- > 0;) {
    handles.add(i);
  }
  EXPECT_EQ(handles.capacity(), room);
}

} // namespace
} // namespace avrankmap::test
