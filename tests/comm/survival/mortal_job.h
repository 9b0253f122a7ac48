// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job of virtual processes that die at a given point, and come to one agreement after the other.
// Messages between two processes keep their order; all else happens in a random order: messages
// arrive, and each process learns of each death, at any time. Messages of a dead process may be
// lost, the last one first.
#ifndef AVRANKMAP_TESTS_COMM_SURVIVAL_MORTAL_JOB_H
#define AVRANKMAP_TESTS_COMM_SURVIVAL_MORTAL_JOB_H

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "comm/survival/consensus.h"

namespace avrankmap::test {

// A death before a process's `point`th action: something that it sends or receives, from 0.
struct Death {
  std::int32_t rank;
  int point;
};

inline std::string text_of(std::int32_t size, const std::vector<Death> &deaths) {
  std::string text = std::to_string(size) + " processes";
  for (const Death &death : deaths) {
    text += ", " + std::to_string(death.rank) + " dies before action " + std::to_string(death.point);
  }
  return text;
}

// Calls `run(size, deaths)` for any two processes of 2 to `most`, each of which dies before each of
// its first `points` actions, until a call returns false. Returns the text of that one, or "".
template <typename Run> std::string fails_with_two_deaths(std::int32_t most, int points, Run run) {
  for (std::int32_t size = 2; size <= most; ++size) {
    for (std::int32_t a = 0; a < size; ++a) {
      for (std::int32_t b = a + 1; b < size; ++b) {
        for (int pair = 0; pair < points * points; ++pair) {
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

struct Verdict {
  std::uint64_t value;
  bool acknowledged;
  std::vector<std::int32_t> dead;
  friend bool operator==(const Verdict &, const Verdict &) = default;
};

class MortalJob {
public:
  static constexpr int kMostEvents = 200000; // before it counts as hanging

  // Process r comes with every bit but r.
  MortalJob(std::int32_t size, const std::vector<Death> &deaths, std::uint64_t seed, int agreements = 1)
      : random_(seed), agreements_(agreements) {
    for (std::int32_t rank = 0; rank < size; ++rank) {
      processes_.push_back(std::make_unique<Process>(*this, rank, size));
    }
    for (const Death &death : deaths) {
      process(death.rank).lives_for = death.point;
    }
    wires_.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  }
  MortalJob(const MortalJob &) = delete;
  MortalJob &operator=(const MortalJob &) = delete;

  // Runs until nothing more happens. False if that takes too long.
  bool run() {
    for (const auto &process : processes_) {
      events_.push_back({Event::kStart, process->rank(), 0});
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

  [[nodiscard]] bool is_dead(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)]->dead; }
  // Of all agreements that a process returned from.
  [[nodiscard]] const std::vector<Verdict> &verdicts(std::int32_t rank) const {
    return processes_[static_cast<std::size_t>(rank)]->verdicts;
  }
  [[nodiscard]] int actions_of(std::int32_t rank) const { return processes_[static_cast<std::size_t>(rank)]->actions; }

  // Ranks whose deaths a process has acknowledged from the start.
  std::vector<std::vector<std::int32_t>> acknowledged;

private:
  struct Message {
    bool aside;
    std::vector<unsigned char> bytes;
  };
  struct Process final : detail::MortalChannel {
    Process(MortalJob &whole, std::int32_t rank, std::int32_t size)
        : MortalChannel(whole.memory_, stack, rank, size), job(whole), consensus(whole.memory_, rank, size),
          known(static_cast<std::size_t>(size)) {}
    bool start(detail::Transfer *transfer) noexcept override { return job.start(*this, transfer); }
    bool has_died(std::int32_t rank) const noexcept override { return known[static_cast<std::size_t>(rank)]; }

    MortalJob &job;
    detail::FrameStack stack;
    detail::Consensus consensus;
    std::vector<bool> known; // deaths
    bool news = false;       // of a death, not yet told to the task
    bool dead = false;
    int lives_for = -1;
    int actions = 0;
    detail::Transfer *waiting = nullptr;
    std::deque<std::pair<std::int32_t, Message>> arrived;
    std::vector<Verdict> verdicts;
    std::optional<detail::Task> task;
  };
  struct Event {
    enum Kind { kStart, kArrival, kNews } kind;
    std::int32_t rank;
    std::int32_t other;
  };

  Process &process(std::int32_t rank) { return *processes_[static_cast<std::size_t>(rank)]; }
  std::deque<Message> &wire(std::int32_t source, std::int32_t dest) {
    return wires_[static_cast<std::size_t>(source) * processes_.size() + static_cast<std::size_t>(dest)];
  }

  // Counts an action of a process. False if it dies before.
  bool act(Process &process) {
    if (process.lives_for == process.actions) {
      process.dead = true;
      process.waiting = nullptr;
      for (const auto &other : processes_) {
        std::deque<Message> &sent = wire(process.rank(), other->rank());
        sent.resize(sent.size() - random_() % (sent.size() + 1));
        if (!other->dead) {
          events_.push_back({Event::kNews, other->rank(), process.rank()});
        }
      }
      return false;
    }
    ++process.actions;
    return true;
  }

  bool start(Process &process, detail::Transfer *transfer) noexcept {
    if (transfer->dest != detail::kNobody) {
      if (!act(process)) {
        return false;
      }
      const auto *const bytes = static_cast<const unsigned char *>(transfer->out);
      wire(process.rank(), transfer->dest).push_back({transfer->aside, {bytes, bytes + transfer->out_bytes}});
      events_.push_back({Event::kArrival, transfer->dest, process.rank()});
      return true;
    }
    process.waiting = transfer;
    return settle(process);
  }

  // Completes what a process waits for, if it can.
  bool settle(Process &process) {
    detail::Transfer &wanted = *process.waiting;
    const bool anybody = wanted.source == detail::kAnybody;
    for (auto at = process.arrived.begin(); at != process.arrived.end(); ++at) {
      if (at->second.aside != wanted.aside || (!anybody && at->first != wanted.source)) {
        continue;
      }
      if (!act(process)) {
        return false;
      }
      const std::vector<unsigned char> &bytes = at->second.bytes;
      wanted.in_bytes = std::min(bytes.size(), wanted.in_room);
      if (wanted.in_bytes != 0) {
        std::memcpy(wanted.in, bytes.data(), wanted.in_bytes);
      }
      wanted.status = bytes.size() > wanted.in_room ? AVRM_ERR_TRUNCATED : AVRM_OK;
      process.arrived.erase(at);
      process.waiting = nullptr;
      return true;
    }
    if (anybody ? std::exchange(process.news, false) : process.has_died(wanted.source)) {
      wanted.status = AVRM_ERR_PEER;
      process.waiting = nullptr;
      return true;
    }
    return false;
  }

  void resume_if_settled(Process &process) {
    detail::Transfer *const waiting = process.waiting;
    if (waiting != nullptr && settle(process)) {
      waiting->waiting.resume();
    }
  }

  void happen(const Event &event) {
    Process &process = this->process(event.rank);
    if (event.kind == Event::kArrival) {
      std::deque<Message> &messages = wire(event.other, event.rank);
      if (messages.empty()) {
        return; // lost
      }
      process.arrived.emplace_back(event.other, std::move(messages.front()));
      messages.pop_front();
    }
    if (process.dead) {
      return;
    }
    if (event.kind == Event::kStart) {
      begin(process);
      process.task.emplace(detail::attend(process, process.consensus));
      process.task->start();
    } else if (event.kind == Event::kNews) {
      process.known[static_cast<std::size_t>(event.other)] = true;
      process.news = true;
    }
    resume_if_settled(process);
    while (!process.dead && process.consensus.is_over() && process.verdicts.size() < begun(process)) {
      finish(process);
    }
  }

  std::size_t begun(const Process &process) const { return begun_[static_cast<std::size_t>(process.rank())]; }
  void begin(Process &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    begun_.resize(processes_.size());
    acknowledged.resize(processes_.size());
    ++begun_[rank];
    process.consensus.begin({~(std::uint64_t{1} << rank % 64), AVRM_OK, acknowledged[rank].data(),
                             static_cast<std::int32_t>(acknowledged[rank].size())});
  }
  // Takes a verdict, and goes on with the next agreement.
  void finish(Process &process) {
    Verdict verdict{process.consensus.value(), process.consensus.is_acknowledged(), {}};
    for (const detail::Mark &mark : process.consensus.dead()) {
      verdict.dead.push_back(mark.rank);
    }
    process.verdicts.push_back(std::move(verdict));
    if (static_cast<int>(process.verdicts.size()) == agreements_) {
      return;
    }
    begin(process);
    if (process.waiting->source == detail::kAnybody) {
      detail::Transfer *const waiting = std::exchange(process.waiting, nullptr);
      waiting->status = AVRM_ERR_CANCELLED;
      waiting->waiting.resume();
    }
  }

  std::mt19937_64 random_;
  int agreements_;
  detail::Memory memory_{detail::default_allocator()};
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::deque<Message>> wires_;
  std::vector<Event> events_;
  std::vector<std::size_t> begun_;
};

} // namespace avrankmap::test

#endif
