// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators/map_file.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace avrankmap::bench {
namespace {

using Processes = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// The processes in a text; none, and a failure, if it is refused.
Processes parsed(std::string_view text) {
  const MapFileResult result = parse_map(text);
  if (const auto *error = std::get_if<MapFileError>(&result)) {
    ADD_FAILURE() << describe(*error, "map");
    return {};
  }
  Processes processes;
  for (const avrm_gpid_t process : std::get<std::vector<avrm_gpid_t>>(result)) {
    processes.emplace_back(process.pgid, process.lpid);
  }
  return processes;
}

/// Why a result is an error, with the place; empty if it is none.
std::string refusal(const MapFileResult &result) {
  const auto *error = std::get_if<MapFileError>(&result);
  return error == nullptr ? "" : describe(*error, "map");
}

std::string refusal(std::string_view text) { return refusal(parse_map(text)); }

TEST(MapFile, BareLpidsAreInProcessGroupZero) {
  EXPECT_EQ(parsed("1\n4\n8\n12\n"), (Processes{{0, 1}, {0, 4}, {0, 8}, {0, 12}}));
}

TEST(MapFile, PairsNameTheirProcessGroup) { EXPECT_EQ(parsed("0:5\n3:5\n7\n"), (Processes{{0, 5}, {3, 5}, {0, 7}})); }

TEST(MapFile, CommentsAndBlankLinesDoNotCount) {
  EXPECT_EQ(parsed("# walker 0\n\n  \t\n1\n4 # a comment\n#\n 1 : 8#\n"), (Processes{{0, 1}, {0, 4}, {1, 8}}));
}

TEST(MapFile, LinesMayEndInCarriageReturns) { EXPECT_EQ(parsed("1\r\n\r\n2:3\r\n"), (Processes{{0, 1}, {2, 3}})); }

TEST(MapFile, LastLineMayLackItsEnd) { EXPECT_EQ(parsed("1\n2"), (Processes{{0, 1}, {0, 2}})); }

TEST(MapFile, LargestNumbersAreAccepted) {
  EXPECT_EQ(parsed("2147483647:2147483646\n"), (Processes{{2147483647, 2147483646}}));
}

TEST(MapFile, EmptyTextIsRefused) { EXPECT_EQ(refusal(""), "map: no ranks in it"); }

TEST(MapFile, TextWithCommentsOnlyIsRefused) { EXPECT_EQ(refusal("# nothing\n\n"), "map: no ranks in it"); }

TEST(MapFile, WordIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("1\n# two\nthree\n"), "map:3: expected an lpid or pgid:lpid, found 'three'");
}

TEST(MapFile, TwoNumbersOnALineAreRefused) {
  EXPECT_EQ(refusal("1 2\n"), "map:1: expected an lpid or pgid:lpid, found '1 2'");
}

TEST(MapFile, HalfAPairIsRefused) {
  EXPECT_EQ(refusal("1\n2:\n"), "map:2: expected an lpid or pgid:lpid, found '2:'");
  EXPECT_EQ(refusal("1\n:2\n"), "map:2: expected an lpid or pgid:lpid, found ':2'");
}

TEST(MapFile, TripleIsRefused) { EXPECT_EQ(refusal("1:2:3\n"), "map:1: expected an lpid or pgid:lpid, found '1:2:3'"); }

TEST(MapFile, NumberWithATailIsRefused) {
  EXPECT_EQ(refusal("12x\n"), "map:1: expected an lpid or pgid:lpid, found '12x'");
  EXPECT_EQ(refusal("1.5\n"), "map:1: expected an lpid or pgid:lpid, found '1.5'");
  EXPECT_EQ(refusal("0x10\n"), "map:1: expected an lpid or pgid:lpid, found '0x10'");
}

TEST(MapFile, UnprintableTextIsShownHarmlessly) {
  EXPECT_EQ(refusal(std::string_view("1\n\x1b[2J\0\n", 8)), "map:2: expected an lpid or pgid:lpid, found '?[2J?'");
}

TEST(MapFile, LongTextIsShownInPart) {
  EXPECT_EQ(refusal(std::string(1000, 'x')),
            "map:1: expected an lpid or pgid:lpid, found '" + std::string(40, 'x') + "...'");
}

TEST(MapFile, NegativeNumberIsOutOfRange) {
  EXPECT_EQ(refusal("5\n-1\n"), "map:2: lpid '-1' is outside 0..2147483646");
  EXPECT_EQ(refusal("-2:0\n"), "map:1: pgid '-2' is outside 0..2147483647");
}

TEST(MapFile, TooLargeNumberIsOutOfRange) {
  EXPECT_EQ(refusal("2147483647\n"), "map:1: lpid '2147483647' is outside 0..2147483646");
  EXPECT_EQ(refusal("2147483648:0\n"), "map:1: pgid '2147483648' is outside 0..2147483647");
  EXPECT_EQ(refusal("99999999999999999999\n"), "map:1: lpid '99999999999999999999' is outside 0..2147483646");
}

TEST(MapFile, ProcessThatOccursTwiceIsRefusedWithBothLines) {
  EXPECT_EQ(refusal("3\n1:3\n\n0:3\n1:3\n"), "map:4: process 0:3 is on line 1 already");
}

class MapFileOnDisk : public testing::Test {
protected:
  MapFileOnDisk()
      : path_(std::filesystem::path(testing::TempDir()) / ("avrm_map_" + std::to_string(getpid()) + ".txt")) {}
  ~MapFileOnDisk() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

TEST_F(MapFileOnDisk, IsReadToItsEnd) {
  std::ofstream file(path_, std::ios::binary);
  for (int rank = 0; rank < 100000; ++rank) {
    file << 3 * rank << "\r\n";
  }
  file.close();
  const MapFileResult result = read_map_file(path_.string());
  const auto *ranks = std::get_if<std::vector<avrm_gpid_t>>(&result);
  ASSERT_NE(ranks, nullptr) << refusal(result);
  ASSERT_EQ(ranks->size(), 100000u);
  EXPECT_EQ(ranks->back().lpid, 299997);
}

TEST_F(MapFileOnDisk, MissingFileIsRefused) {
  EXPECT_EQ(refusal(read_map_file(path_.string())), "map: cannot be read: No such file or directory");
}

TEST_F(MapFileOnDisk, FolderIsRefused) {
  EXPECT_EQ(refusal(read_map_file(testing::TempDir())), "map: cannot be read: Is a directory");
}

} // namespace
} // namespace avrankmap::bench
