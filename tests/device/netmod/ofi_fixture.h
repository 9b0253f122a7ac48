// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of the libfabric netmod over every provider of this machine, in two connected processes.
#ifndef AVRANKMAP_TESTS_NETMOD_OFI_FIXTURE_H
#define AVRANKMAP_TESTS_NETMOD_OFI_FIXTURE_H

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "ofi/provider.h"
#include "tests/device/core/process.h"
#include "tests/device/netmod/ofi_pair.h"
#include "tests/support/before_forking.h"

namespace avrankmap::test {

inline std::vector<Transport> ofi_providers() {
  return transports_of(Suites::kNetmod,
                       [](const Transport &transport) { return is_ofi(transport) && is_network_alone(transport); });
}

inline constexpr std::uint64_t kMatch = 0x0012345000056789u;

class OfiNetmod : public testing::TestWithParam<Transport> {
protected:
  // Runs `body` in two connected processes, whose netmods use the allocator, if one is given.
  // Expects that both end well, or as `codes` say.
  static void run(const std::function<void(Side &)> &body, const std::vector<int> &codes = {0, 0},
                  const avrm_allocator_t *allocator = nullptr) {
    const char *const provider = GetParam().provider;
    initialize_libfabric();
    const bool all_live = codes == std::vector<int>{0, 0};
    const std::vector<int> ended = run_processes(2, [provider, &body, all_live, allocator](Side &side) {
      if (std::string(provider) == "net" && __lsan_disable != nullptr) {
        __lsan_disable(); // this provider loses 24 bytes of its own per connection
      }
      if (const avrm_status_t status = side.open(provider, allocator); status != AVRM_OK) {
        ASSERT_EQ(status, AVRM_ERR_UNSUPPORTED) << side.ops->last_error(nullptr);
        GTEST_SKIP();
      }
      side.connect();
      if (!testing::Test::HasFailure()) {
        body(side);
      }
      side.close();
      if (all_live) { // a dead peer's answers keep libfabric's objects busy
        EXPECT_EQ(detail::ofi::unclosed_objects.load(), 0);
      }
    });
    if (ended == std::vector<int>{kSkipped, kSkipped}) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(ended, codes);
  }
};

// 0, 1, small, both sides of the longest injected message, large.
inline std::vector<std::size_t> sizes(const Side &side) {
  return {0, 1, 8, 64, side.net->inject_max, side.net->inject_max + 1, 4096, 65536, 1048576};
}

// Waits until both processes are connected.
inline void connect_both_ways(Side &side) {
  Bytes greeting(1);
  TestRequest greeted;
  ASSERT_EQ(side.receive(kMatch, 0, greeting, greeted), AVRM_OK);
  ASSERT_EQ(side.inject(kMatch, greeting), AVRM_OK);
  side.wait(greeted);
  side.barrier();
}

// Sends until 200 consecutive messages were refused, or `most` accepted. Returns how many were
// accepted. `post(side)` sends one.
inline int flood(Side &side, int most, const std::function<avrm_status_t(Side &)> &post) {
  int accepted = 0;
  avrm_status_t status = AVRM_OK;
  for (int refused = 0; accepted < most && refused < 200 && (status == AVRM_OK || status == AVRM_ERR_AGAIN);) {
    status = post(side);
    accepted += status == AVRM_OK ? 1 : 0;
    refused = status == AVRM_OK ? 0 : refused + 1;
    if (refused != 0) {
      side.poll();
    }
  }
  EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_AGAIN) << avrm_status_name(status);
  return accepted;
}

// Sends and receives one message of several pieces, which differ between both ends.
inline void exchange_pieces(Side &side, std::size_t piece_bytes) {
  const std::size_t count = side.net->pieces_max;
  Bytes content = pattern(count * piece_bytes, static_cast<unsigned>(side.rank));
  Bytes buffer(count * piece_bytes);
  std::vector<avrm_piece_t> from;
  std::vector<avrm_piece_t> to;
  for (std::size_t i = 0; i < count; ++i) {
    from.push_back({content.data() + i * piece_bytes, piece_bytes});
  }
  to.push_back({buffer.data(), 1});
  to.push_back({buffer.data() + 1, buffer.size() - 1});
  TestRequest sent;
  TestRequest received;
  ASSERT_EQ(side.ops->trecv(side.net, AVRM_ANY_ADDRESS, kMatch, 0, to.data(), to.size(), &received), AVRM_OK);
  ASSERT_EQ(side.insist([&] { return side.ops->tsend(side.net, side.peer, kMatch, from.data(), count, &sent); }),
            AVRM_OK);
  side.wait(received);
  side.wait(sent);
  EXPECT_EQ(received.bytes, buffer.size());
  EXPECT_EQ(buffer, pattern(buffer.size(), static_cast<unsigned>(1 - side.rank)));
}

// Registered memory of both processes, opened by each other.
class Window {
public:
  Window(Side &side, std::size_t bytes) : memory(bytes), side_(side) {
    EXPECT_EQ(side.ops->memory_register(side.net, memory.data(), bytes, 0, &registered_), AVRM_OK)
        << side.ops->last_error(side.net);
    unsigned char text[AVRM_NETMOD_KEY_MAX];
    std::size_t text_bytes = sizeof text;
    EXPECT_EQ(side.ops->memory_describe(side.net, registered_, text, &text_bytes), AVRM_OK);
    const Bytes theirs = side.exchange(Bytes(text, text + text_bytes));
    EXPECT_EQ(side.ops->key_open(side.net, side.peer, theirs.data(), theirs.size(), &remote, &key), AVRM_OK);
  }
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;
  ~Window() {
    side_.ops->key_close(side_.net, key);
    side_.ops->memory_release(side_.net, registered_);
  }
  avrm_status_t put(std::uint64_t offset, const Bytes &from, std::size_t bytes, TestRequest &request) {
    return side_.insist(
        [&] { return side_.ops->put(side_.net, side_.peer, remote + offset, key, from.data(), bytes, &request); });
  }
  avrm_status_t get(std::uint64_t offset, Bytes &to, std::size_t bytes, TestRequest &request) {
    return side_.insist(
        [&] { return side_.ops->get(side_.net, side_.peer, remote + offset, key, to.data(), bytes, &request); });
  }
  void flush() {
    TestRequest request;
    EXPECT_EQ(side_.ops->flush(side_.net, side_.peer, &request), AVRM_OK);
    side_.wait(request);
    EXPECT_EQ(request.status, AVRM_OK);
  }

  Bytes memory;
  std::uint64_t remote = 0;
  std::uint64_t key = 0;

private:
  Side &side_;
  avrm_netmod_memory_t *registered_ = nullptr;
};

} // namespace avrankmap::test

#endif
