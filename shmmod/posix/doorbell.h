// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wakes a process that sleeps until a record arrives. The sleeper sets a word in its segment, which
// senders check after each record, and waits for its own pipe to become readable. A sender that
// finds the word set clears it and writes one byte. Like the segment, the pipe has no name: senders
// open it through /proc, and keep open the pipe that they used last (WakeupPipe).
//
// Memory order: the sleeper must not miss a record whose sender missed the word. So each side needs
// a full barrier between its store and its load. The sleeper makes the system execute the senders'
// barriers (membarrier), so that a record costs a sender only a load. If the system does not
// support this, a wake-up may be lost, and the sleeper's time limit ends the sleep.
#ifndef AVRANKMAP_SHMMOD_POSIX_DOORBELL_H
#define AVRANKMAP_SHMMOD_POSIX_DOORBELL_H

#include <atomic>
#include <cstdint>

#include "avrankmap/base.h"
#include "posix/shm_file.h"

namespace avrankmap::detail::posix {

// The pipe that a process wrote to last. It is kept open, because opening it takes half as long as
// waking a process, and the sleeper may sleep again. So a process needs one descriptor for other
// processes' pipes, no matter how many processes it wakes.
class WakeupPipe {
public:
  // Opens this process's own pipe as a placeholder, so that the number of open descriptors does not
  // depend on whether peers sleep. Returns AVRM_OK or AVRM_ERR_SYSTEM.
  [[nodiscard]] avrm_status_t open(const PipeName &own) noexcept;
  // Writes a byte to a peer's pipe. If the pipe cannot be opened, the sleeper's time limit wakes
  // it; if it is full, an earlier byte does.
  void wake(const PipeName &name) noexcept;

private:
  PipeName name_{-1, -1, 0};
  FileDescriptor pipe_;
};

// The sender's side.
class Doorbell {
public:
  // Constructs the doorbell of a process that never sleeps.
  Doorbell() noexcept = default;
  // `wakeup_pipe` belongs to the sender.
  Doorbell(std::uint32_t *asleep, const PipeName &pipe, WakeupPipe *wakeup_pipe) noexcept
      : asleep_(asleep), name_(pipe), wakeup_pipe_(wakeup_pipe) {}

  // Called after each record.
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
  WakeupPipe *wakeup_pipe_ = nullptr; // set unless the process never sleeps
};

// The sleeper's side.
class WakeupReceiver {
public:
  // `asleep` is the word in the segment. Returns AVRM_OK, AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM.
  [[nodiscard]] avrm_status_t open(std::uint32_t *asleep) noexcept;
  [[nodiscard]] const PipeName &name() const noexcept { return name_; }
  // Becomes readable when a sender rings.
  [[nodiscard]] int descriptor() const noexcept { return read_.get(); }
  // From this call on, senders wake this process. The caller then checks for earlier records.
  void begin_sleep() noexcept;
  void end_sleep() noexcept;

private:
  std::uint32_t *asleep_ = nullptr;
  PipeName name_{-1, -1, 0};
  FileDescriptor read_;
  FileDescriptor write_; // prevents end-of-file when a sender closes its end
};

} // namespace avrankmap::detail::posix

#endif
