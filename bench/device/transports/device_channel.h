// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our device, as a channel (timing_loops.h).
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_DEVICE_CHANNEL_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_DEVICE_CHANNEL_H

#include "device/transports/list.h"
#include "device/transports/timing_loops.h"
#include "support/open_device.h"

#include "avrankmap/device/device.h"

#include <stdexcept>
#include <string>

namespace avrankmap::bench {

class DeviceChannel {
public:
  DeviceChannel(avrm_boot_t *boot, const Transport &transport, std::size_t largest) : peer_(1 - avrm_boot_rank(boot)) {
    avrm_device_options_t options = options_of(boot, transport);
    options.on_error = [](void *user, avrm_status_t, const char *text) { *static_cast<std::string *>(user) = text; };
    options.user = &error_;
    options.spin_us = AVRM_SPIN_FOREVER; // the bare interfaces also poll; see sleep.h
    const avrm_status_t status = avrm_device_open(&options, &device_);
    if (lacks_transport(status)) {
      throw TransportMissing(avrm_status_text(status));
    }
    check(status);
    world_ = avrm_device_world(device_);
    void *base = nullptr;
    check(avrm_window_allocate(world_, largest, 0, &base, &window_));
    // First contact is made now: another device of this process will publish its own business card.
    irecv(nullptr, 0, 0);
    isend(nullptr, 0, 0);
    wait_all();
  }
  DeviceChannel(const DeviceChannel &) = delete;
  DeviceChannel &operator=(const DeviceChannel &) = delete;
  ~DeviceChannel() {
    (void)avrm_window_free(window_);
    (void)avrm_device_close(device_);
  }

  void isend(const void *buffer, std::size_t bytes, int tag) {
    check(avrm_isend(world_, buffer, bytes, peer_, tag, &requests_[posted_++]));
  }
  void irecv(void *buffer, std::size_t bytes, int tag) {
    check(avrm_irecv(world_, buffer, bytes, peer_, tag, &requests_[posted_++]));
  }
  void put(const void *buffer, std::size_t bytes) {
    check(avrm_put(window_, buffer, bytes, peer_, 0, &requests_[posted_++]));
  }
  void wait_all() {
    for (std::size_t i = 0; i < posted_; ++i) {
      check(avrm_wait(&requests_[i], nullptr));
    }
    posted_ = 0;
  }
  void flush() {
    wait_all();
    check(avrm_flush(window_, peer_));
  }
  void progress() { (void)avrm_progress(device_); }

private:
  void check(avrm_status_t status) const {
    if (status != AVRM_OK) {
      fail(status);
    }
  }
  [[noreturn]] [[gnu::noinline]] [[gnu::cold]] void fail(avrm_status_t status) const {
    throw std::runtime_error(std::string(avrm_status_text(status)) + (error_.empty() ? "" : ": " + error_));
  }

  std::int32_t peer_;
  std::string error_;
  avrm_device_t *device_ = nullptr;
  avrm_comm_t *world_ = nullptr;
  avrm_window_t *window_ = nullptr;
  std::size_t posted_ = 0;
  avrm_request_t *requests_[kWindow + 2] = {};
};

} // namespace avrankmap::bench

#endif
