// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A published result is of a clean commit and a quiet machine, and says how far it agrees with
// itself.
#include "papers/driver/publication_checks.h"

#include "counters/subprocess.h"
#include "sentences.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

TEST(Quiet, WaitsUntilTheLoadFalls) {
  double load = 3;
  int pauses = 0;
  Quiet quiet([&] { return load; },
              [&](std::chrono::seconds /*time*/) {
                ++pauses;
                load -= 1;
              });
  quiet.wait();
  EXPECT_EQ(pauses, 3);
  quiet.wait();
  EXPECT_EQ(pauses, 3);
}

TEST(Quiet, WaitsForFiveMinutesInAll) {
  std::chrono::seconds waited{0};
  Quiet quiet([] { return kQuietForeign; }, [&](std::chrono::seconds time) { waited += time; });
  quiet.wait();
  EXPECT_EQ(waited, std::chrono::minutes(5));
  quiet.wait();
  EXPECT_EQ(waited, std::chrono::minutes(5));
}

TEST(Foreign, IsWhatThisProgramDidNotUse) {
  EXPECT_DOUBLE_EQ(foreign_processors({100, 10}, {103, 12}, 2), 0.5);
  EXPECT_EQ(foreign_processors({100, 10}, {101, 12}, 2), 0);
}

TEST(Foreign, LeavesIdleTimeAndGuestsOut) {
  EXPECT_EQ(busy_seconds("cpu  100 20 30 9000 500 4 6 40 70 80\ncpu0 1 1", 100), 2);
  EXPECT_EQ(busy_seconds("intr 5 5", 100), 0);
}

TEST(Foreign, DoesNotHaveTheTimeOfThisProgram) {
  const Used before = processor_time();
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100)) {
  }
  const Used after = processor_time();
  EXPECT_GT(after.own, before.own);
  EXPECT_GE(after.all, before.all);
}

TEST(Spread, IsOfTheNumbersThatBothRunsHave) {
  const Table one = numbers({"a", "b"}, {{"x", {10, 4}}, {"y", {0, 7}}}).table;
  EXPECT_EQ(spread_of(one, one), 0);
  EXPECT_EQ(spread_of(one, numbers({"a"}, {{"x", {8}}, {"z", {1}}}).table), 0.2);
  EXPECT_EQ(spread_of(one, numbers({"c"}, {{"x", {8}}}).table), -1);
}

TEST(Spread, LeavesATenthOfTheNumbersOut) {
  std::vector<double> most(20, 1);
  std::vector<std::string> columns;
  for (int i = 0; i < 20; ++i) {
    columns.push_back(std::to_string(i));
  }
  const Table one = numbers(columns, {{"x", most}}).table;
  most[3] = 2;
  EXPECT_EQ(spread_of(one, numbers(columns, {{"x", most}}).table), 0);
  most[5] = most[7] = 2;
  EXPECT_EQ(spread_of(one, numbers(columns, {{"x", most}}).table), 0.5);
}

Stored of_commit(const std::string &id, const std::string &commit) {
  Stored stored;
  stored.id = id;
  stored.conditions.commit = commit;
  return stored;
}

TEST(Publishing, NeedsOneCleanCommit) {
  EXPECT_EQ(reason_not_to_publish({of_commit("a", "abc"), of_commit("b", "abc")}), "");
  EXPECT_EQ(reason_not_to_publish({of_commit("a", "abc"), of_commit("b", "abd")}), "a is of abc, b of abd");
  EXPECT_NE(reason_not_to_publish({of_commit("a", "abc-dirty-12")}), "");
  EXPECT_NE(reason_not_to_publish({of_commit("a", "")}), "");
}

TEST(Publishing, RemovesPicturesThatThePageLacks) {
  auto folder = counters::ScratchFolder::create();
  ASSERT_TRUE(folder.ok()) << folder.message();
  for (const char *const name : {"000-figure9a.svg", "000-figure99.svg", "words.txt"}) {
    std::ofstream(folder->path() / name) << "something";
  }
  remove_other_pictures(folder->path(), {"000-figure9a.svg"});
  EXPECT_TRUE(std::filesystem::exists(folder->path() / "000-figure9a.svg"));
  EXPECT_FALSE(std::filesystem::exists(folder->path() / "000-figure99.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder->path() / "words.txt"));
}

} // namespace
} // namespace avrankmap::bench
