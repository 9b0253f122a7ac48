// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Members that die while a communicator is created, and memory that runs out: the others get a
// status and never hang.
#include <unistd.h>

#include <csignal>
#include <random>
#include <tuple>

#include "avrankmap/device/ft.h"
#include "tests/device/comm/members.h"
#include "tests/device/core/job.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

std::vector<Transport> transports_of_faults() {
  return transports_of(Suites::kAll, [](const Transport &transport) {
    return has_shared_memory(transport) && survives_early_death(transport);
  });
}

// Every way to make a communicator out of four processes, all of which take part.
class Ways {
public:
  explicit Ways(const Process &process) : process_(process), world_(process.world) {
    const bool low = process.rank < 2;
    group_ = group_of(process, {3, 0, 2, 1}); // a table
    const std::int32_t dims[] = {2, 2};
    const std::int32_t periods[] = {0, 0};
    AVRM_MUST(avrm_comm_create(world_, group_, &shuffled_) == AVRM_OK);
    AVRM_MUST(avrm_cart_create(world_, 2, dims, periods, false, &grid_) == AVRM_OK);
    AVRM_MUST(avrm_comm_split(world_, low ? 0 : 1, 0, &half_) == AVRM_OK);
    AVRM_MUST(avrm_intercomm_create(half_, 0, world_, low ? 2 : 0, 1, &inter_) == AVRM_OK);
    check(process, shuffled_, {3, 0, 2, 1});
    check(process, grid_, {0, 1, 2, 3});
    check(process, half_, own_half());
    check_inter(process, inter_, own_half(), other_half());
  }
  ~Ways() {
    for (avrm_comm_t *const comm : {grid_, inter_, half_, shuffled_}) {
      release(comm);
    }
    avrm_group_destroy(group_);
  }
  Ways(const Ways &) = delete;
  Ways &operator=(const Ways &) = delete;

  static constexpr int kCount = 15;
  static constexpr int kJoining = 6;
  static constexpr int kGuided = 11;
  static constexpr int kMerging = 12;
  avrm_status_t make(int way, avrm_comm_t **comm_p) {
    const int rank = process_.rank;
    const std::int32_t dims[] = {2, 2};
    const std::int32_t periods[] = {0, 0};
    const std::int32_t remain[] = {1, 0};
    switch (way) {
    case 0: return avrm_comm_dup(world_, comm_p);
    case 1: return avrm_comm_split(world_, rank % 2, -rank, comm_p);
    case 2: return avrm_comm_split_type(world_, AVRM_COMM_NODE, 0, comm_p);
    case 3: return avrm_comm_create(world_, group_, comm_p);
    case 4: return avrm_comm_create_group(world_, group_, 5, comm_p);
    case 5: return avrm_cart_create(world_, 2, dims, periods, false, comm_p);
    case kJoining: return avrm_intercomm_create(half_, 1, world_, rank < 2 ? 3 : 1, 2, comm_p);
    case 7: return avrm_intercomm_merge(inter_, rank < 2, comm_p);
    case 8: return avrm_comm_split(inter_, rank % 2, 0, comm_p);
    case 9: return avrm_comm_dup(inter_, comm_p);
    case 10: return avrm_cart_sub(grid_, remain, comm_p);
    case kGuided: return avrm_comm_split_guided(world_, "machine", 0, comm_p);
    case kMerging: return avrm_comm_merge(half_, 1, world_, rank < 2 ? 3 : 1, 2, rank < 2, comm_p);
    case 13: return avrm_comm_create_from_group(process_.device, group_, "fault", comm_p);
    default: {
      avrm_request_t *request = nullptr;
      const avrm_status_t status = avrm_comm_idup(shuffled_, comm_p, &request);
      return status != AVRM_OK ? status : avrm_wait(&request, nullptr);
    }
    }
  }

