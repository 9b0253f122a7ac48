// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of a process with a low limit that are not in calls.cc: other kinds of messages, windows,
// communicators, and those that survive failures.
#include <algorithm>
#include <array>
#include <numeric>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/event.h"
#include "avrankmap/device/ft.h"
#include "tests/device/limits/calls.h"
#include "tests/device/limits/course.h"

namespace avrankmap::test {
namespace {

constexpr int kTag = 6;
constexpr std::size_t kBlock = 1000;
constexpr std::size_t kBlocks = 50;
constexpr std::size_t kPitch = 1500;
constexpr avrm_layout_t kLayout{kBlock, kBlocks, kPitch};

// Not allocated under the limit.
std::array<unsigned char, kPitch * kBlocks> sent;
std::array<unsigned char, kPitch * kBlocks> received;
std::array<unsigned char, kPitch * kBlocks> part;
std::array<avrm_block_t, kBlocks> block_list;

class Caller : RingCaller {
public:
  using RingCaller::RingCaller;

  avrm_status_t call_all() noexcept {
    sent.fill(static_cast<unsigned char>(rank_ + 1));
    for (std::size_t i = 0; i < kBlocks; ++i) {
      block_list[i] = {static_cast<std::int64_t>(i * kPitch), kBlock};
    }
    return call_in_turn(this, &Caller::send_blocks, &Caller::probe, &Caller::cancel, &Caller::watch,
                        &Caller::use_window, &Caller::create_communicators, &Caller::create_grids,
                        &Caller::create_from_groups, &Caller::join_halves, &Caller::survive);
  }

private:
  static constexpr avrm_blocks_t kList{block_list.data(), kBlocks};

  // What the process before this one has sent, or put.
  void expect_blocks(const unsigned char *found, int of) noexcept {
    for (const avrm_block_t &block : block_list) {
      expect(std::count(found + block.offset, found + block.offset + block.bytes, of + 1) ==
             static_cast<std::ptrdiff_t>(block.bytes));
    }
  }
  static avrm_status_t free_comm(avrm_comm_t *comm) noexcept {
    return comm == nullptr ? AVRM_OK : avrm_comm_free(comm);
  }

  avrm_status_t send_blocks() noexcept {
    avrm_request_t *requests[4] = {};
    received.fill(0);
    part.fill(0);
    return Course()
        .then([&] { return avrm_irecv_strided(world_, received.data(), &kLayout, previous_, kTag, &requests[0]); })
        .then([&] { return avrm_irecv_blocks(world_, part.data(), &kList, previous_, kTag, &requests[1]); })
        .then([&] { return avrm_issend_strided(world_, sent.data(), &kLayout, next_, kTag, &requests[2]); })
        .then([&] { return avrm_isend_blocks(world_, sent.data(), &kList, next_, kTag, &requests[3]); })
        .then([&] { return avrm_waitall(4, requests, nullptr); })
        .then([&] {
          expect_blocks(received.data(), previous_);
          expect_blocks(part.data(), previous_);
          return AVRM_OK;
        })
        .status();
  }

  avrm_status_t probe() noexcept {
    avrm_message_t *message = nullptr;
    avrm_request_t *requests[2] = {};
    avrm_outcome_t outcome{};
    std::int32_t index = 0;
    received.fill(0);
    return Course()
        .then([&] { return avrm_isend_strided(world_, sent.data(), &kLayout, next_, kTag, &requests[0]); })
        .then([&] { return avrm_mprobe(world_, previous_, kTag, &message, &outcome); })
        .then([&] { return avrm_imrecv_blocks(&message, received.data(), &kList, &requests[1]); })
        .then([&] { return avrm_waitany(2, requests, &index, nullptr); })
        .then([&] { return avrm_wait_for(&requests[1 - index], 60000000000, nullptr); })
        .then([&] {
          expect_blocks(received.data(), previous_);
          return AVRM_OK;
        })
        .status();
  }

