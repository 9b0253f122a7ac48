// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shrinking of a communicator. The survivors agree on the dead, create a communicator without the
// dead, and agree on whether every survivor has created it. If another member has died in the
// meantime, they start again.
//
// The owner runs each creation on a separate channel, indexed by places. Messages of different
// creations do not match each other, and transfers end with AVRM_ERR_PEER once a member is known to
// be dead.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_SHRINK_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_SHRINK_H

#include <optional>

#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/consensus.h"
#include "comm_algorithms/creation_host.h"

namespace avrankmap::detail {

// All members of a communicator in an order that is the same in all of them, and the place of this
// process.
struct MemberOrder {
  const avrm_rankmap_t *map; // of an intercommunicator: of both groups
  std::int32_t place;
  std::int32_t own_start; // the place of rank 0 of this process's group
  const avrm_rankmap_t *own;
  const avrm_rankmap_t *remote; // null if there is one group
  std::uint32_t context;

  [[nodiscard]] bool is_inter() const noexcept { return remote != nullptr; }
  [[nodiscard]] bool is_own(std::int32_t at) const noexcept { return at >= own_start && at - own_start < own->size; }
};

// The state of one process.
class Shrinking {
public:
  enum class Step { kWait, kCreate, kEnd };

  // Runs its agreements with `consensus`.
  explicit Shrinking(Consensus &consensus) noexcept : consensus_(consensus) {}

  // Begins a shrinking. If `active` is not 0, the members after the first `active` ones are spares;
  // they replace the dead among the first `active`.
  void begin(const MemberOrder &all, std::int32_t active) noexcept;
  // Returns the owner's next step:
  //   kWait    do nothing until an agreement has ended
  //   kCreate  make a creation that watches `members`, run `create` in it, and call `settle` with
  //            its status when it has ended
  //   kEnd     take the result of the last creation if status() is AVRM_OK, and call `drop`
  // Keep each creation until the next one is made or, for the last one, until `drop`.
  [[nodiscard]] Step next() noexcept;
  [[nodiscard]] const avrm_rankmap_t *members() const noexcept { return members_.get(); }
  [[nodiscard]] Task create(Channel &channel, CreationHost &site, CreationResult *made) noexcept;
  [[nodiscard]] bool is_creating() const noexcept { return stage_ == Stage::kCreating; }
  void settle(avrm_status_t created) noexcept;
  [[nodiscard]] avrm_status_t status() const noexcept { return status_; }
  // Ends the shrinking. Can be called at any time when no creation is in progress. If its agreement
  // has not ended, the other members may use the context id of the last creation, which is kept.
  void drop() noexcept;

private:
  enum class Stage { kFinding, kCreating, kSettling };
  // Places of the members.
  struct PlaceOf {
    const Shrinking *whole;
    std::int32_t operator()(std::int32_t member) const noexcept;
  };

  [[nodiscard]] bool list_dead(Array<std::int32_t> *places) noexcept;
  [[nodiscard]] bool has_lost_a_group() noexcept;
  // Creates the map of the live members. Returns false if memory is exhausted, the only error of
  // these steps.
  [[nodiscard]] bool find_members(Memory &memory) noexcept;
  [[nodiscard]] avrm_status_t arrange(Memory &memory, CreationResult *made) noexcept;
  [[nodiscard]] avrm_status_t divide(const Array<std::int32_t> &dead, Memory &memory, CreationResult *made) noexcept;

  Consensus &consensus_;
  MemberOrder all_{};
  std::int32_t active_ = 0;
  Stage stage_ = Stage::kFinding;
  avrm_status_t status_ = AVRM_OK;
  MapOwner members_;
  std::optional<GroupChannel<PlaceOf>> channel_;
  // The ids and the result of the last creation.
  Contexts *contexts_ = nullptr;
  CreationResult *made_ = nullptr;
};

} // namespace avrankmap::detail

#endif
