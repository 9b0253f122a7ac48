// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of an application, of doubles. Each has a slot at its receiver, which both ends know.
// Its tag is the slot, and its first double also names it: a build without matching (proposal 3.6)
// takes messages in the order of arrival, and learns from them what they are.
//
// A sender may be one message ahead of its receiver in a slot at most. Applications therefore use
// two slots in turn per kind of message.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_MAILBOX_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_MAILBOX_H

#include "papers/applications/builds.h"
#include "papers/applications/process.h"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace avrankmap::bench {

class Mailbox {
public:
  /// @param most  doubles of the longest message
  Mailbox(Process &process, std::size_t slots, std::size_t most);
  Mailbox(const Mailbox &) = delete;
  Mailbox &operator=(const Mailbox &) = delete;

  [[nodiscard]] Process &process() const { return process_; }
  /// All processes change the build at the same place of their work.
  void use(const MessageBuild &build) { build_ = &build; }

  /// Announces the next message of a slot.
  void expect(std::size_t slot, std::int32_t rank);
  /// Room for a message to this slot of its receiver, once the one before is over.
  std::span<double> send_buffer(std::size_t slot);
  /// Adds the first `count` doubles of the buffer to those that send() issues.
  void post(std::size_t slot, std::int32_t rank, std::size_t count);
  void send();
  /// Waits for a message that was announced; valid until the next one of its slot is announced.
  std::span<const double> receive(std::size_t slot);
  /// Waits for all that was sent.
  void finish();
  /// Doubles of the longest message.
  [[nodiscard]] std::size_t room() const { return room_ - 1; }

  /// Messages and doubles that this process has sent so far.
  [[nodiscard]] std::int64_t messages() const { return messages_; }
  [[nodiscard]] std::int64_t doubles() const { return doubles_; }

private:
  struct Incoming {
    std::vector<double> text;
    avrm_request_t *request = nullptr;
    std::size_t count = 0; ///< doubles behind the slot; of one that has arrived
    bool arrived = false;
  };
  /// A receive that takes whatever comes.
  struct Any {
    std::vector<double> text;
    avrm_request_t *request = nullptr;
  };

  void take_any();
  void post_any();

  Process &process_;
  const MessageBuild *build_ = kMessageBuilds.data();
  std::size_t room_; ///< of a message, its slot included
  std::vector<Incoming> incoming_;
  std::vector<std::vector<double>> send_buffers_;
  std::vector<avrm_request_t *> sent_; ///< by slot
  std::vector<OutgoingMessage> outgoing_;
  bool some_without_request_ = false;
  std::deque<Any> any_; ///< in the order in which they were posted, which is that of arrivals
  std::vector<std::vector<double>> spare_;
  std::int64_t messages_ = 0;
  std::int64_t doubles_ = 0;
};

} // namespace avrankmap::bench

#endif
