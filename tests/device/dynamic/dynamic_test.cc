// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds that connect, merge and part.
#include <thread>

#include "avrankmap/device/atomics.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

// Opening a device over libfabric takes half a second of processor time, so most tests use it in
// long runs only.
class Dynamic : public UcxOrLong {};
class DynamicEverywhere : public testing::TestWithParam<Transport> {};

INSTANTIATE_TEST_SUITE_P(Over, Dynamic, testing::ValuesIn(transports_between_jobs()), kByName);
INSTANTIATE_TEST_SUITE_P(Over, DynamicEverywhere, testing::ValuesIn(transports_between_jobs()), kByName);

constexpr int kSizes[] = {3, 2};

TEST_P(DynamicEverywhere, EachTalksToEveryoneOfTheOtherWorld) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self);
    check_intercomm(self.world_member(), inter, ids_of(1 - self.world, kSizes[1 - self.world]));
    part(inter);
  });
}

TEST_P(Dynamic, TheOtherWorldHasAPgidOfItsOwnAndRegularMaps) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self);
    const avrm_rankmap_t *const remote = avrm_comm_map(inter);
    AVRM_MUST(is_affine(remote) && remote->pgid == 1);
    for (int rank = 0; rank < remote->size; ++rank) {
      const avrm_gpid_t process = avrm_rankmap_gpid(remote, rank);
      AVRM_MUST(process.pgid == 1 && process.lpid == rank);
    }
    avrm_group_t *own = nullptr;
    AVRM_MUST(avrm_comm_group(inter, &own) == AVRM_OK);
    AVRM_MUST(is_affine(avrm_group_map(own)) && avrm_group_map(own)->pgid == 0);
    avrm_group_destroy(own);
    avrm_av_t *av = nullptr;
    AVRM_MUST(avrm_av_find(avrm_device_instance(self.process.device), 1, &av) == AVRM_OK);
    AVRM_MUST(av->size == kSizes[1 - self.world]);
    part(inter);
    AVRM_MUST(avrm_av_find(avrm_device_instance(self.process.device), 1, &av) == AVRM_ERR_PGID_RELEASED);
  });
}

TEST_P(Dynamic, PartsOfWorldsMeetAsWhatTheyAreAtHome) {
  run_worlds(GetParam(), {5, 4}, [](WorldProcess &self) {
    avrm_comm_t *part_of_world = nullptr;
    AVRM_MUST(avrm_comm_split(self.process.world, self.process.rank % 2, 0, &part_of_world) == AVRM_OK);
    Members own;
    for (int rank = self.process.rank % 2; rank < self.process.size; rank += 2) {
      own.push_back(id_of(self.world, rank));
    }
    check_merged(self.world_member(), part_of_world, own);
    if (self.process.rank % 2 == 0) {
      char port[AVRM_PORT_MAX] = "";
      if (self.world == 0 && self.process.rank == 0) {
        AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
        self.board.hang(0, port);
      } else if (self.process.rank == 0) {
        std::memcpy(port, self.board.read(0), sizeof port);
      }
      avrm_comm_t *const inter = connect_worlds(self, part_of_world, port);
      const avrm_rankmap_t *const remote = avrm_comm_map(inter);
      AVRM_MUST(avrm_rankmap_gpid(remote, 1).lpid == 2 && is_affine(remote));
      Members others;
      for (int rank = 0; rank < (self.world == 0 ? 4 : 5); rank += 2) {
        others.push_back(id_of(1 - self.world, rank));
      }
      check_intercomm(self.world_member(), inter, own, others);
      part(inter); // the port closes with the device
    }
    release(part_of_world);
  });
}

TEST_P(Dynamic, BothWorldsMergeInTheOrderThatTheyAskFor) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self);
    check_intercomm(self.world_member(), inter, ids_of(1 - self.world, kSizes[1 - self.world]));
    const Members zero = ids_of(0, kSizes[0]);
    const Members one = ids_of(1, kSizes[1]);
    for (const bool zero_first : {true, false}) {
      avrm_comm_t *merged = nullptr;
      AVRM_MUST(avrm_intercomm_merge(inter, (self.world == 0) != zero_first, &merged) == AVRM_OK);
      check_merged(self.world_member(), merged, zero_first ? joined(zero, one) : joined(one, zero));
      AVRM_MUST(avrm_comm_map(merged)->mode == AVRM_MODE_SEGMENTS || avrm_comm_map(merged)->mode == AVRM_MODE_MLUT);
      part(merged);
    }
    part(inter);
  });
}

