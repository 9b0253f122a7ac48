// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators without a parent (avrm_comm_create_from_group).
#include <memory>
#include <string>
#include <thread>

#include "avrankmap/device/ft.h"
#include "base/fnv.h"
#include "bench/synthetic/simulator.h"
#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/create/from_group.h"
#include "core/device.h"
#include "tests/device/comm/comm_job.h"

namespace avrankmap::test {
namespace {

class NoParent : public CommJob {};
INSTANTIATE_TEST_SUITE_P(Over, NoParent, testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)), kByName);

avrm_comm_t *create(Process &process, const Members &members, const std::string &tag) {
  avrm_group_t *const group = group_of(process, members);
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(avrm_comm_create_from_group(process.device, group, tag.c_str(), &comm) == AVRM_OK);
  avrm_group_destroy(group);
  return comm;
}

TEST_P(NoParent, AGroupIsMadeByItsMembersAlone) {
  in(6, [](Process &process) {
    for (const Members &members : {Members{5, 1, 2}, Members{0, 3}, Members{4}}) {
      if (has(members, process.rank)) {
        avrm_comm_t *const comm = create(process, members, "members");
        check(process, comm, members);
        release(comm);
      }
    }
  });
}

// Process 2 has sent its part of the second group to process 0, which is in the first one.
TEST_P(NoParent, GroupsInSequenceMayHaveOneTag) {
  in(3, [](Process &process) {
    for (int i = 0; i < 20; ++i) {
      for (const Members &members : {Members{0, 1}, Members{0, 2}, Members{2, 1, 0}}) {
        if (has(members, process.rank)) {
          avrm_comm_t *const comm = create(process, members, "");
          check(process, comm, members);
          release(comm);
        }
      }
    }
  });
}

TEST_P(NoParent, AChildIsLikeAnyOtherCommunicator) {
  in(4, [](Process &process) {
    avrm_comm_t *const comm = create(process, {3, 1, 0, 2}, std::string(100000, 'x'));
    avrm_comm_t *half = nullptr;
    AVRM_MUST(avrm_comm_split(comm, process.rank / 2, 0, &half) == AVRM_OK);
    check(process, half, process.rank / 2 == 0 ? Members{1, 0} : Members{3, 2});
    avrm_comm_t *dup = nullptr;
    AVRM_MUST(avrm_comm_dup(half, &dup) == AVRM_OK);
    release(half);
    release(comm);
    check(process, dup, process.rank / 2 == 0 ? Members{1, 0} : Members{3, 2});
    release(dup);
  });
}

TEST_P(NoParent, MembersWhoMeanDifferentGroupsAreToldSo) {
  in(2, [](Process &process) {
    // Both claim to come first.
    avrm_group_t *const group = group_of(process, {process.rank, 1 - process.rank});
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_create_from_group(process.device, group, "order", &comm) == AVRM_ERR_MISMATCH);
    AVRM_MUST(comm == nullptr);
    avrm_group_destroy(group);
  });
}

TEST_P(NoParent, TheWorldMayBeRevoked) {
  run_job(GetParam(), 4, [](Process &process) {
    check_messages(process.world, process.rank, everyone(process));
    fence(process); // all have all messages
    if (process.rank == 1) {
      AVRM_MUST(avrm_comm_revoke(process.world) == AVRM_OK);
    }
    for (bool revoked = false; !revoked; avrm_progress(process.device)) {
      AVRM_MUST(avrm_comm_is_revoked(process.world, &revoked) == AVRM_OK);
    }
    avrm_group_t *const group = group_of(process, {2, 0, 3, 1});
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_create_group(process.world, group, 1, &comm) == AVRM_ERR_REVOKED);
    avrm_group_destroy(group);
    comm = create(process, {2, 0, 3, 1}, "again");
    check(process, comm, {2, 0, 3, 1});
    AVRM_MUST(avrm_barrier(comm) == AVRM_OK);
    release(comm);
    AVRM_MUST(live_contexts(process) == 0);
  });
}

struct Cost {
  std::uint64_t messages;
  std::uint64_t bytes; // of the communicator
  friend bool operator==(const Cost &, const Cost &) = default;
};

