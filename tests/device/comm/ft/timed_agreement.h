// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A large job of virtual processes in one agreement, with a clock: a message takes one step, and in
// a step a process receives one message and sends one. Processes die before the agreement, or all
// at one time during it; all others learn of it two steps later.
#ifndef AVRANKMAP_TESTS_DEVICE_COMM_FT_TIMED_AGREEMENT_H
#define AVRANKMAP_TESTS_DEVICE_COMM_FT_TIMED_AGREEMENT_H

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "comm_algorithms/consensus.h"

namespace avrankmap::test {

class TimedAgreement {
public:
  // `dead` die at a time; 0: before the start. Every process comes with value ~rank.
  TimedAgreement(std::int32_t size, const std::vector<std::int32_t> &dead, std::size_t time)
      : time_of_death_(time), dead_(static_cast<std::size_t>(size)), known_(dead_.size()) {
    for (const std::int32_t rank : dead) {
      dead_[static_cast<std::size_t>(rank)] = true;
    }
    if (time == 0) {
      known_ = dead_;
    }
    for (std::int32_t rank = 0; rank < size; ++rank) {
      processes_.emplace_back(*this, rank, size);
    }
  }

  void run() {
    for (Process &process : processes_) {
      if (!is_gone(process.rank(), 0)) {
        process.consensus.begin({~static_cast<std::uint64_t>(process.rank()), AVRM_OK, nullptr, 0});
        process.task.emplace(detail::attend(process, process.consensus));
        process.task->start();
      }
    }
    for (now_ = 0; now_ < arrivals_.size() || now_ <= time_of_death_ + kNoticeDelay; ++now_) {
      if (now_ == time_of_death_ + kNoticeDelay && known_ != dead_) {
        known_ = dead_;
        for (Process &process : processes_) {
          end(process, AVRM_ERR_PEER);
        }
      }
      while (now_ < arrivals_.size() && !arrivals_[now_].empty()) {
        Message message = std::move(arrivals_[now_].front());
        arrivals_[now_].pop_front();
        Process &process = processes_[static_cast<std::size_t>(message.dest)];
        process.arrived.push_back(std::move(message));
        serve(process);
      }
    }
  }

  [[nodiscard]] bool is_dead(std::int32_t rank) const { return dead_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] detail::Consensus &consensus(std::int32_t rank) {
    return processes_[static_cast<std::size_t>(rank)].consensus;
  }
  // The step at which the last process was done.
  [[nodiscard]] std::size_t steps() const {
    std::size_t last = 0;
    for (const Process &process : processes_) {
      last = std::max(last, process.clock);
    }
    return last;
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  // The most temporary memory of a process, its coroutine included.
  [[nodiscard]] std::size_t most_bytes() const {
    std::size_t most = 0;
    for (const Process &process : processes_) {
      most = std::max<std::size_t>(most, process.memory.usage(AVRM_MEM_TOTAL).peak_bytes + process.stack.peak() +
                                             sizeof process.consensus);
    }
    return most;
  }

private:
  static constexpr std::size_t kNoticeDelay = 2; // steps

  struct Message {
    std::int32_t source;
    std::int32_t dest;
    bool aside;
    std::size_t bytes;
    std::array<unsigned char, sizeof(detail::ConsensusHeader)> header;
    std::vector<unsigned char> body; // if it is longer
    [[nodiscard]] const unsigned char *data() const { return body.empty() ? header.data() : body.data(); }
  };
  struct Process final : detail::FaultTolerantChannel {
    Process(TimedAgreement &whole, std::int32_t rank, std::int32_t size)
        : FaultTolerantChannel(memory, stack, rank, size), job(whole), consensus(memory, rank, size) {}
    bool start(detail::Transfer *transfer) noexcept override { return job.start(*this, transfer); }
    bool has_died(std::int32_t rank) const noexcept override { return job.known_[static_cast<std::size_t>(rank)]; }

    TimedAgreement &job;
    detail::Memory memory{detail::default_allocator()};
    detail::FrameStack stack;
    detail::Consensus consensus;
    std::size_t clock = 0;
    detail::Transfer *waiting = nullptr;
    std::vector<Message> arrived;
    std::optional<detail::Task> task;
  };

  [[nodiscard]] bool is_gone(std::int32_t rank, std::size_t time) const {
    return is_dead(rank) && time >= time_of_death_;
  }

  bool start(Process &process, detail::Transfer *transfer) noexcept {
    if (transfer->dest == detail::kNobody) {
      process.waiting = transfer;
      return settle(process);
    }
    process.clock = std::max(process.clock, now_) + 1;
    if (is_gone(process.rank(), process.clock)) {
      return false;
    }
    ++messages_;
    Message message{process.rank(), transfer->dest, transfer->aside, transfer->out_bytes, {}, {}};
    const auto *const data = static_cast<const unsigned char *>(transfer->out);
    if (message.bytes <= message.header.size()) {
      std::copy_n(data, message.bytes, message.header.begin());
    } else {
      message.body.assign(data, data + message.bytes);
    }
    if (arrivals_.size() <= process.clock) {
      arrivals_.resize(process.clock + 1);
    }
    arrivals_[process.clock].push_back(std::move(message));
    return true;
  }

  bool settle(Process &process) {
    detail::Transfer &wanted = *process.waiting;
    for (auto at = process.arrived.begin(); at != process.arrived.end(); ++at) {
      if (at->aside == wanted.aside && (wanted.source == detail::kAnybody || wanted.source == at->source)) {
        process.clock = std::max(process.clock + 1, now_);
        wanted.in_bytes = std::min(at->bytes, wanted.in_room);
        std::copy_n(at->data(), wanted.in_bytes, static_cast<unsigned char *>(wanted.in));
        wanted.status = at->bytes > wanted.in_room ? AVRM_ERR_TRUNCATED : AVRM_OK;
        process.arrived.erase(at);
        process.waiting = nullptr;
        return true;
      }
    }
    return false;
  }
  void serve(Process &process) {
    detail::Transfer *const waiting = process.waiting;
    if (waiting != nullptr && !is_gone(process.rank(), now_) && settle(process)) {
      waiting->waiting.resume();
    }
  }
  // Ends the wait of a process for anybody, or for one that is dead.
  void end(Process &process, avrm_status_t status) {
    detail::Transfer *const waiting = process.waiting;
    if (waiting == nullptr || is_dead(process.rank()) || (waiting->source >= 0 && !is_dead(waiting->source))) {
      return;
    }
    process.waiting = nullptr;
    waiting->status = status;
    waiting->waiting.resume();
  }

  std::size_t time_of_death_;
  std::vector<bool> dead_;
  std::vector<bool> known_;
  std::deque<Process> processes_;
  std::deque<std::deque<Message>> arrivals_; // by time
  std::size_t now_ = 0;
  std::uint64_t messages_ = 0;
};

} // namespace avrankmap::test

#endif
