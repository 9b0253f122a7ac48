// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and memory registration of the libfabric netmod between two processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ofi/transport.h"
#include "tests/device/netmod/ofi_fixture.h"
#include "tests/device/netmod/ofi_registrar.h"

namespace avrankmap::test {
namespace {

using detail::ofi::transport_of;

class OfiRma : public OfiNetmod {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiRma, testing::ValuesIn(ofi_providers()), kByName);

TEST_P(OfiRma, PutsAreVisibleAfterFlush) {
  run([](Side &side) {
    EXPECT_TRUE(side.net->capabilities & AVRM_NETMOD_PUT);
    Window window(side, 1048576 + 64);
    for (const std::size_t bytes : sizes(side)) {
      const auto size = static_cast<unsigned>(bytes);
      const Bytes content = pattern(bytes, size + static_cast<unsigned>(side.rank));
      TestRequest request;
      ASSERT_EQ(window.put(32, content, bytes, request), AVRM_OK) << side.ops->last_error(side.net);
      window.flush();
      EXPECT_EQ(request.completions, 1);
      EXPECT_EQ(request.status, AVRM_OK) << side.ops->last_error(side.net);
      side.barrier();
      const auto first = window.memory.begin() + 32;
      EXPECT_EQ(Bytes(first, first + static_cast<std::ptrdiff_t>(bytes)),
                pattern(bytes, size + static_cast<unsigned>(1 - side.rank)));
      side.barrier();
    }
    EXPECT_EQ(Bytes(window.memory.begin(), window.memory.begin() + 32), Bytes(32));
    EXPECT_EQ(Bytes(window.memory.end() - 32, window.memory.end()), Bytes(32));
  });
}

TEST_P(OfiRma, AFlushWaitsForManyPuts) {
  run([](Side &side) {
    constexpr std::size_t kPuts = 300;
    Window window(side, kPuts * 100);
    const Bytes content = pattern(kPuts * 100, static_cast<unsigned>(side.rank));
    std::vector<TestRequest> requests(kPuts);
    std::vector<Bytes> parts;
    for (std::size_t i = 0; i < kPuts; ++i) {
      const auto first = content.begin() + static_cast<std::ptrdiff_t>(i * 100);
      parts.emplace_back(first, first + 100);
      ASSERT_EQ(window.put(i * 100, parts.back(), 100, requests[i]), AVRM_OK);
    }
    window.flush();
    EXPECT_TRUE(std::all_of(requests.begin(), requests.end(), [](const TestRequest &r) { return r.completions == 1; }));
    side.barrier();
    EXPECT_EQ(window.memory, pattern(kPuts * 100, static_cast<unsigned>(1 - side.rank)));
    side.barrier();
  });
}

TEST_P(OfiRma, GetsBringThePeersMemory) {
  run([](Side &side) {
    EXPECT_TRUE(side.net->capabilities & AVRM_NETMOD_GET);
    Window window(side, 1048576 + 64);
    const Bytes own = pattern(window.memory.size(), static_cast<unsigned>(side.rank));
    std::copy(own.begin(), own.end(), window.memory.begin());
    side.barrier();
    const Bytes theirs = pattern(window.memory.size(), static_cast<unsigned>(1 - side.rank));
    for (const std::size_t bytes : sizes(side)) {
      Bytes buffer(bytes);
      TestRequest request;
      ASSERT_EQ(window.get(3, buffer, bytes, request), AVRM_OK) << side.ops->last_error(side.net);
      side.wait(request);
      EXPECT_EQ(request.status, AVRM_OK);
      EXPECT_EQ(request.bytes, bytes);
      EXPECT_TRUE(std::equal(buffer.begin(), buffer.end(), theirs.begin() + 3)) << bytes;
    }
    side.barrier();
  });
}

TEST_P(OfiRma, LongPutsAndGetsGoInParts) {
  run([](Side &side) {
    transport_of(side.net).part_max = 1000;
    Window window(side, 10001);
    const Bytes content = pattern(10001, static_cast<unsigned>(side.rank));
    Bytes back(10001);
    TestRequest request;
    ASSERT_EQ(window.put(0, content, 10001, request), AVRM_OK);
    window.flush();
    EXPECT_EQ(request.completions, 1);
    TestRequest got;
    ASSERT_EQ(window.get(0, back, 10001, got), AVRM_OK);
    side.wait(got);
    EXPECT_EQ(got.bytes, 10001u);
    EXPECT_EQ(back, content);
    side.barrier();
  });
}

TEST_P(OfiRma, NoFurtherPartIsFetchedFromAPeerThatFailed) {
  run([](Side &side) {
    transport_of(side.net).part_max = 1000;
    Window window(side, 10000);
    std::fill(window.memory.begin(), window.memory.end(), 1);
    side.barrier();
    Bytes got(10000);
    TestRequest request;
    ASSERT_EQ(window.get(0, got, got.size(), request), AVRM_OK);
    side.ops->peer_failed(side.net, side.peer);
    side.wait(request);
    EXPECT_EQ(request.status, AVRM_ERR_PEER);
    side.barrier();
    EXPECT_TRUE(std::all_of(got.begin() + 1000, got.end(), [](unsigned char byte) { return byte == 0; }));
  });
}

TEST_P(OfiRma, AccessToMemoryOfNoBytesMovesNone) {
  run([](Side &side) {
    Window empty(side, 0);
    TestRequest request;
    EXPECT_EQ(empty.put(0, Bytes(1), 0, request), AVRM_OK);
    EXPECT_EQ(request.completions, 1);
    side.barrier();
  });
}

TEST_P(OfiRma, AFlushOfAllPeersWaitsForPutsAndInjectedOnes) {
  run([](Side &side) {
    constexpr std::size_t kPart = 4096;
    Window window(side, 2 * kPart);
    const Bytes content = pattern(kPart, static_cast<unsigned>(side.rank));
    TestRequest put;
    ASSERT_EQ(window.put(0, content, kPart, put), AVRM_OK);
    const bool injects = (side.net->capabilities & AVRM_NETMOD_PUT_INJECT) != 0;
    if (injects) {
      ASSERT_EQ(side.insist([&] {
        return side.ops->put_inject(side.net, content.data(), 8, side.peer, window.remote + kPart, window.key);
      }),
                AVRM_OK);
    }
    TestRequest flushed;
    ASSERT_EQ(side.insist([&] { return side.ops->flush(side.net, AVRM_ANY_ADDRESS, &flushed); }), AVRM_OK);
    side.wait(flushed);
    EXPECT_EQ(flushed.status, AVRM_OK);
    EXPECT_EQ(put.completions, 1);
    side.barrier();
    Bytes expected = pattern(kPart, static_cast<unsigned>(1 - side.rank));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), window.memory.begin()));
    EXPECT_TRUE(!injects || std::equal(expected.begin(), expected.begin() + 8, window.memory.begin() + kPart));
    side.barrier();
  });
}

