// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sockets by which processes watch one another (src/device/ring): bytes of strangers and
// watchers who connect, bytes of processes that are watched, and news of deaths. Nobody is taken
// for dead without evidence, and the end of a process that has answered rightly is evidence.
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>

#include "core/active.h"
#include "tests/device/ring/lone_member.h"
#include "tests/fuzz/input.h"

namespace {

using namespace avrankmap::test;
using avrankmap::detail::ActiveHeader;
using avrankmap::detail::ActiveType;
using avrankmap::detail::IpAddress;
using avrankmap::detail::Socket;
using avrankmap::fuzz::Input;

constexpr std::int32_t kSize = 5;
constexpr std::size_t kGuests = 12;

// Leaves nothing in the kernel, where many would fill all ports.
void reset(Socket &socket) {
  const linger at_once{1, 0};
  (void)setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket = Socket();
}

// The words of one side. Zeros of the input change nothing.
std::string word(Input &input, Ring::Said said) {
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
      wards_[lpid] = std::make_unique<Played>(lpid, played_wards()[lpid]);
      while (played_wards()[lpid].accept().is_open()) { // of an earlier input
      }
      publish(*wards_[lpid]);
    }
    AVRM_MUST(member_.open() == AVRM_OK);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    for (Guest &guest : guests_) {
      leave(guest);
    }
    for (std::int32_t lpid = 1; lpid < kSize; ++lpid) {
      reset(wards_[lpid]->socket);
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
  struct Guest {
    Socket socket{};
    std::string said{};
  };
  // A process that is watched.
  struct Played {
    Played(std::int32_t number, const PlayedWard &ward) : lpid(number), listens(ward) {}
    std::int32_t lpid;
    const PlayedWard &listens;
    Socket socket{};
    std::string said{}; // on this connection
    bool may_be_dead = false;
  };

  // They listen for all inputs.
  static std::array<PlayedWard, kSize> &played_wards() {
    static std::array<PlayedWard, kSize> wards{PlayedWard(0), PlayedWard(1), PlayedWard(2), PlayedWard(3),
                                               PlayedWard(4)};
    return wards;
  }

  void publish(Played &ward) {
    Ring::Post post = ward.listens.post;
    switch (input_.below(16)) {
    case 15: post.first = static_cast<std::int32_t>(input_.edgy()); break;
    case 14: post.last = static_cast<std::int32_t>(input_.edgy()); break;
    case 13: post.name.count = static_cast<int>(input_.edgy()); break;
    case 12: post.name.number = 1; break; // nobody listens there
    case 11: return;
    default: break;
    }
    ward.may_be_dead = post.name.number == 1;
    member_.publish(ward.lpid, post);
  }

  void step() {
    Guest &guest = guests_[input_.below(kGuests)];
    Played &ward = *wards_[input_.between(1, kSize - 1)];
    switch (input_.below(8)) {
    case 0: return knock(guest);
    case 1: return speak(guest, raw(input_));
    case 2:
      return speak(guest, word(input_, {Ring::Said::kAsk, Ring::Said::kVersion, secret().words[0], input_.below(2)}));
    case 3: return leave(guest);
    case 4: return speak(ward, raw(input_));
    case 5: {
      Ring::Said answer = ward.listens.answer();
      answer.node = input_.below(2);
      return speak(ward, word(input_, answer));
    }
    case 6: return leave(ward);
    default: lie();
    }
  }

  [[nodiscard]] const avrankmap::detail::Secret &secret() const { return member_.post().name.secret; }

  void knock(Guest &guest) {
    leave(guest);
    guest.socket = Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage where{};
    const socklen_t bytes = IpAddress::loopback().with_port(member_.post().name.number, &where);
    AVRM_MUST(connect(guest.socket.get(), reinterpret_cast<const sockaddr *>(&where), bytes) == 0);
  }
  static void speak(Guest &guest, const std::string &bytes) {
    say(guest.socket, bytes);
    guest.said += bytes;
  }
  // The other half of the secret was told nobody who did not know the first.
  void leave(Guest &guest) {
    char byte = 0;
    const Ring::Said right{Ring::Said::kAsk, Ring::Said::kVersion, secret().words[0], 0};
    AVRM_MUST(
        recv(guest.socket.get(), &byte, 1, MSG_DONTWAIT) <= 0 ||
        (guest.said.size() >= sizeof right && std::memcmp(guest.said.data(), &right, offsetof(Ring::Said, node)) == 0));
    reset(guest.socket);
    guest.said.clear();
  }
  static void say(const Socket &socket, const std::string &bytes) {
    (void)send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  static void accept(Played &ward) {
    if (Socket made = ward.listens.accept(); made.is_open()) {
      reset(ward.socket);
      ward.socket = std::move(made);
      ward.said.clear();
    }
  }
  void speak(Played &ward, const std::string &bytes) {
    accept(ward);
    say(ward.socket, bytes);
    if (ward.socket.is_open()) {
      ward.said += bytes;
    }
    // A wrong answer, or a word too much.
    ward.may_be_dead = ward.may_be_dead || (ward.said.size() >= sizeof(Ring::Said) && !has_answered(ward));
  }
  [[nodiscard]] static bool has_answered(const Played &ward) {
    const Ring::Said right = ward.listens.answer();
    return ward.said.size() == sizeof right && std::memcmp(ward.said.data(), &right, offsetof(Ring::Said, node)) == 0;
  }
  void leave(Played &ward) {
    accept(ward);
    const bool must_die = has_answered(ward);
    ward.may_be_dead = ward.may_be_dead || must_die;
    reset(ward.socket);
    ward.said.clear();
    look();
    AVRM_MUST(!must_die || member_.has_died(ward.lpid));
  }
  // News of deaths, true or not.
  void lie() {
    ActiveHeader header{};
    header.type = ActiveType::kDeaths;
    header.position = input_.edgy();
    header.token = input_.edgy();
    const bool is_sound = header.position >= 1 && header.position < kSize && header.token <= kSize - header.position;
    for (std::uint64_t i = 0; is_sound && i < header.token; ++i) {
      wards_[header.position + i]->may_be_dead = true;
    }
    member_.device()->watch.hear(member_.device(), header);
  }
  void look() {
    member_.look();
    for (std::int32_t lpid = 1; lpid < kSize; ++lpid) {
      AVRM_MUST(wards_[lpid]->may_be_dead || !member_.has_died(lpid));
    }
    AVRM_MUST(!member_.has_died(0));
  }

  Input input_;
  LoneMember member_{kSize};
  std::array<std::unique_ptr<Played>, kSize> wards_;
  std::array<Guest, kGuests> guests_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Session(Input(data, size)).run();
  return 0;
}
