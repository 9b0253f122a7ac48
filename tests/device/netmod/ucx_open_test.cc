// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening the UCX netmod: what its configuration and the environment choose, and addresses.
#include "netmod/ucx/ucx.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "tests/device/limits/low_limit.h"
#include "tests/support/refuse_call.h"
#include "ucx_pair.h"

namespace avrankmap::test {
namespace {

// Runs `body` in a process of its own, where UCX may be initialised.
void run_alone(const std::function<void()> &body) { EXPECT_EQ(status_of(start(body)), 0); }

TEST(UcxOpen, AnUnknownTransportIsRefusedByName) {
  run_alone([] {
    avrm_netmod_config_t config{};
    config.provider = "carrier_pigeon";
    avrm_netmod_t *net = nullptr;
    EXPECT_EQ(avrm_netmod_ucx()->open(&config, &net), AVRM_ERR_UNSUPPORTED);
    EXPECT_EQ(net, nullptr);
    EXPECT_NE(std::strstr(avrm_netmod_ucx()->last_error(nullptr), "carrier_pigeon"), nullptr);
  });
}

// Otherwise UCX aborts.
TEST(UcxOpen, AProcessThatLacksDescriptorsIsRefused) {
  for (const int free : {0, 3, 31, 32}) {
    run_alone([free] {
      const LowLimit limit(RLIMIT_NOFILE, 128);
      avrm_netmod_config_t config{};
      config.provider = transport_named("ucx_tcp").provider;
      avrm_netmod_t *net = nullptr;
      avrm_status_t status = AVRM_OK;
      {
        const FewDescriptors few(free);
        status = avrm_netmod_ucx()->open(&config, &net);
      }
      EXPECT_EQ(status, free < 32 ? AVRM_ERR_SYSTEM : AVRM_OK) << free;
      if (status == AVRM_OK) {
        return avrm_netmod_ucx()->close(net);
      }
      EXPECT_NE(std::strstr(avrm_netmod_ucx()->last_error(nullptr), "32 free descriptors"), nullptr);
    });
  }
}

TEST(UcxOpen, TheEnvironmentChoosesIfTheConfigurationDoesNot) {
  run_alone([] {
    setenv("UCX_TLS", transport_named("ucx_tcp").provider, 1);
    const avrm_netmod_config_t config{};
    avrm_netmod_t *net = nullptr;
    ASSERT_EQ(avrm_netmod_ucx()->open(&config, &net), AVRM_OK);
    EXPECT_NE(std::strstr(avrm_netmod_ucx()->describe(net), transport_named("ucx_tcp").provider), nullptr);
    avrm_netmod_ucx()->close(net);
  });
}

TEST(UcxOpen, ALullIsAskedForWhereMessagesComeThroughMemoryAndNowhereElse) {
  run_alone([] {
    const avrm_netmod_ops_t *const ops = avrm_netmod_ucx();
    for (const char *const transports : {"posix,self,cma", "tcp,posix,self", "all"}) {
      avrm_netmod_config_t config{};
      config.provider = transports;
      avrm_netmod_t *net = nullptr;
      ASSERT_EQ(ops->open(&config, &net), AVRM_OK) << transports;
      EXPECT_GT(net->poll_pause_ns, 0U) << transports;
      ops->close(net);
    }
    avrm_netmod_config_t config{};
    config.provider = transport_named("ucx_tcp").provider;
    avrm_netmod_t *net = nullptr;
    ASSERT_EQ(ops->open(&config, &net), AVRM_OK);
    EXPECT_EQ(net->poll_pause_ns, 0U);
    ops->close(net);
  });
}

// Over TCP UCX emulates them, and checks no key.
TEST(UcxOpen, PutsAndGetsAreAskedForWhereTcpIsNotAloneUnlessTheEnvironmentSaysOtherwise) {
  run_alone([] {
    const auto has_puts = [](const char *transports, const char *setting) {
      setenv("AVRM_UCX_NO_RMA", setting == nullptr ? "" : setting, 1);
      avrm_netmod_config_t config{};
      config.provider = transports;
      avrm_netmod_t *net = nullptr;
      EXPECT_EQ(avrm_netmod_ucx()->open(&config, &net), AVRM_OK) << transports;
      const bool has = (net->capabilities & (AVRM_NETMOD_PUT | AVRM_NETMOD_GET | AVRM_NETMOD_PUT_INJECT)) != 0;
      avrm_netmod_ucx()->close(net);
      return has;
    };
    EXPECT_FALSE(has_puts("tcp,self", nullptr));
    EXPECT_FALSE(has_puts("tcp,posix,self,cma", nullptr));
    EXPECT_TRUE(has_puts("posix,self,cma", nullptr));
    for (const char *const whatever : {"all", "^sysv"}) {
      EXPECT_TRUE(access("/sys/class/infiniband", F_OK) == 0 || !has_puts(whatever, nullptr)) << whatever;
      EXPECT_TRUE(has_puts(whatever, "0")) << whatever;
    }
    EXPECT_TRUE(has_puts("tcp,self", "0"));
    EXPECT_FALSE(has_puts("posix,self,cma", "1"));
  });
}

TEST(UcxOpen, TooLittleRoomForTheAddressIsAStatus) {
  run_alone([] {
    const avrm_netmod_config_t config{};
    avrm_netmod_t *net = nullptr;
    ASSERT_EQ(avrm_netmod_ucx()->open(&config, &net), AVRM_OK);
    char buffer[1] = {};
    std::size_t bytes = sizeof buffer;
    EXPECT_EQ(avrm_netmod_ucx()->address(net, buffer, &bytes), AVRM_ERR_SIZE);
    EXPECT_EQ(bytes, sizeof buffer);
    avrm_netmod_ucx()->close(net);
  });
}

using Bytes = std::vector<unsigned char>;

// Calls take(first, bytes) with the data, truncated, damaged and extended, where the memory after
// them cannot be read. Expects that they are refused, from byte `checked` on, but taken as a whole.
void expect_refused_unread(const Bytes &whole, std::size_t header, std::size_t checked,
                           const std::function<avrm_status_t(const unsigned char *, std::size_t)> &take) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void *const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  unsigned char *const end = static_cast<unsigned char *>(pages) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  const auto take_at_end = [&](const Bytes &data) {
    std::copy(data.begin(), data.end(), end - data.size());
    return take(end - data.size(), data.size());
  };
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const avrm_status_t status = take_at_end({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes)});
    ASSERT_TRUE(status == AVRM_ERR_TRANSPORT || (status == AVRM_ERR_SIZE && bytes <= header)) << bytes;
  }
  for (std::size_t i = checked; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x80;
    ASSERT_EQ(take_at_end(damaged), AVRM_ERR_TRANSPORT) << i;
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_EQ(take_at_end(longer), AVRM_ERR_TRANSPORT);
  EXPECT_EQ(take_at_end(whole), AVRM_OK);
}

