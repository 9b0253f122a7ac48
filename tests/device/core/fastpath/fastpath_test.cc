// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface on the null netmod: what is issued, and which statuses wrong
// arguments get.
#include <sys/mman.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "bench/synthetic/fastpath_world.h"
#include "fastpath/handles.h"
#include "tests/support/instance.h"

namespace avrankmap::test {
namespace {

using bench::FastpathWorld;

class Fastpath : public testing::Test {
protected:
  FastpathWorld world;
  const std::uint64_t value = 0x1122334455667788;
  avrm_request_t *request = nullptr;
  static constexpr std::int32_t kRank = 7;
  static constexpr std::int32_t kLpid = FastpathWorld::lpid_of(kRank);

  avrm_status_t isend(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t dest,
                      std::int32_t tag) {
    return avrm_fp_isend_default(buffer, count, type, dest, tag, world.comm, &request);
  }
  avrm_status_t put(const void *buffer, std::int32_t count, avrm_datatype_t type, std::int32_t target,
                    std::int64_t displacement) {
    return avrm_fp_put_default(buffer, count, type, target, displacement, world.window);
  }
  void expect_sent(std::uint64_t match) {
    const avrm_null_descriptor_t &sent = world.last();
    EXPECT_EQ(sent.opcode, AVRM_NULL_ISEND);
    EXPECT_EQ(sent.address, world.address_of(kLpid));
    EXPECT_EQ(sent.u.isend.match, match);
    EXPECT_EQ(sent.u.isend.buffer, reinterpret_cast<std::uintptr_t>(&value));
    EXPECT_EQ(sent.u.isend.length, 8U);
  }
  void expect_put(std::uint64_t remote) { expect_put(remote, world.window->key); }
  void expect_put(std::uint64_t remote, std::uint64_t key) {
    const avrm_null_descriptor_t &sent = world.last();
    EXPECT_EQ(sent.opcode, AVRM_NULL_PUT);
    EXPECT_EQ(sent.address, world.address_of(kLpid));
    EXPECT_EQ(sent.u.put.remote, remote);
    EXPECT_EQ(sent.u.put.rkey, key);
    EXPECT_EQ(sent.u.put.payload, value);
    EXPECT_EQ(sent.u.put.length, 8U);
  }
  [[nodiscard]] std::uint64_t base() {
    std::uint64_t address = 0;
    require(avrm_fp_window_address(world.window, kRank, &address));
    return address;
  }
};

const std::uint64_t kMatch = avrm_match_pack(1, 0, 5);

TEST_F(Fastpath, EveryBuildSendsTheSameMessage) {
  for (const auto build : {avrm_fp_isend_default, avrm_fp_isend_no_err, avrm_fp_isend_no_err_single}) {
    request = nullptr;
    ASSERT_EQ(build(&value, 1, AVRM_UINT64, kRank, 5, world.comm, &request), AVRM_OK);
    expect_sent(kMatch);
    EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
  }
  ASSERT_EQ(avrm_fp_isend_inline(&value, 1, AVRM_UINT64, kRank, 5, world.comm, &request), AVRM_OK);
  expect_sent(kMatch);
}

TEST_F(Fastpath, PutsOfEveryLengthHaveTheirBytes) {
  for (std::int32_t bytes = 0; bytes <= 8; ++bytes) {
    const std::uint64_t mask = bytes == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * bytes);
    for (const auto build : {avrm_fp_put_default, avrm_fp_put_no_err_single}) {
      ASSERT_EQ(build(&value, bytes, AVRM_BYTE, kRank, 3, world.window), AVRM_OK);
      EXPECT_EQ(world.last().u.put.payload, value & mask) << bytes;
      EXPECT_EQ(world.last().u.put.length, static_cast<std::uint64_t>(bytes));
    }
  }
}

TEST_F(Fastpath, EveryBuildPutsTheSameData) {
  for (const auto build : {avrm_fp_put_default, avrm_fp_put_no_err, avrm_fp_put_no_err_single}) {
    ASSERT_EQ(build(&value, 1, AVRM_UINT64, kRank, 3, world.window), AVRM_OK);
    expect_put(base() + 3 * FastpathWorld::kUnit);
  }
  ASSERT_EQ(avrm_fp_put_inline(&value, 1, AVRM_UINT64, kRank, 4, world.window), AVRM_OK);
  expect_put(base() + 4 * FastpathWorld::kUnit);
}

TEST_F(Fastpath, EveryProposalSendsToTheSameProcess) {
  ASSERT_EQ(avrm_fp_isend_global(&value, 1, AVRM_UINT64, kLpid, 5, world.comm, &request), AVRM_OK);
  expect_sent(kMatch);
  ASSERT_EQ(avrm_fp_isend_npn(&value, 1, AVRM_UINT64, kRank, 5, world.comm, &request), AVRM_OK);
  expect_sent(kMatch);
  ASSERT_EQ(avrm_fp_isend_inline(&value, 1, AVRM_UINT64, kRank, 5, AVRM_COMM_1, &request), AVRM_OK);
  expect_sent(kMatch);
  ASSERT_EQ(avrm_fp_isend_noreq(&value, 1, AVRM_UINT64, kRank, 5, world.comm), AVRM_OK);
  expect_sent(kMatch);
  ASSERT_EQ(avrm_fp_isend_nomatch(&value, 1, AVRM_UINT64, kRank, world.comm, &request), AVRM_OK);
  expect_sent(avrm_match_pack(1, 0, 0));
  ASSERT_EQ(avrm_fp_isend_all_opts(&value, 1, AVRM_UINT64, kLpid, AVRM_COMM_1), AVRM_OK);
  expect_sent(avrm_match_pack(1, 0, 0));
}

TEST_F(Fastpath, EveryProposalPutsToTheSamePlace) {
  const std::uint64_t remote = base() + 3 * FastpathWorld::kUnit;
  ASSERT_EQ(avrm_fp_put_global(&value, 1, AVRM_UINT64, kLpid, 3, world.window), AVRM_OK);
  expect_put(remote);
  ASSERT_EQ(avrm_fp_put_virtual_addr(&value, 1, AVRM_UINT64, kRank, remote, world.window), AVRM_OK);
  expect_put(remote);
  ASSERT_EQ(avrm_fp_put_npn(&value, 1, AVRM_UINT64, kRank, 3, world.window), AVRM_OK);
  expect_put(remote);
  ASSERT_EQ(avrm_fp_put_inline(&value, 1, AVRM_UINT64, kRank, 3, AVRM_WIN_1), AVRM_OK);
  expect_put(remote);
  ASSERT_TRUE(avrm_fp_window_is_uniform(AVRM_WIN_1));
  ASSERT_EQ(avrm_fp_put_all_opts(&value, 1, AVRM_UINT64, kLpid, remote, AVRM_WIN_1), AVRM_OK);
  expect_put(remote);
}

TEST_F(Fastpath, EveryProposalFindsThePartThatHasAKeyOfItsOwn) {
  avrm_fp_window_t own = world.window_of_own_keys();
  const std::uint64_t key = FastpathWorld::key_of(kRank);
  const std::uint64_t remote = FastpathWorld::key_base_of(kRank) + 3 * FastpathWorld::kUnit;
  ASSERT_FALSE(avrm_fp_window_is_uniform(&own));
  ASSERT_EQ(avrm_fp_put_default(&value, 1, AVRM_UINT64, kRank, 3, &own), AVRM_OK);
  expect_put(remote, key);
  ASSERT_EQ(avrm_fp_put_inline(&value, 1, AVRM_UINT64, kRank, 3, &own), AVRM_OK);
  expect_put(remote, key);
  ASSERT_EQ(avrm_fp_put_global(&value, 1, AVRM_UINT64, kLpid, 3, &own), AVRM_OK);
  expect_put(remote, key);
  ASSERT_EQ(avrm_fp_put_virtual_addr(&value, 1, AVRM_UINT64, kRank, remote, &own), AVRM_OK);
  expect_put(remote, key);
  ASSERT_EQ(avrm_fp_put_npn(&value, 1, AVRM_UINT64, kRank, 3, &own), AVRM_OK);
  expect_put(remote, key);
  ASSERT_EQ(avrm_fp_put_all_opts(&value, 1, AVRM_UINT64, kLpid, remote, &own), AVRM_OK);
  expect_put(remote, key);
}

TEST_F(Fastpath, ProcNullIssuesNothingAndIsDone) {
  const std::uint64_t before = world.net().produced;
  ASSERT_EQ(isend(&value, 1, AVRM_UINT64, AVRM_PROC_NULL, 5), AVRM_OK);
  EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
  ASSERT_EQ(put(&value, 1, AVRM_UINT64, AVRM_PROC_NULL, 3), AVRM_OK);
  ASSERT_EQ(avrm_fp_irecv(nullptr, 0, AVRM_BYTE, AVRM_PROC_NULL, AVRM_ANY_TAG, world.comm, &request), AVRM_OK);
  EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
  EXPECT_EQ(world.net().produced, before);
}

// As in MPI.
TEST_F(Fastpath, ReceiveFromProcNullHasThatSourceAndNoBytes) {
  std::uint64_t in = 7;
  avrm_outcome_t outcome{AVRM_ERR_PEER, 7, 7, 7};
  ASSERT_EQ(avrm_fp_irecv(&in, 1, AVRM_UINT64, AVRM_PROC_NULL, 5, world.comm, &request), AVRM_OK);
  EXPECT_EQ(avrm_cancel(request), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_wait(&request, &outcome), AVRM_OK);
  EXPECT_EQ(outcome.source, AVRM_PROC_NULL);
  EXPECT_EQ(outcome.tag, AVRM_ANY_TAG);
  EXPECT_EQ(outcome.bytes, 0U);
  EXPECT_EQ(in, 7U);
}

TEST_F(Fastpath, MessagesThatAreNotInjectedTakeTheGeneralPath) {
  const std::vector<std::uint64_t> values(3);
  ASSERT_EQ(isend(values.data(), 3, AVRM_UINT64, kRank, 5), AVRM_OK);
  EXPECT_EQ(world.last().u.isend.length, 24U);
  EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
  ASSERT_EQ(avrm_fp_isend_noreq(values.data(), 3, AVRM_UINT64, kRank, 5, world.comm), AVRM_OK);
  EXPECT_EQ(avrm_fp_comm_waitall(world.comm), AVRM_OK);
}

TEST_F(Fastpath, GlobalRanksWorkOnTheGeneralPath) {
  const std::vector<std::uint64_t> values(3);
  ASSERT_EQ(avrm_fp_isend_global(values.data(), 3, AVRM_UINT64, kLpid, 5, world.comm, &request), AVRM_OK);
  EXPECT_EQ(world.last().address, world.address_of(kLpid));
  EXPECT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
  ASSERT_EQ(avrm_fp_put_global(values.data(), 3, AVRM_UINT64, kLpid, 2, world.window), AVRM_OK);
  EXPECT_EQ(world.last().address, world.address_of(kLpid));
  EXPECT_EQ(avrm_fp_flush_all(world.window), AVRM_OK);
}

// Each wrong argument has its own status, and nothing is issued.
TEST_F(Fastpath, NothingNeedsNoBuffer) {
  EXPECT_EQ(isend(nullptr, 0, AVRM_UINT64, kRank, 5), AVRM_OK);
  EXPECT_EQ(put(nullptr, 0, AVRM_UINT64, kRank, 0), AVRM_OK);
  EXPECT_EQ(world.net().produced, 2U);
}

class FastpathErrors : public Fastpath {
protected:
  void SetUp() override { before_ = world.net().produced; }
  void TearDown() override { EXPECT_EQ(world.net().produced, before_); }

private:
  std::uint64_t before_ = 0;
};

TEST_F(FastpathErrors, Rank) {
  EXPECT_EQ(isend(&value, 1, AVRM_UINT64, FastpathWorld::kSize, 5), AVRM_ERR_RANK);
  EXPECT_EQ(isend(&value, 1, AVRM_UINT64, -1, 5), AVRM_ERR_RANK);
  EXPECT_EQ(put(&value, 1, AVRM_UINT64, FastpathWorld::kSize, 0), AVRM_ERR_RANK);
  EXPECT_EQ(put(&value, 1, AVRM_UINT64, -3, 0), AVRM_ERR_RANK);
}
TEST_F(FastpathErrors, Count) {
  EXPECT_EQ(isend(&value, -1, AVRM_UINT64, kRank, 5), AVRM_ERR_COUNT);
  EXPECT_EQ(put(&value, -1, AVRM_UINT64, kRank, 0), AVRM_ERR_COUNT);
}
TEST_F(FastpathErrors, Datatype) {
  EXPECT_EQ(isend(&value, 1, AVRM_DATATYPE_NULL, kRank, 5), AVRM_ERR_DATATYPE);
  EXPECT_EQ(put(&value, 1, AVRM_DATATYPE_NULL, kRank, 0), AVRM_ERR_DATATYPE);
}
TEST_F(FastpathErrors, DatatypeThatIsNotCommitted) {
  avrm_datatype_t pair = AVRM_DATATYPE_NULL;
  require(avrm_type_contiguous(avrm_device_instance(world.device), 2, AVRM_INT32, &pair));
  EXPECT_EQ(isend(&value, 1, pair, kRank, 5), AVRM_ERR_DATATYPE);
  EXPECT_EQ(put(&value, 1, pair, kRank, 0), AVRM_ERR_DATATYPE);
  require(avrm_type_free(&pair));
}
TEST_F(FastpathErrors, Buffer) {
  EXPECT_EQ(isend(nullptr, 1, AVRM_UINT64, kRank, 5), AVRM_ERR_BUFFER);
  EXPECT_EQ(put(nullptr, 1, AVRM_UINT64, kRank, 0), AVRM_ERR_BUFFER);
}
TEST_F(FastpathErrors, Tag) {
  EXPECT_EQ(isend(&value, 1, AVRM_UINT64, kRank, -1), AVRM_ERR_TAG);
  EXPECT_EQ(isend(&value, 1, AVRM_UINT64, kRank, AVRM_MATCH_MAX_TAG + 1), AVRM_ERR_TAG);
}
TEST_F(FastpathErrors, Request) {
  EXPECT_EQ(avrm_fp_isend_default(&value, 1, AVRM_UINT64, kRank, 5, world.comm, nullptr), AVRM_ERR_REQUEST);
}
TEST_F(FastpathErrors, NullCommunicatorAndWindow) {
  EXPECT_EQ(avrm_fp_isend_default(&value, 1, AVRM_UINT64, kRank, 5, nullptr, &request), AVRM_ERR_COMM);
  EXPECT_EQ(avrm_fp_put_default(&value, 1, AVRM_UINT64, kRank, 0, nullptr), AVRM_ERR_WINDOW);
}
TEST_F(FastpathErrors, FreedCommunicator) {
  avrm_fp_comm_t *comm = nullptr;
  require(avrm_fp_comm_create(world.fp, world.plain, &comm));
  require(avrm_fp_comm_free(comm));
  EXPECT_EQ(avrm_fp_isend_default(&value, 1, AVRM_UINT64, kRank, 5, comm, &request), AVRM_ERR_COMM);
  EXPECT_EQ(avrm_fp_comm_free(comm), AVRM_ERR_COMM);
}
TEST_F(FastpathErrors, RangeOfTheWindow) {
  const auto last = static_cast<std::int64_t>(sizeof world.memory) / FastpathWorld::kUnit;
  EXPECT_EQ(put(&value, 1, AVRM_UINT64, kRank, last), AVRM_ERR_OUTSIDE);
  EXPECT_EQ(put(&value, 1, AVRM_UINT64, kRank, -1), AVRM_ERR_OUTSIDE);
  EXPECT_EQ(put(&value, 1, AVRM_UINT64, kRank, INT64_MAX), AVRM_ERR_OUTSIDE);
  EXPECT_EQ(put(&value, 1, AVRM_UINT64, kRank, INT64_MAX / 8 + 2), AVRM_ERR_OUTSIDE);
}
// Displacements that are below the size, but whose products with the unit wrap.
TEST_F(FastpathErrors, RangeOfALargeWindowWithLargeUnits) {
  constexpr std::int64_t kUnit = INT32_MAX;
  for (const auto &[bytes, beyond] : {std::pair{std::size_t{1} << 34, (std::int64_t{1} << 33) + 5},
                                      std::pair{std::size_t{1} << 33, (std::int64_t{1} << 33) - 1}}) {
    void *const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      GTEST_SKIP() << "no address space for a window of " << bytes << " bytes";
    }
    avrm_fp_window_t *window = nullptr;
    require(avrm_fp_window_create(world.comm, memory, bytes, kUnit, 0, &window));
    EXPECT_EQ(avrm_fp_put_default(&value, 1, AVRM_UINT64, kRank, beyond, window), AVRM_ERR_OUTSIDE) << bytes;
    EXPECT_EQ(avrm_fp_window_free(window), AVRM_OK);
    munmap(memory, bytes);
  }
}
TEST_F(FastpathErrors, PlacesThatArePredefined) {
  avrm_fp_comm_t elsewhere{};
  EXPECT_EQ(avrm_fp_comm_create_predefined(world.fp, world.plain, &elsewhere), AVRM_ERR_OPTION);
  EXPECT_EQ(avrm_fp_comm_create_predefined(world.fp, world.plain, AVRM_COMM_1), AVRM_ERR_BUSY);
}
TEST_F(FastpathErrors, CommunicatorInUse) {
  EXPECT_EQ(avrm_fp_comm_free(world.comm), AVRM_ERR_BUSY);
  EXPECT_EQ(avrm_fp_close(world.fp), AVRM_ERR_BUSY);
}

