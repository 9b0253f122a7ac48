// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/device_channel.h"

namespace avrankmap::detail {

Operation::Operation(avrm_comm_t *comm) noexcept
    : device_(comm->device), watched_(comm->group()), watched_remote_(comm->is_inter() ? comm->map : nullptr) {
  look_for_deaths(); // of those who have died before
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

bool has_dead(const avrm_device_t *device, const avrm_rankmap_t *map) noexcept {
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    if (has_failed(device, avrm_rankmap_gpid(map, rank).lpid)) {
      return true;
    }
  }
  return false;
}

// Takes the outcome of a request if it is over. True if there is nothing to wait for any more.
bool is_over(void **handle, avrm_status_t *status, avrm_outcome_t *outcome) noexcept {
  if (*handle == nullptr) {
    return true;
  }
  auto *request = static_cast<avrm_request_t *>(*handle);
  bool done = false;
  outcome->status = AVRM_OK;
  (void)avrm_test(&request, &done, outcome);
  if (done) {
    *handle = nullptr;
    *status = *status == AVRM_OK ? outcome->status : *status;
  }
  return done;
}

} // namespace

void Operation::look_for_deaths() noexcept {
  const std::uint32_t deaths = avrm_boot_failures(device_->boot);
  if (deaths == deaths_seen_ || broken_) {
    return;
  }
  deaths_seen_ = deaths;
  broken_ = has_dead(device_, watched_) || (watched_remote_ != nullptr && has_dead(device_, watched_remote_));
}

bool Operation::settle(Transfer *transfer) noexcept {
  avrm_outcome_t outcome{};
  const bool had_receive = transfer->handles[0] != nullptr;
  const bool received = is_over(&transfer->handles[0], &transfer->status, &outcome);
  if (had_receive && received) {
    transfer->in_bytes = outcome.bytes;
  }
  const bool sent = is_over(&transfer->handles[1], &transfer->status, &outcome);
  if (received && sent && broken_ && transfer->status != AVRM_OK) {
    transfer->status = AVRM_ERR_PEER;
  }
  return received && sent;
}

bool Operation::await(Transfer *transfer) noexcept {
  if (settle(transfer)) {
    return true;
  }
  current_ = transfer;
  return false;
}

bool Operation::poll() noexcept {
  const bool was_broken = broken_;
  look_for_deaths();
  Transfer *const transfer = current_;
  if (transfer == nullptr) {
    return false;
  }
  if (broken_ && !was_broken && transfer->handles[0] != nullptr) {
    // Whoever it was to come from may have given up.
    (void)avrm_cancel(static_cast<avrm_request_t *>(transfer->handles[0]));
  }
  if (!settle(transfer)) {
    return false;
  }
  current_ = nullptr;
  transfer->waiting.resume();
  return true;
}

avrm_status_t Operation::wait() noexcept {
  Patience patience;
  while (!is_done()) {
    if (!poll()) {
      patience.wait();
    }
  }
  return status();
}

bool DeviceChannel::start(Transfer *transfer) noexcept {
  if (operation_.is_broken()) {
    transfer->status = AVRM_ERR_PEER;
    return true;
  }
  const std::int32_t tag = tag_ | (transfer->aside ? 1 : 0);
  avrm_request_t *receive = nullptr;
  avrm_request_t *sent = nullptr;
  if (transfer->source != kNobody) {
    const std::int32_t source = transfer->source == kAnybody ? AVRM_ANY_SOURCE : transfer->source;
    transfer->status = avrm_irecv(plane_, transfer->in, transfer->in_room, source, tag, &receive);
  }
  if (transfer->dest != kNobody && transfer->status == AVRM_OK) {
    transfer->status = avrm_isend(plane_, transfer->out, transfer->out_bytes, transfer->dest, tag, &sent);
    if (transfer->status != AVRM_OK && receive != nullptr) {
      (void)avrm_cancel(receive);
    }
  }
  transfer->handles[0] = receive;
  transfer->handles[1] = sent;
  return operation_.await(transfer);
}

std::int32_t next_tag(avrm_comm_t *comm) noexcept {
  return static_cast<std::int32_t>(comm->collectives_begun++ & kMostUserTag) << 1;
}

} // namespace avrankmap::detail
