// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows. Unless the members exchanged their parts at creation (comm_calls/window_calls.cpp), the
// first operation on a peer's part asks the peer, which describes the part in an active message,
// and nothing is exchanged or stored for other peers. The window's directory
// (avrankmap/directory.h) stores what the network's own operations need; only parts that are
// reached by other means have a record here.
#ifndef AVRANKMAP_SRC_RMA_WINDOW_H
#define AVRANKMAP_SRC_RMA_WINDOW_H

#include "avrankmap/directory.h"
#include "base/hash_table.h"
#include "base/number_tree.h"
#include "core/peers/connect.h"

namespace avrankmap::detail {

// A peer's part of a window that is mapped, reached by active messages, or being requested.
struct Target {
  enum class State : std::uint8_t { kAsked, kReady, kGone, kPutOff /* there was no memory to answer */ };

  std::int32_t rank = 0;
  avrm_gpid_t process{};
  State state = State::kAsked;
  Route route{};
  std::uint64_t bytes = 0;
  // The part in this address space, if it belongs to this process or to one on the same node.
  unsigned char *mapped = nullptr;
  avrm_shmmod_memory_t *mapping = nullptr; // mapping of `mapped`, if it is a peer's part
  // Used by network atomics to reach a part that is otherwise not reached over the network. The
  // part can be used once its size is not 0.
  LocalNetPeer *local_net_peer = nullptr;
  avrm_part_t local_part{};
  bool written = false;             // `mapped` was written since the last flush
  std::uint64_t unacknowledged = 0; // active messages without a request
  avrm_status_t error = AVRM_OK;    // first error since the last flush
};

// Set in the tokens of requests. The tokens of targets are ranks, in which this bit is not set.
inline constexpr std::uint64_t kRequestToken = std::uint64_t{1} << 63;

// A peer's request for a window that this process has yet to create.
struct EarlyKeyRequest {
  EarlyKeyRequest *next;
  std::uint64_t window;
  std::uint64_t token;
  std::int32_t sender; // rank in the communicator
};

// A window whose members agree before it opens. Stored in the frame of the call that creates it.
struct WindowInMaking {
  std::uint64_t id;
  WindowInMaking *next;
};

// A device's state for windows.
struct Windows {
  NumberTree<avrm_window> all;
  WindowInMaking *making = nullptr;
  EarlyKeyRequest *early_requests = nullptr;
  bool owes_answers = false; // early requests wait for answers; counted in device->served
};

} // namespace avrankmap::detail

struct avrm_window {
  explicit avrm_window(avrm_comm_t *its_comm, avrankmap::detail::Memory &memory) noexcept
      : device(its_comm->device), comm(its_comm), targets(memory) {}

  avrm_device_t *device;
  avrm_comm_t *comm;
  std::uint64_t id = 0;
  unsigned char *base = nullptr;
  std::uint64_t bytes = 0;
  bool owns_memory = false;     // `base` came from the instance's allocator
  std::size_t pages = 0;        // bytes at `base` that are mapped for this window alone
  bool narrow_atomics = false;  // AVRM_WINDOW_NETWORK_ATOMICS was given
  bool network_atomics = false; // requested, and all members have them
  avrm_netmod_memory_t *net_memory = nullptr;
  avrm_shmmod_memory_t *shm_memory = nullptr;
  std::uint64_t next_token = 1;
  std::uint64_t users = 0;                           // requests, and threads that wait
  avrankmap::detail::RequestList unanswered;         // operations by active message
  avrankmap::detail::NumberLinks<avrm_window> links; // the device's
  // Known parts that the network's puts and gets reach. Their keys are for the communicator's
  // queue, if it has one.
  avrm_directory_t parts{};
  avrankmap::detail::HashTable targets; // by rank

  // Returns the number in the tree, which branches by the lowest bits first: the lower halves of
  // many ids are equal.
  [[nodiscard]] static std::uint64_t number_of(std::uint64_t id) noexcept { return id ^ id >> 32; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_of(id); }
  // Returns null if there is no such record.
  [[nodiscard]] avrankmap::detail::Target *find(std::uint64_t rank) const noexcept {
    return static_cast<avrankmap::detail::Target *>(targets.find(rank));
  }
};

namespace avrankmap::detail {

// This process's part of a new window.
struct WindowWish {
  void *base; // null: memory that the window allocates
  std::size_t bytes;
  void *at;          // where it must be allocated; null: anywhere
  std::uint64_t key; // as in netmod.h; 0: common_key()
};

// All functions require the device's lock.

// Takes the number of a communicator's next window. It is the same in all members, and used up even
// if the creation fails.
[[nodiscard]] std::uint64_t next_window_id(avrm_comm_t *comm) noexcept;
// Creates a window that peers do not know yet.
[[nodiscard]] avrm_status_t make_window(avrm_comm_t *comm, std::uint64_t id, const WindowWish &wish,
                                        avrm_window_t **window_p) noexcept;
// Opens a window to peers.
void open_window(avrm_window_t *window) noexcept;
// Destroys a window that was never opened, or is closed.
void discard_window(avrm_window_t *window) noexcept;

} // namespace avrankmap::detail

#endif
