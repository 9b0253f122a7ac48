// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limits the number of injected messages, tagged and active, that the provider buffers. They have
// no completion, and ofi_rxm above TCP buffers any number of them for a process that does not read:
// a loop of sends to a dead or stopped process would exhaust memory.
//
// After a random number of messages, one takes a turn: it is refused with AVRM_ERR_AGAIN until the
// process has made progress, which a loop of sends may never do. Above ofi_rxm it is then sent with
// a completion, which shows that the earlier messages to that peer have left. If the last such
// message to a peer has not completed at the peer's next turn, the peer is held: sends to it return
// AVRM_ERR_AGAIN. The number is random, so that no regular pattern of peers can avoid turns.
#ifndef AVRANKMAP_NETMOD_OFI_FLOW_H
#define AVRANKMAP_NETMOD_OFI_FLOW_H

#include <cstdint>

#include "base/handle_set.h"

namespace avrankmap::detail::ofi {

class Flow {
public:
  // `left` counts messages down to the next turn. Bound programs also decrement it (ofi_fast.h).
  explicit Flow(std::uint32_t &left) noexcept : left_(left) { left_ = kShortest; }

  static constexpr std::uint32_t kShortest = 64; // minimum number of messages between turns

  // Counts a message. Returns true if it may have to take a turn; the caller then calls `take`.
  [[nodiscard]] bool counts() noexcept { return --left_ == 0; }
  enum class Verdict : std::uint8_t { kSend, kSendWithCompletion, kLater };
  [[nodiscard]] Verdict take(std::uint64_t handle) noexcept;
  // Called if the message that took a turn could not be sent and will be retried.
  void repeat() noexcept;
  // Called when a message with a completion was sent.
  void sent(std::uint64_t handle) noexcept;
  // Called when that message has left, or never will.
  void over(std::uint64_t handle) noexcept;
  void progressed() noexcept { progressed_ = true; }

private:
  void go_on() noexcept { left_ = held_.empty() ? to_turn_ : 1; }

  std::uint32_t &left_;
  std::uint32_t to_turn_ = kShortest; // counts all messages while a peer is held
  std::uint32_t random_ = 1;
  bool progressed_ = false; // since the last turn
  HandleSet under_way_;     // peers with a message that has a completion
  HandleSet held_;
};

} // namespace avrankmap::detail::ofi

#endif
