// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The creation of a communicator on a device, while it is under way.
#ifndef AVRANKMAP_SRC_CORE_CREATION_H
#define AVRANKMAP_SRC_CORE_CREATION_H

#include "comm/making.h"
#include "core/device_channel.h"

namespace avrankmap::detail {

class Creation final : public Operation, public Site {
public:
  // `tag` is that of the operation in the parent's other planes.
  Creation(avrm_comm_t *parent, std::int32_t tag) noexcept;
  ~Creation() override;

  // The parent's own group, and the way to the other one, if there is one.
  [[nodiscard]] Channel &channel() noexcept { return channel_; }
  [[nodiscard]] const Bridge *bridge() const noexcept { return bridge_ ? &*bridge_ : nullptr; }
  [[nodiscard]] const Parent &parent() const noexcept { return parent_; }
  [[nodiscard]] Made *made() noexcept { return &made_; }

  // Two groups meet over `peer` (null but in the leader).
  void bridge_over(avrm_comm_t *peer, std::int32_t leader, std::int32_t partner, std::int32_t tag) noexcept;
  void set_grid(const Grid &grid) noexcept { grid_ = grid; }
  // This process cannot go on; it takes part to tell the others.
  void refuse(avrm_status_t reason) noexcept { refused_ = reason; }
  // What is made has the same processes in the same order, and shares what follows from that.
  void be_congruent_to(avrm_comm_t *comm) noexcept {
    twin_ = comm;
    grid_ = comm->grid;
  }

  [[nodiscard]] avrm_status_t prepare(Made &made) noexcept override;
  // The communicator, once the task has ended well; null if this process gets none.
  [[nodiscard]] avrm_comm_t *take() noexcept;

private:
  DeviceChannel channel_;
  std::optional<DeviceChannel> leaders_;
  std::optional<Bridge> bridge_;
  Parent parent_;
  Made made_;
  Grid grid_;
  avrm_status_t refused_ = AVRM_OK;
  avrm_comm_t *twin_ = nullptr;
  avrm_comm_t *comm_ = nullptr; // prepared
};

} // namespace avrankmap::detail

#endif
