// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a device: its netmod's tables are accounted for by the device's instance, and nothing
// is kept per process of the job. A peer whose address cannot be stored is not inserted again.
#include <array>
#include <functional>
#include <set>

#include "bench/synthetic/synthetic_boot.h"
#include "core/peers/connect.h"
#include "core/progress/queue.h"
#include "tests/device/core/job.h"
#include "tests/device/liveness/lacking_memory.h"

namespace avrankmap::test {
namespace {

std::uint64_t instance_bytes(const Process &process) {
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(process.device), AVRM_MEM_INSTANCE, &usage) == AVRM_OK);
  return usage.live_bytes;
}

TEST(DeviceMemory, InstanceAccountsForTheNetmodsPeers) {
  Transport transport = transport_named("ofi_tcp");
  transport.connect = AVRM_CONNECT_EAGER;
  run_job(transport, 2, [](Process &process) {
    const std::uint64_t before = instance_bytes(process);
    unsigned char memory[8] = {};
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, memory, sizeof memory, 0, &window) == AVRM_OK);
    barrier(process);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_put(window, "peer", 4, process.partner(), 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_flush(window, process.partner()) == AVRM_OK);
    AVRM_MUST(instance_bytes(process) > before);
    barrier(process);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

// Live bytes of a device that has connected all processes of a job at once.
std::uint64_t bytes_of_eager_device(std::int32_t processes) {
  bench::SyntheticBoot boot(processes);
  avrm_device_options_t options{};
  options.boot = &boot;
  options.netmod = "null";
  options.shmmod = "none";
  options.connect = AVRM_CONNECT_EAGER;
  options.av = AVRM_DEVICE_AV_IMPLICIT;
  avrm_device_t *device = nullptr;
  AVRM_MUST(avrm_device_open(&options, &device) == AVRM_OK);
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(device), AVRM_MEM_TOTAL, &usage) == AVRM_OK);
  AVRM_MUST(avrm_device_close(device) == AVRM_OK);
  return usage.live_bytes;
}

TEST(DeviceMemory, ConnectingAllAtOnceKeepsNothingPerProcess) {
  EXPECT_EQ(bytes_of_eager_device(200000), bytes_of_eager_device(100));
}

// Process 0 of 100 over the null netmod.
class FirstContacts : public testing::Test {
protected:
  void open() {
    options_.boot = &boot_;
    options_.netmod = "null";
    options_.shmmod = "none";
    options_.allocator = &hooks_;
    options_.av = AVRM_DEVICE_AV_IMPLICIT;
    ASSERT_EQ(avrm_device_open(&options_, &device_), AVRM_OK);
  }
  void close() { ASSERT_EQ(avrm_device_close(device_), AVRM_OK); }
  // Contacts peers in an order without a rule, each first with memory for this many allocations and
  // then with more. Returns how often memory was lacking.
  int contact(int allocations, const std::function<avrm_status_t(avrm_gpid_t)> &reach) {
    int lacked = 0;
    for (const std::int32_t lpid : kPeers) {
      memory_.left = allocations;
      const avrm_status_t status = reach({detail::kOwnWorld, lpid});
      memory_.left = -1;
      EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_NO_MEMORY) << avrm_status_name(status);
      lacked += status == AVRM_OK ? 0 : 1;
      EXPECT_EQ(reach({detail::kOwnWorld, lpid}), AVRM_OK);
    }
    return lacked;
  }

  static constexpr std::array<std::int32_t, 5> kPeers{50, 3, 77, 4, 51};
  static constexpr int kMostAllocations = 20; // of a first contact
  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  bench::SyntheticBoot boot_{100};
  avrm_device_options_t options_{};
  avrm_device_t *device_ = nullptr;
};

TEST_F(FirstContacts, InsertAPeerOnceIfItsAddressCannotBeStored) {
  int lacked = 1;
  for (int allocations = 0; lacked != 0; ++allocations) {
    ASSERT_LT(allocations, kMostAllocations);
    open();
    {
      const Outbox outbox(device_);
      lacked = contact(allocations, [this](avrm_gpid_t peer) {
        detail::Route route{};
        return detail::route_to(device_, peer, &route);
      });
      EXPECT_EQ(outbox.inserts, static_cast<int>(kPeers.size())) << allocations;
    }
    close();
  }
}

TEST_F(FirstContacts, InsertAPeerIntoAQueueOnceIfItsHandleCannotBeStored) {
  int lacked = 1;
  for (int allocations = 0; lacked != 0; ++allocations) {
    ASSERT_LT(allocations, kMostAllocations);
    open();
    {
      const Outbox outbox(device_);
      ASSERT_EQ(detail::open_queues(device_, 1), AVRM_OK);
      avrm_comm_t *const world = avrm_device_world(device_);
      world->queue = device_->queues;
      std::set<std::uint64_t> handles;
      lacked = contact(allocations, [&](avrm_gpid_t peer) {
        detail::NetRoute way{};
        const avrm_status_t status = detail::net_route_to(world, peer, 0, &way);
        if (status == AVRM_OK) {
          handles.insert(way.handle);
        }
        return status;
      });
      EXPECT_EQ(outbox.inserts, static_cast<int>(kPeers.size())) << allocations;
      EXPECT_EQ(handles.size(), kPeers.size()) << allocations;
      world->queue = nullptr;
      detail::close_queues(device_);
    }
    close();
  }
}

} // namespace
} // namespace avrankmap::test
