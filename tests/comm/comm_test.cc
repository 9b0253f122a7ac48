// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every way of making a communicator, between real processes.
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/comm/members.h"
#include "tests/device/job.h"

namespace avrankmap::test {
namespace {

constexpr Transport kTwoPerNode[] = {
    {"posix", "null", nullptr, "posix", 0},
    {"ofi_and_posix", "ofi", "tcp;ofi_rxm", "posix", 2},
    {"ucx_and_posix", "ucx", "tcp,self", "posix", 2},
};

class Comm : public testing::TestWithParam<Transport> {
protected:
  void in(int size, const std::function<void(Process &)> &body) {
    run_job(GetParam(), size, [&](Process &process) {
      body(process);
      AVRM_MUST(live_contexts(process) == 0);
    });
  }
};

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

// A machine of two packages, of which each process is bound to one, but for one process that may run on both.
TEST_P(Comm, SplitsGoByHardware) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || !CPU_ISSET(0, &allowed) || !CPU_ISSET(1, &allowed)) {
    GTEST_SKIP() << "this process may not run on the CPUs 0 and 1";
  }
  avrm_topo_t *topo = nullptr;
  if (avrm_topo_open(nullptr, &topo) == AVRM_ERR_UNSUPPORTED) {
    GTEST_SKIP() << "this build has no hwloc";
  }
  avrm_topo_close(topo);
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
    // What one of them cannot, none does.
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
    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(comm, &dup) == AVRM_OK);
    avrm_comm_t *inner = nullptr;
    avrm_comm_t *outer = nullptr;
    AVRM_MUST(avrm_comm_node(comm, &inner) == AVRM_OK);
    check(process, inner, node);
    AVRM_MUST(avrm_comm_node_roots(comm, &outer) == AVRM_OK);
    check(process, outer, roots);
    // Dups share the maps, and nothing else.
    avrm_comm_t *inner_of_dup = nullptr;
    AVRM_MUST(avrm_comm_node(dup, &inner_of_dup) == AVRM_OK);
    AVRM_MUST(inner_of_dup != inner && avrm_comm_map(inner_of_dup) == avrm_comm_map(inner));
    release(comm);
    check(process, inner_of_dup, node);
    // They are for messages only.
    AVRM_MUST(avrm_comm_dup(inner_of_dup, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_barrier(inner_of_dup) == AVRM_ERR_OPTION);
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
      return; // busy with something else
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
  const int rank = rank_in(members, process.rank);
  const int size = static_cast<int>(members.size());
  for (int merged = 1; merged < size; merged *= 2) {
    const int part = rank / merged;
    const int partner = part % 2 == 0 ? (part + 1) * merged : (part - 1) * merged;
    if (partner >= size) {
      continue;
    }
    avrm_comm_t *both = nullptr;
    AVRM_MUST(avrm_intercomm_create(comm, 0, process.world, members[static_cast<std::size_t>(partner)], tag, &both) ==
              AVRM_OK);
    release(comm);
    AVRM_MUST(avrm_intercomm_merge(both, part % 2 == 1, &comm) == AVRM_OK);
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

TEST_P(Comm, GridsHaveCoordinatesAndParts) {
  in(8, [](Process &process) {
    const std::int32_t dims[] = {2, 1, 3};
    const std::int32_t periods[] = {0, 1, 1};
    avrm_comm_t *grid = nullptr;
    AVRM_MUST(avrm_cart_create(process.world, 3, dims, periods, false, &grid) == AVRM_OK);
    check(process, grid, {0, 1, 2, 3, 4, 5});
    if (grid == nullptr) {
      return;
    }
    AVRM_MUST(avrm_cart_dimensions(grid) == 3);
    std::int32_t coords[3];
    std::int32_t rank = -1;
    AVRM_MUST(avrm_cart_coords(grid, process.rank, coords) == AVRM_OK);
    AVRM_MUST(coords[0] == process.rank / 3 && coords[1] == 0 && coords[2] == process.rank % 3);
    coords[2] -= 3; // wraps around
    AVRM_MUST(avrm_cart_rank(grid, coords, &rank) == AVRM_OK && rank == process.rank);
    coords[0] = 2; // does not
    AVRM_MUST(avrm_cart_rank(grid, coords, &rank) == AVRM_ERR_RANGE);
    const std::int32_t columns[] = {1, 0, 0};
    avrm_comm_t *column = nullptr;
    AVRM_MUST(avrm_cart_sub(grid, columns, &column) == AVRM_OK);
    check(process, column, {process.rank % 3, process.rank % 3 + 3});
    AVRM_MUST(avrm_cart_dimensions(column) == 1);
    const std::int32_t rows[] = {0, 1, 1};
    avrm_comm_t *row = nullptr;
    AVRM_MUST(avrm_cart_sub(grid, rows, &row) == AVRM_OK);
    const int first = process.rank / 3 * 3;
    check(process, row, {first, first + 1, first + 2});
    release(row);
    release(column);
    release(grid);
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
    // If both say the same, the order is that of the first processes: 2 before 3.
    AVRM_MUST(avrm_intercomm_merge(dup, true, &both) == AVRM_OK);
    Members other_way = high;
    other_way.insert(other_way.end(), low.begin(), low.end());
    check(process, both, other_way);
    release(both);

    // Split: the second of each group, and the others the other way round; a colour of one side only gets nothing.
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
    // Everybody on both sides: the leader is its own partner.
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(avrm_intercomm_create(dup, 0, process.world, 0, 1, &inter) == AVRM_ERR_DUPLICATE);
    AVRM_MUST(inter == nullptr);
    release(dup);
  });
}

TEST_P(Comm, SeveralIdupsMayBeUnderWay) {
  in(4, [](Process &process) {
    avrm_comm_t *dups[3] = {};
    avrm_request_t *requests[3] = {};
    for (int i = 0; i < 3; ++i) {
      AVRM_MUST(avrm_comm_idup(process.world, &dups[i], &requests[i]) == AVRM_OK);
    }
    avrm_comm_t *other = nullptr; // something else meanwhile
    AVRM_MUST(avrm_comm_split(process.world, process.rank % 2, 0, &other) == AVRM_OK);
    for (int i = 2; i >= 0; --i) {
      wait(requests[i]);
      check(process, dups[i], everyone(process));
    }
    for (avrm_comm_t *dup : dups) {
      release(dup);
    }
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
    AVRM_MUST(avrm_cart_create(process.world, 0, dims, none, false, &comm) == AVRM_ERR_COUNT);
    AVRM_MUST(avrm_cart_create(process.world, AVRM_CART_MAX + 1, dims, none, false, &comm) == AVRM_ERR_COUNT);
    AVRM_MUST(avrm_cart_sub(process.world, none, &comm) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_intercomm_create(process.world, 2, process.world, 0, 0, &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_intercomm_create(process.world, process.rank, process.world, 2, 0, &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_intercomm_create(process.world, process.rank, nullptr, 0, 0, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_intercomm_create(process.world, 0, process.world, 0, -1, &comm) == AVRM_ERR_TAG);
    AVRM_MUST(avrm_intercomm_merge(process.world, true, &comm) == AVRM_ERR_OPTION);
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
    // Both believe to be the first.
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

// Open descriptors, and mappings of memory that is shared.
int held_by_this_process() {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    count += line.find("rw-s") != std::string::npos ? 1 : 0;
  }
  return count;
}

// A communicator of all processes, made in one of several ways.
avrm_comm_t *make_one(const Process &process, avrm_comm_t *parent, avrm_group_t *everybody, int way) {
  avrm_comm_t *comm = nullptr;
  const int rank = avrm_comm_rank(parent);
  const int size = avrm_comm_size(parent);
  switch (way % 8) {
  case 0: AVRM_MUST(avrm_comm_dup(parent, &comm) == AVRM_OK); break;
  case 1: AVRM_MUST(avrm_comm_split(parent, 0, -process.rank, &comm) == AVRM_OK); break;
  case 2: AVRM_MUST(avrm_comm_split(parent, 0, 0, &comm) == AVRM_OK); break;
  case 3: AVRM_MUST(avrm_comm_create(parent, everybody, &comm) == AVRM_OK); break;
  case 4: AVRM_MUST(avrm_comm_create_group(parent, everybody, 3, &comm) == AVRM_OK); break;
  case 5: {
    const std::int32_t periods[] = {0};
    AVRM_MUST(avrm_cart_create(parent, 1, &size, periods, false, &comm) == AVRM_OK);
    break;
  }
  case 6: {
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_comm_idup(parent, &comm, &request) == AVRM_OK);
    wait(request);
    break;
  }
  default: { // the first one and the others, and both together again
    avrm_comm_t *half = nullptr;
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(avrm_comm_split(parent, rank == 0 ? 0 : 1, 0, &half) == AVRM_OK);
    AVRM_MUST(avrm_intercomm_create(half, 0, parent, rank == 0 ? 1 : 0, 7, &inter) == AVRM_OK);
    AVRM_MUST(avrm_intercomm_merge(inter, rank == 0, &comm) == AVRM_OK);
    release(inter);
    release(half);
    break;
  }
  }
  return comm;
}

// Its members in order.
Members members_of_one(const Members &parent, int way) {
  switch (way % 8) {
  case 1: return {2, 1, 0};
  case 3:
  case 4: return {2, 0, 1};
  case 7: return {parent[1], parent[2], parent[0]};
  default: return parent;
  }
}

struct Live {
  avrm_comm_t *comm;
  Members members;
};

// In the end nothing is left: no id, no memory (as in all tests here), no descriptor, no shared memory.
TEST_P(Comm, ManyComeAndGo) {
  in(3, [](Process &process) {
    const int rounds = is_long() ? 100000 : 300;
    avrm_group_t *const everybody = group_of(process, {2, 0, 1});
    std::vector<Live> live;
    int held = 0;
    for (int i = 0; i < rounds; ++i) {
      const Live parent = live.empty() || i % 3 == 0 ? Live{process.world, everyone(process)}
                                                     : live[static_cast<std::size_t>(i) % live.size()];
      live.push_back({make_one(process, parent.comm, everybody, i), members_of_one(parent.members, i)});
      if (i % 7 == 0) { // every way in its turn
        check(process, live.back().comm, live.back().members);
      }
      if (i == 100) { // all know one another
        held = held_by_this_process();
      }
      if (live.size() > 20) {
        const std::size_t victim = static_cast<std::size_t>(i) * 7 % live.size();
        release(live[victim].comm);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
      }
      AVRM_MUST(live_contexts(process) == static_cast<int>(live.size()));
    }
    for (const Live &one : live) {
      release(one.comm);
    }
    AVRM_MUST(held_by_this_process() <= held);
    avrm_group_destroy(everybody);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, Comm, testing::ValuesIn(kTwoPerNode),
                         [](const auto &info) { return std::string(info.param.name); });

// Threads that create from different communicators at once get what they would get alone.
TEST(CommThreads, CreateAtOnce) {
  run_job(
      kTwoPerNode[0], 3,
      [](Process &process) {
        constexpr int kThreads = 3;
        avrm_comm_t *parents[kThreads] = {};
        for (avrm_comm_t *&parent : parents) {
          AVRM_MUST(avrm_comm_dup(process.world, &parent) == AVRM_OK);
        }
        std::vector<std::thread> threads;
        for (avrm_comm_t *const parent : parents) {
          threads.emplace_back([&process, parent] {
            for (int i = 0; i < 20; ++i) {
              avrm_comm_t *dup = nullptr;
              AVRM_MUST(avrm_comm_dup(parent, &dup) == AVRM_OK);
              avrm_comm_t *part = nullptr;
              AVRM_MUST(avrm_comm_split(dup, 0, -process.rank, &part) == AVRM_OK);
              check(process, part, {2, 1, 0});
              release(part);
              release(dup);
            }
          });
        }
        for (std::thread &thread : threads) {
          thread.join();
        }
        for (avrm_comm_t *const parent : parents) {
          release(parent);
        }
        AVRM_MUST(live_contexts(process) == 0);
      },
      -1, true);
}

// The same from one communicator: the tag tells creations of overlapping groups apart.
TEST(CommThreads, CreateGroupsOfOneCommunicatorAtOnce) {
  run_job(
      kTwoPerNode[0], 3,
      [](Process &process) {
        std::vector<std::thread> threads;
        for (int tag = 0; tag < 3; ++tag) {
          threads.emplace_back([&process, tag] {
            const Members members = tag == 0 ? Members{0, 1, 2} : tag == 1 ? Members{2, 0} : Members{1, 2};
            if (!has(members, process.rank)) {
              return;
            }
            avrm_group_t *const group = group_of(process, members);
            for (int i = 0; i < 20; ++i) {
              avrm_comm_t *comm = nullptr;
              AVRM_MUST(avrm_comm_create_group(process.world, group, tag, &comm) == AVRM_OK);
              check(process, comm, members);
              release(comm);
            }
            avrm_group_destroy(group);
          });
        }
        for (std::thread &thread : threads) {
          thread.join();
        }
        AVRM_MUST(live_contexts(process) == 0);
      },
      -1, true);
}

} // namespace
} // namespace avrankmap::test
