// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Identifies processes of one machine, and shows whether they can share memory.
#ifndef AVRANKMAP_SRC_CORE_PEERS_PROCESS_NAME_H
#define AVRANKMAP_SRC_CORE_PEERS_PROCESS_NAME_H

#include <cstdint>

namespace avrankmap::detail {

struct ProcessName {
  std::int32_t pid = 0;
  // Hash of the properties that decide whether processes may access each other: namespaces, user,
  // group, capabilities, security label. Processes with equal hashes can share memory if both have
  // memory that others may open, which the shmmod finds out.
  std::uint32_t space = 0;
  std::uint32_t start = 0; // start time in ticks, low 32 bits; 0: unknown
};

// Returns the name of this process. Takes some system calls.
[[nodiscard]] ProcessName own_process() noexcept;

// Opens a process of the same space. Returns a pidfd; kGone if it has ended; kLacking if no
// descriptor or memory is free now; kHidden if the system does not permit or support this.
inline constexpr int kGone = -1;
inline constexpr int kHidden = -2;
inline constexpr int kLacking = -3;
[[nodiscard]] int open_process(const ProcessName &process) noexcept;

} // namespace avrankmap::detail

#endif
