// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of real MPI libraries, with and without the survey library preloaded.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace avrankmap::survey {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

struct Mpi {
  const char *name;
  const char *run;
  const char *preloaded; // the survey library
  const char *c;
  const char *fortran;
  const char *fortran08;
  const char *title;
};

[[maybe_unused]] void PrintTo(const Mpi &mpi, std::ostream *stream) { *stream << mpi.name; }

constexpr Mpi kMpich{"Mpich",      AVRM_MPICH_RUN, AVRM_MPICH_LIBRARY, AVRM_MPICH_C,
                     AVRM_MPICH_F, AVRM_MPICH_F08, "MPICH Version: "};
constexpr Mpi kOpenMpi{"OpenMpi",      AVRM_OPENMPI_RUN, AVRM_OPENMPI_LIBRARY, AVRM_OPENMPI_C,
                       AVRM_OPENMPI_F, AVRM_OPENMPI_F08, "Open MPI v"};

std::string read_file(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;
  std::string out; // sorted lines, since processes print in any order
  std::string err;
  std::vector<Json> reports;
};

std::string sorted_lines(const std::string &text) {
  std::istringstream stream(text);
  Words lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line + '\n');
  }
  std::sort(lines.begin(), lines.end());
  std::string result;
  for (const std::string &line : lines) {
    result += line;
  }
  return result;
}

class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "avrm_survey_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// Runs a command. Reports are read from files report.*.json in the folder.
Outcome run(const Words &words, const std::filesystem::path &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::filesystem::remove(entry.path()); // of the run before
  }
  std::vector<char *> arguments;
  for (const std::string &word : words) {
    arguments.push_back(const_cast<char *>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string out = folder / "stdout", err = folder / "stderr";
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  Outcome outcome;
  pid_t pid = 0;
  if (posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) == 0) {
    int status = 0;
    waitpid(pid, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  posix_spawn_file_actions_destroy(&actions);
  outcome.out = sorted_lines(read_file(out));
  outcome.err = read_file(err);
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      outcome.reports.push_back(Json::parse(read_file(entry.path())));
    }
  }
  std::sort(outcome.reports.begin(), outcome.reports.end(),
            [](const Json &a, const Json &b) { return a["rank"].get<int>() < b["rank"].get<int>(); });
  return outcome;
}

class SurveyPreload : public testing::TestWithParam<Mpi> {
protected:
  void SetUp() override {
    if (*mpi().run == '\0') {
      GTEST_SKIP() << "this MPI was not found at configure time (Debian and Ubuntu: mpich libmpich-dev, openmpi-bin "
                      "libopenmpi-dev)";
    }
    unsetenv("AVRM_SURVEY_OUT");
    unsetenv("AVRM_SURVEY_PROJECT");
  }

  static const Mpi &mpi() { return GetParam(); }

  /// The launcher with environment variables for the processes, NAME=VALUE.
  static Words launcher(int size, const Words &variables) {
    const bool open = std::string_view(mpi().name) == kOpenMpi.name;
    Words words{"timeout", "300", mpi().run, "-n", std::to_string(size)};
    if (open) {
      const Words options{"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"};
      words.insert(words.end(), options.begin(), options.end());
      if (geteuid() == 0) {
        words.emplace_back("--allow-run-as-root");
      }
    }
    for (const std::string &variable : variables) {
      const std::size_t equals = variable.find('=');
      const Words option =
          open ? Words{"-x", variable} : Words{"-genv", variable.substr(0, equals), variable.substr(equals + 1)};
      words.insert(words.end(), option.begin(), option.end());
    }
    return words;
  }

  Outcome plain(int size, const Words &program) { return launch(size, {}, program); }

  /// With the survey, which writes to files.
  Outcome surveyed(int size, const Words &program, Words variables = {}) {
    variables.push_back(std::string("LD_PRELOAD=") + mpi().preloaded);
    variables.push_back("AVRM_SURVEY_OUT=" + (folder_.path() / "report").string());
    return launch(size, variables, program);
  }

  /// A single process needs no launcher, and starts much faster.
  Outcome launch(int size, const Words &variables, const Words &program) {
    Words words{"timeout", "300", "env"};
    if (size > 1) {
      words = launcher(size, variables);
    } else {
      words.insert(words.end(), variables.begin(), variables.end());
    }
    words.insert(words.end(), program.begin(), program.end());
    return run(words, folder_.path());
  }

