// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/dial.h"

#include <sys/socket.h>

#include <cerrno>

#include "base/random.h"
#include "base/wait_for.h"
#include "dynamic/handshake.h"

namespace avrankmap::detail {

namespace {

using Clock = std::chrono::steady_clock;

// A server with many unknown clients may drop one from which it has received nothing yet, so the
// client retries.
constexpr int kMostTries = 4;
constexpr std::chrono::milliseconds kRetryAfter{50};

// An attempt to connect to one address.
class Attempt {
public:
  // The next event that is expected. kProven: being chosen from among the attempts.
  enum class Stage { kPause, kConnection, kChallenge, kProven, kWord, kConnected, kGone };

  [[nodiscard]] Stage stage() const noexcept { return stage_; }
  [[nodiscard]] avrm_status_t status() const noexcept { return status_; }
  [[nodiscard]] Socket take() noexcept { return std::move(socket_); }
  [[nodiscard]] pollfd watch() const noexcept {
    const short events = stage_ == Stage::kConnection || out_.left != 0 ? POLLIN | POLLOUT : POLLIN;
    return {stage_ == Stage::kPause || stage_ == Stage::kGone ? -1 : socket_.get(), events, 0};
  }

  void go_on(const PortName &name, int index, bool is_ready) noexcept {
    const Clock::time_point now = Clock::now();
    switch (stage_) {
    case Stage::kPause:
      if (now >= since_) {
        start(name, index);
      }
      break;
    case Stage::kConnection:
      if (is_ready) {
        on_connected();
      } else if (now - since_ >= kHandshakeTimeout) {
        give_up(AVRM_ERR_PEER);
      }
      break;
    case Stage::kProven:
      if (is_ready) { // disconnected, or sent something unexpected
        give_up(AVRM_ERR_PEER);
      }
      break;
    case Stage::kChallenge:
    case Stage::kWord:
      if (is_ready) {
        talk(name.secret);
      }
      break;
    case Stage::kConnected:
    case Stage::kGone: break;
    }
  }

  // Proves to the server that this is a client.
  void answer(const Secret &secret) noexcept {
    answer_.proof = proof_of(secret, Prover::kClient, hello_, challenge_.nonce);
    out_ = cursor_of(&answer_);
    in_ = cursor_of(&heard_);
    stage_ = Stage::kWord;
    talk(secret);
  }

private:
  void give_up(avrm_status_t status) noexcept {
    socket_ = Socket();
    status_ = status;
    stage_ = Stage::kGone;
  }

  void start(const PortName &name, int index) noexcept {
    const IpAddress &address = name.addresses[index];
    socket_ = Socket(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_.is_open() || fill_random(&hello_.nonce, sizeof(Nonce)) != AVRM_OK) {
      return give_up(errno == EAFNOSUPPORT ? AVRM_ERR_PEER : AVRM_ERR_SYSTEM);
    }
    sockaddr_storage where{};
    const socklen_t bytes = address.with_port(name.number, &where);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr *>(&where), bytes) != 0 && errno != EINPROGRESS) {
      return give_up(AVRM_ERR_PEER);
    }
    ++tries_;
    since_ = Clock::now();
    stage_ = Stage::kConnection;
  }

  void on_connected() noexcept {
    int error = 0;
    socklen_t bytes = sizeof error;
    if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0 || error != 0) {
      return give_up(AVRM_ERR_PEER);
    }
    tune(socket_.get());
    out_ = cursor_of(&hello_);
    in_ = cursor_of(&challenge_);
    stage_ = Stage::kChallenge;
  }

  void talk(const Secret &secret) noexcept {
    avrm_status_t status = AVRM_OK;
    while (move_some(socket_.get(), &out_, &in_, &status)) {
    }
    if (status != AVRM_OK) {
      if (stage_ != Stage::kChallenge || tries_ == kMostTries) {
        return give_up(status);
      }
      socket_ = Socket();
      since_ = Clock::now() + kRetryAfter;
      stage_ = Stage::kPause;
    } else if (out_.left + in_.left == 0) {
      take_step(secret);
    }
  }

  void take_step(const Secret &secret) noexcept {
    if (stage_ == Stage::kChallenge) {
      const bool is_server = challenge_.word.is_sound() &&
                             is_same(challenge_.proof, proof_of(secret, Prover::kServer, hello_, challenge_.nonce));
      return is_server ? void(stage_ = Stage::kProven) : give_up(AVRM_ERR_PEER);
    }
    if (!heard_.is_sound()) {
      return give_up(AVRM_ERR_PEER);
    }
    if (is_said_) {
      stage_ = Stage::kConnected;
      return;
    }
    is_said_ = true; // the last message of this side
    out_ = cursor_of(&said_);
    talk(secret);
  }

  Stage stage_ = Stage::kPause;
  Socket socket_;
  Clock::time_point since_; // the start of the attempt, or the end of the pause
  ByteCursor out_ = kNothing;
  ByteCursor in_ = kNothing;
  Hello hello_;
  Challenge challenge_;
  Answer answer_;
  Word said_;
  Word heard_;
  bool is_said_ = false;
  int tries_ = 0;
  avrm_status_t status_ = AVRM_OK;
};

} // namespace

avrm_status_t connect_to(const PortName &name, Waiting &waiting, Socket *socket_p) noexcept {
  using Stage = Attempt::Stage;
  Attempt attempts[PortName::kMostAddresses];
  for (;;) {
    const avrm_status_t waited = waiting.go_on();
    if (waited != AVRM_OK) {
      return waited;
    }
    pollfd list[PortName::kMostAddresses];
    for (int i = 0; i < name.count; ++i) {
      list[i] = attempts[i].watch();
    }
    wait_for(list, static_cast<nfds_t>(name.count), kPause);
    Attempt *proven = nullptr;
    bool is_chosen = false;
    bool are_gone = true;
    avrm_status_t status = AVRM_ERR_PEER;
    for (int i = 0; i < name.count; ++i) {
      Attempt &attempt = attempts[i];
      attempt.go_on(name, i, list[i].revents != 0);
      if (attempt.stage() == Stage::kConnected) {
        *socket_p = attempt.take();
        return AVRM_OK;
      }
      proven = attempt.stage() == Stage::kProven ? &attempt : proven;
      is_chosen = is_chosen || attempt.stage() == Stage::kWord;
      are_gone = are_gone && attempt.stage() == Stage::kGone;
      status = attempt.status() == AVRM_ERR_SYSTEM ? AVRM_ERR_SYSTEM : status;
    }
    if (are_gone) {
      return status;
    }
    if (proven != nullptr && !is_chosen) {
      proven->answer(name.secret);
    }
  }
}

} // namespace avrankmap::detail
