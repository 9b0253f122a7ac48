// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Connections to other worlds that are kept for the next time, and what becomes of those that the
// network loses.
#include <chrono>
#include <cstring>
#include <vector>

#include "core/peers/connect.h"
#include "core/peers/worlds.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

using detail::WorldName;

// A netmod that keeps the handles it is to remove.
class RetiredPeers : public testing::Test {
protected:
  RetiredPeers() {
    table_.remove = [](avrm_netmod_t * /*netmod*/, std::uint64_t handle) { removed_.push_back(handle); };
    net_.ops = &table_;
    removed_.clear();
  }
  static WorldName name(std::uint64_t number) { return {{number, 1}}; }
  // The connection that is taken; 0: none.
  std::uint64_t taken(std::uint64_t number) {
    std::uint64_t handle = 0;
    return retired_.take(&net_, name(number), &handle) ? handle : 0;
  }

  static constexpr std::uint64_t kMost = 32;
  inline static std::vector<std::uint64_t> removed_;
  avrm_netmod_ops_t table_{};
  avrm_netmod_t net_{};
  detail::RetiredPeers retired_;
};

TEST_F(RetiredPeers, AreTakenOnce) {
  retired_.put(&net_, name(1), 101);
  EXPECT_EQ(taken(2), 0U);
  EXPECT_EQ(taken(1), 101U);
  EXPECT_EQ(taken(1), 0U);
  EXPECT_TRUE(removed_.empty());
}

TEST_F(RetiredPeers, AreNotTakenOnceTheNetworkHasLostThem) {
  retired_.put(&net_, name(1), 101);
  retired_.put(&net_, name(2), 102);
  retired_.lost(101);
  EXPECT_TRUE(removed_.empty()) << "within the netmod's callback";
  EXPECT_EQ(taken(1), 0U);
  EXPECT_EQ(removed_, std::vector<std::uint64_t>{101});
  EXPECT_EQ(taken(2), 102U);
}

TEST_F(RetiredPeers, AreRemovedOnceIfTheyAreLost) {
  retired_.put(&net_, name(1), 101);
  retired_.lost(101);
  retired_.lost(55); // of a process that is connected
  retired_.remove_lost(&net_);
  retired_.remove_lost(&net_);
  EXPECT_EQ(removed_, std::vector<std::uint64_t>{101});
}

TEST_F(RetiredPeers, ThatAreLostMakeRoomBeforeTheOldest) {
  for (std::uint64_t i = 1; i <= kMost; ++i) {
    retired_.put(&net_, name(i), 100 + i);
  }
  retired_.lost(107);
  retired_.put(&net_, name(kMost + 1), 200);
  EXPECT_EQ(removed_, std::vector<std::uint64_t>{107});
  retired_.put(&net_, name(kMost + 2), 201);
  EXPECT_EQ(removed_, (std::vector<std::uint64_t>{107, 101}));
}

class LostConnection : public UcxOrLong {
protected:
  static constexpr int kOther = 0; // counter: the other world knows that its connection is lost
  static void progress_until(const WorldProcess &self, const std::function<bool()> &is_over) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is_over() && std::chrono::steady_clock::now() < deadline) {
      avrm_progress(self.process.device);
      sched_yield();
    }
    AVRM_MUST(is_over());
  }
  static bool has_lost_an_endpoint(avrm_netmod_t *net) {
    return std::strncmp(net->ops->last_error(net), "endpoint", std::strlen("endpoint")) == 0;
  }
  static void talk(WorldProcess &self, avrm_comm_t *inter) {
    check_intercomm(self.world_member(), inter, ids_of(1 - self.world, 1));
  }
  // The name of the other world, which has one process.
  static WorldName other_name(const WorldProcess &self) { return self.process.device->worlds->name; }
};

// As a server does that disconnects from many others.
TEST_P(LostConnection, DoesNotKeepWorldsApartOfWhichOneClosesWhatBothHaveRetired) {
  run_worlds(GetParam(), {1, 1}, [](WorldProcess &self) {
    avrm_comm_t *inter = connect_worlds(self, 0);
    talk(self, inter);
    const WorldName other = other_name(self);
    part(inter);
    avrm_device_t *const device = self.process.device;
    if (self.world == 0) {
      std::uint64_t handle = 0;
      AVRM_MUST(device->retired.take(device->net, other, &handle));
      device->net->ops->remove(device->net, handle);
      progress_until(self, [&] { return self.board.counters[kOther] != 0; });
    } else {
      if (is_ucx(GetParam())) { // libfabric connects again
        progress_until(self, [&] { return has_lost_an_endpoint(device->net); });
      }
      self.board.counters[kOther] = 1;
    }
    inter = connect_worlds(self, 1);
    talk(self, inter);
    part(inter);
  });
}

TEST_P(LostConnection, IsNotRetired) {
  run_worlds(GetParam(), {1, 1}, [](WorldProcess &self) {
    avrm_comm_t *const inter = connect_worlds(self, 0);
    talk(self, inter);
    avrm_device_t *const device = self.process.device;
    const WorldName other = other_name(self);
    if (self.world == 1) {
      detail::Route route{};
      AVRM_MUST(detail::find_route(device, device->worlds->av, 0, &route));
      detail::on_lost(device, device->net, route.handle);
      detail::on_lost(device, device->net, route.handle); // some netmods repeat it
    }
    part(inter);
    std::uint64_t handle = 0;
    AVRM_MUST(device->retired.take(device->net, other, &handle) == (self.world == 0));
    if (self.world == 0) {
      device->net->ops->remove(device->net, handle);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Over, LostConnection, testing::ValuesIn(transports_between_jobs()), kByName);

} // namespace
} // namespace avrankmap::test
