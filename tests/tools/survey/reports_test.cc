// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/job.h"
#include "tools/survey/report.h"
#include "tools/survey/settings.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::survey {
namespace {

Summary small_summary() {
  RebuiltComms comms(4, 1024);
  const std::vector<avrm_gpid_t> all{{0, 0}, {0, 1}, {0, 2}, {0, 3}};
  const std::vector<avrm_gpid_t> order{{0, 2}, {0, 0}, {0, 1}};
  comms.add({1, 0, Made::kPredefined, "MPI_COMM_WORLD", all, {}});
  comms.add({2, 1, Made::kSplit, "MPI_Comm_split", order, {}});
  comms.add_null();
  return comms.summary();
}

const About kAbout{"program", "MPICH Version: 4.0.2", 0, "MPI_Finalize", ""};

TEST(SurveyReport, TextNamesEachCallAndItsModes) {
  const std::string text = to_text(kAbout, small_summary());
  EXPECT_NE(text.find("survey: program, rank 0 of 4, MPICH Version: 4.0.2, ended by MPI_Finalize\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("MPI_Comm_split"), std::string::npos) << text;
  EXPECT_NE(text.find("lut"), std::string::npos) << text;
  EXPECT_NE(text.find("projected to 1,024 processes"), std::string::npos) << text;
  EXPECT_NE(text.find("; different: 0\n"), std::string::npos) << text;
}

TEST(SurveyReport, TextNamesTheReasonOfAnEarlyEnd) {
  About about = kAbout;
  about.stopped = "memory is exhausted";
  EXPECT_NE(to_text(about, small_summary()).find("stopped early: memory is exhausted"), std::string::npos);
}

TEST(SurveyReport, MismatchesNameTheMapAndTheMembers) {
  Summary summary = small_summary();
  summary.mismatched = 1;
  summary.mismatches.push_back({1, "strict", 2, {0, 1}, {0, 3}, {{0, 2}, {0, 0}, {1, 1}}});
  EXPECT_NE(to_text(kAbout, summary)
                .find("MISMATCH in process 0 of program, communicator 1, map strict: rank 2 is 0:1 "
                      "in the MPI library, 0:3 in the map\n"),
            std::string::npos);
  const auto json = nlohmann::json::parse(to_json(kAbout, summary));
  EXPECT_EQ(json["mismatches"][0]["processes"], nlohmann::json::parse(R"([2, 0, "1:1"])"));
}

TEST(SurveyReport, JsonHasEveryCommunicator) {
  const auto json = nlohmann::json::parse(to_json(kAbout, small_summary()));
  ASSERT_EQ(json["communicators"].size(), 2U);
  EXPECT_EQ(json["communicators"][1]["call"], "MPI_Comm_split");
  EXPECT_EQ(json["communicators"][1]["parent"], 0);
  EXPECT_EQ(json["communicators"][1]["bytes"]["strict"], 56 + 16 + 4 * 3);
  EXPECT_EQ(json["null"], 1);
  EXPECT_EQ(json["made"], 1);
}

TEST(SurveyReport, AProgramsNameNeedNotBeUtf8) {
  About about = kAbout;
  about.program = "\xff";
  EXPECT_FALSE(nlohmann::json::parse(to_json(about, small_summary())).empty());
}

TEST(SurveyJob, TakesTheMostOfEachProcess) {
  Job job;
  Summary larger = small_summary();
  larger.made = 5;
  larger.peak_bytes[2] = 1'000'000;
  larger.members_checked = 3;
  About second = kAbout;
  second.rank = 1;
  second.ended = "MPI_Abort";
  add_report(job, to_json(kAbout, small_summary()));
  add_report(job, to_json(second, larger));
  EXPECT_EQ(job.reports, 2);
  EXPECT_EQ(job.fewest_made, 1);
  EXPECT_EQ(job.made, 5);
  EXPECT_EQ(job.peak_bytes[0], small_summary().peak_bytes[0]);
  EXPECT_EQ(job.peak_bytes[2], 1'000'000U);
  EXPECT_EQ(job.members_checked, small_summary().members_checked + 3);
  EXPECT_EQ(job.ended, (std::set<std::string>{"MPI_Abort", "MPI_Finalize"}));
}

TEST(SurveyJob, RowsHaveAsManyCellsAsTheHead) {
  Job job;
  add_report(job, to_json(kAbout, small_summary()));
  const std::string head = markdown_head(1024);
  const std::string row = markdown_row("name", job);
  const std::string first = head.substr(0, head.find('\n'));
  EXPECT_EQ(std::count(row.begin(), row.end(), '|'), std::count(first.begin(), first.end(), '|'));
  EXPECT_EQ(std::count(head.begin(), head.end(), '|'), 2 * std::count(first.begin(), first.end(), '|'));
}

TEST(SurveyJob, RefusesWhatIsNoReportAndChangesNothing) {
  Job job;
  add_report(job, to_json(kAbout, small_summary()));
  const std::string before = to_json(job);
  for (const char *text : {"", "{", "[]", "{}", R"({"schema": 99})", R"({"schema": 1, "program": 3})"}) {
    EXPECT_THROW(add_report(job, text), std::runtime_error) << text;
  }
  EXPECT_EQ(to_json(job), before);
}

// -------------------------------------------------------------------------------------------------

TEST(SurveySettings, NothingSetIsNoProjectionToStderr) {
  const Settings settings = read_settings(nullptr, nullptr);
  EXPECT_TRUE(settings.out.empty());
  EXPECT_EQ(settings.project, 0);
  EXPECT_TRUE(settings.complaint.empty());
}

TEST(SurveySettings, BadNumbersAreReportedAndIgnored) {
  for (const char *text : {"0", "-1", "x", "12x", "2147483648", " 5"}) {
    const Settings settings = read_settings("out", text);
    EXPECT_EQ(settings.project, 0) << text;
    EXPECT_NE(settings.complaint.find(text), std::string::npos) << settings.complaint;
    EXPECT_EQ(settings.out, "out");
  }
  EXPECT_EQ(read_settings(nullptr, "2147483647").project, 2147483647);
}

TEST(SurveySettings, LibrariesAreIdentified) {
  const LibraryVersion open = parse_library_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4");
  EXPECT_EQ(open.family, Family::kOpenMpi);
  EXPECT_EQ(open.major, 4);
  EXPECT_EQ(open.title, "Open MPI v4.1.4");
  const LibraryVersion mpich = parse_library_version("MPICH Version:\t4.0.2\nMPICH Release date:\tThu");
  EXPECT_EQ(mpich.family, Family::kMpich);
  EXPECT_EQ(mpich.major, 4);
  EXPECT_EQ(mpich.title, "MPICH Version: 4.0.2");
  EXPECT_EQ(parse_library_version("Some MPI 1.0").family, Family::kUnknown);
  EXPECT_EQ(parse_library_version("").family, Family::kUnknown);
}

TEST(SurveySettings, OnlyTheRightMpiIsWatched) {
  const LibraryVersion open{Family::kOpenMpi, 4, "Open MPI v4.1.4"};
  const LibraryVersion mpich{Family::kMpich, 4, "MPICH Version: 4.0.2"};
  EXPECT_EQ(why_not(Family::kOpenMpi, 4, open), "");
  EXPECT_EQ(why_not(Family::kOpenMpi, 5, open), "");
  EXPECT_EQ(why_not(Family::kMpich, 4, mpich), "");
  EXPECT_EQ(why_not(Family::kMpich, 4, open),
            "this survey library was built for MPICH 4, the program runs on Open MPI v4.1.4");
  EXPECT_NE(why_not(Family::kOpenMpi, 4, {Family::kOpenMpi, 1, "Open MPI v1.10"}), "");
  EXPECT_NE(why_not(Family::kOpenMpi, 4, {Family::kUnknown, 0, ""}), "");
  EXPECT_NE(why_not(Family::kMpich, 4, {Family::kMpich, 2, "MPICH Version: 2.0"}), "");
}

TEST(SurveySettings, AFileThatCannotBeWrittenIsNamed) {
  EXPECT_EQ(write_file("/nonexistent/file", "x"), "cannot write /nonexistent/file: No such file or directory");
}

} // namespace
} // namespace avrankmap::survey
