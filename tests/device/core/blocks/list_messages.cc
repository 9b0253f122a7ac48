// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of lists of blocks.
#include <sys/mman.h>

#include "core/device.h"
#include "tests/device/core/blocks/lists.h"
#include "tests/device/core/transport_suite.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

constexpr unsigned char kUntouched = 0xee;
constexpr int kTag = 3;
constexpr int kReadyTag = 4;

bool is_sender(const Process &process) { return process.rank % 2 == 0; }

void send_list(Process &process, const List &list, const Buffer &memory, int dest, avrm_request_t **request) {
  const avrm_blocks_t blocks = list.get();
  AVRM_MUST(avrm_isend_blocks(process.world, memory.data() + list.zero, &blocks, dest, kTag, request) == AVRM_OK);
}

void receive_list(Process &process, const List &list, Buffer *memory, int source, avrm_request_t **request) {
  const avrm_blocks_t blocks = list.get();
  AVRM_MUST(avrm_irecv_blocks(process.world, memory->data() + list.zero, &blocks, source, kTag, request) == AVRM_OK);
}

std::uint64_t copies_of(const Process &process) {
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(process.device), AVRM_MEM_MESSAGE, &usage) == AVRM_OK);
  return usage.live_bytes;
}

} // namespace

// From a list to a list, to a buffer, and from a buffer to a list. The sender's blocks may overlap.
void data_of_any_lists_arrive_in_their_order(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  Random random = seeded_engine(); // the same in both processes
  int number = 0;
  for (const std::size_t bytes : data_sizes(random)) {
    const List from = List::anywhere(random, bytes);
    const List to = List::disjoint(random, bytes);
    const int sender = std::min(process.rank, peer);
    const Buffer source = content(sender, 0, number, from.extent);
    const Buffer packed = from.pack(source.data());
    avrm_request_t *request = nullptr;
    if (is_sender(process)) {
      if (number % 3 == 2) {
        send(process, packed, peer, kTag);
      } else {
        send_list(process, from, source, peer, &request);
        wait(request);
      }
    } else if (number % 3 == 1) {
      Buffer in(bytes);
      AVRM_MUST(receive(process, in, peer, kTag).bytes == bytes && in == packed);
    } else {
      Buffer in(to.extent, kUntouched);
      Buffer expected = in;
      avrm_outcome_t outcome{};
      receive_list(process, to, &in, number % 2 == 0 ? peer : AVRM_ANY_SOURCE, &request);
      wait(request, &outcome);
      to.unpack(packed, &expected);
      AVRM_MUST(outcome.source == peer && outcome.bytes == bytes && in == expected);
    }
    ++number;
  }
}

// Shorter and longer messages than the list.
void messages_fill_lists_from_their_beginning(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  Random random = seeded_engine();
  for (const std::size_t bytes : {2, 100, 5000, 20000, 300000}) {
    for (const std::size_t sent : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 1, bytes, bytes + 1, 2 * bytes}) {
      const List to = List::disjoint(random, bytes);
      const Buffer message = content(std::min(process.rank, peer), 1, 0, sent);
      if (is_sender(process)) {
        send(process, message, peer, kTag);
        continue;
      }
      Buffer in(to.extent, kUntouched);
      Buffer expected = in;
      avrm_request_t *request = nullptr;
      avrm_outcome_t outcome{};
      receive_list(process, to, &in, peer, &request);
      const avrm_status_t status = avrm_wait(&request, &outcome);
      AVRM_MUST(status == (sent > bytes ? AVRM_ERR_TRUNCATED : AVRM_OK));
      AVRM_MUST(outcome.source == peer && outcome.bytes == std::min(sent, bytes));
      to.unpack(message, &expected);
      if (sent > bytes) { // the data are the transport's choice, but not the gaps
        to.unpack(to.pack(in.data()), &expected);
      }
      AVRM_MUST(in == expected);
    }
  }
}

