// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/greeters.h"

#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <iterator>

#include "base/wait_for.h"
#include "dynamic/port_name.h"

namespace avrankmap::detail {

namespace {

// A client is never made to give way before it could answer.
constexpr std::chrono::milliseconds kLeastTime{50};
// Time for a chosen client to answer before another is chosen, too.
constexpr std::chrono::milliseconds kTurnTime{100};

bool lacks_resources(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool is_there(const Socket &socket) noexcept {
  char byte = 0;
  const ssize_t got = recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && may_be_repeated());
}

} // namespace

void Greeters::drop(Greeter *greeter) noexcept {
  greeter->socket = Socket();
  greeter->stage = Stage::kFree;
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
  Greeter *found = nullptr;
  for (Greeter &greeter : greeters_) {
    if (greeter.stage != Stage::kHello && greeter.stage != Stage::kAnswer) {
      continue;
    }
    const bool comes_first = found == nullptr || greeter.stage < found->stage ||
                             (greeter.stage == found->stage && greeter.since < found->since);
    found = comes_first ? &greeter : found;
  }
  return found;
}

// The conversation with a client has come to the end of a stage. False if it is no client of ours.
bool Greeters::take_step(Greeter *greeter) noexcept {
  switch (greeter->stage) {
  case Stage::kHello:
    if (!greeter->hello.word.is_sound() || getrandom(&greeter->challenge.nonce, sizeof(Nonce), 0) != sizeof(Nonce)) {
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
  for (;;) {
    Greeter *place = free_place();
    if (place == nullptr) {
      place = next_to_give_way();
      if (place == nullptr || Clock::now() - place->since < kLeastTime) {
        return AVRM_OK;
      }
    }
    Socket client(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client.is_open()) {
      if (!lacks_resources(errno)) {
        return AVRM_OK; // nobody came, or went again
      }
      place = next_to_give_way();
      if (place == nullptr) {
        return AVRM_ERR_SYSTEM;
      }
      drop(place);
      continue;
    }
    tune(client.get());
    place->socket = std::move(client);
    place->stage = Stage::kHello;
    place->since = Clock::now();
    place->out = kNothing;
    place->in = flow_of(&place->hello);
    go_on(place);
  }
}

// Gives the client that waits longest its turn, unless another has it.
void Greeters::choose() noexcept {
  const Clock::time_point now = Clock::now();
  Greeter *next = nullptr;
  for (Greeter &greeter : greeters_) {
    if (greeter.stage == Stage::kMet || (greeter.stage == Stage::kWord && now - greeter.since < kTurnTime)) {
      return;
    }
    if (greeter.stage == Stage::kTurn && (next == nullptr || greeter.since < next->since)) {
      next = &greeter;
    }
  }
  if (next == nullptr) {
    return;
  }
  next->stage = Stage::kWord;
  next->since = now;
  next->out = flow_of(&next->said);
  next->in = flow_of(&next->heard);
  go_on(next);
}

avrm_status_t Greeters::serve(const Socket *listeners, int count, Socket *client_p) noexcept {
  const std::lock_guard guard(lock_);
  pollfd list[kMost + PortName::kMostAddresses];
  nfds_t used = 0;
  for (const Greeter &greeter : greeters_) {
    const short events = greeter.out.left != 0 ? POLLIN | POLLOUT : POLLIN;
    list[used++] = {greeter.stage == Stage::kFree ? -1 : greeter.socket.get(), events, 0};
  }
  const Greeter *const last = free_place() == nullptr ? next_to_give_way() : nullptr;
  const bool has_room = free_place() != nullptr || (last != nullptr && Clock::now() - last->since >= kLeastTime);
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
