// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Making communicators: the algorithms, for whatever carries their messages. All of them are collective over the channel,
// and end alike in all its processes: each gets its part of the new communicator, or all get an error and nobody has
// anything. What can fail in one process alone (memory, arguments) happens before the last step, the agreement on a context
// id, which carries the bad news to the others.
#ifndef AVRANKMAP_SRC_COMM_MAKING_H
#define AVRANKMAP_SRC_COMM_MAKING_H

#include <cstddef>

#include "avrankmap/group.h"
#include "comm/agree.h"
#include "rankmap/cart.h"

namespace avrankmap::detail {

// The communicator that another one is made from, as one process knows it.
struct Parent {
  const avrm_rankmap_t *map;              // of the own group
  const avrm_rankmap_t *remote = nullptr; // of the other group, if there are two
  std::uint32_t context = 0;
};

// What a process gets: nothing if `context` is kNone.
struct Made {
  MapOwner map;    // of the own group
  MapOwner remote; // of the other group, if there are two
  std::int32_t rank = kNobody;
  std::uint32_t context = Contexts::kNone;
};

// What a leader tells the other group of its own when they are of different worlds.
class Letter {
public:
  explicit Letter(Memory &memory) noexcept : memory_(memory) {}
  ~Letter() { drop(); }
  Letter(const Letter &) = delete;
  Letter &operator=(const Letter &) = delete;

  // Zero bytes in place of what there was. False without memory.
  [[nodiscard]] bool resize(std::uint64_t bytes) noexcept {
    drop();
    data_ = static_cast<unsigned char *>(memory_.allocate(bytes, alignof(std::max_align_t), AVRM_MEM_SCRATCH));
    bytes_ = data_ == nullptr ? 0 : bytes;
    return data_ != nullptr;
  }
  [[nodiscard]] unsigned char *data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
  void drop() noexcept { memory_.release(data_, bytes_, alignof(std::max_align_t), AVRM_MEM_SCRATCH); }

  Memory &memory_;
  unsigned char *data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// The process that an algorithm runs in.
class Site {
public:
  explicit Site(Contexts &contexts) noexcept : contexts_(contexts) {}
  Site(const Site &) = delete;
  Site &operator=(const Site &) = delete;
  virtual ~Site() = default;

  [[nodiscard]] Contexts &contexts() const noexcept { return contexts_; }
  // Does all that may fail, but for the context id, to make a communicator of what was made, whose maps it may take. Called
  // once, before the agreement, if there is something to get.
  [[nodiscard]] virtual avrm_status_t prepare(Made &made) noexcept = 0;

  // Processes of different worlds number process groups differently, each its own as 0. They tell one another of groups by
  // letter. True in a leader whose group and the other's are not of one world only.
  [[nodiscard]] virtual bool crosses_worlds() const noexcept { return false; }
  [[nodiscard]] virtual avrm_status_t write_letter(const avrm_rankmap_t * /*own*/, Letter * /*letter*/) noexcept {
    return AVRM_ERR_UNSUPPORTED;
  }
  // The group that a letter tells of. Nothing in it is trusted.
  [[nodiscard]] virtual avrm_status_t read_letter(const Letter & /*letter*/, MapOwner * /*map_p*/) noexcept {
    return AVRM_ERR_UNSUPPORTED;
  }
  // An order of processes that is the same everywhere.
  [[nodiscard]] virtual bool comes_first(avrm_gpid_t one, avrm_gpid_t other) const noexcept {
    return one.pgid != other.pgid ? one.pgid < other.pgid : one.lpid < other.lpid;
  }
  // A number for a process group that is the same everywhere.
  [[nodiscard]] virtual std::uint64_t number_of(std::int32_t pgid) const noexcept {
    return static_cast<std::uint64_t>(pgid);
  }

private:
  Contexts &contexts_;
};

// The last step of every algorithm. `status`: whether this process has what it needs, in `made`. A process that has nothing
// to get takes part as well.
Task conclude(Channel &channel, const Bridge *bridge, Site &site, avrm_status_t status, std::uint64_t digest,
              std::uint32_t seed, Made *made) noexcept;

// The same processes once more. With a bridge: of both groups.
Task make_dup(Channel &channel, const Bridge *bridge, Site &site, const Parent &parent, Made *made) noexcept;

// AVRM_ERR_RANK if a group is not part of the processes of a map. Local.
[[nodiscard]] avrm_status_t check_part_of(const avrm_group_t *group, const avrm_rankmap_t *whole) noexcept;

// The part of the parent that `group` is: collective over the parent. Processes outside it get nothing. Different groups
// may be made at once if no process is in two of them. AVRM_ERR_RANK if the group is not part of the parent.
Task make_from_group(Channel &channel, Site &site, const Parent &parent, const avrm_group_t *group,
                     Made *made) noexcept;

// The same, collective over the group only; the channel is one of the group's (GroupChannel). AVRM_ERR_MISMATCH if members
// name different groups of the same size.
Task make_in_group(Channel &channel, Site &site, const avrm_group_t *group, std::uint32_t seed, Made *made) noexcept;

// The rank of a process, kNobody if it is not there. Even without memory for what makes the question cheap.
[[nodiscard]] std::int32_t rank_in(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept;

// How a split finds out who is where.
enum class SplitMethod {
  kChoose,
  kGather, // everybody learns everybody's colour and key: O(P) temporary memory, few messages
  kSort // processes are sorted by colour and key where they are; each group looks for its pattern: O(1) memory if it has one
};

// This process's part of a split, map and rank, in `made`. The first half of make_split: an error may be this process's alone.
Task find_part(Channel &channel, const Parent &parent, std::int32_t colour, std::int32_t key, SplitMethod method,
               Made *made) noexcept;

// The processes of one's own node, and the first ones of all nodes.
struct Nodes {
  MapOwner node;
  MapOwner roots; // null in a process that is not the first of its node
  std::int32_t node_rank = kNobody;
  std::int32_t roots_rank = kNobody;
};
// Collective; ends alike in all processes.
Task find_nodes(Channel &channel, const Parent &parent, std::int32_t node, Nodes *nodes) noexcept;

// One communicator per colour, in order of key, then rank. Colour AVRM_UNDEFINED gets nothing.
Task make_split(Channel &channel, Site &site, const Parent &parent, std::int32_t colour, std::int32_t key,
                SplitMethod method, Made *made) noexcept;

// The same by two colours, the node and a part of it: one communicator per pair. `status`: whether this process knows its own.
Task make_part_split(Channel &channel, Site &site, const Parent &parent, avrm_status_t status, std::int32_t node,
                     std::int32_t part, std::int32_t key, Made *made) noexcept;

// The map of a child of the parent whose mapping array is a cart, of 0 dimensions (one process) or more. No array is read or
// written if both sides are regular.
[[nodiscard]] avrm_status_t child_by_cart(const avrm_rankmap_t *parent, const Cart &ranks, MapOwner *map_p) noexcept;

// Two groups that do not overlap as the two sides of an intercommunicator. The channel is the own group's; the bridge leads
// to the leader of the other. AVRM_ERR_DUPLICATE if they do overlap.
Task make_inter(Channel &channel, const Bridge &bridge, Site &site, const Parent &local, std::uint32_t seed,
                Made *made) noexcept;

// The same, once the leader has tried to reach the other one: `status` and `seed` are its.
Task make_joined(Channel &channel, const Bridge &bridge, Site &site, const Parent &local, avrm_status_t status,
                 std::uint32_t seed, Made *made) noexcept;

// The end of what was between processes: when it is over in one of them, no other one waits for anything of it, and what it
// has sent has been received. `first`: this group's processes come first in the order that the site knows.
Task take_leave(Channel &channel, const Bridge *bridge, bool first) noexcept;

// Both groups of an intercommunicator as one; the group whose processes say `high` comes last. If both say the same, the one
// with the greater first process does.
Task make_merged(Channel &channel, const Bridge &bridge, Site &site, const Parent &parent, bool high,
                 Made *made) noexcept;

// Splits both groups of an intercommunicator. A colour that only one of them has gets nothing.
Task make_inter_split(Channel &channel, const Bridge &bridge, Site &site, const Parent &parent, std::int32_t colour,
                      std::int32_t key, Made *made) noexcept;

} // namespace avrankmap::detail

#endif