template <typename Make> Cost cost_of(Process &process, Make make) {
  const avrm_instance_t *const instance = avrm_device_instance(process.device);
  const auto live_bytes = [instance] { // messages that arrive early have some, too
    std::uint64_t bytes = 0;
    for (const avrm_mem_kind_t kind : {AVRM_MEM_COMM, AVRM_MEM_RANKMAP, AVRM_MEM_LUT, AVRM_MEM_SEGMENTS}) {
      avrm_mem_usage_t usage{};
      AVRM_MUST(avrm_instance_mem_usage(instance, kind, &usage) == AVRM_OK);
      bytes += usage.live_bytes;
    }
    return bytes;
  };
  const std::uint64_t messages = process.device->collective_messages;
  const std::uint64_t bytes = live_bytes();
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(make(&comm) == AVRM_OK);
  const Cost cost{process.device->collective_messages - messages, live_bytes() - bytes};
  release(comm);
  return cost;
}

TEST_P(NoParent, CostsWhatAGroupOfACommunicatorCosts) {
  in(5, [](Process &process) {
    for (const Members &members : {Members{0, 1, 2, 3, 4}, Members{4, 0, 3, 1}}) {
      if (!has(members, process.rank)) {
        continue;
      }
      avrm_group_t *const group = group_of(process, members);
      const auto by_parent = [&](avrm_comm_t **comm_p) {
        return avrm_comm_create_group(process.world, group, 1, comm_p);
      };
      const auto by_tag = [&](avrm_comm_t **comm_p) {
        return avrm_comm_create_from_group(process.device, group, "cost", comm_p);
      };
      for (int i = 0; i < 2; ++i) { // connects, and grows tables
        (void)cost_of(process, by_parent);
        (void)cost_of(process, by_tag);
      }
      const Cost expected = cost_of(process, by_parent);
      AVRM_MUST(expected.messages > 0 && expected.bytes > 0);
      AVRM_MUST(cost_of(process, by_tag) == expected);
      avrm_group_destroy(group);
    }
  });
}

