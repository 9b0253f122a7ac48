// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_TESTS_SUPPORT_BEFORE_FORKING_H
#define AVRANKMAP_TESTS_SUPPORT_BEFORE_FORKING_H

#include "tests/support/transports.h"

namespace avrankmap::test {

// Initialises libfabric in a process that forks others, which would take 0.1 to 0.15 s of processor
// time each for it (libfabric 1.17). It reads its environment here.
//
// Programs with this file have smaller and fewer buffers of libfabric's, except in long runs.
void initialize_libfabric();

// The same, in a process that forks those of a job, if this is its transport.
void before_forking(const Transport &transport);

// Whether the netmod refuses the provider in the version of libfabric that is here.
[[nodiscard]] bool is_refused(const Transport &transport);

} // namespace avrankmap::test

#endif