// Keys of registered memory, unless the provider chooses them.
class RegisteredKey {
public:
  RegisteredKey(Side &side, std::uint64_t wish) : side_(side) {
    EXPECT_EQ(side.ops->memory_register(side.net, bytes_, sizeof bytes_, wish, &memory_), AVRM_OK);
    std::uint64_t remote = 0;
    EXPECT_EQ(side.ops->memory_values(side.net, memory_, &remote, &key), AVRM_OK);
  }
  RegisteredKey(const RegisteredKey &) = delete;
  RegisteredKey &operator=(const RegisteredKey &) = delete;
  ~RegisteredKey() { side_.ops->memory_release(side_.net, memory_); }

  std::uint64_t key = 0;

private:
  Side &side_;
  unsigned char bytes_[64] = {};
  avrm_netmod_memory_t *memory_ = nullptr;
};

TEST_P(OfiRma, KeysAreDrawnAtRandom) {
  run([](Side &side) {
    const RegisteredKey one(side, 0);
    const RegisteredKey other(side, 0);
    EXPECT_NE(one.key, other.key);
    const auto &net = transport_of(side.net);
    if (!net.provider.wants(FI_MR_PROV_KEY) && net.provider.info->domain_attr->mr_key_size >= 8) {
      EXPECT_GT(one.key | other.key, std::uint64_t{1} << 32); // false once in 2^64 runs
    }
    side.barrier();
  });
}

TEST_P(OfiRma, TheCallersKeyIsTakenUnlessItIsInUse) {
  run([](Side &side) {
    const auto &net = transport_of(side.net);
    if (!net.provider.wants(FI_MR_PROV_KEY)) {
      constexpr std::uint64_t kWish = 0x1122334455667788u;
      const RegisteredKey first(side, kWish);
      const RegisteredKey second(side, kWish);
      EXPECT_EQ(first.key, detail::ofi::key_within(kWish, net.provider.info->domain_attr->mr_key_size));
      EXPECT_NE(second.key, first.key);
    }
    side.barrier();
  });
}

