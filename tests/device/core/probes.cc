// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/probe.h"

#include <algorithm>

#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

namespace {

constexpr int kMarkTag = 900;
// On both sides of the limits of eager messages, and of the pieces of long ones.
constexpr std::size_t kSizes[] = {0, 1, 48, 49, 4096, 8193, 33000, 200000};
constexpr int kMessages = static_cast<int>(std::size(kSizes));

// Sends one message of each size with its own tag, then one that shows that they are here.
std::vector<avrm_request_t *> send_all(Process &process, std::vector<Buffer> &sent, bool one_tag) {
  const int peer = process.partner();
  std::vector<avrm_request_t *> requests(sent.size());
  for (int i = 0; i < kMessages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sent[at] = content(process.rank, peer, i, kSizes[at]);
    AVRM_MUST(avrm_isend(process.world, sent[at].data(), kSizes[at], peer, one_tag ? 4 : i, &requests[at]) == AVRM_OK);
  }
  send(process, {}, peer, kMarkTag);
  return requests;
}

void wait_all(std::vector<avrm_request_t *> &requests) {
  AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests.size()), requests.data(), nullptr) == AVRM_OK);
}

void await_mark(Process &process) {
  Buffer none;
  receive(process, none, process.partner(), kMarkTag);
}

avrm_outcome_t receive_message(avrm_message_t *message, Buffer &buffer, avrm_status_t expected = AVRM_OK) {
  avrm_request_t *request = nullptr;
  avrm_outcome_t outcome{};
  AVRM_MUST(avrm_imrecv(&message, buffer.data(), buffer.size(), &request) == AVRM_OK && message == nullptr);
  AVRM_MUST(avrm_wait(&request, &outcome) == expected);
  return outcome;
}

bool is_there(Process &process, int source, int tag) {
  bool found = true;
  AVRM_MUST(avrm_iprobe(process.world, source, tag, &found, nullptr) == AVRM_OK);
  return found;
}

} // namespace

void probes_find_what_a_receive_would_take(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  if (process.rank % 2 == 0) {
    std::vector<Buffer> sent(kMessages);
    std::vector<avrm_request_t *> requests = send_all(process, sent, false);
    wait_all(requests);
    return;
  }
  await_mark(process);
  for (int i = kMessages - 1; i >= 0; --i) {
    const int source = i % 2 == 0 ? AVRM_ANY_SOURCE : peer;
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_probe(process.world, source, i, &outcome) == AVRM_OK);
    AVRM_MUST(outcome.status == AVRM_OK && outcome.source == peer && outcome.tag == i);
    AVRM_MUST(outcome.bytes == kSizes[i]);
    Buffer received(outcome.bytes);
    AVRM_MUST(is_there(process, peer, i)); // a probe leaves it there
    receive(process, received, outcome.source, outcome.tag);
    AVRM_MUST(received == content(peer, process.rank, i, kSizes[i]));
    AVRM_MUST(!is_there(process, source, i));
  }
  AVRM_MUST(!is_there(process, AVRM_ANY_SOURCE, AVRM_ANY_TAG));
}

void messages_that_are_taken_out_keep_their_order(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  if (process.rank % 2 == 0) {
    std::vector<Buffer> sent(kMessages);
    std::vector<avrm_request_t *> requests = send_all(process, sent, true);
    wait_all(requests);
    return;
  }
  await_mark(process);
  std::vector<avrm_message_t *> messages(kMessages);
  for (int i = 0; i < kMessages; ++i) {
    avrm_outcome_t outcome{};
    bool found = false;
    AVRM_MUST(avrm_improbe(process.world, i % 2 == 0 ? AVRM_ANY_SOURCE : peer, i % 3 == 0 ? AVRM_ANY_TAG : 4, &found,
                           &messages[static_cast<std::size_t>(i)], &outcome) == AVRM_OK);
    AVRM_MUST(found && outcome.bytes == kSizes[i] && outcome.source == peer && outcome.tag == 4);
  }
  AVRM_MUST(!is_there(process, AVRM_ANY_SOURCE, AVRM_ANY_TAG)); // nobody else gets them
  AVRM_MUST(avrm_device_close(process.device) == AVRM_ERR_BUSY);
  for (int i = kMessages - 1; i >= 0; --i) {
    Buffer received(kSizes[i]);
    const avrm_outcome_t outcome = receive_message(messages[static_cast<std::size_t>(i)], received);
    AVRM_MUST(outcome.bytes == kSizes[i] && outcome.source == peer && outcome.tag == 4);
    AVRM_MUST(received == content(peer, process.rank, i, kSizes[i]));
  }
}

