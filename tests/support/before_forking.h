// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_TESTS_SUPPORT_BEFORE_FORKING_H
#define AVRANKMAP_TESTS_SUPPORT_BEFORE_FORKING_H

#include "tests/support/transports.h"

namespace avrankmap::test {

// Initialises libfabric in a process that forks others, which would take 0.1 to 0.15 s of processor
// time each for it (libfabric 1.17). It reads its environment here.
void initialize_libfabric();

// In short runs: smaller buffers for libfabric's ofi_rxm, which clears 65 MB of them whenever it is
// opened, and 24 MB now. Concerns this process, if libfabric is not initialised, and its children.
void use_small_buffers();

// Both, in a process that forks those of a job, if this is its transport. Together they are four
// fifths of what a short test over libfabric takes.
void before_forking(const Transport &transport);

} // namespace avrankmap::test

#endif
