// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sockets by which processes watch one another (src/device/liveness/ring): bytes of strangers
// and watchers who connect, bytes of processes that are watched, and news of deaths. Nobody is
// taken for dead without evidence, and the end of a process that has answered rightly is evidence.
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>

#include "core/active.h"
#include "tests/device/liveness/ring/lone_member.h"
#include "tests/fuzz/input.h"

namespace {

using namespace avrankmap::test;
using avrankmap::detail::ActiveHeader;
using avrankmap::detail::ActiveType;
using avrankmap::detail::IpAddress;
using avrankmap::detail::Socket;
using avrankmap::fuzz::Input;

constexpr std::int32_t kSize = 5;
constexpr std::size_t kInbounds = 12;

// Leaves nothing in the kernel, where many would fill all ports.
void reset(Socket &socket) {
  const linger at_once{1, 0};
  (void)setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket = Socket();
}

// The words of one side. Zeros of the input change nothing.
std::string word(Input &input, WatchRing::WatchHandshake said) {
  const std::uint32_t change = input.below(16);
  if (change >= 10) {
    reinterpret_cast<std::uint32_t *>(&said)[change - 10] = static_cast<std::uint32_t>(input.edgy());
  }
  std::string bytes(reinterpret_cast<const char *>(&said), sizeof said);
  const std::uint32_t cut = input.below(64);
  if (cut >= 32 && cut < 32 + bytes.size()) {
    bytes.resize(cut - 32);
  }
  return bytes;
}

std::string raw(Input &input) {
  const std::vector<std::uint8_t> bytes = input.bytes(input.below(64));
  return {bytes.begin(), bytes.end()};
}

class Session {
public:
  explicit Session(Input input) : input_(input) {
    for (std::int32_t lpid = 1; lpid < kSize; ++lpid) {
      peers_[lpid] = std::make_unique<Played>(lpid, played_peers()[lpid]);
      while (played_peers()[lpid].accept().is_open()) { // of an earlier input
      }
      publish(*peers_[lpid]);
    }
    AVRM_MUST(member_.open() == AVRM_OK);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    for (Inbound &inbound : inbounds_) {
      leave(inbound);
    }
    for (std::int32_t lpid = 1; lpid < kSize; ++lpid) {
      reset(peers_[lpid]->socket);
    }
    AVRM_MUST(member_.close() == AVRM_OK);
  }

  void run() {
    look();
    for (int steps = 0; steps < 24 && !input_.empty(); ++steps) {
      step();
      look();
    }
  }

private:
  // One that connects.
  struct Inbound {
    Socket socket{};
    std::string said{};
  };
  // A process that is watched.
  struct Played {
    Played(std::int32_t number, const PlayedPeer &peer) : lpid(number), listens(peer) {}
    std::int32_t lpid;
    const PlayedPeer &listens;
    Socket socket{};
    std::string said{}; // on this connection
    bool may_be_dead = false;
  };

  // They listen for all inputs.
  static std::array<PlayedPeer, kSize> &played_peers() {
    static std::array<PlayedPeer, kSize> peers{PlayedPeer(0), PlayedPeer(1), PlayedPeer(2), PlayedPeer(3),
                                               PlayedPeer(4)};
    return peers;
  }

  void publish(Played &peer) {
    WatchRing::WatchAddress post = peer.listens.post;
    switch (input_.below(16)) {
    case 15: post.first = static_cast<std::int32_t>(input_.edgy()); break;
    case 14: post.last = static_cast<std::int32_t>(input_.edgy()); break;
    case 13: post.name.count = static_cast<int>(input_.edgy()); break;
    case 12: post.name.number = 1; break; // nobody listens there
    case 11: return;
    default: break;
    }
    peer.may_be_dead = post.name.number == 1;
    member_.publish(peer.lpid, post);
  }

