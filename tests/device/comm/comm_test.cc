// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every way to create a communicator, between real processes.
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "tests/device/comm/comm_job.h"

namespace avrankmap::test {
namespace {

class Comm : public CommJob {};

TEST_P(Comm, ADupHasTheSameProcesses) {
  in(5, [](Process &process) {
    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(process.world, &dup) == AVRM_OK);
    check(process, dup, everyone(process));
    avrm_comm_t *second = nullptr;
    AVRM_MUST(avrm_comm_dup(dup, &second) == AVRM_OK);
    check(process, second, everyone(process));
    release(dup);
    check(process, second, everyone(process));
    release(second);
  });
}

TEST_P(Comm, SplitsGoByColourThenKeyThenRank) {
  in(7, [](Process &process) {
    const auto check_split = [&](auto colour_of, auto key_of) {
      avrm_comm_t *part = nullptr;
      const int own = colour_of(process.rank);
      AVRM_MUST(avrm_comm_split(process.world, own, key_of(process.rank), &part) == AVRM_OK);
      Members members;
      for (int lpid = 0; lpid < process.size; ++lpid) {
        if (own != AVRM_UNDEFINED && colour_of(lpid) == own) {
          members.push_back(lpid);
        }
      }
      std::stable_sort(members.begin(), members.end(), [&](int a, int b) { return key_of(a) < key_of(b); });
      check(process, part, members);
      release(part);
    };
    const auto none = [](int) { return 0; };
    check_split([](int lpid) { return lpid % 2; }, none);
    check_split([](int lpid) { return lpid / 3; }, none);
    check_split(none, [](int lpid) { return -lpid; });
    check_split([](int lpid) { return lpid; }, none);
    check_split([](int lpid) { return lpid == 3 ? AVRM_UNDEFINED : 7; }, none);
    check_split([](int lpid) { return lpid % 3 == 0 ? INT32_MAX : 0; }, [](int lpid) { return lpid * 5 % 7; });
    check_split([](int) { return AVRM_UNDEFINED; }, none);
  });
}

TEST_P(Comm, ANodesProcessesSplitByType) {
  in(5, [](Process &process) {
    avrm_comm_t *node = nullptr;
    AVRM_MUST(avrm_comm_split_type(process.world, AVRM_COMM_NODE, 0, &node) == AVRM_OK);
    Members members;
    const int per_node = avrm_boot_node(process.boot) == 0 && avrm_boot_local_size(process.boot) == 5 ? 5 : 2;
    for (int lpid = 0; lpid < process.size; ++lpid) {
      if (lpid / per_node == process.rank / per_node) {
        members.push_back(lpid);
      }
    }
    check(process, node, members);
    release(node);
  });
}

// Lets this process run on one CPU only, with all threads that transports may have.
void bind(int cpu) {
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<std::size_t>(cpu), &own);
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
    AVRM_MUST(sched_setaffinity(std::stoi(thread.path().filename().string()), sizeof own, &own) == 0);
  }
}

