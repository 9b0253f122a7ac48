// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device's state for dynamic processes. The device's lock guards all of it, but for
// what is atomic.
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
  Link *last_looked_at = nullptr; // of the links; null: the next look begins at the first one
  // Deaths in the own world that the links have been told of. Exists while there are links.
  FailedProcesses reported;
  std::byte *reported_bits = nullptr;
  std::uint32_t reported_count = 0;
  std::int32_t link_count = 0; // those that are not open yet as well
  Port *ports = nullptr;
  Launch *launches = nullptr; // of jobs that were spawned and let go, until they have ended
  std::uint32_t looks_at_links = 0;
  std::uint32_t looks_at_launches = 0;
  std::atomic<bool> lost_children{false}; // a spawn failed because children died or did not come
  bool has_connected_parent = false;
  char interface[16] = ""; // where ports listen; empty: it follows from the job
};

} // namespace avrankmap::detail

#endif
