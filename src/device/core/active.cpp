// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/active.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/coarse_clock.h"
#include "core/job_secret_exchange.h"
#include "core/peers/connect.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

avrm_status_t try_send(avrm_device_t *device, const Route &route, const ActiveHeader &header, const void *payload,
                       std::size_t bytes) noexcept {
  switch (route.kind) {
  case Route::kNet: return device->net->ops->am_send(device->net, route.handle, &header, sizeof header, payload, bytes);
  case Route::kShm:
    return device->shm->ops->am_send(device->shm, route.local_rank, &header, sizeof header, payload, bytes);
  case Route::kSelf: return device->upcalls->on_active(device, header, payload, bytes) ? AVRM_OK : AVRM_ERR_AGAIN;
  }
  AVRM_UNREACHABLE();
  return AVRM_OK;
}

// True if the handler of a message may answer it. Other messages are taken even if there is no room
// for answers, so that two processes without memory do not wait for each other.
bool may_be_answered(const ActiveHeader &header) noexcept {
  switch (header.type) {
  case ActiveType::kKeyReply:
  case ActiveType::kPutDone:
  case ActiveType::kGetData:
  case ActiveType::kRefused:
  case ActiveType::kRefusedAll:
  case ActiveType::kDeath:
  case ActiveType::kRelay:
  case ActiveType::kDeaths:
  case ActiveType::kMatched:
  case ActiveType::kDiscard: return false;
  case ActiveType::kRevoke:
  case ActiveType::kFreeConsensus: return header.token >> 32 == 0; // not itself an answer
  case ActiveType::kKeyRequest:
  case ActiveType::kPut:
  case ActiveType::kGet:
  case ActiveType::kAtomic:
  case ActiveType::kFetchAtomic:
  case ActiveType::kPutBlocks:
  case ActiveType::kGetBlocks: break;
  }
  return true;
}

// Finds the secret of a peer's job.
avrm_status_t find_secret(avrm_device_t *device, avrm_gpid_t peer, JobSecret *secret_p) noexcept {
  if (peer.pgid != kOwnWorld) {
    const World *const world = find_world(device, peer.pgid);
    *secret_p = world == nullptr ? JobSecret{} : world->secret;
    return world == nullptr ? AVRM_ERR_PGID_UNKNOWN : AVRM_OK;
  }
  const avrm_status_t status = learn_secret(device->boot);
  *secret_p = device->boot->secret;
  return status;
}

// Like learn_secret, but calls the launcher at most every kConnectPause: a message that is refused
// is offered again in each call of progress.
avrm_status_t learn_secret_slowly(avrm_device_t *device) noexcept {
  if (AVRM_LIKELY(!device->boot->secret.is_none())) {
    return AVRM_OK;
  }
  if (coarse_now() < device->next_secret) {
    return AVRM_ERR_TIMEOUT;
  }
  const avrm_status_t status = learn_secret(device->boot);
  device->next_secret = coarse_now() + kConnectPause;
  return status;
}

// Finds the route to a peer, and writes the secret of its job into the header.
avrm_status_t find_way(avrm_device_t *device, avrm_gpid_t peer, Route *route_p, ActiveHeader *header) noexcept {
  const avrm_status_t status = route_to(device, peer, route_p);
  return status == AVRM_OK ? find_secret(device, peer, &header->secret) : status;
}

// An attempt to send a message.
struct Attempt {
  avrm_status_t status;
  bool has_route; // or messages to the peer wait, so that none was looked for

  // True if the message need not be sent later.
  [[nodiscard]] bool is_over() const noexcept {
    return status == AVRM_OK || status == AVRM_ERR_PEER || (!has_route && !is_lack(status));
  }
};

Attempt attempt(avrm_device_t *device, avrm_gpid_t peer, ActiveHeader *header, const void *payload,
                std::size_t bytes) noexcept {
  if (AVRM_UNLIKELY(!device->deferred.empty()) && device->deferred.has(peer)) {
    return {AVRM_ERR_AGAIN, true};
  }
  Route route{};
  const avrm_status_t status = find_way(device, peer, &route, header);
  return status != AVRM_OK ? Attempt{status, false} : Attempt{try_send(device, route, *header, payload, bytes), true};
}

