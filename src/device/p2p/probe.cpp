// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Probes. A message that was taken out is represented by the request that will receive it. The
// request contains the match bits, and the core's or the netmod's record of the message.
#include "avrankmap/device/probe.h"

#include <cstring>
#include <type_traits>

#include "core/peers/connect.h"
#include "core/progress/completion.h"
#include "core/progress/progress.h"
#include "liveness/acknowledged.h"
#include "p2p/matcher.h"
#include "p2p/receive.h"

namespace avrankmap::detail {

namespace {

// Stored in the scratch of the request.
struct Taken {
  Unexpected *kept; // null: the netmod has the message
  avrm_netmod_message_t of_net;
};
static_assert(sizeof(Taken) <= sizeof(avrm_request_t::scratch) && std::is_trivially_copyable_v<Taken>);

Taken taken_by(const Request *message) noexcept {
  Taken taken;
  std::memcpy(&taken, message->scratch, sizeof taken);
  return taken;
}

void keep_taken(Request *message, std::uint64_t match, const Taken &taken) noexcept {
  message->match = match;
  std::memcpy(message->scratch, &taken, sizeof taken);
}

avrm_message_t *handle_of(avrm_request_t *message) noexcept { return reinterpret_cast<avrm_message_t *>(message); }
avrm_request_t *request_of(avrm_message_t *message) noexcept { return reinterpret_cast<avrm_request_t *>(message); }

struct Probe {
  avrm_comm_t *comm;
  std::int32_t source;
  std::int32_t tag;
  bool takes; // takes the message out
};

struct Finding {
  bool found = false;
  avrm_outcome_t outcome{};
  avrm_request_t *message = nullptr;

