// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Receiving messages. A receive from a given rank is posted to the netmod or to the core's matcher,
// depending on where that process is. A receive from any source is posted to both if the message
// may arrive through either; the two requests are twins, and the one that matches first withdraws
// the other.
#include "p2p/receive.h"

#include <cstring>
#include <utility>

#include "core/peers/connect.h"
#include "core/peers/node_sharing.h"
#include "core/progress/completion.h"
#include "core/progress/progress.h"
#include "core/synchronous_acks.h"
#include "liveness/acknowledged.h"
#include "p2p/matcher.h"

namespace avrankmap::detail {

namespace {

void take_by_shm(avrm_device_t *device, Request *receive, std::int32_t local_rank, std::uint64_t match,
                 std::uint64_t ticket) noexcept {
  const avrm_status_t status =
      device->shm->ops->take(device->shm, local_rank, ticket, receive->buffer, receive->capacity, receive);
  if (status != AVRM_OK) {
    finish(receive, status, match, 0);
  }
}

// Copies a message whose data are in memory into a receive and completes it.
void deliver(Request *receive, std::uint64_t match, const void *data, std::uint64_t bytes) noexcept {
  const std::uint64_t fitting = std::min<std::uint64_t>(bytes, receive->capacity);
  if (fitting != 0) {
    std::memcpy(receive->buffer, data, fitting);
  }
  finish_receive(receive, bytes > receive->capacity ? AVRM_ERR_TRUNCATED : AVRM_OK, match, bytes);
}

// Called when a message whose data are in memory has been matched. Completes the request of the
// send if the message is a synchronous one from this process to itself.
void on_matched_here(std::int32_t sender, std::uint64_t ticket, std::uint64_t bytes) noexcept {
  if (AVRM_UNLIKELY(sender == kSelfSender) && ticket != 0) {
    finish(reinterpret_cast<Request *>(static_cast<std::uintptr_t>(ticket)), AVRM_OK, 0, bytes);
  }
}

// Completes a receive with the first unexpected message that matches it. Returns true if there was
// one.
bool take_unexpected(avrm_device_t *device, Request *receive) noexcept {
  Unexpected *const message = device->matcher->find(receive->match, receive->ignore);
  if (message == nullptr) {
    return false;
  }
  device->matcher->take(message);
  take_message(device, receive, message);
  return true;
}

// Called when the netmod has completed its half of a pair of twins.
void on_net_twin(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept {
  Request *const net = core_of(request);
  Request *const core = net->partner_request;
  if (core != nullptr) {
    avrm_device_t *const device = core->comm->device;
    core->partner_request = nullptr;
    if (status == AVRM_ERR_CANCELLED && core->cancelling && net->fate == Fate::kNone) {
      core->cancelling = false; // withdraw_net_twin asked for it: the core's half remains
      if (AVRM_UNLIKELY(!core->posted) && !take_unexpected(device, core)) {
        device->matcher->post(core);
      }
    } else {
      if (core->posted) {
        device->matcher->withdraw(core);
      }
      finish_receive(core, status_by_fate(net, status), match, bytes);
    }
  }
  free_request(net);
}

// Number of polls of the netmod after which a cancelled receive is considered to have matched.
constexpr int kPollsToCancel = 4096;

// Withdraws the netmod's half of a receive, if there is one. Returns true if the core's half may be
// used, or false if the netmod had already matched its half. The receive then has completed, or is
// withdrawn and completes once its message arrives; this process must not wait for the sender.
bool withdraw_net_twin(Request *core) noexcept {
  Request *const net = core->partner_request;
  if (net == nullptr) {
    return true;
  }
  if (!net->on_net) { // post_twin does not post it once partner_request is null
    core->partner_request = nullptr;
    return true;
  }
  avrm_device_t *const device = core->comm->device;
  core->cancelling = true;
  // `core` cannot be freed meanwhile: this thread holds the device's lock, or is the only one that
  // uses the device.
  device->net->ops->cancel(device->net, net);
  for (int polls = 0; core->partner_request != nullptr; ++polls) {
    if (polls == kPollsToCancel) {
      device->matcher->withdraw(core);
      return false;
    }
    device->net->ops->progress(device->net);
  }
  const bool ours = !core->cancelling;
  core->cancelling = false;
  return ours;
}

} // namespace

bool on_shm_message(void *user, const avrm_arrival_t *arrival) noexcept {
  auto *const device = static_cast<avrm_device_t *>(user);
  const std::uint64_t match = arrival->match & ~AVRM_MATCH_SYNC;
  for (Request *receive = device->matcher->posted_for(match); receive != nullptr;
       receive = device->matcher->posted_for(match)) {
    if (!withdraw_net_twin(receive)) {
      // The receive took another message from the netmod. Search again from the start, because the
      // list has changed.
      continue;
    }
    device->matcher->withdraw(receive);
    if (arrival->data != nullptr) {
      deliver(receive, arrival->match, arrival->data, arrival->bytes);
      on_matched_here(arrival->local_rank, arrival->ticket, arrival->bytes);
    } else {
      take_by_shm(device, receive, arrival->local_rank, arrival->match, arrival->ticket);
    }
    return true;
  }
  return device->matcher->keep(*arrival);
}

void on_received(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept {
  finish_receive(core_of(request), status, match, bytes);
}

void take_message(avrm_device_t *device, Request *receive, Unexpected *message) noexcept {
  const std::uint64_t match = message->match | (message->is_synchronous ? AVRM_MATCH_SYNC : 0);
  if (message->has_data) {
    deliver(receive, match, message->data(), message->bytes);
    on_matched_here(message->local_rank, message->ticket, message->bytes);
  } else {
    take_by_shm(device, receive, message->local_rank, match, message->ticket);
  }
  device->matcher->drop(message);
}

avrm_status_t check_source_and_tag(const avrm_comm_t *comm, std::int32_t source, std::int32_t tag) noexcept {
  if (source != AVRM_ANY_SOURCE && (source < 0 || source >= comm->map->size)) {
    return AVRM_ERR_RANK;
  }
  return tag != AVRM_ANY_TAG && (tag < 0 || tag > AVRM_MATCH_MAX_TAG) ? AVRM_ERR_TAG : AVRM_OK;
}

bool may_come_by_net(const avrm_comm_t *comm) noexcept {
  avrm_device_t *const device = comm->device;
  // True with other worlds: a Discarder receives messages of any plane on the world's plane.
  const bool has_others = comm->map->size > 1 || comm->is_inter();
  return device->receives_from_net && (device->worlds != nullptr || (has_others && !all_share_memory(device)));
}

namespace {

[[gnu::always_inline]] inline avrm_status_t try_to_post(Request *receive, std::uint64_t handle) noexcept {
  avrm_netmod_t *const net = receive->comm->device->net;
  const avrm_piece_t piece{receive->buffer, receive->capacity};
  return net->ops->trecv(net, handle, receive->match, receive->ignore | receive->comm->device->ignored_on_net, &piece,
                         1, receive);
}

// Continues post_to_net if the netmod did not accept the receive at once, or if any process has
// failed.
[[gnu::noinline, gnu::cold]] avrm_status_t post_with_care(Request *receive, std::int32_t source, std::uint64_t handle,
                                                          avrm_status_t status) noexcept {
  avrm_device_t *const device = receive->comm->device;
  if (status == AVRM_ERR_AGAIN) { // post again even if the sender is dead: its message may be here
    receive->on_net = false;
    status = post_to(device, {kOwnWorld, device->rank}, [&] {
      receive->on_net = true;
      const avrm_status_t posted = try_to_post(receive, handle);
      receive->on_net = receive->on_net && posted == AVRM_OK;
      return posted;
    });
  }
  if (status != AVRM_OK) {
    return status;
  }
  if (receive->on_net && device->failures_seen != 0 && source >= 0 &&
      has_failed(device, gpid_of(receive->comm, source)) && receive->done == 0) {
    receive->fate = Fate::kPeerFailed; // unless its message has arrived
    device->net->ops->cancel(device->net, receive);
  }
  return status;
}

// `handle` and `source` belong to the sender.
[[gnu::always_inline]] inline avrm_status_t post_to_net(Request *receive, std::int32_t source,
                                                        std::uint64_t handle) noexcept {
  // Set before posting, because the netmod may complete the receive within trecv, and
  // finish_receive may clear this.
  receive->on_net = true;
  const avrm_status_t status = try_to_post(receive, handle);
  if (AVRM_LIKELY(status == AVRM_OK) && AVRM_LIKELY(receive->comm->device->failures_seen == 0)) {
    return AVRM_OK;
  }
  return post_with_care(receive, source, handle, status);
}

// Posts the twin of a receive that has been posted to the core's matcher. If the netmod defers it,
// a message may complete the core's half in the meantime; then the twin is not needed.
avrm_status_t post_twin(Request *receive, Request *net) noexcept {
  avrm_device_t *const device = receive->comm->device;
  net->match = receive->match;
  net->ignore = receive->ignore;
  net->buffer = receive->buffer;
  net->capacity = receive->capacity;
  net->complete = on_net_twin;
  net->partner_request = receive;
  receive->partner_request = net;
  bool is_net = false;
  const auto post = [&] {
    const bool is_needed = receive->partner_request != nullptr;
    const avrm_status_t status = is_needed ? try_to_post(net, AVRM_ANY_ADDRESS) : AVRM_OK;
    is_net = is_needed && status == AVRM_OK;
    return status;
  };
  avrm_status_t status = post();
  if (AVRM_UNLIKELY(status == AVRM_ERR_AGAIN)) {
    status = post_to(device, {kOwnWorld, device->rank}, post);
  }
  if (AVRM_LIKELY(is_net)) {
    if (receive->partner_request != nullptr) { // otherwise the netmod completed it within trecv
      net->on_net = true;
    }
    return AVRM_OK;
  }
  free_request(net);
  return std::exchange(receive->partner_request, nullptr) == nullptr ? AVRM_OK : status;
}

avrm_status_t receive_from_anybody(avrm_comm_t *comm, Request *receive) noexcept {
  avrm_device_t *const device = comm->device;
  if (take_unexpected(device, receive)) {
    return AVRM_OK;
  }
  device->matcher->post(receive);
  device->failure_detector.add_all_soon();
  if (!may_come_by_net(comm)) {
    return AVRM_OK;
  }
  Request *const net = new_request(comm, RequestKind::kInternal);
  const avrm_status_t status = net == nullptr ? AVRM_ERR_NO_MEMORY : post_twin(receive, net);
  if (status != AVRM_OK) {
    device->matcher->withdraw(receive);
  }
  return status;
}

// Completes a waiting receive from any source, unless its message has arrived.
void give_up(Request *receive, Fate fate) noexcept {
  avrm_device_t *const device = receive->comm->device;
  if (receive->partner_request != nullptr) {
    receive->partner_request->fate = fate;
    device->net->ops->cancel(device->net, receive->partner_request); // ends in on_net_twin
  } else if (receive->posted) {
    device->matcher->withdraw(receive);
    receive->fate = fate;
    finish(receive, AVRM_ERR_CANCELLED, receive->match, 0);
  }
}

// Starts a user's receive from any source.
avrm_status_t receive_from_any_member(avrm_comm_t *comm, Request *receive) noexcept {
  if (AVRM_UNLIKELY(comm->is_revoked())) {
    return AVRM_ERR_REVOKED;
  }
  const avrm_status_t status = receive_from_anybody(comm, receive);
  if (AVRM_UNLIKELY(comm->device->failures_seen != 0) && status == AVRM_OK && has_unacknowledged(comm)) {
    give_up(receive, Fate::kUnacknowledged);
  }
  return status;
}

[[gnu::noinline]] avrm_status_t receive_from_far(avrm_comm_t *comm, const Peer &peer, Request *receive) noexcept {
  avrm_device_t *const device = comm->device;
  Route route{};
  const avrm_status_t status = route_to(comm, peer, &route);
  if (status != AVRM_OK) {
    return status;
  }
  if (route.kind == Route::kNet) {
    return post_to_net(receive, peer.rank, route.handle);
  }
  if (take_unexpected(device, receive)) {
    return AVRM_OK;
  }
  if (AVRM_UNLIKELY(device->failures_seen != 0) && has_failed(device, peer.process_in(comm))) {
    return AVRM_ERR_PEER;
  }
  device->matcher->post(receive);
  return AVRM_OK;
}

[[gnu::always_inline]] inline avrm_status_t receive_from_rank(avrm_comm_t *comm, std::int32_t source,
                                                              Request *receive) noexcept {
  const Peer peer = peer_of(comm, source);
  if (AVRM_LIKELY(is_network(comm->device, peer.word))) {
    return post_to_net(receive, source, handle_of(comm->device, peer.word));
  }
  return receive_from_far(comm, peer, receive);
}

// `receive` is a new request; on error it is freed. Inlined into avrm_irecv, because posting to a
// network takes few instructions.
[[gnu::always_inline]] inline avrm_status_t receive_from(avrm_comm_t *comm, std::int32_t source, std::int32_t tag,
                                                         Request *receive, avrm_request_t **request_p) noexcept {
  receive->complete = on_received;
  receive->match = match_of(comm, source, tag);
  receive->ignore = ignore_of(comm, source, tag);
  const avrm_status_t status =
      source == AVRM_ANY_SOURCE ? receive_from_any_member(comm, receive) : receive_from_rank(comm, source, receive);
  if (AVRM_UNLIKELY(status != AVRM_OK)) {
    free_request(receive);
    return status;
  }
  *request_p = receive;
  return AVRM_OK;
}

avrm_status_t check_arguments(const avrm_comm_t *comm, std::int32_t source, std::int32_t tag,
                              avrm_request_t *const *request_p) noexcept {
  if (comm == nullptr || request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return check_source_and_tag(comm, source, tag);
}

// Starts to receive into the blocks of a layout or of a list.
template <typename Blocks>
avrm_status_t receive_blocks(avrm_comm_t *comm, void *buffer, const Blocks *blocks, std::int32_t source,
                             std::int32_t tag, avrm_request_t **request_p) noexcept {
  avrm_status_t status = blocks == nullptr ? AVRM_ERR_NULL : check_arguments(comm, source, tag, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  Data data{};
  status = describe_memory(buffer, *blocks, &data);
  if (status != AVRM_OK) {
    return status;
  }
  const DeviceGuard guard(comm->device);
  Request *const receive = new_request(comm, RequestKind::kReceive);
  if (receive == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  status = set_buffer(receive, data);
  if (status != AVRM_OK) {
    free_request(receive);
    return status;
  }
  return receive_from(comm, source, tag, receive, request_p);
}

// Returns the effect of known failures on a receive.
Fate fate_of(const Request *receive) noexcept {
  avrm_device_t *const device = receive->comm->device;
  if ((receive->ignore & device->match_bits.source_mask()) == 0) {
    const std::int32_t source = device->match_bits.source(receive->match);
    return has_failed(device, gpid_of(receive->comm, source)) ? Fate::kPeerFailed : Fate::kNone;
  }
  if (receive->comm->is_internal()) {
    return count_dead(receive->comm) != 0 ? Fate::kPeerFailed : Fate::kNone;
  }
  return has_unacknowledged(receive->comm) ? Fate::kUnacknowledged : Fate::kNone;
}

// Completes the waiting receives for which fate(receive) returns a reason other than Fate::kNone.
template <typename FateOf> void end_receives(avrm_device_t *device, FateOf fate) noexcept {
  device->requests.for_each([&](Request *receive) {
    if (receive->on_net && receive->done == 0 && receive->fate == Fate::kNone) {
      receive->fate = fate(receive);
      if (receive->fate != Fate::kNone) {
        device->net->ops->cancel(device->net, receive); // ends in `finish`
      }
    }
  });
  for (Request *receive = device->matcher->first_posted(), *next = nullptr; receive != nullptr; receive = next) {
    next = receive->next;
    const Fate ends = receive->partner_request == nullptr ? fate(receive) : Fate::kNone;
    if (ends != Fate::kNone) {
      device->matcher->withdraw(receive);
      receive->fate = ends;
      finish(receive, AVRM_ERR_CANCELLED, receive->match, 0);
    }
  }
}

} // namespace

void fail_receives(avrm_device_t *device) noexcept { end_receives(device, fate_of); }

void revoke_messages(avrm_comm_t *comm) noexcept {
  comm->device->requests.for_each([comm](Request *request) {
    if (request->comm == comm && request->kind == RequestKind::kSend && request->done == 0) {
      request->fate = Fate::kRevoked; // its status once the receiver has dropped the message
    }
  });
  fail_acknowledged(comm->device);
  end_receives(comm->device,
               [comm](const Request *receive) { return receive->comm == comm ? Fate::kRevoked : Fate::kNone; });
}

avrm_status_t post_drain(avrm_comm_t *plane, std::uint64_t match, std::uint64_t ignore, Request **request_p) noexcept {
  Request *const receive = new_request(plane, RequestKind::kReceive, false);
  if (receive == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  receive->buffer = nullptr;
  receive->capacity = 0;
  receive->complete = on_received;
  receive->match = match;
  receive->ignore = ignore;
  const avrm_status_t status = receive_from_anybody(plane, receive);
  if (status != AVRM_OK) {
    free_request(receive);
    return status;
  }
  *request_p = receive;
  return AVRM_OK;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_irecv(avrm_comm_t *comm, void *buffer, size_t bytes, int32_t source, int32_t tag,
                         avrm_request_t **request_p) noexcept {
  const avrm_status_t status = check_arguments(comm, source, tag, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (buffer == nullptr && bytes != 0) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(comm->device);
  Request *const receive = new_request(comm, RequestKind::kReceive);
  if (receive == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  receive->buffer = buffer;
  receive->capacity = bytes;
  return receive_from(comm, source, tag, receive, request_p);
}

avrm_status_t avrm_irecv_strided(avrm_comm_t *comm, void *buffer, const avrm_layout_t *layout, int32_t source,
                                 int32_t tag, avrm_request_t **request_p) noexcept {
  return receive_blocks(comm, buffer, layout, source, tag, request_p);
}

avrm_status_t avrm_irecv_blocks(avrm_comm_t *comm, void *buffer, const avrm_blocks_t *blocks, int32_t source,
                                int32_t tag, avrm_request_t **request_p) noexcept {
  return receive_blocks(comm, buffer, blocks, source, tag, request_p);
}

avrm_status_t avrm_cancel(avrm_request_t *request) noexcept {
  if (request == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (was_never_pending(request) || core_of(request)->kind != RequestKind::kReceive) {
    return AVRM_ERR_OPTION;
  }
  Request *const receive = core_of(request);
  avrm_device_t *const device = receive->comm->device;
  const DeviceGuard guard(device);
  if (receive->done != 0) {
    return AVRM_OK;
  }
  if (receive->on_net) {
    device->net->ops->cancel(device->net, receive);
  } else if (Request *const net = receive->partner_request; net != nullptr && net->on_net) {
    receive->cancelling = false;                // both halves end
    device->net->ops->cancel(device->net, net); // calls on_net_twin, perhaps later
  } else if (receive->posted) {
    receive->partner_request = nullptr; // post_twin does not post it then
    device->matcher->withdraw(receive);
    finish(receive, AVRM_ERR_CANCELLED, receive->match, 0);
  }
  return AVRM_OK;
}
