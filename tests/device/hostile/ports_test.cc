// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Strangers at a port, and impostors of one. Those who know the secret connect in spite of them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <mutex>

#include "dynamic/dial.h"
#include "dynamic/handshake.h"
#include "dynamic/port.h"
#include "tests/device/hostile/stranger.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using namespace detail;

// Far longer than anything here takes.
class WithTimeout final : public Waiting {
public:
  [[nodiscard]] avrm_status_t go_on() noexcept override {
    return std::chrono::steady_clock::now() < end_ ? AVRM_OK : AVRM_ERR_TIMEOUT;
  }

private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTimeoutMs);
};

class HostilePort : public testing::Test {
protected:
  void SetUp() override {
    if (!has_keyed_hash()) {
      GTEST_SKIP() << "this build has no libsodium, and so no ports";
    }
    allow_descriptors(3000);
    ASSERT_EQ(listen_at("", true, &port_), AVRM_OK);
  }

  static avrm_status_t dial(const PortName &name, Socket *socket_p) {
    WithTimeout waiting;
    return connect_to(name, waiting, socket_p);
  }
  avrm_status_t accept(Socket *socket_p) {
    WithTimeout waiting;
    return accept_at(port_, waiting, socket_p);
  }
  static bool are_connected(const Socket &one, const Socket &other) {
    say(one, "ping");
    return hear(other, 4) == "ping";
  }

  // A client that belongs here dials `name`, and is accepted.
  void connect_client(const PortName &name) {
    const auto start = std::chrono::steady_clock::now();
    Socket client;
    avrm_status_t status = AVRM_ERR_PEER;
    std::thread thread([&] { status = dial(name, &client); });
    Socket server;
    EXPECT_EQ(accept(&server), AVRM_OK);
    thread.join();
    EXPECT_EQ(status, AVRM_OK);
    EXPECT_TRUE(are_connected(client, server));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    RecordProperty("milliseconds", static_cast<int>(taken.count() * 1000));
  }
  void connect_client() { connect_client(port_.name); }

  // The port's name with an impostor before it.
  [[nodiscard]] PortName behind(const char *impostor) const {
    PortName name = port_.name;
    name.addresses[1] = name.addresses[0];
    (void)inet_pton(AF_INET, impostor, &name.addresses[0].bytes);
    name.count = 2;
    return name;
  }
  void connect_behind(const std::function<void(Socket)> &serve) {
    const Impostor impostor("127.0.0.2", port_.name.number, serve);
    ASSERT_TRUE(impostor.is_there());
    connect_client(behind("127.0.0.2"));
  }

  Port port_;
};

template <typename T> bool read_from(const Socket &socket, T *value) {
  const std::string heard = hear(socket, sizeof *value);
  if (heard.size() == sizeof *value) {
    std::memcpy(static_cast<void *>(value), heard.data(), sizeof *value);
  }
  return heard.size() == sizeof *value;
}

TEST_F(HostilePort, AThousandSilentClientsKeepNobodyOut) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 1000; ++i) {
    strangers.push_back(knock(port_.name.number));
    ASSERT_TRUE(strangers.back().is_open()) << i;
  }
  connect_client();
}

// Each is dropped at once, and so makes room for the next.
TEST_F(HostilePort, ACrowdThatTalksNonsenseDoesNotHoldTheServer) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 1000; ++i) {
    strangers.push_back(knock(port_.name.number));
    say(strangers.back(), std::string(1000, 'x'));
  }
  class Once final : public Waiting {
  public:
    [[nodiscard]] avrm_status_t go_on() noexcept override { return looks_++ == 0 ? AVRM_OK : AVRM_ERR_TIMEOUT; }

  private:
    int looks_ = 0;
  } once;
  Socket nobody;
  EXPECT_EQ(accept_at(port_, once, &nobody), AVRM_ERR_TIMEOUT);
  const auto dropped = std::count_if(strangers.begin(), strangers.end(), [](const Socket &stranger) {
    pollfd entry{stranger.get(), POLLIN, 0};
    return poll(&entry, 1, 0) == 1;
  });
  EXPECT_LE(dropped, 500);
}

TEST_F(HostilePort, AThousandThatHaveSaidHelloKeepNobodyOut) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 1000; ++i) {
    strangers.push_back(knock(port_.name.number));
    say(strangers.back(), bytes_of(Hello{}));
  }
  connect_client();
}

