// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Sentences about the mini-applications: other numbers, other sentences.
#include "conclusions/applications.h"

#include "conclusions/conclusions.h"
#include "experiment/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace avrankmap::bench {
namespace {

std::string sentences(const char *id, const Result &result) {
  return fmt::format("{}", fmt::join(conclude(id, result), " "));
}

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
  EXPECT_NE(sentences("003/figure7", result).find("the solver runs at 1.1 to 1.3 times its default speed"),
            std::string::npos)
      << sentences("003/figure7", result);
  cell_of(result.table, "N = 5, E/P = 1", kGain).here = 0.9;
  EXPECT_NE(sentences("003/figure7", result).find("runs at 0.9 to 1.3 times"), std::string::npos);
}

TEST(Conclusion, OfTheSolverNamesTheInstructionsThatAreSaved) {
  Result result = solver();
  EXPECT_NE(sentences("003/figure7", result)
                .find("127 instructions to issue a message the proposals save 50, at most "
                      "450 per iteration"),
            std::string::npos)
      << sentences("003/figure7", result);
  cell_of(result.table, kInstructionsOfMessage, kAllProposals).here = 130.0;
  EXPECT_NE(sentences("003/figure7", result).find("the proposals save -3, at most -27"), std::string::npos);
}

TEST(Conclusion, OfTheSolverNamesThePointsFromWhichAllRowsAreEfficient) {
  Result result = solver();
  const auto has = [&](const char *part) { return sentences("003/figure7", result).find(part) != std::string::npos; };
  EXPECT_TRUE(has("All rows from 125 points per process on have half of the efficiency;"));
  cell_of(result.table, "N = 7, E/P = 1", kEfficiency).here = 49.0;
  EXPECT_TRUE(has("All rows from 43,904 points per process on"));
  cell_of(result.table, "N = 7, E/P = 128", kEfficiency).here = 49.0;
  EXPECT_TRUE(has("Half of the efficiency is not reached with up to 43,904 points per process;"));
  cell_of(result.table, "N = 3, E/P = 1", kEfficiency).here = 50.0;
  cell_of(result.table, "N = 7, E/P = 1", kEfficiency).here = 50.0;
  cell_of(result.table, "N = 7, E/P = 128", kEfficiency).here = 50.0;
  EXPECT_TRUE(has("All rows from 27 points per process on"));
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
  EXPECT_NE(sentences("003/figure7", result).find("by more than 2e-15 of it"), std::string::npos);
  cell_of(result.table, "8 elements: P = 8", kToOneProcess).here = 0.25;
  EXPECT_NE(sentences("003/figure7", result).find("by more than 0.2 of it"), std::string::npos);
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
  cell_of(result.table, "256 atoms", kGain).here = 0.5;
  cell_of(result.table, "256 atoms", kDrift).here = 0.3;
  EXPECT_NE(sentences("003/figure8", result).find("runs at 0.5 times"), std::string::npos);
  EXPECT_NE(sentences("003/figure8", result).find("Energy drifts by 0.3"), std::string::npos);
}

} // namespace
} // namespace avrankmap::bench