TEST_P(Dynamic, ATieBetweenWorldsIsBrokenAlikeInBoth) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self);
    check_intercomm(self.world_member(), inter, ids_of(1 - self.world, kSizes[1 - self.world]));
    avrm_comm_t *merged = nullptr;
    AVRM_MUST(avrm_intercomm_merge(inter, false, &merged) == AVRM_OK);
    const Members zero = ids_of(0, kSizes[0]);
    const Members one = ids_of(1, kSizes[1]);
    const bool zero_first = (avrm_comm_rank(merged) == self.process.rank) == (self.world == 0);
    check_merged(self.world_member(), merged, zero_first ? joined(zero, one) : joined(one, zero));
    part(merged);
    part(inter);
  });
}

// Communicators of two worlds have all features.
TEST_P(DynamicEverywhere, CommunicatorsOfTwoWorldsAreLikeAnyOthers) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self);
    check_intercomm(self.world_member(), inter, ids_of(1 - self.world, kSizes[1 - self.world]));
    avrm_comm_t *merged = nullptr;
    AVRM_MUST(avrm_intercomm_merge(inter, self.world == 1, &merged) == AVRM_OK);
    part(inter); // the merged communicator keeps the worlds connected
    const Members ids = joined(ids_of(0, kSizes[0]), ids_of(1, kSizes[1]));
    const int rank = avrm_comm_rank(merged);
    check_merged(self.world_member(), merged, ids);

    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(merged, &dup) == AVRM_OK);
    check_merged(self.world_member(), dup, ids);
    release(dup);

    avrm_comm_t *half = nullptr;
    AVRM_MUST(avrm_comm_split(merged, rank % 2, -rank, &half) == AVRM_OK);
    Members members;
    for (int r = 4; r >= 0; --r) {
      if (r % 2 == rank % 2) {
        members.push_back(ids[static_cast<std::size_t>(r)]);
      }
    }
    check_merged(self.world_member(), half, members);
    // Leaders of both halves connect over the merged communicator, in which they may be of
    // different worlds.
    avrm_comm_t *between = nullptr;
    AVRM_MUST(avrm_intercomm_create(half, 0, merged, rank % 2 == 0 ? 3 : 4, 5, &between) == AVRM_OK);
    Members others;
    for (int r = 4; r >= 0; --r) {
      if (r % 2 != rank % 2) {
        others.push_back(ids[static_cast<std::size_t>(r)]);
      }
    }
    check_intercomm(self.world_member(), between, members, others);
    release(between);
    AVRM_MUST(avrm_comm_merge(half, 0, merged, rank % 2 == 0 ? 3 : 4, 6, rank % 2 == 0, &between) == AVRM_OK);
    check_merged(self.world_member(), between, rank % 2 == 0 ? joined(others, members) : joined(members, others));
    release(between);
    release(half);

    avrm_group_t *all = nullptr;
    avrm_group_t *group = nullptr;
    const std::int32_t chosen[] = {4, 1, 0};
    AVRM_MUST(avrm_comm_group(merged, &all) == AVRM_OK);
    AVRM_MUST(avrm_group_incl(all, 3, chosen, &group) == AVRM_OK);
    avrm_comm_t *three = nullptr;
    if (rank != 2 && rank != 3) {
      AVRM_MUST(avrm_comm_create_group(merged, group, 1, &three) == AVRM_OK);
      check_merged(self.world_member(), three, {ids[4], ids[1], ids[0]});
      release(three);
      // Without a parent, a group has processes of one world.
      three = nullptr;
      avrm_device_t *const device = self.process.device;
      AVRM_MUST(avrm_comm_create_from_group(device, group, "three", &three) == AVRM_ERR_RANK && three == nullptr);
    }
    std::int32_t found[3] = {};
    const std::int32_t ranks[] = {0, 1, 2};
    AVRM_MUST(avrm_group_translate_ranks(group, 3, ranks, all, found) == AVRM_OK);
    AVRM_MUST(std::equal(found, found + 3, chosen));
    avrm_group_destroy(group);
    avrm_group_destroy(all);

    // Node numbers are the same in both worlds, but mean different nodes.
    avrm_comm_t *node = nullptr;
    AVRM_MUST(avrm_comm_split_type(merged, AVRM_COMM_NODE, 0, &node) == AVRM_OK);
    const Members neighbours = self.world == 1    ? Members{200, 201}
                               : self.id() == 102 ? Members{102}
                                                  : Members{100, 101};
    check_merged(self.world_member(), node, neighbours);
    release(node);
    if (avrm_comm_split_guided(merged, "machine", 0, &node) == AVRM_OK) { // a build with hwloc
      check_merged(self.world_member(), node, neighbours);
      release(node);
    }
    AVRM_MUST(avrm_comm_node(merged, &node) == AVRM_OK);
    check_merged(self.world_member(), node, neighbours);

    // Windows, too.
    std::uint32_t own[5] = {};
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(merged, own, sizeof own, 0, &window) == AVRM_OK);
    const auto value = static_cast<std::uint32_t>(self.id());
    for (int target = 0; target < 5; ++target) {
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_put(window, &value, sizeof value, target, static_cast<std::uint64_t>(rank) * sizeof value,
                         &request) == AVRM_OK);
      wait(request);
    }
    AVRM_MUST(avrm_flush_all(window) == AVRM_OK);
    AVRM_MUST(avrm_barrier(merged) == AVRM_OK);
    for (std::size_t r = 0; r < 5; ++r) {
      AVRM_MUST(own[r] == static_cast<std::uint32_t>(ids[r]));
    }
    AVRM_MUST(avrm_barrier(merged) == AVRM_OK);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
    part(merged);
  });
}

