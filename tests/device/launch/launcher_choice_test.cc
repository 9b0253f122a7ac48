// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher that the environment shows.
#include "launch/launcher_choice.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "avrankmap/device/boot.h"
#include "avrankmap/device/device.h"

namespace avrankmap::test {
namespace {

using detail::Launcher;
using detail::LauncherClients;

constexpr LauncherClients kAll{true, true};
constexpr LauncherClients kNone{false, false};

// An environment with these variables of launchers, and no others of them.
class LauncherChoice : public testing::Test {
protected:
  LauncherChoice() {
    for (const char *name : kNames) {
      if (const char *const value = std::getenv(name)) {
        saved_[name] = value;
      }
      unsetenv(name);
    }
  }
  ~LauncherChoice() override {
    for (const char *name : kNames) {
      unsetenv(name);
    }
    for (const auto &[name, value] : saved_) {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }

  static void set(std::initializer_list<std::pair<const char *, const char *>> values) {
    for (const auto &[name, value] : values) {
      setenv(name, value, 1);
    }
  }
  static avrm_status_t find(const LauncherClients &clients, Launcher *launcher) {
    return detail::find_launcher(clients, launcher);
  }
  static Launcher found(const LauncherClients &clients = kAll) {
    Launcher launcher = Launcher::kNone;
    EXPECT_EQ(find(clients, &launcher), AVRM_OK) << avrm_device_open_error();
    return launcher;
  }
  static std::string refusal(const LauncherClients &clients, avrm_status_t status = AVRM_ERR_BOOT) {
    Launcher launcher = Launcher::kNone;
    EXPECT_EQ(find(clients, &launcher), status);
    EXPECT_EQ(launcher, Launcher::kNone);
    return avrm_device_open_error();
  }

private:
  static constexpr const char *kNames[] = {
      "AVRM_LAUNCHER", "PMIX_NAMESPACE",       "PMIX_RANK",        "PMI_FD", "PMI_PORT", "PMI_RANK", "PMI_JOBID",
      "SLURM_PROCID",  "SLURM_STEP_NUM_TASKS", "AVRM_OPEN_TIMEOUT"};
  std::map<std::string, std::string> saved_;
};

bool has(const std::string &text, const char *word) { return text.find(word) != std::string::npos; }

TEST_F(LauncherChoice, WithoutALauncherAProcessRunsAlone) { EXPECT_EQ(found(kNone), Launcher::kNone); }

TEST_F(LauncherChoice, PmixIsKnownByItsNamespaceAndRank) {
  set({{"PMIX_NAMESPACE", "job"}});
  EXPECT_EQ(found(), Launcher::kNone);
  set({{"PMIX_RANK", "0"}});
  EXPECT_EQ(found(), Launcher::kPmix);
}

TEST_F(LauncherChoice, Pmi2IsKnownByItsDescriptorPortOrRank) {
  for (const char *name : {"PMI_FD", "PMI_PORT", "PMI_RANK"}) {
    set({{name, "7"}});
    EXPECT_EQ(found(), Launcher::kPmi2) << name;
    unsetenv(name);
  }
}

TEST_F(LauncherChoice, PmixComesFirst) {
  set({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}, {"PMI_FD", "7"}});
  EXPECT_EQ(found(), Launcher::kPmix);
}

TEST_F(LauncherChoice, TheVariableFixesTheChoice) {
  set({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}, {"PMI_FD", "7"}, {"AVRM_LAUNCHER", "pmi2"}});
  EXPECT_EQ(found(), Launcher::kPmi2);
  set({{"AVRM_LAUNCHER", "none"}});
  EXPECT_EQ(found(kNone), Launcher::kNone);
  set({{"AVRM_LAUNCHER", "pmix"}});
  EXPECT_EQ(found(), Launcher::kPmix);
}

TEST_F(LauncherChoice, AnUnknownNameIsAnErrorThatListsTheNames) {
  set({{"AVRM_LAUNCHER", "mpirun"}});
  const std::string text = refusal(kAll, AVRM_ERR_OPTION);
  EXPECT_TRUE(has(text, "mpirun") && has(text, "pmix, pmi2, none")) << text;
}

TEST_F(LauncherChoice, AMissingClientIsAnErrorThatNamesItsPackage) {
  set({{"PMI_FD", "7"}});
  EXPECT_TRUE(has(refusal({true, false}), "libpmi2-0-dev"));
  EXPECT_TRUE(has(refusal({true, false}), "AVRM_PMI2_LIBRARY"));
  set({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}});
  EXPECT_TRUE(has(refusal({false, true}), "libpmix-dev"));
}

TEST_F(LauncherChoice, PmixWithoutItsLauncherIsRefused) {
  set({{"AVRM_LAUNCHER", "pmix"}});
  EXPECT_TRUE(has(refusal(kAll), "PMIX_NAMESPACE"));
}

TEST_F(LauncherChoice, TasksOfSrunWithoutPmiAreRefused) {
  set({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}});
  EXPECT_TRUE(has(refusal(kAll), "--mpi=pmi2"));
  set({{"AVRM_LAUNCHER", "none"}});
  EXPECT_EQ(found(), Launcher::kNone);
}

TEST_F(LauncherChoice, AShellInAnAllocationOfSlurmIsNoTask) {
  set({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_EQ(found(), Launcher::kNone);
  unsetenv("SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(found(), Launcher::kNone);
}

TEST_F(LauncherChoice, TheTimeLimitIsTenMinutesUnlessTheVariableSaysOtherwise) {
  std::chrono::seconds limit{7};
  EXPECT_EQ(detail::find_open_limit(&limit), AVRM_OK);
  EXPECT_EQ(limit, std::chrono::minutes(10));
  for (const char *const text : {"0", "2147483647"}) {
    set({{"AVRM_OPEN_TIMEOUT", text}});
    EXPECT_EQ(detail::find_open_limit(&limit), AVRM_OK);
    EXPECT_EQ(std::to_string(limit.count()), text);
  }
}

TEST_F(LauncherChoice, ATimeLimitThatIsNoNumberIsAnErrorThatNamesTheVariable) {
  for (const char *const text : {"-1", "soon", "2147483648"}) {
    set({{"AVRM_OPEN_TIMEOUT", text}});
    std::chrono::seconds limit{7};
    EXPECT_EQ(detail::find_open_limit(&limit), AVRM_ERR_OPTION);
    EXPECT_EQ(limit.count(), 7);
    EXPECT_TRUE(has(avrm_device_open_error(), "AVRM_OPEN_TIMEOUT")) << avrm_device_open_error();
  }
}

TEST_F(LauncherChoice, ABootTellsWhyItDoesNotOpen) {
  set({{"PMI_FD", "999"}});
  avrm_boot_t *boot = nullptr;
  EXPECT_EQ(avrm_boot_open(&boot), AVRM_ERR_BOOT);
  EXPECT_TRUE(has(avrm_device_open_error(), "PMI")) << avrm_device_open_error();
  set({{"AVRM_LAUNCHER", "x"}});
  EXPECT_EQ(avrm_boot_open(&boot), AVRM_ERR_OPTION);
  EXPECT_EQ(boot, nullptr);
}

} // namespace
} // namespace avrankmap::test
