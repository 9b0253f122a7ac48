// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device's state for dynamic processes. The device's lock protects all members that are not
// atomic.
#ifndef AVRANKMAP_SRC_DYNAMIC_STATE_H
#define AVRANKMAP_SRC_DYNAMIC_STATE_H

#include <atomic>
#include <cstdint>

#include "launch/failed_processes.h"

namespace avrankmap::detail {

class Launch;
struct Link;
struct Port;

struct DynamicState {
  Link *links = nullptr;
  Link *last_looked_at = nullptr; // link; null: the next check begins at the first one
  // Deaths in this world that have been reported over the links. Exists while there are links.
  FailedProcesses reported;
  std::byte *reported_bits = nullptr;
  std::uint32_t reported_count = 0;
  std::int32_t link_count = 0; // including those that are not open yet
  Port *ports = nullptr;
  Launch *launches = nullptr; // of jobs that were spawned and let go, until they have ended
  std::uint32_t looks_at_links = 0;
  std::uint32_t looks_at_launches = 0;
  std::atomic<bool> lost_children{false}; // a spawn failed because children died or did not connect
  bool has_connected_parent = false;
  char interface[16] = ""; // on which ports listen; empty: depends on the job
};

} // namespace avrankmap::detail

#endif