// Disconnecting ends connections of the network, whose atomics must not suffer.
TEST_P(Dynamic, AtomicsOfTheNetworkGoOnWhileAnotherWorldParts) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self);
    check_intercomm(self.world_member(), inter, ids_of(1 - self.world, kSizes[1 - self.world]));
    avrm_window_t *window = nullptr;
    void *base = nullptr;
    AVRM_MUST(avrm_window_allocate(self.process.world, 8, AVRM_WINDOW_NETWORK_ATOMICS, &base, &window) == AVRM_OK);
    const int next = (self.process.rank + 1) % self.process.size;
    constexpr std::uint64_t kAdditions = 40;
    std::uint64_t old[kAdditions] = {};
    avrm_request_t *requests[kAdditions] = {};
    const std::uint64_t one = 1;
    for (std::size_t i = 0; i < kAdditions; ++i) {
      AVRM_MUST(avrm_fetch_and_op(window, &one, &old[i], AVRM_UINT64, AVRM_OP_SUM, next, 0, &requests[i]) == AVRM_OK);
      if (i == kAdditions / 2) {
        part(inter);
      }
    }
    AVRM_MUST(avrm_waitall(kAdditions, requests, nullptr) == AVRM_OK);
    AVRM_MUST(avrm_flush(window, next) == AVRM_OK);
    for (std::size_t i = 0; i < kAdditions; ++i) {
      AVRM_MUST(old[i] == i);
    }
    barrier(self.process);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

TEST_P(Dynamic, WorldsThatMeetTwiceAreTheSame) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const first = connect_worlds(self, 0);
    avrm_comm_t *const second = connect_worlds(self, 1);
    AVRM_MUST(avrm_comm_map(first)->pgid == avrm_comm_map(second)->pgid);
    const int other = 1 - self.world;
    check_intercomm(self.world_member(), first, ids_of(other, kSizes[other]));
    part(first);
    check_intercomm(self.world_member(), second, ids_of(other, kSizes[other]));
    part(second);
  });
}

