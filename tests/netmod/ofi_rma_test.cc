// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and memory registration of the libfabric netmod between two processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ofi/transport.h"
#include "tests/netmod/ofi_fixture.h"

namespace avrankmap::test {
namespace {

using detail::ofi::Transport;

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
    static_cast<Transport *>(side.net)->part_max = 1000;
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

TEST_P(OfiRma, AccessOutsideThePeersMemoryIsRefused) {
  run([](Side &side) {
    Window window(side, 100);
    Window empty(side, 0);
    Bytes buffer(200);
    TestRequest request;
    EXPECT_EQ(window.put(1, buffer, 100, request), AVRM_ERR_SIZE);
    EXPECT_EQ(window.get(UINT64_MAX, buffer, 2, request), AVRM_ERR_SIZE);
    EXPECT_EQ(empty.put(0, buffer, 1, request), AVRM_ERR_SIZE);
    EXPECT_EQ(request.completions, 0);
    EXPECT_EQ(empty.put(0, buffer, 0, request), AVRM_OK);
    EXPECT_EQ(request.completions, 1);
    side.barrier();
  });
}

TEST_P(OfiRma, LocalBuffersAreRegisteredWhereThatIsWanted) {
  run([](Side &side) {
    // As a provider with FI_MR_LOCAL sets it.
    static_cast<Transport *>(side.net)->registers_local = true;
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
