// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Sentences about the mini-applications: other numbers, other sentences.
#include "sentences.h"

#include <gtest/gtest.h>

namespace avrankmap::bench {
namespace {

Result solver() {
  Result result;
  result.table = {
      "corner",
      {kPointsPerProcess, kDefaultBuild, kAllProposals, kGain, kTheirGain, kMessagesSent, kEfficiency, kToOneProcess},
      {{"N = 3, E/P = 1", {{27.0}, {1.0}, {1.0}, {0.5}, {}, {3.0}, {20.0}, {}}},
       {"N = 5, E/P = 1", {{125.0}, {1.0}, {1.0}, {1.1}, {{}, "1.2 to 1.25"}, {3.0}, {60.0}, {}}},
       {"N = 7, E/P = 1", {{343.0}, {1.0}, {1.0}, {1.3}, {{}, "1.2 to 1.25"}, {3.0}, {80.0}, {}}},
       {"N = 7, E/P = 128", {{43904.0}, {1.0}, {1.0}, {9.0}, {{}, "equal"}, {3.0}, {99.0}, {}}},
       {"8 elements: P = 1", {{20.0}, {}, {}, {}, {}, {0.0}, {100.0}, {0.0}}},
       {"8 elements: P = 8", {{20.0}, {}, {}, {}, {}, {9.0}, {10.0}, {2e-15}}},
       {kInstructionsOfMessage, {{}, {127.0}, {77.0}, {}, {}, {}, {}, {}}}}};
  return result;
}

TEST(Conclusion, OfTheSolverIsOfTheRangeInWhichThePaperGains) {
  Result result = solver();
  expect_part_of_sentences("003/figure7", result, "the solver runs at 1.1 to 1.3 times its default speed");
  set(result, "N = 5, E/P = 1", kGain, 0.9);
  expect_part_of_sentences("003/figure7", result, "runs at 0.9 to 1.3 times");
}

TEST(Conclusion, OfTheSolverNamesTheInstructionsThatAreSaved) {
  Result result = solver();
  expect_part_of_sentences("003/figure7", result,
                           "127 instructions to issue a message the proposals save 50, at most 450 per iteration");
  set(result, kInstructionsOfMessage, kAllProposals, 130.0);
  expect_part_of_sentences("003/figure7", result, "the proposals save -3, at most -27");
}

TEST(Conclusion, OfTheSolverNamesThePointsFromWhichAllRowsAreEfficient) {
  Result result = solver();
  expect_part_of_sentences("003/figure7", result,
                           "All rows N = ... from 125 points per process on have half of the efficiency;");
  set(result, "N = 7, E/P = 1", kEfficiency, 49.0);
  expect_part_of_sentences("003/figure7", result, "All rows N = ... from 43,904 points per process on");
  set(result, "N = 7, E/P = 128", kEfficiency, 49.0);
  expect_part_of_sentences("003/figure7", result,
                           "Half of the efficiency is not reached with up to 43,904 points per process;");
  for (const char *const row : {"N = 3, E/P = 1", "N = 7, E/P = 1", "N = 7, E/P = 128"}) {
    set(result, row, kEfficiency, 50.0);
  }
  expect_part_of_sentences("003/figure7", result, "All rows N = ... from 27 points per process on");
}

TEST(Conclusion, OfTheSolverCountsOtherRowsThatAreNotEfficient) {
  Result result = solver();
  set(result, "8 elements: P = 8", kPointsPerProcess, 343.0);
  expect_part_of_sentences("003/figure7", result,
                           "from 125 points per process on have half of the efficiency, but not 1 of the 1 other rows "
                           "with as many;");
  set(result, "8 elements: P = 8", kEfficiency, 50.0);
  expect_part_of_sentences("003/figure7", result, "but not 0 of the 1 other rows with as many;");
}

TEST(Conclusion, OfTheSolverOnOneProcessIsNotAboutEfficiency) {
  Result result = solver();
  for (Row &row : result.table.rows) {
    cell_of(result.table, row.label, kMessagesSent).here = 0.0;
  }
  EXPECT_EQ(sentences("003/figure7", result).find("efficiency"), std::string::npos);
}

TEST(Conclusion, OfApplicationsNamesTheGreatestDifferenceFromOneProcess) {
  Result result = solver();
  expect_part_of_sentences("003/figure7", result, "by more than 2e-15 of it");
  set(result, "8 elements: P = 8", kToOneProcess, 0.25);
  expect_part_of_sentences("003/figure7", result, "by more than 0.2 of it");
}

TEST(Conclusion, OfAtomsNamesGainAndDrift) {
  Result result;
  result.table = {"corner",
                  {kDefaultBuild, kAllProposals, kGain, kMessagesSent, kDrift, kToOneProcess},
                  {{"256 atoms", {{1.0}, {1.0}, {1.05}, {6.0}, {-1e-5}, {1e-14}}},
                   {kInstructionsOfMessage, {{127.0}, {77.0}, {}, {}, {}, {}}}}};
  EXPECT_EQ(sentences("003/figure8", result),
            "The system runs at 1.05 times its default speed with all proposals. Of the default build's 127 "
            "instructions to issue a message the proposals save 50, at most 300 per step of a process. No result "
            "differs from that of one process by more than 1e-14 of it. Energy drifts by 1e-05 of itself at most.");
  set(result, "256 atoms", kGain, 0.5);
  set(result, "256 atoms", kDrift, 0.3);
  expect_part_of_sentences("003/figure8", result, "runs at 0.5 times");
  expect_part_of_sentences("003/figure8", result, "Energy drifts by 0.3");
}

} // namespace
} // namespace avrankmap::bench
