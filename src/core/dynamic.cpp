// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface of dynamic processes.
#include "avrankmap/dynamic.h"

#include <cstring>
#include <new>

#include "comm/create.h"
#include "core/meeting.h"

namespace avrankmap::detail {

namespace {

constexpr std::chrono::seconds kConnectTime{10};

Port *find_port(avrm_device_t *device, const PortName &name) noexcept {
  Port *port = device->ports;
  while (port != nullptr &&
         (port->name.number != name.number || std::memcmp(port->name.secret, name.secret, sizeof name.secret) != 0)) {
    port = port->next;
  }
  return port;
}

void free_port(avrm_device_t *device, Port *port) noexcept {
  port->~Port();
  device->instance->memory.release(port, sizeof *port, alignof(Port), AVRM_MEM_COMM);
}

// A port that is in use while this lives.
class PortInUse {
public:
  explicit PortInUse(avrm_device_t *device) noexcept : device_(device) {}
  ~PortInUse() {
    if (port_ != nullptr) {
      const DeviceGuard guard(device_);
      --port_->users;
    }
  }
  PortInUse(const PortInUse &) = delete;
  PortInUse &operator=(const PortInUse &) = delete;

  [[nodiscard]] avrm_status_t find(const PortName &name) noexcept {
    const DeviceGuard guard(device_);
    port_ = find_port(device_, name);
    if (port_ == nullptr) {
      return AVRM_ERR_PORT;
    }
    ++port_->users;
    return AVRM_OK;
  }
  [[nodiscard]] const Port &port() const noexcept { return *port_; }

private:
  avrm_device_t *device_;
  Port *port_ = nullptr;
};

enum class Side { kAccept, kConnect };

avrm_status_t connect_by_name(const char *name, Waiting &waiting, Socket *socket_p, std::uint32_t *seed_p) noexcept {
  PortName where;
  const avrm_status_t parsed = where.parse(name);
  *seed_p = static_cast<std::uint32_t>(where.secret[0]);
  return parsed != AVRM_OK ? parsed : connect_to(where, waiting, socket_p);
}

class AtPort final : public Meeting {
public:
  AtPort(Side side, const char *name, const avrm_meet_options_t *options) noexcept
      : side_(side), name_(name), milliseconds_(options == nullptr ? 0 : options->timeout_ms) {}

  [[nodiscard]] avrm_status_t reach(Creation &creation, Socket *socket_p, std::uint32_t *seed_p) noexcept override {
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
    return side_ == Side::kConnect ? connect_by_name(name_, creation.waiting(), socket_p, seed_p)
                                   : accept_by_name(creation.device(), name_, creation.waiting(), socket_p, seed_p);
  }

private:
  Side side_;
  const char *name_;
  std::int32_t milliseconds_;
};

} // namespace

avrm_status_t accept_by_name(avrm_device_t *device, const char *name, Waiting &waiting, Socket *socket_p,
                             std::uint32_t *seed_p) noexcept {
  PortName where;
  avrm_status_t status = where.parse(name);
  *seed_p = static_cast<std::uint32_t>(where.secret[0]);
  if (status != AVRM_OK) {
    return status;
  }
  PortInUse port(device);
  status = port.find(where);
  return status != AVRM_OK ? status : accept_at(port.port(), waiting, socket_p);
}

avrm_status_t meet(avrm_comm_t *comm, std::int32_t root, Meeting &meeting, avrm_comm_t **comm_p) noexcept {
  if (comm == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (comm->is_inter() || comm->is_internal()) {
    return AVRM_ERR_OPTION;
  }
  if (root < 0 || root >= comm->map->size) {
    return AVRM_ERR_RANK;
  }
  Creation creation(comm, next_tag(comm));
  LinkChannel &link = creation.link_to_other(root);
  avrm_status_t status = AVRM_OK;
  std::uint32_t seed = 0;
  if (comm->rank == root) {
    status = comm->device->receives_from_net ? meeting.reach(creation, &link.socket, &seed) : AVRM_ERR_UNSUPPORTED;
    creation.wait_without_end(); // both are here: the rest takes as long as their groups take
  }
  creation.run(
      make_joined(creation.channel(), *creation.bridge(), creation, creation.parent(), status, seed, creation.made()));
  status = creation.wait();
  if (status == AVRM_OK) {
    *comm_p = creation.take();
  }
  return status;
}

void close_ports(avrm_device_t *device) noexcept {
  while (device->ports != nullptr) {
    Port *const port = device->ports;
    device->ports = port->next;
    free_port(device, port);
  }
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_port_open(avrm_device_t *device, char *name) noexcept {
  if (device == nullptr || name == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (!device->receives_from_net) {
    return AVRM_ERR_UNSUPPORTED;
  }
  void *const block = device->instance->memory.allocate(sizeof(Port), alignof(Port), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const port = new (block) Port;
  const avrm_status_t status = listen_at(device->local_only, port);
  if (status != AVRM_OK) {
    free_port(device, port);
    return status;
  }
  char text[AVRM_PORT_MAX];
  port->name.print(text);
  std::memcpy(name, text, sizeof text);
  const DeviceGuard guard(device);
  port->next = device->ports;
  device->ports = port;
  return AVRM_OK;
}

avrm_status_t avrm_port_close(avrm_device_t *device, const char *name) noexcept {
  if (device == nullptr || name == nullptr) {
    return AVRM_ERR_NULL;
  }
  PortName wanted;
  if (const avrm_status_t status = wanted.parse(name); status != AVRM_OK) {
    return status;
  }
  const DeviceGuard guard(device);
  Port *const port = find_port(device, wanted);
  if (port == nullptr) {
    return AVRM_ERR_PORT;
  }
  if (port->users != 0) {
    return AVRM_ERR_BUSY;
  }
  Port **at = &device->ports;
  while (*at != port) {
    at = &(*at)->next;
  }
  *at = port->next;
  free_port(device, port);
  return AVRM_OK;
}

avrm_status_t avrm_comm_accept(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                               avrm_comm_t **comm_p) noexcept {
  AtPort meeting(Side::kAccept, name, options);
  return meet(comm, root, meeting, comm_p);
}

avrm_status_t avrm_comm_connect(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                                avrm_comm_t **comm_p) noexcept {
  AtPort meeting(Side::kConnect, name, options);
  return meet(comm, root, meeting, comm_p);
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
  avrm_status_t status = AVRM_OK;
  {
    Creation leaving(comm, next_tag(comm));
    const bool first = comm->is_inter() && leaving.comes_first(avrm_rankmap_gpid(comm->own, 0), gpid_of(comm, 0));
    leaving.run(take_leave(leaving.channel(), leaving.bridge(), first));
    status = leaving.wait();
  }
  (void)avrm_comm_free(comm);
  *comm_p = nullptr;
  return status;
}
