// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The message by which the groups of an intercommunicator get to know each other.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <thread>

#include "tests/adapter/mpich5/standin.h"
#include "tests/support/seed.h"

namespace avrankmap::test::mpich5 {

namespace {

// A process as all know it.
struct Named {
  std::string world;
  int rank;
  friend bool operator==(const Named &a, const Named &b) { return a.world == b.world && a.rank == b.rank; }
};

std::vector<Named> named(const Lpids &lpids) {
  std::vector<Named> result;
  for (const MPIR_Lpid lpid : lpids) {
    result.push_back({MPIR_world_namespace(MPIR_LPID_WORLD_INDEX(lpid)), MPIR_LPID_WORLD_RANK(lpid)});
  }
  return result;
}

std::string name_of(const Named &process) { return process.world + "." + std::to_string(process.rank); }

// Gives a process an address as its upid tells.
void connect(MPIR_Lpid lpid) {
  std::string upid = name_of(named({lpid})[0]);
  if (MPIDI_global.avt_mgr.codec == AVRM_CODEC_OFI) {
    upid.insert(0, std::string("host") + '\0');
  }
  ASSERT_EQ(MPIDI_NM_insert_upid(lpid, upid.c_str(), static_cast<int>(upid.size()) + 1), MPI_SUCCESS);
}

// The process that an entry's address leads to.
std::string reached(MPIDI_av_entry_t *av) {
  return MPIDI_global.avt_mgr.codec == AVRM_CODEC_OFI
             ? MPIDI_OFI_global.ctx[0].av->names.at(MPIDI_OFI_av_to_phys_root(av))
             : MPIDI_UCX_AV_TO_EP(av, 0, 0)->address;
}

struct Message {
  std::vector<char> bytes;
  std::vector<Named> processes;
};

Message message_of(const Lpids &lpids, int context_id) {
  const Comm comm = intracomm(group_of(lpids));
  int size = 0;
  void *data = nullptr;
  MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI_LOCK(0));
  EXPECT_EQ(MPIDIU_intercomm_pack(comm.get(), context_id, &size, &data), MPI_SUCCESS);
  MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI_LOCK(0));
  Message message{{static_cast<char *>(data), static_cast<char *>(data) + size}, named(lpids)};
  MPL_free(data);
  return message;
}

struct Remote {
  int error = 0;
  int context_id = 0;
  Group group;
  Lpids lpids;
};

Remote received(const Comm &local, const std::vector<char> &bytes) {
  Remote remote;
  MPIR_Group *group = nullptr;
  remote.error =
      MPIDIU_intercomm_unpack(local.get(), bytes.data(), static_cast<int>(bytes.size()), &remote.context_id, &group);
  EXPECT_EQ(remote.error == MPI_SUCCESS, group != nullptr);
  if (group != nullptr) {
    EXPECT_EQ(group->rank, MPI_UNDEFINED);
    remote.lpids = lpids_of(*group);
    remote.group.reset(group);
  }
  return remote;
}

avrm_mem_usage_t table_usage() {
  avrm_mem_usage_t usage{};
  EXPECT_EQ(avrm_instance_mem_usage(MPIR_Avrm.instance, AVRM_MEM_AV, &usage), AVRM_OK);
  return usage;
}
std::uint64_t table_bytes() { return table_usage().live_bytes; }

class Mpich5Exchange : public testing::TestWithParam<avrm_codec_t> {
protected:
  // Messages of a process that has met three worlds: all of its own, parts of two, one process.
  static std::vector<Message> messages(avrm_codec_t codec) {
    const Process process(codec, 100, 9);
    const int b = MPIR_add_world("b", 100);
    const int c = MPIR_add_world("c", 100);
    Lpids random = ranks_of_world(c, 100);
    const Lpids more = ranks_of_world(b, 100);
    random.insert(random.end(), more.begin(), more.end());
    const Group keeper = group_of(random);
    for (const MPIR_Lpid lpid : random) {
      connect(lpid);
    }
    for (const MPIR_Lpid lpid : ranks_of_world(0, 100)) {
      connect(lpid);
    }
    std::mt19937_64 engine = seeded_engine();
    std::shuffle(random.begin(), random.end(), engine);
    random.resize(77);
    return {message_of(ranks_of_world(0, 100), 5), message_of(random, 6), message_of({MPIR_LPID_FROM(c, 99)}, 7)};
  }
};

