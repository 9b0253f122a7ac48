// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A PMI-2 fence in a separate thread, since PMI2_KVS_Fence blocks, has no time limit, and never
// returns if a process has died.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_FENCE_CALL_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_FENCE_CALL_H

#include <cstdint>
#include <memory>
#include <thread>

#include "base/deadline.h"
#include "launch/pmi2/client.h"

namespace avrankmap::detail {

class Pmi2FenceCall {
public:
  enum class Outcome : std::uint8_t {
    kPending,
    kComplete,
    kRefused, // by the launcher, which may have ended
    kBroken,  // by break_off
  };

  explicit Pmi2FenceCall(Pmi2Client &client);
  ~Pmi2FenceCall() { end(); }
  Pmi2FenceCall(const Pmi2FenceCall &) = delete;
  Pmi2FenceCall &operator=(const Pmi2FenceCall &) = delete;

  // Puts values and joins a fence. The previous fence must have ended. Throws std::system_error or
  // std::bad_alloc if no thread can be created.
  void start(Pmi2Client::KeyValues &&puts);
  [[nodiscard]] Outcome test() noexcept;
  // Returns kPending at the deadline.
  [[nodiscard]] Outcome wait(const Deadline &end) noexcept;
  // Ends the fence as broken, because it cannot complete. Thread-safe.
  void break_off() noexcept;
  // Ends the thread, if necessary by closing the connection.
  void end() noexcept;

private:
  struct Round;

  Pmi2Client &client_;
  std::shared_ptr<Round> round_; // shared with the thread, which may outlive this object
  std::thread thread_;
};

} // namespace avrankmap::detail

#endif
