// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wakes a process that sleeps until something comes. The sleeper sets a word in its segment, which
// senders look at after each record, and waits for a pipe of its own to become readable. A sender
// that finds the word set clears it and writes one byte. The pipe has no name either: senders open
// it through /proc, as they do the segment, and keep the last one open (WakeupPipe).
//
// Memory order: the sleeper must not miss a record whose sender missed the word. That takes a full
// barrier between the two on both sides. The sleeper has the system execute the senders' barriers
// (membarrier), so that a record costs a sender no more than a load. Where the system cannot, a
// wake-up may get lost, and the sleeper's time limit ends the sleep.
#ifndef AVRANKMAP_SHMMOD_POSIX_DOORBELL_H
#define AVRANKMAP_SHMMOD_POSIX_DOORBELL_H

#include <atomic>
#include <cstdint>

#include "avrankmap/base.h"
#include "posix/shm_file.h"

namespace avrankmap::detail::posix {

// The pipe that a process wrote to last. It stays open: finding and opening it takes half as long
// as waking a process, and who slept may sleep again. So a process spends one descriptor on the
// pipes of others, however many it wakes.
class WakeupPipe {
public:
  // Opens a pipe of this process, in whose place those of peers come: the number of open
  // descriptors does not depend on who has slept. Returns AVRM_OK or AVRM_ERR_SYSTEM.
  [[nodiscard]] avrm_status_t open(const PipeName &own) noexcept;
  // Writes a byte to a peer's pipe. If that cannot be opened or is full, the sleeper's time limit
  // or an earlier byte wakes it.
  void wake(const PipeName &name) noexcept;

private:
  PipeName name_{-1, -1, 0};
  FileDescriptor pipe_;
};

// The sender's side.
class Doorbell {
public:
  // Of a process that never sleeps.
  Doorbell() noexcept = default;
  // The pipe is the sender's.
  Doorbell(std::uint32_t *asleep, const PipeName &pipe, WakeupPipe *wakeup_pipe) noexcept
      : asleep_(asleep), name_(pipe), wakeup_pipe_(wakeup_pipe) {}

  // To be called after each record.
  void look() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (AVRM_UNLIKELY(std::atomic_ref(*asleep_).load(std::memory_order_relaxed) != 0)) {
      ring();
    }
  }

private:
  [[gnu::noinline]] [[gnu::cold]] void ring() noexcept;

  static inline std::uint32_t awake = 0;

  std::uint32_t *asleep_ = &awake;
  PipeName name_{-1, -1, 0};
  WakeupPipe *wakeup_pipe_ = nullptr; // of use unless the process never sleeps
};

// The sleeper's side.
class WakeupReceiver {
public:
  // `asleep` is the word in the segment. Returns AVRM_OK, AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM.
  [[nodiscard]] avrm_status_t open(std::uint32_t *asleep) noexcept;
  [[nodiscard]] const PipeName &name() const noexcept { return name_; }
  // Readable when it was rung.
  [[nodiscard]] int descriptor() const noexcept { return read_.get(); }
  // From now on records are announced. Those that came before must be looked for afterwards.
  void begin_sleep() noexcept;
  void end_sleep() noexcept;

private:
  std::uint32_t *asleep_ = nullptr;
  PipeName name_{-1, -1, 0};
  FileDescriptor read_;
  FileDescriptor write_; // keeps the pipe from ending when a sender closes its end
};

} // namespace avrankmap::detail::posix

#endif
