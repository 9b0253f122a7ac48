// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Peers that do not read leave the UCX netmod's buffers to others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "ucx/bounce.h"
#include "ucx_pair.h"

namespace avrankmap::test {

namespace {

using detail::ucx::Bounce;
using detail::ucx::BouncePool;

TEST(UcxBuffers, OneMoreIsForEachPeerOnceTheSharedOnesAreInUse) {
  constexpr std::size_t kShared = 4;
  constexpr std::uint64_t kStopped = 1000;
  BouncePool pool(64, kShared);
  std::vector<Bounce *> held;
  const auto take = [&](std::uint64_t receiver) {
    Bounce *const bounce = pool.has_room_for(receiver) ? pool.take(receiver) : nullptr;
    if (bounce != nullptr) {
      held.push_back(bounce);
    }
    return bounce != nullptr;
  };
  for (std::size_t i = 0; i < kShared; ++i) {
    ASSERT_TRUE(take(1));
  }
  for (std::uint64_t peer = 1; peer <= kStopped; ++peer) {
    ASSERT_TRUE(take(peer)) << peer;
    ASSERT_FALSE(take(peer)) << peer;
  }
  for (int i = 0; i < 3; ++i) { // to a peer that reads
    ASSERT_TRUE(take(kStopped + 1));
    ASSERT_FALSE(take(kStopped + 1));
    pool.give(held.back());
    held.pop_back();
  }
  EXPECT_FALSE(pool.has_shared());
  pool.give(held.front());
  EXPECT_TRUE(pool.has_room_for(1));
}

// Sends messages to a peer that does not read until none is accepted, and then one to itself.
class UcxFlood : public UcxPair {
protected:
  // `post(side, handle)` sends a message. `arrive(side, count)` returns once `count` have arrived.
  static void expect_room_for_others(const std::function<avrm_status_t(Side &, std::uint64_t)> &post,
                                     const std::function<void(Side &, std::uint64_t)> &arrive) {
    run(
        [&](Side &side) {
          side.connect_both_ways();
          const std::uint64_t self = insert_self(side);
          ASSERT_EQ(side.insist([&] { return post(side, self); }), AVRM_OK); // connects
          arrive(side, 1);
          const std::uint64_t accepted = flood(side, post);
          EXPECT_EQ(post(side, self), AVRM_OK);
          side.send_out(&accepted, sizeof accepted);
          side.barrier();
        },
        [&](Side &side) {
          side.connect_both_ways();
          const std::vector<unsigned char> told = side.receive_idle();
          std::uint64_t accepted = 0;
          ASSERT_EQ(told.size(), sizeof accepted);
          std::memcpy(&accepted, told.data(), sizeof accepted);
          arrive(side, accepted);
          side.barrier();
        });
  }
  // Sends messages to the peer until none is accepted. Returns their number.
  static std::uint64_t flood(Side &side, const std::function<avrm_status_t(Side &, std::uint64_t)> &post) {
    std::uint64_t accepted = 0;
    for (int refused = 0; accepted < kMany && refused < 200;) {
      const bool is_accepted = post(side, side.peer) == AVRM_OK;
      accepted += is_accepted ? 1 : 0;
      refused = is_accepted ? 0 : refused + 1;
      if (refused != 0) {
        side.progress();
      }
    }
    EXPECT_LT(accepted, kMany);
    return accepted;
  }
  static std::uint64_t insert_self(Side &side) {
    std::uint64_t self = 0;
    const std::vector<unsigned char> own = side.own_address();
    EXPECT_EQ(side.ops->insert(side.net, 1, own.data(), own.size(), own.size(), &self), AVRM_OK);
    return self;
  }
  static constexpr std::uint64_t kMany = 400000;
};

TEST_P(UcxFlood, OfActiveMessagesLeavesBuffersToOthers) {
  expect_room_for_others(
      [](Side &side, std::uint64_t handle) {
        const std::string message(8000, 'm');
        return side.ops->am_send(side.net, handle, message.data(), message.size(), nullptr, 0);
      },
      [](Side &side, std::uint64_t count) {
        while (side.messages.size() < count) {
          side.progress();
        }
      });
}

// Messages that do not fit into the queue of UCX's shared memory need buffers.
TEST_P(UcxFlood, OfInjectedMessagesLeavesBuffersToOthers) {
  ASSERT_EQ(setenv("UCX_MM_FIFO_ELEM_SIZE", "128", 1), 0);
  expect_room_for_others(
      [](Side &side, std::uint64_t handle) {
        const std::uint64_t data[16] = {};
        return side.ops->tinject(side.net, data, sizeof data, handle, 5);
      },
      [](Side &side, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
          std::uint64_t data[16] = {};
          TestRequest request;
          ASSERT_EQ(side.post_receive(5, 0, data, sizeof data, &request), AVRM_OK);
          side.wait(request);
        }
      });
  ASSERT_EQ(unsetenv("UCX_MM_FIFO_ELEM_SIZE"), 0);
}

// UCX emulates puts over TCP, where those to a peer that does not read need buffers.
class UcxPutFlood : public UcxFlood {
protected:
  // Puts `bytes` bytes.
  static void expect_room_for_others(std::size_t bytes) {
    run(
        [bytes](Side &side) {
          side.connect_both_ways();
          const Opened theirs = open_key(side);
          std::vector<unsigned char> window(128);
          avrm_netmod_memory_t *const memory = expose(side, window); // the other one ignores it
          const std::uint64_t self = insert_self(side);
          unsigned char description[AVRM_NETMOD_KEY_MAX];
          std::size_t described = sizeof description;
          ASSERT_EQ(side.ops->memory_describe(side.net, memory, description, &described), AVRM_OK);
          Opened own;
          ASSERT_EQ(side.ops->key_open(side.net, self, description, described, &own.remote, &own.key), AVRM_OK);
          const std::vector<unsigned char> data = pattern(128, 3);
          const auto put = [&](Side &from, std::uint64_t handle) {
            const Opened &to = handle == self ? own : theirs;
            return from.ops->put_inject(from.net, data.data(), bytes, handle, to.remote, to.key);
          };
          const auto flush = [&](std::uint64_t handle) {
            TestRequest flushed;
            ASSERT_EQ(side.insist([&] { return side.ops->flush(side.net, handle, &flushed); }), AVRM_OK);
            side.wait(flushed);
          };
          ASSERT_EQ(side.insist([&] { return put(side, self); }), AVRM_OK); // connects
          flush(self);
          (void)flood(side, put);
          std::fill(window.begin(), window.end(), static_cast<unsigned char>(0));
          for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(put(side, self), AVRM_OK);
            flush(self);
          }
          EXPECT_TRUE(std::equal(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(bytes), data.begin()));
          side.send_out("m", 1);
          flush(side.peer);
          for (int i = 0; i < 2000; ++i) { // more than there are buffers
            ASSERT_EQ(side.insist([&] { return put(side, side.peer); }), AVRM_OK);
          }
          flush(side.peer);
          side.ops->key_close(side.net, own.key);
          side.ops->key_close(side.net, theirs.key);
          side.ops->memory_release(side.net, memory);
          side.barrier();
        },
        [bytes](Side &side) {
          side.connect_both_ways();
          std::vector<unsigned char> window(128);
          avrm_netmod_memory_t *const memory = expose(side, window);
          (void)side.receive();
          (void)side.receive_idle(); // reads nothing until then
          side.barrier();
          const std::vector<unsigned char> data = pattern(128, 3);
          EXPECT_TRUE(std::equal(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(bytes), data.begin()));
          side.ops->memory_release(side.net, memory);
        });
  }
};

TEST_P(UcxPutFlood, OfAFewBytesLeavesBuffersToOthers) { expect_room_for_others(8); }
TEST_P(UcxPutFlood, OfMoreBytesLeavesBuffersToOthers) { expect_room_for_others(128); }

INSTANTIATE_TEST_SUITE_P(Transports, UcxFlood, testing::ValuesIn(ucx_transports()), kByName);
INSTANTIATE_TEST_SUITE_P(Transports, UcxPutFlood, testing::Values(transport_named("ucx_tcp")), kByName);

} // namespace

} // namespace avrankmap::test