TEST_F(Fastpath, WhatIsCreatedCanBeFreedAndItsBytesComeBack) {
  const auto live = [&] {
    avrm_mem_usage_t usage{};
    require(avrm_instance_mem_usage(avrm_device_instance(world.device), AVRM_MEM_TOTAL, &usage));
    return usage.live_bytes;
  };
  const auto cycle = [&] {
    avrm_fp_comm_t *comm = nullptr;
    avrm_fp_window_t *window = nullptr;
    require(avrm_fp_comm_create(world.fp, world.plain, &comm));
    require(avrm_fp_window_create(comm, world.memory, sizeof world.memory, 1, 0, &window));
    EXPECT_EQ(avrm_fp_put_default(&value, 1, AVRM_UINT64, kRank, 0, window), AVRM_OK);
    EXPECT_EQ(avrm_fp_window_free(window), AVRM_OK);
    EXPECT_EQ(avrm_fp_comm_free(comm), AVRM_OK);
  };
  cycle(); // freed handles and requests are kept for the next ones
  const std::uint64_t before = live();
  cycle();
  EXPECT_EQ(live(), before);
}

TEST_F(Fastpath, AGlobalRankOutsideTheCommunicatorIsRefusedOnTheGeneralPath) {
  const std::vector<std::uint64_t> values(3);
  EXPECT_EQ(avrm_fp_put_global(values.data(), 3, AVRM_UINT64, 0, 0, world.window), AVRM_ERR_RANK);
}

