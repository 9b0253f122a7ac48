// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The creation of a communicator on a device, while it is under way.
#ifndef AVRANKMAP_SRC_CORE_CREATION_H
#define AVRANKMAP_SRC_CORE_CREATION_H

#include <chrono>

#include "comm/making.h"
#include "core/device_channel.h"
#include "core/link.h"

namespace avrankmap::detail {

class Creation final : public Operation, public Site, private Waiting {
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
  // Two groups meet over a link, which the leader makes.
  [[nodiscard]] LinkChannel &link_to_other(std::int32_t leader) noexcept;
  // When waiting for the other leader ends.
  void give_up_after(std::chrono::milliseconds time) noexcept { end_ = std::chrono::steady_clock::now() + time; }
  void wait_without_end() noexcept { end_.reset(); }
  [[nodiscard]] Waiting &waiting() noexcept { return *this; }
  void set_grid(const Grid &grid) noexcept { grid_ = grid; }
  // This process cannot go on; it takes part to tell the others.
  void refuse(avrm_status_t reason) noexcept { refused_ = reason; }
  // What is made has the same processes in the same order, and shares what follows from that.
  void be_congruent_to(avrm_comm_t *comm) noexcept {
    twin_ = comm;
    grid_ = comm->grid;
  }

  [[nodiscard]] avrm_status_t prepare(Made &made) noexcept override;
  [[nodiscard]] bool crosses_worlds() const noexcept override;
  [[nodiscard]] avrm_status_t write_letter(const avrm_rankmap_t *own, Letter *letter) noexcept override;
  [[nodiscard]] avrm_status_t read_letter(const Letter &letter, MapOwner *map_p) noexcept override;
  [[nodiscard]] bool comes_first(avrm_gpid_t one, avrm_gpid_t other) const noexcept override;
  [[nodiscard]] std::uint64_t number_of(std::int32_t pgid) const noexcept override;
  // The communicator, once the task has ended well; null if this process gets none.
  [[nodiscard]] avrm_comm_t *take() noexcept;

private:
  [[nodiscard]] avrm_status_t go_on() noexcept override;

  DeviceChannel channel_;
  std::optional<DeviceChannel> leaders_;
  std::optional<LinkChannel> link_;
  Link *kept_link_ = nullptr; // what becomes of it
  std::optional<Bridge> bridge_;
  bool partner_is_abroad_ = false;
  bool meets_ = false; // has learned of worlds, maybe
  std::optional<std::chrono::steady_clock::time_point> end_;
  Parent parent_;
  Made made_;
  Grid grid_;
  avrm_status_t refused_ = AVRM_OK;
  avrm_comm_t *twin_ = nullptr;
  avrm_comm_t *comm_ = nullptr; // prepared
};

} // namespace avrankmap::detail

#endif