// A machine of two packages. Each process is bound to one of them, except one that may run on both.
TEST_P(Comm, SplitsGoByHardware) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || !CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed)) {
    GTEST_SKIP() << "this process may not run on the CPUs 0 and 1";
  }
  if (!has_topologies()) {
    GTEST_SKIP() << "this build has no hwloc";
  }
  in(5, [](Process &process) {
    constexpr int kUnbound = 2;
    const int per_node = avrm_boot_local_size(process.boot) == process.size ? process.size : 2;
    setenv("HWLOC_SYNTHETIC", "pack:2 l3:1 core:1 pu:1", 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    if (process.rank != kUnbound) {
      bind(process.rank % 3); // 0 1 - 0 1
    }
    const auto check_split = [&](const char *resource, int key, auto is_of_mine) {
      avrm_comm_t *part = nullptr;
      AVRM_MUST(avrm_comm_split_guided(process.world, resource, key, &part) == AVRM_OK);
      Members members;
      for (int lpid = 0; lpid < process.size; ++lpid) {
        if (lpid / per_node == process.rank / per_node && is_of_mine(lpid)) {
          members.push_back(lpid);
        }
      }
      if (key < 0) {
        std::reverse(members.begin(), members.end());
      }
      check(process, part, members);
      release(part);
    };
    const auto same_package = [&](int lpid) {
      return process.rank != kUnbound && lpid != kUnbound && lpid % 3 == process.rank % 3;
    };
    check_split("package", 0, same_package);
    check_split("hwloc://L3Cache", -1 - process.rank, same_package);
    check_split("machine", 0, [](int) { return true; });
    check_split("L2", 0, [](int) { return false; }); // there is none
    check_split("mpi_shared_memory", -1 - process.rank, [](int) { return true; });
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_split_guided(process.world, "kitchen", 0, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_comm_split_guided(process.world, nullptr, 0, &comm) == AVRM_ERR_NULL);
    // If one process lacks the kind, the call fails in all.
    if (process.rank == 1) {
      unsetenv("HWLOC_THISSYSTEM");
    }
    AVRM_MUST(avrm_comm_split_guided(process.world, "core", 0, &comm) == AVRM_ERR_UNSUPPORTED);
    AVRM_MUST(comm == nullptr);
  });
}

TEST_P(Comm, InternalCommunicatorsAreOfTheNodeAndOfFirstProcesses) {
  in(5, [](Process &process) {
    const int per_node = avrm_boot_local_size(process.boot) == process.size ? process.size : 2;
    // Backwards, so that ranks and processes differ.
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, 0, -process.rank, &comm) == AVRM_OK);
    Members node;
    Members roots;
    for (int lpid = process.size - 1; lpid >= 0; --lpid) {
      if (lpid / per_node == process.rank / per_node) {
        node.push_back(lpid);
      }
      if (lpid == process.size - 1 || (lpid + 1) % per_node == 0) {
        roots.push_back(lpid);
      }
    }
    Members backwards = everyone(process);
    std::reverse(backwards.begin(), backwards.end());
    check(process, comm, backwards);
    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(comm, &dup) == AVRM_OK);
    check(process, dup, backwards);
    avrm_comm_t *inner = nullptr;
    avrm_comm_t *outer = nullptr;
    AVRM_MUST(avrm_comm_node(comm, &inner) == AVRM_OK);
    check(process, inner, node);
    AVRM_MUST(avrm_comm_node_roots(comm, &outer) == AVRM_OK);
    check(process, outer, roots);
    // Duplicates share the maps and nothing else.
    avrm_comm_t *inner_of_dup = nullptr;
    AVRM_MUST(avrm_comm_node(dup, &inner_of_dup) == AVRM_OK);
    AVRM_MUST(inner_of_dup != inner && avrm_comm_map(inner_of_dup) == avrm_comm_map(inner));
    release(comm);
    check(process, inner_of_dup, node);
    // Such communicators carry messages only.
    AVRM_MUST(avrm_comm_dup(inner_of_dup, &comm) == AVRM_ERR_OPTION);
    const std::int32_t one = 1;
    AVRM_MUST(avrm_cart_create(inner_of_dup, 1, &one, &one, false, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_barrier(inner_of_dup) == AVRM_ERR_OPTION);
    void *base = nullptr;
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_allocate(inner_of_dup, 8, AVRM_WINDOW_EXCHANGE, &base, &window) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_comm_free(inner_of_dup) == AVRM_ERR_BUSY);
    release(dup);
  });
}

TEST_P(Comm, DisjointGroupsAreMadeInOneCall) {
  in(6, [](Process &process) {
    const Members evens{4, 0};
    const Members odds{1, 5, 3};
    const bool even = process.rank % 2 == 0;
    avrm_group_t *const group = group_of(process, even ? evens : odds);
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_create(process.world, group, &comm) == AVRM_OK);
    check(process, comm, even ? evens : odds);
    release(comm);
    avrm_group_destroy(group);
  });
}

