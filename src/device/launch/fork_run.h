// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fork launcher: forks the processes of a job and runs a function in each of them.
//
// The parent polls a pidfd per process or, where the system has none, checks all processes every 2
// ms. It therefore neither changes the program's signal handlers nor reaps the program's other
// children.
#ifndef AVRANKMAP_SRC_LAUNCH_FORK_RUN_H
#define AVRANKMAP_SRC_LAUNCH_FORK_RUN_H

#include <cstdint>

#include "avrankmap/device/boot.h"

namespace avrankmap::detail {

using ForkBody = int (*)(avrm_boot_t *boot, void *user);

// Implements avrm_boot_fork_run. The arguments are valid.
[[nodiscard]] avrm_status_t fork_run(const avrm_fork_options_t &options, ForkBody body, void *user,
                                     std::int32_t *exit_codes) noexcept;

} // namespace avrankmap::detail

#endif
