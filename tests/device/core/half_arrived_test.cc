// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A receive from any source that the netmod cannot cancel, since its message has begun to arrive.
// Its sender may be stopped, or have died unnoticed, which must not stop this process.
#include <unistd.h>

#include "avrankmap/device/request.h"
#include "core/device.h"
#include "tests/device/core/synthetic_job.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kSelf = 0;
constexpr std::int32_t kSender = 2;
constexpr int kTag = 3;

class HalfArrived : public testing::Test {
protected:
  void SetUp() override {
    alarm(60); // a test that hangs ends
    job_.open();
    avrm_device_t *const device = job_.device();
    ops_ = *device->net->ops;
    ops_.trecv = [](avrm_netmod_t *, std::uint64_t, std::uint64_t, std::uint64_t, const avrm_piece_t *, std::size_t,
                    avrm_request_t *request) {
      at_net = request;
      return AVRM_OK;
    };
    ops_.cancel = [](avrm_netmod_t *, avrm_request_t *) {};
    before_ = std::exchange(device->net->ops, &ops_);
    device->receives_from_net = true;
    ASSERT_EQ(avrm_irecv(job_.world(), &in_, sizeof in_, AVRM_ANY_SOURCE, kTag, &receive_), AVRM_OK);
    ASSERT_NE(at_net, nullptr);
  }
  void TearDown() override {
    job_.device()->receives_from_net = false;
    job_.device()->net->ops = before_;
    job_.close();
    alarm(0);
  }

  void send_to_self(int number) {
    avrm_request_t *sent = nullptr;
    ASSERT_EQ(avrm_isend(job_.world(), &number, sizeof number, kSelf, kTag, &sent), AVRM_OK);
    ASSERT_EQ(avrm_wait(&sent, nullptr), AVRM_OK);
  }
  // Receives the message from this process by another receive.
  int receive_from_self() {
    int number = 0;
    avrm_request_t *received = nullptr;
    EXPECT_EQ(avrm_irecv(job_.world(), &number, sizeof number, kSelf, kTag, &received), AVRM_OK);
    EXPECT_EQ(avrm_wait(&received, nullptr), AVRM_OK);
    return number;
  }
  // The netmod completes the receive.
  static void end(avrm_status_t status, std::uint64_t match) { at_net->complete(at_net, status, match, sizeof(int)); }
  void end_with_message() {
    in_ = 5;
    end(AVRM_OK, job_.world()->context_match | detail::MatchBits::of_source(kSender) | kTag);
  }
  bool is_done() {
    bool done = false;
    status_ = avrm_test(&receive_, &done, &outcome_);
    return done;
  }

  static inline avrm_request_t *at_net = nullptr;
  Job job_{4, AVRM_DEVICE_AV_TABLE, nullptr};
  avrm_netmod_ops_t ops_{};
  const avrm_netmod_ops_t *before_ = nullptr;
  int in_ = 0;
  avrm_request_t *receive_ = nullptr;
  avrm_status_t status_ = AVRM_OK;
  avrm_outcome_t outcome_{};
};

TEST_F(HalfArrived, MessagesLeaveOthersToOtherReceives) {
  send_to_self(7);
  EXPECT_FALSE(is_done());
  EXPECT_EQ(receive_from_self(), 7);
  EXPECT_FALSE(is_done());
  end_with_message();
  ASSERT_TRUE(is_done());
  EXPECT_EQ(outcome_.status, AVRM_OK);
  EXPECT_EQ(outcome_.source, kSender);
  EXPECT_EQ(in_, 5);
}

TEST_F(HalfArrived, MessagesThatAreCancelledLateMakeRoomForThoseThatWait) {
  send_to_self(7);
  end(AVRM_ERR_CANCELLED, 0);
  ASSERT_TRUE(is_done());
  EXPECT_EQ(outcome_.source, kSelf);
  EXPECT_EQ(in_, 7);
}

TEST_F(HalfArrived, MessagesThatAreCancelledLateMakeRoomForLaterOnes) {
  send_to_self(7);
  EXPECT_EQ(receive_from_self(), 7);
  end(AVRM_ERR_CANCELLED, 0);
  EXPECT_FALSE(is_done());
  send_to_self(8);
  ASSERT_TRUE(is_done());
  EXPECT_EQ(in_, 8);
}

TEST_F(HalfArrived, MessagesDoNotDelayACancel) {
  ASSERT_EQ(avrm_cancel(receive_), AVRM_OK);
  EXPECT_FALSE(is_done());
  end_with_message();
  ASSERT_TRUE(is_done());
  EXPECT_EQ(outcome_.status, AVRM_OK);
}

TEST_F(HalfArrived, ACancelEndsAReceiveThatLeftAMessageToOthers) {
  send_to_self(7);
  ASSERT_EQ(avrm_cancel(receive_), AVRM_OK);
  end(AVRM_ERR_CANCELLED, 0);
  ASSERT_TRUE(is_done());
  EXPECT_EQ(outcome_.status, AVRM_ERR_CANCELLED);
  EXPECT_EQ(receive_from_self(), 7);
}

} // namespace
} // namespace avrankmap::test
