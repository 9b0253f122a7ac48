// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/launcher_choice.h"

#include <cstdio>
#include <string_view>

#include "base/environment.h"
#include "base/open_error.h"

namespace avrankmap::detail {

namespace {

constexpr std::int32_t kOpenSeconds = 600; // default of AVRM_OPEN_TIMEOUT

avrm_status_t refuse(const char *text) noexcept {
  set_open_error(text);
  return AVRM_ERR_BOOT;
}

avrm_status_t refuse_value(env::Variable variable) noexcept {
  char text[160];
  (void)std::snprintf(text, sizeof text, "%s of the environment is \"%.40s\", but may be: %s", env::row(variable).name,
                      env::word(variable), env::row(variable).values);
  set_open_error(text);
  return AVRM_ERR_OPTION;
}

bool is_set(env::Variable variable) noexcept { return env::text(variable) != nullptr; }

// A shell in a Slurm allocation has the first variable, but is in a step of one task or in none.
bool is_one_of_many_tasks() noexcept {
  std::int32_t tasks = 1;
  return is_set(env::kSlurmProcid) && env::number(env::kSlurmStepTasks, 0, &tasks) == AVRM_OK && tasks > 1;
}

} // namespace

avrm_status_t find_launcher(const LauncherClients &clients, Launcher *launcher_p) noexcept {
  static_assert(std::string_view(env::row(env::kLauncher).values) == "pmix, pmi2, none");
  constexpr int kPmix = 1;
  constexpr int kPmi2 = 2;
  constexpr int kNone = 3;
  int asked = 0;
  if (env::choice(env::kLauncher, &asked) != AVRM_OK) {
    return refuse_value(env::kLauncher);
  }
  const bool has_pmix = is_set(env::kPmixNamespace) && is_set(env::kPmixRank);
  const bool has_pmi = is_set(env::kPmiFd) || is_set(env::kPmiPort) || is_set(env::kPmiRank);
  if (asked == kPmix || (asked == 0 && has_pmix)) {
    if (!clients.pmix) {
      return refuse(
          "a PMIx launcher started this process, but this build of avrankmap has no PMIx: install "
          "libpmix-dev (Debian and Ubuntu) or set PKG_CONFIG_PATH, and configure again; or set AVRM_LAUNCHER");
    }
    if (!has_pmix) {
      return refuse("AVRM_LAUNCHER is pmix, but no PMIx launcher started this process: PMIX_NAMESPACE is not set");
    }
    *launcher_p = Launcher::kPmix;
    return AVRM_OK;
  }
  if (asked == kPmi2 || (asked == 0 && has_pmi)) {
    if (!clients.pmi2) {
      return refuse("a PMI launcher started this process, but this build of avrankmap has no PMI-2: install "
                    "libpmi2-0-dev (Debian and Ubuntu) or set AVRM_PMI2_LIBRARY and AVRM_PMI2_INCLUDE_DIR, and "
                    "configure again; or set AVRM_LAUNCHER");
    }
    *launcher_p = Launcher::kPmi2;
    return AVRM_OK;
  }
  if (asked != kNone && is_one_of_many_tasks()) {
    return refuse("srun started this process and others, but none of them can join the others: "
                  "use srun --mpi=pmi2 or --mpi=pmix; AVRM_LAUNCHER=none runs each alone");
  }
  *launcher_p = Launcher::kNone;
  return AVRM_OK;
}

avrm_status_t find_open_limit(std::chrono::seconds *limit_p) noexcept {
  std::int32_t seconds = kOpenSeconds;
  if (env::number(env::kOpenTimeout, 0, &seconds) != AVRM_OK) {
    return refuse_value(env::kOpenTimeout);
  }
  *limit_p = std::chrono::seconds(seconds);
  return AVRM_OK;
}

} // namespace avrankmap::detail
