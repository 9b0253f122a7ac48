// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of a process that is alone, and messages and one-sided operations with itself, whose
// allocations and system calls fail, one by one. The failed call returns a status and changes
// nothing, so that it works when it is repeated.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/boot.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/dynamic.h"
#include "avrankmap/device/fastpath.h"
#include "avrankmap/device/ft.h"
#include "avrankmap/device/probe.h"
#include "avrankmap/device/topo.h"
#include "tests/device/core/process.h"
#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/sweep.h"

namespace avrankmap::test {
namespace {

constexpr int kTag = 3;
constexpr std::size_t kBytes = 4000;
constexpr avrm_layout_t kLayout{3, 1000, 4};
constexpr std::array<avrm_block_t, 2> kTwo{{{0, 1500}, {2000, 1500}}};
constexpr avrm_blocks_t kList{kTwo.data(), kTwo.size()};

struct Here {
  avrm_boot_t *boot;
  avrm_device_t *device;
  avrm_comm_t *world;
  std::vector<unsigned char> out = std::vector<unsigned char>(kBytes);
  std::vector<unsigned char> in = std::vector<unsigned char>(kBytes);
  std::array<unsigned char, kBytes> part{};
};

// A step that fails is repeated at once, without faults, and succeeds then.
template <typename Call> void must(Call call) {
  if (const avrm_status_t status = call(); status != AVRM_OK) {
    disarm();
    if (!is_clear(status)) {
      std::fprintf(stderr, "%s\n", avrm_status_name(status));
    }
    AVRM_MUST(is_clear(status));
    AVRM_MUST(call() == AVRM_OK);
  }
}
// Likewise, of a call and the operation that it starts.
template <typename Start> void must_end(Start start) {
  must([&] {
    avrm_request_t *request = nullptr;
    const avrm_status_t status = start(&request);
    AVRM_MUST(status == AVRM_OK || request == nullptr);
    return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
  });
}

void open_topology(Here & /*here*/) {
  for (const char *const description : {static_cast<const char *>(nullptr), "pack:2 numa:2 l3:2 core:2 pu:2"}) {
    avrm_topo_t *topo = nullptr;
    const std::uint32_t cpu = 0;
    std::int32_t index = 0;
    avrm_locality_t locality{};
    must([&] { return avrm_topo_open(description, &topo); });
    must([&] { return avrm_topo_cpus(topo, &cpu, 1, &locality); });
    must([&] { return avrm_topo_object_of_cpus(topo, "core", &cpu, 1, &index); });
    if (avrm_topo_is_this_machine(topo)) {
      must([&] { return avrm_topo_process(topo, 0, &locality); });
      must([&] { return avrm_topo_object_of_process(topo, "package", 0, &index); });
    }
    avrm_topo_close(topo);
  }
}

void create_local(Here &here) {
  avrm_rankmap_t map{};
  avrm_comm_t *comm = nullptr;
  must([&] { return avrm_rankmap_dup(avrm_comm_map(here.world), &map); });
  must([&] { return avrm_comm_create_local(here.device, &map, 0, 1000, &comm); });
  AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
}

void shrink(Here &here) {
  for (const bool replaces : {false, true}) {
    avrm_comm_t *comm = nullptr;
    must_end([&](avrm_request_t **request_p) {
      return replaces ? avrm_comm_ireplace(here.world, 1, &comm, request_p)
                      : avrm_comm_ishrink(here.world, &comm, request_p);
    });
    AVRM_MUST(comm != nullptr && avrm_comm_size(comm) == 1 && avrm_comm_free(comm) == AVRM_OK);
  }
}

void find_parent(Here &here) {
  avrm_comm_t *parent = here.world;
  must([&] { return avrm_comm_get_parent(here.device, &parent); });
  AVRM_MUST(parent == nullptr);
}

void read_card(Here &here) {
  constexpr std::int32_t kSlot = AVRM_BOOT_SLOTS - 1;
  std::array<unsigned char, AVRM_BOOT_CARD_MAX> card{};
  std::size_t bytes = card.size();
  must([&] { return avrm_boot_publish(here.boot, kSlot, here.out.data(), 100); });
  must([&] { return avrm_boot_fetch(here.boot, 0, kSlot, card.data(), &bytes); });
  AVRM_MUST(bytes == 100);
}

// Four messages, of which the calls of `finish` complete all.
void send_messages(Here &here, void (*finish)(std::array<avrm_request_t *, 8> *)) {
  std::array<avrm_request_t *, 8> requests{};
  for (std::size_t i = 0; i < 4; ++i) {
    must([&] { return avrm_irecv(here.world, here.in.data() + i * 1000, 1000, 0, kTag, &requests[i]); });
  }
  const avrm_layout_t layout{250, 4, 500};
  const std::array<avrm_block_t, 1> one{{{0, 1000}}};
  const avrm_blocks_t list{one.data(), 1};
  must([&] { return avrm_issend(here.world, here.out.data(), 1000, 0, kTag, &requests[4]); });
  must([&] { return avrm_issend_blocks(here.world, here.out.data(), &list, 0, kTag, &requests[5]); });
  must([&] { return avrm_issend_strided(here.world, here.out.data(), &layout, 0, kTag, &requests[6]); });
  must([&] { return avrm_isend(here.world, here.out.data(), 1000, 0, kTag, &requests[7]); });
  finish(&requests);
}
void test_some(Here &here) {
  send_messages(here, [](std::array<avrm_request_t *, 8> *requests) {
    std::array<std::int32_t, 8> indices{};
    std::array<avrm_outcome_t, 8> outcomes{};
    for (std::int32_t finished = 0; finished != AVRM_UNDEFINED;) {
      must([&] { return avrm_testsome(8, requests->data(), &finished, indices.data(), outcomes.data()); });
      for (std::int32_t i = 0; i < finished; ++i) {
        AVRM_MUST(outcomes[static_cast<std::size_t>(i)].status == AVRM_OK);
      }
    }
  });
}
void wait_some(Here &here) {
  send_messages(here, [](std::array<avrm_request_t *, 8> *requests) {
    std::array<std::int32_t, 8> indices{};
    for (std::int32_t finished = 0; finished != AVRM_UNDEFINED;) {
      must([&] { return avrm_waitsome(8, requests->data(), &finished, indices.data(), nullptr); });
    }
  });
}
void test_any(Here &here) {
  send_messages(here, [](std::array<avrm_request_t *, 8> *requests) {
    std::int32_t index = 0;
    for (bool done = false; !done || index != AVRM_UNDEFINED;) {
      must([&] { return avrm_testany(8, requests->data(), &index, &done, nullptr); });
    }
  });
}
void test_all(Here &here) {
  send_messages(here, [](std::array<avrm_request_t *, 8> *requests) {
    for (bool done = false; !done;) {
      must([&] { return avrm_testall(8, requests->data(), &done, nullptr); });
    }
  });
}

void probe(Here &here) {
  for (const int way : {0, 1, 2, 3}) {
    avrm_message_t *message = nullptr;
    avrm_request_t *sent = nullptr;
    avrm_outcome_t outcome{};
    bool found = false;
    must([&] { return avrm_isend(here.world, here.out.data(), 3000, 0, kTag, &sent); });
    while (!found) {
      must([&] {
        return way == 0   ? avrm_iprobe(here.world, 0, kTag, &found, &outcome)
               : way == 1 ? (found = true, avrm_probe(here.world, 0, kTag, &outcome))
                          : avrm_improbe(here.world, AVRM_ANY_SOURCE, kTag, &found, &message, &outcome);
      });
    }
    AVRM_MUST(outcome.bytes == 3000);
    must_end([&](avrm_request_t **request_p) {
      return way < 2    ? avrm_irecv(here.world, here.in.data(), 3000, 0, kTag, request_p)
             : way == 2 ? avrm_imrecv_strided(&message, here.in.data(), &kLayout, request_p)
                        : avrm_imrecv_blocks(&message, here.in.data(), &kList, request_p);
    });
    AVRM_MUST(avrm_wait(&sent, nullptr) == AVRM_OK);
  }
}

void use_window(Here &here) {
  avrm_window_t *window = nullptr;
  std::array<std::uint64_t, 100> operands{};
  std::array<std::uint64_t, 100> results{};
  const std::uint64_t swapped = 9;
  std::uint64_t old = 0;
  operands.fill(3);
  must([&] { return avrm_window_create(here.world, here.part.data(), kBytes, 0, &window); });
  must_end([&](avrm_request_t **request_p) { return avrm_rput(window, here.out.data(), kBytes, 0, 0, request_p); });
  must_end([&](avrm_request_t **request_p) {
    return avrm_rput_strided(window, here.out.data(), &kLayout, 0, 0, &kLayout, request_p);
  });
  must_end([&](avrm_request_t **request_p) {
    return avrm_put_blocks(window, here.out.data(), &kList, 0, 0, &kList, request_p);
  });
  must_end([&](avrm_request_t **request_p) {
    return avrm_get_strided(window, here.in.data(), &kLayout, 0, 0, &kLayout, request_p);
  });
  here.part.fill(0);
  must_end([&](avrm_request_t **request_p) {
    return avrm_get_accumulate(window, operands.data(), results.data(), operands.size(), AVRM_UINT64, AVRM_OP_SUM, 0, 0,
                               request_p);
  });
  must_end([&](avrm_request_t **request_p) {
    return avrm_compare_and_swap(window, &swapped, operands.data(), &old, AVRM_UINT64, 0, 8, request_p);
  });
  AVRM_MUST(results[99] == 0 && old == 3);
  must([&] { return avrm_flush_all(window); });
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
}

void use_fast_path(Here &here) {
  constexpr auto kCount = static_cast<std::int32_t>(kBytes);
  avrm_fp_t *fp = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  std::uint64_t address = 0;
  std::array<avrm_request_t *, 3> requests{};
  must([&] { return avrm_fp_open(here.device, 1, &fp); });
  must([&] { return avrm_fp_comm_create_predefined(fp, here.world, AVRM_COMM_1); });
  AVRM_MUST(avrm_fp_comm_free(AVRM_COMM_1) == AVRM_OK);
  must([&] { return avrm_fp_comm_create(fp, here.world, &comm); });
  must([&] { return avrm_fp_irecv_nomatch(here.in.data(), kCount, AVRM_BYTE, comm, &requests[0]); });
  must([&] { return avrm_fp_isend_all_opts(here.out.data(), kCount, AVRM_BYTE, 0, comm); });
  must([&] { return avrm_fp_comm_waitall(comm); });
  AVRM_MUST(avrm_wait(&requests[0], nullptr) == AVRM_OK);
  int kind = 0;
  for (const auto send : {avrm_fp_isend_default, avrm_fp_isend_no_err, avrm_fp_isend_no_err_single}) {
    ++kind;
    must([&] { return send(here.out.data(), kCount, AVRM_BYTE, 0, kTag + kind, comm, &requests[1]); });
    must([&] { return avrm_fp_irecv(here.in.data(), kCount, AVRM_BYTE, 0, kTag + kind, comm, &requests[2]); });
    AVRM_MUST(avrm_waitall(3, requests.data(), nullptr) == AVRM_OK);
  }
  must([&] { return avrm_fp_window_create_predefined(comm, here.part.data(), kBytes, 1, 0, AVRM_WIN_1); });
  must([&] { return avrm_fp_window_free(AVRM_WIN_1); });
  must([&] { return avrm_fp_window_create(comm, here.part.data(), kBytes, 1, 0, &window); });
  must([&] { return avrm_fp_window_address(window, 0, &address); });
  for (const auto put : {avrm_fp_put_default, avrm_fp_put_no_err, avrm_fp_put_no_err_single}) {
    must([&] { return put(here.out.data(), kCount, AVRM_BYTE, 0, 0, window); });
    must([&] { return avrm_fp_flush_all(window); });
  }
  must([&] { return avrm_fp_put_all_opts(here.out.data(), kCount, AVRM_BYTE, 0, address, window); });
  must([&] { return avrm_fp_flush_all(window); });
  AVRM_MUST(avrm_fp_window_free(window) == AVRM_OK);
  AVRM_MUST(avrm_fp_comm_free(comm) == AVRM_OK);
  AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
}

void make_types(Here &here) {
  avrm_instance_t *const instance = avrm_device_instance(here.device);
  avrm_datatype_t pair = AVRM_DATATYPE_NULL;
  avrm_datatype_t column = AVRM_DATATYPE_NULL;
  must([&] { return avrm_type_contiguous(instance, 2, AVRM_DOUBLE, &pair); });
  must([&] { return avrm_type_vector(instance, 4, 1, 5, pair, &column); });
  must([&] { return avrm_type_commit(column); });
  AVRM_MUST(avrm_type_free(&column) == AVRM_OK && avrm_type_free(&pair) == AVRM_OK);
}

struct Calls {
  const char *name;
  void (*make)(Here &here);
};
constexpr Calls kCalls[] = {
    {"topology", open_topology},
    {"local communicator", create_local},
    {"shrink and replace", shrink},
    {"parent", find_parent},
    {"card", read_card},
    {"testsome", test_some},
    {"waitsome", wait_some},
    {"testany", test_any},
    {"testall", test_all},
    {"probes", probe},
    {"window", use_window},
    {"fast path", use_fast_path},
    {"datatypes", make_types},
};

class LocalCalls : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Over, LocalCalls, testing::ValuesIn(transports_of(Suites::kAll, has_one)), kByName);

int make_local_calls(avrm_boot_t *boot, void *user) {
  FailingMemory memory;
  const avrm_allocator_t hooks = memory.hooks();
  const avrm_device_options_t options = options_over(*static_cast<const Transport *>(user), boot, &hooks);
  Here here{boot, nullptr, nullptr};
  const avrm_status_t opened = avrm_device_open(&options, &here.device);
  if (means_lacking(opened)) {
    return kSkipped;
  }
  AVRM_MUST(opened == AVRM_OK);
  here.world = avrm_device_world(here.device);
  std::iota(here.out.begin(), here.out.end(), static_cast<unsigned char>(1));
  for (const Calls &calls : kCalls) {
    if (calls.make == open_topology && !has_topologies()) {
      continue;
    }
    calls.make(here);
    calls.make(here);
    const std::uint64_t before = memory.books.live_bytes();
    const int descriptors = open_descriptors();
    arm(kMemory | kSystem, Fault::kHard, INT64_MAX, 1);
    calls.make(here);
    const auto points = faults().calls;
    disarm();
    if (points != 0) { // a call without an allocation cannot fail
      sweep(kMemory | kSystem, {Fault::kNoMemory},
            [&](const Shot &shot) {
              (void)std::strncat(place_of_death(), calls.name, kPlaceBytes / 2);
              shot.arm();
              calls.make(here);
              disarm();
            },
            {.samples = 6});
    }
    AVRM_MUST(memory.books.live_bytes() == before);
    AVRM_MUST(open_descriptors() == descriptors);
  }
  AVRM_MUST(avrm_device_close(here.device) == AVRM_OK);
  AVRM_MUST(memory.books.live_bytes() == 0);
  AVRM_MUST(!has_leaks());
  return testing::Test::HasFailure() ? 1 : 0;
}

TEST_P(LocalCalls, AreRepeatedAfterAFailure) {
  Transport transport = GetParam();
  const avrm_fork_options_t forked{1, 0, job_timeout_ms(), 1};
  std::int32_t code = 0;
  (void)seed();
  *place_of_death() = '\0';
  const avrm_status_t status = avrm_boot_fork_run(&forked, make_local_calls, &transport, &code);
  ASSERT_EQ(status, AVRM_OK) << avrm_status_name(status) << ", " << place_of_death();
  if (code == kSkipped) {
    GTEST_SKIP() << lacks(GetParam());
  }
  EXPECT_EQ(code, 0) << place_of_death();
}

} // namespace
} // namespace avrankmap::test
