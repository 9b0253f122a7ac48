// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/simulator/simulator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "av/instance.h"

namespace avrankmap::bench {

using detail::kAnybody;
using detail::kNobody;
using detail::Transfer;

SimProcess::SimProcess(Simulator &job, std::int32_t rank, std::int32_t size)
    : Channel(job.instance()->memory, stack_, rank, size), Site(contexts_), job_(job),
      contexts_(job.instance()->memory) {
  (void)contexts_.take(0); // the world's
}

bool SimProcess::accept(std::int32_t source, bool aside, const void *data, std::size_t bytes) noexcept {
  Transfer *const transfer = waiting_;
  if (transfer == nullptr || transfer->aside != aside || (transfer->source != source && transfer->source != kAnybody)) {
    return false;
  }
  const std::size_t fitting = std::min(bytes, transfer->in_room);
  if (fitting != 0) {
    std::memcpy(transfer->in, data, fitting);
  }
  transfer->in_bytes = fitting;
  transfer->status = bytes > fitting ? AVRM_ERR_TRUNCATED : AVRM_OK;
  waiting_ = nullptr;
  return true;
}

bool SimProcess::take_waiting_message(Transfer *transfer) noexcept {
  waiting_ = transfer;
  SimMessage *previous = nullptr;
  for (SimMessage *message = first_.get(); message != nullptr; previous = message, message = message->next.get()) {
    if (accept(message->source, message->aside, message->data.data(), message->data.size())) {
      std::unique_ptr<SimMessage> &link = previous == nullptr ? first_ : previous->next;
      if (last_ == message) {
        last_ = previous;
      }
      std::unique_ptr<SimMessage> rest = std::move(message->next);
      link = std::move(rest);
      return true;
    }
  }
  return false;
}

bool SimProcess::start(Transfer *transfer) noexcept {
  if (transfer->dest != kNobody) { // nothing is waited for here now
    ++job_.cost_.messages;
    job_.cost_.message_bytes += transfer->out_bytes;
    ++job_.sent_[static_cast<std::size_t>(rank())];
    SimProcess &dest = job_.process(transfer->dest);
    const Transfer *const waiting = dest.waiting_;
    if (dest.accept(rank(), transfer->aside, transfer->out, transfer->out_bytes)) {
      job_.ready_.push_back(waiting->waiting);
    } else {
      const auto *const data = static_cast<const unsigned char *>(transfer->out);
      auto message = std::make_unique<SimMessage>();
      message->source = rank();
      message->aside = transfer->aside;
      message->data.assign(data, data + transfer->out_bytes);
      SimMessage *const added = message.get();
      (dest.last_ == nullptr ? dest.first_ : dest.last_->next) = std::move(message);
      dest.last_ = added;
    }
  }
  return transfer->source == kNobody || take_waiting_message(transfer);
}

Simulator::Simulator(std::int32_t size) : size_(size), sent_(static_cast<std::size_t>(size)) {
  // Processes share no tables, though they are in one instance here.
  const avrm_instance_options_t options{nullptr, false, AVRM_COST_BYTES, true};
  if (avrm_instance_create(&options, &instance_) != AVRM_OK ||
      avrm_rankmap_create_direct(instance_, 0, size, &world_) != AVRM_OK) {
    throw std::bad_alloc();
  }
  processes_.reserve(static_cast<std::size_t>(size));
  for (std::int32_t rank = 0; rank < size; ++rank) {
    processes_.push_back(std::make_unique<SimProcess>(*this, rank, size));
  }
}

Simulator::~Simulator() {
  processes_.clear();
  avrm_rankmap_destroy(world_);
  (void)avrm_instance_destroy(instance_);
}

void Simulator::forget() {
  for (const auto &process : processes_) {
    if (process->made.context != detail::Contexts::kNone) {
      process->contexts_.give(process->made.context);
    }
    process->made = detail::Made();
  }
}

std::vector<avrm_status_t> Simulator::run(const std::function<detail::Task(SimProcess &)> &start) {
  return run(start, [](std::int32_t) { return true; });
}

std::vector<avrm_status_t> Simulator::run(const std::function<detail::Task(SimProcess &)> &start,
                                          const std::function<bool(std::int32_t)> &takes_part) {
  using Clock = std::chrono::steady_clock;
  cost_ = SimCost();
  std::fill(sent_.begin(), sent_.end(), 0);
  avrm_mem_usage_t before{};
  (void)avrm_instance_mem_usage(instance_, AVRM_MEM_SCRATCH, &before);
  const Clock::time_point begin = Clock::now();
  for (std::int32_t rank = 0; rank < size_; ++rank) {
    if (takes_part(rank)) {
      process(rank).task_.emplace(start(process(rank)));
      process(rank).task_->start();
    }
  }
  for (std::size_t done = 0; done < ready_.size(); ++done) {
    ready_[done].resume();
  }
  ready_.clear();
  cost_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::vector<avrm_status_t> statuses(static_cast<std::size_t>(size_), AVRM_ERR_TIMEOUT);
  for (std::int32_t rank = 0; rank < size_; ++rank) {
    SimProcess &process = this->process(rank);
    if (process.task_ && process.task_->is_done()) {
      statuses[static_cast<std::size_t>(rank)] = process.task_->status();
    }
    process.task_.reset();
    process.waiting_ = nullptr;
    cost_.frame_bytes = std::max<std::uint64_t>(cost_.frame_bytes, process.stack_.peak());
    for (const auto *map : {process.made.map.get(), process.made.remote.get()}) {
      avrm_rankmap_info_t info{};
      if (map != nullptr && avrm_rankmap_describe(map, &info) == AVRM_OK) {
        cost_.map_bytes_most = std::max(cost_.map_bytes_most, info.own_bytes + info.table_bytes);
      }
    }
  }
  cost_.steps = *std::max_element(sent_.begin(), sent_.end());
  avrm_mem_usage_t after{};
  (void)avrm_instance_mem_usage(instance_, AVRM_MEM_SCRATCH, &after);
  cost_.scratch_peak = after.peak_bytes - before.live_bytes;
  return statuses;
}

} // namespace avrankmap::bench
