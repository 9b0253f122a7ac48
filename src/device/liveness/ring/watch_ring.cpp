// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "liveness/ring/watch_ring.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/environment.h"
#include "base/wait_for.h"
#include "core/peers/connect.h"
#include "core/report.h"
#include "dynamic/handshake.h"
#include "dynamic/state.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

// Once this many connections to a watched peer have ended before its answer, each remaining address
// is tried only once.
constexpr int kMostTries = 4;

// Minimum time before an inbound connection may be replaced by another one.
constexpr std::chrono::milliseconds kLeastTime{50};

bool send_bytes(const Socket &socket, const void *what, std::size_t bytes) noexcept {
  return ::send(socket.get(), what, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
}

using WatchHandshake = WatchRing::WatchHandshake;

bool is_valid_handshake(const unsigned char *heard, std::uint32_t magic, std::uint64_t half,
                        std::uint64_t *node_p) noexcept {
  WatchHandshake said{};
  std::memcpy(&said, heard, sizeof said);
  *node_p = said.node;
  return said.magic == magic && said.version == WatchHandshake::kVersion && said.half == half;
}

// Sets the options of a connection on which only the kernels communicate between the handshake and
// kClosing.
void watch_machine(int descriptor) noexcept {
  tune(descriptor);
  const unsigned milliseconds = 30000; // for the handshake
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

} // namespace

WatchRing::~WatchRing() {
  for (const InboundConnection &inbound : inbound_) {
    if (inbound.is_known) {
      (void)send_bytes(inbound.socket, &kClosing, sizeof kClosing);
    }
  }
}

avrm_status_t WatchRing::listen(const avrm_device_t *device) noexcept {
  const avrm_status_t status = listen_at(device->dynamic->interface, device->local_only, &own_);
  if (status != AVRM_OK) {
    own_.name.count = 0;
  }
  return status;
}

// Watches the next process in the place of `peer`.
void WatchRing::watch_next(avrm_device_t *device, WatchedPeer *peer) noexcept {
  const FailedProcesses &failures = device->boot->failures();
  *peer = WatchedPeer{};
  const std::int32_t lpid = successors_.next([&](std::int32_t other) { return failures.has(other); });
  if (lpid == kNobody) {
    return;
  }
  peer->lpid = lpid;
  Card card;
  avrm_status_t status = by_sockets_ ? AVRM_ERR_UNSUPPORTED : fetch_card(device, lpid, &card);
  if (status == AVRM_OK) {
    device->failure_detector.add(device, lpid, card);
    if (failures.has(lpid) || device->failure_detector.has(lpid)) {
      peer->stage = Stage::kElsewhere;
      missed_ = 0;
      return;
    }
  }
  std::size_t bytes = sizeof peer->post;
  // A process without a card has no address either, and a fetch may take seconds.
  status = status == AVRM_ERR_PEER ? status : device->boot->fetch(lpid, kSlot, &peer->post, &bytes);
  if (status != AVRM_OK || bytes != sizeof peer->post || !peer->post.is_sound(lpid, device->size)) {
    peer->post = {};
  }
  connect_on(device, peer);
}

// Connects to the next address of the watched peer, or retries later if the system is out of
// resources.
void WatchRing::connect_on(avrm_device_t *device, WatchedPeer *peer) noexcept {
  const PortName &name = peer->post.name;
  peer->socket = Socket();
  while (peer->address < name.count) {
    const IpAddress &address = name.addresses[peer->address++];
    Socket made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_storage where{};
    const socklen_t length = address.with_port(name.number, &where);
    const bool connects =
        made.is_open() &&
        (::connect(made.get(), reinterpret_cast<const sockaddr *>(&where), length) == 0 || errno == EINPROGRESS);
    if (connects || may_be_repeated()) {
      peer->address -= connects ? 0 : 1;
      peer->socket = connects ? std::move(made) : Socket();
      peer->since = Clock::now();
      peer->stage = Stage::kConnection;
      return;
    }
  }
  give_up(device, peer);
}

// Called when all addresses of the watched peer have failed.
void WatchRing::give_up(avrm_device_t *device, WatchedPeer *peer) noexcept {
  peer->socket = Socket();
  peer->since = Clock::now();
  peer->stage = Stage::kSilence;
  // A refusal proves a death only if nodes can reach each other (on_proof).
  if (peer->is_refused && is_proven_) {
    device->failure_detector.lost(device, peer->lpid);
  }
}

void WatchRing::miss(avrm_device_t *device, WatchedPeer *peer) noexcept {
  first_missed_ = first_missed_ == kNobody ? peer->lpid : first_missed_;
  *peer = WatchedPeer{};
  if (++missed_ > kMostMissed) {
    is_over_ = true;
    report(device, AVRM_ERR_SYSTEM,
           "too many processes in a row cannot be reached: this process stops watching new ones");
  }
}

// Called when this process is connected to a process of another node. From now on refusals,
// including earlier ones, count as deaths.
void WatchRing::on_proof(avrm_device_t *device) noexcept {
  if (is_proven_) {
    return;
  }
  is_proven_ = true;
  if (first_missed_ != kNobody) {
    successors_.go_back_to(first_missed_);
  }
  for (const WatchedPeer &peer : peers_) {
    if (peer.stage == Stage::kSilence && peer.is_refused) {
      device->failure_detector.lost(device, peer.lpid);
    }
  }
}

void WatchRing::on_connected(avrm_device_t *device, WatchedPeer *peer) noexcept {
  int error = 0;
  socklen_t bytes = sizeof error;
  const WatchHandshake said{WatchHandshake::kAsk, WatchHandshake::kVersion, peer->post.name.secret.words[0],
                            device->node};
  const bool is_known = getsockopt(peer->socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) == 0;
  if (!is_known && may_be_repeated()) {
    return;
  }
  if (!is_known || error != 0) {
    peer->is_refused = peer->is_refused || error == ECONNREFUSED;
    return connect_on(device, peer);
  }
  watch_machine(peer->socket.get());
  if (!send_bytes(peer->socket, &said, sizeof said)) {
    return may_be_repeated() ? void() : connect_on(device, peer);
  }
  static_assert(sizeof said == sizeof peer->heard);
  peer->in = {peer->heard, sizeof peer->heard};
  peer->stage = Stage::kAnswer;
}

void WatchRing::on_answer(avrm_device_t *device, WatchedPeer *peer) noexcept {
  avrm_status_t status = AVRM_OK;
  ByteCursor nothing = kNothing;
  while (move_some(peer->socket.get(), &nothing, &peer->in, &status)) {
  }
  const bool is_whole = peer->in.left == 0;
  std::uint64_t node = 0;
  if (status != AVRM_OK) {
    // Either the peer has died, and its machine will refuse the next connection, or it dropped this
    // connection to make room.
    peer->address -= ++peer->tries < kMostTries ? 1 : 0;
    return connect_on(device, peer);
  }
  if (is_whole && !is_valid_handshake(peer->heard, WatchHandshake::kAnswer, peer->post.name.secret.words[1], &node)) {
    peer->is_refused = true; // the port now belongs to another process
    return connect_on(device, peer);
  }
  if (is_whole) {
    peer->stage = Stage::kEnd;
    missed_ = 0;
    if (node != device->node) {
      on_proof(device);
    }
  }
}

void WatchRing::on_end(avrm_device_t *device, WatchedPeer *peer) noexcept {
  char byte = 0;
  const ssize_t got = recv(peer->socket.get(), &byte, 1, MSG_DONTWAIT);
  if (got < 0 && may_be_repeated()) {
    return;
  }
  const bool is_machine = got < 0 && (errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH);
  peer->socket = Socket();
  peer->since = Clock::now();
  if (got > 0) {
    peer->stage = Stage::kLeft;
    return;
  }
  const std::int32_t first = is_machine ? peer->post.first : peer->lpid;
  const std::int32_t last = is_machine ? peer->post.last : peer->lpid;
  for (std::int32_t lpid = first; lpid <= last; ++lpid) {
    if (lpid != device->rank) {
      device->failure_detector.lost(device, lpid);
    }
  }
  peer->stage = Stage::kSilence; // if this process is closing, the peer is only suspected so far
}

// Called after the peer has closed its device. The peer counts as dead after kHandshakeTimeout,
// unless this process is closing its device by then.
void WatchRing::on_left(avrm_device_t *device, WatchedPeer *peer) noexcept {
  is_over_ = is_over_ || device->failure_detector.is_closing();
  if (!is_over_ && Clock::now() - peer->since >= kHandshakeTimeout) {
    device->failure_detector.lost(device, peer->lpid);
  }
}

void WatchRing::go_on(avrm_device_t *device, WatchedPeer *peer, bool is_ready) noexcept {
  switch (peer->stage) {
  case Stage::kConnection:
    if (is_ready) {
      on_connected(device, peer);
    } else if (!peer->socket.is_open() || Clock::now() - peer->since >= kHandshakeTimeout) {
      connect_on(device, peer);
    }
    return;
  case Stage::kAnswer: return is_ready ? on_answer(device, peer) : void();
  case Stage::kEnd: return is_ready ? on_end(device, peer) : void();
  case Stage::kSilence: return Clock::now() - peer->since >= kHandshakeTimeout ? miss(device, peer) : void();
  case Stage::kLeft: return on_left(device, peer);
  case Stage::kNone:
  case Stage::kElsewhere: return;
  }
}

void WatchRing::hear(avrm_device_t *device, InboundConnection *inbound) noexcept {
  avrm_status_t status = AVRM_OK;
  ByteCursor nothing = kNothing;
  if (inbound->is_known) { // a watcher sends nothing after the handshake
    *inbound = InboundConnection{};
    return;
  }
  while (move_some(inbound->socket.get(), &nothing, &inbound->in, &status)) {
  }
  if (status != AVRM_OK) {
    *inbound = InboundConnection{};
  } else if (inbound->in.left == 0) {
    const WatchHandshake said{WatchHandshake::kAnswer, WatchHandshake::kVersion, own_.name.secret.words[1],
                              device->node};
    std::uint64_t node = 0;
    inbound->is_known = is_valid_handshake(inbound->heard, WatchHandshake::kAsk, own_.name.secret.words[0], &node) &&
                        send_bytes(inbound->socket, &said, sizeof said);
    if (!inbound->is_known) {
      *inbound = InboundConnection{};
    } else if (node != device->node) {
      on_proof(device);
    }
  }
}

// Returns a free place, or else that of the oldest unknown connection if it has existed for
// kLeastTime; otherwise null.
WatchRing::InboundConnection *WatchRing::place() noexcept {
  InboundConnection *found = nullptr;
  for (InboundConnection &inbound : inbound_) {
    if (!inbound.socket.is_open()) {
      return &inbound;
    }
    if (!inbound.is_known && (found == nullptr || inbound.since < found->since)) {
      found = &inbound;
    }
  }
  return found != nullptr && Clock::now() - found->since >= kLeastTime ? found : nullptr;
}

void WatchRing::let_in(avrm_device_t *device, const Socket &listener) noexcept {
  for (int i = 0; i < kMostInbound; ++i) {
    InboundConnection *const inbound = place();
    if (inbound == nullptr) {
      return;
    }
    Socket socket(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      return;
    }
    *inbound = InboundConnection{};
    inbound->socket = std::move(socket);
    inbound->since = Clock::now();
    inbound->in = {inbound->heard, sizeof inbound->heard};
    watch_machine(inbound->socket.get());
    hear(device, inbound);
  }
}

void WatchRing::look(avrm_device_t *device) noexcept {
  const FailedProcesses &failures = device->boot->failures();
  for (WatchedPeer &peer : peers_) {
    if (!is_over_ && (peer.stage == Stage::kNone || failures.has(peer.lpid))) {
      watch_next(device, &peer);
    }
  }
  pollfd list[Successors::kCount + kMostInbound + PortName::kMostAddresses];
  nfds_t used = 0;
  for (const WatchedPeer &peer : peers_) {
    list[used++] = {peer.socket.get(), static_cast<short>(peer.stage == Stage::kConnection ? POLLOUT : POLLIN), 0};
  }
  for (const InboundConnection &inbound : inbound_) {
    list[used++] = {inbound.socket.get(), POLLIN, 0};
  }
  for (int i = 0; i < own_.listener_count; ++i) {
    list[used++] = {own_.listeners[i].get(), POLLIN, 0};
  }
  wait_for(list, used, 0);
  const pollfd *entry = list;
  for (WatchedPeer &peer : peers_) {
    go_on(device, &peer, (entry++)->revents != 0);
  }
  for (InboundConnection &inbound : inbound_) {
    if ((entry++)->revents != 0) {
      hear(device, &inbound);
    }
  }
  for (int i = 0; i < own_.listener_count; ++i) {
    if ((entry++)->revents != 0) {
      let_in(device, own_.listeners[i]);
    }
  }
}

namespace {

// Finds the run of consecutive lpids on this node that includes this process.
void find_run(const avrm_device_t *device, WatchRing::WatchAddress *post) noexcept {
  const auto ranks = device->boot->watched_ranks();
  const auto own = std::lower_bound(ranks.begin(), ranks.end(), device->rank);
  post->first = post->last = device->rank;
  for (auto at = own; at != ranks.end() && *at - device->rank == at - own; ++at) {
    post->last = *at;
  }
  for (auto at = own; at != ranks.begin() && *(at - 1) == post->first - 1; --at) {
    --post->first;
  }
}

} // namespace

avrm_status_t open_watch_ring(avrm_device_t *device) noexcept {
  if (device->boot->tells_deaths()) {
    return AVRM_OK;
  }
  static_assert(std::string_view(env::row(env::kRing).values) == "no, yes, sockets");
  constexpr int kNo = 1;
  constexpr int kSockets = 3;
  int choice = 0;
  avrm_status_t status = choose(device, env::kRing, &choice);
  if (status != AVRM_OK) {
    return status;
  }
  WatchRing::WatchAddress post;
  find_run(device, &post);
  if (choice != kNo && device->size > 1) {
    void *const block = device->instance->memory.allocate(sizeof(WatchRing), alignof(WatchRing), AVRM_MEM_COMM);
    if (block == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    device->watch_ring = new (block) WatchRing(device, choice == kSockets);
    if (device->watch_ring->listen(device) != AVRM_OK) {
      report(device, AVRM_ERR_SYSTEM,
             "cannot listen for processes that watch this one: other nodes may learn of its death late");
    }
    post.name = device->watch_ring->name();
  }
  // Published in any case, since others would otherwise wait for it.
  status = avrm_boot_publish(device->boot, WatchRing::kSlot, &post, sizeof post);
  return status;
}

void close_watch_ring(avrm_device_t *device) noexcept {
  if (device->watch_ring != nullptr) {
    device->watch_ring->~WatchRing();
    device->instance->memory.release(device->watch_ring, sizeof(WatchRing), alignof(WatchRing), AVRM_MEM_COMM);
    device->watch_ring = nullptr;
  }
}

void poll_watch_ring(avrm_device_t *device) noexcept { device->watch_ring->look(device); }

} // namespace avrankmap::detail
