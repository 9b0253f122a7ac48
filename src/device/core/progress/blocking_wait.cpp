// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/blocking_wait.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/device.h"

namespace avrankmap::detail {

BlockingWait::~BlockingWait() {
  for (const int descriptor : {set_, event_}) {
    if (descriptor >= 0) {
      close(descriptor);
    }
  }
}

bool BlockingWait::open() noexcept {
  if (set_ >= 0) {
    return true;
  }
  const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int set = epoll_create1(EPOLL_CLOEXEC);
  int watched = -1;
  set_ = set;
  if (event < 0 || set < 0 || !watch(event, &watched)) {
    for (const int descriptor : {set, event}) {
      if (descriptor >= 0) {
        close(descriptor);
      }
    }
    set_ = -1;
    return false;
  }
  event_ = event;
  return true;
}

// Adds a transport's descriptor to the set, unless it is already there.
bool BlockingWait::watch(int descriptor, int *watched) const noexcept {
  if (*watched != descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
      return false;
    }
    *watched = descriptor;
  }
  return true;
}

bool BlockingWait::arm(avrm_device_t *device, bool *is_unannounced) noexcept {
  bool blind =
      device->queues != nullptr || device->served != 0 || device->ready.count() != 0 || !device->deferred.empty();
  int descriptor = -1;
  if (device->shm != nullptr) {
    const avrm_status_t status =
        device->shm->ops->arm == nullptr ? AVRM_ERR_UNSUPPORTED : device->shm->ops->arm(device->shm, &descriptor);
    if (status == AVRM_ERR_AGAIN) {
      return false;
    }
    shm_is_armed_ = status == AVRM_OK;
    blind = blind || !shm_is_armed_ || !watch(descriptor, &of_shm_);
  }
  if (device->receives_from_net) {
    const avrm_status_t status =
        device->net->ops->arm == nullptr ? AVRM_ERR_UNSUPPORTED : device->net->ops->arm(device->net, &descriptor);
    if (status == AVRM_ERR_AGAIN) {
      disarm(device);
      return false;
    }
    blind = blind || status != AVRM_OK || !watch(descriptor, &of_net_);
  }
  *is_unannounced = *is_unannounced || blind;
  return true;
}

void BlockingWait::disarm(avrm_device_t *device) noexcept {
  if (shm_is_armed_) {
    device->shm->ops->disarm(device->shm);
    shm_is_armed_ = false;
  }
}

void BlockingWait::begin_sleep(avrm_device_t *device) noexcept {
  // Other sleeping threads may still have to see the event.
  if (is_rung_ && (device->sleepers == 0 || !device->threads)) {
    std::uint64_t count = 0;
    (void)!read(event_, &count, sizeof count);
    is_rung_ = false;
  }
  ++device->sleepers;
}

void BlockingWait::end_sleep(avrm_device_t *device) noexcept {
  --device->sleepers;
  disarm(device);
  // Much may have happened since the last call of progress.
  device->calls_to_look = 1;
  device->has_slept = true;
  device->pace.hurry();
}

void BlockingWait::wake() noexcept {
  if (!is_rung_) {
    const std::uint64_t one = 1;
    is_rung_ = write(event_, &one, sizeof one) == sizeof one;
  }
}

} // namespace avrankmap::detail