TEST_P(Dynamic, PartsOfOneWorldMeetWithinIt) {
  run_worlds(GetParam(), {4}, [](WorldProcess &self) {
    avrm_comm_t *half = nullptr;
    const int side = self.process.rank % 2;
    AVRM_MUST(avrm_comm_split(self.process.world, side, 0, &half) == AVRM_OK);
    char port[AVRM_PORT_MAX] = "";
    if (self.process.rank == 0) {
      AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
      self.board.hang(0, port);
    } else if (self.process.rank == 1) {
      std::memcpy(port, self.board.read(0), sizeof port);
    }
    avrm_comm_t *inter = nullptr;
    AVRM_MUST((side == 0 ? avrm_comm_accept(half, 0, port, nullptr, &inter)
                         : avrm_comm_connect(half, 0, port, nullptr, &inter)) == AVRM_OK);
    AVRM_MUST(avrm_comm_map(inter)->pgid == 0);
    const Members own{id_of(0, side), id_of(0, side + 2)};
    check_merged(self.world_member(), half, own);
    check_intercomm(self.world_member(), inter, own, {id_of(0, 1 - side), id_of(0, 3 - side)});
    part(inter);
    release(half);
  });
}

TEST_P(Dynamic, ThreeWorldsBecomeOne) {
  run_worlds(GetParam(), {2, 2, 1}, [](WorldProcess &self) {
    const Members first_two = joined(ids_of(0, 2), ids_of(1, 2));
    avrm_comm_t *two = nullptr;
    if (self.world != 2) {
      avrm_comm_t *const inter = connect_worlds(self);
      check_intercomm(self.world_member(), inter, ids_of(1 - self.world, 2));
      AVRM_MUST(avrm_intercomm_merge(inter, self.world == 1, &two) == AVRM_OK);
      check_merged(self.world_member(), two, first_two);
      part(inter);
    }
    avrm_comm_t *const comm = self.world == 2 ? self.process.world : two;
    char port[AVRM_PORT_MAX] = "";
    if (self.id() == 100) {
      AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
      self.board.hang(1, port);
    } else if (self.world == 2) {
      std::memcpy(port, self.board.read(1), sizeof port);
    }
    avrm_comm_t *inter = nullptr;
    AVRM_MUST((self.world == 2 ? avrm_comm_connect(comm, 0, port, nullptr, &inter)
                               : avrm_comm_accept(comm, 0, port, nullptr, &inter)) == AVRM_OK);
    check_intercomm(self.world_member(), inter, self.world == 2 ? ids_of(2, 1) : first_two,
                    self.world == 2 ? first_two : ids_of(2, 1));
    avrm_comm_t *three = nullptr;
    AVRM_MUST(avrm_intercomm_merge(inter, self.world == 2, &three) == AVRM_OK);
    part(inter);
    check_merged(self.world_member(), three, joined(first_two, ids_of(2, 1)));
    part(three);
    if (two != nullptr) {
      part(two);
    }
  });
}

// Everything is as before: descriptors, context ids and bytes, except those of caches and of the
// pool of requests. No pgid comes again.
TEST_P(DynamicEverywhere, WorldsComeAndGoWithoutGrowth) {
  run_worlds(GetParam(), {2, 2}, [](WorldProcess &self) {
    const int rounds = is_long() ? 2000 : 60;
    std::uint64_t bytes[2] = {};
    int descriptors[2] = {};
    std::int32_t pgid = 0;
    for (int round = 0; round < rounds; ++round) {
      avrm_comm_t *const inter = connect_worlds(self, 0);
      AVRM_MUST(avrm_comm_map(inter)->pgid > pgid);
      pgid = avrm_comm_map(inter)->pgid;
      check_intercomm(self.world_member(), inter, ids_of(1 - self.world, 2));
      avrm_comm_t *merged = nullptr;
      AVRM_MUST(avrm_intercomm_merge(inter, self.world == 1, &merged) == AVRM_OK);
      check_merged(self.world_member(), merged, joined(ids_of(0, 2), ids_of(1, 2)));
      part(inter);
      part(merged);
      AVRM_MUST(avrm_barrier(self.process.world) == AVRM_OK);
      if (self.world == 0 && self.process.rank == 0) {
        self.board.notes[0].is_there.store(0);
      }
      self.board.counters[0].fetch_add(1);
      while (self.board.counters[0].load() < 4 * (round + 1)) {
        avrm_progress(self.process.device);
        sched_yield();
      }
      const bool settled = round >= rounds / 2;
      bytes[settled ? 1 : 0] = live_bytes(self.process, AVRM_MEM_TOTAL);
      descriptors[settled ? 1 : 0] = open_descriptors();
    }
    AVRM_MUST(bytes[0] == bytes[1]);
    if (descriptors[1] > descriptors[0]) {
      std::fprintf(stderr, "%d descriptors, then %d\n", descriptors[0], descriptors[1]);
    }
    AVRM_MUST(descriptors[1] <= descriptors[0]);
  });
}

