// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/device_channel.h"

#include <algorithm>
#include <utility>

#include "base/coarse_clock.h"
#include "core/peers/worlds.h"
#include "core/progress/completion.h"
#include "liveness/dead_members.h"
#include "p2p/receive.h"

namespace avrankmap::detail {

Operation::Operation(avrm_comm_t *comm) noexcept
    : device_(comm->device), watched_(comm->group()), watched_remote_(comm->is_inter() ? comm->map : nullptr) {
  look_for_deaths(); // earlier deaths also count
}

void Operation::watch(const avrm_rankmap_t *members) noexcept {
  watched_ = members;
  watched_remote_ = nullptr;
  broken_ = false;
  deaths_seen_ = 0;
  look_for_deaths();
}

void Operation::run(Task task) noexcept {
  task_.emplace(std::move(task));
  task_->start();
}

namespace {

// True for the statuses of transfers that an operation distinguishes. All others, such as those of
// a first contact, mean that this process cannot take part; they become AVRM_ERR_TRANSPORT.
constexpr bool is_of_operation(avrm_status_t status) noexcept {
  return status == AVRM_OK || status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_PEER || status == AVRM_ERR_REVOKED ||
         status == AVRM_ERR_PEER_PENDING || status == AVRM_ERR_TRUNCATED || status == AVRM_ERR_CANCELLED;
}

// Takes the outcome of a completed request. Returns false if the request is still pending.
bool is_over(void **handle, avrm_status_t *status, avrm_outcome_t *outcome) noexcept {
  if (*handle == nullptr) {
    return true;
  }
  auto *request = static_cast<avrm_request_t *>(*handle);
  if (!is_done(request)) {
    return false;
  }
  (void)retire(&request, outcome);
  *handle = nullptr;
  *status = *status == AVRM_OK ? outcome->status : *status;
  return true;
}

} // namespace

void Operation::look_for_deaths() noexcept {
  const std::uint32_t deaths = failures_of(device_);
  if (deaths == deaths_seen_ || broken_) {
    return;
  }
  deaths_seen_ = deaths;
  const DeviceGuard guard(device_); // other threads may add and remove worlds
  broken_ = has_dead(device_, watched_) || (watched_remote_ != nullptr && has_dead(device_, watched_remote_));
}

// Advances the current transfer. Returns true if it is complete.
bool Operation::move_on() noexcept {
  Transfer *const transfer = current_;
  const bool posted = channel_->post(transfer);
  avrm_outcome_t outcome{};
  const bool had_receive = transfer->handles[0] != nullptr;
  const bool received = is_over(&transfer->handles[0], &transfer->status, &outcome);
  if (had_receive && received) {
    transfer->in_bytes = outcome.bytes;
  }
  const bool sent = is_over(&transfer->handles[1], &transfer->status, &outcome);
  if (!posted || !received || !sent) {
    const bool asks = !sent && channel_->is_broken();
    if (asks) {
      ask_to_discard();
    }
    if (awaiter_ != nullptr) {
      await_transfer(posted && !asks);
    }
    return false;
  }
  if (broken_ && transfer->status != AVRM_OK && transfer->status != AVRM_ERR_REVOKED) {
    transfer->status = AVRM_ERR_PEER;
  } else if (!is_of_operation(transfer->status)) {
    transfer->status = AVRM_ERR_TRANSPORT;
  }
  current_ = nullptr;
  return true;
}

// Asks the receiver of the pending send, at intervals.
void Operation::ask_to_discard() noexcept {
  constexpr std::int64_t kPause = 10 * kMillisecond;
  const std::int64_t now = coarse_now();
  if (now < next_request_) {
    return;
  }
  const DeviceGuard guard(device_);
  const avrm_rankmap_t *map = watched_;
  std::int32_t failed = DeadMembers(device_, map).next();
  if (failed == kNobody && watched_remote_ != nullptr) {
    map = watched_remote_;
    failed = DeadMembers(device_, map).next();
  }
  if (failed != kNobody && channel_->ask_to_discard(*current_, avrm_rankmap_gpid(map, failed)) == AVRM_OK) {
    next_request_ = now + kPause;
  }
}

// Continues when a request completes; without `is_announced` also soon, to try again.
void Operation::await_transfer(bool is_announced) noexcept {
  const DeviceGuard guard(device_);
  if (!is_announced) {
    device_->ready.add(awaiter_);
  }
  for (void *const handle : current_->handles) {
    if (handle != nullptr) {
      await(core_of(static_cast<avrm_request_t *>(handle)), awaiter_);
    }
  }
}

bool Operation::begin(DeviceChannel *channel, Transfer *transfer) noexcept {
  look_for_deaths(); // from the death on, messages may be discarded
  channel_ = channel;
  current_ = transfer;
  return move_on();
}

bool Operation::poll() noexcept {
  const bool was_broken = broken_;
  look_for_deaths();
  Transfer *const transfer = current_;
  if (transfer == nullptr) {
    return false;
  }
  if (channel_->is_broken() && !was_broken && transfer->handles[0] != nullptr) {
    // The sender may have ended the operation.
    (void)avrm_cancel(static_cast<avrm_request_t *>(transfer->handles[0]));
  }
  if (!move_on()) {
    return false;
  }
  transfer->waiting.resume();
  return true;
}

void Operation::interrupt() noexcept {
  if (current_ != nullptr && current_->source == kAnybody && current_->handles[0] != nullptr) {
    (void)avrm_cancel(static_cast<avrm_request_t *>(current_->handles[0]));
  }
}

bool Operation::withdraw() noexcept {
  if (current_ == nullptr) {
    return true;
  }
  if (current_->handles[0] != nullptr) {
    (void)avrm_cancel(static_cast<avrm_request_t *>(current_->handles[0]));
  }
  avrm_outcome_t outcome{};
  const bool received = is_over(&current_->handles[0], &current_->status, &outcome);
  const bool sent = is_over(&current_->handles[1], &current_->status, &outcome);
  return received && sent;
}

avrm_status_t Operation::wait() noexcept {
  Backoff backoff(device_);
  while (!is_done()) {
    backoff.after(poll() ? 1 : avrm_progress(device_));
  }
  return status();
}

bool DeviceChannel::start(Transfer *transfer) noexcept {
  transfer->posted[0] = transfer->source == kNobody;
  transfer->posted[1] = transfer->dest == kNobody;
  return operation_.begin(this, transfer);
}

bool DeviceChannel::post(Transfer *transfer) noexcept {
  const std::int32_t tag = tag_ | (transfer->aside ? 1 : 0);
  for (const int part : {0, 1}) {
    if (transfer->posted[part]) {
      continue;
    }
    avrm_request_t *request = nullptr;
    avrm_status_t status = plane_->is_revoked() ? AVRM_ERR_REVOKED : AVRM_ERR_PEER;
    if (!is_broken() && part == 0) {
      const std::int32_t source = transfer->source == kAnybody ? AVRM_ANY_SOURCE : transfer->source;
      status = avrm_irecv(plane_, transfer->in, transfer->in_room, source, tag, &request);
    } else if (!is_broken()) {
      status = avrm_isend(plane_, transfer->out, transfer->out_bytes, transfer->dest, tag, &request);
    }
    if (part == 1 && status == AVRM_OK) {
      operation_.device()->collective_messages.fetch_add(1, std::memory_order_relaxed);
    }
    const bool refused =
        status != AVRM_OK && status != AVRM_ERR_NO_MEMORY && status != AVRM_ERR_PEER && status != AVRM_ERR_REVOKED;
    if (status == AVRM_ERR_NO_MEMORY || (refused && ++transfer->refusals < kMostRefusals)) {
      (void)avrm_progress(operation_.device()); // may free memory
      return false;
    }
    transfer->posted[part] = true;
    transfer->handles[part] = request;
    if (status != AVRM_OK) {
      transfer->posted[1] = true;
      transfer->status = status;
      if (transfer->handles[0] != nullptr) {
        (void)avrm_cancel(static_cast<avrm_request_t *>(transfer->handles[0]));
      }
      return true;
    }
  }
  return true;
}

avrm_status_t DeviceChannel::ask_to_discard(const Transfer &transfer, avrm_gpid_t failed) noexcept {
  avrm_device_t *const device = operation_.device();
  const WorldName world = name_of(device, failed.pgid);
  ActiveHeader header{};
  header.type = ActiveType::kDiscard;
  header.window = plane_->context_match | static_cast<std::uint32_t>(tag_);
  header.offset = world.words[0];
  header.block = world.words[1];
  header.position = static_cast<std::uint32_t>(failed.lpid);
  return send_active(device, gpid_of(plane_, transfer.dest), header, nullptr, 0, Retry::kNever);
}

namespace {

// True if the process that the header names has failed as far as this process knows, so that no
// operation here relies on it. The processes of an unknown world are in no communicator.
bool knows_of_failure(const avrm_device_t *device, const ActiveHeader &header) noexcept {
  const WorldName name{{header.offset, header.block}};
  const auto lpid = static_cast<std::int32_t>(header.position);
  if (name == WorldName{} || device->name == WorldName{} || name == device->name) {
    return has_failed(device, {kOwnWorld, lpid});
  }
  const World *const world = find_world(device, name);
  return world == nullptr || has_failed(device, world, lpid);
}

} // namespace

void Discarder::on_request(const ActiveHeader &header) noexcept {
  if (!knows_of_failure(device_, header)) {
    return;
  }
  const std::uint64_t match = header.window & ~(device_->match_bits.source_mask() | AVRM_MATCH_SYNC | 1);
  Drain *drain = std::find_if(drains_, drains_ + kMost, [match](const Drain &at) { return at.match == match; });
  if (drain == drains_ + kMost) {
    drain = &drains_[oldest_++ % kMost];
    drain->match = match;
  }
  drain->is_wanted = true;
  device_->ready.add(this);
}

bool Discarder::go_on() noexcept {
  for (Drain &drain : drains_) {
    bool is_other = false; // the request is for other messages
    {
      const DeviceGuard guard(device_);
      if (!std::exchange(drain.is_wanted, false)) {
        continue;
      }
      is_other = drain.request != nullptr && drain.posted_match != drain.match;
    }
    if (!is_other || withdraw(drain)) {
      post(drain);
    }
  }
  return false;
}

void Discarder::post(Drain &drain) noexcept {
  const DeviceGuard guard(device_);
  if (plane_.device == nullptr) {
    plane_ = *device_->world->collective;
    plane_.users = 0;
  }
  if (drain.request != nullptr && is_done(drain.request)) {
    free_request(std::exchange(drain.request, nullptr));
  }
  if (drain.request == nullptr) {
    drain.posted_match = drain.match;
    // If this fails, the sender asks again.
    (void)post_drain(&plane_, drain.match, device_->match_bits.source_mask() | 1, &drain.request);
  }
}

bool Discarder::withdraw(Drain &drain) noexcept {
  if (drain.request == nullptr) {
    return true;
  }
  (void)avrm_cancel(drain.request);
  const DeviceGuard guard(device_);
  if (!is_done(drain.request)) {
    return false;
  }
  free_request(std::exchange(drain.request, nullptr));
  return true;
}

bool Discarder::withdraw() noexcept {
  bool is_over = true;
  for (Drain &drain : drains_) {
    is_over = withdraw(drain) && is_over;
  }
  return is_over;
}

std::int32_t next_tag(avrm_comm_t *comm) noexcept {
  return static_cast<std::int32_t>(comm->collectives_begun++ & kMostNumber) << 1;
}

} // namespace avrankmap::detail
