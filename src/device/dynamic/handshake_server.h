// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The clients of a port during their handshakes, all served side by side. A client is dropped that
// says anything wrong or does not prove itself in time. If there are many, those give way first
// that have said nothing for longest, so that strangers keep nobody out. Clients that have proved
// themselves have their turn one after the other; where some let it pass in silence, that many more
// have theirs at once, and the silent ones give way as well.
#ifndef AVRANKMAP_SRC_DYNAMIC_HANDSHAKE_SERVER_H
#define AVRANKMAP_SRC_DYNAMIC_HANDSHAKE_SERVER_H

#include <chrono>
#include <mutex>

#include "dynamic/handshake.h"
#include "dynamic/socket.h"

namespace avrankmap::detail {

class HandshakeServer {
public:
  explicit HandshakeServer(const Secret &secret) noexcept : secret_(secret) {}

  // Serves clients that come to the sockets, and waits a moment if nothing happens. `client_p`
  // receives a client that has proved itself and still waits, if there is one. Several threads may
  // call. AVRM_ERR_SYSTEM: no descriptors.
  [[nodiscard]] avrm_status_t serve(const Socket *listeners, int count, Socket *client_p) noexcept;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMost = 128;

  // The next thing expected. kTurn: its turn; kMet: nothing, it is one to be accepted.
  enum class Stage { kFree, kHello, kAnswer, kTurn, kWord, kMet };
  struct HandshakeClient {
    Stage stage = Stage::kFree;
    Socket socket;
    Clock::time_point since; // it came, or was chosen
    ByteCursor out = kNothing;
    ByteCursor in = kNothing;
    Hello hello;
    Challenge challenge;
    Answer answer;
    Word said;
    Word heard;
  };

  [[nodiscard]] avrm_status_t let_in(const Socket &listener) noexcept;
  [[nodiscard]] HandshakeClient *free_place() noexcept;
  // Null if there is none that another client may have.
  [[nodiscard]] HandshakeClient *place() noexcept;
  // The oldest that has said nothing, or else of those that have yet to prove themselves, or else
  // of those that have let their turn pass.
  [[nodiscard]] HandshakeClient *next_to_give_way() noexcept;
  void go_on(HandshakeClient *client) noexcept;
  [[nodiscard]] bool take_step(HandshakeClient *client) noexcept;
  [[nodiscard]] HandshakeClient *next_in_turn() noexcept;
  void choose() noexcept;
  void drop(HandshakeClient *client) noexcept;

  const Secret &secret_;
  std::mutex lock_;
  bool lacks_descriptors_ = false; // so that a client must go before another comes
  HandshakeClient clients_[kMost];
};

} // namespace avrankmap::detail

#endif
