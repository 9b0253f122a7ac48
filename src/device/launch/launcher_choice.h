// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Determines from the environment which launcher started this process, and how long to wait for the
// other processes.
#ifndef AVRANKMAP_SRC_LAUNCH_LAUNCHER_CHOICE_H
#define AVRANKMAP_SRC_LAUNCH_LAUNCHER_CHOICE_H

#include <chrono>
#include <cstdint>

#include "avrankmap/status.h"

namespace avrankmap::detail {

enum class Launcher : std::uint8_t { kNone, kPmix, kPmi2 };

// The clients in this build.
struct LauncherClients {
  bool pmix;
  bool pmi2;
};

// Finds the launcher to use. Returns AVRM_OK; AVRM_ERR_OPTION (AVRM_LAUNCHER has an unknown value);
// AVRM_ERR_BOOT (a launcher started this process, but this build has no client for it, or the
// process cannot join its job): otherwise each process of such a job would run alone. After an
// error, a text is set (open_error.h), and *launcher_p is unchanged.
[[nodiscard]] avrm_status_t find_launcher(const LauncherClients &clients, Launcher *launcher_p) noexcept;

// Writes the value of AVRM_OPEN_TIMEOUT; 0: no limit. Returns AVRM_OK, or AVRM_ERR_OPTION with a
// text.
[[nodiscard]] avrm_status_t find_open_limit(std::chrono::seconds *limit_p) noexcept;
// The text of the error after that time has passed.
inline constexpr const char *kLateText =
    "not all processes of the job have come within AVRM_OPEN_TIMEOUT: one may have ended, which the launcher does not "
    "report";

} // namespace avrankmap::detail

#endif
