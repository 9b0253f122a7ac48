// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <climits>
#include <numeric>

#include "core/device.h"
#include "tests/device/comm/members.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

namespace {

// Sizes on both sides of every boundary that a transport may have.
std::vector<std::size_t> all_sizes(const Process &process) {
  std::vector<std::size_t> sizes{0, 1, 7, 8};
  for (std::size_t bytes = 16; bytes <= 1U << 20; bytes *= 2) {
    sizes.insert(sizes.end(), {bytes - 1, bytes, bytes + 1});
  }
  std::vector<std::size_t> limits{process.device->net->inject_max, process.device->net->am_max};
  if (process.device->shm != nullptr) {
    limits.insert(limits.end(), {process.device->shm->inject_max, process.device->shm->am_max});
  }
  for (const std::size_t limit : limits) {
    if (limit > 0 && limit < 1U << 20) {
      sizes.insert(sizes.end(), {limit - 1, limit, limit + 1});
    }
  }
  return sizes;
}

// Both partners send messages of all `sizes` to each other, all at once.
void exchange_all(Process &process, const std::vector<std::size_t> &sizes) {
  const int peer = process.partner();
  int number = 0;
  for (const std::size_t bytes : sizes) {
    const Buffer sent = content(process.rank, peer, number, bytes);
    Buffer received(bytes);
    avrm_request_t *in = nullptr;
    avrm_request_t *out = nullptr;
    AVRM_MUST(avrm_irecv(process.world, received.data(), bytes, peer, 5, &in) == AVRM_OK);
    AVRM_MUST(avrm_isend(process.world, sent.data(), bytes, peer, 5, &out) == AVRM_OK);
    avrm_outcome_t outcome{};
    wait(in, &outcome);
    wait(out);
    AVRM_MUST(outcome.bytes == bytes && outcome.source == peer && outcome.tag == 5);
    AVRM_MUST(received == content(peer, process.rank, number, bytes));
    ++number;
  }
}

} // namespace

void every_size_arrives_intact(Process &process) {
  if (process.has_partner()) {
    exchange_all(process, all_sizes(process));
  }
}

void sixty_four_mebibytes_arrive_intact(Process &process) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  if (process.has_partner()) {
    exchange_all(process, {kBytes, kBytes + 1});
  }
}

void unexpected_messages_are_matched_by_tag(Process &process) {
  constexpr int kCount = 300; // of which a matcher looks for one in tables
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  if (process.rank % 2 == 0) {
    for (int i = 0; i < kCount; ++i) {
      send(process, content(process.rank, peer, i, 100), peer, i);
    }
  } else {
    for (int i = kCount - 1; i >= 0; --i) {
      Buffer received(100);
      AVRM_MUST(receive(process, received, i % 3 == 0 ? AVRM_ANY_SOURCE : peer, i).tag == i);
      AVRM_MUST(received == content(peer, process.rank, i, 100));
    }
  }
}

void posted_receives_are_matched_by_tag(Process &process) {
  constexpr int kCount = 300;
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  std::vector<Buffer> received(kCount, Buffer(100));
  std::vector<avrm_request_t *> requests(kCount);
  for (int i = kCount - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    const int source = i % 3 == 0 ? AVRM_ANY_SOURCE : peer;
    AVRM_MUST(avrm_irecv(process.world, received[at].data(), 100, source, i, &requests[at]) == AVRM_OK);
  }
  for (int i = 0; i < kCount; ++i) {
    send(process, content(process.rank, peer, i, 100), peer, i);
  }
  for (int i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    wait(requests[at]);
    AVRM_MUST(received[at] == content(peer, process.rank, i, 100));
  }
}

