// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Members that die while a communicator is made, and memory that runs out: a status for the others, never a hang.
#include <signal.h>
#include <unistd.h>

#include "tests/comm/members.h"
#include "tests/device/job.h"

namespace avrankmap::test {
namespace {

constexpr Transport kTransportsOfFaults[] = {
    {"posix", "null", nullptr, "posix", 0},
    {"ofi_and_posix", "ofi", "tcp;ofi_rxm", "posix", 2},
};

class CommFault : public testing::TestWithParam<Transport> {};

TEST_P(CommFault, ADeathDuringCreationEndsItForAll) {
  constexpr int kVictim = 2;
  run_job(
      GetParam(), 5,
      [](Process &process) {
        avrm_comm_t *dup = nullptr;
        AVRM_MUST(avrm_comm_dup(process.world, &dup) == AVRM_OK);
        check(process, dup, everyone(process)); // all know one another
        if (process.rank == kVictim) {
          kill(getpid(), SIGKILL);
        }
        avrm_comm_t *comm = nullptr;
        AVRM_MUST(avrm_comm_split(dup, process.rank % 2, 0, &comm) == AVRM_ERR_PEER);
        AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_ERR_PEER);
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_comm_idup(dup, &comm, &request) == AVRM_OK);
        AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_PEER);
        AVRM_MUST(comm == nullptr);
        release(dup);
        AVRM_MUST(live_contexts(process) == 0);
      },
      kVictim);
}

// What noncollective creation is for: those who are left go on among themselves.
TEST_P(CommFault, TheOthersMakeACommunicatorOfTheirOwn) {
  constexpr int kVictim = 1;
  run_job(
      GetParam(), 5,
      [](Process &process) {
        avrm_comm_t *dup = nullptr;
        AVRM_MUST(avrm_comm_dup(process.world, &dup) == AVRM_OK);
        check(process, dup, everyone(process));
        release(dup);
        if (process.rank == kVictim) {
          kill(getpid(), SIGKILL);
        }
        while (!avrm_boot_has_failed(process.boot, kVictim)) {
          avrm_progress(process.device);
        }
        const Members survivors{0, 2, 3, 4};
        avrm_group_t *const group = group_of(process, survivors);
        avrm_comm_t *comm = nullptr;
        AVRM_MUST(avrm_comm_create_group(process.world, group, 0, &comm) == AVRM_OK);
        check(process, comm, survivors);
        avrm_comm_t *half = nullptr; // and it is a communicator like any other
        AVRM_MUST(avrm_comm_split(comm, process.rank / 3, 0, &half) == AVRM_OK);
        check(process, half, process.rank < 3 ? Members{0, 2} : Members{3, 4});
        release(half);
        release(comm);
        avrm_group_destroy(group);
      },
      kVictim);
}

INSTANTIATE_TEST_SUITE_P(Over, CommFault, testing::ValuesIn(kTransportsOfFaults),
                         [](const auto &info) { return std::string(info.param.name); });

// Refuses the `point`th allocation from now on, not counting what messages need: a transport that has no room for a message
// loses it, whatever the message is for.
struct Refusing {
  CountingAllocator books;
  avrm_allocator_t inner = books.hooks();
  int point = -1;

  [[nodiscard]] avrm_allocator_t hooks() {
    return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) -> void * {
              auto *const self = static_cast<Refusing *>(user);
              if (kind != AVRM_MEM_MESSAGE && self->point >= 0 && self->point-- == 0) {
                return nullptr;
              }
              return self->inner.allocate(self->inner.user, size, alignment, kind);
            },
            [](void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
              const auto *const self = static_cast<Refusing *>(user);
              self->inner.release(self->inner.user, block, size, alignment, kind);
            },
            this};
  }
};

// Wherever memory runs out in one process, all are told, and the parent is as good as before.
TEST(CommMemory, RunsOutWhereverItMay) {
  const avrm_fork_options_t forked{3, 0, kSanitized ? 240000 : 60000, 1};
  const auto body = [](avrm_boot_t *boot, void *) {
    Refusing allocator;
    const avrm_allocator_t hooks = allocator.hooks();
    avrm_device_options_t options{};
    options.boot = boot;
    options.netmod = "null";
    options.shmmod = "posix";
    options.allocator = &hooks;
    Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
    AVRM_MUST(avrm_device_open(&options, &process.device) == AVRM_OK);
    process.world = avrm_device_world(process.device);
    check_messages(process.world, process.rank, everyone(process)); // all know one another
    int failures = 0;
    for (int point = 0; point < 24; ++point) {
      const auto attempt = [&](auto create) {
        avrm_comm_t *comm = nullptr;
        if (process.rank == 1) {
          allocator.point = point;
        }
        const avrm_status_t status = create(&comm);
        allocator.point = -1;
        AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_NO_MEMORY);
        AVRM_MUST((status == AVRM_OK) == (comm != nullptr));
        failures += status != AVRM_OK ? 1 : 0;
        release(comm);
        AVRM_MUST(live_contexts(process) == 0);
        // All were told the same.
        int seen = status;
        int theirs = 0;
        avrm_request_t *request = nullptr;
        const int left = (process.rank + 2) % 3;
        AVRM_MUST(avrm_isend(process.world, &seen, sizeof seen, (process.rank + 1) % 3, 1, &request) == AVRM_OK);
        wait(request);
        AVRM_MUST(avrm_irecv(process.world, &theirs, sizeof theirs, left, 1, &request) == AVRM_OK);
        wait(request);
        AVRM_MUST(theirs == seen);
      };
      attempt([&](avrm_comm_t **comm_p) { return avrm_comm_dup(process.world, comm_p); });
      attempt([&](avrm_comm_t **comm_p) { return avrm_comm_split(process.world, 0, -process.rank, comm_p); });
      attempt([&](avrm_comm_t **comm_p) {
        const std::int32_t dims[] = {3};
        const std::int32_t periods[] = {0};
        return avrm_cart_create(process.world, 1, dims, periods, false, comm_p);
      });
    }
    AVRM_MUST(failures > 5);
    AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
    AVRM_MUST(allocator.books.live_bytes() == 0);
    return 0;
  };
  std::int32_t codes[3] = {};
  ASSERT_EQ(avrm_boot_fork_run(&forked, body, nullptr, codes), AVRM_OK);
  for (const std::int32_t code : codes) {
    EXPECT_EQ(code, 0);
  }
}

} // namespace
} // namespace avrankmap::test
