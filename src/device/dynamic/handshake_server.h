// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The clients of a port during their handshakes, which are served concurrently. A client is dropped
// if it sends anything wrong or does not prove in time that it knows the secret. If there is no
// room for a new client, the client that has been silent longest is dropped, so that unknown
// clients cannot keep others out. Clients that have proved themselves get their turn one at a time.
// For each client that lets its turn pass, one more gets a turn concurrently; clients that have let
// their turn pass may also be dropped.
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

  // Serves clients that connect to the sockets; waits up to kPause if nothing happens. Moves a
  // client that has proved itself and is still connected, if there is one, to *client_p.
  // Thread-safe. Returns AVRM_ERR_SYSTEM if no descriptor is free.
  [[nodiscard]] avrm_status_t serve(const Socket *listeners, int count, Socket *client_p) noexcept;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMost = 128;

  // The next event that is expected. kTurn: being chosen; kConnected: none, the client can be
  // accepted.
  enum class Stage { kFree, kHello, kAnswer, kTurn, kWord, kConnected };
  struct HandshakeClient {
    Stage stage = Stage::kFree;
    Socket socket;
    Clock::time_point since; // the time when it connected, or was chosen
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
  // Returns a place for a new client; null if there is none.
  [[nodiscard]] HandshakeClient *place() noexcept;
  // The client to be dropped first: the oldest one that has sent nothing, otherwise the oldest that
  // has not proved itself, otherwise the oldest that has let its turn pass.
  [[nodiscard]] HandshakeClient *next_to_give_way() noexcept;
  void go_on(HandshakeClient *client) noexcept;
  [[nodiscard]] bool take_step(HandshakeClient *client) noexcept;
  [[nodiscard]] HandshakeClient *next_in_turn() noexcept;
  void choose() noexcept;
  void drop(HandshakeClient *client) noexcept;

  const Secret &secret_;
  std::mutex lock_;
  bool lacks_descriptors_ = false; // a client must be dropped before another is accepted
  HandshakeClient clients_[kMost];
};

} // namespace avrankmap::detail

#endif
