// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ring/ring.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/environment.h"
#include "base/wait_for.h"
#include "boot/boot.h"
#include "core/peers/connect.h"
#include "core/report.h"
#include "dynamic/greeting.h"
#include "dynamic/state.h"

namespace avrankmap::detail {

namespace {

// Connections to an address that end before the answer.
constexpr int kMostTries = 4;

// A guest is never made to give way before it could speak.
constexpr std::chrono::milliseconds kLeastTime{50};

bool say(const Socket &socket, const void *what, std::size_t bytes) noexcept {
  return ::send(socket.get(), what, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
}

using Said = Ring::Said;

bool is_said(const unsigned char *heard, std::uint32_t magic, std::uint64_t half, std::uint64_t *node_p) noexcept {
  Said said{};
  std::memcpy(&said, heard, sizeof said);
  *node_p = said.node;
  return said.magic == magic && said.version == Said::kVersion && said.half == half;
}

// All options of a connection on which the kernels alone talk.
void watch_machine(int descriptor) noexcept {
  tune(descriptor);
  const unsigned milliseconds = 30000; // that the first words may take
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

} // namespace

Ring::~Ring() {
  for (const Guest &guest : guests_) {
    if (guest.is_known) {
      (void)say(guest.socket, &kGoodbye, sizeof kGoodbye);
    }
  }
}

avrm_status_t Ring::listen(const avrm_device_t *device) noexcept {
  const avrm_status_t status = listen_at(device->dynamic->interface, device->local_only, &own_);
  if (status != AVRM_OK) {
    own_.name.count = 0;
  }
  return status;
}

// A ward's place is free, and the next process takes it.
void Ring::watch_next(avrm_device_t *device, Ward *ward) noexcept {
  const Failures &failures = device->boot->failures();
  *ward = Ward{};
  const std::int32_t lpid = wards_.next([&](std::int32_t other) { return failures.has(other); });
  if (lpid == kNobody) {
    return;
  }
  ward->lpid = lpid;
  Card card;
  if (!by_sockets_ && fetch_card(device, lpid, &card) == AVRM_OK) {
    device->watch.add(device, lpid, card);
    if (failures.has(lpid) || device->watch.has(lpid)) {
      ward->stage = Stage::kElsewhere;
      missed_ = 0;
      return;
    }
  }
  std::size_t bytes = sizeof ward->post;
  const avrm_status_t status = device->boot->fetch(lpid, kSlot, &ward->post, &bytes);
  if (status != AVRM_OK || bytes != sizeof ward->post || !ward->post.is_sound(lpid, device->size)) {
    ward->post = {};
  }
  connect_on(device, ward);
}

// To the next of the ward's addresses, or later if the system is short of something.
void Ring::connect_on(avrm_device_t *device, Ward *ward) noexcept {
  const PortName &name = ward->post.name;
  ward->socket = Socket();
  while (ward->address < name.count) {
    const IpAddress &address = name.addresses[ward->address++];
    Socket made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_storage where{};
    const socklen_t length = address.with_port(name.number, &where);
    const bool connects =
        made.is_open() &&
        (::connect(made.get(), reinterpret_cast<const sockaddr *>(&where), length) == 0 || errno == EINPROGRESS);
    if (connects || may_be_repeated()) {
      ward->address -= connects ? 0 : 1;
      ward->socket = connects ? std::move(made) : Socket();
      ward->since = Clock::now();
      ward->stage = Stage::kConnection;
      return;
    }
  }
  give_up(device, ward);
}

// None of the ward's addresses is left.
void Ring::give_up(avrm_device_t *device, Ward *ward) noexcept {
  ward->socket = Socket();
  ward->since = Clock::now();
  ward->stage = Stage::kSilence;
  // While all are closing, a ward that refuses has probably closed.
  if (ward->is_refused && is_proven_) {
    device->watch.lost(device, ward->lpid);
  }
}

void Ring::miss(avrm_device_t *device, Ward *ward) noexcept {
  first_missed_ = first_missed_ == kNobody ? ward->lpid : first_missed_;
  *ward = Ward{};
  if (++missed_ > kMostMissed) {
    is_over_ = true;
    report(device, AVRM_ERR_SYSTEM, "other processes cannot be reached to be watched: the ring is left");
  }
}

// This process is connected with one of another node. Refusals until now are believed, too.
void Ring::on_proof(avrm_device_t *device) noexcept {
  if (is_proven_) {
    return;
  }
  is_proven_ = true;
  if (first_missed_ != kNobody) {
    wards_.go_back_to(first_missed_);
  }
  for (const Ward &ward : ward_) {
    if (ward.stage == Stage::kSilence && ward.is_refused) {
      device->watch.lost(device, ward.lpid);
    }
  }
}

void Ring::on_connected(avrm_device_t *device, Ward *ward) noexcept {
  int error = 0;
  socklen_t bytes = sizeof error;
  const Said said{Said::kAsk, Said::kVersion, ward->post.name.secret.words[0], device->node};
  const bool is_known = getsockopt(ward->socket.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) == 0;
  if (!is_known && may_be_repeated()) {
    return;
  }
  if (!is_known || error != 0) {
    ward->is_refused = ward->is_refused || error == ECONNREFUSED;
    return connect_on(device, ward);
  }
  watch_machine(ward->socket.get());
  if (!say(ward->socket, &said, sizeof said)) {
    return may_be_repeated() ? void() : connect_on(device, ward);
  }
  static_assert(sizeof said == sizeof ward->heard);
  ward->in = {ward->heard, sizeof ward->heard};
  ward->stage = Stage::kAnswer;
}

void Ring::on_answer(avrm_device_t *device, Ward *ward) noexcept {
  avrm_status_t status = AVRM_OK;
  Flow nothing = kNothing;
  while (move_some(ward->socket.get(), &nothing, &ward->in, &status)) {
  }
  const bool is_whole = ward->in.left == 0;
  std::uint64_t node = 0;
  if (status != AVRM_OK) {
    // It has died, and its machine refuses the next connection, or strangers pressed it.
    ward->address -= ++ward->tries < kMostTries ? 1 : 0;
    return connect_on(device, ward);
  }
  if (is_whole && !is_said(ward->heard, Said::kAnswer, ward->post.name.secret.words[1], &node)) {
    ward->is_refused = true; // the port is another's now
    return connect_on(device, ward);
  }
  if (is_whole) {
    ward->stage = Stage::kEnd;
    missed_ = 0;
    if (node != device->node) {
      on_proof(device);
    }
  }
}

void Ring::on_end(avrm_device_t *device, Ward *ward) noexcept {
  char byte = 0;
  const ssize_t got = recv(ward->socket.get(), &byte, 1, MSG_DONTWAIT);
  if (got < 0 && may_be_repeated()) {
    return;
  }
  const bool is_machine = got < 0 && (errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH);
  ward->socket = Socket();
  ward->since = Clock::now();
  if (got > 0) {
    ward->stage = Stage::kLeft;
    return;
  }
  const std::int32_t first = is_machine ? ward->post.first : ward->lpid;
  const std::int32_t last = is_machine ? ward->post.last : ward->lpid;
  for (std::int32_t lpid = first; lpid <= last; ++lpid) {
    if (lpid != device->rank) {
      device->watch.lost(device, lpid);
    }
  }
  ward->stage = Stage::kSilence; // while closing it may live
}

// It has closed its device, as all do now. If this process goes on, it is as good as dead.
void Ring::on_left(avrm_device_t *device, Ward *ward) noexcept {
  is_over_ = is_over_ || device->watch.is_closing();
  if (!is_over_ && Clock::now() - ward->since >= kPatience) {
    device->watch.lost(device, ward->lpid);
  }
}

void Ring::go_on(avrm_device_t *device, Ward *ward, bool has_news) noexcept {
  switch (ward->stage) {
  case Stage::kConnection:
    if (has_news) {
      on_connected(device, ward);
    } else if (!ward->socket.is_open() || Clock::now() - ward->since >= kPatience) {
      connect_on(device, ward);
    }
    return;
  case Stage::kAnswer: return has_news ? on_answer(device, ward) : void();
  case Stage::kEnd: return has_news ? on_end(device, ward) : void();
  case Stage::kSilence: return Clock::now() - ward->since >= kPatience ? miss(device, ward) : void();
  case Stage::kLeft: return on_left(device, ward);
  case Stage::kNone:
  case Stage::kElsewhere: return;
  }
}

void Ring::hear(avrm_device_t *device, Guest *guest) noexcept {
  avrm_status_t status = AVRM_OK;
  Flow nothing = kNothing;
  if (guest->is_known) { // has nothing more to say
    *guest = Guest{};
    return;
  }
  while (move_some(guest->socket.get(), &nothing, &guest->in, &status)) {
  }
  if (status != AVRM_OK) {
    *guest = Guest{};
  } else if (guest->in.left == 0) {
    const Said said{Said::kAnswer, Said::kVersion, own_.name.secret.words[1], device->node};
    std::uint64_t node = 0;
    guest->is_known =
        is_said(guest->heard, Said::kAsk, own_.name.secret.words[0], &node) && say(guest->socket, &said, sizeof said);
    if (!guest->is_known) {
      *guest = Guest{};
    } else if (node != device->node) {
      on_proof(device);
    }
  }
}

// A place that is free, or else that of the stranger who has been silent for longest.
Ring::Guest *Ring::place() noexcept {
  Guest *found = nullptr;
  for (Guest &guest : guests_) {
    if (!guest.socket.is_open()) {
      return &guest;
    }
    if (!guest.is_known && (found == nullptr || guest.since < found->since)) {
      found = &guest;
    }
  }
  return found != nullptr && Clock::now() - found->since >= kLeastTime ? found : nullptr;
}

void Ring::let_in(avrm_device_t *device, const Socket &listener) noexcept {
  for (int i = 0; i < kMostGuests; ++i) {
    Guest *const guest = place();
    if (guest == nullptr) {
      return;
    }
    Socket socket(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      return;
    }
    *guest = Guest{};
    guest->socket = std::move(socket);
    guest->since = Clock::now();
    guest->in = {guest->heard, sizeof guest->heard};
    watch_machine(guest->socket.get());
    hear(device, guest);
  }
}

void Ring::look(avrm_device_t *device) noexcept {
  const Failures &failures = device->boot->failures();
  for (Ward &ward : ward_) {
    if (!is_over_ && (ward.stage == Stage::kNone || failures.has(ward.lpid))) {
      watch_next(device, &ward);
    }
  }
  pollfd list[Wards::kCount + kMostGuests + PortName::kMostAddresses];
  nfds_t used = 0;
  for (const Ward &ward : ward_) {
    list[used++] = {ward.socket.get(), static_cast<short>(ward.stage == Stage::kConnection ? POLLOUT : POLLIN), 0};
  }
  for (const Guest &guest : guests_) {
    list[used++] = {guest.socket.get(), POLLIN, 0};
  }
  for (int i = 0; i < own_.listener_count; ++i) {
    list[used++] = {own_.listeners[i].get(), POLLIN, 0};
  }
  wait_for(list, used, 0);
  const pollfd *entry = list;
  for (Ward &ward : ward_) {
    go_on(device, &ward, (entry++)->revents != 0);
  }
  for (Guest &guest : guests_) {
    if ((entry++)->revents != 0) {
      hear(device, &guest);
    }
  }
  for (int i = 0; i < own_.listener_count; ++i) {
    if ((entry++)->revents != 0) {
      let_in(device, own_.listeners[i]);
    }
  }
}

namespace {

// The consecutive lpids around this process that are of its node.
void find_run(const avrm_device_t *device, Ring::Post *post) noexcept {
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

avrm_status_t open_ring(avrm_device_t *device) noexcept {
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
  Ring::Post post;
  find_run(device, &post);
  if (choice != kNo && device->size > 1) {
    void *const block = device->instance->memory.allocate(sizeof(Ring), alignof(Ring), AVRM_MEM_COMM);
    if (block == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    device->ring = new (block) Ring(device, choice == kSockets);
    if (device->ring->listen(device) != AVRM_OK) {
      report(device, AVRM_ERR_SYSTEM, "no socket to be watched by: other nodes may learn late if this process dies");
    }
    post.name = device->ring->name();
  }
  // In any case, since others would wait for a card that does not come.
  status = avrm_boot_publish(device->boot, Ring::kSlot, &post, sizeof post);
  return status;
}

void close_ring(avrm_device_t *device) noexcept {
  if (device->ring != nullptr) {
    device->ring->~Ring();
    device->instance->memory.release(device->ring, sizeof(Ring), alignof(Ring), AVRM_MEM_COMM);
    device->ring = nullptr;
  }
}

void look_at_ring(avrm_device_t *device) noexcept { device->ring->look(device); }

} // namespace avrankmap::detail
