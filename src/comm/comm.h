// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicator: a context id and a bound rankmap, of the own group or, in an intercommunicator, of the other.
#ifndef AVRANKMAP_SRC_COMM_COMM_H
#define AVRANKMAP_SRC_COMM_COMM_H

#include <cstdint>

#include "avrankmap/comm.h"

namespace avrankmap::detail {

// What the messages of a context id are for, in the uppermost match bits.
enum class Plane : std::uint32_t { kUser = 0, kCollective = 1, kLeaders = 2, kNode = 2, kRoots = 3 };

struct Grid {
  std::int32_t dimensions = 0; // 0: no grid
  std::int32_t dims[AVRM_CART_MAX] = {};
  bool periods[AVRM_CART_MAX] = {};
};

struct Queue;       // core/queue.h
struct SharedNodes; // core/node_comms.cpp

} // namespace avrankmap::detail

struct avrm_comm {
  avrm_rankmap_t *map = nullptr; // to send to and receive from
  avrm_device_t *device = nullptr;
  std::uint64_t send_match = 0; // match bits of what this process sends here, tag 0
  std::uint32_t context = 0;    // with the plane in front
  std::int32_t rank = 0;
  std::uint32_t windows_created = 0; // numbers the windows of a communicator alike in all members
  std::uint64_t users = 0;           // requests and windows that exist
  // By which it sends to processes of the own world; null: by the device's own. Set, if ever, before anything was sent.
  avrankmap::detail::Queue *queue = nullptr;
  bool has_sent = false;     // over the network, or may have: `queue` stays as it is
  avrm_comm *next = nullptr; // list of the device
  avrm_comm *previous = nullptr;
  avrm_rankmap_t *own = nullptr; // an intercommunicator's own group; else null
  // Its other planes, which lie behind it in the same block: messages within the own group, and, in an intercommunicator,
  // from group to group.
  avrm_comm *collective = nullptr;
  avrm_comm *leaders = nullptr;
  std::uint32_t collectives_begun = 0; // numbers collective operations alike in all members
  avrankmap::detail::Grid grid;
  // Its node's processes and the first ones of all nodes, made at first use; the maps are shared with dups of it.
  avrankmap::detail::SharedNodes *nodes = nullptr;
  avrm_comm *node = nullptr;
  avrm_comm *roots = nullptr;

  [[nodiscard]] bool is_inter() const noexcept { return own != nullptr; }
  // True for those that belong to another communicator: they carry messages only.
  [[nodiscard]] bool is_internal() const noexcept { return collective == nullptr; }
  // Of the own group.
  [[nodiscard]] const avrm_rankmap_t *group() const noexcept { return own != nullptr ? own : map; }
};

#endif