  /// Checks that the program behaves as without the survey, and that the survey reports no error.
  /// Returns the reports.
  std::vector<Json> undisturbed(int size, const Words &program, std::size_t reports) {
    const Outcome without = plain(size, program);
    const Outcome with = surveyed(size, program);
    EXPECT_EQ(with.out, without.out);
    EXPECT_EQ(with.code, without.code);
    EXPECT_EQ(with.err.find("survey:"), std::string::npos) << with.err;
    EXPECT_EQ(with.reports.size(), reports) << with.err;
    for (const Json &report : with.reports) {
      EXPECT_EQ(report["mismatched"], 0) << report;
      EXPECT_EQ(report["stopped"], "") << report;
      EXPECT_TRUE(report["mpi"].get<std::string>().starts_with(mpi().title)) << report["mpi"];
    }
    return with.reports;
  }

private:
  Folder folder_;
};

TEST_P(SurveyPreload, EveryWayToMakeACommunicatorIsSeen) {
  const std::vector<Json> reports = undisturbed(3, {mpi().c, "ways"}, 3);
  ASSERT_FALSE(reports.empty());
  const Json expected{{"dup", 3},      {"split", 1}, {"split_type", 1}, {"create", 2}, {"cart", 1},
                      {"cart_sub", 1}, {"graph", 1}, {"intercomm", 1},  {"merge", 1}};
  EXPECT_EQ(reports[0]["by_made"], expected);
  EXPECT_EQ(reports[0]["null"], 1); // out of its split with MPI_UNDEFINED
  EXPECT_EQ(reports[0]["ended"], "MPI_Finalize");
  EXPECT_GT(reports[0]["members_checked"], 100);
  // The second communicator's parent is the first, although MPI_Comm_idup delivered it late.
  EXPECT_EQ(reports[0]["communicators"][3]["call"], "MPI_Comm_idup");
  EXPECT_EQ(reports[0]["communicators"][3]["parent"], 2);
}

TEST_P(SurveyPreload, ThousandsThatAreFreedLeaveNothingBehind) {
  const std::vector<Json> reports = undisturbed(1, {mpi().c, "many"}, 1);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0]["made"], 2000);
  EXPECT_EQ(reports[0]["most_live"], 3);
}

TEST_P(SurveyPreload, ThreadsMayMakeCommunicatorsAtOnce) {
  const std::vector<Json> reports = undisturbed(1, {mpi().c, "threads"}, 1);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0]["made"], 400);
}

TEST_P(SurveyPreload, ErrorsThatTheProgramHandlesStayItsOwn) { undisturbed(1, {mpi().c, "errors"}, 1); }

TEST_P(SurveyPreload, TheExitStatusStays) { undisturbed(1, {mpi().c, "code"}, 1); }

TEST_P(SurveyPreload, AProgramThatNeverCallsFinalizeReportsAtItsExit) {
  const std::vector<Json> reports = undisturbed(1, {mpi().c, "exit"}, 1);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0]["ended"], "exit without MPI_Finalize");
  EXPECT_EQ(reports[0]["made"], 1);
}

TEST_P(SurveyPreload, AProgramThatCallsAbortReportsBefore) {
  const Outcome outcome = surveyed(1, {mpi().c, "abort"});
  EXPECT_EQ(outcome.code, 3);
  ASSERT_EQ(outcome.reports.size(), 1U);
  EXPECT_EQ(outcome.reports[0]["ended"], "MPI_Abort");
}

TEST_P(SurveyPreload, AForkedChildReportsNothing) { undisturbed(1, {mpi().c, "fork"}, 1); }

TEST_P(SurveyPreload, AProgramWithoutMpiIsLeftAlone) { undisturbed(1, {mpi().c, "nothing"}, 0); }

TEST_P(SurveyPreload, FortranProgramsAreSeen) {
  if (*mpi().fortran == '\0') {
    GTEST_SKIP() << "gfortran was not found at configure time";
  }
  const Json expected{{"dup", 1}, {"split", 1}, {"cart", 1}, {"cart_sub", 1}};
  for (const char *program : {mpi().fortran, mpi().fortran08}) {
    const std::vector<Json> reports = undisturbed(2, {program}, 2);
    ASSERT_FALSE(reports.empty());
    EXPECT_EQ(reports[0]["by_made"], expected) << program;
    EXPECT_EQ(reports[0]["most_live"], 6);
  }
}

