// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A network between virtual processes that die after a given number of actions: messages sent and
// received. Messages between two processes keep their order; all else happens in a random order:
// messages arrive, and each process learns of each death, at any time. Messages of a dead process
// may be lost, the last ones first.
#ifndef AVRANKMAP_TESTS_DEVICE_COMM_FT_FAILING_JOB_NET_H
#define AVRANKMAP_TESTS_DEVICE_COMM_FT_FAILING_JOB_NET_H

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "comm_algorithms/consensus.h"

namespace avrankmap::test {

// A death after so many actions of a process; 0: before it does anything.
struct Death {
  std::int32_t rank;
  int actions;
};

inline std::string text_of(std::int32_t size, const std::vector<Death> &deaths) {
  std::string text = std::to_string(size) + " processes";
  for (const Death &death : deaths) {
    text += ", " + std::to_string(death.rank) + " dies after " + std::to_string(death.actions) + " actions";
  }
  return text;
}

// Calls `run(size, deaths)` for any two processes of 2 to `most`, each of which dies after each
// number of actions below `points`, or for every `step`th of these cases, until a call returns
// false. Returns the text of that one, or "".
template <typename Run> std::string fails_with_two_deaths(std::int32_t most, int points, int step, Run run) {
  int next = step;
  for (std::int32_t size = 2; size <= most; ++size) {
    for (std::int32_t a = 0; a < size; ++a) {
      for (std::int32_t b = a + 1; b < size; ++b) {
        for (int pair = 0; pair < points * points; ++pair) {
          if (--next != 0) {
            continue;
          }
          next = step;
          const std::vector<Death> deaths{{a, pair / points}, {b, pair % points}};
          if (!run(size, deaths)) {
            return text_of(size, deaths);
          }
        }
      }
    }
  }
  return "";
}

// Most actions of a process of a job.
template <typename Job> int most_actions(const Job &job, std::int32_t size) {
  int most = 0;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    most = std::max(most, job.actions_of(rank));
  }
  return most;
}

class FailingJobNet {
public:
  static constexpr int kMostEvents = 1000000; // before it counts as hanging

  // One of the two channels of a process: its messages have a tag.
  class Port final : public detail::FaultTolerantChannel {
  public:
    Port(FailingJobNet &net, std::int32_t rank, int index, std::uint32_t tag)
        : FaultTolerantChannel(net.memory_, stack_, rank, net.size()), net_(net), tag_(tag),
          slot_(net.node(rank).ports[index]) {
      slot_ = this;
    }
    ~Port() override { slot_ = nullptr; }

    bool start(detail::Transfer *transfer) noexcept override {
      if (is_broken_) {
        transfer->status = AVRM_ERR_PEER;
        return true;
      }
      if (transfer->dest != detail::kNobody && !net_.send(rank(), *transfer, tag_)) {
        return false;
      }
      waiting_ = transfer->source == detail::kNobody ? nullptr : transfer;
      return waiting_ == nullptr || settle();
    }
    bool has_died(std::int32_t other) const noexcept override { return net_.knows_death(rank(), other); }

    // Transfers end with AVRM_ERR_PEER from now on.
    void break_off() noexcept { is_broken_ = true; }
    // Ends a receive from anybody.
    void interrupt() noexcept {
      if (waiting_ != nullptr && waiting_->source == detail::kAnybody) {
        finish(AVRM_ERR_CANCELLED);
      }
    }

  private:
    friend class FailingJobNet;

