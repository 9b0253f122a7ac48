// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/device_channel.h"

#include "core/progress/completion.h"
#include "liveness/dead_members.h"

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
    if (awaiter_ != nullptr) {
      await_transfer(posted);
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

void Operation::await_transfer(bool is_posted) noexcept {
  const DeviceGuard guard(device_);
  if (!is_posted) {
    device_->ready.add(awaiter_); // to try again later
  }
  for (void *const handle : current_->handles) {
    if (handle != nullptr) {
      await(core_of(static_cast<avrm_request_t *>(handle)), awaiter_);
    }
  }
}

bool Operation::begin(DeviceChannel *channel, Transfer *transfer) noexcept {
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

std::int32_t next_tag(avrm_comm_t *comm) noexcept {
  return static_cast<std::int32_t>(comm->collectives_begun++ & kMostNumber) << 1;
}

} // namespace avrankmap::detail