TEST_P(Comm, AGroupIsMadeByItsMembersAlone) {
  in(6, [](Process &process) {
    const Members members{5, 1, 2};
    if (!has(members, process.rank)) {
      return; // does not take part
    }
    avrm_group_t *const group = group_of(process, members);
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_create_group(process.world, group, 9, &comm) == AVRM_OK);
    check(process, comm, members);
    release(comm);
    avrm_group_destroy(group);
  });
}

// "Noncollective Communicator Creation in MPI", algorithm 1.
avrm_comm_t *create_recursively(const Process &process, const Members &members, int tag) {
  avrm_comm_t *comm = nullptr;
  {
    avrm_group_t *const self = group_of(process, {process.rank});
    AVRM_MUST(avrm_comm_create_group(process.world, self, tag, &comm) == AVRM_OK);
    avrm_group_destroy(self);
  }
  check(process, comm, {process.rank});
  const int rank = rank_in(members, process.rank);
  const int size = static_cast<int>(members.size());
  // Those of a part of the group, of so many.
  const auto part_of = [&](int part, int count) {
    return Members(members.begin() + part * count, members.begin() + std::min((part + 1) * count, size));
  };
  for (int merged = 1; merged < size; merged *= 2) {
    const int part = rank / merged;
    const int partner = part % 2 == 0 ? (part + 1) * merged : (part - 1) * merged;
    if (partner >= size) {
      continue;
    }
    avrm_comm_t *both = nullptr;
    AVRM_MUST(avrm_intercomm_create(comm, 0, process.world, members[static_cast<std::size_t>(partner)], tag, &both) ==
              AVRM_OK);
    check_inter(process, both, part_of(part, merged), part_of(part ^ 1, merged));
    release(comm);
    AVRM_MUST(avrm_intercomm_merge(both, part % 2 == 1, &comm) == AVRM_OK);
    check(process, comm, part_of(part / 2, 2 * merged));
    release(both);
  }
  return comm;
}

TEST_P(Comm, MergingStepByStepMakesTheSameGroup) {
  in(7, [](Process &process) {
    const Members members{6, 0, 3, 1, 5};
    if (!has(members, process.rank)) {
      return;
    }
    avrm_comm_t *const comm = create_recursively(process, members, 4);
    check(process, comm, members);
    release(comm);
  });
}

// The same, merging at each step without an intercommunicator.
TEST_P(Comm, GroupsThatKnowOneAnotherByTheirLeadersMerge) {
  in(7, [](Process &process) {
    const Members members{6, 0, 3, 1, 5};
    if (!has(members, process.rank)) {
      return; // does not take part
    }
    avrm_comm_t *comm = nullptr;
    avrm_group_t *const self = group_of(process, {process.rank});
    AVRM_MUST(avrm_comm_create_group(process.world, self, 4, &comm) == AVRM_OK);
    avrm_group_destroy(self);
    const int rank = rank_in(members, process.rank);
    for (int merged = 1; merged < 5; merged *= 2) {
      const int part = rank / merged;
      const int partner = (part ^ 1) * merged;
      if (partner >= 5) {
        continue; // has no neighbour yet
      }
      avrm_comm_t *both = nullptr;
      const int leader = members[static_cast<std::size_t>(partner)];
      AVRM_MUST(avrm_comm_merge(comm, 0, process.world, leader, 4, part % 2 == 1, &both) == AVRM_OK);
      release(comm);
      comm = both;
      const int first = part / 2 * 2 * merged;
      check(process, comm, Members(members.begin() + first, members.begin() + std::min(first + 2 * merged, 5)));
    }
    AVRM_MUST(live_contexts(process) == 1);
    release(comm);
  });
}

