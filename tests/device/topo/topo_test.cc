// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topologies: synthetic ones compared with arithmetic on CPU numbers, and that of this machine.
#include "avrankmap/device/topo.h"

#include <gtest/gtest.h>

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "avrankmap/device/device.h"
#include "tests/device/limits/low_limit.h"
#include "tests/support/instance.h"
#include "tests/support/transports.h"

namespace avrankmap::test {
namespace {

struct TopoCloser {
  void operator()(avrm_topo_t *topo) const noexcept { avrm_topo_close(topo); }
};
using Topo = std::unique_ptr<avrm_topo_t, TopoCloser>;

// 2 packages of 2 NUMA nodes of 4 L3 caches of 8 cores of 2 CPUs.
constexpr const char *kBig = "pack:2 numa:2 l3:4 core:8 pu:2";
constexpr int kPerL3 = 16;
constexpr int kPerNuma = 64;
constexpr int kPerPackage = 128;
constexpr int kCpus = 256;

Topo open_topo(const char *description) {
  avrm_topo_t *topo = nullptr;
  require(avrm_topo_open(description, &topo));
  return Topo(topo);
}

// Skips tests that need hwloc, in a build without it.
class Topology : public testing::Test {
protected:
  void SetUp() override {
    if (!has_topologies()) {
      GTEST_SKIP() << "this build has no hwloc";
    }
  }
};

class ThisMachine : public Topology {
protected:
  void SetUp() override {
    Topology::SetUp();
    if (!IsSkipped()) {
      topo_ = open_topo(nullptr);
      if (!avrm_topo_is_this_machine(topo_.get())) {
        GTEST_SKIP() << "hwloc's environment says that this is another machine";
      }
    }
  }
  Topo topo_;
};

avrm_locality_t of_cpus(const avrm_topo_t *topo, const std::vector<std::uint32_t> &cpus) {
  avrm_locality_t locality{};
  require(avrm_topo_cpus(topo, cpus.data(), cpus.size(), &locality));
  return locality;
}

TEST_F(Topology, CountsItsDomains) {
  const Topo topo = open_topo(kBig);
  EXPECT_EQ(avrm_topo_count(topo.get(), AVRM_DOMAIN_L3), kCpus / kPerL3);
  EXPECT_EQ(avrm_topo_count(topo.get(), AVRM_DOMAIN_NUMA), kCpus / kPerNuma);
  EXPECT_EQ(avrm_topo_count(topo.get(), AVRM_DOMAIN_PACKAGE), kCpus / kPerPackage);
  EXPECT_EQ(avrm_topo_count(topo.get(), AVRM_DOMAIN_MACHINE), 1);
}

TEST_F(Topology, HasNoneOfADomainThatDoesNotExist) {
  const Topo topo = open_topo("pack:2 core:2 pu:1");
  EXPECT_EQ(avrm_topo_count(topo.get(), AVRM_DOMAIN_L3), 0);
  EXPECT_EQ(avrm_topo_count(topo.get(), static_cast<avrm_domain_t>(2)), 2);
}

TEST_F(Topology, KnowsAnyKindOfObjectByItsName) {
  const Topo topo = open_topo(kBig);
  const auto index = [&](const char *kind, const std::vector<std::uint32_t> &cpus) {
    std::int32_t found = -77;
    EXPECT_EQ(avrm_topo_object_of_cpus(topo.get(), kind, cpus.data(), cpus.size(), &found), AVRM_OK) << kind;
    return found;
  };
  EXPECT_EQ(index("core", {100}), 50);
  EXPECT_EQ(index("hwloc://Core", {100, 101}), 50);
  EXPECT_EQ(index("core", {101, 102}), AVRM_TOPO_SPREAD);
  EXPECT_EQ(index("L3", {101, 102}), 101 / kPerL3);
  EXPECT_EQ(index("hwloc://NUMANode", {101, 102}), 101 / kPerNuma);
  EXPECT_EQ(index("package", {200}), 1);
  EXPECT_EQ(index("L2", {200}), AVRM_TOPO_SPREAD); // it has none
}

TEST_F(Topology, RefusesKindsOfObjectsThatHaveNoCpus) {
  const Topo topo = open_topo(kBig);
  const std::uint32_t cpu = 0;
  std::int32_t index = 7;
  for (const char *const kind : {"", "kitchen", "OSDev", "PCIDev", "Misc", "hwloc://"}) {
    EXPECT_EQ(avrm_topo_object_of_cpus(topo.get(), kind, &cpu, 1, &index), AVRM_ERR_OPTION) << kind;
    EXPECT_EQ(avrm_topo_object_of_process(topo.get(), kind, 0, &index), AVRM_ERR_OPTION) << kind;
  }
  EXPECT_EQ(avrm_topo_object_of_cpus(topo.get(), "core", &cpu, 0, &index), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_topo_object_of_cpus(topo.get(), nullptr, &cpu, 1, &index), AVRM_ERR_NULL);
  // Synthetic.
  EXPECT_EQ(avrm_topo_object_of_process(topo.get(), "core", 0, &index), AVRM_ERR_UNSUPPORTED);
  EXPECT_EQ(index, 7);
}

TEST_F(Topology, KnowsThePlaceOfEveryCpu) {
  const Topo topo = open_topo(kBig);
  for (std::uint32_t cpu = 0; cpu < kCpus; ++cpu) {
    const avrm_locality_t locality = of_cpus(topo.get(), {cpu});
    const auto number = static_cast<std::int32_t>(cpu);
    EXPECT_EQ(locality.l3, number / kPerL3) << cpu;
    EXPECT_EQ(locality.numa, number / kPerNuma) << cpu;
    EXPECT_EQ(locality.package, number / kPerPackage) << cpu;
  }
}

TEST_F(Topology, TwoCpusShareWhatTheirNumbersSay) {
  const Topo topo = open_topo(kBig);
  for (std::uint32_t one = 0; one < kCpus; one += 7) {
    for (std::uint32_t other = 0; other < kCpus; other += 5) {
      const avrm_locality_t a = of_cpus(topo.get(), {one});
      const avrm_locality_t b = of_cpus(topo.get(), {other});
      const avrm_domain_t expected = one / kPerL3 == other / kPerL3             ? AVRM_DOMAIN_L3
                                     : one / kPerNuma == other / kPerNuma       ? AVRM_DOMAIN_NUMA
                                     : one / kPerPackage == other / kPerPackage ? AVRM_DOMAIN_PACKAGE
                                                                                : AVRM_DOMAIN_MACHINE;
      avrm_domain_t domain{};
      ASSERT_EQ(avrm_topo_shared(&a, &b, &domain), AVRM_OK);
      EXPECT_EQ(domain, expected) << one << " and " << other;
    }
  }
}

TEST_F(Topology, WhatMayRunInTwoDomainsIsInNeither) {
  const Topo topo = open_topo(kBig);
  const avrm_locality_t two_caches = of_cpus(topo.get(), {0, kPerL3});
  EXPECT_EQ(two_caches.l3, AVRM_TOPO_SPREAD);
  EXPECT_EQ(two_caches.numa, 0);
  EXPECT_EQ(two_caches.package, 0);
  const avrm_locality_t two_packages = of_cpus(topo.get(), {kCpus - 1, 0});
  EXPECT_EQ(two_packages.numa, AVRM_TOPO_SPREAD);
  EXPECT_EQ(two_packages.package, AVRM_TOPO_SPREAD);
}

TEST_F(Topology, SpreadProcessesShareNoDomainButTheMachine) {
  const Topo topo = open_topo(kBig);
  const avrm_locality_t spread = of_cpus(topo.get(), {kCpus - 1, 0});
  avrm_domain_t domain{};
  ASSERT_EQ(avrm_topo_shared(&spread, &spread, &domain), AVRM_OK);
  EXPECT_EQ(domain, AVRM_DOMAIN_MACHINE);
}

TEST_F(Topology, WithoutL3CachesNobodySharesOne) {
  const Topo topo = open_topo("pack:2 core:2 pu:1");
  EXPECT_EQ(of_cpus(topo.get(), {0}).l3, AVRM_TOPO_SPREAD);
  EXPECT_EQ(of_cpus(topo.get(), {3}).package, 1);
}

TEST_F(Topology, ACpuThatIsNotThereIsRefused) {
  const Topo topo = open_topo(kBig);
  const std::uint32_t cpus[] = {0, kCpus};
  avrm_locality_t locality{7, 7, 7, 7};
  EXPECT_EQ(avrm_topo_cpus(topo.get(), cpus, 2, &locality), AVRM_ERR_OPTION);
  EXPECT_EQ(locality.l3, 7);
  EXPECT_EQ(avrm_topo_cpus(topo.get(), cpus, 0, &locality), AVRM_ERR_SIZE);
}

TEST_F(Topology, ADescriptionThatMakesNoSenseIsRefused) {
  avrm_topo_t *topo = nullptr;
  EXPECT_EQ(avrm_topo_open("pack:two", &topo), AVRM_ERR_OPTION);
  EXPECT_EQ(topo, nullptr);
}

TEST_F(Topology, ASyntheticOneIsNotThisMachine) {
  const Topo topo = open_topo(kBig);
  EXPECT_FALSE(avrm_topo_is_this_machine(topo.get()));
  EXPECT_EQ(avrm_topo_machine(topo.get()), 0U);
}

TEST_F(Topology, ASyntheticOneKnowsNoProcesses) {
  const Topo topo = open_topo(kBig);
  avrm_locality_t locality{};
  EXPECT_EQ(avrm_topo_process(topo.get(), 0, &locality), AVRM_ERR_UNSUPPORTED);
}

// hwloc itself would report success.
TEST_F(Topology, ASyntheticOneBindsNothing) {
  const Topo topo = open_topo(kBig);
  avrm_av_options_t options{};
  EXPECT_EQ(avrm_topo_bind_av(topo.get(), &options), AVRM_ERR_UNSUPPORTED);
  EXPECT_FALSE(options.bind_numa);
}

TEST_F(Topology, TheEnvironmentIsObeyed) {
  ASSERT_EQ(setenv("HWLOC_SYNTHETIC", kBig, 1), 0);
  const Topo topo = open_topo(nullptr);
  ASSERT_EQ(unsetenv("HWLOC_SYNTHETIC"), 0);
  EXPECT_EQ(avrm_topo_count(topo.get(), AVRM_DOMAIN_L3), kCpus / kPerL3);
  EXPECT_FALSE(avrm_topo_is_this_machine(topo.get()));
}

TEST(TopoArguments, NullsAreRefused) {
  avrm_locality_t locality{};
  avrm_domain_t domain{};
  avrm_av_options_t options{};
  const std::uint32_t cpu = 0;
  EXPECT_EQ(avrm_topo_open(nullptr, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_topo_cpus(nullptr, &cpu, 1, &locality), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_topo_process(nullptr, 0, &locality), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_topo_shared(&locality, nullptr, &domain), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_topo_bind_av(nullptr, &options), AVRM_ERR_NULL);
  avrm_topo_close(nullptr);
}

TEST(Locality, OtherMachinesShareNothing) {
  const avrm_locality_t here{1, 0, 0, 0};
  const avrm_locality_t there{2, 0, 0, 0};
  avrm_domain_t domain = AVRM_DOMAIN_NUMA;
  EXPECT_EQ(avrm_topo_shared(&here, &there, &domain), AVRM_ERR_PEER);
  EXPECT_EQ(domain, AVRM_DOMAIN_NUMA);
}

TEST_F(ThisMachine, HasNoOtherNumberWhereNoDescriptorIsFree) {
  for (int free = 0; free < 4; ++free) {
    avrm_topo_t *raw = nullptr;
    avrm_status_t status = AVRM_OK;
    {
      const LowLimit limit(RLIMIT_NOFILE, 64);
      const FewDescriptors few(free);
      status = avrm_topo_open(nullptr, &raw);
    }
    const Topo topo(raw);
    EXPECT_EQ(status, free == 0 ? AVRM_ERR_SYSTEM : AVRM_OK) << free;
    EXPECT_TRUE(topo == nullptr || avrm_topo_machine(topo.get()) == avrm_topo_machine(topo_.get())) << free;
  }
}

TEST_F(ThisMachine, ABindingSaysWhyTheCpusAreNotKnown) {
  avrm_av_options_t options{};
  avrm_status_t status = AVRM_OK;
  {
    const LowLimit limit(RLIMIT_NOFILE, 64);
    const FewDescriptors few(0); // hwloc reads /proc
    status = avrm_topo_bind_av(topo_.get(), &options);
  }
  EXPECT_EQ(status, AVRM_ERR_SYSTEM);
  EXPECT_FALSE(options.bind_numa);
}

TEST_F(ThisMachine, HasOneNumber) {
  const Topo again = open_topo(nullptr);
  EXPECT_EQ(avrm_topo_machine(topo_.get()), avrm_topo_machine(again.get()));
  EXPECT_NE(avrm_topo_machine(topo_.get()), 0U);
}

// A process bound to one CPU is located at that CPU.
TEST_F(ThisMachine, AProcessIsWhereItIsBound) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) {
      continue;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    for (const std::int32_t pid : {0, static_cast<std::int32_t>(getpid())}) {
      avrm_locality_t locality{};
      EXPECT_EQ(avrm_topo_process(topo_.get(), pid, &locality), AVRM_OK);
      const avrm_locality_t expected = of_cpus(topo_.get(), {cpu});
      EXPECT_EQ(locality.numa, expected.numa);
      EXPECT_EQ(locality.l3, expected.l3);
      EXPECT_EQ(locality.package, expected.package);
      EXPECT_EQ(locality.machine, avrm_topo_machine(topo_.get()));
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

TEST_F(ThisMachine, AProcessThatDoesNotExistIsAnError) {
  avrm_locality_t locality{};
  EXPECT_EQ(avrm_topo_process(topo_.get(), 0x7ffffff0, &locality), AVRM_ERR_SYSTEM);
}

// The memory policy of the pages behind an address, as in MPOL_BIND; -1 if the system
// does not tell.
int policy_of(const void *address) {
  int mode = -1;
  return syscall(SYS_get_mempolicy, &mode, nullptr, 0, address, MPOL_F_ADDR) == 0 ? mode : -1;
}

bool may_bind(const avrm_topo_t *topo, avrm_av_options_t *options) {
  const Instance instance;
  avrm_av_t *av = nullptr;
  if (avrm_topo_bind_av(topo, options) != AVRM_OK || avrm_av_create(instance, 1000, options, &av) != AVRM_OK) {
    return false;
  }
  avrm_av_release(av);
  return true;
}

TEST_F(ThisMachine, AnAddressVectorCanBeBound) {
  avrm_av_options_t options{};
  if (!may_bind(topo_.get(), &options)) {
    GTEST_SKIP() << "this process runs on several NUMA nodes, or may not bind memory";
  }
  const Instance instance;
  avrm_av_t *av = nullptr;
  ASSERT_EQ(avrm_av_create(instance, 100000, &options, &av), AVRM_OK);
  EXPECT_EQ(policy_of(avrm_av_ave(av, 50000)), MPOL_BIND);
  avrm_av_release(av);
}

// A device of a job of one process on the null network; returns the policy of its world's
// address vector.
int policy_of_device(const avrm_topo_t *topo) {
  avrm_boot_t *boot = nullptr;
  require(avrm_boot_open(&boot));
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = "null";
  options.shmmod = "none";
  options.topo = topo;
  avrm_device_t *device = nullptr;
  require(avrm_device_open(&options, &device));
  avrm_av_t *av = nullptr;
  require(avrm_av_find(avrm_device_instance(device), 0, &av));
  const int policy = policy_of(avrm_av_ave(av, 0));
  require(avrm_device_close(device));
  avrm_boot_close(boot);
  return policy;
}

TEST_F(ThisMachine, ADeviceBindsItsWorld) {
  avrm_av_options_t options{};
  if (!may_bind(topo_.get(), &options)) {
    GTEST_SKIP() << "this process runs on several NUMA nodes, or may not bind memory";
  }
  EXPECT_EQ(policy_of_device(topo_.get()), MPOL_BIND);
}

TEST_F(ThisMachine, ADeviceWithoutATopologyBindsNothing) { EXPECT_NE(policy_of_device(nullptr), MPOL_BIND); }

TEST_F(Topology, ADeviceWithASyntheticTopologyBindsNothing) {
  EXPECT_NE(policy_of_device(open_topo(kBig).get()), MPOL_BIND);
}

} // namespace
} // namespace avrankmap::test