// The memory of the list is overwritten and freed while the operation waits.
void lists_are_only_read_during_the_call(Process &process) {
  if (!process.has_partner()) {
    return;
  }
  const int peer = process.partner();
  Random random = seeded_engine();
  Buffer none;
  for (const std::size_t bytes : {100, 20000, 300000}) {
    const List from = List::anywhere(random, bytes);
    const List to = List::disjoint(random, bytes);
    const Buffer source = content(std::min(process.rank, peer), 2, 0, from.extent);
    avrm_request_t *request = nullptr;
    List taken = is_sender(process) ? from : to;
    if (is_sender(process)) {
      receive(process, none, peer, kReadyTag);
      send_list(process, taken, source, peer, &request);
      std::fill(taken.blocks.begin(), taken.blocks.end(), avrm_block_t{1, SIZE_MAX});
      wait(request);
      continue;
    }
    Buffer in(to.extent, kUntouched);
    Buffer expected = in;
    receive_list(process, taken, &in, peer, &request);
    std::fill(taken.blocks.begin(), taken.blocks.end(), avrm_block_t{1, SIZE_MAX});
    taken = List();
    send(process, none, peer, kReadyTag);
    wait(request);
    to.unpack(from.pack(source.data()), &expected);
    AVRM_MUST(in == expected);
  }
}

// ---- in a job of one process ----

void a_list_without_gaps_takes_no_copy(Process &process) {
  const std::uint64_t before = copies_of(process);
  Buffer in(100, kUntouched);
  const avrm_block_t adjacent[] = {{10, 20}, {-7, 0}, {30, 5}, {35, 1}};
  const avrm_block_t apart[] = {{10, 20}, {31, 6}};
  const avrm_block_t swapped[] = {{30, 6}, {10, 20}};
  const struct {
    avrm_blocks_t blocks;
    bool takes_copy;
  } cases[] = {{{adjacent, 4}, false}, {{apart, 1}, false}, {{nullptr, 0}, false},
               {{adjacent, 0}, false}, {{apart, 2}, true},  {{swapped, 2}, true}};
  for (const auto &one : cases) {
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv_blocks(process.world, in.data(), &one.blocks, process.rank, kTag, &request) == AVRM_OK);
    AVRM_MUST((copies_of(process) != before) == one.takes_copy);
    AVRM_MUST(avrm_cancel(request) == AVRM_OK && avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
    AVRM_MUST(copies_of(process) == before);
  }
  AVRM_MUST(in == Buffer(100, kUntouched));
}

void offsets_from_null_are_addresses(Process &process) {
  Buffer out = content(0, 0, 1, 100);
  Buffer in(100, kUntouched);
  const auto at = [](const unsigned char &byte) { return reinterpret_cast<std::int64_t>(&byte); };
  const avrm_block_t from[] = {{at(out[50]), 10}, {at(out[0]), 20}};
  const avrm_block_t to[] = {{at(in[90]), 5}, {at(in[1]), 25}};
  const avrm_blocks_t sent{from, 2};
  const avrm_blocks_t received{to, 2};
  avrm_request_t *requests[2] = {};
  AVRM_MUST(avrm_irecv_blocks(process.world, nullptr, &received, process.rank, kTag, &requests[0]) == AVRM_OK);
  AVRM_MUST(avrm_isend_blocks(process.world, nullptr, &sent, process.rank, kTag, &requests[1]) == AVRM_OK);
  AVRM_MUST(avrm_waitall(2, requests, nullptr) == AVRM_OK);
  Buffer expected(100, kUntouched);
  std::copy_n(&out[50], 5, &expected[90]);
  std::copy_n(&out[55], 5, &expected[1]);
  std::copy_n(&out[0], 20, &expected[6]);
  AVRM_MUST(in == expected);
}

