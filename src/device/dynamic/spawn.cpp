// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spawned processes connect to their parents at the port that is named in their environment.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "avrankmap/device/dynamic.h"
#include "base/open_error.h"
#include "base/standard_streams.h"
#include "dynamic/connect_groups.h"
#include "dynamic/launches.h"
#include "dynamic/open_ports.h"
#include "dynamic/state.h"
#include "launch/boot.h"
#include "launch/launch.h"

namespace avrankmap::detail {

namespace {

// Also ends the wait when one of the children cannot connect.
class WaitingForChildren final : public Waiting {
public:
  WaitingForChildren(Waiting &waiting, Launch &launch) noexcept : waiting_(waiting), launch_(launch) {}
  [[nodiscard]] avrm_status_t go_on() noexcept override {
    const avrm_status_t status = launch_.look();
    return status != AVRM_OK ? status : waiting_.go_on();
  }

private:
  Waiting &waiting_;
  Launch &launch_;
};

class SpawnConnector final : public RootConnector {
public:
  SpawnConnector(const char *command, std::int32_t count, const avrm_spawn_options_t *options) noexcept
      : command_(command), count_(count), options_(options == nullptr ? avrm_spawn_options_t{} : *options) {}

  // Null if nothing was started.
  [[nodiscard]] std::unique_ptr<Launch> &launch() noexcept { return launch_; }

  [[nodiscard]] avrm_status_t reach(ConnectingCreation &creation, Socket *socket_p,
                                    std::uint32_t *seed_p) noexcept override {
    if (command_ == nullptr) {
      return AVRM_ERR_NULL;
    }
    if (count_ < 1 || options_.timeout_ms < 0) {
      return AVRM_ERR_SIZE;
    }
    if (MatchBits(count_) != creation.device()->match_bits) {
      return AVRM_ERR_LIMIT;
    }
    avrm_device_t *const device = creation.device();
    char port[AVRM_PORT_MAX];
    // If the program has closed a standard stream in the meantime, the port's socket would take its
    // number and become a standard stream of the children.
    avrm_status_t status = fill_standard_streams();
    status = status != AVRM_OK ? status : avrm_port_open(device, port);
    if (status != AVRM_OK) {
      return status;
    }
    launch_ = device->boot->new_launch(device->dynamic->lost_children.load(std::memory_order_relaxed) ||
                                       device->foreign_failures.load(std::memory_order_relaxed) != 0);
    if (launch_ != nullptr) {
      limit(creation);
      status = launch_->start({command_, options_.arguments, options_.environment, port, count_, device->local_only});
    } else {
      status = AVRM_ERR_NO_MEMORY;
    }
    if (status == AVRM_ERR_SYSTEM) {
      report(device, status, open_error());
    }
    if (status == AVRM_OK) {
      WaitingForChildren waiting(creation.waiting(), *launch_);
      status = accept_by_name(device, port, waiting, socket_p, seed_p);
    }
    (void)avrm_port_close(device, port);
    return status;
  }

private:
  void limit(ConnectingCreation &creation) const noexcept {
    const std::chrono::milliseconds limit =
        options_.timeout_ms != 0 ? std::chrono::milliseconds(options_.timeout_ms) : launch_->limit();
    if (limit.count() != 0) {
      creation.give_up_after(limit);
    }
  }

  const char *command_;
  std::int32_t count_;
  avrm_spawn_options_t options_;
  std::unique_ptr<Launch> launch_;
};

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_spawn(avrm_comm_t *comm, int32_t root, const char *command, int32_t count,
                              const avrm_spawn_options_t *options, avrm_comm_t **comm_p,
                              avrm_status_t *errors) noexcept {
  SpawnConnector connector(command, count, options);
  const avrm_status_t status = connect_groups(comm, root, connector, comm_p);
  if (errors != nullptr && comm != nullptr && comm->rank == root && count > 0) {
    std::fill_n(errors, count, AVRM_OK);
  }
  if (status == AVRM_ERR_PEER || status == AVRM_ERR_TIMEOUT) { // `comm` is valid then
    comm->device->dynamic->lost_children.store(true, std::memory_order_relaxed);
  }
  std::unique_ptr<Launch> &launch = connector.launch();
  if (launch == nullptr) {
    return status;
  }
  if (status == AVRM_OK) {
    launch->let_go();
    keep_launch(comm->device, std::move(launch));
    return status;
  }
  launch->end();
  if (errors != nullptr && launch->failed_rank() >= 0) {
    errors[launch->failed_rank()] = launch->failure();
  }
  return status;
}

avrm_status_t avrm_comm_get_parent(avrm_device_t *device, avrm_comm_t **comm_p) noexcept {
  if (device == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const char *const port = device->boot->parent_port();
  if (*port == '\0' || device->dynamic->has_connected_parent) {
    *comm_p = device->parent;
    return AVRM_OK;
  }
  const avrm_status_t status = avrm_comm_connect(device->world, 0, port, nullptr, &device->parent);
  if (status == AVRM_OK) {
    device->dynamic->has_connected_parent = true;
    *comm_p = device->parent;
  }
  return status;
}