TEST_F(Fastpath, PutsUpToTheLastByteOfTheWindow) {
  const auto last = static_cast<std::int64_t>(sizeof world.memory) / FastpathWorld::kUnit - 1;
  ASSERT_EQ(put(&value, 1, AVRM_UINT64, kRank, last), AVRM_OK);
  expect_put(base() + static_cast<std::uint64_t>(last) * FastpathWorld::kUnit);
}

TEST_F(Fastpath, DerivedDatatypesAreSentWhenCommitted) {
  avrm_datatype_t pair = AVRM_DATATYPE_NULL;
  require(avrm_type_contiguous(avrm_device_instance(world.device), 2, AVRM_INT32, &pair));
  require(avrm_type_commit(pair));
  std::size_t bytes = 0;
  require(avrm_type_size(pair, &bytes));
  EXPECT_EQ(bytes, 8U);
  ASSERT_EQ(isend(&value, 1, pair, kRank, 5), AVRM_OK);
  expect_sent(kMatch);
  require(avrm_type_free(&pair));
  EXPECT_EQ(pair, AVRM_DATATYPE_NULL);
}

TEST(FastpathThreads, CommunicatorsOfSeveralThreadsShareNoQueue) {
  FastpathWorld world(true, 3);
  avrm_comm_t *const plain = world.make_comm(10);
  avrm_fp_comm_t *comm = nullptr;
  require(avrm_fp_comm_create(world.fp, plain, &comm));
  EXPECT_EQ(avrm_fp_queues(world.fp), 3);
  ASSERT_NE(world.comm->cold->queue, nullptr);
  ASSERT_NE(comm->cold->queue, nullptr);
  EXPECT_NE(world.comm->cold->queue, comm->cold->queue);
  EXPECT_NE(world.comm->cold->queue->net, comm->cold->queue->net);
  EXPECT_NE(comm->cold->queue->net, world.device->net);
  require(avrm_fp_comm_free(comm));
  require(avrm_comm_free(plain));
}