// All blocks but the last are empty: the list is in pages that are never written to.
void lists_may_have_more_blocks_than_an_int_counts(Process &process) {
  constexpr std::size_t kCount = (std::size_t{1} << 31) + 1;
  constexpr std::size_t kListBytes = kCount * sizeof(avrm_block_t);
  void *const memory =
      mmap(nullptr, kListBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  AVRM_MUST(memory != MAP_FAILED);
  (void)madvise(memory, kListBytes, MADV_HUGEPAGE); // fewer page faults
  auto *const list = static_cast<avrm_block_t *>(memory);
  list[kCount - 1] = {4, 8};
  const avrm_blocks_t blocks{list, kCount};
  const Buffer out = content(0, 0, 2, 12);
  Buffer in(12, kUntouched);
  avrm_request_t *requests[2] = {};
  AVRM_MUST(avrm_irecv_blocks(process.world, in.data(), &blocks, process.rank, kTag, &requests[0]) == AVRM_OK);
  AVRM_MUST(avrm_isend_blocks(process.world, out.data(), &blocks, process.rank, kTag, &requests[1]) == AVRM_OK);
  AVRM_MUST(avrm_waitall(2, requests, nullptr) == AVRM_OK);
  AVRM_MUST(std::memcmp(&in[4], &out[4], 8) == 0 && in[3] == kUntouched);
  AVRM_MUST(munmap(memory, kListBytes) == 0);
}

void lists_with_wrong_arguments_are_refused(Process &process) {
  Buffer memory(8);
  auto *const untouched = reinterpret_cast<avrm_request_t *>(&process);
  avrm_request_t *request = untouched;
  const auto refuse = [&](avrm_status_t status, const void *buffer, const avrm_blocks_t *blocks) {
    avrm_comm_t *const world = process.world;
    void *const in = const_cast<void *>(buffer);
    AVRM_MUST(avrm_isend_blocks(world, buffer, blocks, 0, 0, &request) == status);
    AVRM_MUST(avrm_issend_blocks(world, buffer, blocks, 0, 0, &request) == status);
    AVRM_MUST(avrm_irecv_blocks(world, in, blocks, 0, 0, &request) == status);
    send(process, {}, process.rank, kTag);
    avrm_message_t *message = nullptr;
    AVRM_MUST(avrm_mprobe(world, process.rank, kTag, &message, nullptr) == AVRM_OK);
    AVRM_MUST(avrm_imrecv_blocks(&message, in, blocks, &request) == status && message != nullptr);
    avrm_request_t *empty = nullptr;
    AVRM_MUST(avrm_imrecv(&message, nullptr, 0, &empty) == AVRM_OK && avrm_wait(&empty, nullptr) == AVRM_OK);
  };
  const auto refuse_list = [&](avrm_status_t status, const void *buffer, const std::vector<avrm_block_t> &list) {
    const avrm_blocks_t blocks{list.data(), list.size()};
    refuse(status, buffer, &blocks);
  };
  const std::int64_t address = reinterpret_cast<std::int64_t>(memory.data());
  const avrm_blocks_t no_list{nullptr, 1};
  refuse(AVRM_ERR_NULL, memory.data(), nullptr);
  refuse(AVRM_ERR_NULL, memory.data(), &no_list);
  refuse_list(AVRM_ERR_NULL, nullptr, {{0, 1}});
  refuse_list(AVRM_ERR_NULL, nullptr, {{address, 1}, {0, 1}});
  refuse_list(AVRM_ERR_NULL, memory.data(), {{-address, 8}});
  refuse_list(AVRM_ERR_SIZE, memory.data(), {{-address - 1, 8}});
  refuse_list(AVRM_ERR_SIZE, memory.data(), {{INT64_MIN, 8}});
  refuse_list(AVRM_ERR_SIZE, memory.data(), {{0, SIZE_MAX}});
  refuse_list(AVRM_ERR_SIZE, memory.data(), {{0, 4}, {4, SIZE_MAX - 7}});
  refuse_list(AVRM_ERR_SIZE, nullptr, {{1, SIZE_MAX / 2}, {1, SIZE_MAX / 2}, {1, 2}});
  refuse_list(AVRM_ERR_NO_MEMORY, nullptr, {{1, SIZE_MAX / 2}, {1, SIZE_MAX / 2}, {1, 1}});
  const avrm_block_t block{0, 8};
  const avrm_blocks_t blocks{&block, 1};
  AVRM_MUST(avrm_isend_blocks(nullptr, memory.data(), &blocks, 0, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_irecv_blocks(process.world, memory.data(), &blocks, 0, 0, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_isend_blocks(process.world, memory.data(), &blocks, process.size, 0, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_issend_blocks(process.world, memory.data(), &blocks, 0, -1, &request) == AVRM_ERR_TAG);
  AVRM_MUST(avrm_irecv_blocks(process.world, memory.data(), &blocks, 0, INT32_MAX, &request) == AVRM_ERR_TAG);
  AVRM_MUST(request == untouched && process.world->users == 0);
}

} // namespace avrankmap::test
