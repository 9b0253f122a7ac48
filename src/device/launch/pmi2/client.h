// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// This process as a client of PMI-2, which it can become only once. Only in builds that found PMI-2
// (AVRM_HAVE_PMI2).
//
// libpmi2 has one connection to the launcher, no locks, and a fence that blocks on the connection.
// This class therefore serialises calls, and ends a fence that cannot complete by closing the
// connection. It never calls PMI2_Abort, which exits.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_CLIENT_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_CLIENT_H

#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "avrankmap/status.h"

namespace avrankmap::detail {

class Pmi2Client {
public:
  enum class Found : std::uint8_t {
    kYes,
    kNo,   // not found, or the launcher refuses
    kBusy, // another call takes too long
  };
  using KeyValues = std::vector<std::pair<std::string, std::string>>;

  // A request to the launcher to start processes.
  struct Job {
    std::string command;
    std::vector<std::string> arguments;
    std::string folder;
    std::int32_t size = 0;
    KeyValues preput; // values for the new job's key-value space
  };

  // Never destroyed, because a thread may still be in a call when the process exits.
  [[nodiscard]] static Pmi2Client &instance() noexcept;

  // Becomes a client. Returns AVRM_OK, or AVRM_ERR_BOOT with a text (open_error.h). In a job of one
  // process it may be called again before `leave`.
  [[nodiscard]] avrm_status_t join() noexcept;
  // Called once for each `join`, unless `give_up` is called. After the last call the process cannot
  // join again.
  void leave() noexcept;
  // Undoes a `join`, but keeps the connection, so that the process may try again.
  void give_up() noexcept;

  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  // True if another job has spawned this one.
  [[nodiscard]] bool is_spawned() const noexcept { return is_spawned_; }

  // Returns an attribute of the job; empty if there is none. May throw std::bad_alloc.
  [[nodiscard]] std::string job_attribute(const char *name);
  // Gets a value that `rank` has put or, for kNobody, that was put before the job started.
  // Thread-safe. Waits for a call in progress, up to a time limit.
  static constexpr std::int32_t kNobody = -1;
  [[nodiscard]] Found get(std::int32_t rank, const char *key, char *value, std::size_t room) noexcept;
  // Puts values, and blocks until all processes have called this. Returns false if the launcher
  // refuses.
  [[nodiscard]] bool fence(const KeyValues &puts) noexcept;
  // Blocks until the launcher has answered. Returns false if the launcher refuses.
  [[nodiscard]] bool spawn(const Job &job) noexcept;
  // Causes a call that blocks, and all later ones, to fail.
  void hang_up() noexcept;
  // True if the launcher has closed the connection.
  [[nodiscard]] bool is_lost() const noexcept;

private:
  class Turn;

  Pmi2Client() noexcept = default;
  [[nodiscard]] avrm_status_t start() noexcept;
  [[nodiscard]] bool find_descriptor() noexcept;
  void ignore_signal() noexcept;
  void restore_signal() noexcept;

  std::mutex lock_;
  std::condition_variable changed_;
  bool is_calling_ = false;
  int users_ = 0;
  bool is_connected_ = false;
  bool has_left_ = false;
  bool has_hung_up_ = false;
  int descriptor_ = -1; // of the connection, if it is known
  std::int32_t rank_ = 0;
  std::int32_t size_ = 1;
  bool is_spawned_ = false;
  bool ignores_signal_ = false;
  struct sigaction old_action_ = {};
};

} // namespace avrankmap::detail

#endif