void messages_that_are_taken_out_may_be_too_long(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const std::size_t bytes : {11U, 100U, 20000U, 1U << 20}) {
    if (process.rank % 2 == 0) {
      send(process, content(process.rank, peer, 0, bytes), peer, 1);
      send(process, content(process.rank, peer, 1, bytes), peer, 1);
      send(process, content(process.rank, peer, 2, bytes), peer, 1);
      continue;
    }
    avrm_message_t *message = nullptr;
    AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, 1, &message, nullptr) == AVRM_OK);
    Buffer received(10);
    received.reserve(12);
    const avrm_outcome_t outcome = receive_message(message, received, AVRM_ERR_TRUNCATED);
    AVRM_MUST(outcome.source == peer && outcome.tag == 1 && outcome.bytes == 10);
    // And into blocks with gaps.
    AVRM_MUST(avrm_mprobe(process.world, peer, 1, &message, nullptr) == AVRM_OK);
    Buffer spread(3 * bytes, 0xee);
    const avrm_layout_t layout{1, bytes, 3};
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_imrecv_strided(&message, spread.data(), &layout, &request) == AVRM_OK);
    wait(request);
    const Buffer expected = content(peer, process.rank, 1, bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      AVRM_MUST(spread[3 * i] == expected[i] && spread[3 * i + 1] == 0xee && spread[3 * i + 2] == 0xee);
    }
    // And into a list that is too short for it, which is overwritten.
    AVRM_MUST(avrm_mprobe(process.world, peer, 1, &message, nullptr) == AVRM_OK);
    Buffer swapped(12, 0xee);
    avrm_block_t blocks[] = {{7, 4}, {1, 4}};
    const avrm_blocks_t list{blocks, 2};
    avrm_outcome_t end{};
    AVRM_MUST(avrm_imrecv_blocks(&message, swapped.data(), &list, &request) == AVRM_OK);
    blocks[0] = blocks[1] = {0, 12};
    AVRM_MUST(avrm_wait(&request, &end) == AVRM_ERR_TRUNCATED && end.bytes == 8);
    AVRM_MUST(swapped[0] == 0xee && swapped[5] == 0xee && swapped[6] == 0xee && swapped[11] == 0xee);
  }
}

void probes_from_anybody_find_each_message_once(Process &process) {
  constexpr int kEach = 30;
  if (process.rank != 0) {
    for (int i = 0; i < kEach; ++i) {
      send(process, content(process.rank, 0, i, i % 5 == 0 ? 20000 : 64), 0, i);
    }
    Buffer none;
    receive(process, none, 0, 0); // later messages must not match these probes
    return;
  }
  std::vector<int> count(static_cast<std::size_t>(process.size));
  for (int i = 0; i < (process.size - 1) * kEach; ++i) {
    avrm_message_t *message = nullptr;
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &message, &outcome) == AVRM_OK);
    const auto source = static_cast<std::size_t>(outcome.source);
    AVRM_MUST(outcome.source > 0 && outcome.source < process.size && outcome.tag == count[source]);
    Buffer received(outcome.bytes);
    receive_message(message, received);
    AVRM_MUST(received == content(outcome.source, 0, count[source]++, outcome.tag % 5 == 0 ? 20000 : 64));
  }
  for (int peer = 1; peer < process.size; ++peer) {
    send(process, {}, peer, 0);
  }
}

void receives_take_their_messages_before_probes(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const int source : {peer, AVRM_ANY_SOURCE}) {
    if (process.rank % 2 == 0) {
      Buffer none;
      receive(process, none, peer, 2);
      for (int i = 0; i < 2; ++i) {
        send(process, content(process.rank, peer, i, 9), peer, 1);
      }
      send(process, {}, peer, kMarkTag);
      continue;
    }
    Buffer first(9);
    Buffer second(9);
    avrm_request_t *request = nullptr;
    avrm_message_t *message = nullptr;
    AVRM_MUST(avrm_irecv(process.world, first.data(), first.size(), source, 1, &request) == AVRM_OK);
    send(process, {}, peer, 2);
    await_mark(process);
    AVRM_MUST(avrm_mprobe(process.world, peer, 1, &message, nullptr) == AVRM_OK);
    AVRM_MUST(!is_there(process, AVRM_ANY_SOURCE, 1));
    receive_message(message, second);
    wait(request);
    AVRM_MUST(first == content(peer, process.rank, 0, 9) && second == content(peer, process.rank, 1, 9));
  }
}