  void step() {
    Inbound &inbound = inbounds_[input_.below(kInbounds)];
    Played &peer = *peers_[input_.between(1, kSize - 1)];
    switch (input_.below(8)) {
    case 0: return knock(inbound);
    case 1: return speak(inbound, raw(input_));
    case 2:
      return speak(inbound, word(input_, {WatchRing::WatchHandshake::kAsk, WatchRing::WatchHandshake::kVersion,
                                          secret().words[0], input_.below(2)}));
    case 3: return leave(inbound);
    case 4: return speak(peer, raw(input_));
    case 5: {
      WatchRing::WatchHandshake answer = peer.listens.answer();
      answer.node = input_.below(2);
      return speak(peer, word(input_, answer));
    }
    case 6: return leave(peer);
    default: lie();
    }
  }

  [[nodiscard]] const avrankmap::detail::Secret &secret() const { return member_.post().name.secret; }

  void knock(Inbound &inbound) {
    leave(inbound);
    inbound.socket = Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage where{};
    const socklen_t bytes = IpAddress::loopback().with_port(member_.post().name.number, &where);
    AVRM_MUST(connect(inbound.socket.get(), reinterpret_cast<const sockaddr *>(&where), bytes) == 0);
  }
  static void speak(Inbound &inbound, const std::string &bytes) {
    say(inbound.socket, bytes);
    inbound.said += bytes;
  }
  // The other half of the secret was told nobody who did not know the first.
  void leave(Inbound &inbound) {
    char byte = 0;
    const WatchRing::WatchHandshake right{WatchRing::WatchHandshake::kAsk, WatchRing::WatchHandshake::kVersion,
                                          secret().words[0], 0};
    AVRM_MUST(recv(inbound.socket.get(), &byte, 1, MSG_DONTWAIT) <= 0 ||
              (inbound.said.size() >= sizeof right &&
               std::memcmp(inbound.said.data(), &right, offsetof(WatchRing::WatchHandshake, node)) == 0));
    reset(inbound.socket);
    inbound.said.clear();
  }
  static void say(const Socket &socket, const std::string &bytes) {
    (void)send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  static void accept(Played &peer) {
    if (Socket made = peer.listens.accept(); made.is_open()) {
      reset(peer.socket);
      peer.socket = std::move(made);
      peer.said.clear();
    }
  }
  void speak(Played &peer, const std::string &bytes) {
    accept(peer);
    say(peer.socket, bytes);
    if (peer.socket.is_open()) {
      peer.said += bytes;
    }
    // A wrong answer, or a word too much.
    peer.may_be_dead =
        peer.may_be_dead || (peer.said.size() >= sizeof(WatchRing::WatchHandshake) && !has_answered(peer));
  }
  [[nodiscard]] static bool has_answered(const Played &peer) {
    const WatchRing::WatchHandshake right = peer.listens.answer();
    return peer.said.size() == sizeof right &&
           std::memcmp(peer.said.data(), &right, offsetof(WatchRing::WatchHandshake, node)) == 0;
  }
  void leave(Played &peer) {
    accept(peer);
    const bool must_die = has_answered(peer);
    peer.may_be_dead = peer.may_be_dead || must_die;
    reset(peer.socket);
    peer.said.clear();
    look();
    AVRM_MUST(!must_die || member_.has_died(peer.lpid));
  }
  // News of deaths, true or not.
  void lie() {
    ActiveHeader header{};
    header.type = ActiveType::kDeaths;
    header.position = input_.edgy();
    header.token = input_.edgy();
    const bool is_sound = header.position >= 1 && header.position < kSize && header.token <= kSize - header.position;
    for (std::uint64_t i = 0; is_sound && i < header.token; ++i) {
      peers_[header.position + i]->may_be_dead = true;
    }
    member_.device()->failure_detector.hear(member_.device(), header);
  }
  void look() {
    member_.look();
    for (std::int32_t lpid = 1; lpid < kSize; ++lpid) {
      AVRM_MUST(peers_[lpid]->may_be_dead || !member_.has_died(lpid));
    }
    AVRM_MUST(!member_.has_died(0));
  }

  Input input_;
  LoneMember member_{kSize};
  std::array<std::unique_ptr<Played>, kSize> peers_;
  std::array<Inbound, kInbounds> inbounds_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Session(Input(data, size)).run();
  return 0;
}