    // Completes what is waited for, if it can.
    bool settle() noexcept {
      const bool anybody = waiting_->source == detail::kAnybody;
      Node &node = net_.node(rank());
      const auto at = std::find_if(node.arrived.begin(), node.arrived.end(), [&](const Message &message) {
        return message.tag == tag_ && message.aside == waiting_->aside && (anybody || message.peer == waiting_->source);
      });
      if (at != node.arrived.end()) {
        const Message message = std::move(*at);
        node.arrived.erase(at);
        waiting_->in_bytes = std::min(message.bytes.size(), waiting_->in_room);
        std::copy_n(message.bytes.begin(), waiting_->in_bytes, static_cast<unsigned char *>(waiting_->in));
        waiting_->status = message.bytes.size() > waiting_->in_room ? AVRM_ERR_TRUNCATED : AVRM_OK;
        waiting_ = nullptr;
        return net_.act(rank());
      }
      if (is_broken_ || (anybody ? std::exchange(has_death_notice_, false) : has_died(waiting_->source))) {
        waiting_->status = AVRM_ERR_PEER;
        waiting_ = nullptr;
        return true;
      }
      return false;
    }
    void finish(avrm_status_t status) noexcept {
      detail::Transfer *const ended = std::exchange(waiting_, nullptr);
      ended->status = status;
      ended->waiting.resume();
    }
    void resume_if_settled() noexcept {
      detail::Transfer *const waiting = waiting_;
      if (waiting != nullptr && settle()) {
        waiting->waiting.resume();
      }
    }

    FailingJobNet &net_;
    std::uint32_t tag_;
    Port *&slot_;
    detail::FrameStack stack_;
    detail::Transfer *waiting_ = nullptr;
    bool has_death_notice_ = false; // of a death, not yet told to the task
    bool is_broken_ = false;
  };

  FailingJobNet(std::int32_t size, const std::vector<Death> &deaths, std::uint64_t seed)
      : random_(seed), nodes_(static_cast<std::size_t>(size)) {
    for (Node &each : nodes_) {
      each.knows.resize(nodes_.size());
    }
    for (const Death &death : deaths) {
      node(death.rank).lives_for = death.actions;
    }
  }
  FailingJobNet(const FailingJobNet &) = delete;
  FailingJobNet &operator=(const FailingJobNet &) = delete;
  virtual ~FailingJobNet() = default;

  // Runs until nothing more happens. False if that takes too long.
  bool run() {
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      events_.push_back({Event::kStart, rank, 0});
    }
    for (int count = 0; !events_.empty(); ++count) {
      if (count == kMostEvents) {
        return false;
      }
      std::swap(events_[random_() % events_.size()], events_.back());
      const Event event = events_.back();
      events_.pop_back();
      happen(event);
    }
    return true;
  }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  [[nodiscard]] bool is_dead(std::int32_t rank) const { return nodes_[static_cast<std::size_t>(rank)].dead; }
  [[nodiscard]] int actions_of(std::int32_t rank) const { return nodes_[static_cast<std::size_t>(rank)].actions; }
  // The deaths that a process has learned of.
  [[nodiscard]] const std::vector<std::int32_t> &known_deaths(std::int32_t rank) const {
    return nodes_[static_cast<std::size_t>(rank)].deaths;
  }
  [[nodiscard]] bool knows_death(std::int32_t rank, std::int32_t other) const {
    return nodes_[static_cast<std::size_t>(rank)].knows[static_cast<std::size_t>(other)];
  }

protected:
  // Of a process that lives: it starts, a note came, it learned of a death, and after each of these
  // and each message.
  virtual void on_start(std::int32_t rank) = 0;
  virtual void on_note(std::int32_t /*rank*/) {}
  virtual void on_death(std::int32_t /*rank*/, std::int32_t /*dead*/) {}
  virtual void go_on(std::int32_t rank) = 0;

  // Sends a message without contents that no port receives. False if the sender dies.
  bool send_note(std::int32_t rank, std::int32_t dest) {
    detail::Transfer note;
    note.dest = dest;
    return send(rank, note, kNote);
  }
  [[nodiscard]] detail::Memory &memory() { return memory_; }

