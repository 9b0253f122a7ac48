// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many communicators: in sequence, and from several threads at once.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/device/comm/comm_job.h"

namespace avrankmap::test {
namespace {

class ManyComms : public CommJob {};
INSTANTIATE_TEST_SUITE_P(Over, ManyComms, testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)), kByName);

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
avrm_comm_t *make_one(const Process &process, avrm_comm_t *parent, const Members &members, avrm_group_t *everybody,
                      int way) {
  avrm_comm_t *comm = nullptr;
  const int rank = avrm_comm_rank(parent);
  const int size = avrm_comm_size(parent);
  switch (way % 10) {
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
  case 9: AVRM_MUST(avrm_comm_create_from_group(process.device, everybody, "one", &comm) == AVRM_OK); break;
  default: { // the first one and the others, and both together again
    avrm_comm_t *half = nullptr;
    avrm_comm_t *inter = nullptr;
    AVRM_MUST(avrm_comm_split(parent, rank == 0 ? 0 : 1, 0, &half) == AVRM_OK);
    if (way % 10 == 8) {
      AVRM_MUST(avrm_comm_merge(half, 0, parent, rank == 0 ? 1 : 0, 7, rank == 0, &comm) == AVRM_OK);
      release(half);
      break;
    }
    const Members first{members[0]};
    const Members others{members[1], members[2]};
    check(process, half, rank == 0 ? first : others);
    AVRM_MUST(avrm_intercomm_create(half, 0, parent, rank == 0 ? 1 : 0, 7, &inter) == AVRM_OK);
    check_inter(process, inter, rank == 0 ? first : others, rank == 0 ? others : first);
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
  switch (way % 10) {
  case 1: return {2, 1, 0};
  case 3:
  case 4:
  case 9: return {2, 0, 1};
  case 7:
  case 8: return {parent[1], parent[2], parent[0]};
  default: return parent;
  }
}

struct Live {
  avrm_comm_t *comm;
  Members members;
};

// Nothing leaks: no id, memory, descriptor or shared memory.
TEST_P(ManyComms, ManyComeAndGo) {
  in(3, [](Process &process) {
    const int rounds = is_long() ? 100000 : 300;
    avrm_group_t *const everybody = group_of(process, {2, 0, 1});
    std::vector<Live> live;
    int held = 0;
    for (int i = 0; i < rounds; ++i) {
      const Live parent = live.empty() || i % 3 == 0 ? Live{process.world, everyone(process)}
                                                     : live[static_cast<std::size_t>(i) % live.size()];
      live.push_back({make_one(process, parent.comm, parent.members, everybody, i), members_of_one(parent.members, i)});
      check(process, live.back().comm, live.back().members);
      if (i == 100) { // all processes are connected
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

// Threads that create from different communicators at once get the same results as alone.
TEST(CommThreads, CreateAtOnce) {
  run_job(
      transport_named("posix"), 3,
      [](Process &process) {
        constexpr int kThreads = 3;
        avrm_comm_t *parents[kThreads] = {};
        for (avrm_comm_t *&parent : parents) {
          AVRM_MUST(avrm_comm_dup(process.world, &parent) == AVRM_OK);
          check(process, parent, everyone(process));
        }
        std::vector<std::thread> threads;
        for (avrm_comm_t *const parent : parents) {
          threads.emplace_back([&process, parent] {
            for (int i = 0; i < 20; ++i) {
              avrm_comm_t *dup = nullptr;
              AVRM_MUST(avrm_comm_dup(parent, &dup) == AVRM_OK);
              check(process, dup, everyone(process));
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

// The same from one communicator: the tag separates creations of overlapping groups.
TEST(CommThreads, CreateGroupsOfOneCommunicatorAtOnce) {
  run_job(
      transport_named("posix"), 3,
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
