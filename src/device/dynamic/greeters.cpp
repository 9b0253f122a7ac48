// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/greeters.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/random.h"
#include "base/wait_for.h"
#include "dynamic/port_name.h"

namespace avrankmap::detail {

namespace {

// A client is never made to give way before it could answer.
constexpr std::chrono::milliseconds kLeastTime{50};
// Time for a chosen client to answer before others are chosen as well.
constexpr std::chrono::milliseconds kTurnTime{100};

bool lacks_resources(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool is_there(const Socket &socket) noexcept {
  char byte = 0;
  const ssize_t got = recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && may_be_repeated());
}

// Whether somebody waits to be accepted.
bool is_knocked_at(const Socket &listener) noexcept {
  pollfd entry{listener.get(), POLLIN, 0};
  wait_for(&entry, 1, 0);
  return entry.revents != 0;
}

} // namespace

void Greeters::drop(Greeter *greeter) noexcept {
  greeter->socket = Socket();
  greeter->stage = Stage::kFree;
  lacks_descriptors_ = false;
}

Greeters::Greeter *Greeters::free_place() noexcept {
  for (Greeter &greeter : greeters_) {
    if (greeter.stage == Stage::kFree) {
      return &greeter;
    }
  }
  return nullptr;
}

Greeters::Greeter *Greeters::next_to_give_way() noexcept {
  const Clock::time_point now = Clock::now();
  Greeter *found = nullptr;
  for (Greeter &greeter : greeters_) {
    const bool is_silent = greeter.stage == Stage::kWord && now - greeter.since >= kTurnTime;
    if (greeter.stage != Stage::kHello && greeter.stage != Stage::kAnswer && !is_silent) {
      continue;
    }
    const bool comes_first = found == nullptr || greeter.stage < found->stage ||
                             (greeter.stage == found->stage && greeter.since < found->since);
    found = comes_first ? &greeter : found;
  }
  return found;
}

Greeters::Greeter *Greeters::place() noexcept {
  if (Greeter *const free = lacks_descriptors_ ? nullptr : free_place()) {
    return free;
  }
  Greeter *const oldest = next_to_give_way();
  return oldest != nullptr && Clock::now() - oldest->since >= kLeastTime ? oldest : nullptr;
}

// The conversation with a client has come to the end of a stage. False if it is no client of ours.
bool Greeters::take_step(Greeter *greeter) noexcept {
  switch (greeter->stage) {
  case Stage::kHello:
    if (!greeter->hello.word.is_sound() || fill_random(&greeter->challenge.nonce, sizeof(Nonce)) != AVRM_OK) {
      return false;
    }
    greeter->challenge.word = {};
    greeter->challenge.proof = proof_of(secret_, Prover::kServer, greeter->hello, greeter->challenge.nonce);
    greeter->out = flow_of(&greeter->challenge);
    greeter->in = flow_of(&greeter->answer);
    greeter->stage = Stage::kAnswer;
    return true;
  case Stage::kAnswer:
    greeter->stage = Stage::kTurn;
    return is_same(greeter->answer.proof, proof_of(secret_, Prover::kClient, greeter->hello, greeter->challenge.nonce));
  case Stage::kWord: greeter->stage = Stage::kMet; return greeter->heard.is_sound();
  default: return false;
  }
}

void Greeters::go_on(Greeter *greeter) noexcept {
  while (greeter->stage != Stage::kTurn && greeter->stage != Stage::kMet) {
    avrm_status_t status = AVRM_OK;
    while (move_some(greeter->socket.get(), &greeter->out, &greeter->in, &status)) {
    }
    const bool is_complete = greeter->out.left + greeter->in.left == 0;
    if (status != AVRM_OK || (is_complete && !take_step(greeter))) {
      return drop(greeter);
    }
    if (!is_complete) {
      return;
    }
  }
}

avrm_status_t Greeters::let_in(const Socket &listener) noexcept {
  // No more than there are places, so that the caller can make progress and give up however fast
  // strangers come and are dropped.
  for (int tries = 0; tries < kMost; ++tries) {
    Greeter *const greeter = place();
    if (greeter == nullptr) {
      break;
    }
    if (lacks_descriptors_) {
      drop(greeter);
    }
    Socket client(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client.is_open()) {
      // Without a free descriptor the system does not even look for a client.
      if (!lacks_resources(errno) || !is_knocked_at(listener)) {
        return AVRM_OK; // nobody came, or went again
      }
      if (std::all_of(std::begin(greeters_), std::end(greeters_),
                      [](const Greeter &one) { return one.stage == Stage::kFree; })) {
        return AVRM_ERR_SYSTEM;
      }
      lacks_descriptors_ = true;
      continue;
    }
    tune(client.get());
    greeter->socket = std::move(client);
    greeter->stage = Stage::kHello;
    greeter->since = Clock::now();
    greeter->out = kNothing;
    greeter->in = flow_of(&greeter->hello);
    go_on(greeter);
  }
  return AVRM_OK;
}

// Null if nobody waits for its turn.
Greeters::Greeter *Greeters::next_in_turn() noexcept {
  Greeter *next = nullptr;
  for (Greeter &greeter : greeters_) {
    if (greeter.stage == Stage::kTurn && (next == nullptr || greeter.since < next->since)) {
      next = &greeter;
    }
  }
  return next;
}

// Gives those that wait longest their turn, unless others have it: one, and as many more as have
// let theirs pass.
void Greeters::choose() noexcept {
  const Clock::time_point now = Clock::now();
  int chosen = 0;
  int silent = 0;
  for (const Greeter &greeter : greeters_) {
    if (greeter.stage == Stage::kMet) {
      return;
    }
    if (greeter.stage == Stage::kWord) {
      ++(now - greeter.since < kTurnTime ? chosen : silent);
    }
  }
  for (; chosen <= silent; ++chosen) {
    Greeter *const next = next_in_turn();
    if (next == nullptr) {
      return;
    }
    next->stage = Stage::kWord;
    next->since = now;
    next->out = flow_of(&next->said);
    next->in = flow_of(&next->heard);
    go_on(next);
  }
}

avrm_status_t Greeters::serve(const Socket *listeners, int count, Socket *client_p) noexcept {
  const std::lock_guard guard(lock_);
  pollfd list[kMost + PortName::kMostAddresses];
  nfds_t used = 0;
  for (const Greeter &greeter : greeters_) {
    const short events = greeter.out.left != 0 ? POLLIN | POLLOUT : POLLIN;
    list[used++] = {greeter.stage == Stage::kFree ? -1 : greeter.socket.get(), events, 0};
  }
  const bool has_room = place() != nullptr;
  for (int i = 0; i < count; ++i) {
    list[used++] = {has_room ? listeners[i].get() : -1, POLLIN, 0};
  }
  wait_for(list, used, kPause);
  const Clock::time_point now = Clock::now();
  for (int i = 0; i < kMost; ++i) {
    Greeter &greeter = greeters_[i];
    if (greeter.stage == Stage::kTurn && list[i].revents != 0) {
      drop(&greeter); // gone, or speaks out of turn
    } else if (greeter.stage != Stage::kFree && list[i].revents != 0) {
      go_on(&greeter);
    }
    const bool must_hurry = greeter.stage != Stage::kFree && greeter.stage != Stage::kTurn;
    if (must_hurry && greeter.stage != Stage::kMet && now - greeter.since >= kPatience) {
      drop(&greeter);
    }
  }
  for (int i = 0; i < count; ++i) {
    const avrm_status_t status = list[kMost + i].revents != 0 ? let_in(listeners[i]) : AVRM_OK;
    if (status != AVRM_OK) {
      return status;
    }
  }
  choose();
  for (Greeter &greeter : greeters_) {
    if (greeter.stage == Stage::kMet) {
      if (is_there(greeter.socket)) {
        *client_p = std::move(greeter.socket);
      }
      drop(&greeter);
      break;
    }
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail
