// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronous messages. That one is not complete is only tested after an answer of its receiver to
// a later message: a transport that completes messages early has done so by then.
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/probe.h"
#include "core/device.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

namespace {

constexpr int kLaterTag = 900;
constexpr int kAnswerTag = 901;
// On both sides of the limits of transports.
constexpr std::size_t kSizes[] = {0, 1, 8, 48, 49, 200, 5000, 8192, 20000, 40000, 300000};

class Message {
public:
  Message(const Process &process, int dest, int number, std::size_t bytes, int tag)
      : device_(process.device), data_(content(process.rank, dest, number, bytes)) {
    AVRM_MUST(avrm_issend(process.world, data_.data(), bytes, dest, tag, &request_) == AVRM_OK);
  }
  Message(Message &&other) noexcept
      : device_(other.device_), data_(std::move(other.data_)), request_(std::exchange(other.request_, nullptr)) {}
  Message(const Message &) = delete;
  Message &operator=(const Message &) = delete;
  ~Message() { AVRM_MUST(request_ == nullptr); }

  [[nodiscard]] bool is_complete() {
    avrm_progress(device_);
    return request_->done != 0;
  }
  void await() { wait(std::exchange(request_, nullptr)); }

private:
  avrm_device_t *device_;
  Buffer data_;
  avrm_request_t *request_ = nullptr;
};

// The sender waits until the receiver has got all messages before this one.
void await_answer(Process &process, int peer) {
  Buffer none;
  send(process, {}, peer, kLaterTag);
  receive(process, none, peer, kAnswerTag);
}
void answer(Process &process, int peer) {
  Buffer none;
  receive(process, none, peer, kLaterTag);
  send(process, {}, peer, kAnswerTag);
}

void receive_and_check(Process &process, int source, int sender, int tag, int number, std::size_t bytes) {
  Buffer in(bytes);
  const avrm_outcome_t outcome = receive(process, in, source, tag);
  AVRM_MUST(outcome.source == sender && outcome.bytes == bytes);
  AVRM_MUST(in == content(sender, process.rank, number, bytes));
}

bool is_sender(const Process &process) { return process.rank % 2 == 0; }

} // namespace

void a_synchronous_message_completes_once_it_is_matched(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  int number = 0;
  for (const std::size_t bytes : kSizes) {
    for (const bool from_anybody : {false, true}) {
      ++number;
      if (is_sender(process)) {
        Message message(process, peer, number, bytes, 5);
        await_answer(process, peer);
        AVRM_MUST(!message.is_complete());
        await_answer(process, peer);
        message.await();
      } else {
        answer(process, peer);
        Buffer none;
        receive(process, none, peer, kLaterTag);
        receive_and_check(process, from_anybody ? AVRM_ANY_SOURCE : peer, peer, from_anybody ? AVRM_ANY_TAG : 5, number,
                          bytes);
        send(process, {}, peer, kAnswerTag);
      }
    }
  }
}

void synchronous_messages_to_posted_receives_complete(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const int source : {peer, AVRM_ANY_SOURCE}) {
    for (const std::size_t bytes : kSizes) {
      if (is_sender(process)) {
        Buffer none;
        receive(process, none, peer, kAnswerTag);
        Message(process, peer, 2, bytes, 6).await();
      } else {
        Buffer in(bytes);
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, source, 6, &request) == AVRM_OK);
        send(process, {}, peer, kAnswerTag);
        wait(request);
        AVRM_MUST(in == content(peer, process.rank, 2, bytes));
      }
    }
  }
}

void synchronous_messages_keep_their_order_among_others(Process &process) {
  constexpr int kCount = 200;
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  const auto size_of = [](int i) { return kSizes[static_cast<std::size_t>(i) % std::size(kSizes)] % 40001; };
  if (is_sender(process)) {
    std::vector<Message> messages;
    std::vector<Buffer> buffers;
    std::vector<avrm_request_t *> requests;
    for (int i = 0; i < kCount; ++i) {
      if (i % 3 != 1) {
        messages.emplace_back(process, peer, i, size_of(i), 7 + i % 2);
        continue;
      }
      buffers.push_back(content(process.rank, peer, i, size_of(i)));
      AVRM_MUST(avrm_isend(process.world, buffers.back().data(), size_of(i), peer, 7 + i % 2,
                           &requests.emplace_back()) == AVRM_OK);
    }
    for (Message &message : messages) {
      message.await();
    }
    AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests.size()), requests.data(), nullptr) == AVRM_OK);
  } else {
    for (int i = 0; i < kCount; ++i) {
      Buffer in(40000);
      const avrm_outcome_t outcome = receive(process, in, i % 5 == 0 ? AVRM_ANY_SOURCE : peer, AVRM_ANY_TAG);
      in.resize(outcome.bytes);
      AVRM_MUST(outcome.tag == 7 + i % 2 && in == content(peer, process.rank, i, size_of(i)));
    }
  }
}

// Of two messages that differ in the tag, or in nothing, each is complete when it was matched.
void each_synchronous_message_is_told_of_its_own_receive(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}}) {
    if (is_sender(process)) {
      Message first(process, peer, 1, bytes, 1);
      Message second(process, peer, 2, bytes, 2);
      Message third(process, peer, 3, bytes, 2);
      await_answer(process, peer); // the receiver then takes the second one
      second.await();
      await_answer(process, peer);
      AVRM_MUST(!first.is_complete() && !third.is_complete());
      send(process, {}, peer, kLaterTag);
      third.await();
      first.await();
    } else {
      answer(process, peer);
      receive_and_check(process, peer, peer, 2, 2, bytes);
      answer(process, peer);
      Buffer none;
      receive(process, none, peer, kLaterTag);
      receive_and_check(process, peer, peer, 2, 3, bytes);
      receive_and_check(process, AVRM_ANY_SOURCE, peer, 1, 1, bytes);
    }
  }
}

void a_truncated_synchronous_message_was_matched(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const std::size_t room : {0U, 3U}) {
    for (const std::size_t bytes : {8U, 100U, 20000U, 300000U}) {
      for (const bool early : {false, true}) {
        if (is_sender(process)) {
          Buffer none;
          if (!early) {
            receive(process, none, peer, kAnswerTag);
          }
          Message message(process, peer, 4, bytes, 8);
          if (early) {
            await_answer(process, peer);
          }
          message.await();
          continue;
        }
        if (early) {
          answer(process, peer);
        }
        Buffer in(room);
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_irecv(process.world, in.data(), room, peer, 8, &request) == AVRM_OK);
        if (!early) {
          send(process, {}, peer, kAnswerTag);
        }
        AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_TRUNCATED);
      }
    }
  }
}

// A probe alone does not match a message.
void synchronous_messages_that_are_taken_out_are_matched_when_received(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}}) {
    if (is_sender(process)) {
      Message message(process, peer, 5, bytes, 9);
      await_answer(process, peer);
      AVRM_MUST(!message.is_complete());
      send(process, {}, peer, kLaterTag);
      message.await();
      continue;
    }
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_probe(process.world, AVRM_ANY_SOURCE, 9, &outcome) == AVRM_OK);
    AVRM_MUST(outcome.source == peer && outcome.tag == 9 && outcome.bytes == bytes);
    answer(process, peer);
    Buffer in(bytes);
    receive(process, in, peer, kLaterTag);
    avrm_message_t *message = nullptr;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_mprobe(process.world, peer, AVRM_ANY_TAG, &message, &outcome) == AVRM_OK && outcome.tag == 9);
    AVRM_MUST(avrm_imrecv(&message, in.data(), bytes, &request) == AVRM_OK);
    wait(request, &outcome);
    AVRM_MUST(outcome.tag == 9 && outcome.bytes == bytes && in == content(peer, process.rank, 5, bytes));
  }
}

void synchronous_messages_in_blocks_arrive_in_blocks(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const std::size_t block : {2, 3, 30000, 30001}) { // even: a layout, odd: a list
    const avrm_layout_t layout{block, 3, 2 * block};
    const auto step = static_cast<std::int64_t>(2 * block);
    const avrm_block_t listed[] = {{0, block}, {step, block}, {2 * step, block}};
    const avrm_blocks_t list{listed, 3};
    Buffer memory = content(is_sender(process) ? process.rank : peer, 0, 6, 6 * block);
    avrm_request_t *request = nullptr;
    if (is_sender(process)) {
      AVRM_MUST((block % 2 == 0
                     ? avrm_issend_strided(process.world, memory.data(), &layout, peer, 10, &request)
                     : avrm_issend_blocks(process.world, memory.data(), &list, peer, 10, &request)) == AVRM_OK);
      await_answer(process, peer);
      avrm_progress(process.device);
      AVRM_MUST(request->done == 0);
      send(process, {}, peer, kLaterTag);
      wait(request);
      continue;
    }
    answer(process, peer);
    Buffer in(memory.size());
    receive(process, in, peer, kLaterTag);
    AVRM_MUST(avrm_irecv_strided(process.world, in.data(), &layout, peer, 10, &request) == AVRM_OK);
    wait(request);
    for (std::size_t at = 0; at < 6 * block; at += 2 * block) {
      AVRM_MUST(std::memcmp(&in[at], &memory[at], block) == 0);
    }
  }
}

void a_synchronous_message_to_oneself_waits_for_its_receive(Process &process) {
  for (const std::size_t bytes : kSizes) {
    Message message(process, process.rank, 7, bytes, 11);
    AVRM_MUST(!message.is_complete());
    receive_and_check(process, process.rank, process.rank, 11, 7, bytes);
    message.await();
    // And with the receive first.
    Buffer in(bytes);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, AVRM_ANY_SOURCE, 12, &request) == AVRM_OK);
    Message(process, process.rank, 8, bytes, 12).await();
    wait(request);
    AVRM_MUST(in == content(process.rank, process.rank, 8, bytes));
  }
}

void synchronous_messages_with_wrong_arguments_are_refused(Process &process) {
  avrm_request_t *request = nullptr;
  const avrm_layout_t layout{4, 2, 2};
  AVRM_MUST(avrm_issend(nullptr, nullptr, 0, 0, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_issend(process.world, nullptr, 0, 0, 0, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_issend(process.world, nullptr, 1, 0, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_issend(process.world, nullptr, 0, process.size, 0, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_issend(process.world, nullptr, 0, 0, AVRM_MATCH_MAX_TAG + 1, &request) == AVRM_ERR_TAG);
  AVRM_MUST(avrm_issend_strided(process.world, &layout, nullptr, 0, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_issend_strided(process.world, &layout, &layout, 0, 0, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(request == nullptr && process.world->users == 0);
}

} // namespace avrankmap::test