  void set(const avrm_comm_t *comm, std::uint64_t match, std::uint64_t bytes) noexcept {
    found = true;
    outcome = {AVRM_OK, comm->device->match_bits.source(match), avrm_match_tag(match), bytes};
  }
};

// The layers that may have messages of a source.
struct Origin {
  bool net;
  bool core;
};

avrm_status_t origin_of(const Probe &probe, Origin *origin_p) noexcept {
  if (probe.source == AVRM_ANY_SOURCE) {
    probe.comm->device->failure_detector.add_all_soon();
    *origin_p = {may_come_by_net(probe.comm), true};
    return AVRM_OK;
  }
  Route route{};
  const avrm_status_t status = route_to(probe.comm, peer_of(probe.comm, probe.source), &route);
  *origin_p = {route.kind == Route::kNet, route.kind != Route::kNet};
  return status;
}

// Repeats a call of the netmod while it returns AVRM_ERR_AGAIN. No peer is involved.
template <typename Call> avrm_status_t ask_netmod(avrm_device_t *device, Call call) noexcept {
  return post_to(device, {kOwnWorld, device->rank}, call);
}

bool find_in_core(const Probe &probe, Request *message, Finding *finding) noexcept {
  Matcher &matcher = *probe.comm->device->matcher;
  Unexpected *const kept =
      matcher.find(match_of(probe.comm, probe.source, probe.tag), ignore_of(probe.comm, probe.source, probe.tag));
  if (kept == nullptr) {
    return false;
  }
  finding->set(probe.comm, kept->match, kept->bytes);
  if (message != nullptr) {
    matcher.take(kept);
    keep_taken(message, kept->match, {kept, {}});
  }
  return true;
}

avrm_status_t find_in_net(const Probe &probe, Request *message, Finding *finding) noexcept {
  avrm_netmod_t *const net = probe.comm->device->net;
  if (net->ops->tprobe == nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  const std::uint64_t match = match_of(probe.comm, probe.source, probe.tag);
  const std::uint64_t ignore = ignore_of(probe.comm, probe.source, probe.tag) | probe.comm->device->ignored_on_net;
  avrm_netmod_message_t arrived{};
  bool found = false;
  const avrm_status_t status = ask_netmod(
      probe.comm->device, [&] { return net->ops->tprobe(net, match, ignore, message != nullptr, &found, &arrived); });
  if (status == AVRM_OK && found) {
    finding->set(probe.comm, arrived.match, arrived.bytes);
    if (message != nullptr) {
      keep_taken(message, arrived.match, {nullptr, arrived});
    }
  }
  return status;
}

// Returns an error if the caller must not wait for a message of this source, otherwise AVRM_OK.
avrm_status_t hopes_for(const Probe &probe) noexcept {
  if (probe.source >= 0) {
    return has_failed(probe.comm->device, gpid_of(probe.comm, probe.source)) ? AVRM_ERR_PEER : AVRM_OK;
  }
  return has_unacknowledged(probe.comm) ? AVRM_ERR_PEER_PENDING : AVRM_OK;
}

avrm_status_t look_for(const Probe &probe, Request *message, Finding *finding) noexcept {
  if (probe.comm->is_revoked()) {
    return AVRM_ERR_REVOKED;
  }
  // Checked first, so that a message that arrived before the failure became known is found.
  const avrm_status_t hope = hopes_for(probe);
  Origin origin{};
  avrm_status_t status = origin_of(probe, &origin);
  if (status != AVRM_OK || (origin.core && find_in_core(probe, message, finding))) {
    return status;
  }
  if (origin.net) {
    status = find_in_net(probe, message, finding);
  }
  return status == AVRM_OK && !finding->found ? hope : status;
}

// Searches once, with the device's lock held.
avrm_status_t look(const Probe &probe, Finding *finding) noexcept {
  if (!probe.takes) {
    return look_for(probe, nullptr, finding);
  }
  Request *const message = new_request(probe.comm, RequestKind::kInternal);
  if (message == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = look_for(probe, message, finding);
  if (finding->found) {
    finding->message = message;
  } else {
    free_request(message);
  }
  return status;
}

avrm_status_t check_probe(const Probe &probe) noexcept {
  if (probe.comm == nullptr) {
    return AVRM_ERR_NULL;
  }
  return check_source_and_tag(probe.comm, probe.source == AVRM_PROC_NULL ? AVRM_ANY_SOURCE : probe.source, probe.tag);
}

// Returns the message from AVRM_PROC_NULL.
Finding nothing() noexcept { return {true, done_receive.outcome, &done_receive}; }

avrm_status_t look_once(const Probe &probe, Finding *finding) noexcept {
  if (const avrm_status_t status = check_probe(probe); status != AVRM_OK) {
    return status;
  }
  if (probe.source == AVRM_PROC_NULL) {
    *finding = nothing();
    return AVRM_OK;
  }
  avrm_progress(probe.comm->device);
  const DeviceGuard guard(probe.comm->device);
  return look(probe, finding);
}

avrm_status_t wait_for_message(const Probe &probe, Finding *finding) noexcept {
  avrm_status_t status = look_once(probe, finding);
  if (status != AVRM_OK || finding->found) {
    return status;
  }
  avrm_device_t *const device = probe.comm->device;
  // Failures are only acknowledged for user communicators.
  const bool is_of_plane = probe.comm->is_internal() && probe.source == AVRM_ANY_SOURCE;
  const auto dead_members = [&probe, device, is_of_plane] {
    const DeviceGuard guard(device);
    return is_of_plane ? count_dead(probe.comm) : 0;
  };
  const std::int32_t dead = dead_members();
  Backoff backoff(device);
  while (status == AVRM_OK && !finding->found) {
    backoff.after(avrm_progress(device));
    const DeviceGuard guard(device);
    status = look(probe, finding);
    if (status == AVRM_OK && !finding->found && is_of_plane && count_dead(probe.comm) != dead) {
      status = AVRM_ERR_PEER;
    }
  }
  return status;
}

void tell(const Finding &finding, avrm_outcome_t *outcome_p) noexcept {
  if (finding.found && outcome_p != nullptr) {
    *outcome_p = finding.outcome;
  }
}

// Returns the netmod's handle of the sender, or AVRM_ANY_ADDRESS if it is not known.
std::uint64_t sender_of(const Request *receive) noexcept {
  const std::int32_t source = receive->comm->device->match_bits.source(receive->match);
  Route route{};
  const bool known = source < receive->comm->map->size && // the match bits may be forged
                     route_to(receive->comm, peer_of(receive->comm, source), &route) == AVRM_OK &&
                     route.kind == Route::kNet;
  return known ? route.handle : AVRM_ANY_ADDRESS;
}

void start_receive(Request *receive) noexcept {
  avrm_device_t *const device = receive->comm->device;
  receive->kind = RequestKind::kReceive;
  receive->complete = on_received;
  receive->ignore = 0;
  const Taken taken = taken_by(receive); // the transport uses the scratch from now on
  if (taken.kept != nullptr) {
    take_message(device, receive, taken.kept);
    return;
  }
  avrm_netmod_t *const net = device->net;
  const std::uint64_t handle = sender_of(receive);
  const avrm_piece_t piece{receive->buffer, receive->capacity};
  const avrm_status_t status =
      ask_netmod(device, [&] { return net->ops->trecv_claimed(net, handle, &taken.of_net, &piece, 1, receive); });
  if (status != AVRM_OK) {
    finish(receive, status, receive->match, 0);
  }
}

// Receives into the blocks of a layout or of a list.
template <typename Blocks>
avrm_status_t receive_message(avrm_message_t **message_p, void *buffer, const Blocks *blocks,
                              avrm_request_t **request_p) noexcept {
  if (message_p == nullptr || *message_p == nullptr || blocks == nullptr || request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  Data data{};
  avrm_status_t status = describe_memory(buffer, *blocks, &data);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_request_t *const message = request_of(*message_p);
  if (message != &done_receive) {
    Request *const receive = core_of(message);
    const DeviceGuard guard(receive->comm->device);
    status = set_buffer(receive, data);
    if (status != AVRM_OK) {
      return status;
    }
    start_receive(receive);
  }
  *message_p = nullptr;
  *request_p = message;
  return AVRM_OK;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_iprobe(avrm_comm_t *comm, int32_t source, int32_t tag, bool *found_p,
                          avrm_outcome_t *outcome_p) noexcept {
  if (found_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  Finding finding;
  const avrm_status_t status = look_once({comm, source, tag, false}, &finding);
  if (status == AVRM_OK) {
    *found_p = finding.found;
    tell(finding, outcome_p);
  }
  return status;
}

avrm_status_t avrm_probe(avrm_comm_t *comm, int32_t source, int32_t tag, avrm_outcome_t *outcome_p) noexcept {
  Finding finding;
  const avrm_status_t status = wait_for_message({comm, source, tag, false}, &finding);
  tell(finding, outcome_p);
  return status;
}

avrm_status_t avrm_improbe(avrm_comm_t *comm, int32_t source, int32_t tag, bool *found_p, avrm_message_t **message_p,
                           avrm_outcome_t *outcome_p) noexcept {
  if (found_p == nullptr || message_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  Finding finding;
  const avrm_status_t status = look_once({comm, source, tag, true}, &finding);
  if (status == AVRM_OK) {
    *found_p = finding.found;
    *message_p = handle_of(finding.message);
    tell(finding, outcome_p);
  }
  return status;
}

avrm_status_t avrm_mprobe(avrm_comm_t *comm, int32_t source, int32_t tag, avrm_message_t **message_p,
                          avrm_outcome_t *outcome_p) noexcept {
  if (message_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  Finding finding;
  const avrm_status_t status = wait_for_message({comm, source, tag, true}, &finding);
  if (status == AVRM_OK) {
    *message_p = handle_of(finding.message);
    tell(finding, outcome_p);
  }
  return status;
}

avrm_status_t avrm_imrecv(avrm_message_t **message_p, void *buffer, size_t bytes, avrm_request_t **request_p) noexcept {
  const avrm_layout_t layout{bytes, 1, bytes};
  return receive_message(message_p, buffer, &layout, request_p);
}

avrm_status_t avrm_imrecv_strided(avrm_message_t **message_p, void *buffer, const avrm_layout_t *layout,
                                  avrm_request_t **request_p) noexcept {
  return receive_message(message_p, buffer, layout, request_p);
}

avrm_status_t avrm_imrecv_blocks(avrm_message_t **message_p, void *buffer, const avrm_blocks_t *blocks,
                                 avrm_request_t **request_p) noexcept {
  return receive_message(message_p, buffer, blocks, request_p);
}
