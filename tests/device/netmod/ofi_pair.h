// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two processes that communicate over the libfabric netmod. The test forks them before it
// uses libfabric, and gives each one end of a socket pair, over which they exchange addresses
// and synchronise.
#ifndef AVRANKMAP_TESTS_NETMOD_OFI_PAIR_H
#define AVRANKMAP_TESTS_NETMOD_OFI_PAIR_H

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "ofi/ofi.h"
#include "tests/support/shared_files.h"
#include "tests/support/transports.h"

// Function of the leak sanitizer, if the program has it.
extern "C" __attribute__((weak)) void __lsan_disable();

namespace avrankmap::test {

using Bytes = std::vector<unsigned char>;

// Content that depends on its position and on its seed.
inline Bytes pattern(std::size_t bytes, unsigned salt) {
  Bytes content(bytes);
  std::uint32_t state = 2463534242u + salt * 7919u;
  for (unsigned char &byte : content) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    byte = static_cast<unsigned char>(state);
  }
  return content;
}

struct TestRequest : avrm_request_t {
  TestRequest() : avrm_request_t{} {
    complete = [](avrm_request_t *request, avrm_status_t how, std::uint64_t with, std::uint64_t length) {
      auto *const self = static_cast<TestRequest *>(request);
      ++self->completions;
      self->status = how;
      self->match = with;
      self->bytes = length;
    };
  }
  int completions = 0;
  avrm_status_t status = AVRM_OK;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
};

// One of the two processes.
class Side {
public:
  Side(int own_rank, int channel) : rank(own_rank), channel_(channel) {}

  // @return AVRM_OK or why the provider does not open
  avrm_status_t open(const char *provider, const avrm_allocator_t *allocator = nullptr) {
    avrm_netmod_config_t config = {};
    config.provider = provider;
    config.local_only = true;
    config.expected_peers = 2;
    config.allocator = allocator;
    config.on_am = [](void *user, const void *data, std::size_t bytes) {
      auto *const side = static_cast<Side *>(user);
      const auto *const first = static_cast<const unsigned char *>(data);
      ++side->offers;
      if (!side->takes) {
        return false;
      }
      side->arrived.emplace_back(first, first + bytes);
      if (side->on_am) {
        side->on_am(side->arrived.back());
      }
      return true;
    };
    config.user = this;
    return ops->open(&config, &net);
  }
  void close() {
    ops->close(net);
    net = nullptr;
  }

  void connect() {
    unsigned char own[512];
    std::size_t bytes = sizeof own;
    ASSERT_EQ(ops->address(net, own, &bytes), AVRM_OK) << ops->last_error(net);
    const Bytes theirs = exchange(Bytes(own, own + bytes));
    ASSERT_EQ(ops->insert(net, 1, theirs.data(), theirs.size(), theirs.size(), &peer), AVRM_OK) << ops->last_error(net);
  }

  // Makes progress; yields the processor when there was none.
  void poll() {
    if (ops->progress(net) == 0) {
      sched_yield();
    }
  }
  void wait(const TestRequest &request) {
    while (request.completions == 0) {
      poll();
    }
  }
  // Repeats a call until the transport has room for it.
  template <typename Post> avrm_status_t insist(Post post) {
    for (;;) {
      const avrm_status_t status = post();
      if (status != AVRM_ERR_AGAIN) {
        return status;
      }
      poll();
    }
  }
  avrm_status_t inject(std::uint64_t match, const Bytes &content) {
    return insist([&] { return ops->tinject(net, content.data(), content.size(), peer, match); });
  }
  avrm_status_t send(std::uint64_t match, Bytes &content, TestRequest &request) {
    const avrm_piece_t piece = {content.data(), content.size()};
    return insist([&] { return ops->tsend(net, peer, match, &piece, 1, &request); });
  }
  avrm_status_t receive(std::uint64_t match, std::uint64_t ignore, Bytes &buffer, TestRequest &request) {
    const avrm_piece_t piece = {buffer.data(), buffer.size()};
    return insist([&] { return ops->trecv(net, peer, match, ignore, &piece, 1, &request); });
  }
  avrm_status_t am(const Bytes &header, const Bytes &payload) {
    return insist(
        [&] { return ops->am_send(net, peer, header.data(), header.size(), payload.data(), payload.size()); });
  }

  // Exchanges bytes with the peer over the channel, and makes progress meanwhile. Returns nothing
  // if the peer is dead.
  Bytes exchange(const Bytes &own) {
    std::uint64_t size = own.size();
    write_all(&size, sizeof size);
    write_all(own.data(), own.size());
    pollfd ready = {channel_, POLLIN, 0};
    while (::poll(&ready, 1, 0) == 0) {
      poll();
    }
    size = 0;
    if (!read_all(&size, sizeof size)) {
      return {};
    }
    Bytes theirs(size);
    read_all(theirs.data(), theirs.size());
    return theirs;
  }
  void barrier() { exchange(Bytes(1)); }
  // Waits without progress until the peer is in its next barrier.
  void doze() const {
    pollfd ready = {channel_, POLLIN, 0};
    (void)::poll(&ready, 1, -1);
  }
  // Makes progress until the peer is dead.
  void wait_for_death() {
    pollfd ready = {channel_, POLLIN, 0};
    while (::poll(&ready, 1, 0) == 0) {
      poll();
    }
  }

  const avrm_netmod_ops_t *ops = avrm_netmod_ofi();
  avrm_netmod_t *net = nullptr;
  int rank;
  std::uint64_t peer = 0;
  std::vector<Bytes> arrived;
  bool takes = true; // active messages; otherwise they are offered again
  int offers = 0;    // of active messages
  std::function<void(const Bytes &)> on_am;

private:
  void write_all(const void *data, std::size_t bytes) {
    const auto *next = static_cast<const char *>(data);
    while (bytes != 0) {
      const ssize_t done = ::send(channel_, next, bytes, MSG_NOSIGNAL);
      if (done <= 0) {
        return;
      }
      next += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }
  bool read_all(void *data, std::size_t bytes) {
    auto *next = static_cast<char *>(data);
    while (bytes != 0) {
      const ssize_t done = ::recv(channel_, next, bytes, 0);
      if (done <= 0) {
        return false;
      }
      next += done;
      bytes -= static_cast<std::size_t>(done);
    }
    return true;
  }

  int channel_;
};

// A test that hangs ends by SIGALRM, long after any other on a busy machine.
constexpr unsigned kWatchdogSeconds = 240;

// Runs `body` in `count` processes, 1 or 2. @return their exit codes, or 128 + signal
inline std::vector<int> run_processes(int count, const std::function<void(Side &)> &body) {
  int channels[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, channels), 0);
  std::vector<pid_t> pids;
  for (int rank = 0; rank < count; ++rank) {
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      ::close(channels[1 - rank]);
      alarm(kWatchdogSeconds);
      Side side(rank, channels[rank]);
      body(side);
      const testing::TestResult &result = *testing::UnitTest::GetInstance()->current_test_info()->result();
      std::fflush(nullptr);
      // By exit, so that libfabric cleans up and leaks are found.
      std::exit(result.Failed() ? 1 : result.Skipped() ? kSkipped : 0);
    }
    pids.push_back(pid);
  }
  ::close(channels[0]);
  ::close(channels[1]);
  std::vector<int> codes;
  for (const pid_t pid : pids) {
    int status = 0;
    waitpid(pid, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    remove_leftovers(pid);
  }
  return codes;
}

} // namespace avrankmap::test

#endif
