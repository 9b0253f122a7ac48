// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two processes that are connected through the UCX netmod. Both are forked before UCX is
// initialised, by a process that never uses UCX.
#ifndef AVRANKMAP_TESTS_NETMOD_UCX_PAIR_H
#define AVRANKMAP_TESTS_NETMOD_UCX_PAIR_H

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "netmod/ucx/ucx.h"
#include "tests/support/sanitizers.h"
#include "tests/support/transports.h"

namespace avrankmap::test {

constexpr unsigned kTimeLimit = 240; // seconds until a process that hangs is killed

struct TestRequest : avrm_request_t {
  avrm_status_t status = AVRM_ERR_AGAIN;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  int completions = 0;

  TestRequest() : avrm_request_t{} {
    complete = [](avrm_request_t *self, avrm_status_t result, std::uint64_t bits, std::uint64_t length) {
      auto *const request = static_cast<TestRequest *>(self);
      request->status = result;
      request->match = bits;
      request->bytes = length;
      ++request->completions;
    };
  }
};

// One of the two processes.
class Side {
public:
  Side(const char *provider, int socket) : socket_(socket) {
    (void)setenv("AVRM_UCX_NO_RMA", "0", 0); // all that the netmod can do
    avrm_netmod_config_t config{};
    config.provider = provider;
    config.local_only = true;
    config.expected_peers = 1;
    config.on_am = [](void *user, const void *data, std::size_t bytes) {
      auto *const self = static_cast<Side *>(user);
      self->messages.emplace_back(static_cast<const char *>(data), bytes);
      if (self->on_message) {
        self->on_message(self->messages.back());
      }
      return true;
    };
    config.user = this;
    EXPECT_EQ(ops->open(&config, &net), AVRM_OK) << ops->last_error(nullptr);
  }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;
  ~Side() { close(); }

  void close() {
    if (net != nullptr) {
      ops->close(net);
      net = nullptr;
    }
  }

  std::vector<unsigned char> own_address() const {
    std::vector<unsigned char> own(1004);
    std::size_t bytes = own.size();
    EXPECT_EQ(ops->address(net, own.data(), &bytes), AVRM_OK);
    own.resize(bytes);
    return own;
  }
  void tell_address() const {
    const std::vector<unsigned char> own = own_address();
    send_out(own.data(), own.size());
  }

  void connect() {
    tell_address();
    peer_address = receive();
    insert();
  }

  void insert() {
    ASSERT_EQ(ops->insert(net, 1, peer_address.data(), peer_address.size(), peer_address.size(), &peer), AVRM_OK)
        << ops->last_error(net);
  }