  // Checks what make() has created.
  void check_made(int way, avrm_comm_t *comm) const {
    const int parity = process_.rank % 2;
    switch (way) {
    case 1: return check(process_, comm, {parity + 2, parity});
    case 2:
    case kGuided: return check(process_, comm, neighbours());
    case 3:
    case 4:
    case 13:
    case 14: return check(process_, comm, {3, 0, 2, 1});
    case kJoining:
    case 9: return check_inter(process_, comm, own_half(), other_half());
    case 7:
    case kMerging: return check(process_, comm, {2, 3, 0, 1});
    case 8: return check_inter(process_, comm, {process_.rank}, {(process_.rank + 2) % 4});
    case 10: return check(process_, comm, {parity, parity + 2});
    default: return check(process_, comm, everyone(process_));
    }
  }

private:
  [[nodiscard]] Members own_half() const { return process_.rank < 2 ? Members{0, 1} : Members{2, 3}; }
  [[nodiscard]] Members other_half() const { return process_.rank < 2 ? Members{2, 3} : Members{0, 1}; }
  [[nodiscard]] Members neighbours() const {
    return avrm_boot_local_size(process_.boot) == process_.size ? everyone(process_) : own_half();
  }

  const Process &process_;
  avrm_comm_t *world_;
  avrm_group_t *group_ = nullptr;
  avrm_comm_t *shuffled_ = nullptr;
  avrm_comm_t *half_ = nullptr;
  avrm_comm_t *inter_ = nullptr;
  avrm_comm_t *grid_ = nullptr;
};

class CommFault : public testing::TestWithParam<Transport> {};

TEST_P(CommFault, ADeathDuringCreationEndsItForAll) {
  constexpr int kVictim = 2;
  run_job(
      GetParam(), 5,
      [](Process &process) {
        avrm_comm_t *dup = nullptr;
        AVRM_MUST(avrm_comm_dup(process.world, &dup) == AVRM_OK);
        check(process, dup, everyone(process)); // connects all processes
        fence(process);
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
        AVRM_MUST(live_contexts(process) == 1); // that of `dup`
      },
      kVictim);
}

// The failed members of a communicator, by their lpids.
void check_failed(avrm_comm_t *comm, const Members &members) {
  avrm_group_t *group = nullptr;
  AVRM_MUST(avrm_comm_get_failed(comm, &group) == AVRM_OK);
  AVRM_MUST(avrm_group_size(group) == static_cast<int>(members.size()));
  for (std::size_t i = 0; i < members.size(); ++i) {
    avrm_gpid_t process{};
    AVRM_MUST(avrm_group_gpid(group, static_cast<std::int32_t>(i), &process) == AVRM_OK);
    AVRM_MUST(process.pgid == 0 && process.lpid == members[i]);
  }
  avrm_group_destroy(group);
}

TEST_P(CommFault, EachCommunicatorTellsWhichOfItsMembersHaveFailed) {
  constexpr int kVictim = 2;
  run_job(
      GetParam(), 4,
      [](Process &process) {
        const bool low = process.rank < 2;
        avrm_comm_t *half = nullptr;
        avrm_comm_t *inter = nullptr;
        avrm_group_t *reversed = group_of(process, {3, 2, 1, 0});
        avrm_comm_t *backwards = nullptr;
        AVRM_MUST(avrm_comm_split(process.world, low ? 0 : 1, 0, &half) == AVRM_OK);
        AVRM_MUST(avrm_intercomm_create(half, 0, process.world, low ? 2 : 0, 1, &inter) == AVRM_OK);
        AVRM_MUST(avrm_comm_create(process.world, reversed, &backwards) == AVRM_OK);
        avrm_group_destroy(reversed);
        for (avrm_comm_t *const comm : {process.world, half, inter, backwards}) {
          check_failed(comm, {});
        }
        check_messages(process.world, process.rank, everyone(process));
        fence(process);
        if (process.rank == kVictim) {
          kill(getpid(), SIGKILL);
        }
        while (avrm_boot_failures(process.boot) == 0) {
          avrm_progress(process.device);
        }
        for (avrm_comm_t *const comm : {process.world, inter, backwards}) {
          check_failed(comm, {kVictim});
        }
        check_failed(half, low ? Members{} : Members{kVictim});
        AVRM_MUST(avrm_comm_get_failed(nullptr, &reversed) == AVRM_ERR_NULL);
        AVRM_MUST(avrm_comm_get_failed(half, nullptr) == AVRM_ERR_NULL);
        release(inter);
        release(half);
        release(backwards);
      },
      kVictim);
}