private:
  static constexpr std::uint32_t kNote = UINT32_MAX;

  struct Message {
    std::int32_t peer; // the receiver on its way, the sender once it has arrived
    std::uint32_t tag;
    bool aside;
    std::vector<unsigned char> bytes;
  };
  struct Node {
    bool dead = false;
    int lives_for = -1;
    int actions = 0;
    std::vector<bool> knows; // deaths
    std::vector<std::int32_t> deaths;
    std::vector<Message> sent; // on the way
    std::vector<Message> arrived;
    Port *ports[2] = {};
  };
  struct Event {
    enum Kind { kStart, kArrival, kDeathNotice } kind;
    std::int32_t rank;
    std::int32_t other;
  };

  [[nodiscard]] Node &node(std::int32_t rank) { return nodes_[static_cast<std::size_t>(rank)]; }

  bool send(std::int32_t rank, const detail::Transfer &transfer, std::uint32_t tag) {
    const auto *const bytes = static_cast<const unsigned char *>(transfer.out);
    node(rank).sent.push_back({transfer.dest, tag, transfer.aside, {bytes, bytes + transfer.out_bytes}});
    events_.push_back({Event::kArrival, transfer.dest, rank});
    return act(rank);
  }

  // Counts an action of a process. False if it dies after it.
  bool act(std::int32_t rank) {
    Node &self = node(rank);
    if (++self.actions == self.lives_for) {
      die(rank);
    }
    return !self.dead;
  }
  void die(std::int32_t rank) {
    Node &self = node(rank);
    self.dead = true;
    for (Port *const port : self.ports) {
      if (port != nullptr) {
        port->waiting_ = nullptr;
      }
    }
    std::vector<Message> kept;
    for (std::int32_t other = 0; other < size(); ++other) {
      if (!is_dead(other)) {
        events_.push_back({Event::kDeathNotice, other, rank});
      }
    }
    while (!self.sent.empty()) {
      const std::int32_t dest = self.sent.front().peer;
      const auto rest = std::stable_partition(self.sent.begin(), self.sent.end(),
                                              [dest](const Message &message) { return message.peer == dest; });
      const auto count = static_cast<std::uint64_t>(rest - self.sent.begin());
      std::move(self.sent.begin(), self.sent.begin() + static_cast<std::ptrdiff_t>(random_() % (count + 1)),
                std::back_inserter(kept));
      self.sent.erase(self.sent.begin(), rest);
    }
    self.sent = std::move(kept);
  }

  // Takes the next message of a sender. False if it is lost.
  bool arrive(std::int32_t rank, std::int32_t sender, Message *message) {
    std::vector<Message> &sent = node(sender).sent;
    const auto at = std::find_if(sent.begin(), sent.end(), [rank](const Message &m) { return m.peer == rank; });
    if (at == sent.end()) {
      return false;
    }
    *message = std::move(*at);
    message->peer = sender;
    sent.erase(at);
    return true;
  }

  void happen(const Event &event) {
    Node &self = node(event.rank);
    Message message{};
    if (event.kind == Event::kArrival && !arrive(event.rank, event.other, &message)) {
      return;
    }
    if (self.dead) {
      return;
    }
    switch (event.kind) {
    case Event::kStart:
      if (self.lives_for == 0) {
        die(event.rank);
      } else {
        on_start(event.rank);
      }
      break;
    case Event::kArrival:
      if (message.tag != kNote) {
        self.arrived.push_back(std::move(message));
      } else if (act(event.rank)) {
        on_note(event.rank);
      }
      break;
    case Event::kDeathNotice:
      self.knows[static_cast<std::size_t>(event.other)] = true;
      self.deaths.push_back(event.other);
      for (Port *const port : self.ports) {
        if (port != nullptr) {
          port->has_death_notice_ = true;
        }
      }
      on_death(event.rank, event.other);
      break;
    }
    for (Port *&port : self.ports) {
      if (port != nullptr) {
        port->resume_if_settled();
      }
    }
    if (!self.dead) {
      go_on(event.rank);
    }
  }

  std::mt19937_64 random_;
  detail::Memory memory_{detail::default_allocator()};
  std::vector<Node> nodes_;
  std::vector<Event> events_;
};

} // namespace avrankmap::test

#endif