TEST(UcxOpen, ADamagedAddressIsRefusedUnread) {
  run_alone([] {
    Side side("tcp,self", -1);
    expect_refused_unread(side.own_address(), 8, 0, [&](const unsigned char *address, std::size_t bytes) {
      std::uint64_t handle = 42;
      const avrm_status_t status = side.ops->insert(side.net, 1, address, bytes, bytes, &handle);
      EXPECT_EQ(handle == 42U, status != AVRM_OK);
      return status;
    });
    EXPECT_NE(std::strstr(side.ops->last_error(side.net), "ucp_ep_create"), nullptr);
  });
}

// The address that precedes the key is not read here.
TEST(UcxOpen, ADamagedKeyIsRefusedUnread) {
  run_alone([] {
    Side side("tcp,self", -1);
    const Bytes own = side.own_address();
    std::uint64_t handle = 0;
    ASSERT_EQ(side.ops->insert(side.net, 1, own.data(), own.size(), own.size(), &handle), AVRM_OK);
    Bytes memory(100);
    avrm_netmod_memory_t *registered = nullptr;
    ASSERT_EQ(side.ops->memory_register(side.net, memory.data(), memory.size(), 0, &registered), AVRM_OK);
    Bytes description(AVRM_NETMOD_KEY_MAX);
    std::size_t bytes = description.size();
    ASSERT_EQ(side.ops->memory_describe(side.net, registered, description.data(), &bytes), AVRM_OK);
    description.resize(bytes);
    expect_refused_unread(description, 16, 8, [&](const unsigned char *data, std::size_t length) {
      std::uint64_t remote = 0;
      std::uint64_t key = 42;
      const avrm_status_t status = side.ops->key_open(side.net, handle, data, length, &remote, &key);
      EXPECT_EQ(key == 42U, status != AVRM_OK);
      if (status == AVRM_OK) {
        side.ops->key_close(side.net, key);
      }
      return status;
    });
    EXPECT_NE(std::strstr(side.ops->last_error(side.net), "ucp_ep_rkey_unpack"), nullptr);
    side.ops->memory_release(side.net, registered);
  });
}

