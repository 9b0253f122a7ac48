// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Revoking, agreeing and shrinking between worlds.
#include <signal.h>

#include "avrankmap/device/ft.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

class SurvivorsOfTwoWorlds : public UcxOrLong {};
INSTANTIATE_TEST_SUITE_P(Over, SurvivorsOfTwoWorlds, testing::ValuesIn(transports_between_jobs()), kByName);

constexpr int kSizes[] = {3, 2};

// All have connected to all; then a process of world 0 dies.
void lose(WorldProcess &self, int victim) {
  self.board.counters[0].fetch_add(1);
  while (self.board.counters[0].load() < kSizes[0] + kSizes[1]) {
    avrm_progress(self.process.device);
  }
  if (self.world == 0 && self.process.rank == victim) {
    kill(getpid(), SIGKILL);
  }
}

avrm_comm_t *merged_of(WorldProcess &self, avrm_comm_t *inter) {
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(inter, self.world, &merged) == AVRM_OK);
  return merged;
}

avrm_comm_t *connect_for_survival(WorldProcess &self) {
  self.keeps_contexts = true;
  return connect_worlds(self);
}

// The communicators of both worlds. All processes connect before one of world 0 dies.
struct Losers {
  avrm_comm_t *inter;
  avrm_comm_t *merged;
};
Losers connect_and_lose(WorldProcess &self, int victim) {
  avrm_comm_t *const inter = connect_for_survival(self);
  check_intercomm(self.world_member(), inter, ids_of(1 - self.world, kSizes[1 - self.world]));
  avrm_comm_t *const merged = merged_of(self, inter);
  check_merged(self.world_member(), merged, joined(ids_of(0, kSizes[0]), ids_of(1, kSizes[1])));
  lose(self, victim);
  return {inter, merged};
}

void leave(avrm_comm_t *comm) { AVRM_MUST(avrm_comm_free(comm) == AVRM_OK); }

TEST_P(SurvivorsOfTwoWorlds, WorldsAgreeAndInterruptOneAnother) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_for_survival(self);
    avrm_comm_t *const merged = merged_of(self, inter);
    const int place = self.world * kSizes[0] + self.process.rank;
    for (avrm_comm_t *const comm : {inter, merged}) {
      std::uint64_t value = ~(std::uint64_t{1} << place);
      AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK && value == ~std::uint64_t{31});
      int in = 0;
      avrm_request_t *request = nullptr;
      const avrm_status_t posted = avrm_irecv(comm, &in, sizeof in, 1, 1, &request);
      if (self.world == 1 && self.process.rank == 0) {
        AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      }
      AVRM_MUST((posted == AVRM_OK ? avrm_wait(&request, nullptr) : posted) == AVRM_ERR_REVOKED);
    }
    avrm_comm_t *again = nullptr;
    AVRM_MUST(avrm_comm_shrink(inter, &again) == AVRM_OK);
    check_intercomm(self.world_member(), again, ids_of(1 - self.world, kSizes[1 - self.world]));
    std::uint64_t value = 0; // nobody leaves before
    AVRM_MUST(avrm_comm_agree(again, &value) == AVRM_OK);
    leave(merged);
    leave(inter);
    part(again);
  });
}

TEST_P(SurvivorsOfTwoWorlds, WorldsShrinkWithoutTheirDead) {
  constexpr int kVictim = 2;
  run_worlds(GetParam(), {kSizes[0], kSizes[1]},
             [](WorldProcess &self) {
               const auto [inter, merged] = connect_and_lose(self, kVictim);
               std::uint64_t value = 1;
               AVRM_MUST(avrm_comm_agree(inter, &value) == AVRM_ERR_PEER && value == 1);
               avrm_comm_t *rest = nullptr;
               AVRM_MUST(avrm_comm_shrink(merged, &rest) == AVRM_OK);
               check_merged(self.world_member(), rest, joined(ids_of(0, 2), ids_of(1, 2)));
               avrm_comm_t *groups = nullptr;
               AVRM_MUST(avrm_comm_shrink(inter, &groups) == AVRM_OK);
               check_intercomm(self.world_member(), groups, ids_of(self.world, 2), ids_of(1 - self.world, 2));
               AVRM_MUST(avrm_comm_agree(groups, &value) == AVRM_OK); // nobody leaves before
               for (avrm_comm_t *const comm : {groups, rest, merged, inter}) {
                 leave(comm);
               }
             },
             {0, kVictim});
}

// The worlds' connection is lost with it: each is without the other one then.
TEST_P(SurvivorsOfTwoWorlds, TheDeathOfARootPartsTheWorlds) {
  run_worlds(
      GetParam(), {kSizes[0], kSizes[1]},
      [](WorldProcess &self) {
        const auto [inter, merged] = connect_and_lose(self, 0);
        avrm_comm_t *rest = nullptr;
        AVRM_MUST(avrm_comm_shrink(inter, &rest) == AVRM_ERR_PEER);
        AVRM_MUST(avrm_comm_shrink(merged, &rest) == AVRM_OK);
        check_merged(self.world_member(), rest, self.world == 0 ? Members{id_of(0, 1), id_of(0, 2)} : ids_of(1, 2));
        std::uint64_t value = 1;
        AVRM_MUST(avrm_comm_agree(rest, &value) == AVRM_OK);
        for (avrm_comm_t *const comm : {rest, merged, inter}) {
          leave(comm);
        }
      },
      {0, 0});
}

TEST_P(SurvivorsOfTwoWorlds, WorldsThatCountAsFailedConnectOnceAllHaveForgottenThem) {
  run_worlds(GetParam(), {kSizes[0], kSizes[1]},
             [](WorldProcess &self) {
               const auto [inter, merged] = connect_and_lose(self, 0);
               avrm_comm_t *rest = nullptr;
               AVRM_MUST(avrm_comm_shrink(merged, &rest) == AVRM_OK);
               char port[AVRM_PORT_MAX] = "";
               if (avrm_comm_rank(rest) == 0 && self.world == 0) {
                 AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
                 self.board.hang(1, port);
               } else if (avrm_comm_rank(rest) == 0) {
                 std::memcpy(port, self.board.read(1), sizeof port);
               }
               avrm_comm_t *again = nullptr;
               const auto connect = [&] {
                 return self.world == 0 ? avrm_comm_accept(rest, 0, port, nullptr, &again)
                                        : avrm_comm_connect(rest, 0, port, nullptr, &again);
               };
               AVRM_MUST(connect() == AVRM_ERR_PEER);
               leave(merged);
               leave(inter);
               avrm_status_t status = AVRM_ERR_PEER; // until all know that all have left
               while (status == AVRM_ERR_PEER) {
                 status = connect();
               }
               AVRM_MUST(status == AVRM_OK);
               const Members survivors = {id_of(0, 1), id_of(0, 2)};
               check_intercomm(self.world_member(), again, self.world == 0 ? survivors : ids_of(1, 2),
                               self.world == 0 ? ids_of(1, 2) : survivors);
               std::uint64_t value = 0;
               AVRM_MUST(avrm_comm_agree(again, &value) == AVRM_OK);
               leave(again);
               leave(rest);
             },
             {0, 0});
}

} // namespace
} // namespace avrankmap::test
