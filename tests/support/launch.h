// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs jobs under Open MPI's mpirun, and under hydra's mpiexec. Their paths are AVRM_MPIRUN and
// AVRM_HYDRA ("" if there is none).
#ifndef AVRANKMAP_TESTS_SUPPORT_LAUNCH_H
#define AVRANKMAP_TESTS_SUPPORT_LAUNCH_H

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#ifndef AVRM_MPIRUN
#define AVRM_MPIRUN ""
#endif
#ifndef AVRM_HYDRA
#define AVRM_HYDRA ""
#endif

namespace avrankmap::test {

inline bool has_mpirun() { return *AVRM_MPIRUN != '\0'; }

// Why a test that needs it is skipped.
inline constexpr const char *kNoMpirun =
    "Open MPI's mpirun was not found at configure time (Debian and Ubuntu: openmpi-bin)";

inline std::vector<std::string> mpirun_words(int size) {
  std::vector<std::string> words = {AVRM_MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", std::to_string(size)};
  if (geteuid() == 0) {
    words.emplace_back("--allow-run-as-root");
  }
  return words;
}

inline bool has_hydra() { return *AVRM_HYDRA != '\0'; }

inline constexpr const char *kNoHydra = "hydra's mpiexec was not found at configure time (Debian and Ubuntu: hydra)";

inline std::vector<std::string> hydra_words(int size) { return {AVRM_HYDRA, "-n", std::to_string(size)}; }

// Clang's sanitizers name functions by a program that may outlive the process that it serves.
inline bool is_symbolizer(pid_t dead) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(dead) + "/comm"), name);
  return name.find("symbolizer") != std::string::npos;
}

// Runs a program under a launcher. Returns the launcher's exit code, followed by the codes of the
// processes that outlived it.
inline std::vector<int> launch(std::vector<std::string> words, const std::vector<std::string> &program) {
  words.insert(words.end(), program.begin(), program.end());
  std::vector<char *> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string &word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);

  // Orphans become children of this process. All processes end by themselves, or by their alarms.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t launcher = 0;
  if (posix_spawnp(&launcher, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
    return {-1};
  }
  int status = 0;
  std::vector<int> codes(1);
  siginfo_t dead{};
  while (waitid(P_ALL, 0, &dead, WEXITED | WNOWAIT) == 0) {
    const bool counts = !is_symbolizer(dead.si_pid);
    waitpid(dead.si_pid, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (dead.si_pid == launcher) {
      codes[0] = code;
    } else if (counts) {
      codes.push_back(code);
    }
  }
  return codes;
}

} // namespace avrankmap::test

#endif