TEST(FastpathThreads, HandlesOfOneCommunicatorShareItsQueue) {
  const FastpathWorld world(true, 3);
  EXPECT_EQ(world.comm->cold->queue, AVRM_COMM_1->cold->queue);
}

TEST(FastpathThreads, OneQueueIsTheDevicesOwn) {
  const FastpathWorld world(true, 1);
  EXPECT_EQ(avrm_fp_queues(world.fp), 0);
  EXPECT_EQ(world.comm->cold->queue, nullptr);
}

TEST(FastpathThreads, OneThreadNeedsNoQueueOfItsOwn) {
  const FastpathWorld world(false, 3);
  EXPECT_EQ(avrm_fp_queues(world.fp), 0);
  EXPECT_EQ(world.comm->cold->queue, nullptr);
}

// Otherwise later messages could overtake earlier ones.
TEST(FastpathThreads, ACommunicatorThatHasSentKeepsTheDevicesQueue) {
  FastpathWorld world(true, 3);
  avrm_comm_t *const plain = world.make_comm(10);
  avrm_request_t *request = nullptr;
  require(avrm_isend(plain, nullptr, 0, 1, 5, &request));
  avrm_fp_comm_t *comm = nullptr;
  require(avrm_fp_comm_create(world.fp, plain, &comm));
  EXPECT_EQ(comm->cold->queue, nullptr);
  require(avrm_fp_comm_free(comm));
  require(avrm_comm_free(plain));
}

