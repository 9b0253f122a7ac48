// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/handshake_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/random.h"
#include "base/wait_for.h"
#include "dynamic/port_name.h"

namespace avrankmap::detail {

namespace {

// Minimum time before a client may be dropped in favour of another one.
constexpr std::chrono::milliseconds kLeastTime{50};
// Time that a chosen client has to answer before others are also chosen.
constexpr std::chrono::milliseconds kTurnTime{100};

bool lacks_resources(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool is_there(const Socket &socket) noexcept {
  char byte = 0;
  const ssize_t got = recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && may_be_repeated());
}

// True if a connection waits to be accepted.
bool is_knocked_at(const Socket &listener) noexcept {
  pollfd entry{listener.get(), POLLIN, 0};
  wait_for(&entry, 1, 0);
  return entry.revents != 0;
}

} // namespace

void HandshakeServer::drop(HandshakeClient *client) noexcept {
  client->socket = Socket();
  client->stage = Stage::kFree;
  lacks_descriptors_ = false;
}

HandshakeServer::HandshakeClient *HandshakeServer::free_place() noexcept {
  for (HandshakeClient &client : clients_) {
    if (client.stage == Stage::kFree) {
      return &client;
    }
  }
  return nullptr;
}

HandshakeServer::HandshakeClient *HandshakeServer::next_to_give_way() noexcept {
  const Clock::time_point now = Clock::now();
  HandshakeClient *found = nullptr;
  for (HandshakeClient &client : clients_) {
    const bool is_silent = client.stage == Stage::kWord && now - client.since >= kTurnTime;
    if (client.stage != Stage::kHello && client.stage != Stage::kAnswer && !is_silent) {
      continue;
    }
    const bool comes_first = found == nullptr || client.stage < found->stage ||
                             (client.stage == found->stage && client.since < found->since);
    found = comes_first ? &client : found;
  }
  return found;
}

HandshakeServer::HandshakeClient *HandshakeServer::place() noexcept {
  if (HandshakeClient *const free = lacks_descriptors_ ? nullptr : free_place()) {
    return free;
  }
  HandshakeClient *const oldest = next_to_give_way();
  return oldest != nullptr && Clock::now() - oldest->since >= kLeastTime ? oldest : nullptr;
}

// Handles the complete message of a client's stage. Returns false if the client must be dropped.
bool HandshakeServer::take_step(HandshakeClient *client) noexcept {
  switch (client->stage) {
  case Stage::kHello:
    if (!client->hello.word.is_sound() || fill_random(&client->challenge.nonce, sizeof(Nonce)) != AVRM_OK) {
      return false;
    }
    client->challenge.word = {};
    client->challenge.proof = proof_of(secret_, Prover::kServer, client->hello, client->challenge.nonce);
    client->out = cursor_of(&client->challenge);
    client->in = cursor_of(&client->answer);
    client->stage = Stage::kAnswer;
    return true;
  case Stage::kAnswer:
    client->stage = Stage::kTurn;
    return is_same(client->answer.proof, proof_of(secret_, Prover::kClient, client->hello, client->challenge.nonce));
  case Stage::kWord: client->stage = Stage::kConnected; return client->heard.is_sound();
  default: return false;
  }
}

void HandshakeServer::go_on(HandshakeClient *client) noexcept {
  while (client->stage != Stage::kTurn && client->stage != Stage::kConnected) {
    avrm_status_t status = AVRM_OK;
    while (move_some(client->socket.get(), &client->out, &client->in, &status)) {
    }
    const bool is_complete = client->out.left + client->in.left == 0;
    if (status != AVRM_OK || (is_complete && !take_step(client))) {
      return drop(client);
    }
    if (!is_complete) {
      return;
    }
  }
}

avrm_status_t HandshakeServer::let_in(const Socket &listener) noexcept {
  // Accepts at most as many clients as there are places, so that the caller can make progress and
  // time out no matter how fast unknown clients connect and are dropped.
  for (int tries = 0; tries < kMost; ++tries) {
    HandshakeClient *const client = place();
    if (client == nullptr) {
      break;
    }
    if (lacks_descriptors_) {
      drop(client);
    }
    Socket accepted(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted.is_open()) {
      // Without a free descriptor the system returns an error even if no connection waits.
      if (!lacks_resources(errno) || !is_knocked_at(listener)) {
        return AVRM_OK; // no connection waits, or it was closed again
      }
      if (std::all_of(std::begin(clients_), std::end(clients_),
                      [](const HandshakeClient &one) { return one.stage == Stage::kFree; })) {
        return AVRM_ERR_SYSTEM;
      }
      lacks_descriptors_ = true;
      continue;
    }
    tune(accepted.get());
    client->socket = std::move(accepted);
    client->stage = Stage::kHello;
    client->since = Clock::now();
    client->out = kNothing;
    client->in = cursor_of(&client->hello);
    go_on(client);
  }
  return AVRM_OK;
}

// Returns the client that has waited longest for its turn; null if there is none.
HandshakeServer::HandshakeClient *HandshakeServer::next_in_turn() noexcept {
  HandshakeClient *next = nullptr;
  for (HandshakeClient &client : clients_) {
    if (client.stage == Stage::kTurn && (next == nullptr || client.since < next->since)) {
      next = &client;
    }
  }
  return next;
}

// Gives the clients that have waited longest their turn: one at a time, plus one for each client
// that has let its turn pass.
void HandshakeServer::choose() noexcept {
  const Clock::time_point now = Clock::now();
  int chosen = 0;
  int silent = 0;
  for (const HandshakeClient &client : clients_) {
    if (client.stage == Stage::kConnected) {
      return;
    }
    if (client.stage == Stage::kWord) {
      ++(now - client.since < kTurnTime ? chosen : silent);
    }
  }
  for (; chosen <= silent; ++chosen) {
    HandshakeClient *const next = next_in_turn();
    if (next == nullptr) {
      return;
    }
    next->stage = Stage::kWord;
    next->since = now;
    next->out = cursor_of(&next->said);
    next->in = cursor_of(&next->heard);
    go_on(next);
  }
}

avrm_status_t HandshakeServer::serve(const Socket *listeners, int count, Socket *client_p) noexcept {
  const std::lock_guard guard(lock_);
  pollfd list[kMost + PortName::kMostAddresses];
  nfds_t used = 0;
  for (const HandshakeClient &client : clients_) {
    const short events = client.out.left != 0 ? POLLIN | POLLOUT : POLLIN;
    list[used++] = {client.stage == Stage::kFree ? -1 : client.socket.get(), events, 0};
  }
  const bool has_room = place() != nullptr;
  for (int i = 0; i < count; ++i) {
    list[used++] = {has_room ? listeners[i].get() : -1, POLLIN, 0};
  }
  wait_for(list, used, kPause);
  const Clock::time_point now = Clock::now();
  for (int i = 0; i < kMost; ++i) {
    HandshakeClient &client = clients_[i];
    if (client.stage == Stage::kTurn && list[i].revents != 0) {
      drop(&client); // disconnected, or sent something unexpected
    } else if (client.stage != Stage::kFree && list[i].revents != 0) {
      go_on(&client);
    }
    const bool must_hurry = client.stage != Stage::kFree && client.stage != Stage::kTurn;
    if (must_hurry && client.stage != Stage::kConnected && now - client.since >= kHandshakeTimeout) {
      drop(&client);
    }
  }
  for (int i = 0; i < count; ++i) {
    const avrm_status_t status = list[kMost + i].revents != 0 ? let_in(listeners[i]) : AVRM_OK;
    if (status != AVRM_OK) {
      return status;
    }
  }
  choose();
  for (HandshakeClient &client : clients_) {
    if (client.stage == Stage::kConnected) {
      if (is_there(client.socket)) {
        *client_p = std::move(client.socket);
      }
      drop(&client);
      break;
    }
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail
