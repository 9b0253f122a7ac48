// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface of dynamic processes: accepting, connecting and disconnecting.
#include "avrankmap/device/dynamic.h"

#include <optional>

#include "comm_algorithms/disconnect.h"
#include "comm_calls/device_channel.h"
#include "core/peers/worlds.h"
#include "dynamic/connect_groups.h"
#include "dynamic/dial.h"
#include "dynamic/open_ports.h"

namespace avrankmap::detail {

namespace {

constexpr std::chrono::seconds kConnectTime{10};

enum class Side { kAccept, kConnect };

avrm_status_t connect_by_name(const char *name, Waiting &waiting, Socket *socket_p, std::uint32_t *seed_p) noexcept {
  PortName where;
  const avrm_status_t parsed = where.parse(name);
  *seed_p = where.seed();
  if (parsed == AVRM_OK && !has_keyed_hash()) {
    return AVRM_ERR_UNSUPPORTED;
  }
  return parsed != AVRM_OK ? parsed : connect_to(where, waiting, socket_p);
}

class PortConnector final : public RootConnector {
public:
  PortConnector(Side side, const char *name, const avrm_meet_options_t *options) noexcept
      : side_(side), name_(name), milliseconds_(options == nullptr ? 0 : options->timeout_ms) {}

  [[nodiscard]] avrm_status_t reach(ConnectingCreation &creation, Socket *socket_p,
                                    std::uint32_t *seed_p) noexcept override {
    if (name_ == nullptr) {
      return AVRM_ERR_NULL;
    }
    if (milliseconds_ < 0) {
      return AVRM_ERR_SIZE;
    }
    if (milliseconds_ != 0) {
      creation.give_up_after(std::chrono::milliseconds(milliseconds_));
    } else if (side_ == Side::kConnect) {
      creation.give_up_after(kConnectTime);
    }
    const avrm_status_t status = side_ == Side::kConnect
                                     ? connect_by_name(name_, creation.waiting(), socket_p, seed_p)
                                     : accept_by_name(creation.device(), name_, creation.waiting(), socket_p, seed_p);
    if (milliseconds_ == 0) { // connected: the remaining steps have no time limit
      creation.wait_without_end();
    }
    return status;
  }

private:
  Side side_;
  const char *name_;
  std::int32_t milliseconds_;
};

avrm_status_t leave(avrm_comm_t *comm) noexcept {
  const std::int32_t tag = next_tag(comm);
  Operation leaving(comm);
  DeviceChannel channel(leaving, comm->collective, tag);
  DeviceChannel lasting(leaving, comm->collective, tag, true);
  bool first = false;
  std::optional<DeviceChannel> between[2];
  std::optional<LeaderChannels> leaders;
  if (comm->is_inter() && comm->rank == 0) {
    const DeviceGuard guard(comm->device);
    first = comes_first(comm->device, avrm_rankmap_gpid(comm->own, 0), avrm_rankmap_gpid(comm->map, 0));
    leaders.emplace(LeaderChannels{between[0].emplace(leaving, comm->leaders, tag),
                                   between[1].emplace(leaving, comm->leaders, tag, true)});
  }
  leaving.run(disconnect_barrier(channel, lasting, leaders ? &*leaders : nullptr, first));
  return leaving.wait();
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_accept(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                               avrm_comm_t **comm_p) noexcept {
  PortConnector connector(Side::kAccept, name, options);
  return connect_groups(comm, root, connector, comm_p);
}

avrm_status_t avrm_comm_connect(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                                avrm_comm_t **comm_p) noexcept {
  PortConnector connector(Side::kConnect, name, options);
  return connect_groups(comm, root, connector, comm_p);
}

avrm_status_t avrm_comm_disconnect(avrm_comm_t **comm_p) noexcept {
  if (comm_p == nullptr || *comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_comm_t *const comm = *comm_p;
  {
    const DeviceGuard guard(comm->device);
    if (is_busy(comm)) {
      return AVRM_ERR_BUSY;
    }
  }
  const avrm_status_t status = leave(comm);
  (void)avrm_comm_free(comm);
  *comm_p = nullptr;
  return status;
}