TEST(FastpathThreads, ACommunicatorKeepsTheQueueThatItsFirstHandleGotIt) {
  FastpathWorld world(true, 3);
  avrm_comm_t *const plain = world.make_comm(10);
  avrm_fp_comm_t *comm = nullptr;
  require(avrm_fp_comm_create(world.fp, plain, &comm));
  const auto *const queue = comm->cold->queue;
  require(avrm_fp_comm_free(comm));
  require(avrm_fp_comm_create(world.fp, plain, &comm));
  EXPECT_EQ(comm->cold->queue, queue);
  require(avrm_fp_comm_free(comm));
  require(avrm_comm_free(plain));
}

// Other threads may be translating through it (avrm_comm_map), also where the address vector to
// which it was bound has a table since.
TEST(FastpathThreads, AHandleLeavesTheMapOfItsCommunicatorAsItIs) {
  bench::SyntheticBoot boot(8);
  avrm_device_options_t options{};
  options.boot = &boot;
  options.netmod = "null";
  options.shmmod = "none";
  options.threads = true;
  options.av = AVRM_DEVICE_AV_IMPLICIT;
  avrm_device_t *device = nullptr;
  require(avrm_device_open(&options, &device));
  avrm_av_t *av = nullptr;
  require(avrm_av_find(avrm_device_instance(device), 0, &av));
  require(avrm_av_make_table(av));
  avrm_comm_t *const world = avrm_device_world(device);
  const avrm_rankmap_t before = *avrm_comm_map(world);
  avrm_fp_t *fp = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  require(avrm_fp_open(device, 1, &fp));
  require(avrm_fp_comm_create(fp, world, &comm));
  EXPECT_EQ(std::memcmp(&before, avrm_comm_map(world), sizeof before), 0);
  require(avrm_fp_comm_free(comm));
  require(avrm_fp_close(fp));
  require(avrm_device_close(device));
}

