// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// VC-VCRT, the traditional scheme, as MPICH 3.2 has it (AV-Rankmap paper, IV-A).
//
//   communicator --> VCRT { references, size | VC *  VC *  VC * ... }  8 bytes per rank, shared
//                                               |     |
//   process group --> [ VC 480 bytes ][ VC ][ VC ] ...
//
// A virtual connection (VC) holds all there is to know about a peer: bookkeeping and what dynamic
// processes need, then the state and the functions of each transport, then an area for the
// network module, which keeps the address there. The kinds of fields, their order and the size of
// that area follow the original, so the locality flag and the address lie in different cache
// lines, as they do there. One communicator costs O(size): its table, and one reference on each
// VC that the table names.
//
// On its way to the network the original tests the VC's connection state, then looks for the
// transport's function in the VC, null for shared memory, and calls it with the VC; there the
// address is read. VcVcrt issues in that way. VcLean is the hardest opponent that the same
// structures allow: no state, no call, a flag for shared memory and the address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "baseline/memory_count.h"
#include "baseline/scheme.h"

namespace avrankmap::bench {

class VcVcrt {
public:
  static constexpr const char *kName = "vc-vcrt";
  static constexpr bool kByFunctions = true;     // operations are issued by the functions in the VC
  static constexpr std::uint64_t kCommBytes = 8; // pointer to the VCRT

  struct ProcessGroup;
  struct Vc;

  /// A transport's function for an operation; null in a VC that is reached through shared memory.
  /// `context` is the caller's.
  struct Functions {
    void (*put)(void *context, const Vc &vc) = nullptr;
    void (*isend)(void *context, const Vc &vc) = nullptr;
  };

  static constexpr std::int32_t kActive = 1; // connection state

  /// Virtual connection.
  struct Vc {
    // Bookkeeping, and functionality for dynamic processes.
    std::int32_t handle;
    std::int32_t references; // by VCRTs
    std::int32_t state;
    ProcessGroup *group;
    std::int32_t group_rank;
    std::int32_t lpid;
    std::int32_t node;
    std::int32_t port_tag;
    // Protocol: functions and thresholds, replicated in each VC.
    void *rendezvous_functions[2];
    std::int32_t eager_thresholds[2];
    void *noncontiguous_function;
    void *overrides;
    // Shared-memory transport.
    void *active_receive;
    std::int32_t is_local;
    std::uint16_t sequence_number;
    void *fast_boxes[2];
    void *queues[2];
    std::int64_t pending_length;
    void *pending_packet;
    Vc *next;
    Vc *previous;
    // Functions of the transport in use.
    Functions start;
    void *large_message_functions[7];
    std::int64_t large_message_state[11];
    void *packet_handlers;
    std::int32_t packet_handler_count;
    // Private area of the network module: 128 bytes.
    struct {
      std::uint64_t address;
      std::int64_t others[15];
    } network;
    void *send_queue[2];
  };

  /// Process group: the VCs of one MPI_COMM_WORLD.
  struct ProcessGroup {
    std::int32_t handle;
    std::int32_t references; // by VCs that are in use, and one by the scheme
    ProcessGroup *next;
    std::int32_t size;
    Vc *vcs;
    void *id;
    void *connection_data;
    void *functions[2];
  };

  /// Header of a VC reference table; Vc pointers follow.
  struct Vcrt {
    std::int32_t references = 1;
    std::int32_t size;
  };

  /// Communicator.
  class Comm {
  public:
    [[nodiscard]] std::int32_t size() const { return vcrt_->size; }

  private:
    friend class VcVcrt;
    explicit Comm(Shared<VcVcrt, Vcrt> vcrt) : vcrt_(std::move(vcrt)) {}
    Shared<VcVcrt, Vcrt> vcrt_;
  };

  VcVcrt() = default;
  VcVcrt(const VcVcrt &) = delete;
  VcVcrt &operator=(const VcVcrt &) = delete;
  ~VcVcrt();

  std::int32_t add_world(std::int32_t size);
  /// Turns a process into one that is reached through shared memory.
  void set_local(Gpid process);
  /// Gives a process another network address than address_of().
  void set_address(Gpid process, std::uint64_t address);
  /// Gives all VCs of the network the functions of its transport.
  void set_functions(const Functions &functions);

  Comm make_world(std::int32_t pgid);
  Comm make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks);
  Comm make_merged(std::span<const Gpid> processes);
  Comm dup(const Comm &comm);

  [[nodiscard]] std::uint64_t bytes() const { return memory_.bytes(); }

  static AVRM_BENCH_HOT std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return vc(comm, rank)->network.address;
  }

  static AVRM_BENCH_HOT std::uint64_t address(const Comm &comm, std::int32_t rank) {
    const Vc *const peer = vc(comm, rank);
    if (AVRM_UNLIKELY(peer->is_local)) {
      return kNotNetwork;
    }
    return known_network(peer->network.address);
  }

  /// The VC of a rank.
  static AVRM_BENCH_HOT const Vc &connection(const Comm &comm, std::int32_t rank) { return *vc(comm, rank); }

private:
  friend class Shared<VcVcrt, Vcrt>;
  using Table = Trailing<Vcrt, Vc *>;

  static AVRM_BENCH_HOT const Vc *vc(const Comm &comm, std::int32_t rank) {
    return Table::of(static_cast<const Vcrt *>(comm.vcrt_.get()))[rank];
  }

  MemoryCount::Held<Vcrt> new_vcrt(std::size_t size);
  Comm adopt(MemoryCount::Held<Vcrt> vcrt);
  void destroy(Vcrt *vcrt) noexcept;

  MemoryCount memory_;
  std::vector<ProcessGroup *> groups_; // by pgid; the rig's own, not counted
};

/// VC-VCRT, issuing by the address alone.
class VcLean : public VcVcrt {
public:
  static constexpr const char *kName = "vc-lean";
  static constexpr bool kByFunctions = false;
};

static_assert(sizeof(VcVcrt::Vc) == 480, "as the paper says of MPICH 3.2");
static_assert(sizeof(VcVcrt::Vcrt) == 8);
static_assert(Scheme<VcVcrt>);

} // namespace avrankmap::bench