INSTANTIATE_TEST_SUITE_P(Codecs, Mpich5Exchange, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

TEST_P(Mpich5Exchange, ReceiversNumberWorldsOtherwise) {
  const std::vector<Message> sent = messages(GetParam());
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  MPIR_add_world("y", 10);
  const Comm local = intracomm(group_of({9, 1}));
  std::vector<Comm> kept;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Remote remote = received(local, sent[i].bytes);
    ASSERT_EQ(remote.error, MPI_SUCCESS) << last_error().specific;
    EXPECT_EQ(remote.context_id, 5 + static_cast<int>(i));
    ASSERT_EQ(named(remote.lpids), sent[i].processes);
    kept.push_back(intercomm(group_of({9, 1}), remote.group));
    for (std::size_t rank = 0; rank < remote.lpids.size(); ++rank) {
      EXPECT_EQ(reached(MPIDIU_comm_rank_to_av(kept.back().get(), static_cast<int>(rank))),
                name_of(sent[i].processes[rank]));
    }
  }
  kept.clear();
  EXPECT_EQ(MPIR_find_world("c"), -1);
}

// The other group is freed by another thread, between the message and the intercommunicator.
TEST_P(Mpich5Exchange, AWorldOutlivesOtherGroupsOfIt) {
  const std::vector<Message> sent = messages(GetParam());
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  const Comm local = intracomm(group_of({9, 1}));
  Remote first = received(local, sent[2].bytes);
  Remote second = received(local, sent[2].bytes);
  EXPECT_EQ(first.lpids, second.lpids);
  second.group.reset();
  EXPECT_EQ(named(first.lpids), sent[2].processes);
  const Comm comm = intercomm(group_of({9, 1}), first.group);
  first.group.reset();
  EXPECT_EQ(reached(MPIDIU_comm_rank_to_av(comm.get(), 0)), "c.99");
}