// A dead process is missing in every kind of creation. Some kinds involve it in the
// other group only.
TEST_P(CommFault, ADeathEndsEveryKindOfCreation) {
  for (int way = 0; way < Ways::kCount; ++way) {
    if (GetParam().per_node != 0 && way != Ways::kJoining && !is_long()) {
      continue; // connecting takes long
    }
    for (const int victim : {0, 1}) { // a leader of its half, and not a leader
      run_job(
          GetParam(), 4,
          [&](Process &process) {
            // Connects all processes.
            check_messages(process.world, process.rank, everyone(process));
            Ways ways(process);
            const int before = live_contexts(process);
            fence(process);
            if (process.rank == victim) {
              kill(getpid(), SIGKILL);
            }
            avrm_comm_t *comm = nullptr;
            const avrm_status_t status = ways.make(way, &comm);
            if (status != AVRM_ERR_PEER || comm != nullptr) {
              std::fprintf(stderr, "way %d, process %d: %s\n", way, process.rank, avrm_status_name(status));
            }
            AVRM_MUST(status == AVRM_ERR_PEER && comm == nullptr);
            AVRM_MUST(live_contexts(process) <= before + 1); // one on which others may have agreed
          },
          victim);
      if (IsSkipped() || HasFailure()) {
        return;
      }
    }
  }
}

