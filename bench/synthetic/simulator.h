// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job of virtual processes in this one: the library's own creation algorithms, each process in
// a coroutine of its own, with messages that arrive at once. Shows what creation costs in
// messages and memory at sizes that no machine at hand has. Times are of one core that does the
// work of all processes.
#ifndef AVRANKMAP_BENCH_SYNTHETIC_SIMULATOR_H
#define AVRANKMAP_BENCH_SYNTHETIC_SIMULATOR_H

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm_algorithms/create/from_group.h"

namespace avrankmap::bench {

class Simulator;

// A message that nobody waits for yet.
struct SimMessage {
  SimMessage *next;
  std::size_t bytes;
  std::int32_t source;
  std::uint32_t sent_at;
  bool aside;
  unsigned char *data; // `room`, or a block of its own if that is too small
  unsigned char room[96];
};

// The part of a process that others touch. All of them lie side by side: most of the time goes into
// reaching the memory of somebody who has not been looked at for a million messages.
struct SimMailbox {
  detail::Transfer *waiting = nullptr;
  SimMessage *first = nullptr;
  SimMessage *last = nullptr;
  std::uint32_t sent = 0;
  std::uint32_t clock = 0; // see SimCost::depth
  std::uint64_t sent_bytes = 0;
};

// One virtual process: its channel to the others, and what it makes.
class SimProcess final : public detail::Channel, public detail::CreationHost {
public:
  SimProcess(Simulator &job, std::int32_t rank, std::int32_t size);

  [[nodiscard]] bool start(detail::Transfer *transfer) noexcept override;
  [[nodiscard]] avrm_status_t prepare(detail::CreationResult & /*made*/) noexcept override { return AVRM_OK; }

  detail::CreationResult made;

private:
  friend class Simulator;

  Simulator &job_;
  detail::FrameStack stack_;
  detail::Contexts contexts_;
  std::optional<detail::Task> task_;
};

// Cost of a creation.
struct SimCost {
  std::uint64_t messages = 0;
  std::uint64_t steps = 0; // most messages that one process sent
  // Most messages one after the other: sending one takes a process one step, after which it has
  // arrived.
  std::uint64_t depth = 0;
  std::uint64_t bytes = 0;          // most bytes of messages that one process sent
  std::uint64_t frame_bytes = 0;    // most that one process needed for its coroutines
  std::uint64_t scratch_peak = 0;   // further temporary memory, of all processes together
  std::uint64_t map_bytes_most = 0; // of one process
  double seconds = 0;
};

class Simulator {
public:
  explicit Simulator(std::int32_t size);
  ~Simulator();
  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] avrm_instance_t *instance() const noexcept { return instance_; }
  [[nodiscard]] const avrm_rankmap_t *world() const noexcept { return &world_; }
  [[nodiscard]] SimProcess &process(std::int32_t rank) noexcept { return processes_[rank]; }

  // Runs start(process) in every process for which `takes_part` holds, to the end. The status of
  // each, by rank; of those that wait for ever, and of those that do not take part,
  // AVRM_ERR_TIMEOUT.
  std::vector<avrm_status_t> run(const std::function<detail::Task(SimProcess &)> &start,
                                 const std::function<bool(std::int32_t)> &takes_part);
  std::vector<avrm_status_t> run(const std::function<detail::Task(SimProcess &)> &start);
  // Of the last run.
  [[nodiscard]] const SimCost &cost() const noexcept { return cost_; }
  // Forgets what the processes have made, so that they can make something else.
  void forget();

private:
  friend class SimProcess;

  // Starts a transfer of a process. True if it is over.
  [[nodiscard]] bool start(std::int32_t rank, detail::Transfer *transfer) noexcept;
  // A message to the end of a mailbox.
  void keep(SimMailbox *mailbox, std::int32_t source, std::uint32_t sent_at, const detail::Transfer &transfer) noexcept;
  // The message that a transfer waits for; false if it is not there.
  [[nodiscard]] bool take(SimMailbox *mailbox, detail::Transfer *transfer) noexcept;
  void drop(SimMessage *message) noexcept;

  std::int32_t size_;
  avrm_instance_t *instance_ = nullptr;
  avrm_rankmap_t world_{};
  SimProcess *processes_ = nullptr;
  std::vector<SimMailbox> mailboxes_;
  SimMessage *spare_ = nullptr;                // messages that have been taken
  std::vector<std::coroutine_handle<>> ready_; // whose transfers are over
  SimCost cost_;
};

} // namespace avrankmap::bench

#endif