void unexpected_messages_of_every_size_are_kept(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  const std::vector<std::size_t> sizes{0, 1, 48, 49, 100, 4096, 8192, 8193, 16384, 70000, 1U << 20};
  const auto count = static_cast<int>(sizes.size());
  std::vector<Buffer> sent;
  std::vector<avrm_request_t *> requests(sizes.size());
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sent.push_back(content(process.rank, peer, i, sizes[at]));
    AVRM_MUST(avrm_isend(process.world, sent[at].data(), sizes[at], peer, i, &requests[at]) == AVRM_OK);
  }
  // This message comes after all others, so those are here, unexpected, before they are received.
  send(process, {}, peer, count);
  Buffer none;
  receive(process, none, peer, count);
  for (int i = count - 1; i >= 0; --i) {
    Buffer received(sizes[static_cast<std::size_t>(i)]);
    AVRM_MUST(receive(process, received, peer, i).bytes == received.size());
    AVRM_MUST(received == content(peer, process.rank, i, received.size()));
  }
  for (avrm_request_t *const request : requests) {
    wait(request);
  }
}

void messages_of_one_sender_keep_their_order(Process &process) {
  constexpr int kCount = 2000;
  // Sizes alternate between the protocols that a transport may use for them.
  const auto size_of = [](int i) { return static_cast<std::size_t>(i % 50 == 0 ? 20000 : i % 7 == 0 ? 300 : 16); };
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (int i = 0; i < kCount; ++i) {
    if (process.rank % 2 == 0) {
      send(process, content(process.rank, peer, i, size_of(i)), peer, 3);
    } else {
      Buffer received(20000);
      received.resize(receive(process, received, peer, 3).bytes);
      AVRM_MUST(received == content(peer, process.rank, i, size_of(i)));
    }
  }
}

void a_receive_from_anybody_takes_each_message_once(Process &process) {
  constexpr int kEach = 50;
  if (process.rank != 0) {
    for (int i = 0; i < kEach; ++i) {
      send(process, content(process.rank, 0, i, 64), 0, i);
    }
    Buffer none;
    receive(process, none, 0, 0); // later messages must not match these receives
    return;
  }
  std::vector<int> count(static_cast<std::size_t>(process.size));
  for (int i = 0; i < (process.size - 1) * kEach; ++i) {
    Buffer received(64);
    const avrm_outcome_t outcome = receive(process, received, AVRM_ANY_SOURCE, AVRM_ANY_TAG);
    const auto source = static_cast<std::size_t>(outcome.source);
    AVRM_MUST(outcome.source > 0 && outcome.source < process.size && outcome.tag == count[source]);
    AVRM_MUST(received == content(outcome.source, 0, count[source]++, 64));
  }
  for (int peer = 1; peer < process.size; ++peer) {
    send(process, {}, peer, 0);
  }
}

void a_receive_of_any_tag_takes_messages_in_order(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  const int tags[] = {AVRM_MATCH_MAX_TAG, 0, 77, 0};
  int number = 0;
  for (const int tag : tags) {
    if (process.rank % 2 == 0) {
      send(process, content(process.rank, peer, number, 33), peer, tag);
    } else {
      Buffer received(33);
      AVRM_MUST(receive(process, received, peer, AVRM_ANY_TAG).tag == tag);
      AVRM_MUST(received == content(peer, process.rank, number, 33));
    }
    ++number;
  }
}

void a_process_can_send_to_itself(Process &process) {
  for (const std::size_t bytes : {0U, 1U, 1000U, 1U << 20}) {
    send(process, content(process.rank, process.rank, 0, bytes), process.rank, 1);
    Buffer received(bytes);
    AVRM_MUST(receive(process, received, process.rank, 1).source == process.rank);
    AVRM_MUST(received == content(process.rank, process.rank, 0, bytes));
    // And with the receive first.
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, received.data(), bytes, AVRM_ANY_SOURCE, 2, &request) == AVRM_OK);
    send(process, content(process.rank, process.rank, 1, bytes), process.rank, 2);
    wait(request);
    AVRM_MUST(received == content(process.rank, process.rank, 1, bytes));
  }
}

