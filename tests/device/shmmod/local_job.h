// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes of one machine that use a shmmod without a device: they are forked, exchange cards over
// shared pages, and keep what arrives.
#ifndef AVRANKMAP_TESTS_SHMMOD_LOCAL_JOB_H
#define AVRANKMAP_TESTS_SHMMOD_LOCAL_JOB_H

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "posix/posix.h"
#include "tests/support/sanitizers.h"
#include "tests/support/shared.h"

namespace avrankmap::test {

constexpr int kMostProcesses = 16;

// Pages that all processes of a job share.
struct Board {
  std::atomic<int> arrived{0};
  std::atomic<int> flag{0};
  std::atomic<pid_t> pid{0};
  std::size_t card_bytes[kMostProcesses]{};
  unsigned char cards[kMostProcesses][256]{};
  std::size_t window_bytes[kMostProcesses]{};
  unsigned char windows[kMostProcesses][256]{};
};

struct Bytes : std::vector<unsigned char> {
  using vector::vector;
};

// Content of a message; differs for different seeds.
inline Bytes content(std::uint64_t seed, std::size_t bytes) {
  Bytes data(bytes);
  std::uint64_t x = seed * 0x9e3779b97f4a7c15 + 1;
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<unsigned char>(x >> 56);
    x = x * 6364136223846793005 + 1442695040888963407;
  }
  return data;
}

struct Request : avrm_request_t {
  Request() : avrm_request_t{} {
    complete = [](avrm_request_t *base, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
      auto *const self = static_cast<Request *>(base);
      ++self->completions;
      self->status = status;
      self->match = match;
      self->bytes = bytes;
    };
  }
  int completions = 0;
  avrm_status_t status = AVRM_OK;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
};

// A message that has arrived or is offered.
struct Arrived {
  int source = 0;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  std::uint64_t ticket = 0;
  Bytes data;
  std::unique_ptr<Request> take; // of one that was taken
  [[nodiscard]] bool whole() const { return take == nullptr || take->completions == 1; }
};

class Member {
public:
  Member(int rank, int size, Board *board) : rank(rank), size(size), board(board) {
    const avrm_shmmod_config_t config{rank, size, on_message, on_am, this, rank, 0, nullptr, nullptr};
    status = ops->open(&config, &shm);
    if (status == AVRM_OK) {
      board->card_bytes[rank] = sizeof board->cards[rank];
      status = ops->card(shm, board->cards[rank], &board->card_bytes[rank]);
    }
  }
  ~Member() { close(); }
  Member(const Member &) = delete;
  Member &operator=(const Member &) = delete;

  void close() {
    if (shm != nullptr) {
      ops->close(shm);
      shm = nullptr;
    }
  }

  avrm_status_t connect(int peer) { return ops->connect(shm, peer, board->cards[peer], board->card_bytes[peer]); }
  void connect_all() {
    for (int peer = 0; peer < size; ++peer) {
      if (peer != rank) {
        ASSERT_EQ(connect(peer), AVRM_OK) << peer;
      }
    }
  }

  void poll() {
    if (ops->progress(shm) == 0) {
      sched_yield();
    }
  }
  template <typename Condition> void until(Condition condition) {
    while (!condition()) {
      poll();
    }
  }
  // Makes progress until all processes are here. Every process must call it equally often.
  void meet() {
    arrive();
    until([&] { return all_are_here(); });
  }
  // The same without progress: what others send meanwhile is handled later.
  void assemble() {
    arrive();
    while (!all_are_here()) {
      sched_yield();
    }
  }

