// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts on the memory of communicators, in the AV-Rankmap paper.
#include "papers/conclusions/names.h"
#include "papers/conclusions/verdicts.h"
#include "sentences.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace avrankmap::bench {
namespace {

/// Memory with 10 and 100 split communicators, as in the paper.
Result split_memory() {
  return numbers(
      {"10 communicators, MiB", "100 communicators, MiB"},
      {{"VC-VCRT, with its tables of nodes", {436, 10000}}, {"VC-VCRT", {400, 704}}, {"AV-Rankmap (strict)", {9, 9}}});
}

TEST(MemoryVerdict, OfDuplicateIntercommunicatorsComparesThemWithDuplicates) {
  const std::string column = "100 communicators, MiB";
  const std::string of_world = std::string(kOfTheWorld) + "VC-VCRT";
  Result result = numbers({column}, {{"VC-VCRT", {410}},
                                     {of_world, {404}},
                                     {"VC-VCRT, with its tables of nodes", {716}},
                                     {of_world + ", with its tables of nodes", {1010}},
                                     {"AV-Rankmap (strict)", {9}}});
  EXPECT_EQ(judge("000/figure12", result).word, kPartly);
  EXPECT_EQ(judge("000/figure12", result).here, "0.709 to 1.01 times");
  set(result, "VC-VCRT, with its tables of nodes", column, 1100.0);
  EXPECT_EQ(judge("000/figure12", result).word, kReproduced);
  set(result, "VC-VCRT, with its tables of nodes", column, 1600.0); // not slightly
  EXPECT_EQ(judge("000/figure12", result).word, kPartly);
  set(result, "VC-VCRT, with its tables of nodes", column, 716.0);
  set(result, "VC-VCRT", column, 400.0);
  EXPECT_EQ(judge("000/figure12", result).word, kContradicted);
}

TEST(MemoryVerdict, OfTheNegativeResultFollowsBothTables) {
  Result result =
      numbers({"100 communicators, MiB"},
              {{"AV-Rankmap (strict)", {3.4}}, {"VC-VCRT", {5.3}}, {"VC-VCRT, tables of 4 bytes (computed)", {3.6}}});
  EXPECT_EQ(judge("000/figure14", result).word, kContradicted);
  EXPECT_EQ(judge("000/figure14", result).here, "0.642 to 0.944 times");
  set(result, "VC-VCRT, tables of 4 bytes (computed)", "100 communicators, MiB", 3.0);
  EXPECT_EQ(judge("000/figure14", result).word, kPartly);
  set(result, "VC-VCRT", "100 communicators, MiB", 3.0);
  EXPECT_EQ(judge("000/figure14", result).word, kReproduced);
}

TEST(MemoryVerdict, OfRandomOrderFollowsTheTables) {
  Result result =
      numbers({"maps of 100, bytes"},
              {{"AV-Rankmap (strict)", {100}}, {"VC-VCRT", {200}}, {"VC-VCRT, tables of 4 bytes (computed)", {101}}});
  EXPECT_EQ(judge("000/figure13", result).word, kPartly);
  EXPECT_EQ(judge("000/figure13", result).here, "0.5 to 0.99 times");
  set(result, "VC-VCRT", "maps of 100, bytes", 105.0);
  EXPECT_EQ(judge("000/figure13", result).word, kReproduced);
  EXPECT_EQ(judge("000/figure13", result).sentence.find("tables of nodes"), std::string::npos);
  result.table.rows.push_back({"VC-VCRT, with its tables of nodes", {{400.0}}});
  EXPECT_EQ(judge("000/figure13", result).here, "0.25 to 0.99 times");
  EXPECT_NE(judge("000/figure13", result).sentence.find("as in MPICH 3.2 (0.25 times with its tables of nodes), and"),
            std::string::npos)
      << judge("000/figure13", result).sentence;
}

TEST(MemoryVerdict, OfSplitCommunicatorsNeedsAllStatements) {
  Result result = split_memory();
  EXPECT_EQ(judge("000/figure9", result).word, kReproduced);
  set(result, "VC-VCRT, with its tables of nodes", "10 communicators, MiB", 400.0);
  EXPECT_EQ(judge("000/figure9", result).word, kPartly);
  set(result, "VC-VCRT, with its tables of nodes", "100 communicators, MiB", 1010.0);
  set(result, "AV-Rankmap (strict)", "100 communicators, MiB", 500.0);
  EXPECT_EQ(judge("000/figure9", result).word, kContradicted);
  EXPECT_NE(judge("000/figure9", result).sentence.find("with 100 (9 MB), a factor of 1.41 to 2.02, where"),
            std::string::npos)
      << judge("000/figure9", result).sentence;
  EXPECT_EQ(judge("000/figure9", result).here, "704 to 1,010 MiB");
}

TEST(MemoryVerdict, OfSplitCommunicatorsNeedsMoreThanTheMemoryOfAProcess) {
  Result result = split_memory();
  set(result, "VC-VCRT, with its tables of nodes", "100 communicators, MiB", 1010.0);
  EXPECT_EQ(judge("000/figure9", result).word, kPartly);
  EXPECT_NE(judge("000/figure9", result).sentence.find("and 98.6 % with its tables of nodes (the paper: exceeds it)"),
            std::string::npos);
}

TEST(MemoryVerdict, OfSplitIntercommunicatorsIsOfThePapersMemory) {
  const std::string column = "100 communicators, MiB";
  Result result = numbers(
      {column}, {{"VC-VCRT, with its tables of nodes", {866}}, {"VC-VCRT", {710}}, {"AV-Rankmap (strict)", {9}}});
  EXPECT_EQ(judge("000/figure11", result).word, kPartly);
  EXPECT_NE(judge("000/figure11", result)
                .sentence.find("takes 710 MiB as drawn and 866 with its tables of nodes, 78.9 to 96.2 "),
            std::string::npos);
  set(result, "VC-VCRT, with its tables of nodes", column, 1316.0);
  EXPECT_EQ(judge("000/figure11", result).word, kReproduced);
  set(result, "AV-Rankmap (strict)", column, 1000.0);
  set(result, "VC-VCRT, with its tables of nodes", column, 866.0);
  EXPECT_EQ(judge("000/figure11", result).word, kContradicted);
}

TEST(MemoryVerdict, OfSplitIntercommunicatorsComparesThemWithSplitCommunicators) {
  const std::string column = "100 communicators, MiB";
  const std::string of_world = std::string(kSplitOfTheWorld) + "VC-VCRT";
  Result result = numbers({column}, {{"VC-VCRT, with its tables of nodes", {1400}},
                                     {"VC-VCRT", {710}},
                                     {"AV-Rankmap (strict)", {9}},
                                     {of_world, {704}},
                                     {of_world + ", with its tables of nodes", {1500}}});
  EXPECT_EQ(judge("000/figure11", result).word, kPartly);
  EXPECT_TRUE(judge("000/figure11", result)
                  .sentence.ends_with("; that they take more than split communicators of the world, as in the paper, "
                                      "is true as drawn (710 and 704 MiB) and false with tables of nodes (1,400 and "
                                      "1,500)."))
      << judge("000/figure11", result).sentence;
  set(result, of_world + ", with its tables of nodes", column, 1010.0);
  EXPECT_EQ(judge("000/figure11", result).word, kReproduced);
  EXPECT_NE(judge("000/figure11", result).sentence.find("and true with tables of nodes (1,400 and 1,010)"),
            std::string::npos);
  result.table.rows.push_back({"VC-VCRT, with its tables of nodes, groups not halved", {{1316.0}}});
  EXPECT_NE(judge("000/figure11", result).sentence.find("(1,400 and 1,010), and true with these if groups are not"),
            std::string::npos);
}

TEST(MemoryVerdict, NamesSystemsWhoseMapsAreSmallerThanOurs) {
  Result result = numbers({"10 communicators, MiB", "100 communicators, MiB", "maps of 100, bytes"},
                          {{"VC-VCRT, with its tables of nodes", {436, 1010, 900}},
                           {"VC-VCRT", {400, 704, 800}},
                           {"AV-Rankmap (strict)", {9, 9, 50}},
                           {"ours, table AV", {9, 9, 60}},
                           {"ours, implicit AV", {1, 1, 60}},
                           {"MPICH 4.0.2", {54, 54, 40}},
                           {"MPICH 5", {24, 24, 60}},
                           {"Open MPI, as shipped", {36, 306, 70}},
                           {"Open MPI, sparse groups", {6, 6, 70}}});
  EXPECT_TRUE(judge("000/figure9", result)
                  .sentence.ends_with("; maps of 100 communicators take fewer bytes than ours (60) in MPICH 4.0.2 (40, "
                                      "with one of its two maps)."))
      << judge("000/figure9", result).sentence;
  set(result, "MPICH 4.0.2", "maps of 100, bytes", 61.0);
  EXPECT_EQ(judge("000/figure9", result).sentence.find("fewer bytes"), std::string::npos);
}

TEST(MemoryVerdict, TellsWhatOpenMpiTakes) {
  Result result = split_memory();
  for (const auto &[label, mib] : {std::pair{"Open MPI, as shipped", 306.0},
                                   {"Open MPI, sparse groups", 6.01},
                                   {"ours, table AV", 9.02},
                                   {"ours, implicit AV", 0.0188}}) {
    EXPECT_EQ(judge("000/figure9", result).sentence.find("Open MPI"), std::string::npos) << "before " << label;
    result.table.rows.push_back({label, {{1.0}, {mib}}});
  }
  EXPECT_TRUE(judge("000/figure9", result)
                  .sentence.ends_with("; Open MPI takes 306 MiB with 100 communicators as shipped and 6.01 with sparse "
                                      "groups, before any process is met, ours 9.02 with a table AV and 0.0188 with an "
                                      "implicit one."))
      << judge("000/figure9", result).sentence;
}

/// 250 MiB, of which addresses are 240: of 524,288 processes, whose tables of nodes take 4 MiB for
/// each of 25 communicators.
Result nek5000_memory() {
  return numbers({"communicators", "VC-VCRT, MiB", "VC-VCRT, maps, bytes"}, {{"Nek5000, medium", {75, 250, 10 << 20}}});
}

TEST(MemoryVerdict, OfNek5000IsWithAndWithoutTablesOfNodes) {
  Result result = nek5000_memory();
  EXPECT_EQ(judge("000/figure17", result).word, kPartly);
  EXPECT_EQ(judge("000/figure17", result).here, "250 to 350 MiB");
  set(result, "Nek5000, medium", "communicators", 3.0);
  EXPECT_EQ(judge("000/figure17", result).word, kReproduced);
  set(result, "Nek5000, medium", "VC-VCRT, MiB", 400.0);
  EXPECT_EQ(judge("000/figure17", result).word, kContradicted);
}

TEST(MemoryVerdict, OfDynamicProcessesTellsWhichObjectsOpenMpiHas) {
  const Result result = numbers({"100 communicators, MiB"}, {{"AV-Rankmap (strict)", {3.4}},
                                                             {"VC-VCRT", {5.3}},
                                                             {"VC-VCRT, tables of 4 bytes (computed)", {3.6}},
                                                             {"Open MPI, as shipped", {3}},
                                                             {"Open MPI, sparse groups", {3}},
                                                             {"ours, table AV", {3}},
                                                             {"ours, implicit AV", {3}}});
  EXPECT_NE(judge("000/figure14", result).sentence.find("3 with sparse groups, with the objects of the other job's"),
            std::string::npos)
      << judge("000/figure14", result).sentence;
}

TEST(MemoryVerdict, OfNek5000TellsThatThePapersFiguresDoNotFitOneMpich) {
  Result result = nek5000_memory();
  EXPECT_NE(judge("000/figure17", result)
                .sentence.find("in 1 of 1 rows, and 350 with them, computed as 8 bytes per rank of each communicator, "
                               "around 250 in 0: 000/figure9 needs these tables"),
            std::string::npos)
      << judge("000/figure17", result).sentence;
  set(result, "Nek5000, medium", "communicators", 3.0);
  EXPECT_EQ(judge("000/figure17", result).sentence.find("000/figure9"), std::string::npos);
}

TEST(MemoryVerdict, OfMiniappsTellsWhatTablesOfNodesWouldAdd) {
  Result result = nek5000_memory();
  cell_of(result.table, "Nek5000, medium", "VC-VCRT, MiB").paper = 244.0;
  EXPECT_NE(judge("000/figure18", result).sentence.find("of each communicator (at most 100 MiB more), which"),
            std::string::npos)
      << judge("000/figure18", result).sentence;
}

TEST(MemoryVerdict, OfMiniappsShowsAllValuesThatThePaperStates) {
  Result result = numbers({"VC-VCRT, MiB", "AV-Rankmap (all forms, table AV), MiB"},
                          {{"BT, 16,384 processes", {7.5, 4}}, {"BT, 32,768 processes", {15, 8}}});
  cell_of(result.table, "BT, 16,384 processes", "VC-VCRT, MiB").paper = "around 15";
  cell_of(result.table, "BT, 16,384 processes", "AV-Rankmap (all forms, table AV), MiB").paper = 4.0;
  const Verdict verdict = judge("001/figure17", result);
  EXPECT_EQ(verdict.word, kReproduced);
  EXPECT_EQ(verdict.paper, "around 15 MB");
  EXPECT_EQ(verdict.here, "7.5 MiB");
  result.table.rows.push_back({"FT, 16,384 processes", {{8.0, "around 15"}, {}}});
  result.table.rows.push_back({"FT, 524,288 processes", {{250.0, 244.0}, {}}});
  EXPECT_EQ(judge("001/figure17", result).paper, "around 15, 244 MB");
  EXPECT_EQ(judge("001/figure17", result).here, "7.5 to 8, 250 MiB");
  result.table.rows.resize(2);
  set(result, "BT, 16,384 processes", "AV-Rankmap (all forms, table AV), MiB", 6.0);
  EXPECT_EQ(judge("001/figure17", result).word, kContradicted);
}

TEST(MemoryVerdict, OfMiniappsHasThePapersWords) {
  Result result = numbers({"VC-VCRT, MiB", "AV-Rankmap (all forms, table AV), MiB"}, {{"BT", {7.5, 4}}});
  cell_of(result.table, "BT", "AV-Rankmap (all forms, table AV), MiB").paper = 4.0;
  EXPECT_EQ(judge("001/figure17", result).sentence.find("rows where the paper has"), std::string::npos);
  cell_of(result.table, "BT", "VC-VCRT, MiB").paper = "around 15";
  EXPECT_NE(judge("001/figure17", result)
                .sentence.find("; VC-VCRT takes 7.5 MiB in the 1 rows where the paper has around 15;"),
            std::string::npos);
}

TEST(MemoryVerdict, OfMiniappsNamesAColumnOnce) {
  Result result = numbers({"AV-Rankmap (all forms, table AV), MiB"}, {{"BT", {6}}, {"FT", {6}}, {"SP", {6}}});
  for (Row &row : result.table.rows) {
    row.cells[0].paper = 4.0;
  }
  EXPECT_NE(judge("000/figure18", result).sentence.find("; not: AV-Rankmap (all forms, table AV), MiB in 3 rows;"),
            std::string::npos);
}

TEST(MemoryVerdict, OfMiniappsTellsWhyOurTablesAreLarger) {
  Result result = numbers({"VC-VCRT, MiB", "AV-Rankmap (all forms, table AV), MiB"}, {{"BT", {249, 6}}});
  cell_of(result.table, "BT", "AV-Rankmap (all forms, table AV), MiB").paper = 4.0;
  EXPECT_NE(judge("000/figure18", result)
                .sentence.find("6 MiB in the row BT are 12 bytes per process, as the paper "
                               "describes its entries, and its 4 MB are 8;"),
            std::string::npos);
  // Some bytes do not grow with the job.
  set(result, "BT", "AV-Rankmap (all forms, table AV), MiB", 6.1);
  EXPECT_NE(judge("000/figure18", result).sentence.find("and its 4 MB are 8;"), std::string::npos);
  set(result, "BT", "AV-Rankmap (all forms, table AV), MiB", 4.0);
  EXPECT_EQ(judge("000/figure18", result).sentence.find("bytes per process"), std::string::npos);
}

TEST(MemoryVerdict, OfDuplicatesIsOfTheShareOfAddresses) {
  Result result =
      numbers({"addresses, MiB", "100 communicators, MiB"}, {{"VC-VCRT", {360, 404}},
                                                             {"VC-VCRT, tables of 4 bytes (computed)", {360, 382}},
                                                             {"VC-VCRT, with its tables of nodes", {360, 1010}},
                                                             {"AV-Rankmap (strict)", {9, 9}}});
  EXPECT_EQ(judge("000/figure10", result).word, kPartly);
  EXPECT_EQ(judge("000/figure10", result).here, "89.1 %");
  EXPECT_NE(judge("000/figure10", result)
                .sentence.find("and 35.6 % with the tables of nodes of MPICH 3.2 (the paper: "
                               "nearly 95 %, which cannot include these)"),
            std::string::npos)
      << judge("000/figure10", result).sentence;
  set(result, "VC-VCRT, with its tables of nodes", "100 communicators, MiB", 380.0);
  EXPECT_NE(judge("000/figure10", result).sentence.find("(the paper: nearly 95 %);"), std::string::npos)
      << judge("000/figure10", result).sentence;
  set(result, "VC-VCRT", "100 communicators, MiB", 380.0);
  EXPECT_EQ(judge("000/figure10", result).word, kReproduced);
  set(result, "VC-VCRT", "100 communicators, MiB", 800.0);
  set(result, "VC-VCRT, tables of 4 bytes (computed)", "100 communicators, MiB", 600.0);
  EXPECT_EQ(judge("000/figure10", result).word, kContradicted);
}

TEST(MemoryVerdict, OfTheNegativeResultHasFewCommunicators) {
  const Result result = numbers(
      {"10 communicators, MiB", "100 communicators, MiB"},
      {{"AV-Rankmap (strict)", {0.5, 3}}, {"VC-VCRT", {2.5, 5}}, {"VC-VCRT, tables of 4 bytes (computed)", {2, 4}}});
  EXPECT_NE(judge("000/figure14", result).sentence.find("; with 10 it takes 0.5, VC-VCRT 2.5 and 2 (the paper: less"),
            std::string::npos);
}

TEST(MemoryVerdict, OfMiniappsHasNekbonesTables) {
  Result result = numbers({"VC-VCRT, MiB", "VC-VCRT, maps, bytes"},
                          {{"BT", {249, 8e6}}, {"FT", {245, 4e6}}, {"Nekbone", {246, 6e6}}});
  cell_of(result.table, "BT", "VC-VCRT, MiB").paper = 244.0;
  EXPECT_NE(judge("000/figure18", result)
                .sentence.find("Nekbone's VCRTs take 0.75 to 1.5 times the bytes of the others', 1 of them more than "
                               "Nekbone's (the paper: Nekbone's take about 50 % more)"),
            std::string::npos)
      << judge("000/figure18", result).sentence;
  set(result, "BT", "VC-VCRT, maps, bytes", 5e6);
  EXPECT_NE(judge("000/figure18", result).sentence.find("take 1.2 to 1.5 times the bytes of the others', 0 of them"),
            std::string::npos);
}

TEST(MemoryVerdict, OfTheNegativeResultComparesTheMapsAlone) {
  const Result result = numbers(
      {"100 communicators, MiB", "maps of 100, bytes"},
      {{"AV-Rankmap (strict)", {3, 200}}, {"VC-VCRT", {5, 200}}, {"VC-VCRT, tables of 4 bytes (computed)", {4, 100}}});
  EXPECT_NE(judge("000/figure14", result)
                .sentence.find("1 times the bytes of VC-VCRT's with 8-byte entries and 2 times with 4-byte ones"),
            std::string::npos);
}

} // namespace
} // namespace avrankmap::bench
