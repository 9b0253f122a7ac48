// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "liveness/failure_detector.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "base/coarse_clock.h"
#include "core/device.h"
#include "core/peers/connect.h"
#include "core/peers/worlds.h"
#include "core/progress/queue.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

constexpr std::int64_t kPause = 10 * kMillisecond;
constexpr std::int64_t kRetryPause = 100 * kMillisecond; // fetching a card may call the launcher
constexpr std::int64_t kDoubt = 1000 * kMillisecond;     // delay of evidence found while closing
constexpr std::int64_t kMostDoubt = 100 * kMillisecond;  // the most that one look adds to doubted_
constexpr int kMostEnds = 16;                            // handled per look

} // namespace

FailureDetector::~FailureDetector() {
  descriptors_.for_each([](std::int32_t descriptor) { ::close(descriptor); });
  if (ends_ >= 0) {
    ::close(ends_);
  }
}

void FailureDetector::add(avrm_device_t *device, std::int32_t lpid, const Card &card) noexcept {
  Memory &memory = device->instance->memory;
  if (device->boot->tells_deaths() || card.node != device->node || card.space != device->process.space ||
      lpid == device->rank || watched_.has(lpid)) {
    return;
  }
  if (ends_ < 0) {
    ends_ = epoll_create1(EPOLL_CLOEXEC);
  }
  const int descriptor = open_process(card.process());
  if (descriptor == kGone) {
    return suspect(device, lpid);
  }
  if (descriptor == kHidden) {
    return;
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = std::uint64_t{static_cast<std::uint32_t>(descriptor)} << 32 | static_cast<std::uint32_t>(lpid);
  if (descriptor == kLacking || !watched_.make_room(memory) || !descriptors_.make_room(memory) ||
      epoll_ctl(ends_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    is_short_ = true;
    if (descriptor >= 0) {
      ::close(descriptor);
    }
    return;
  }
  watched_.add(lpid);
  descriptors_.add(descriptor);
}

// Watches processes of this node that are not watched yet: the contacted ones, or all.
void FailureDetector::add_missing(avrm_device_t *device) noexcept {
  all_watched_ = all_wanted_;
  is_short_ = false;
  for (const std::int32_t lpid : device->boot->watched_ranks()) {
    Card card;
    if ((!all_wanted_ && !device->contacted.has(lpid)) || lpid == device->rank || watched_.has(lpid) ||
        device->boot->failures().has(lpid)) {
      continue;
    }
    switch (fetch_card(device, lpid, &card)) {
    case AVRM_OK: add(device, lpid, card); break;
    // The process ended before it published a card, and the launcher completed the opening fence
    // without it.
    case AVRM_ERR_PEER: suspect(device, lpid); break;
    default: is_short_ = true;
    }
  }
}

void FailureDetector::suspect(avrm_device_t *device, std::int32_t lpid) noexcept {
  if (device->boot->tells_deaths()) {
    return;
  }
  if (!closing_ || !suspects_.make_room(device->instance->memory)) {
    believe(device, lpid);
    return;
  }
  if (suspects_.empty()) {
    doubted_ = 0;
  }
  suspects_.add(lpid);
}

void FailureDetector::believe(avrm_device_t *device, std::int32_t lpid) noexcept {
  if (!device->boot->failures().has(lpid)) {
    device->boot->report_death(lpid);
    notices_.add(lpid);
  }
}

void FailureDetector::hear(avrm_device_t *device, const ActiveHeader &header) noexcept {
  const auto size = static_cast<std::uint64_t>(device->size);
  const auto own = static_cast<std::uint64_t>(device->rank);
  const std::uint64_t first = header.position;
  const std::uint64_t count = header.token;
  if (first >= size || count > size - first || own - first < count) {
    return;
  }
  for (std::uint64_t lpid = first; lpid < first + count; ++lpid) {
    if (!device->boot->failures().has(static_cast<std::int32_t>(lpid))) {
      suspect(device, static_cast<std::int32_t>(lpid));
    }
  }
}

namespace {

// Returns false if the notice cannot be sent now, for any reason. A process that has died counts as
// informed.
bool tell(avrm_device_t *device, std::int32_t lpid, const FailedRange &deaths) noexcept {
  ActiveHeader header{};
  header.type = ActiveType::kDeaths;
  header.position = static_cast<std::uint64_t>(deaths.first);
  header.token = static_cast<std::uint64_t>(deaths.count);
  const avrm_status_t status = send_active(device, {kOwnWorld, lpid}, header, nullptr, 0, Retry::kLater);
  return status == AVRM_OK || status == AVRM_ERR_PEER;
}

// Calls visit(range) for each range of consecutive dead lpids.
template <typename Visit> void for_all_dead(const avrm_device_t *device, Visit visit) noexcept {
  const FailedProcesses &failures = device->boot->failures();
  for (std::int32_t lpid = failures.next(0); lpid < device->size;) {
    const std::int32_t first = lpid;
    std::int32_t end = lpid + 1;
    for (lpid = failures.next(end); lpid == end && lpid < device->size; lpid = failures.next(end)) {
      ++end;
    }
    visit(FailedRange{first, end - first});
  }
}

} // namespace

void FailureDetector::spread(avrm_device_t *device) noexcept {
  notices_.spread(
      device->rank, device->size, [device](std::int32_t lpid) { return device->boot->failures().has(lpid); },
      [device](auto visit) { for_all_dead(device, visit); },
      [device](std::int32_t lpid, const FailedRange &deaths) { return tell(device, lpid, deaths); });
}

void FailureDetector::repeat(avrm_device_t *device) noexcept {
  notices_.repeat([device](std::int32_t lpid) { return device->boot->failures().has(lpid); },
                  [device](auto visit) { for_all_dead(device, visit); },
                  [device](std::int32_t lpid, const FailedRange &deaths) { return tell(device, lpid, deaths); });
}

void FailureDetector::close(avrm_device_t *device) noexcept {
  last_look_ = 0;
  last_try_ = 0;
  look(device);
  closing_ = true;
}

void FailureDetector::look(avrm_device_t *device) noexcept {
  const std::int64_t time = coarse_now();
  const std::int64_t elapsed = time - last_look_;
  if (elapsed < kPause) {
    return;
  }
  last_look_ = time;
  doubted_ += std::min(elapsed, kMostDoubt);
  device->retired.remove_lost(device->net);
  if ((all_wanted_ && !all_watched_) || (is_short_ && time - last_try_ >= kRetryPause)) {
    last_try_ = time;
    add_missing(device);
  }
  if (ends_ >= 0) {
    epoll_event ends[kMostEnds];
    const int count = epoll_wait(ends_, ends, kMostEnds, 0);
    for (int i = 0; i < count; ++i) {
      epoll_ctl(ends_, EPOLL_CTL_DEL, static_cast<int>(ends[i].data.u64 >> 32), nullptr);
      suspect(device, static_cast<std::int32_t>(ends[i].data.u64));
    }
  }
  if (!suspects_.empty() && doubted_ >= kDoubt) {
    suspects_.for_each([this, device](std::int32_t lpid) { believe(device, lpid); });
    suspects_.clear();
  }
  if (device->watch_ring != nullptr) {
    device->upcalls->poll_watch_ring(device);
  }
  spread(device);
  if (notices_.has_missed() && time - last_repeat_ >= kRetryPause) {
    last_repeat_ = time;
    repeat(device);
  }
}

namespace {

// Finds the handle of a process of this world for `queue`, or for the netmod if `queue` is null.
bool find_handle(const avrm_device_t *device, const Queue *queue, std::int32_t lpid, std::uint64_t *handle_p) noexcept {
  if (queue != nullptr) {
    return queue->find(lpid, handle_p);
  }
  avrm_ave_t ave;
  if (avrm_av_get(device->world_av, lpid, &ave) != AVRM_OK) {
    return false;
  }
  if (!is_network(device, avrm_ave_word(&ave))) {
    const LocalNetPeer *const peer = device->local_net_peers.find(lpid);
    *handle_p = peer == nullptr ? 0 : peer->handle;
    return peer != nullptr;
  }
  *handle_p = handle_of(device, avrm_ave_word(&ave));
  return true;
}

} // namespace

void on_lost(void *user, const avrm_netmod_t *netmod, std::uint64_t handle) noexcept {
  auto *const device = static_cast<avrm_device_t *>(user);
  if (device->world_av == nullptr) {
    return;
  }
  const Queue *queue = netmod == device->net ? nullptr : device->queues;
  while (queue != nullptr && queue->net != netmod) {
    queue = queue->next;
  }
  device->contacted.for_each([&](std::int32_t lpid) {
    if (std::uint64_t known = 0; find_handle(device, queue, lpid, &known) && known == handle) {
      device->failure_detector.lost(device, lpid);
    }
  });
  if (netmod == device->net) {
    lose_connection(device, handle);
  }
}

} // namespace avrankmap::detail