TEST_P(SurveyPreload, SpawnedProcessesAreAProcessGroupOfTheirOwn) {
  if (std::string_view(mpi().name) == kMpich.name) {
    GTEST_SKIP() << "MPICH 4.0.2 as packaged cannot spawn processes";
  }
  const Outcome outcome = surveyed(2, {mpi().c, "spawn"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(outcome.reports.size(), 4U) << outcome.err;
  for (const Json &report : outcome.reports) {
    EXPECT_EQ(report["process_groups"], 2);
    EXPECT_EQ(report["mismatched"], 0);
    EXPECT_EQ(report["communicators"][3]["strict"], "mlut");
  }
}

TEST_P(SurveyPreload, WithoutAFileTheFirstProcessReports) {
  const Outcome outcome =
      launch(2, {std::string("LD_PRELOAD=") + mpi().preloaded, "AVRM_SURVEY_PROJECT=786432"}, {mpi().c, "ways"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("rank 0 of 2"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("rank 1 of 2"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("projected to 786,432 processes"), std::string::npos) << outcome.err;
}

TEST_P(SurveyPreload, AFileThatCannotBeWrittenDoesNotStopTheProgram) {
  const Outcome outcome = launch(
      1, {std::string("LD_PRELOAD=") + mpi().preloaded, "AVRM_SURVEY_OUT=/nonexistent/report"}, {mpi().c, "code"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_NE(outcome.err.find("survey: cannot write /nonexistent/report.0."), std::string::npos) << outcome.err;
}

TEST_P(SurveyPreload, TheLibraryOfAnotherMpiSaysSoOnceAndStaysPassive) {
  const Mpi &other = std::string_view(mpi().name) == kMpich.name ? kOpenMpi : kMpich;
  if (*other.preloaded == '\0') {
    GTEST_SKIP() << "the other MPI was not found at configure time";
  }
  const Outcome without = plain(2, {mpi().c, "ways"});
  const Outcome with = launch(2, {std::string("LD_PRELOAD=") + other.preloaded}, {mpi().c, "ways"});
  EXPECT_EQ(with.out, without.out);
  EXPECT_EQ(with.code, 0);
  const std::size_t message = with.err.find("survey: this survey library was built for ");
  ASSERT_NE(message, std::string::npos) << with.err;
  EXPECT_EQ(with.err.find("survey:", message + 1), std::string::npos) << with.err;
}

TEST_P(SurveyPreload, AnUnknownMpiIsReportedAndNotSurveyed) {
  struct Case {
    const char *program;
    std::string version;
    const char *message;
  };
  const std::string own = std::string(mpi().title) + "4.0";
  for (const Case &fake :
       {Case{AVRM_FAKE_OLD_PROGRAM, "", "is older than MPI 3, without MPI_Get_library_version"},
        Case{AVRM_FAKE_NEW_PROGRAM, "", "the program runs on an unknown MPI"},
        Case{AVRM_FAKE_NEW_PROGRAM, "Some MPI 9", "the program runs on Some MPI 9"},
        Case{AVRM_FAKE_NEW_PROGRAM, std::string(mpi().title) + "1.0", "whose binary interface may differ"},
        Case{AVRM_FAKE_NEW_PROGRAM, own, "the MPI library has no symbol PMPI_Initialized"}}) {
    const std::string version = "FAKE_MPI_VERSION=" + fake.version;
    const Outcome without = launch(1, {version}, {fake.program});
    const Outcome with = launch(1, {version, std::string("LD_PRELOAD=") + mpi().preloaded}, {fake.program});
    EXPECT_EQ(without.code, 7);
    EXPECT_EQ(with.code, 7);
    EXPECT_EQ(with.out, without.out);
    EXPECT_NE(with.err.find(fake.message), std::string::npos) << with.err;
    EXPECT_EQ(std::count(with.err.begin(), with.err.end(), '\n'), 1) << with.err;
  }
}

TEST_P(SurveyPreload, ABadProjectionIsSaidAndTheSurveyGoesOn) {
  const Outcome outcome = surveyed(1, {mpi().c, "code"}, {"AVRM_SURVEY_PROJECT=many"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_NE(outcome.err.find("AVRM_SURVEY_PROJECT is \"many\", not a number"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.reports.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(With, SurveyPreload, testing::Values(kMpich, kOpenMpi),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::survey