// For any function and any size.
TEST(FastpathThreads, AllThatACommunicatorSendsTakesItsQueue) {
  FastpathWorld world(true, 2);
  const avrm_null_net_t &own = *avrm_null_of(world.comm->cold->queue->net);
  const avrm_null_net_t &device = *avrm_null_of(world.device->net);
  const std::vector<std::uint64_t> values(1000);
  const std::uint64_t before = own.produced;
  const std::uint64_t device_before = device.produced;
  std::vector<avrm_request_t *> requests(5);
  require(avrm_fp_isend_default(values.data(), 1, AVRM_UINT64, 3, 5, world.comm, &requests[0]));
  require(avrm_fp_isend_no_err(values.data(), 1000, AVRM_UINT64, 3, 5, world.comm, &requests[1]));
  require(avrm_isend(world.plain, values.data(), 8, 3, 5, &requests[2]));
  require(avrm_isend(world.plain, values.data(), 8000, 3, 5, &requests[3]));
  const avrm_layout_t layout{8, 100, 16};
  require(avrm_isend_strided(world.plain, values.data(), &layout, 3, 5, &requests[4]));
  for (avrm_request_t *&request : requests) {
    require(avrm_wait(&request, nullptr));
  }
  EXPECT_EQ(own.produced - before, requests.size());
  EXPECT_EQ(device.produced, device_before);
}

