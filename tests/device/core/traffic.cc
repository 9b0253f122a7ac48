// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include "tests/device/core/transport_suite.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

void everyone_exchanges_with_everyone(Process &process) {
  const auto size_of = [](int from, int to) { return static_cast<std::size_t>((from * 37 + to * 101) % 90) * 500; };
  const auto size = static_cast<std::size_t>(process.size);
  std::vector<Buffer> in(size);
  std::vector<Buffer> out(size);
  std::vector<avrm_request_t *> requests(2 * size);
  for (int peer = 0; peer < process.size; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    in[at].resize(size_of(peer, process.rank));
    AVRM_MUST(avrm_irecv(process.world, in[at].data(), in[at].size(), peer, 4, &requests[at]) == AVRM_OK);
  }
  for (int peer = 0; peer < process.size; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    out[at] = content(process.rank, peer, 1, size_of(process.rank, peer));
    AVRM_MUST(avrm_isend(process.world, out[at].data(), out[at].size(), peer, 4, &requests[size + at]) == AVRM_OK);
  }
  for (avrm_request_t *const request : requests) {
    wait(request);
  }
  for (int peer = 0; peer < process.size; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    AVRM_MUST(in[at] == content(peer, process.rank, 1, in[at].size()));
  }
}

namespace {

constexpr int kTags = 4;      // few, so that many messages have the same match bits
constexpr int kOpenTag = 100; // tags from here on are received from anybody; one per batch

struct Planned {
  int from;
  int to;
  int tag;
  int number; // in the whole run
  std::size_t bytes;
};

// All processes draw the same plan from the same seed.
std::vector<Planned> plan(std::mt19937_64 &engine, int size, int count, int first_number) {
  std::vector<Planned> messages;
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<int>(below(engine, static_cast<std::uint64_t>(size)));
    const auto to = static_cast<int>(below(engine, static_cast<std::uint64_t>(size)));
    const int tag = below(engine, 8) == 0 ? kOpenTag + first_number / count : static_cast<int>(below(engine, kTags));
    const std::uint64_t kind = below(engine, 1000);
    const std::uint64_t most = kind < 800 ? 65 : kind < 980 ? 5000 : kind < 998 ? 40000 : 300000;
    messages.push_back({from, to, tag, first_number + i, below(engine, most)});
  }
  return messages;
}

// A batch of messages between all processes: each process sends, receives and waits in
// its own order.
class Exchange {
public:
  Exchange(Process &process, std::mt19937_64 &own, const std::vector<Planned> &messages)
      : process_(process), own_(own) {
    for (const Planned &message : messages) {
      if (message.from == process.rank) {
        outgoing_.push_back(message);
      }
      if (message.to == process.rank) {
        const bool open = message.tag >= kOpenTag;
        expected_[{open ? AVRM_ANY_SOURCE : message.from, message.tag}].push_back(message);
        if (open) {
          open_[message.from].push_back(message);
        }
      }
    }
    for (auto &[key, queue] : expected_) {
      order_.insert(order_.end(), queue.size(), key);
    }
    std::shuffle(order_.begin(), order_.end(), own_);
    in_.resize(order_.size());
    out_.resize(outgoing_.size());
    in_requests_.resize(order_.size());
    out_requests_.resize(outgoing_.size());
    planned_.resize(order_.size());
  }

  void run() {
    // Posting and sending take turns at random, so that some messages are expected
    // and some are not.
    std::size_t posted = 0;
    std::size_t sent = 0;
    while (posted < order_.size() || sent < outgoing_.size()) {
      const bool post = sent == outgoing_.size() || (posted < order_.size() && below(own_, 2) == 0);
      post ? post_receive(posted++) : start_send(sent++);
    }
    finish_all();
  }

private:
  using Key = std::pair<int, int>; // source, tag

  void post_receive(std::size_t at) {
    const Key key = order_[at];
    std::deque<Planned> &queue = expected_[key];
    planned_[at] = queue.front();
    queue.pop_front();
    in_[at].resize(key.first == AVRM_ANY_SOURCE ? 300000 : planned_[at].bytes);
    AVRM_MUST(avrm_irecv(process_.world, in_[at].data(), in_[at].size(), key.first, key.second, &in_requests_[at]) ==
              AVRM_OK);
  }

  void start_send(std::size_t at) {
    const Planned &message = outgoing_[at];
    out_[at] = content(message.from, message.to, message.number, message.bytes);
    AVRM_MUST(avrm_isend(process_.world, out_[at].data(), message.bytes, message.to, message.tag, &out_requests_[at]) ==
              AVRM_OK);
  }

  // Receives from anybody are checked in the order of posting, which is the order of matching.
  void finish_all() {
    for (std::size_t at = 0; at < order_.size(); ++at) {
      avrm_outcome_t outcome{};
      wait(in_requests_[at], &outcome);
      Planned message = planned_[at];
      if (order_[at].first == AVRM_ANY_SOURCE) {
        std::deque<Planned> &open = open_[outcome.source];
        AVRM_MUST(!open.empty());
        message = open.front();
        open.pop_front();
      }
      AVRM_MUST(outcome.source == message.from && outcome.tag == message.tag && outcome.bytes == message.bytes);
      in_[at].resize(message.bytes);
      AVRM_MUST(in_[at] == content(message.from, process_.rank, message.number, message.bytes));
      in_[at] = Buffer();
    }
    std::shuffle(out_requests_.begin(), out_requests_.end(), own_);
    for (avrm_request_t *const request : out_requests_) {
      wait(request);
    }
  }

  Process &process_;
  std::mt19937_64 &own_;
  std::vector<Planned> outgoing_;
  std::map<Key, std::deque<Planned>> expected_;
  std::map<int, std::deque<Planned>> open_; // by source
  std::vector<Key> order_;                  // of posting
  std::vector<Planned> planned_;            // what the receive at that place is to get
  std::vector<Buffer> in_;
  std::vector<Buffer> out_;
  std::vector<avrm_request_t *> in_requests_;
  std::vector<avrm_request_t *> out_requests_;
};

} // namespace

void random_traffic_arrives_intact(Process &process) {
  const int total = is_long() ? 1000000 : 8000;
  constexpr int kBatch = 500;
  std::mt19937_64 common = seeded_engine();
  std::mt19937_64 own(seed() + 1 + static_cast<std::uint64_t>(process.rank));
  for (int number = 0; number < total; number += kBatch) {
    Exchange(process, own, plan(common, process.size, kBatch, number)).run();
  }
}

// Nobody receives before everybody has sent more than any queue holds.
void a_flood_pushes_back_and_loses_nothing(Process &process) {
  constexpr int kEach = 2000;
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  for (int i = 0; i < kEach; ++i) {
    send(process, content(process.rank, next, i, 40), next, 6);
  }
  Buffer received(40);
  for (int i = 0; i < kEach; ++i) {
    receive(process, received, previous, 6);
    AVRM_MUST(received == content(previous, process.rank, i, 40));
  }
}

void a_receiver_that_sleeps_loses_nothing(Process &process) {
  constexpr int kEach = 3000;
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  if (process.rank % 2 == 1) {
    usleep(200000);
  }
  for (int i = 0; i < kEach; ++i) {
    const std::size_t bytes = i % 10 == 0 ? 6000 : 24;
    if (process.rank % 2 == 0) {
      send(process, content(process.rank, peer, i, bytes), peer, 6);
    } else {
      Buffer received(bytes);
      receive(process, received, peer, 6);
      AVRM_MUST(received == content(peer, process.rank, i, bytes));
    }
  }
}

} // namespace avrankmap::test