void a_message_that_is_too_long_is_truncated(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const bool early : {false, true}) { // whether it arrives before it is received
    for (const std::size_t bytes : {11U, 100U, 20000U, 1U << 20}) {
      if (process.rank % 2 == 0) {
        avrm_request_t *request = nullptr;
        const Buffer sent = content(process.rank, peer, 0, bytes);
        AVRM_MUST(avrm_isend(process.world, sent.data(), bytes, peer, 1, &request) == AVRM_OK);
        send(process, {}, peer, 2);
        wait(request);
        continue;
      }
      Buffer none;
      if (early) {
        receive(process, none, peer, 2);
      }
      Buffer received(12, 0xee);
      avrm_request_t *request = nullptr;
      avrm_outcome_t outcome{};
      AVRM_MUST(avrm_irecv(process.world, received.data(), 10, peer, 1, &request) == AVRM_OK);
      AVRM_MUST(avrm_wait(&request, &outcome) == AVRM_ERR_TRUNCATED);
      AVRM_MUST(outcome.status == AVRM_ERR_TRUNCATED && outcome.source == peer && outcome.tag == 1);
      AVRM_MUST(outcome.bytes == 10 && received[10] == 0xee && received[11] == 0xee);
      if (!early) {
        receive(process, none, peer, 2);
      }
    }
  }
}

