// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Open MPI 2.0 to 5.0. A process that was never contacted is a sentinel, 8 bytes of its name in a
// dense group; its object and endpoint are made at first contact (ompi/runtime/ompi_mpi_params.c:
// add_procs_cutoff is 0). As shipped all groups are dense. With --enable-sparse-groups (Chaarawi
// and Gabriel, ICCS 2008) a group is described relative to its parent, in whatever of four forms is
// smallest; translation walks up the parents until it meets a dense group, one call per hop.
//
//   communicator --> group --parent--> group --parent--> dense group { process *, ... }
//       strided (12 bytes): rank -> offset + rank * stride, stride > 0  |  8 bytes per rank
//       sporadic (8 bytes per range): list of (first rank, length)   process, 112 bytes
//       bitmap (parent's size / 8 bytes): the members, in order         |  by communication layer
//                                                                    endpoint, 56 bytes: address
//
// A group keeps its parent alive. A sentinel is odd: that test is made at each look-up, in addition
// to the one for locality. The original also keeps a hash slot per contacted process, and its ob1
// layer a pointer per rank and communicator; these are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "baseline/memory_count.h"
#include "baseline/scheme.h"

namespace avrankmap::bench {

class OmpiSparse {
public:
  static constexpr const char *kName = "ompi-sparse";
  static constexpr std::uint64_t kCommBytes = 8; // pointer to the group

  /// Object in a list, as most objects of the original are.
  struct ListItem {
    void *type;
    std::int32_t references;
    ListItem *next;
    ListItem *previous;
    std::int32_t is_free;
  };

  /// One communication layer's record of a process.
  struct Endpoint {
    ListItem item;
    void *module;
    std::uint64_t address;
  };

  struct Process {
    ListItem item;
    std::int32_t job;
    std::int32_t rank_in_job;
    std::uint32_t architecture;
    std::uint16_t is_local; // locality bits
    void *convertor;
    void *active;
    Endpoint *endpoints[3]; // by layer
    std::int64_t padding[2];
  };

  /// Ranks first, first + 1, ... of the parent.
  struct Range {
    std::int32_t first;
    std::int32_t length;
  };

  enum class Form : std::int32_t { kDense, kStrided, kSporadic, kBitmap };

  struct Group {
    struct Strided {
      std::int32_t offset;
      std::int32_t stride;
      std::int32_t last;
    };
    struct Sporadic {
      Range *ranges;
      std::int32_t count;
    };
    struct Bitmap {
      std::uint8_t *bits;
      std::int32_t bytes;
    };

    void *type;
    std::int32_t references = 1;
    std::int32_t size;
    std::int32_t rank;
    std::int32_t fortran_handle;
    Form form;
    std::uint32_t flags;
    Process **processes; // dense
    Group *parent;       // sparse
    union {
      Strided strided;
      Sporadic sporadic;
      Bitmap bitmap;
    } sparse;
    void *session;
    std::int64_t padding;
  };

  /// Communicator.
  class Comm {
  public:
    [[nodiscard]] std::int32_t size() const { return group_->size; }
    [[nodiscard]] Form form() const { return group_->form; }

  private:
    friend class OmpiSparse;
    explicit Comm(Shared<OmpiSparse, Group> group) : group_(std::move(group)) {}
    Shared<OmpiSparse, Group> group_;
  };

  enum class Contact { kAll, kNone /* until contact() */ };
  enum class Groups { kSparse, kDense };

  /// By default all processes were contacted, as in a loop over all peers.
  explicit OmpiSparse(Contact contact = Contact::kAll, Groups groups = Groups::kSparse)
      : contact_(contact), groups_(groups) {}
  OmpiSparse(const OmpiSparse &) = delete;
  OmpiSparse &operator=(const OmpiSparse &) = delete;
  ~OmpiSparse();

  std::int32_t add_world(std::int32_t size);
  /// Turns a process into one that is reached through shared memory; only with Contact::kAll.
  void set_local(Gpid process);
  /// First contact: the process gets its object and its endpoint.
  void contact(const Comm &comm, std::int32_t rank);

  Comm make_world(std::int32_t pgid);
  Comm make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks);
  Comm make_merged(std::span<const Gpid> processes);
  Comm dup(const Comm &comm);

