// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The creation of a communicator on a device, while it is in progress.
#ifndef AVRANKMAP_SRC_COMM_CALLS_CREATION_H
#define AVRANKMAP_SRC_COMM_CALLS_CREATION_H

#include <optional>

#include "comm_algorithms/context_agreement.h"
#include "comm_algorithms/create/grid.h"
#include "comm_algorithms/creation_host.h"
#include "comm_calls/device_channel.h"

namespace avrankmap::detail {

class Creation : public Operation, public CreationHost {
public:
  // `tag` is the tag of the operation in the parent's internal planes.
  Creation(avrm_comm_t *parent, std::int32_t tag) noexcept;
  ~Creation() override;

  // The parent's local group, and the bridge to the remote one, if there is one.
  [[nodiscard]] Channel &channel() noexcept { return channel_; }
  [[nodiscard]] const Bridge *bridge() const noexcept { return bridge_ ? &*bridge_ : nullptr; }
  [[nodiscard]] const Parent &parent() const noexcept { return parent_; }
  [[nodiscard]] CreationResult *made() noexcept { return &made_; }

  // Connects two groups over `peer` (null except in the leader). `able`: an error if `peer` cannot
  // be used.
  void bridge_over(avrm_comm_t *peer, std::int32_t leader, std::int32_t partner, std::int32_t tag,
                   avrm_status_t able) noexcept;
  // As above, over a channel that the caller supplies in every member. The channel must outlive
  // this object.
  void bridge_over(Channel &leaders, std::int32_t leader) noexcept { bridge_ = Bridge{leader, &leaders, 0}; }
  void set_grid(const Grid &grid) noexcept { grid_ = grid; }
  // Declares that this process cannot continue. It still takes part, so that all members return the
  // error.
  void refuse(avrm_status_t reason) noexcept { refused_ = reason; }
  // The new communicator has the processes of `comm` in the same order, and shares its
  // nodes and grid.
  void be_congruent_to(avrm_comm_t *comm) noexcept {
    congruent_ = comm;
    grid_ = comm->grid;
  }

  [[nodiscard]] avrm_status_t prepare(CreationResult &made) noexcept override;
  [[nodiscard]] bool crosses_worlds() const noexcept override;
  [[nodiscard]] avrm_status_t write_group_message(const avrm_rankmap_t *own,
                                                  GroupMessage *group_message) noexcept override;
  [[nodiscard]] avrm_status_t read_group_message(const GroupMessage &group_message, MapOwner *map_p) noexcept override;
  [[nodiscard]] bool comes_first(avrm_gpid_t one, avrm_gpid_t other) const noexcept override;
  [[nodiscard]] std::uint64_t number_of(std::int32_t pgid) const noexcept override;
  // Returns the communicator after the task has ended with AVRM_OK; null if this process gets none.
  [[nodiscard]] virtual avrm_comm_t *take() noexcept;

private:
  DeviceChannel channel_;
  std::optional<DeviceChannel> leaders_;
  std::optional<Bridge> bridge_;
  bool partner_is_in_other_world_ = false;
  bool exchanges_worlds_ = false; // may have inserted worlds
  const avrm_comm_t *parent_comm_;
  Parent parent_;
  CreationResult made_;
  Grid grid_;
  avrm_status_t refused_ = AVRM_OK;
  avrm_comm_t *congruent_ = nullptr;
  avrm_comm_t *comm_ = nullptr; // prepared, not yet taken
};

} // namespace avrankmap::detail

#endif