TEST_P(Comm, GroupsMergeInTheOrderTheyAskFor) {
  in(5, [](Process &process) {
    const Members low{3, 0, 1};
    const Members high{4, 2};
    const bool is_low = has(low, process.rank);
    avrm_comm_t *local = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, is_low ? 0 : 1, rank_in(is_low ? low : high, process.rank), &local) ==
              AVRM_OK);
    // Leaders are the last ones of each group, and know one another in another communicator.
    avrm_comm_t *peers = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank == 1 || process.rank == 2 ? 0 : 1, 0, &peers) == AVRM_OK);
    const auto merged = [&](bool last, const Members &expected) {
      avrm_comm_t *both = nullptr;
      avrm_comm_t *const peer = process.rank == 1 || process.rank == 2 ? peers : nullptr;
      AVRM_MUST(avrm_comm_merge(local, is_low ? 2 : 1, peer, is_low ? 1 : 0, 7, last, &both) == AVRM_OK);
      check(process, both, expected);
      release(both);
    };
    merged(!is_low, {3, 0, 1, 4, 2});
    merged(is_low, {4, 2, 3, 0, 1});
    merged(true, {3, 0, 1, 4, 2}); // by their first processes: 3 before 4
    merged(false, {3, 0, 1, 4, 2});
    release(peers);
    release(local);
  });
}

TEST_P(Comm, ManyPairsOfGroupsMergeOverOneCommunicatorAtOnce) {
  in(8, [](Process &process) {
    avrm_comm_t *pair = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, process.rank / 2, 0, &pair) == AVRM_OK);
    for (int i = 0; i < 20; ++i) {
      // Pairs 0 and 1, 2 and 3; then 0 and 3, 1 and 2.
      const int partner = process.rank / 2 ^ (i % 2 == 0 ? 1 : 3);
      const bool last = process.rank / 2 > partner;
      const int first = 2 * std::min(process.rank / 2, partner);
      const int second = 2 * std::max(process.rank / 2, partner);
      avrm_comm_t *both = nullptr;
      AVRM_MUST(avrm_comm_merge(pair, 0, process.world, 2 * partner, i, last, &both) == AVRM_OK);
      check(process, both, {first, first + 1, second, second + 1});
      release(both);
    }
    release(pair);
  });
}

TEST_P(Comm, AGroupThatMergesAndOneThatWantsAnIntercommunicatorAreToldSo) {
  in(4, [](Process &process) {
    const bool low = process.rank < 2;
    avrm_comm_t *half = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, low ? 0 : 1, 0, &half) == AVRM_OK);
    avrm_comm_t *comm = nullptr;
    const avrm_status_t status = low ? avrm_comm_merge(half, 0, process.world, 2, 1, false, &comm)
                                     : avrm_intercomm_create(half, 0, process.world, 0, 1, &comm);
    AVRM_MUST(status == AVRM_ERR_MISMATCH && comm == nullptr);
    release(half);
  });
}