void probes_find_messages_from_nobody_and_from_oneself(Process &process) {
  avrm_outcome_t outcome{AVRM_ERR_PEER, 7, 7, 7};
  bool found = false;
  avrm_message_t *message = nullptr;
  AVRM_MUST(avrm_improbe(process.world, AVRM_PROC_NULL, 3, &found, &message, &outcome) == AVRM_OK && found);
  AVRM_MUST(outcome.status == AVRM_OK && outcome.source == AVRM_PROC_NULL && outcome.tag == AVRM_ANY_TAG);
  AVRM_MUST(outcome.bytes == 0);
  Buffer received(4, 1);
  outcome = receive_message(message, received);
  AVRM_MUST(outcome.source == AVRM_PROC_NULL && outcome.tag == AVRM_ANY_TAG && outcome.bytes == 0);
  AVRM_MUST(received == Buffer(4, 1));
  AVRM_MUST(avrm_probe(process.world, AVRM_PROC_NULL, AVRM_ANY_TAG, &outcome) == AVRM_OK);

  avrm_request_t *request = nullptr;
  const Buffer sent = content(process.rank, process.rank, 0, 70000);
  AVRM_MUST(avrm_isend(process.world, sent.data(), sent.size(), process.rank, 8, &request) == AVRM_OK);
  AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, 8, &message, &outcome) == AVRM_OK);
  AVRM_MUST(outcome.source == process.rank && outcome.bytes == sent.size());
  Buffer own(sent.size());
  receive_message(message, own);
  wait(request);
  AVRM_MUST(own == sent);
}

void probes_with_wrong_arguments_are_refused(Process &process) {
  bool found = false;
  avrm_message_t *message = nullptr;
  avrm_outcome_t outcome{AVRM_ERR_PEER, 7, 7, 7};
  avrm_request_t *request = nullptr;
  avrm_comm_t *const world = process.world;
  AVRM_MUST(avrm_iprobe(nullptr, 0, 0, &found, &outcome) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_iprobe(world, 0, 0, nullptr, &outcome) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_iprobe(world, process.size, 0, &found, &outcome) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_iprobe(world, -77, 0, &found, &outcome) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_iprobe(world, 0, AVRM_MATCH_MAX_TAG + 1, &found, &outcome) == AVRM_ERR_TAG);
  AVRM_MUST(avrm_probe(world, 0, -77, &outcome) == AVRM_ERR_TAG);
  AVRM_MUST(avrm_improbe(world, 0, 0, &found, nullptr, &outcome) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_improbe(world, 0, 0, nullptr, &message, &outcome) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_mprobe(world, 0, 0, nullptr, &outcome) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_imrecv(nullptr, nullptr, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_imrecv(&message, nullptr, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(outcome.source == 7 && !found && message == nullptr && request == nullptr);
  // What is refused leaves the message.
  send(process, content(0, 0, 0, 8), process.rank, 5);
  AVRM_MUST(avrm_mprobe(world, process.rank, 5, &message, &outcome) == AVRM_OK);
  const avrm_layout_t overlap{8, 2, 4};
  Buffer received(8);
  AVRM_MUST(avrm_imrecv(&message, nullptr, 8, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_imrecv(&message, received.data(), 8, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_imrecv_strided(&message, received.data(), nullptr, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_imrecv_strided(&message, received.data(), &overlap, &request) == AVRM_ERR_SIZE);
  // A receive of a message that was found can no longer be cancelled.
  AVRM_MUST(avrm_imrecv(&message, received.data(), 8, &request) == AVRM_OK);
  AVRM_MUST(avrm_cancel(request) == AVRM_OK);
  wait(request);
  AVRM_MUST(received == content(0, 0, 0, 8));
}

} // namespace avrankmap::test