TEST_P(NoParent, WrongArgumentsAreRefused) {
  in(2, [](Process &process) {
    avrm_comm_t *comm = nullptr;
    avrm_group_t *const self = group_of(process, {process.rank});
    avrm_group_t *const other = group_of(process, {1 - process.rank});
    avrm_group_t *const none = group_of(process, {});
    AVRM_MUST(avrm_comm_create_from_group(nullptr, self, "", &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_create_from_group(process.device, nullptr, "", &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_create_from_group(process.device, self, nullptr, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_create_from_group(process.device, self, "", nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_create_from_group(process.device, other, "", &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_comm_create_from_group(process.device, none, "", &comm) == AVRM_ERR_RANK);
    avrm_instance_t *instance = nullptr;
    avrm_rankmap_t map{};
    avrm_group_t *foreign = nullptr;
    AVRM_MUST(avrm_instance_create(nullptr, &instance) == AVRM_OK);
    AVRM_MUST(avrm_rankmap_create_direct(instance, 0, 2, &map) == AVRM_OK);
    AVRM_MUST(avrm_group_create(&map, &foreign) == AVRM_OK);
    AVRM_MUST(avrm_comm_create_from_group(process.device, foreign, "", &comm) == AVRM_ERR_INSTANCE);
    avrm_group_destroy(foreign);
    avrm_rankmap_destroy(&map);
    AVRM_MUST(avrm_instance_destroy(instance) == AVRM_OK);
    AVRM_MUST(comm == nullptr);
    avrm_group_destroy(none);
    avrm_group_destroy(other);
    avrm_group_destroy(self);
  });
}

// Their match bits are those of creations without a parent.
TEST_P(NoParent, NoCommunicatorHasAContextIdThatTheirMessagesUse) {
  in(1, [](Process &process) {
    std::int32_t live = 0;
    std::int32_t most = 0;
    avrm_device_contexts(process.device, &live, &most);
    for (std::int32_t context = most - 1; context <= most; ++context) {
      avrm_rankmap_t map{};
      AVRM_MUST(avrm_rankmap_create_direct(avrm_device_instance(process.device), 0, 1, &map) == AVRM_OK);
      avrm_comm_t *comm = nullptr;
      const avrm_status_t status =
          avrm_comm_create_local(process.device, &map, 0, static_cast<std::uint32_t>(context), &comm);
      AVRM_MUST(status == (context < most ? AVRM_OK : AVRM_ERR_LIMIT));
      avrm_rankmap_destroy(&map);
      release(comm);
    }
    const detail::MatchBits &bits = process.device->match_bits;
    AVRM_MUST(static_cast<std::uint32_t>(most) == bits.contexts() - bits.creation_contexts());
  });
}

// The tag separates creations of equal and of overlapping groups.
TEST(NoParentThreads, CreateGroupsAtOnce) {
  run_job(
      transport_named("posix"), 3,
      [](Process &process) {
        constexpr int kThreads = 8;
        constexpr int kRounds = 20;
        const Members groups[] = {{0, 1, 2}, {2, 0}, {1, 2}, {0, 1}, {2, 1, 0}};
        std::vector<std::thread> crowd;
        for (int i = 0; i < kThreads; ++i) {
          crowd.emplace_back([&process, i, members = groups[i % 5]] {
            for (int round = 0; round < kRounds && has(members, process.rank); ++round) {
              avrm_comm_t *const comm = create(process, members, "thread " + std::to_string(i));
              check(process, comm, members);
              release(comm);
            }
          });
        }
        for (std::thread &thread : crowd) {
          thread.join();
        }
        AVRM_MUST(live_contexts(process) == 0);
      },
      -1, true);
}

// The first processes of a simulated job, or every second one.
class SimulatedGroup {
public:
  SimulatedGroup(bench::Simulator &job, std::int32_t size, std::int32_t step) : step_(step) {
    avrm_rankmap_t map{};
    EXPECT_EQ(avrm_rankmap_create_stride(job.instance(), 0, size, 0, step, &map), AVRM_OK);
    EXPECT_EQ(avrm_group_create(&map, &group_), AVRM_OK);
    avrm_rankmap_destroy(&map);
    const Place place{step};
    for (std::int32_t rank = 0; rank < size; ++rank) {
      channels_.push_back(std::make_unique<detail::GroupChannel<Place>>(job.process(rank * step), rank, size, place));
    }
  }
  ~SimulatedGroup() { avrm_group_destroy(group_); }
  SimulatedGroup(const SimulatedGroup &) = delete;
  SimulatedGroup &operator=(const SimulatedGroup &) = delete;

  [[nodiscard]] const avrm_group_t *group() const { return group_; }
  [[nodiscard]] detail::Channel &channel_of(std::int32_t process) {
    return *channels_[static_cast<std::size_t>(process / step_)];
  }

private:
  struct Place {
    std::int32_t step;
    std::int32_t operator()(std::int32_t rank) const { return rank * step; }
  };

  std::int32_t step_;
  avrm_group_t *group_ = nullptr;
  std::vector<std::unique_ptr<detail::Channel>> channels_;
};

// Creates half of a job's processes and returns the cost.
bench::SimCost simulate(bench::Simulator &job, SimulatedGroup &half, std::uint64_t name) {
  const auto takes_part = [](std::int32_t process) { return process % 2 == 0; };
  const std::vector<avrm_status_t> statuses = job.run(
      [&](bench::SimProcess &process) {
        return make_in_group(half.channel_of(process.rank()), process, half.group(), name, &process.made);
      },
      takes_part);
  const std::uint32_t context = job.process(0).made.context;
  EXPECT_NE(context, detail::Contexts::kNone);
  for (std::int32_t rank = 0; rank < job.size(); rank += 2) {
    const detail::CreationResult &made = job.process(rank).made;
    if (statuses[static_cast<std::size_t>(rank)] != AVRM_OK || made.context != context || made.rank != rank / 2 ||
        avrm_rankmap_gpid(made.map.get(), made.rank).lpid != rank) {
      ADD_FAILURE() << "process " << rank;
      break;
    }
  }
  const bench::SimCost cost = job.cost();
  job.forget();
  return cost;
}

// Both kinds of names: of a tag and a context id, and of a string.
TEST(SimulatedNoParent, CostsWhatAGroupOfACommunicatorCosts) {
  constexpr std::uint64_t kOfTag = 7919;
  constexpr std::uint64_t kOfString = detail::fnv_64("a tag");
  for (const std::int32_t size :
       is_long() ? std::vector<std::int32_t>{2, 1000, 1048576} : std::vector<std::int32_t>{2, 14, 1000, 32768}) {
    bench::Simulator job(size);
    SimulatedGroup half(job, (size + 1) / 2, 2);
    const bench::SimCost of_tag = simulate(job, half, kOfTag);
    const bench::SimCost of_string = simulate(job, half, kOfString);
    EXPECT_EQ(of_string.messages, of_tag.messages);
    EXPECT_EQ(of_string.bytes, of_tag.bytes);
    EXPECT_EQ(of_string.frame_bytes, of_tag.frame_bytes);
    EXPECT_EQ(of_string.map_bytes_most, of_tag.map_bytes_most);
    std::uint64_t steps = 1;
    for (std::int32_t members = size / 2; members > 1; members /= 2) {
      ++steps;
    }
    EXPECT_LE(of_string.steps, steps); // log2(n) + 1
    EXPECT_LE(of_string.bytes, 32 * steps);
  }
}

} // namespace
} // namespace avrankmap::test
