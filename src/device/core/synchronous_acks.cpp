// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/synchronous_acks.h"

#include <utility>

#include "base/coarse_clock.h"
#include "core/progress/completion.h"

namespace avrankmap::detail {

namespace {

// True if the message of a receive must be acknowledged. Discarded messages of a revoked
// communicator are not (p2p/receive.h), because their senders wait for no acknowledgement.
bool awaits_answer(const Request *receive, std::uint64_t match) noexcept {
  const std::uint64_t context =
      match & ~(AVRM_MATCH_SYNC | receive->comm->device->match_bits.source_mask() | AVRM_MATCH_TAG_MASK);
  return context == receive->comm->context_match;
}

avrm_status_t acknowledge(const Request *receive) noexcept {
  avrm_device_t *const device = receive->comm->device;
  const avrm_comm_t *const comm = receive->comm;
  const std::int32_t source = device->match_bits.source(receive->match);
  if (source >= comm->map->size) { // the match bits may be forged
    return AVRM_OK;
  }
  ActiveHeader header{};
  header.type = ActiveType::kMatched;
  header.sender = comm->rank;
  header.window = receive->match & ~AVRM_MATCH_SYNC;
  return send_active(device, gpid_of(comm, source), header, nullptr, 0, Retry::kNever);
}

// Puts off an acknowledgement whose receiver cannot be reached now. Each attempt may be expensive,
// so the next one is for another.
void put_off(Request *receive, avrm_status_t status) noexcept {
  avrm_device_t *const device = receive->comm->device;
  if (!is_lack(status) && receive->ignore == 0) {
    report(device, status, "an acknowledgement cannot be sent yet");
  }
  receive->ignore = 1;
  device->next_acknowledgement = coarse_now() + kConnectPause;
  device->acknowledging.remove(receive);
  device->acknowledging.append(receive);
}

// Returns match bits with the destination in place of the source, which is this process.
std::uint64_t match_to(const avrm_device_t *device, std::uint64_t match, std::int32_t dest) noexcept {
  return (match & ~device->match_bits.source_mask()) | MatchBits::of_source(dest);
}

// Ignores later acknowledgements of a send.
void stop_waiting(Request *send) noexcept {
  if (std::exchange(send->posted, false)) {
    send->comm->device->unacknowledged.remove(send);
  }
}

void end_part(Request *send, std::uint64_t bytes) noexcept {
  if (--send->pending_parts == 0) {
    finish(send, AVRM_OK, 0, bytes);
  }
}

void give_up(Request *send, avrm_status_t status) noexcept {
  stop_waiting(send);
  send->pending_parts = 0;
  finish(send, status, 0, 0);
}

bool has_lost_dest(const Request *send) noexcept {
  return send->comm->device->failures_seen != 0 &&
         has_failed(send->comm->device, gpid_of(send->comm, static_cast<std::int32_t>(send->ignore)));
}

// True if no acknowledgement will arrive. A request of a revoked communicator always ends with
// AVRM_ERR_REVOKED.
bool is_hopeless(const Request *send) noexcept { return send->fate == Fate::kRevoked || has_lost_dest(send); }

// Called when the transport has completed the request of a message.
void on_sent(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/, std::uint64_t bytes) noexcept {
  Request *const send = core_of(request);
  if (status != AVRM_OK) {
    give_up(send, status);
  } else if (send->pending_parts == 2 && is_hopeless(send)) {
    give_up(send, AVRM_ERR_PEER);
  } else {
    end_part(send, bytes);
  }
}

} // namespace

void finish_receive(Request *receive, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept {
  const bool has_message = status == AVRM_OK || status == AVRM_ERR_TRUNCATED;
  if (AVRM_LIKELY((match & AVRM_MATCH_SYNC) == 0) || !has_message || !awaits_answer(receive, match)) {
    finish(receive, status, match, bytes);
    return;
  }
  receive->on_net = false; // so that it cannot be cancelled
  receive->match = match;
  receive->ignore = 0;
  receive->outcome.status = status;
  receive->outcome.bytes = bytes;
  receive->comm->device->acknowledging.append(receive);
  ++receive->comm->device->served;
}

void send_acknowledgements(avrm_device_t *device) noexcept {
  constexpr int kMostBusy = 8; // acknowledgements that are not accepted; the next call goes on
  int busy = 0;
  Request *next = nullptr;
  for (Request *receive = device->acknowledging.first(); receive != nullptr && busy < kMostBusy; receive = next) {
    next = receive->next;
    if (receive->ignore != 0 && coarse_now() < device->next_acknowledgement) {
      continue;
    }
    const avrm_status_t status = acknowledge(receive);
    if (status == AVRM_ERR_AGAIN) {
      ++busy;
      device->acknowledging.remove(receive);
      device->acknowledging.append(receive);
      continue;
    }
    if (is_lack(status) || status == AVRM_ERR_TRANSPORT) {
      put_off(receive, status);
      continue;
    }
    if (status != AVRM_OK && status != AVRM_ERR_PEER) {
      report(device, status, "an acknowledgement could not be sent");
    }
    --device->served;
    finish(receive, receive->outcome.status, receive->match, receive->outcome.bytes);
  }
}

void prepare_acknowledged(Request *send, std::int32_t dest, std::uint64_t match, std::uint64_t parts) noexcept {
  send->complete = on_sent;
  send->match = match_to(send->comm->device, match, dest);
  send->ignore = static_cast<std::uint32_t>(dest);
  send->pending_parts = parts;
}

void await_acknowledgement(Request *send) noexcept {
  if (send->done != 0) { // the transport has completed it with an error
    return;
  }
  send->posted = true;
  send->comm->device->unacknowledged.append(send);
  if (AVRM_UNLIKELY(send->pending_parts == 1) && is_hopeless(send)) { // has just become so
    give_up(send, AVRM_ERR_PEER);
  }
}

void on_matched(avrm_device_t *device, const ActiveHeader &header) noexcept {
  if (header.sender < 0 || header.sender > device->match_bits.most_rank()) {
    return;
  }
  Request *const send = device->unacknowledged.find(match_to(device, header.window, header.sender), 0);
  if (send != nullptr) {
    stop_waiting(send);
    end_part(send, 0);
  }
}

void fail_acknowledged(avrm_device_t *device) noexcept {
  for (Request *send = device->unacknowledged.first(), *next = nullptr; send != nullptr; send = next) {
    next = send->next;
    // With 2 parts, the transport's completion is still to come.
    if (send->pending_parts == 1 && is_hopeless(send)) {
      give_up(send, AVRM_ERR_PEER);
    }
  }
}

} // namespace avrankmap::detail
