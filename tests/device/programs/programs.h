// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs as a user of the device writes them, with the public headers alone: each is for any
// number of processes and verifies everything that it receives. programs_test.cc runs them in
// forked jobs, client_job.cc under a PMIx launcher.
#ifndef AVRANKMAP_TESTS_PROGRAMS_PROGRAMS_H
#define AVRANKMAP_TESTS_PROGRAMS_PROGRAMS_H

#include "tests/device/core/process.h"

namespace avrankmap::test {

// A grid of cells in two dimensions that wraps around. Neighbours exchange rows and columns.
void exchange_halos(Process &process);
// Random puts and gets in windows of both kinds, with flushes of one target and of all.
void put_and_get_at_random(Process &process);
// All send to all messages of all sizes, and receive them by wildcards.
void exchange_mixed_sizes(Process &process);
// Messages come in order, those that are too long are truncated, and receives can be cancelled.
void match_truncate_and_cancel(Process &process);

struct Client {
  const char *name;
  void (*run)(Process &process);
};

inline constexpr Client kClients[] = {
    {"exchange_halos", exchange_halos},
    {"put_and_get_at_random", put_and_get_at_random},
    {"exchange_mixed_sizes", exchange_mixed_sizes},
    {"match_truncate_and_cancel", match_truncate_and_cancel},
};

// How much more the long form does.
inline int times_longer() { return is_long() ? 50 : 1; }

} // namespace avrankmap::test

#endif
