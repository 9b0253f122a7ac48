// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/open_ports.h"

#include <cstring>
#include <new>

#include "dynamic/state.h"

namespace avrankmap::detail {

namespace {

Port *find_port(avrm_device_t *device, const PortName &name) noexcept {
  Port *port = device->dynamic->ports;
  while (port != nullptr && (port->name.number != name.number || port->name.secret != name.secret)) {
    port = port->next;
  }
  return port;
}

void free_port(avrm_device_t *device, Port *port) noexcept {
  port->~Port();
  device->instance->memory.release(port, sizeof *port, alignof(Port), AVRM_MEM_COMM);
}

// Marks a port as in use as long as this object exists.
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
  [[nodiscard]] Port &port() const noexcept { return *port_; }

private:
  avrm_device_t *device_;
  Port *port_ = nullptr;
};

} // namespace

avrm_status_t accept_by_name(avrm_device_t *device, const char *name, Waiting &waiting, Socket *socket_p,
                             std::uint32_t *seed_p) noexcept {
  PortName where;
  avrm_status_t status = where.parse(name);
  *seed_p = where.seed();
  if (status != AVRM_OK) {
    return status;
  }
  PortInUse port(device);
  status = port.find(where);
  return status != AVRM_OK ? status : accept_at(port.port(), waiting, socket_p);
}

void close_ports(avrm_device_t *device) noexcept {
  while (device->dynamic->ports != nullptr) {
    Port *const port = device->dynamic->ports;
    device->dynamic->ports = port->next;
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
  if (!has_keyed_hash()) {
    report(device, AVRM_ERR_UNSUPPORTED, "there are no ports in this build, since it has no libsodium");
    return AVRM_ERR_UNSUPPORTED;
  }
  void *const block = device->instance->memory.allocate(sizeof(Port), alignof(Port), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const port = new (block) Port;
  const avrm_status_t status = listen_at(device->dynamic->interface, device->local_only, port);
  if (status != AVRM_OK) {
    if (status == AVRM_ERR_OPTION) {
      report(device, status, "the interface for ports does not exist, or has no address");
    }
    free_port(device, port);
    return status;
  }
  char text[AVRM_PORT_MAX];
  port->name.print(text);
  std::memcpy(name, text, sizeof text);
  const DeviceGuard guard(device);
  port->next = device->dynamic->ports;
  device->dynamic->ports = port;
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
  Port **at = &device->dynamic->ports;
  while (*at != port) {
    at = &(*at)->next;
  }
  *at = port->next;
  free_port(device, port);
  return AVRM_OK;
}
