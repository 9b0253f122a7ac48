// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The handshake at a port. Both sides prove that they know the port's secret without sending it:
//
//   client                              server
//   Hello      version, nonce  ------>
//              <------  Challenge       version, nonce, hash(secret, "server", both nonces)
//   Answer     hash(secret, "client", both nonces)  ------>
//              <------  Word            the server has chosen this client
//   Word       the client still waits  ------>
//
// The nonces are random, so that recorded messages cannot be replayed.
#ifndef AVRANKMAP_SRC_DYNAMIC_HANDSHAKE_H
#define AVRANKMAP_SRC_DYNAMIC_HANDSHAKE_H

#include <chrono>
#include <cstdint>

#include "core/keyed_hash.h"

namespace avrankmap::detail {

// Time limit for an address of a port to answer, and for a client to prove itself.
inline constexpr std::chrono::seconds kHandshakeTimeout{2};

struct Nonce {
  std::uint64_t words[2] = {};
};

struct Word {
  std::uint32_t magic = 0x61767270; // "avrp"
  std::uint32_t version = 4;        // of the handshake and all else on which both worlds must agree

  [[nodiscard]] bool is_sound() const noexcept { return magic == Word{}.magic && version == Word{}.version; }
};
struct Hello {
  Word word;
  Nonce nonce;
};
struct Challenge {
  Word word;
  Nonce nonce;
  Digest proof;
};
struct Answer {
  Digest proof;
};

enum class Prover : std::uint64_t { kServer = 1, kClient = 2 };
[[nodiscard]] inline Digest proof_of(const Secret &secret, Prover prover, const Hello &hello,
                                     const Nonce &server) noexcept {
  const struct {
    Prover prover;
    Hello hello;
    Nonce server;
  } text{prover, hello, server};
  static_assert(sizeof text == sizeof prover + sizeof hello + sizeof server);
  return keyed_hash(secret, &text, sizeof text);
}

} // namespace avrankmap::detail

#endif