  avrm_status_t cancel() noexcept {
    avrm_request_t *request = nullptr;
    return Course()
        .then([&] { return avrm_irecv(world_, received.data(), 8, previous_, kTag + 1, &request); })
        .then([&] { return avrm_cancel(request); })
        .then([&] {
          const avrm_status_t status = avrm_wait(&request, nullptr);
          return status == AVRM_ERR_CANCELLED ? AVRM_OK : status;
        })
        .status();
  }

  avrm_status_t watch() noexcept {
    int descriptor = -1;
    std::int64_t nanoseconds = 0;
    return Course()
        .then([&] { return avrm_device_descriptor(device_, &descriptor); })
        .then([&] {
          const avrm_status_t status = avrm_device_arm(device_, &nanoseconds);
          avrm_device_disarm(device_);
          return status == AVRM_ERR_AGAIN ? AVRM_OK : status;
        })
        .status();
  }

  avrm_status_t use_window() noexcept {
    avrm_window_t *window = nullptr;
    avrm_request_t *request = nullptr;
    const auto wait = [&] { return avrm_wait(&request, nullptr); };
    std::uint64_t one = 1;
    std::uint64_t old = 7;
    received.fill(0);
    part.fill(0);
    Course course;
    course.then([&] { return avrm_window_create(world_, part.data(), part.size(), 0, &window); })
        .then([&] { return avrm_put_strided(window, sent.data(), &kLayout, next_, 0, &kLayout, &request); })
        .then(wait)
        .then([&] { return avrm_flush_local(window, next_); })
        .then([&] { return avrm_rput_blocks(window, sent.data(), &kList, next_, 0, &kList, &request); })
        .then(wait)
        .then([&] { return avrm_flush_all(window); })
        .then([&] { return avrm_get_blocks(window, received.data(), &kList, next_, 0, &kList, &request); })
        .then(wait)
        .then([&] { return avrm_barrier(world_); });
    if (course.status() == AVRM_OK) {
      expect_blocks(received.data(), rank_);
      expect_blocks(part.data(), previous_);
      std::fill_n(part.begin(), sizeof one, 0);
    }
    course.then([&] { return avrm_barrier(world_); })
        .then([&] { return avrm_accumulate(window, &one, 1, AVRM_UINT64, AVRM_OP_SUM, next_, 0, &request); })
        .then(wait)
        .then([&] { return avrm_flush(window, next_); })
        .then([&] { return avrm_fetch_and_op(window, &one, &old, AVRM_UINT64, AVRM_OP_SUM, next_, 0, &request); })
        .then(wait);
    if (course.status() == AVRM_OK) {
      expect(old == 1);
    }
    return course.then([&] { return avrm_flush_local_all(window); })
        .then([&] { return avrm_barrier(world_); })
        .then([&] { return avrm_window_free(window); })
        .status();
  }

  avrm_status_t create_communicators() noexcept {
    avrm_comm_t *comms[3] = {};
    avrm_comm_t *node = nullptr;
    avrm_comm_t *roots = nullptr;
    const avrm_hierarchy_t *hierarchy = nullptr;
    avrm_request_t *request = nullptr;
    return Course()
        .then([&] { return avrm_comm_idup(world_, &comms[0], &request); })
        .then([&] { return avrm_wait(&request, nullptr); })
        .then([&] { return avrm_comm_split_type(world_, AVRM_COMM_NODE, 0, &comms[1]); })
        .then([&] { return avrm_comm_split_guided(world_, "mpi_shared_memory", 0, &comms[2]); })
        .then([&] { return avrm_comm_hierarchy(world_, &hierarchy); })
        .then([&] { return avrm_comm_node(world_, &node); })
        .then([&] { return avrm_comm_node_roots(world_, &roots); })
        .then([&] { return avrm_barrier(comms[0]); })
        .then([&] { return free_comm(comms[0]); })
        .then([&] { return free_comm(comms[1]); })
        .then([&] { return free_comm(comms[2]); })
        .status();
  }

