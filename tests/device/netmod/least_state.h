// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the least netmod (least.h) sends and remembers.
#ifndef AVRANKMAP_TESTS_DEVICE_NETMOD_LEAST_STATE_H
#define AVRANKMAP_TESTS_DEVICE_NETMOD_LEAST_STATE_H

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "avrankmap/device/netmod.h"

namespace avrankmap::test {

// Kinds of datagrams. A message of tinject is one. One of tsend is offered, taken by the receive
// that matches it, sent in pieces, and acknowledged: its sender's request completes only then.
enum class What : std::uint32_t { kMessage = 1, kOffer, kTake, kData, kGot, kActive };

struct Head {
  What what;
  std::uint32_t filler;
  std::uint64_t match;
  std::uint64_t bytes;  // of the whole message
  std::uint64_t offset; // of the data that follow
  std::uint64_t send;   // numbers of the two operations, in their processes
  std::uint64_t receive;
};

using Bytes = std::vector<unsigned char>;

struct Address {
  sockaddr_un name;
  socklen_t length;
  [[nodiscard]] std::string key() const { return {reinterpret_cast<const char *>(&name), length}; }
};

struct Peer {
  Address address;
  bool is_failed = false;
  bool is_removed = false;
};

struct Send {
  avrm_request_t *request;
  std::uint64_t handle;
  avrm_piece_t piece;
};

struct Receive {
  avrm_request_t *request;
  std::uint64_t number;
  std::uint64_t match;
  std::uint64_t ignore;
  avrm_piece_t piece;
  std::uint64_t got = 0;
};

struct Arrival {
  Address from;
  Head head;
  Bytes data;
  std::uint64_t due; // the call of progress that looks at it first
};

struct End {
  avrm_request_t *request;
  avrm_status_t status;
  std::uint64_t match;
  std::uint64_t bytes;
  std::uint64_t due;
};

// Messages that one receive may take both have one sender, plane and context: they differ in the
// tag at most. Only those keep their order.
using Way = std::pair<std::string, std::uint64_t>;

struct Least {
  avrm_netmod_t common{};
  avrm_netmod_config_t config{};
  int socket = -1;
  std::uint64_t calls = 0;  // of progress
  bool has_refused = false; // an operation, since the last progress
  bool may_accept = false;  // the next one
  bool in_callback = false;
  bool in_progress = false;
  std::minstd_rand random;

  std::vector<Peer> peers;
  std::map<std::uint64_t, Send> sends;
  std::list<Receive> posted;
  std::map<std::uint64_t, Receive> taking; // receives that have their message
  std::list<Arrival> unexpected;
  std::map<Way, std::deque<Arrival>> held;
  std::map<std::string, std::deque<Arrival>> active;
  std::map<std::string, std::pair<Address, std::deque<Bytes>>> outgoing;
  std::deque<End> ends;
  std::uint64_t next_number = 1;
};

} // namespace avrankmap::test

#endif
