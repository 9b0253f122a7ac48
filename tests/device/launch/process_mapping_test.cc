// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes that PMI launchers tell, and cards as their text.
#include "launch/pmi2/process_mapping.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "launch/pmi2/card_text.h"

namespace avrankmap::test {
namespace {

using detail::CardText;
using detail::ProcessMapping;

// The nodes of all processes, as digits.
std::string nodes(std::string_view text, std::int32_t size) {
  ProcessMapping mapping;
  if (!mapping.parse(text, size)) {
    return "refused";
  }
  std::string digits;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    digits += static_cast<char>('0' + mapping.node_of(rank));
  }
  return digits;
}

std::size_t runs(std::string_view text, std::int32_t size) {
  ProcessMapping mapping;
  EXPECT_TRUE(mapping.parse(text, size));
  return mapping.runs().size();
}

TEST(ProcessMapping, ABlockHoldsConsecutiveProcessesOfEachNode) { EXPECT_EQ(nodes("(vector,(0,2,3))", 6), "000111"); }

TEST(ProcessMapping, ABlockIsRepeatedUntilEveryProcessHasANode) {
  EXPECT_EQ(nodes("(vector,(0,1,1))", 4), "0000");
  EXPECT_EQ(nodes("(vector,(0,3,1))", 7), "0120120");
}

TEST(ProcessMapping, BlocksFollowOneAnother) {
  EXPECT_EQ(nodes("(vector,(0,1,5),(1,1,1))", 6), "000001");
  EXPECT_EQ(nodes("(vector,(0,1,2),(1,1,1),(0,1,3))", 6), "001000");
  EXPECT_EQ(nodes("(vector,(0,2,1),(0,1,1),(0,1,1),(0,1,1),(0,1,1))", 6), "010000");
  EXPECT_EQ(nodes(" ( vector, (3, 1, 2), (1, 2, 1) ) ", 4), "3312");
}

TEST(ProcessMapping, AVectorOfBlocksIsRepeatedAsAWhole) {
  EXPECT_EQ(nodes("(vector,(0,2,1),(4,1,2))", 10), "0144014401");
}

TEST(ProcessMapping, RegularLayoutsAreOneRun) {
  EXPECT_EQ(runs("(vector,(0,1000,48))", 48000), 1U);
  EXPECT_EQ(runs("(vector,(0,999,48),(999,1,7))", 999 * 48 + 7), 1U);
  EXPECT_EQ(runs("(vector,(0,10,1))", 1000003), 1U);
  EXPECT_EQ(runs("(vector,(0,2,1),(2,2,1))", 1000003), 1U) << "cyclic, in two blocks";
  EXPECT_EQ(runs("(vector,(0,2,1),(2,2,1))", 1000001), 1U);
  EXPECT_EQ(runs("(vector,(5,1,4),(5,1,7),(5,1,1))", 12), 1U);
}

TEST(ProcessMapping, MergedRunsKeepEveryNode) {
  EXPECT_EQ(nodes("(vector,(0,2,3),(2,1,2))", 8), "00011122");
  EXPECT_EQ(nodes("(vector,(0,2,1),(2,2,1))", 11), "01230123012");
  EXPECT_EQ(nodes("(vector,(0,2,2),(0,2,2),(2,1,2),(0,1,1))", 11), "00110011220");
  EXPECT_EQ(nodes("(vector,(0,2,3),(2,1,2))", 10), "0001112200") << "the short node is not the last";
}

TEST(ProcessMapping, NodesWithoutProcessesDoNotCount) {
  const auto count = [](std::string_view text, std::int32_t size) {
    ProcessMapping mapping;
    EXPECT_TRUE(mapping.parse(text, size)) << text;
    return mapping.nodes();
  };
  EXPECT_EQ(count("(vector,(0,2,3))", 6), 2);
  EXPECT_EQ(count("(vector,(0,8,3))", 7), 3);
  EXPECT_EQ(count("(vector,(0,5,1))", 5), 5);
  EXPECT_EQ(count("(vector,(0,2,1))", 7), 2);
  EXPECT_EQ(count("(vector,(3,1,2),(1,2,1),(3,1,1))", 5), 3);
}

TEST(ProcessMapping, TheRanksOfANodeAreThoseOnIt) {
  for (const char *text : {"(vector,(0,2,3))", "(vector,(0,3,1))", "(vector,(0,1,2),(1,1,1),(0,1,3))",
                           "(vector,(0,2,1),(4,1,2))", "(vector,(0,2,3),(2,1,2))"}) {
    ProcessMapping mapping;
    ASSERT_TRUE(mapping.parse(text, 17)) << text;
    std::size_t found = 0;
    for (std::uint32_t node = 0; node < 5; ++node) {
      std::vector<std::int32_t> expected;
      for (std::int32_t rank = 0; rank < 17; ++rank) {
        if (mapping.node_of(rank) == node) {
          expected.push_back(rank);
        }
      }
      EXPECT_EQ(mapping.ranks_of(node), expected) << text << " node " << node;
      found += expected.size();
    }
    EXPECT_EQ(found, 17U) << text;
  }
}

TEST(ProcessMapping, AnyOtherTextIsRefused) {
  for (const char *text :
       {"", "(vector)", "(vector,)", "(vector,(0,1,1)", "(vector,(0,1,1)))", "(vector,(0,1,1))x", "(vector,(0,1))",
        "(vector,(0,0,1))", "(vector,(0,1,0))", "(vector,(-1,1,1))", "(vector,(0,1,-1))", "(vector,(0,1,99999999999))",
        "(vector,(2147483647,2,1))", "(matrix,(0,1,1))", "(vector,(0,1,1),(1,1,", "(vector,(0,1,x))"}) {
    EXPECT_EQ(nodes(text, 3), "refused") << text;
  }
}

TEST(ProcessMapping, TheLargestNumbersAreNoneTooMany) {
  ProcessMapping mapping;
  ASSERT_TRUE(mapping.parse("(vector,(2147483646,2,2147483647))", INT32_MAX));
  EXPECT_EQ(mapping.node_of(INT32_MAX - 1), 2147483646U);
  EXPECT_TRUE(mapping.ranks_of(7).empty());
}

std::string card_of(std::size_t bytes) {
  std::string card(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) {
    card[i] = static_cast<char>(i * 7 + bytes);
  }
  return card;
}

TEST(CardText, ACardOfAnyLengthComesBack) {
  for (std::size_t bytes = 0; bytes <= AVRM_BOOT_CARD_MAX; ++bytes) {
    const std::string card = card_of(bytes);
    CardText text;
    EXPECT_FALSE(text.is_whole());
    for (std::size_t piece = 0; piece < CardText::pieces_of(bytes); ++piece) {
      const std::string digits = CardText::piece_of(card, piece);
      ASSERT_LE(digits.size(), CardText::kPieceMax);
      ASSERT_EQ(digits.find_first_of("=; \n"), std::string::npos);
      ASSERT_TRUE(text.add(digits)) << bytes << " bytes, piece " << piece;
    }
    ASSERT_TRUE(text.is_whole());
    ASSERT_EQ(text.card(), card);
  }
}

TEST(CardText, WhatIsNoPieceIsRefused) {
  for (const char *piece : {"", "3", ":", "x:", "-1:", "3:AAA", "3:AAAAA", "3:AA A",
                            "1025:", "99999999999999999999:", "0:A", "4 :AAAAAA", "800:AAAA"}) {
    CardText text;
    EXPECT_FALSE(text.add(piece)) << piece;
  }
}

TEST(CardText, APieceTooManyIsRefused) {
  CardText text;
  ASSERT_TRUE(text.add("3:AAAA"));
  EXPECT_FALSE(text.add("AAAA"));
}

} // namespace
} // namespace avrankmap::test