// Cache lines of an object.
std::set<std::uintptr_t> lines_of(const void *object, std::size_t bytes) {
  std::set<std::uintptr_t> lines;
  const auto first = reinterpret_cast<std::uintptr_t>(object);
  for (std::uintptr_t line = first / 64; line <= (first + bytes - 1) / 64; ++line) {
    lines.insert(line);
  }
  return lines;
}

// Everything that an operation on a communicator and its window writes to, and the lock
// that it takes.
std::set<std::uintptr_t> lines_of(const avrm_fp_comm_t *comm, const avrm_fp_window_t *window) {
  std::set<std::uintptr_t> lines = lines_of(comm, sizeof *comm);
  lines.merge(lines_of(comm->cold, sizeof *comm->cold));
  lines.merge(lines_of(comm->cold->queue, sizeof *comm->cold->queue));
  lines.merge(lines_of(comm->cold->queue->net, sizeof(avrm_null_netmod_t)));
  lines.merge(lines_of(window, sizeof *window));
  lines.merge(lines_of(window->cold, sizeof *window->cold));
  return lines;
}

TEST(FastpathThreads, CommunicatorsOfSeveralThreadsShareNoCacheLine) {
  FastpathWorld world(true, 3);
  const std::set<std::uintptr_t> lines = lines_of(world.comm, world.window);
  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  avrm_comm_t *const plain = world.make_comm(10);
  require(avrm_fp_comm_create(world.fp, plain, &comm));
  require(avrm_fp_window_create(comm, world.memory, sizeof world.memory, 1, 0, &window));
  for (const std::uintptr_t line : lines_of(comm, window)) {
    EXPECT_EQ(lines.count(line), 0U);
  }
  require(avrm_fp_window_free(window));
  require(avrm_fp_comm_free(comm));
  require(avrm_comm_free(plain));
}

