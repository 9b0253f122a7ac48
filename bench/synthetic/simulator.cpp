// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synthetic/simulator.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "av/instance.h"

namespace avrankmap::bench {

using detail::kAnybody;
using detail::kNobody;
using detail::Transfer;

namespace {

// Gives a message to a transfer.
void deliver(Transfer *transfer, const void *data, std::size_t bytes) noexcept {
  const std::size_t fitting = std::min(bytes, transfer->in_room);
  if (fitting != 0) {
    std::memcpy(transfer->in, data, fitting);
  }
  transfer->in_bytes = fitting;
  transfer->status = bytes > fitting ? AVRM_ERR_TRUNCATED : AVRM_OK;
}

bool waits_for(const Transfer &transfer, std::int32_t source, bool aside) noexcept {
  return transfer.aside == aside && (transfer.source == source || transfer.source == kAnybody);
}

} // namespace

SimProcess::SimProcess(Simulator &job, std::int32_t rank, std::int32_t size)
    : Channel(job.instance()->memory, stack_, rank, size), CreationHost(contexts_), job_(job),
      contexts_(job.instance()->memory) {
  (void)contexts_.take(0); // the world's
}

bool SimProcess::start(Transfer *transfer) noexcept { return job_.start(rank(), transfer); }

bool Simulator::start(std::int32_t rank, Transfer *transfer) noexcept {
  SimMailbox &own = mailboxes_[static_cast<std::size_t>(rank)];
  if (transfer->dest != kNobody) {
    ++cost_.messages;
    ++own.sent;
    own.sent_bytes += transfer->out_bytes;
    ++own.clock;
    SimMailbox &dest = mailboxes_[static_cast<std::size_t>(transfer->dest)];
    if (dest.waiting != nullptr && waits_for(*dest.waiting, rank, transfer->aside)) {
      deliver(dest.waiting, transfer->out, transfer->out_bytes);
      dest.clock = std::max(dest.clock, own.clock);
      ready_.push_back(dest.waiting->waiting);
      dest.waiting = nullptr;
    } else {
      keep(&dest, rank, own.clock, *transfer);
    }
  }
  return transfer->source == kNobody || take(&own, transfer);
}

void Simulator::keep(SimMailbox *mailbox, std::int32_t source, std::uint32_t sent_at,
                     const Transfer &transfer) noexcept {
  SimMessage *message = spare_;
  if (message != nullptr) {
    spare_ = message->next;
  } else {
    message = new SimMessage;
  }
  message->next = nullptr;
  message->source = source;
  message->sent_at = sent_at;
  message->aside = transfer.aside;
  message->bytes = transfer.out_bytes;
  message->data = message->bytes <= sizeof message->room ? message->room : new unsigned char[message->bytes];
  if (message->bytes != 0) {
    std::memcpy(message->data, transfer.out, message->bytes);
  }
  (mailbox->last == nullptr ? mailbox->first : mailbox->last->next) = message;
  mailbox->last = message;
}

bool Simulator::take(SimMailbox *mailbox, Transfer *transfer) noexcept {
  SimMessage *previous = nullptr;
  for (SimMessage *message = mailbox->first; message != nullptr; previous = message, message = message->next) {
    if (waits_for(*transfer, message->source, message->aside)) {
      deliver(transfer, message->data, message->bytes);
      mailbox->clock = std::max(mailbox->clock, message->sent_at);
      (previous == nullptr ? mailbox->first : previous->next) = message->next;
      if (mailbox->last == message) {
        mailbox->last = previous;
      }
      drop(message);
      return true;
    }
  }
  mailbox->waiting = transfer;
  return false;
}

void Simulator::drop(SimMessage *message) noexcept {
  if (message->data != message->room) {
    delete[] message->data;
  }
  message->next = spare_;
  spare_ = message;
}

namespace {

// Room for all processes, in huge pages if the system has some to give.
std::size_t bytes_of(std::int32_t size) noexcept { return static_cast<std::size_t>(size) * sizeof(SimProcess); }

} // namespace

Simulator::Simulator(std::int32_t size) : size_(size), mailboxes_(static_cast<std::size_t>(size)) {
  // Processes share no tables, though they are in one instance here.
  const avrm_instance_options_t options{nullptr, false, AVRM_COST_BYTES, true};
  if (avrm_instance_create(&options, &instance_) != AVRM_OK ||
      avrm_rankmap_create_direct(instance_, 0, size, &world_) != AVRM_OK) {
    throw std::bad_alloc();
  }
  void *const room = mmap(nullptr, bytes_of(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    throw std::bad_alloc();
  }
  (void)madvise(room, bytes_of(size), MADV_HUGEPAGE);
  processes_ = static_cast<SimProcess *>(room);
  for (std::int32_t rank = 0; rank < size; ++rank) {
    new (processes_ + rank) SimProcess(*this, rank, size);
  }
}

Simulator::~Simulator() {
  std::destroy_n(processes_, size_);
  munmap(processes_, bytes_of(size_));
  while (spare_ != nullptr) {
    delete std::exchange(spare_, spare_->next);
  }
  avrm_rankmap_destroy(&world_);
  (void)avrm_instance_destroy(instance_);
}

void Simulator::forget() {
  for (std::int32_t rank = 0; rank < size_; ++rank) {
    SimProcess &process = this->process(rank);
    if (process.made.context != detail::Contexts::kNone) {
      process.contexts_.give(process.made.context);
    }
    process.made = detail::CreationResult();
  }
}

std::vector<avrm_status_t> Simulator::run(const std::function<detail::Task(SimProcess &)> &start) {
  return run(start, [](std::int32_t) { return true; });
}

std::vector<avrm_status_t> Simulator::run(const std::function<detail::Task(SimProcess &)> &start,
                                          const std::function<bool(std::int32_t)> &takes_part) {
  using Clock = std::chrono::steady_clock;
  cost_ = SimCost();
  std::for_each(mailboxes_.begin(), mailboxes_.end(),
                [](SimMailbox &mailbox) { mailbox.sent = mailbox.clock = 0, mailbox.sent_bytes = 0; });
  avrm_mem_usage_t before{};
  (void)avrm_instance_mem_usage(instance_, AVRM_MEM_SCRATCH, &before);
  const Clock::time_point begin = Clock::now();
  for (std::int32_t rank = 0; rank < size_; ++rank) {
    if (takes_part(rank)) {
      process(rank).task_.emplace(start(process(rank)));
      process(rank).task_->start();
    }
  }
  // In rounds, so that nobody gets far ahead of the others, whose mailboxes would overflow.
  std::vector<std::coroutine_handle<>> round;
  while (!ready_.empty()) {
    round.swap(ready_);
    for (std::size_t at = 0; at < round.size(); ++at) {
      constexpr std::size_t kAhead = 8; // frames that are on their way into the cache
      if (at + kAhead < round.size()) {
        __builtin_prefetch(round[at + kAhead].address());
      }
      round[at].resume();
    }
    round.clear();
  }
  cost_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::vector<avrm_status_t> statuses(static_cast<std::size_t>(size_), AVRM_ERR_TIMEOUT);
  for (std::int32_t rank = 0; rank < size_; ++rank) {
    SimProcess &process = this->process(rank);
    if (process.task_ && process.task_->is_done()) {
      statuses[static_cast<std::size_t>(rank)] = process.task_->status();
    }
    process.task_.reset();
    SimMailbox &mailbox = mailboxes_[static_cast<std::size_t>(rank)];
    mailbox.waiting = nullptr;
    while (mailbox.first != nullptr) { // of processes that have given up
      drop(std::exchange(mailbox.first, mailbox.first->next));
    }
    mailbox.last = nullptr;
    cost_.steps = std::max<std::uint64_t>(cost_.steps, mailbox.sent);
    cost_.depth = std::max<std::uint64_t>(cost_.depth, mailbox.clock);
    cost_.bytes = std::max(cost_.bytes, mailbox.sent_bytes);
    cost_.frame_bytes = std::max<std::uint64_t>(cost_.frame_bytes, process.stack_.peak());
    for (const auto *map : {process.made.map.get(), process.made.remote.get()}) {
      avrm_rankmap_info_t info{};
      if (map != nullptr && avrm_rankmap_describe(map, &info) == AVRM_OK) {
        cost_.map_bytes_most = std::max(cost_.map_bytes_most, info.own_bytes + info.table_bytes);
      }
    }
  }
  avrm_mem_usage_t after{};
  (void)avrm_instance_mem_usage(instance_, AVRM_MEM_SCRATCH, &after);
  cost_.scratch_peak = after.peak_bytes - before.live_bytes;
  return statuses;
}

} // namespace avrankmap::bench