  avrm_status_t create_grids() noexcept {
    avrm_comm_t *grid = nullptr;
    avrm_comm_t *row = nullptr;
    const std::int32_t periodic = 1;
    return Course()
        .then([&] { return avrm_cart_create(world_, 1, &size_, &periodic, false, &grid); })
        .then([&] { return avrm_cart_sub(grid, &periodic, &row); })
        .then([&] { return avrm_barrier(row); })
        .then([&] { return free_comm(row); })
        .then([&] { return free_comm(grid); })
        .status();
  }

  avrm_status_t create_from_groups() noexcept {
    avrm_group_t *group = nullptr;
    avrm_group_t *failed = nullptr;
    avrm_comm_t *comms[3] = {};
    const avrm_status_t status = Course()
                                     .then([&] { return avrm_comm_group(world_, &group); })
                                     .then([&] { return avrm_comm_get_failed(world_, &failed); })
                                     .then([&] { return avrm_comm_create(world_, group, &comms[0]); })
                                     .then([&] { return avrm_comm_create_group(world_, group, kTag, &comms[1]); })
                                     .then([&] { return avrm_comm_create_from_group(device_, group, "a", &comms[2]); })
                                     .then([&] { return avrm_barrier(comms[2]); })
                                     .then([&] { return free_comm(comms[0]); })
                                     .then([&] { return free_comm(comms[1]); })
                                     .then([&] { return free_comm(comms[2]); })
                                     .status();
    avrm_group_destroy(group);
    avrm_group_destroy(failed);
    return status;
  }

  // Process 0, and all others.
  avrm_status_t join_halves() noexcept {
    avrm_comm_t *half = nullptr;
    avrm_comm_t *both = nullptr;
    avrm_comm_t *one = nullptr;
    avrm_comm_t *again = nullptr;
    const bool is_first = rank_ == 0;
    const int other = is_first ? 1 : 0;
    return Course()
        .then([&] { return avrm_comm_split(world_, is_first ? 0 : 1, 0, &half); })
        .then([&] { return avrm_intercomm_create(half, 0, world_, other, kTag, &both); })
        .then([&] { return avrm_intercomm_merge(both, !is_first, &one); })
        .then([&] { return avrm_comm_merge(half, 0, world_, other, kTag, !is_first, &again); })
        .then([&] { return avrm_barrier(one); })
        .then([&] { return free_comm(again); })
        .then([&] { return free_comm(one); })
        .then([&] { return free_comm(both); })
        .then([&] { return free_comm(half); })
        .status();
  }

  avrm_status_t survive() noexcept {
    avrm_comm_t *comms[3] = {};
    avrm_request_t *request = nullptr;
    std::uint64_t value = 5;
    std::int32_t acked = 0;
    return Course()
        .then([&] { return avrm_comm_dup(world_, &comms[0]); })
        .then([&] { return avrm_comm_ack_failed(comms[0], 0, &acked); })
        .then([&] { return avrm_comm_agree(comms[0], &value); })
        .then([&] { return avrm_comm_iagree(comms[0], &value, &request); })
        .then([&] { return avrm_wait(&request, nullptr); })
        .then([&] { return avrm_comm_shrink(comms[0], &comms[1]); })
        .then([&] { return avrm_comm_replace(comms[0], size_, &comms[2]); })
        .then([&] { return avrm_barrier(comms[1]); })
        .then([&] { return avrm_comm_revoke(comms[0]); })
        .then([&] {
          expect(value == 5);
          const avrm_status_t status = avrm_barrier(comms[0]);
          return status == AVRM_ERR_REVOKED ? AVRM_OK : status;
        })
        .then([&] { return free_comm(comms[2]); })
        .then([&] { return free_comm(comms[1]); })
        .then([&] { return free_comm(comms[0]); })
        .status();
  }
};

} // namespace

avrm_status_t make_further_calls(avrm_device_t *device, bool *wrong_p) noexcept {
  return Caller(device, wrong_p).call_all();
}

} // namespace avrankmap::test