// Worlds that come only once: each is a new device, and there are more of them than connections
// that are kept.
TEST_P(Dynamic, NewWorldsComeAndGoWithoutGrowth) {
  run_worlds(GetParam(), {1, 1}, [](WorldProcess &self) {
    constexpr int kRounds = 80;
    char port[AVRM_PORT_MAX] = "";
    std::uint64_t bytes[2] = {};
    int descriptors = 0; // at most, until connections are given up
    if (self.world == 0) {
      AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
      self.board.hang(0, port);
    } else {
      std::memcpy(port, self.board.read(0), sizeof port);
    }
    for (int round = 0; round < kRounds; ++round) {
      Process process = self.process;
      if (self.world == 1) {
        avrm_device_options_t options = options_over(GetParam(), self.process.boot);
        options.shmmod = "none";
        AVRM_MUST(avrm_device_open(&options, &process.device) == AVRM_OK);
        process.world = avrm_device_world(process.device);
      }
      WorldProcess now{process, self.board, self.world};
      avrm_comm_t *const inter = connect_worlds(now, process.world, port);
      check_intercomm(now.world_member(), inter, ids_of(1 - self.world, 1));
      part(inter);
      if (self.world == 1) {
        AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
      } else {
        const bool settled = round >= kRounds / 2;
        bytes[settled ? 1 : 0] = live_bytes(process, AVRM_MEM_TOTAL);
        descriptors = settled ? descriptors : std::max(descriptors, open_descriptors());
      }
    }
    AVRM_MUST(bytes[0] == bytes[1]);
    // Some descriptors are closed a moment later, more of them on a busy machine. If one stays
    // open, the loop does not end.
    while (self.world == 0 && open_descriptors() > descriptors) {
      avrm_progress(self.process.device);
      sched_yield();
    }
  });
}

TEST_P(Dynamic, SeveralThreadsMeetAtOnce) {
  run_worlds(
      GetParam(), {2, 2},
      [](WorldProcess &self) {
        constexpr int kThreads = 2;
        avrm_comm_t *parents[kThreads] = {};
        for (avrm_comm_t *&parent : parents) {
          AVRM_MUST(avrm_comm_dup(self.process.world, &parent) == AVRM_OK);
          check_merged(self.world_member(), parent, ids_of(self.world, 2));
        }
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t) {
          threads.emplace_back([&self, parent = parents[t], t] {
            for (int round = 0; round < 5; ++round) {
              char port[AVRM_PORT_MAX] = "";
              const bool opens = self.world == 0 && self.process.rank == 0;
              if (opens && round == 0) {
                AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
                self.board.hang(t, port);
              } else if (self.process.rank == 0) {
                std::memcpy(port, self.board.read(t), sizeof port);
              }
              avrm_comm_t *const inter = connect_worlds(self, parent, port);
              check_intercomm(self.world_member(), inter, ids_of(1 - self.world, 2));
              part(inter);
            }
          });
        }
        for (std::thread &thread : threads) {
          thread.join();
        }
        for (avrm_comm_t *parent : parents) {
          release(parent);
        }
      },
      {-1, -1}, true);
}

} // namespace
} // namespace avrankmap::test