  [[nodiscard]] std::uint64_t bytes() const { return memory_.bytes(); }

  /// The process is known, hence contacted.
  static AVRM_BENCH_HOT std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return process(comm, rank)->endpoints[0]->address;
  }

  static AVRM_BENCH_HOT std::uint64_t address(const Comm &comm, std::int32_t rank) {
    const Process *const peer = process(comm, rank);
    if (AVRM_UNLIKELY((reinterpret_cast<std::uintptr_t>(peer) & 1) != 0)) {
      return kNotNetwork;
    }
    if (AVRM_UNLIKELY(peer->is_local)) {
      return kNotNetwork;
    }
    return known_network(peer->endpoints[0]->address);
  }

protected:
  /// In a build without sparse groups, whose look-up tests no form, but whether the process is a
  /// sentinel.
  static AVRM_BENCH_HOT std::uint64_t dense_word(const Comm &comm, std::int32_t rank) {
    const Process *const peer = comm.group_.get()->processes[rank];
    if (AVRM_UNLIKELY((reinterpret_cast<std::uintptr_t>(peer) & 1) != 0)) {
      return kNotNetwork;
    }
    return peer->endpoints[0]->address;
  }

private:
  friend class Shared<OmpiSparse, Group>;

  /// One hop: the rank in the parent.
  [[gnu::noinline]] static std::int32_t parent_rank(const Group *group, std::int32_t rank);

  static AVRM_BENCH_HOT const Process *process(const Comm &comm, std::int32_t rank) {
    const Group *group = comm.group_.get();
    while (group->form != Form::kDense) {
      rank = parent_rank(group, rank);
      group = group->parent;
    }
    return group->processes[rank];
  }

  /// With Contact::kNone there are no arrays.
  struct World {
    Process *processes;
    Endpoint *endpoints;
    std::int32_t size;
  };
  struct Contacted {
    Process *process;
    Endpoint *endpoint;
  };

  static void fill(Process *process, Endpoint *endpoint, Gpid name);
  /// A sentinel if the process was not contacted.
  [[nodiscard]] Process *pointer_to(Gpid process) const;
  MemoryCount::Held<Group> new_group(Form form, std::size_t size);
  MemoryCount::Held<Process *> new_table(std::size_t size);
  Comm adopt(MemoryCount::Held<Group> group);
  Comm adopt_dense(MemoryCount::Held<Process *> table, std::size_t size);
  void destroy(Group *group) noexcept;

  Contact contact_;
  Groups groups_;
  MemoryCount memory_;
  // The rig's own, not counted: worlds by pgid, and contacted processes by their sentinels.
  std::vector<World> worlds_;
  std::unordered_map<std::uintptr_t, Contacted> contacted_;
};

/// As a job starts: nobody was contacted.
struct OmpiSparseAtStart : OmpiSparse {
  OmpiSparseAtStart() : OmpiSparse(Contact::kNone, Groups::kSparse) {}
};
/// The same as shipped, without sparse groups.
struct OmpiAtStart : OmpiSparse {
  static constexpr const char *kName = "ompi";
  OmpiAtStart() : OmpiSparse(Contact::kNone, Groups::kDense) {}
};

/// Groups as shipped, all dense, on the structures of OmpiSparse after all were contacted.
struct OmpiDense : OmpiSparse {
  static constexpr const char *kName = "ompi";
  OmpiDense() : OmpiSparse(Contact::kAll, Groups::kDense) {}

  static AVRM_BENCH_HOT std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return dense_word(comm, rank);
  }
};

/// Open MPI makes no node and node-roots communicators with each communicator; its collectives make
/// some when they are first called (ompi/mca/coll/han), which are not counted.
template <class S> inline constexpr bool kIsOpenMpi = std::is_base_of_v<OmpiSparse, S>;

static_assert(sizeof(OmpiSparse::Process) == 112 && sizeof(OmpiSparse::Endpoint) == 56);
static_assert(sizeof(OmpiSparse::Group) == 80 && sizeof(OmpiSparse::Range) == 8);
static_assert(Scheme<OmpiSparse> && Scheme<OmpiDense> && Scheme<OmpiSparseAtStart> && Scheme<OmpiAtStart>);

} // namespace avrankmap::bench