TEST(OfiKeys, HaveAsManyBytesAsTheProviderHasRoomFor) {
  constexpr std::uint64_t kKey = 0x1122334455667788u;
  EXPECT_EQ(detail::ofi::key_within(kKey, 8), kKey);
  EXPECT_EQ(detail::ofi::key_within(kKey, 4), 0x55667788u);
  EXPECT_EQ(detail::ofi::key_within(kKey, 1), 0x88u);
  EXPECT_EQ(detail::ofi::key_within(kKey, 0), 0u);
}

// Puts and gets of both sides, over memory that is registered now.
void put_and_get(Side &side) {
  Window window(side, 5000);
  const auto own = static_cast<unsigned>(side.rank);
  const Bytes content = pattern(5000, own);
  TestRequest request;
  ASSERT_EQ(window.put(0, content, 5000, request), AVRM_OK) << side.ops->last_error(side.net);
  window.flush();
  side.barrier();
  EXPECT_EQ(window.memory, pattern(5000, 1 - own));
  Bytes buffer(5000);
  TestRequest got;
  ASSERT_EQ(window.get(0, buffer, 5000, got), AVRM_OK);
  side.wait(got);
  EXPECT_EQ(got.status, AVRM_OK);
  EXPECT_EQ(buffer, content); // which the peer has
  side.barrier();
}

TEST_P(OfiRma, KeysThatTheProviderChoosesAreTaken) {
  run([](Side &side) {
    const auto &net = transport_of(side.net);
    const bool simulated = !net.provider.wants(FI_MR_PROV_KEY);
    Registrar registrar(side.net, FI_MR_PROV_KEY, 8);
    put_and_get(side);
    for (const std::uint64_t wish : {0, 77}) {
      const RegisteredKey chosen(side, wish);
      EXPECT_TRUE(!simulated || chosen.key == registrar.last_key);
    }
    side.barrier();
  });
}

TEST_P(OfiRma, MemoryIsBoundToItsEndpointWhereThatIsWanted) {
  run([](Side &side) {
    Registrar registrar(side.net, FI_MR_ENDPOINT, 8);
    put_and_get(side);
    EXPECT_EQ(registrar.registered, 1);
    EXPECT_EQ(registrar.bound, 1);
    EXPECT_EQ(registrar.enabled, 1);
    registrar.refuses_to_bind = true;
    unsigned char bytes[64] = {};
    avrm_netmod_memory_t *memory = nullptr;
    EXPECT_NE(side.ops->memory_register(side.net, bytes, sizeof bytes, 0, &memory), AVRM_OK);
    EXPECT_EQ(memory, nullptr);
    side.barrier();
  });
}

TEST_P(OfiRma, KeysOfFourBytesAreDrawnAndTaken) {
  run([](Side &side) {
    const auto &net = transport_of(side.net);
    if (net.provider.wants(FI_MR_PROV_KEY)) {
      side.barrier();
      return;
    }
    Registrar registrar(side.net, 0, 4);
    put_and_get(side);
    const RegisteredKey drawn(side, 0);
    const RegisteredKey wish(side, 0x1122334455667788u);
    EXPECT_EQ(drawn.key >> 32, 0U);
    EXPECT_EQ(wish.key, 0x55667788U);
    side.barrier();
  });
}

TEST_P(OfiRma, LocalBuffersAreRegisteredWhereThatIsWanted) {
  run([](Side &side) {
    // As a provider with FI_MR_LOCAL sets it.
    transport_of(side.net).registers_local = true;
    for (const std::size_t bytes : {0u, 8u, 20000u}) {
      exchange_pieces(side, bytes == 0 ? 1 : bytes);
    }
    Window window(side, 5000);
    const Bytes content = pattern(5000, static_cast<unsigned>(side.rank));
    TestRequest request;
    ASSERT_EQ(window.put(0, content, 5000, request), AVRM_OK);
    window.flush();
    side.barrier();
    EXPECT_EQ(window.memory, pattern(5000, static_cast<unsigned>(1 - side.rank)));
    side.barrier();
  });
}

} // namespace
} // namespace avrankmap::test