TEST(FastpathThreads, EveryThreadsOperationsAreIssued) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kEach = 20000;
  FastpathWorld world(true, 3); // fewer queues than threads: some share
  std::vector<avrm_comm_t *> plain;
  std::vector<avrm_fp_comm_t *> comms(kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    plain.push_back(world.make_comm(10 + i));
    require(avrm_fp_comm_create(world.fp, plain.back(), &comms[i]));
  }
  std::vector<std::thread> threads;
  for (avrm_fp_comm_t *const comm : comms) {
    threads.emplace_back([comm] {
      const std::uint64_t value = 1;
      for (std::uint64_t i = 0; i < kEach; ++i) {
        avrm_request_t *request = nullptr;
        const auto rank = static_cast<std::int32_t>(i % FastpathWorld::kSize);
        ASSERT_EQ(avrm_fp_isend_default(&value, 1, AVRM_UINT64, rank, 5, comm, &request), AVRM_OK);
        ASSERT_EQ(avrm_wait(&request, nullptr), AVRM_OK);
        ASSERT_EQ(avrm_fp_isend_no_err(&value, 1, AVRM_UINT64, rank, 5, comm, &request), AVRM_OK);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  std::vector<const avrm_netmod_t *> queues;
  std::uint64_t issued = 0;
  for (const avrm_fp_comm_t *const comm : comms) {
    avrm_netmod_t *const net = comm->cold->queue->net;
    if (std::find(queues.begin(), queues.end(), net) == queues.end()) {
      queues.push_back(net);
      issued += avrm_null_of(net)->produced;
    }
  }
  EXPECT_EQ(issued, 2 * kThreads * kEach);
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    require(avrm_fp_comm_free(comms[i]));
    require(avrm_comm_free(plain[i]));
  }
}

TEST(FastpathQueues, TakeNothingPerProcess) {
  bench::SyntheticBoot boot(1000000);
  avrm_device_options_t options{};
  options.boot = &boot;
  options.netmod = "null";
  options.shmmod = "none";
  options.threads = true;
  avrm_device_t *device = nullptr;
  ASSERT_EQ(avrm_device_open(&options, &device), AVRM_OK);
  const auto live_bytes = [device] {
    avrm_mem_usage_t usage{};
    EXPECT_EQ(avrm_instance_mem_usage(avrm_device_instance(device), AVRM_MEM_TOTAL, &usage), AVRM_OK);
    return usage.live_bytes;
  };
  const std::uint64_t before = live_bytes();
  avrm_fp_t *fp = nullptr;
  ASSERT_EQ(avrm_fp_open(device, 4, &fp), AVRM_OK);
  EXPECT_EQ(avrm_fp_queues(fp), 4);
  EXPECT_LT(live_bytes() - before, 4096U);
  EXPECT_EQ(avrm_fp_close(fp), AVRM_OK);
  EXPECT_EQ(avrm_device_close(device), AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