  // Out of band, without progress.
  void send_out(const void *data, std::size_t bytes) const {
    ASSERT_EQ(::send(socket_, data, bytes, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  }
  // Returns the next out-of-band message, and makes progress meanwhile. Returns nothing if the
  // other process has ended.
  std::vector<unsigned char> receive() {
    std::vector<unsigned char> data(2048);
    for (;;) {
      const ssize_t bytes = ::recv(socket_, data.data(), data.size(), MSG_DONTWAIT);
      if (bytes >= 0) {
        data.resize(static_cast<std::size_t>(bytes));
        return data;
      }
      progress();
    }
  }
  // The same without progress.
  std::vector<unsigned char> receive_idle() const {
    std::vector<unsigned char> data(2048);
    const ssize_t bytes = ::recv(socket_, data.data(), data.size(), 0);
    data.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    return data;
  }
  // Waits until both processes are here.
  void barrier() {
    send_out("m", 1);
    (void)receive();
  }

  // Waits until both processes are connected.
  void connect_both_ways() {
    constexpr std::uint64_t kFirstTag = UINT64_MAX;
    char byte = 0;
    TestRequest request;
    ASSERT_EQ(inject(kFirstTag, "g", 1), AVRM_OK);
    ASSERT_EQ(post_receive(kFirstTag, 0, &byte, 1, &request), AVRM_OK);
    wait(request);
  }

  void progress() {
    if (ops->progress(net) == 0) {
      sched_yield();
    }
  }
  void wait(const TestRequest &request) {
    while (request.completions == 0) {
      progress();
    }
  }
  // Repeats post() until the transport has room for it.
  template <typename Post> avrm_status_t insist(Post post) {
    avrm_status_t status = post();
    while (status == AVRM_ERR_AGAIN) {
      progress();
      status = post();
    }
    return status;
  }

  avrm_status_t send(std::uint64_t match, const void *data, std::size_t bytes, TestRequest *request) {
    const avrm_piece_t piece{const_cast<void *>(data), bytes};
    return insist([&] { return ops->tsend(net, peer, match, &piece, 1, request); });
  }
  avrm_status_t inject(std::uint64_t match, const void *data, std::size_t bytes) {
    return insist([&] { return ops->tinject(net, data, bytes, peer, match); });
  }
  avrm_status_t post_receive(std::uint64_t match, std::uint64_t ignore, void *data, std::size_t bytes,
                             TestRequest *request) {
    const avrm_piece_t piece{data, bytes};
    return insist([&] { return ops->trecv(net, AVRM_ANY_ADDRESS, match, ignore, &piece, 1, request); });
  }
  avrm_status_t message(const std::string &header, const std::string &payload) {
    return insist(
        [&] { return ops->am_send(net, peer, header.data(), header.size(), payload.data(), payload.size()); });
  }

  const avrm_netmod_ops_t *const ops = avrm_netmod_ucx();
  avrm_netmod_t *net = nullptr;
  std::uint64_t peer = 0;
  std::vector<unsigned char> peer_address;
  std::deque<std::string> messages; // a deque: handlers may receive more messages while they send
  std::function<void(const std::string &)> on_message;

private:
  int socket_;
};

// Registers memory and gives its description to the other process.
inline avrm_netmod_memory_t *expose(Side &side, std::vector<unsigned char> &window) {
  avrm_netmod_memory_t *memory = nullptr;
  EXPECT_EQ(side.ops->memory_register(side.net, window.data(), window.size(), 0, &memory), AVRM_OK);
  unsigned char description[AVRM_NETMOD_KEY_MAX];
  std::size_t bytes = sizeof description;
  EXPECT_EQ(side.ops->memory_describe(side.net, memory, description, &bytes), AVRM_OK);
  side.send_out(description, bytes);
  return memory;
}

// The peer's memory.
struct Opened {
  std::uint64_t remote = 0;
  std::uint64_t key = 0;
};

inline Opened open_key(Side &side) {
  const std::vector<unsigned char> description = side.receive();
  Opened opened;
  EXPECT_EQ(
      side.ops->key_open(side.net, side.peer, description.data(), description.size(), &opened.remote, &opened.key),
      AVRM_OK);
  return opened;
}

inline std::vector<unsigned char> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<unsigned char> data(bytes);
  std::uint64_t state = seed * 2 + 1;
  for (unsigned char &byte : data) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<unsigned char>(state >> 56);
  }
  return data;
}

// Runs `body` in a new process, which ends with it. Failures of this process do not count there.
inline pid_t start(const std::function<void()> &body) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(kTimeLimit);
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() || has_leaks() ? 1 : 0);
  }
  return pid;
}

inline int status_of(pid_t pid) {
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return status;
}

class UcxPair : public testing::TestWithParam<Transport> {
protected:
  using Body = std::function<void(Side &)>;

  void SetUp() override {
    const pid_t probe = start([] {
      avrm_netmod_config_t config{};
      config.provider = GetParam().provider;
      config.local_only = true;
      avrm_netmod_t *net = nullptr;
      if (avrm_netmod_ucx()->open(&config, &net) != AVRM_OK) {
        _exit(2);
      }
      avrm_netmod_ucx()->close(net);
    });
    if (status_of(probe) != 0) {
      GTEST_SKIP() << lacks(GetParam());
    }
  }

  // Runs both bodies, each in a process of its own, connected to one another.
  static void run(const Body &first, const Body &second, bool first_is_killed = false) {
    int sockets[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
    pid_t pids[2];
    for (int i = 0; i < 2; ++i) {
      pids[i] = start([&, i] {
        ::close(sockets[1 - i]);
        Side side(GetParam().provider, sockets[i]);
        if (side.net == nullptr) {
          return;
        }
        side.connect();
        if (!testing::Test::HasFailure()) {
          (i == 0 ? first : second)(side);
        }
      });
    }
    ::close(sockets[0]);
    ::close(sockets[1]);
    for (int i = 0; i < 2; ++i) {
      const int status = status_of(pids[i]);
      if (i == 0 && first_is_killed) {
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      } else {
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "process " << i << ", wait status " << status;
      }
    }
  }
};

inline std::vector<Transport> ucx_transports() {
  return transports_of(Suites::kNetmod,
                       [](const Transport &transport) { return is_ucx(transport) && is_network_alone(transport); });
}

} // namespace avrankmap::test

#endif