TEST_F(HostilePort, DrippingClientsKeepNobodyOut) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 100; ++i) {
    strangers.push_back(knock(port_.name.number));
  }
  std::atomic<bool> over{false};
  std::thread dripping([&] {
    const std::string hello = bytes_of(Hello{});
    for (std::size_t at = 0; !over; at = (at + 1) % hello.size()) {
      for (const Socket &stranger : strangers) {
        say(stranger, hello.substr(at, 1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  for (int i = 0; i < 3; ++i) {
    connect_client();
  }
  over = true;
  dripping.join();
}

TEST_F(HostilePort, SilentClientsAreTurnedAwayInTheEnd) {
  class Until final : public Waiting {
  public:
    [[nodiscard]] avrm_status_t go_on() noexcept override { return over ? AVRM_ERR_TIMEOUT : AVRM_OK; }
    std::atomic<bool> over{false};
  } waiting;
  const Socket silent = knock(port_.name.number);
  std::thread serving([&] {
    Socket nobody;
    EXPECT_EQ(accept_at(port_, waiting, &nobody), AVRM_ERR_TIMEOUT);
  });
  EXPECT_TRUE(is_turned_away(silent));
  waiting.over = true;
  serving.join();
}

TEST_F(HostilePort, GarbageKeepsNobodyOut) {
  std::mt19937_64 engine = seeded_engine();
  std::vector<Socket> strangers;
  for (int i = 0; i < 200; ++i) {
    std::string garbage(1 + below(engine, 4000), '\0');
    for (char &byte : garbage) {
      byte = static_cast<char>(engine());
    }
    strangers.push_back(knock(port_.name.number));
    say(strangers.back(), garbage);
    if (below(engine, 4) == 0) {
      strangers.back() = Socket();
    }
  }
  connect_client();
  for (const Socket &stranger : strangers) {
    EXPECT_TRUE(!stranger.is_open() || is_turned_away(stranger));
  }
}

TEST_F(HostilePort, ClientsThatCameTogetherAreAcceptedOneByOne) {
  constexpr int kClients = 20;
  Socket clients[kClients];
  std::vector<std::thread> threads;
  for (Socket &client : clients) {
    threads.emplace_back([&] { EXPECT_EQ(dial(port_.name, &client), AVRM_OK); });
  }
  Socket servers[kClients];
  for (Socket &server : servers) {
    EXPECT_EQ(accept(&server), AVRM_OK);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const Socket &server : servers) {
    say(server, "ping");
  }
  for (const Socket &client : clients) {
    EXPECT_EQ(hear(client, 4), "ping");
  }
}

// They know the secret, and say no more once they have proved it: each would hold its turn.
TEST_F(HostilePort, InsidersThatFallSilentKeepNobodyOut) {
  struct Insider {
    Socket socket;
    Hello hello;
    bool has_answered = false;
  };
  std::vector<Insider> insiders(200);
  for (Insider &insider : insiders) {
    insider.socket = knock(port_.name.number);
    ASSERT_TRUE(insider.socket.is_open());
    say(insider.socket, bytes_of(insider.hello));
  }
  std::atomic<bool> over{false};
  std::thread answering([&] {
    while (!over) {
      for (Insider &insider : insiders) {
        pollfd entry{insider.socket.get(), POLLIN, 0};
        Challenge challenge;
        if (!insider.has_answered && poll(&entry, 1, 0) == 1) {
          insider.has_answered = true;
          if (read_from(insider.socket, &challenge)) {
            say(insider.socket,
                bytes_of(Answer{proof_of(port_.name.secret, Prover::kClient, insider.hello, challenge.nonce)}));
          }
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto start = std::chrono::steady_clock::now();
  connect_client();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  over = true;
  answering.join();
  EXPECT_GE(std::count_if(insiders.begin(), insiders.end(), [](const Insider &one) { return one.has_answered; }), 100);
  EXPECT_LT(taken.count(), 6); // one after the other take 0.1 s each
}

TEST_F(HostilePort, AClientThatGaveUpIsPassedOver) {
  class AtOnce final : public Waiting {
  public:
    [[nodiscard]] avrm_status_t go_on() noexcept override { return --left_ > 0 ? AVRM_OK : AVRM_ERR_TIMEOUT; }

  private:
    int left_ = 5;
  };
  for (int i = 0; i < 5; ++i) {
    AtOnce waiting;
    Socket nobody;
    EXPECT_EQ(connect_to(port_.name, waiting, &nobody), AVRM_ERR_TIMEOUT);
  }
  connect_client();
}

TEST_F(HostilePort, ASilentImpostorIsPassedOver) {
  std::vector<Socket> kept;
  connect_behind([&kept](Socket client) { kept.push_back(std::move(client)); });
}

TEST_F(HostilePort, AnImpostorThatHangsUpIsPassedOver) {
  connect_behind([](const Socket &client) { (void)hear(client, sizeof(Hello)); });
}

TEST_F(HostilePort, AnImpostorThatTalksGarbageIsPassedOver) {
  std::vector<Socket> kept;
  connect_behind([&kept](Socket client) {
    say(client, std::string(1000, 'x'));
    kept.push_back(std::move(client));
  });
}

// It knows the version, but has to guess the proof.
TEST_F(HostilePort, AnImpostorWithoutProofIsPassedOver) {
  std::vector<Socket> kept;
  connect_behind([&kept](Socket client) {
    Hello hello;
    (void)read_from(client, &hello);
    Challenge challenge{};
    challenge.word = hello.word;
    say(client, bytes_of(challenge));
    say(client, bytes_of(Word{}));
    kept.push_back(std::move(client));
  });
}

// The proofs of the two sides differ, so that one cannot be had from the other.
TEST_F(HostilePort, AProofCannotBeReflected) {
  std::atomic<int> answers{0};
  std::atomic<bool> is_over{false};
  std::vector<Socket> kept;
  const Impostor impostor("127.0.0.2", port_.name.number, [&](Socket client) {
    Hello hello;
    (void)read_from(client, &hello);
    // Has the client's challenge answered by the real server, and says the client's own nonce.
    const Socket server = knock(port_.name.number);
    say(server, bytes_of(hello));
    Challenge challenge{};
    (void)read_from(server, &challenge);
    challenge.nonce = hello.nonce;
    say(client, bytes_of(challenge));
    answers += hear(client, sizeof(Answer)).empty() ? 0 : 1;
    kept.push_back(std::move(client));
    is_over = true;
  });
  ASSERT_TRUE(impostor.is_there());
  connect_client(behind("127.0.0.2"));
  // The others may have met before the impostor asks the server, which must be there for it.
  class Until final : public Waiting {
  public:
    explicit Until(const std::atomic<bool> &over) : over_(over) {}
    [[nodiscard]] avrm_status_t go_on() noexcept override { return over_ ? AVRM_ERR_TIMEOUT : timeout_.go_on(); }

  private:
    const std::atomic<bool> &over_;
    WithTimeout timeout_;
  } until(is_over);
  Socket nobody;
  EXPECT_EQ(accept_at(port_, until, &nobody), AVRM_ERR_TIMEOUT);
  EXPECT_TRUE(is_over);
  EXPECT_EQ(answers, 0);
}

// Between a client and the server, word for word.
struct Record {
  std::mutex lock;
  std::string client;
  std::string server;
};
void relay(const Socket &client, std::uint16_t number, Record *record) {
  const Socket server = knock(number);
  pollfd list[] = {{client.get(), POLLIN, 0}, {server.get(), POLLIN, 0}};
  while (poll(list, 2, -1) > 0) {
    for (const int side : {0, 1}) {
      if (list[side].revents == 0) {
        continue;
      }
      char buffer[256];
      const ssize_t got = recv(list[side].fd, buffer, sizeof buffer, 0);
      if (got <= 0) {
        return;
      }
      (void)send(list[1 - side].fd, buffer, static_cast<std::size_t>(got), MSG_NOSIGNAL);
      const std::lock_guard guard(record->lock);
      (side == 0 ? record->client : record->server).append(buffer, static_cast<std::size_t>(got));
    }
  }
}

class ListenedTo : public HostilePort {
protected:
  // Records a handshake.
  void SetUp() override {
    HostilePort::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const Impostor listener("127.0.0.2", port_.name.number,
                            [this](const Socket &client) { relay(client, port_.name.number, &record_); });
    ASSERT_TRUE(listener.is_there());
    PortName name = behind("127.0.0.2");
    name.count = 1;
    Socket client;
    std::thread thread([&] { EXPECT_EQ(dial(name, &client), AVRM_OK); });
    Socket server;
    ASSERT_EQ(accept(&server), AVRM_OK);
    thread.join();
    client = Socket();
    server = Socket();
  }

  Record record_;
};

TEST_F(ListenedTo, TheSecretIsNotSaid) {
  const std::lock_guard guard(record_.lock);
  ASSERT_GE(record_.client.size(), sizeof(Hello) + sizeof(Answer) + sizeof(Word));
  ASSERT_GE(record_.server.size(), sizeof(Challenge) + sizeof(Word));
  for (const std::uint64_t half : port_.name.secret.words) {
    for (const std::string &said : {record_.client, record_.server}) {
      EXPECT_EQ(said.find(bytes_of(half)), std::string::npos);
      EXPECT_EQ(said.find(bytes_of(half).substr(0, 4)), std::string::npos);
    }
  }
}

TEST_F(ListenedTo, AClientsHelloIsOfNoUseAgain) {
  std::vector<Socket> strangers;
  for (int i = 0; i < 10; ++i) {
    strangers.push_back(knock(port_.name.number));
    say(strangers.back(), record_.client);
  }
  connect_client();
  for (const Socket &stranger : strangers) {
    (void)hear(stranger, sizeof(Challenge));
    EXPECT_TRUE(is_turned_away(stranger));
  }
}

TEST_F(ListenedTo, AServersHelloIsOfNoUseAgain) {
  std::vector<Socket> kept;
  connect_behind([&](Socket client) {
    say(client, record_.server);
    kept.push_back(std::move(client));
  });
}

TEST_F(HostilePort, WhoHasTheWrongSecretIsNotLetIn) {
  PortName name = port_.name;
  name.secret.words[0] ^= 1;
  std::thread serving([&] {
    Socket server;
    EXPECT_EQ(accept(&server), AVRM_OK);
  });
  Socket client;
  EXPECT_EQ(dial(name, &client), AVRM_ERR_PEER);
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(dial(port_.name, &client), AVRM_OK);
  serving.join();
}

// Listeners.

bool has_ipv6() {
  const Socket made(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 where{};
  where.sin6_family = AF_INET6;
  where.sin6_addr = in6addr_loopback;
  return made.is_open() && bind(made.get(), reinterpret_cast<const sockaddr *>(&where), sizeof where) == 0;
}

TEST(Listeners, AJobOnOneMachineListensOnLoopbackOnly) {
  Port port;
  ASSERT_EQ(listen_at("", true, &port), AVRM_OK);
  ASSERT_EQ(port.name.count, 1);
  sockaddr_in where{};
  socklen_t bytes = sizeof where;
  ASSERT_EQ(getsockname(port.listeners[0].get(), reinterpret_cast<sockaddr *>(&where), &bytes), 0);
  EXPECT_EQ(ntohl(where.sin_addr.s_addr), INADDR_LOOPBACK);
}

TEST(Listeners, AnInterfaceIsListenedToAtItsAddressesOnly) {
  Port port;
  ASSERT_EQ(listen_at("lo", false, &port), AVRM_OK);
  EXPECT_EQ(port.listener_count, has_ipv6() ? 2 : 1);
  char text[AVRM_PORT_MAX];
  port.name.print(text);
  EXPECT_TRUE(std::string_view(text).find("/127.0.0.1") != std::string_view::npos) << text;
  EXPECT_EQ(std::string_view(text).find(",::1") != std::string_view::npos, has_ipv6()) << text;
}

TEST(Listeners, AnInterfaceThatDoesNotExistIsRefused) {
  Port port;
  EXPECT_EQ(listen_at("nowhere0", false, &port), AVRM_ERR_OPTION);
}

class OverIpv6 : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(ListeningAt, OverIpv6, testing::Values("lo", ""),
                         [](const auto &info) { return std::string(*info.param == '\0' ? "everything" : info.param); });

TEST_P(OverIpv6, ClientsMeetTheServer) {
  if (!has_ipv6() || !has_keyed_hash()) {
    GTEST_SKIP() << "no IPv6 here, or no libsodium";
  }
  Port port;
  ASSERT_EQ(listen_at(GetParam(), false, &port), AVRM_OK);
  PortName name = port.name;
  name.addresses[0] = {true, in6addr_loopback};
  name.count = 1;
  std::thread serving([&port] {
    WithTimeout waiting;
    Socket server;
    EXPECT_EQ(accept_at(port, waiting, &server), AVRM_OK);
  });
  WithTimeout waiting;
  Socket client;
  EXPECT_EQ(connect_to(name, waiting, &client), AVRM_OK);
  serving.join();
}

TEST(PortNames, AddressesOfBothFamiliesAreReadAsTheyAreWritten) {
  const std::string text = "avrm2/00112233445566778899aabbccddeeff/4711/127.0.0.1,fd00::1:2,::1,10.0.0.7";
  PortName name;
  ASSERT_EQ(name.parse(text.c_str()), AVRM_OK);
  char printed[AVRM_PORT_MAX];
  name.print(printed);
  EXPECT_EQ(printed, text);
}

TEST(PortNames, AddressesThatDoNotFitAreLeftOut) {
  PortName name;
  name.number = 65535;
  for (name.count = 0; name.count < PortName::kMostAddresses; ++name.count) {
    ASSERT_EQ(inet_pton(AF_INET6, "fd00:1111:2222:3333:4444:5555:6666:7777", &name.addresses[name.count].bytes), 1);
    name.addresses[name.count].is_v6 = true;
  }
  char printed[AVRM_PORT_MAX];
  name.print(printed);
  PortName again;
  ASSERT_EQ(again.parse(printed), AVRM_OK);
  EXPECT_EQ(again.count, 5);
}

} // namespace
} // namespace avrankmap::test