void messages_with_wrong_arguments_are_refused(Process &process) {
  Buffer buffer(8);
  constexpr avrm_layout_t kTooLong{SIZE_MAX, 2, SIZE_MAX};
  auto *const untouched = reinterpret_cast<avrm_request_t *>(&process);
  avrm_request_t *request = untouched;
  const auto isend = [&](avrm_comm_t *comm, const void *data, int dest, int tag) {
    return avrm_isend(comm, data, buffer.size(), dest, tag, &request);
  };
  const auto irecv = [&](avrm_comm_t *comm, void *data, int source, int tag) {
    return avrm_irecv(comm, data, buffer.size(), source, tag, &request);
  };
  AVRM_MUST(isend(nullptr, buffer.data(), 0, 0) == AVRM_ERR_NULL);
  AVRM_MUST(irecv(nullptr, buffer.data(), 0, 0) == AVRM_ERR_NULL);
  AVRM_MUST(isend(process.world, nullptr, 0, 0) == AVRM_ERR_NULL);
  AVRM_MUST(irecv(process.world, nullptr, 0, 0) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_isend(process.world, buffer.data(), 8, 0, 0, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_irecv(process.world, buffer.data(), 8, 0, 0, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_isend_strided(process.world, buffer.data(), nullptr, 0, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_irecv_strided(process.world, buffer.data(), nullptr, 0, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_isend_strided(process.world, buffer.data(), &kTooLong, 0, 0, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_irecv_strided(process.world, buffer.data(), &kTooLong, 0, 0, &request) == AVRM_ERR_SIZE);
  static_assert(AVRM_ANY_SOURCE == -1 && AVRM_ANY_TAG == -1);
  for (const int rank : {process.size, INT_MAX, -1, -2, INT_MIN}) {
    AVRM_MUST(isend(process.world, buffer.data(), rank, 0) == AVRM_ERR_RANK);
    AVRM_MUST(rank == -1 || irecv(process.world, buffer.data(), rank, 0) == AVRM_ERR_RANK);
  }
  for (const int tag : {AVRM_MATCH_MAX_TAG + 1, INT_MAX, -1, -2, INT_MIN}) {
    AVRM_MUST(isend(process.world, buffer.data(), 0, tag) == AVRM_ERR_TAG);
    AVRM_MUST(tag == -1 || irecv(process.world, buffer.data(), 0, tag) == AVRM_ERR_TAG);
  }
  AVRM_MUST(request == untouched);
}

void strided_data_arrive_strided(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  for (const avrm_layout_t &layout :
       {avrm_layout_t{24, 33, 40}, avrm_layout_t{1, 1000, 3}, avrm_layout_t{5000, 60, 5001}, avrm_layout_t{8, 1, 0}}) {
    const std::size_t extent = layout.count > 1 ? layout.count * layout.pitch : layout.block;
    Buffer memory(extent);
    avrm_request_t *request = nullptr;
    if (process.rank % 2 == 0) {
      fill(memory, process.rank, peer, 0);
      AVRM_MUST(avrm_isend_strided(process.world, memory.data(), &layout, peer, 2, &request) == AVRM_OK);
      wait(request);
      continue;
    }
    AVRM_MUST(avrm_irecv_strided(process.world, memory.data(), &layout, peer, 2, &request) == AVRM_OK);
    wait(request);
    const Buffer sent = content(peer, process.rank, 0, extent);
    for (std::size_t i = 0; i < extent; ++i) {
      const bool inside = layout.count == 1 || i % layout.pitch < layout.block;
      AVRM_MUST(memory[i] == (inside ? sent[i] : 0));
    }
  }
}

void communicators_do_not_mix_their_messages(Process &process) {
  const int last = process.size - 1;
  avrm_rankmap_t map{};
  AVRM_MUST(avrm_rankmap_create_child_regular(avrm_comm_map(process.world), process.size, last, -1, 1, 0, &map) ==
            AVRM_OK);
  avrm_comm_t *reversed = nullptr;
  AVRM_MUST(avrm_comm_create_local(process.device, &map, last - process.rank, 7, &reversed) == AVRM_OK);
  AVRM_MUST(avrm_comm_rank(reversed) == last - process.rank && avrm_comm_size(reversed) == process.size);
  Members backwards = everyone(process);
  std::reverse(backwards.begin(), backwards.end());
  check(process, reversed, backwards);
  Process other = process;
  other.world = reversed;
  // To the next process, first in the world, then in the other communicator; received in
  // reverse order.
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + last) % process.size;
  send(process, content(process.rank, next, 1, 50), next, 1);
  send(other, content(process.rank, next, 2, 50), last - next, 1);
  Buffer received(50);
  AVRM_MUST(receive(other, received, last - previous, 1).source == last - previous);
  AVRM_MUST(received == content(previous, process.rank, 2, 50));
  receive(process, received, previous, 1);
  AVRM_MUST(received == content(previous, process.rank, 1, 50));
  AVRM_MUST(avrm_comm_free(reversed) == AVRM_OK);
}

void everything_can_be_issued(Process &process) {
  constexpr std::size_t kWindow = 4096;
  avrm_window_t *window = nullptr;
  Buffer memory(kWindow);
  AVRM_MUST(avrm_window_create(process.world, memory.data(), kWindow, 0, &window) == AVRM_OK);
  const avrm_layout_t strided{8, 100, 16};
  for (int peer = 0; peer < process.size; ++peer) {
    if (peer == process.rank) {
      continue;
    }
    const Buffer data = content(process.rank, peer, 0, std::size_t{1} << 20);
    avrm_request_t *request = nullptr;
    for (const std::size_t bytes : all_sizes(process)) {
      AVRM_MUST(avrm_isend(process.world, data.data(), bytes, peer, 3, &request) == AVRM_OK);
      wait(request);
    }
    AVRM_MUST(avrm_isend_strided(process.world, data.data(), &strided, peer, 3, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_put(window, data.data(), kWindow, peer, 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_rput(window, data.data(), kWindow, peer, 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_flush_local(window, peer) == AVRM_OK && avrm_flush(window, peer) == AVRM_OK);
    AVRM_MUST(avrm_irecv(process.world, memory.data(), 8, peer, 3, &request) == AVRM_OK);
    AVRM_MUST(avrm_cancel(request) == AVRM_OK);
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
  }
  AVRM_MUST(memory == Buffer(kWindow));
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
}

} // namespace avrankmap::test
