// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The machine that is measured on.
#ifndef AVRANKMAP_BENCH_SUPPORT_MACHINE_H
#define AVRANKMAP_BENCH_SUPPORT_MACHINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Properties of a machine that matter to numbers measured on it. Texts are empty where
/// the system does not say.
struct Machine {
  std::string processor;
  int cpus = 0;                    ///< that this process may run on
  std::vector<std::string> caches; ///< of the first CPU, for example "L1d 48K"
  std::uint64_t memory = 0;        ///< bytes
  bool virtual_machine = false;
  std::string huge_pages; ///< setting of transparent huge pages
  std::string kernel;
  std::string compiler;
};

Machine describe_machine();

/// CPUs that this process may run on.
int cpu_count();

/// Keeps the calling thread, and threads that it starts, on one CPU: the last one that it may run
/// on, since the first one takes most interrupts, or as many before it as are `skipped`. Returns
/// its number, or nothing if the system refuses.
std::optional<int> pin_to_one_cpu(int skipped = 0);

/// Bytes that can be allocated without swapping; a large number if the system does not say.
std::uint64_t available_memory();

} // namespace avrankmap::bench

#endif