// Both groups merge over and over until the leader of one of them dies, at any point.
TEST_P(CommFault, ADeathInTheMiddleOfAMergeEndsItInBothGroups) {
  std::mt19937_64 random = seeded_engine();
  for (const int victim : {0, 2}) {
    const auto delay = static_cast<useconds_t>(1 + random() % 3000);
    run_job(
        GetParam(), 5,
        [=](Process &process) {
          const bool low = process.rank < 2;
          avrm_comm_t *half = nullptr;
          AVRM_MUST(avrm_comm_split(process.world, low ? 0 : 1, 0, &half) == AVRM_OK);
          check_messages(process.world, process.rank, everyone(process)); // connects all processes
          const int before = live_contexts(process);
          fence(process);
          if (process.rank == victim) {
            (void)std::signal(SIGALRM, [](int) { kill(getpid(), SIGKILL); });
            (void)ualarm(delay, 0);
          }
          avrm_status_t status = AVRM_OK;
          while (status == AVRM_OK) {
            avrm_comm_t *both = nullptr;
            status = avrm_comm_merge(half, 0, process.world, low ? 2 : 0, 1, low, &both);
            AVRM_MUST((status == AVRM_OK) == (both != nullptr));
            release(both);
          }
          AVRM_MUST(status == AVRM_ERR_PEER);
          // That of the last one remains if the death was known when it was released.
          AVRM_MUST(live_contexts(process) <= before + 1);
          release(half);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

// The purpose of noncollective creation: survivors continue among themselves.
TEST_P(CommFault, TheOthersMakeACommunicatorOfTheirOwn) {
  constexpr int kVictim = 1;
  run_job(
      GetParam(), 5,
      [](Process &process) {
        avrm_comm_t *dup = nullptr;
        AVRM_MUST(avrm_comm_dup(process.world, &dup) == AVRM_OK);
        check(process, dup, everyone(process));
        release(dup);
        fence(process);
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
        avrm_comm_t *half = nullptr; // it can be split like any other
        AVRM_MUST(avrm_comm_split(comm, process.rank / 3, 0, &half) == AVRM_OK);
        check(process, half, process.rank < 3 ? Members{0, 2} : Members{3, 4});
        release(half);
        release(comm);
        AVRM_MUST(avrm_comm_create_from_group(process.device, group, "survivors", &comm) == AVRM_OK);
        check(process, comm, survivors);
        release(comm);
        avrm_group_destroy(group);
      },
      kVictim);
}

INSTANTIATE_TEST_SUITE_P(Over, CommFault, testing::ValuesIn(transports_of_faults()), kByName);

// Refuses the `point`th allocation from now on and, with for_good, all later ones.
struct Refusing {
  CountingAllocator books;
  avrm_allocator_t inner = books.hooks();
  int point = -1; // refuses nothing
  bool for_good = false;
  bool refuses_maps = false;
  int refused = 0;

  [[nodiscard]] avrm_allocator_t hooks() {
    return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) -> void * {
              auto *const self = static_cast<Refusing *>(user);
              const bool is_of_map = kind == AVRM_MEM_RANKMAP || kind == AVRM_MEM_SEGMENTS || kind == AVRM_MEM_LUT;
              if (self->point == 0 || (self->refuses_maps && is_of_map)) {
                self->point = self->point == 0 && self->for_good ? 0 : -1;
                ++self->refused;
                return nullptr;
              }
              self->point -= self->point > 0 ? 1 : 0;
              return self->inner.allocate(self->inner.user, size, alignment, kind);
            },
            [](void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
              const auto *const self = static_cast<Refusing *>(user);
              self->inner.release(self->inner.user, block, size, alignment, kind);
            },
            this};
  }
};

// Returns the values of all processes of the world, by rank.
std::vector<int> gather(const Process &process, int own) {
  std::vector<int> all(static_cast<std::size_t>(process.size), own);
  for (int peer = 0; peer < process.size; ++peer) {
    if (peer != process.rank) {
      avrm_request_t *receive = nullptr;
      avrm_request_t *sent = nullptr;
      int &in = all[static_cast<std::size_t>(peer)];
      AVRM_MUST(avrm_irecv(process.world, &in, sizeof in, peer, 1, &receive) == AVRM_OK);
      AVRM_MUST(avrm_isend(process.world, &own, sizeof own, peer, 1, &sent) == AVRM_OK);
      wait(sent);
      wait(receive);
    }
  }
  return all;
}

class CommMemory : public testing::TestWithParam<std::tuple<bool, Transport>> {};

// Memory runs out in one process, at any allocation, once or for good: all processes get the
// status, and the parents stay usable.
TEST_P(CommMemory, RunsOutWhereverItMay) {
  struct Choice {
    bool for_good;
    Transport transport;
  } choice{std::get<0>(GetParam()), std::get<1>(GetParam())};
  const avrm_fork_options_t forked{4, choice.transport.per_node, job_timeout_ms(), 1};
  const auto body = [](avrm_boot_t *boot, void *user) {
    constexpr int kVictim = 1;
    const Choice &chosen = *static_cast<const Choice *>(user);
    Refusing allocator;
    const avrm_allocator_t hooks = allocator.hooks();
    const avrm_device_options_t options = options_over(chosen.transport, boot, &hooks);
    Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
    const avrm_status_t opened = avrm_device_open(&options, &process.device);
    if (means_lacking(opened)) {
      return kSkipped;
    }
    AVRM_MUST(opened == AVRM_OK);
    process.world = avrm_device_world(process.device);
    check_messages(process.world, process.rank, everyone(process)); // connects all processes
    {
      Ways ways(process);
      const int before = live_contexts(process);
      for (int way = 0; way < Ways::kCount; ++way) {
        const bool is_slow = chosen.for_good || has_network(chosen.transport);
        if (way == Ways::kGuided && ((is_slow && !is_long()) || !has_topologies())) {
          continue; // hwloc is slow
        }
        for (int point = 0; point < 100; ++point) {
          avrm_comm_t *comm = nullptr;
          if (process.rank == kVictim) {
            allocator.for_good = chosen.for_good;
            allocator.refused = 0;
            allocator.point = point;
          }
          const avrm_status_t status = ways.make(way, &comm);
          allocator.point = -1;
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_NO_MEMORY);
          AVRM_MUST((status == AVRM_OK) == (comm != nullptr));
          const std::vector<int> statuses = gather(process, status);
          AVRM_MUST(std::all_of(statuses.begin(), statuses.end(), [&](int other) { return other == status; }));
          const std::vector<int> refused = gather(process, allocator.refused);
          if (status == AVRM_OK) {
            ways.check_made(way, comm);
          }
          release(comm);
          AVRM_MUST(live_contexts(process) == before);
          comm = nullptr;
          AVRM_MUST(ways.make(way, &comm) == AVRM_OK);
          ways.check_made(way, comm);
          release(comm);
          if (refused[kVictim] == 0) {
            // Creation allocates, and all allocations succeeded.
            AVRM_MUST(point > 0 && status == AVRM_OK);
            break;
          }
        }
      }
    }
    AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
    AVRM_MUST(allocator.books.live_bytes() == 0);
    return 0;
  };
  std::int32_t codes[4] = {};
  ASSERT_EQ(avrm_boot_fork_run(&forked, body, &choice, codes), AVRM_OK);
  if (any_skipped(codes)) {
    GTEST_SKIP() << lacks(choice.transport);
  }
  for (const std::int32_t code : codes) {
    EXPECT_EQ(code, 0);
  }
}

// The others have agreed, and wait for this process's part. Only the map without the dead, a table,
// finds no memory.
TEST(ShrinkMemory, AProcessWithoutMemoryGoesOnWhenItHasSome) {
  constexpr int kVictim = 2;
  const auto body = [](avrm_boot_t *boot, void * /*user*/) {
    Refusing allocator;
    const avrm_allocator_t hooks = allocator.hooks();
    const avrm_device_options_t options = options_over(transports_of_faults().front(), boot, &hooks);
    avrm_device_t *device = nullptr;
    AVRM_MUST(avrm_device_open(&options, &device) == AVRM_OK && avrm_boot_fence(boot) == AVRM_OK);
    if (avrm_boot_rank(boot) == kVictim) {
      raise(SIGKILL);
    }
    while (!avrm_boot_has_failed(boot, kVictim)) {
      avrm_progress(device);
    }
    avrm_comm_t *comm = nullptr;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_comm_ishrink(avrm_device_world(device), &comm, &request) == AVRM_OK);
    if (avrm_boot_rank(boot) == 1) {
      allocator.refuses_maps = true;
      while (allocator.refused < 20) {
        avrm_progress(device);
      }
      allocator.refuses_maps = false;
    }
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_OK && avrm_comm_size(comm) == 3);
    AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
    AVRM_MUST(avrm_device_close(device) == AVRM_ERR_PEER);
    return 0;
  };
  const avrm_fork_options_t forked{4, transports_of_faults().front().per_node, job_timeout_ms(), 0};
  std::int32_t codes[4] = {};
  ASSERT_EQ(avrm_boot_fork_run(&forked, body, nullptr, codes), AVRM_OK);
  for (const int rank : {0, 1, 3}) {
    EXPECT_EQ(codes[rank], 0) << "process " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Over, CommMemory, testing::Combine(testing::Bool(), testing::ValuesIn(transports_of_faults())),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param) ? "ForGood_" : "ForAMoment_") +
                                  std::get<1>(info.param).name;
                         });

} // namespace
} // namespace avrankmap::test
