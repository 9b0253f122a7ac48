// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of bench/paper.
#ifndef AVRANKMAP_BENCH_PAPERS_DRIVER_DRIVER_H
#define AVRANKMAP_BENCH_PAPERS_DRIVER_DRIVER_H

#include <string>
#include <vector>

namespace avrankmap::bench {

/// Runs `bench/paper <arguments>`. Writes results to standard output, progress and errors to
/// standard error. `program` is the path of this program, which the simulation of caches runs
/// again; empty if that is impossible. Returns the exit status: 0, 1 if an experiment failed or a
/// file cannot be written, 2 for wrong arguments.
int run_driver(const std::vector<std::string> &arguments, const std::string &program);

} // namespace avrankmap::bench

#endif