  avrm_status_t send(int peer, std::uint64_t match, const Bytes &data, avrm_request_t *request) {
    avrm_status_t sent = AVRM_OK;
    while ((sent = ops->send(shm, peer, match, data.data(), data.size(), request)) == AVRM_ERR_AGAIN) {
      poll();
    }
    return sent;
  }
  avrm_status_t am_send(int peer, const Bytes &header, const Bytes &payload) {
    avrm_status_t sent = AVRM_OK;
    while ((sent = ops->am_send(shm, peer, header.data(), header.size(), payload.data(), payload.size())) ==
           AVRM_ERR_AGAIN) {
      poll();
    }
    return sent;
  }
  // Takes an offered message into a buffer of that size.
  void take(Arrived &message, std::size_t bytes) {
    message.data.assign(bytes, 0xaa);
    message.take = std::make_unique<Request>();
    EXPECT_EQ(ops->take(shm, message.source, message.ticket, message.data.data(), bytes, message.take.get()), AVRM_OK);
  }
  void wait_for(std::size_t messages) {
    until([&] {
      return arrived.size() >= messages &&
             std::all_of(arrived.begin(), arrived.end(), [](const Arrived &message) { return message.whole(); });
    });
  }

  const int rank;
  const int size;
  Board *const board;
  const avrm_shmmod_ops_t *const ops = avrm_shmmod_posix();
  avrm_shmmod_t *shm = nullptr;
  avrm_status_t status = AVRM_OK;
  bool take_at_once = true;    // offered messages; otherwise they wait in `arrived`
  std::size_t room = SIZE_MAX; // size of the buffers for that
  // Each message, as if there were no memory; not together with take_at_once.
  bool refuses_once = false;
  std::size_t refused = 0;
  std::vector<Arrived> arrived;
  std::vector<Bytes> active;
  std::function<void(const Bytes &)> handler; // of active messages; may be empty
  int refusals = 0;                           // number of times that no active message is taken

private:
  void arrive() {
    ++meetings_;
    ++board->arrived;
  }
  [[nodiscard]] bool all_are_here() const { return board->arrived >= meetings_ * size; }

  static bool on_message(void *user, const avrm_arrival_t *arrival) {
    auto *const self = static_cast<Member *>(user);
    Arrived message;
    message.source = arrival->local_rank;
    message.match = arrival->match;
    message.bytes = arrival->bytes;
    message.ticket = arrival->ticket;
    if (arrival->data != nullptr) {
      const auto *const data = static_cast<const unsigned char *>(arrival->data);
      message.data.assign(data, data + arrival->bytes);
    } else if (self->take_at_once) {
      self->take(message, std::min<std::size_t>(arrival->bytes, self->room));
    }
    if (self->refuses_once && self->refused == self->arrived.size()) {
      ++self->refused;
      return false;
    }
    self->arrived.push_back(std::move(message));
    return true;
  }
  static bool on_am(void *user, const void *data, std::size_t bytes) {
    auto *const self = static_cast<Member *>(user);
    if (self->refusals != 0) {
      --self->refusals;
      return false;
    }
    const auto *const first = static_cast<const unsigned char *>(data);
    Bytes copy;
    copy.assign(first, first + bytes);
    if (self->handler) {
      self->handler(copy);
    }
    self->active.push_back(std::move(copy));
    return true;
  }

  int meetings_ = 0;
};

// Runs `body` in `size` processes that have opened their shmmods and exchanged cards. The exit
// codes must be those expected; a failed expectation gives 1.
inline void run_job(int size, const std::function<void(Member &)> &body, const std::vector<int> &expected = {}) {
  constexpr unsigned kSeconds = 240;
  const Shared<Board> board;
  (void)std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      alarm(kSeconds);
      {
        Member member(rank, size, &*board);
        EXPECT_EQ(member.status, AVRM_OK);
        member.assemble(); // the body says how messages are to be handled
        body(member);
      }
      const bool leaks = has_leaks();
      (void)std::fflush(nullptr);
      _exit(testing::Test::HasFailure() || leaks ? 1 : 0);
    }
    children.push_back(child);
  }
  for (int rank = 0; rank < size; ++rank) {
    int ended = 0;
    ASSERT_EQ(waitpid(children[static_cast<std::size_t>(rank)], &ended, 0), children[static_cast<std::size_t>(rank)]);
    const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    EXPECT_EQ(code, expected.empty() ? 0 : expected[static_cast<std::size_t>(rank)]) << "process " << rank;
  }
}

} // namespace avrankmap::test

#endif