TEST_P(Comm, IntercommunicatorsJoinTwoGroups) {
  in(6, [](Process &process) {
    const Members low{3, 0, 1};
    const Members high{2, 5, 4};
    const bool is_low = has(low, process.rank);
    const Members &own = is_low ? low : high;
    const Members &other = is_low ? high : low;
    avrm_comm_t *local = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, is_low ? 0 : 1, rank_in(own, process.rank), &local) == AVRM_OK);
    check(process, local, own);
    // Leaders are not the first ones: rank 1 of either group.
    const int partner = other[1];
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(avrm_intercomm_create(local, 1, process.world, partner, 12, &inter) == AVRM_OK);
    check_inter(process, inter, own, other);

    // A receive from anybody takes what comes from the other side.
    int in = -1;
    avrm_request_t *receive = nullptr;
    avrm_request_t *sent = nullptr;
    AVRM_MUST(avrm_irecv(inter, &in, sizeof in, AVRM_ANY_SOURCE, 5, &receive) == AVRM_OK);
    AVRM_MUST(avrm_isend(inter, &process.rank, sizeof process.rank, avrm_comm_rank(inter), 5, &sent) == AVRM_OK);
    wait(sent);
    avrm_outcome_t outcome{};
    wait(receive, &outcome);
    AVRM_MUST(outcome.source == avrm_comm_rank(inter) && in == other[static_cast<std::size_t>(outcome.source)]);

    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(inter, &dup) == AVRM_OK);
    check_inter(process, dup, own, other);
    release(inter);

    Members merged = low;
    merged.insert(merged.end(), high.begin(), high.end());
    avrm_comm_t *both = nullptr;
    AVRM_MUST(avrm_intercomm_merge(dup, !is_low, &both) == AVRM_OK);
    check(process, both, merged);
    release(both);
    // If both sides pass the same value, the group with the lower first process comes
    // first: 2 before 3.
    AVRM_MUST(avrm_intercomm_merge(dup, true, &both) == AVRM_OK);
    Members other_way = high;
    other_way.insert(other_way.end(), low.begin(), low.end());
    check(process, both, other_way);
    release(both);

    // Splits: the second process of each group, and the others in reverse order. A colour that only
    // one side uses yields nothing.
    const int rank = avrm_comm_rank(dup);
    avrm_comm_t *part = nullptr;
    AVRM_MUST(avrm_comm_split(dup, rank == 1 ? 1 : 0, -rank, &part) == AVRM_OK);
    const auto part_of = [rank](const Members &side) {
      return rank == 1 ? Members{side[1]} : Members{side[2], side[0]};
    };
    check_inter(process, part, part_of(own), part_of(other));
    release(part);
    part = nullptr;
    AVRM_MUST(avrm_comm_split(dup, is_low ? 1 : 2, 0, &part) == AVRM_OK);
    AVRM_MUST(part == nullptr);
    release(dup);
    release(local);
  });
}

TEST_P(Comm, GroupsThatOverlapDoNotJoin) {
  in(4, [](Process &process) {
    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(process.world, &dup) == AVRM_OK);
    check(process, dup, everyone(process));
    // Everybody on both sides: the leader is its own partner.
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(avrm_intercomm_create(dup, 0, process.world, 0, 1, &inter) == AVRM_ERR_DUPLICATE);
    AVRM_MUST(avrm_comm_merge(dup, 0, process.world, 0, 1, false, &inter) == AVRM_ERR_DUPLICATE);
    AVRM_MUST(inter == nullptr);
    release(dup);
  });
}

// The others cannot see it. Afterwards the group is as it was.
TEST_P(Comm, AWrongArgumentOfALeaderIsReportedToItsGroup) {
  in(4, [](Process &process) {
    const bool is_low = process.rank < 2;
    const std::int32_t partner = is_low ? 3 : 1;
    avrm_comm_t *half = nullptr;
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_split(process.world, is_low ? 1 : 2, 0, &half) == AVRM_OK);
    struct Wrong {
      avrm_comm_t *peer;
      std::int32_t partner;
      avrm_status_t status;
    };
    for (const Wrong &wrong : {Wrong{nullptr, partner, AVRM_ERR_NULL}, Wrong{process.world, 4, AVRM_ERR_RANK},
                               Wrong{process.world, -1, AVRM_ERR_RANK}, Wrong{half, 2, AVRM_ERR_RANK}}) {
      const bool leads = process.rank % 2 == 1;
      avrm_comm_t *const peer = leads ? wrong.peer : nullptr;
      AVRM_MUST(avrm_intercomm_create(half, 1, peer, wrong.partner, 3, &comm) == wrong.status);
      AVRM_MUST(avrm_comm_merge(half, 1, peer, wrong.partner, 3, is_low, &comm) == wrong.status);
      AVRM_MUST(comm == nullptr);
    }
    AVRM_MUST(avrm_comm_merge(half, 1, process.world, partner, 3, !is_low, &comm) == AVRM_OK);
    check(process, comm, everyone(process));
    release(comm);
    release(half);
  });
}

