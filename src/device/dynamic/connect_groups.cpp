// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/connect_groups.h"

#include <utility>

#include "comm_algorithms/create/inter.h"
#include "core/progress/progress.h"

namespace avrankmap::detail {

ConnectingCreation::ConnectingCreation(avrm_comm_t *parent, std::int32_t tag, std::int32_t leader) noexcept
    : Creation(parent, tag), link_(parent->device->instance->memory, frames(), static_cast<Waiting &>(*this)) {
  bridge_over(link_, leader);
}

ConnectingCreation::~ConnectingCreation() {
  if (kept_link_ != nullptr) {
    const DeviceGuard guard(device());
    free_link(device(), kept_link_);
  }
}

avrm_status_t ConnectingCreation::go_on() noexcept {
  (void)avrm_progress(device());
  if (look()) {
    return AVRM_ERR_PEER;
  }
  return end_ && std::chrono::steady_clock::now() >= *end_ ? AVRM_ERR_TIMEOUT : AVRM_OK;
}

avrm_status_t ConnectingCreation::prepare(CreationResult &made) noexcept {
  if (link_.socket.is_open()) {
    const DeviceGuard guard(device());
    const avrm_status_t status = new_link(device(), made.map.get(), made.remote.get(), &kept_link_);
    if (status != AVRM_OK) {
      return status;
    }
  }
  return Creation::prepare(made);
}

avrm_comm_t *ConnectingCreation::take() noexcept {
  avrm_comm_t *const comm = Creation::take();
  if (comm != nullptr && kept_link_ != nullptr) {
    const DeviceGuard guard(device());
    open_link(device(), std::exchange(kept_link_, nullptr), std::move(link_.socket));
  }
  return comm;
}

avrm_status_t connect_groups(avrm_comm_t *comm, std::int32_t root, RootConnector &connector,
                             avrm_comm_t **comm_p) noexcept {
  if (comm == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (comm->is_inter() || comm->is_internal()) {
    return AVRM_ERR_OPTION;
  }
  if (root < 0 || root >= comm->map->size) {
    return AVRM_ERR_RANK;
  }
  ConnectingCreation creation(comm, next_tag(comm), root);
  avrm_status_t status = AVRM_OK;
  std::uint32_t seed = 0;
  if (comm->rank == root) {
    status = comm->device->receives_from_net ? connector.reach(creation, &creation.link().socket, &seed)
                                             : AVRM_ERR_UNSUPPORTED;
  }
  creation.run(
      make_joined(creation.channel(), *creation.bridge(), creation, creation.parent(), status, seed, creation.made()));
  status = creation.wait();
  if (status == AVRM_OK) {
    *comm_p = creation.take();
  }
  return status;
}

} // namespace avrankmap::detail