TEST_P(Mpich5Exchange, ThreadsConnectToOneWorldAndDisconnect) {
  const std::vector<Message> sent = messages(GetParam());
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&sent, thread] {
      const Message &message = sent[thread == 0 ? 1 : 2]; // b and c, or c
      const Comm local = intracomm(group_of({9, thread}));
      for (int round = 0; round < 200; ++round) {
        const Remote remote = received(local, message.bytes);
        ASSERT_EQ(remote.error, MPI_SUCCESS);
        const Comm comm = intercomm(group_of({9, thread}), remote.group);
        ASSERT_EQ(named(remote.lpids), message.processes);
        std::uint64_t address = 0;
        ASSERT_TRUE(MPIDIU_av_entry_address(MPIDIU_comm_rank_to_av(comm.get(), 0), &address));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(MPIR_find_world("b"), -1);
  EXPECT_EQ(MPIR_find_world("c"), -1);
}

TEST_P(Mpich5Exchange, AMessageWithoutProcessesIsAnError) {
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  const std::vector<char> bytes(4 * sizeof(std::int32_t), 0);
  EXPECT_EQ(received(intracomm(group_of({9, 1})), bytes).error, MPI_ERR_ARG);
}

TEST_P(Mpich5Exchange, GroupsThatMeetAreAnError) {
  Process::call_own("own");
  const Process process(GetParam(), 24, 9);
  for (const MPIR_Lpid lpid : ranks_of_world(0, 24)) {
    connect(lpid);
  }
  const Message message = message_of({3, 4, 5}, 1);
  EXPECT_EQ(received(intracomm(group_of({9, 2})), message.bytes).error, MPI_SUCCESS);
  EXPECT_EQ(received(intracomm(group_of({9, 4})), message.bytes).error, MPI_ERR_COMM);
  EXPECT_EQ(last_error().generic, "**dupprocesses");
  EXPECT_EQ(last_error().specific, "**dupprocesses 4");
}

TEST_P(Mpich5Exchange, MessagesThatAreCutShortAreAnError) {
  const Process process(GetParam(), 24, 9);
  for (const MPIR_Lpid lpid : ranks_of_world(0, 24)) {
    connect(lpid);
  }
  const Message message = message_of({3, 4, 9, 5}, 1);
  const Comm local = intracomm(group_of({7, 2}));
  for (std::size_t size = 0; size < message.bytes.size(); ++size) {
    EXPECT_NE(received(local, {message.bytes.begin(), message.bytes.begin() + static_cast<std::ptrdiff_t>(size)}).error,
              MPI_SUCCESS)
        << size;
  }
  EXPECT_EQ(received(local, message.bytes).error, MPI_SUCCESS);
}

TEST_P(Mpich5Exchange, FailsWithoutMemoryAndKeepsNoLock) {
  const std::vector<Message> sent = messages(GetParam());
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  const Comm local = intracomm(group_of({9, 1}));
  bool refused = true;
  for (std::uint64_t count = 0; refused; ++count) {
    refuse_mpl_after(count);
    const std::uint64_t before = table_bytes();
    const int error = received(local, sent[1].bytes).error;
    refused = mpl_refused();
    refuse_mpl_none();
    EXPECT_TRUE(error == MPI_SUCCESS || (refused && last_error().generic == "**nomem"));
    EXPECT_EQ(table_bytes(), before);
    ASSERT_LT(count, 2000U);
  }
}

TEST_P(Mpich5Exchange, GroupsThatMeetAddNoWorlds) {
  const std::vector<Message> sent = messages(GetParam());
  Process::call_own("b");
  const Process process(GetParam(), 100, 9);
  const Comm local = intracomm(world_group());
  const std::uint64_t before = table_bytes();
  EXPECT_EQ(received(local, sent[1].bytes).error, MPI_ERR_COMM); // b and c
  EXPECT_EQ(table_bytes(), before);
  EXPECT_EQ(MPIR_find_world("c"), -1);
}

TEST_P(Mpich5Exchange, ProcessesThatDoNotExistAreFoundBeforeWorldsAreAdded) {
  std::vector<char> bytes = messages(GetParam())[2].bytes; // one world, one run
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  const std::int32_t size = 1 << 20;
  char *const world = bytes.data() + 4 * sizeof(std::int32_t);
  std::memcpy(world + MPIR_NAMESPACE_MAX, &size, sizeof size);
  std::memcpy(world + MPIR_NAMESPACE_MAX + sizeof size + offsetof(avrm_run_t, lpid), &size, sizeof size);
  const std::uint64_t peak = table_usage().peak_bytes;
  EXPECT_NE(received(intracomm(group_of({9, 1})), bytes).error, MPI_SUCCESS);
  EXPECT_EQ(table_usage().peak_bytes, peak);
}

TEST_P(Mpich5Exchange, WorldsOfOneNameAreOne) {
  std::vector<char> bytes = messages(GetParam())[1].bytes; // b and c
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  char *const worlds = bytes.data() + 4 * sizeof(std::int32_t);
  std::memcpy(worlds + MPIR_NAMESPACE_MAX + sizeof(std::int32_t), worlds, MPIR_NAMESPACE_MAX);
  const Remote remote = received(intracomm(group_of({9, 1})), bytes);
  for (const MPIR_Lpid lpid : remote.lpids) {
    EXPECT_EQ(lpid >> 32, remote.lpids[0] >> 32);
  }
}

// All words but those of the upids themselves. Worlds that are received go with their last group.
TEST_P(Mpich5Exchange, MessagesWithAWrongWordAddNoWorlds) {
  const std::vector<Message> sent = messages(GetParam());
  Process::call_own("x");
  const Process process(GetParam(), 10, 9);
  const Comm local = intracomm(group_of({9, 1}));
  const std::uint64_t before = table_bytes();
  int refused = 0;
  for (const Message &message : {sent[1], sent[2]}) {
    std::int32_t head[4]; // context, processes, worlds, runs
    std::memcpy(head, message.bytes.data(), sizeof head);
    constexpr std::size_t kWorld = MPIR_NAMESPACE_MAX / 4 + 1; // words; the last one is the size
    const std::size_t runs = 4 + static_cast<std::size_t>(head[2]) * kWorld;
    const std::size_t words =
        runs + static_cast<std::size_t>(head[3]) * (sizeof(avrm_run_t) / 4) + static_cast<std::size_t>(head[1]);
    for (std::size_t word = 0; word < words; ++word) {
      const bool is_size = word < runs && word >= 4 && (word - 4) % kWorld == kWorld - 1;
      for (const std::int32_t wrong : {INT32_MIN, -1, 0, 1, 2, 99, 100, INT32_MAX - 1, INT32_MAX}) {
        if (is_size && wrong > 100) {
          continue; // a world that may exist, but whose AV takes 24 GB
        }
        std::vector<char> bytes = message.bytes;
        std::memcpy(bytes.data() + 4 * word, &wrong, sizeof wrong);
        refused += received(local, bytes).error == MPI_SUCCESS ? 0 : 1;
        ASSERT_EQ(table_bytes(), before) << "word " << word << " is " << wrong;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

} // namespace

} // namespace avrankmap::test::mpich5