TEST_P(Comm, SeveralIdupsMayBeUnderWay) {
  in(4, [](Process &process) {
    avrm_comm_t *dups[3] = {};
    avrm_request_t *requests[3] = {};
    for (int i = 0; i < 3; ++i) {
      AVRM_MUST(avrm_comm_idup(process.world, &dups[i], &requests[i]) == AVRM_OK);
    }
    avrm_comm_t *other = nullptr; // created while the other creation is under way
    AVRM_MUST(avrm_comm_split(process.world, process.rank % 2, 0, &other) == AVRM_OK);
    for (int i = 2; i >= 0; --i) {
      wait(requests[i]);
      check(process, dups[i], everyone(process));
    }
    for (avrm_comm_t *dup : dups) {
      release(dup);
    }
    check(process, other, process.rank % 2 == 0 ? Members{0, 2} : Members{1, 3});
    release(other);
  });
}

TEST_P(Comm, WrongArgumentsAreRefused) {
  in(2, [](Process &process) {
    avrm_comm_t *comm = nullptr;
    avrm_request_t *request = nullptr;
    const std::int32_t dims[] = {2, 2};
    const std::int32_t none[] = {0, 0};
    AVRM_MUST(avrm_comm_dup(nullptr, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_dup(process.world, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_idup(process.world, &comm, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_idup(process.world, nullptr, &request) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_split(process.world, -1, 0, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_comm_split_type(process.world, static_cast<avrm_comm_type_t>(9), 0, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_comm_create(process.world, nullptr, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_cart_create(process.world, 2, dims, none, false, &comm) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_cart_create(process.world, 1, none, none, false, &comm) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_cart_create(process.world, -1, dims, none, false, &comm) == AVRM_ERR_COUNT);
    AVRM_MUST(avrm_cart_create(process.world, AVRM_CART_MAX + 1, dims, none, false, &comm) == AVRM_ERR_COUNT);
    AVRM_MUST(avrm_cart_sub(process.world, none, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_intercomm_create(process.world, 2, process.world, 0, 0, &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_intercomm_create(process.world, 0, process.world, 0, -1, &comm) == AVRM_ERR_TAG);
    AVRM_MUST(avrm_intercomm_merge(process.world, true, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_comm_merge(nullptr, 0, process.world, 0, 0, true, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_merge(process.world, 0, process.world, 0, 0, true, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_merge(process.world, -1, process.world, 0, 0, true, &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_comm_merge(process.world, 0, process.world, 0, 32768, true, &comm) == AVRM_ERR_TAG);
    AVRM_MUST(avrm_comm_free(process.world) == AVRM_ERR_BUSY);
    avrm_group_t *group = nullptr;
    AVRM_MUST(avrm_comm_remote_group(process.world, &group) == AVRM_ERR_OPTION);
    group = group_of(process, {1 - process.rank});
    AVRM_MUST(avrm_comm_create_group(process.world, group, 0, &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_comm_create_group(process.world, group, 40000, &comm) == AVRM_ERR_TAG);
    avrm_group_destroy(group);
    AVRM_MUST(comm == nullptr);
  });
}

TEST_P(Comm, MembersWhoMeanDifferentGroupsAreToldSo) {
  in(4, [](Process &process) {
    // Both claim to come first.
    if (process.rank == 1 || process.rank == 2) {
      return;
    }
    avrm_group_t *const group = group_of(process, process.rank == 0 ? Members{0, 3} : Members{3, 0});
    avrm_comm_t *comm = nullptr;
    const avrm_status_t status = avrm_comm_create_group(process.world, group, 2, &comm);
    AVRM_MUST(status == AVRM_ERR_MISMATCH);
    AVRM_MUST(comm == nullptr);
    avrm_group_destroy(group);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, Comm, testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)), kByName);

} // namespace
} // namespace avrankmap::test