TEST(UcxOpen, APeerThatNoTransportReachesIsRefused) {
  run_alone([] {
    const avrm_netmod_ops_t *const ops = avrm_netmod_ucx();
    avrm_netmod_config_t config{};
    avrm_netmod_t *tcp = nullptr;
    avrm_netmod_t *memory = nullptr;
    config.provider = transport_named("ucx_tcp").provider;
    ASSERT_EQ(ops->open(&config, &tcp), AVRM_OK);
    config.provider = "posix,self";
    ASSERT_EQ(ops->open(&config, &memory), AVRM_OK);
    unsigned char address[1004];
    std::size_t bytes = sizeof address;
    ASSERT_EQ(ops->address(tcp, address, &bytes), AVRM_OK);
    std::uint64_t handle = 7;
    EXPECT_EQ(ops->insert(memory, 1, address, bytes, bytes, &handle), AVRM_ERR_PEER);
    EXPECT_EQ(handle, 7U);
    EXPECT_NE(std::strstr(ops->last_error(memory), "ucp_ep_create (posix,self)"), nullptr);
    ops->close(memory);
    ops->close(tcp);
  });
}

// As UCX reads it, a list that begins with ^ names what to leave out. Our defaults are for what is
// left, or UCX warns of settings that nothing uses, and processes of one machine that are left with
// TCP do not reach one another.
TEST(UcxOpen, NegatedListsNameWhatIsLeftOut) {
  struct List {
    const char *transports;
    bool has_shared_memory;
  };
  for (const List list : {List{"^sysv", true}, List{"^posix,cma", true}, List{"^tcp", true}, List{"^sysv,posix", false},
                          List{"^posix,cma,sysv", false}, List{"^mm", false}, List{"^self,shm", false}}) {
    testing::internal::CaptureStdout(); // where UCX warns
    run_alone([&list] {
      setenv("UCX_TLS", list.transports, 1);
      const avrm_netmod_ops_t *const ops = avrm_netmod_ucx();
      avrm_netmod_config_t config{};
      config.local_only = true;
      avrm_netmod_t *nets[2] = {};
      unsigned char address[1004];
      std::size_t bytes = sizeof address;
      std::uint64_t handle = 0;
      for (avrm_netmod_t *&net : nets) {
        ASSERT_EQ(ops->open(&config, &net), AVRM_OK) << list.transports;
        EXPECT_EQ(net->poll_pause_ns != 0, list.has_shared_memory) << list.transports;
      }
      ASSERT_EQ(ops->address(nets[1], address, &bytes), AVRM_OK);
      EXPECT_EQ(ops->insert(nets[0], 1, address, bytes, bytes, &handle), AVRM_OK)
          << list.transports << ": " << ops->last_error(nets[0]);
      for (avrm_netmod_t *net : nets) {
        ops->close(net);
      }
    });
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << list.transports;
  }
}

// UCX itself would say that memory is exhausted.
TEST(UcxOpen, ListsThatNameSysvAreRefusedByNameWithoutShmget) {
  for (const char *const transports : {"sysv,self", "tcp,posix,sysv", "mm,self", "shm,tcp", "sm,self"}) {
    run_alone([transports] {
      if (!refuse_call(SYS_shmget, EPERM)) {
        return; // no filter can be set here
      }
      setenv("UCX_TLS", transports, 1);
      const avrm_netmod_config_t config{};
      avrm_netmod_t *net = nullptr;
      EXPECT_EQ(avrm_netmod_ucx()->open(&config, &net), AVRM_ERR_UNSUPPORTED) << transports;
      const char *const text = avrm_netmod_ucx()->last_error(nullptr);
      EXPECT_NE(std::strstr(text, "shmget"), nullptr) << text;
      EXPECT_NE(std::strstr(text, transports), nullptr) << text;
    });
  }
}

TEST(UcxOpen, HandlesFitTheCodec) {
  run_alone([] {
    avrm_netmod_config_t config{};
    config.provider = transport_named("ucx_tcp").provider;
    avrm_netmod_t *net = nullptr;
    const avrm_netmod_ops_t *const ops = avrm_netmod_ucx();
    ASSERT_EQ(ops->open(&config, &net), AVRM_OK);
    unsigned char own[1004];
    std::size_t bytes = sizeof own;
    ASSERT_EQ(ops->address(net, own, &bytes), AVRM_OK);
    std::uint64_t handle = 0;
    ASSERT_EQ(ops->insert(net, 1, own, bytes, bytes, &handle), AVRM_OK);
    avrm_ave_t ave;
    EXPECT_EQ(avrm_ucx_pack(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(handle)), 0, &ave), AVRM_OK);
    ops->close(net);
  });
}

} // namespace
} // namespace avrankmap::test