// Makes progress until the message is sent.
avrm_status_t send_now(avrm_device_t *device, avrm_gpid_t peer, ActiveHeader *header, const void *payload,
                       std::size_t bytes) noexcept {
  Route route{};
  const avrm_status_t status = find_way(device, peer, &route, header);
  if (status != AVRM_OK) {
    return status;
  }
  return post_to(device, peer, [&] {
    if (AVRM_UNLIKELY(!device->deferred.empty())) {
      (void)device->deferred.flush(device);
      if (device->deferred.has(peer)) {
        return AVRM_ERR_AGAIN;
      }
    }
    return try_send(device, route, *header, payload, bytes);
  });
}

} // namespace

avrm_status_t send_active(avrm_device_t *device, avrm_gpid_t peer, const ActiveHeader &without_secret,
                          const void *payload, std::size_t bytes, Retry retry) noexcept {
  ActiveHeader header = without_secret;
  if (retry == Retry::kNow) {
    return send_now(device, peer, &header, payload, bytes);
  }
  const Attempt sent = attempt(device, peer, &header, payload, bytes);
  if (sent.is_over() || retry == Retry::kNever) {
    return sent.status;
  }
  // The peer waits for the message, so it must not be lost.
  return device->deferred.add(peer, !sent.has_route, header, payload, bytes) ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

avrm_status_t send_prepared(avrm_device_t *device, avrm_gpid_t peer, const ActiveHeader &without_secret,
                            unsigned char *payload) noexcept {
  ActiveHeader header = without_secret;
  const Attempt sent = attempt(device, peer, &header, payload, header.bytes);
  if (sent.is_over()) {
    device->deferred.discard_prepared(payload);
    return sent.status;
  }
  device->deferred.add_prepared(peer, !sent.has_route, header, payload);
  return AVRM_OK;
}

std::size_t active_payload_max(const avrm_device_t *device) noexcept {
  std::size_t max = device->net->am_max;
  if (device->shm != nullptr) {
    max = std::min(max, device->shm->am_max);
  }
  return max - sizeof(ActiveHeader);
}

bool on_active(void *user, const void *data, std::size_t bytes) noexcept {
  auto *const device = static_cast<avrm_device_t *>(user);
  ActiveHeader header;
  if (bytes < sizeof header) {
    report(device, AVRM_ERR_TRANSPORT, "an active message is shorter than its header");
    return true;
  }
  std::memcpy(&header, data, sizeof header);
  const avrm_status_t status = learn_secret_slowly(device);
  if (AVRM_UNLIKELY(is_lack(status))) {
    return false;
  }
  if (status != AVRM_OK || !header.secret.is_same(device->boot->secret)) {
    if (!std::exchange(device->reported_no_secret, true)) {
      report(device, AVRM_ERR_TRANSPORT, "active messages without this job's secret are dropped");
    }
    return true;
  }
  if (may_be_answered(header)) {
    DeferredMessages &deferred = device->deferred;
    if (AVRM_UNLIKELY(deferred.has_rejections()) && device->upcalls->reject_active(device, header, true)) {
      return true;
    }
    if (AVRM_UNLIKELY(!deferred.make_room())) {
      return deferred.is_stuck() && device->upcalls->reject_active(device, header, false);
    }
  }
  const unsigned char *const payload = static_cast<const unsigned char *>(data) + sizeof header;
  if (AVRM_UNLIKELY(header.type == ActiveType::kRelay)) {
    if (device->shm != nullptr && device->shm->ops->relayed != nullptr) {
      device->shm->ops->relayed(device->shm, payload, bytes - sizeof header);
    }
    return true;
  }
  return device->upcalls->on_active(device, header, payload, bytes - sizeof header);
}

DeferredMessages::~DeferredMessages() {
  while (first_ != nullptr) {
    remove(&first_, nullptr);
  }
  while (free_reserve_ != nullptr) {
    Message *const message = std::exchange(free_reserve_, free_reserve_->next);
    if (!is_in(reserve_, message)) {
      release(message);
    }
  }
}

bool DeferredMessages::make_room() noexcept {
  if (AVRM_LIKELY(free_reserve_ != nullptr)) {
    full_since_ = 0;
    return true;
  }
  void *const block = memory_.allocate(sizeof(Message), alignof(Message), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    full_since_ = full_since_ == 0 ? coarse_now() : full_since_;
    return false;
  }
  free_reserve_ = new (block) Message{};
  full_since_ = 0;
  return true;
}

bool DeferredMessages::is_stuck() const noexcept {
  return full_since_ != 0 && coarse_now() - full_since_ >= kLongestHold;
}

namespace {

// Extends a rejection by another request. Requests of a peer arrive in the order of their tokens,
// and requests with the same token arrive one after another.
void extend(ActiveHeader *rejection, const ActiveHeader &by) noexcept {
  rejection->block |= by.block;
  rejection->offset += by.offset;
  if (by.bytes == 0) {
    return;
  }
  rejection->token = rejection->bytes == 0 ? by.token : rejection->token;
  rejection->bytes =
      rejection->bytes != 0 && rejection->position == by.position ? rejection->bytes + by.bytes : by.bytes;
  rejection->position = by.position;
}

} // namespace

bool DeferredMessages::reject(avrm_gpid_t peer, const ActiveHeader &rejection, bool only_extends) noexcept {
  Message *waiting = rejection_count_ != 0 ? first_to(peer) : nullptr;
  for (; waiting != nullptr; waiting = waiting->next_to_peer) {
    if (is_in(rejections_, waiting) && waiting->header.type == rejection.type &&
        waiting->header.window == rejection.window) {
      if (rejection.type == ActiveType::kRefusedAll) {
        extend(&waiting->header, rejection);
      }
      return true;
    }
  }
  if (only_extends || free_rejection_ == nullptr) {
    return false;
  }
  Message *const message = std::exchange(free_rejection_, free_rejection_->next);
  *message = Message{nullptr, peer, 0, rejection, 0, false};
  append(message);
  ++rejection_count_;
  return true;
}

DeferredMessages::Message *DeferredMessages::first_to(avrm_gpid_t peer) const noexcept {
  Message *message = first_;
  while (message != nullptr && !is_to(*message, peer)) {
    message = message->next;
  }
  return message;
}

bool DeferredMessages::add(avrm_gpid_t peer, bool lacks_route, const ActiveHeader &header, const void *payload,
                           std::size_t bytes) noexcept {
  void *block = memory_.allocate(sizeof(Message) + bytes, alignof(Message), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    if (bytes != 0 || free_reserve_ == nullptr) {
      return false;
    }
    block = std::exchange(free_reserve_, free_reserve_->next);
  }
  auto *const message = new (block) Message{nullptr, peer, bytes, header, 0, lacks_route};
  if (bytes != 0) {
    std::memcpy(message + 1, payload, bytes);
  }
  append(message);
  return true;
}

unsigned char *DeferredMessages::prepare(std::size_t bytes) noexcept {
  void *const block = memory_.allocate(sizeof(Message) + bytes, alignof(Message), AVRM_MEM_MESSAGE);
  return block == nullptr
             ? nullptr
             : reinterpret_cast<unsigned char *>(new (block) Message{nullptr, {}, bytes, {}, 0, false} + 1);
}

void DeferredMessages::add_prepared(avrm_gpid_t peer, bool lacks_route, const ActiveHeader &header,
                                    unsigned char *payload) noexcept {
  Message *const message = message_of(payload);
  message->peer = peer;
  message->header = header;
  message->lacks_route = lacks_route;
  append(message);
}

void DeferredMessages::append(Message *message) noexcept {
  if (Message *const first = first_to(message->peer); first != nullptr) {
    first->last_to_peer = first->last_to_peer->next_to_peer = message;
    return;
  }
  message->last_to_peer = message;
  (last_ == nullptr ? first_ : last_->next) = message;
  last_ = message;
}

// Removes a message from the list; the next one to the same peer takes its place. `at`: the link to
// it; `previous`: the message before it.
void DeferredMessages::remove(Message **at, Message *previous) noexcept {
  Message *const message = *at;
  Message *left = previous; // the last message that remains, if this one was the last
  if (Message *const next = message->next_to_peer; next != nullptr) {
    next->last_to_peer = message->last_to_peer;
    next->next = message->next;
    *at = left = next;
  } else {
    *at = message->next;
  }
  last_ = last_ == message ? left : last_;
  release(message);
}

void DeferredMessages::release(Message *message) noexcept {
  if (is_in(rejections_, message)) {
    message->next = free_rejection_;
    free_rejection_ = message;
    --rejection_count_;
    return;
  }
  if (is_in(reserve_, message)) {
    message->next = free_reserve_;
    free_reserve_ = message;
    return;
  }
  memory_.release(message, sizeof(Message) + message->bytes, alignof(Message), AVRM_MEM_MESSAGE);
}

int DeferredMessages::flush(avrm_device_t *device) noexcept {
  const bool connects = coarse_now() >= next_connect_;
  int busy_count = 0;
  int sent = 0;
  Message *last = nullptr; // last message that remains
  for (Message **at = &first_; *at != nullptr && busy_count < kMostBusy;) {
    Message *const message = *at;
    const bool waits = message->lacks_route && !connects;
    if (waits || !is_over(device, message)) {
      busy_count += !waits && !message->lacks_route ? 1 : 0;
      last = message;
      at = &message->next;
      continue;
    }
    remove(at, last);
    full_since_ = 0;
    ++sent;
  }
  // Peers that accept nothing, for example because they are stopped, must not delay others, so the
  // next flush begins with the rest.
  if (Message *const rest = last == nullptr ? nullptr : last->next; rest != nullptr) {
    last->next = nullptr;
    last_->next = std::exchange(first_, rest);
    last_ = last;
  }
  return sent;
}

// Tries to send a message. Returns true if it need not be tried again.
bool DeferredMessages::is_over(avrm_device_t *device, Message *message) noexcept {
  const bool is_unreachable = message->peer.pgid == kOwnWorld && device->failure_detector.suspects(message->peer.lpid);
  if (is_unreachable || has_failed(device, message->peer)) {
    return true;
  }
  Route route{};
  avrm_status_t status = find_way(device, message->peer, &route, &message->header);
  message->lacks_route = is_lack(status);
  if (message->lacks_route) {
    next_connect_ = coarse_now() + kConnectPause;
  } else if (status != AVRM_OK) {
    return true;
  } else {
    status = try_send(device, route, message->header, message + 1, message->bytes);
  }
  if (status == AVRM_ERR_AGAIN || is_lack(status)) {
    return false;
  }
  if (status != AVRM_OK && status != AVRM_ERR_PEER) {
    if (++message->failures < kMostFailures) {
      return false;
    }
    const bool is_own = message->peer.pgid == kOwnWorld;
    report(device, status,
           is_own ? "an active message could not be sent: its receiver counts as failed"
                  : "an active message to another world could not be sent, and is dropped");
    if (is_own) { // it may be waiting for this message
      device->failure_detector.lost(device, message->peer.lpid);
    }
  }
  return true;
}

bool PeerList::make_room(Memory &memory) noexcept {
  if (count_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
    auto *const runs = static_cast<Run *>(memory.allocate(capacity * sizeof(Run), alignof(Run), AVRM_MEM_CACHE));
    if (runs == nullptr) {
      return false;
    }
    std::copy(runs_, runs_ + count_, runs);
    const std::size_t count = count_;
    clear();
    memory_ = &memory;
    runs_ = runs;
    count_ = count;
    capacity_ = capacity;
  }
  return true;
}

void PeerList::add(std::int32_t lpid) noexcept {
  if (count_ != 0) {
    Run &last = runs_[count_ - 1];
    if (lpid - last.first == last.count) {
      ++last.count;
      return;
    }
  }
  runs_[count_++] = {lpid, 1};
}

void PeerList::clear() noexcept {
  if (memory_ != nullptr) {
    memory_->release(runs_, capacity_ * sizeof(Run), alignof(Run), AVRM_MEM_CACHE);
  }
  runs_ = nullptr;
  count_ = 0;
  capacity_ = 0;
}

} // namespace avrankmap::detail
