// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Acknowledgements of synchronous messages whose senders cannot be reached at first.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "core/communicator.h"
#include "core/peers/connect.h"
#include "core/progress/progress.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

// Process 0 of 100, over a network whose messages the test delivers.
class Acknowledgements : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(member_.open(), AVRM_OK);
    avrm_device_t *const device = member_.device();
    table_ = *device->net->ops;
    table_.trecv = [](avrm_netmod_t *, std::uint64_t, std::uint64_t, std::uint64_t, const avrm_piece_t *, std::size_t,
                      avrm_request_t *) { return AVRM_OK; };
    before_ = std::exchange(device->net->ops, &table_);
    outbox_ = std::make_unique<Outbox>(device);
  }
  void TearDown() override {
    outbox_ = nullptr;
    member_.device()->net->ops = before_;
    EXPECT_EQ(member_.close(), AVRM_OK);
  }

  // Receives a synchronous message, whose acknowledgement is still to be sent. Connects `asked`.
  avrm_request_t *receive_from(std::int32_t source, std::int32_t asked = AVRM_ANY_SOURCE) {
    avrm_comm_t *const world = member_.device()->world;
    avrm_request_t *request = nullptr;
    EXPECT_EQ(avrm_irecv(world, nullptr, 0, asked, 3, &request), AVRM_OK);
    const std::uint64_t match = world->context_match | detail::MatchBits::of_source(source) | 3 | AVRM_MATCH_SYNC;
    request->complete(request, AVRM_OK, match, 0);
    return request;
  }
  bool is_received(avrm_request_t **request) {
    bool done = false;
    EXPECT_EQ(avrm_test(request, &done, nullptr), AVRM_OK);
    return done;
  }
  bool is_received_soon(avrm_request_t **request) {
    bool done = false;
    for (int i = 0; i < 400 && !done; ++i) {
      usleep(5000);
      done = is_received(request);
    }
    return done;
  }

  LoneMember member_{100};
  avrm_netmod_ops_t table_{};
  const avrm_netmod_ops_t *before_ = nullptr;
  std::unique_ptr<Outbox> outbox_;
};

TEST_F(Acknowledgements, AreSentAtOnce) {
  avrm_request_t *request = receive_from(50);
  EXPECT_TRUE(is_received(&request));
  ASSERT_EQ(outbox_->sent.size(), 1U);
  EXPECT_EQ(outbox_->sent[0].header.type, detail::ActiveType::kMatched);
}

// Each attempt may call the launcher, and is reported if it fails.
TEST_F(Acknowledgements, ConnectUnreachableSendersNowAndThen) {
  constexpr int kReceives = 5;
  outbox_->insert_status = AVRM_ERR_NO_MEMORY;
  avrm_request_t *requests[kReceives];
  for (int i = 0; i < kReceives; ++i) {
    requests[i] = receive_from(50 + i % 2);
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(is_received(&requests[i % kReceives]));
  }
  EXPECT_LE(outbox_->inserts,
            kReceives + 1 + (std::chrono::steady_clock::now() - start) / std::chrono::milliseconds(100));
  outbox_->insert_status = AVRM_OK;
  for (avrm_request_t *&request : requests) {
    EXPECT_TRUE(is_received_soon(&request));
  }
  EXPECT_EQ(outbox_->sent.size(), static_cast<std::size_t>(kReceives));
}

TEST_F(Acknowledgements, AreKeptWhileTheNetworkFails) {
  for (const bool is_connected : {false, true}) {
    (is_connected ? outbox_->status : outbox_->insert_status) = AVRM_ERR_TRANSPORT;
    avrm_request_t *request = receive_from(50);
    const int reports = member_.reports();
    for (int i = 0; i < 10; ++i) {
      ASSERT_FALSE(is_received(&request));
    }
    EXPECT_GT(member_.reports(), reports);
    outbox_->status = outbox_->insert_status = AVRM_OK;
    EXPECT_TRUE(is_received_soon(&request));
  }
  EXPECT_EQ(outbox_->sent.size(), 2U);
}

TEST_F(Acknowledgements, ToUnreachableSendersDelayNoOthers) {
  avrm_request_t *request = receive_from(51);
  ASSERT_TRUE(is_received(&request)); // connects
  outbox_->insert_status = AVRM_ERR_NO_MEMORY;
  avrm_request_t *late = receive_from(50);
  ASSERT_FALSE(is_received(&late));
  request = receive_from(51);
  EXPECT_TRUE(is_received(&request));
  outbox_->insert_status = AVRM_OK;
  EXPECT_TRUE(is_received_soon(&late));
}

// Each call of progress tries few of them.
TEST_F(Acknowledgements, ToStoppedSendersDelayNoOthers) {
  constexpr std::size_t kStopped = 1000;
  std::vector<avrm_request_t *> requests;
  for (std::size_t i = 0; i < kStopped; ++i) {
    requests.push_back(receive_from(50, 50));
  }
  avrm_request_t *other = receive_from(51, 51);
  detail::Route route{};
  ASSERT_EQ(detail::route_to(member_.device(), {detail::kOwnWorld, 51}, &route), AVRM_OK);
  outbox_->stopped = route.handle; // 50 was connected before
  bool done = false;
  for (std::size_t polls = 0; polls < kStopped && !done; ++polls) {
    const int before = outbox_->attempts;
    done = is_received(&other);
    ASSERT_LT(outbox_->attempts - before, 20);
  }
  EXPECT_TRUE(done);
  outbox_->stopped = 0;
  for (avrm_request_t *&request : requests) {
    EXPECT_TRUE(is_received(&request));
  }
  EXPECT_EQ(outbox_->sent.size(), kStopped + 1);
}

TEST_F(Acknowledgements, ToProcessesThatFailAreGivenUp) {
  outbox_->insert_status = AVRM_ERR_TRANSPORT;
  avrm_request_t *request = receive_from(50);
  ASSERT_FALSE(is_received(&request));
  member_.device()->failure_detector.lost(member_.device(), 50);
  EXPECT_TRUE(is_received_soon(&request));
  EXPECT_TRUE(outbox_->sent.empty());
}

} // namespace
} // namespace avrankmap::test
