// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/creation.h"

#include <utility>

#include "comm/create.h"

namespace avrankmap::detail {

Creation::Creation(avrm_comm_t *parent, std::int32_t tag) noexcept
    : Operation(parent), Site(parent->device->contexts),
      channel_(*this, parent->collective, tag), parent_{parent->group(), parent->is_inter() ? parent->map : nullptr,
                                                        parent->context} {
  if (parent->is_inter()) {
    Channel *const leaders = parent->rank == 0 ? &leaders_.emplace(*this, parent->leaders, tag) : nullptr;
    bridge_ = Bridge{0, leaders, 0};
  }
}

Creation::~Creation() {
  if (comm_ != nullptr) { // prepared, but not agreed on
    const DeviceGuard guard(device());
    discard_comm(comm_);
  }
}

void Creation::bridge_over(avrm_comm_t *peer, std::int32_t leader, std::int32_t partner, std::int32_t tag) noexcept {
  Channel *leaders = nullptr;
  if (peer != nullptr) {
    leaders = &leaders_.emplace(*this, peer->is_inter() ? peer->leaders : peer->collective, tag);
  }
  bridge_ = Bridge{leader, leaders, partner};
}

avrm_status_t Creation::prepare(Made &made) noexcept {
  if (refused_ != AVRM_OK) {
    return refused_;
  }
  const DeviceGuard guard(device());
  const bool inter = made.remote != nullptr;
  const avrm_status_t status = new_comm(device(), inter ? made.remote.get() : made.map.get(),
                                        inter ? made.map.get() : nullptr, made.rank, &comm_);
  if (status == AVRM_OK) {
    (void)made.map.release();
    (void)made.remote.release();
    comm_->grid = grid_;
    if (twin_ != nullptr && !inter) {
      comm_->nodes = share_nodes(twin_);
    }
  }
  return status;
}

avrm_comm_t *Creation::take() noexcept {
  if (comm_ != nullptr) {
    const DeviceGuard guard(device());
    open_comm(comm_, made_.context);
  }
  return std::exchange(comm_, nullptr);
}

} // namespace avrankmap::detail
