// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transport test suite on implicit address vectors: over libfabric's providers, which number
// addresses in order of insertion, with all peers connected at once; and with that order broken, on
// demand or half-way.
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

// With all peers connected at once.
Transport eager(Transport transport) {
  transport.connect = AVRM_CONNECT_EAGER;
  return transport;
}

avrm_av_info_t info_of_world(const Process &process) {
  avrm_av_t *av = nullptr;
  AVRM_MUST(avrm_av_find(avrm_device_instance(process.device), 0, &av) == AVRM_OK);
  avrm_av_info_t info{};
  AVRM_MUST(avrm_av_describe(av, &info) == AVRM_OK);
  return info;
}

void make_table_of_world(const Process &process) {
  avrm_av_t *av = nullptr;
  AVRM_MUST(avrm_av_find(avrm_device_instance(process.device), 0, &av) == AVRM_OK);
  AVRM_MUST(avrm_av_make_table(av) == AVRM_OK);
}

// Leaves out bodies that take long.
bool is_for_all(const Body &body) {
  return body.run != sixty_four_mebibytes_arrive_intact && body.run != random_traffic_arrives_intact &&
         body.run != a_flood_pushes_back_and_loses_nothing && body.run != a_receiver_that_sleeps_loses_nothing;
}

void run_suite(Process &process) {
  for (const Body &body : kBodies) {
    if (is_for_all(body)) {
      body.run(process);
      barrier(process);
    }
  }
}

class DeviceImplicit : public testing::TestWithParam<Transport> {};

INSTANTIATE_TEST_SUITE_P(Every, DeviceImplicit, testing::ValuesIn(transports_of(Suites::kDevice, numbers_peers)),
                         kByName);

TEST_P(DeviceImplicit, PassesTheTransportSuite) {
  run_job(eager(GetParam()), 4, [](Process &process) {
    const avrm_av_info_t info = info_of_world(process);
    AVRM_MUST(info.kind == AVRM_AV_IMPLICIT && info.filled == process.size);
    run_suite(process);
    AVRM_MUST(info_of_world(process).kind == AVRM_AV_IMPLICIT);
  });
}

TEST(DeviceImplicitWorld, LosesNothingWhenATableIsMadeHalfWay) {
  run_job(eager(transport_named("ofi_tcp_and_posix")), 4, [](Process &process) {
    everyone_exchanges_with_everyone(process);
    make_table_of_world(process);
    everyone_exchanges_with_everyone(process);
    communicators_do_not_mix_their_messages(process);
    windows_of_own_memory_take_puts_and_gets(process);
  });
}

// Nine nodes of one process: the lpids before this process, the process itself, and those behind
// it, whose addresses go on as if it were one of them.
TEST(DeviceImplicitWorld, IsALineWithAHoleAndFoldedIntoMaps) {
  run_job(eager(transport_named("ofi_tcp")), 9, [](Process &process) {
    const avrm_av_info_t info = info_of_world(process);
    const int neighbours = (process.rank > 0 ? 1 : 0) + (process.rank + 1 < process.size ? 1 : 0);
    AVRM_MUST(info.kind == AVRM_AV_IMPLICIT && info.word_runs == 1 + neighbours && info.node_runs == 1);
    avrm_rankmap_t map{};
    AVRM_MUST(avrm_rankmap_create_direct(avrm_device_instance(process.device), 0, process.size, &map) == AVRM_OK);
    AVRM_MUST(avrm_rankmap_bind(&map) == AVRM_OK);
    AVRM_MUST(map.klass == AVRM_CLASS_IMPLICIT);
    for (std::int32_t rank = 0; rank < process.size; ++rank) {
      const bool own = rank == process.rank;
      const std::uint64_t word = map.at.word + static_cast<std::uint64_t>(rank * map.as.affine.step);
      AVRM_MUST(avrm_i_is_exception(map.as.affine.line, word) == own);
      AVRM_MUST(own || avrm_ofi_address(word) == static_cast<std::uint64_t>(rank));
    }
    avrm_rankmap_destroy(&map);
    everyone_exchanges_with_everyone(process);
  });
}

TEST(DeviceImplicitOnDemand, BecomesATableAndLosesNothing) {
  Transport transport = transport_named("ofi_tcp");
  transport.av = AVRM_DEVICE_AV_IMPLICIT;
  run_job(transport, 4, [](Process &process) {
    AVRM_MUST(info_of_world(process).kind == AVRM_AV_IMPLICIT);
    const int other = (process.rank + 2) % 4; // the first contact; in order for one process only
    avrm_request_t *requests[2] = {};
    AVRM_MUST(avrm_irecv(process.world, nullptr, 0, other, 7, &requests[0]) == AVRM_OK);
    AVRM_MUST(avrm_isend(process.world, nullptr, 0, other, 7, &requests[1]) == AVRM_OK);
    AVRM_MUST(avrm_wait(&requests[0], nullptr) == AVRM_OK && avrm_wait(&requests[1], nullptr) == AVRM_OK);
    AVRM_MUST(other == 0 || info_of_world(process).kind == AVRM_AV_TABLE);
    everyone_exchanges_with_everyone(process);
    communicators_do_not_mix_their_messages(process);
    windows_of_own_memory_take_puts_and_gets(process);
  });
}

TEST(DeviceTable, IsMadeWhereItIsAskedFor) {
  Transport transport = eager(transport_named("ofi_tcp"));
  transport.av = AVRM_DEVICE_AV_TABLE;
  run_job(transport, 3, [](Process &process) {
    AVRM_MUST(info_of_world(process).kind == AVRM_AV_TABLE);
    everyone_exchanges_with_everyone(process);
  });
}

} // namespace
} // namespace avrankmap::test
