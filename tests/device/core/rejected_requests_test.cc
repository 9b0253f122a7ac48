// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-sided operations by active messages that their target rejects together, for lack of memory.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "rma/by_active.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;

constexpr std::int32_t kTarget = 50;
constexpr std::size_t kPieces = 3; // of an operation

// Process 0 of 100, with a window of which it knows the part of process 50. The test answers.
class RejectedRequests : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(member_.open(&hooks_), AVRM_OK);
    avrm_device_t *const device = member_.device();
    bytes_ = kPieces * detail::active_payload_max(device);
    data_.resize(bytes_);
    ASSERT_EQ(
        detail::make_window(device->world, detail::next_window_id(device->world), {nullptr, 0, nullptr, 0}, &window_),
        AVRM_OK);
    detail::open_window(window_);
    detail::Memory &memory = device->instance->memory;
    target_ = new (memory.allocate(sizeof *target_, alignof(detail::Target), AVRM_MEM_COMM)) detail::Target;
    target_->rank = kTarget;
    target_->process = {0, kTarget};
    target_->state = detail::Target::State::kReady;
    target_->bytes = 10 * bytes_;
    ASSERT_EQ(detail::route_to(device, target_->process, &target_->route), AVRM_OK);
    ASSERT_TRUE(window_->targets.insert(kTarget, target_));
    outbox_ = std::make_unique<Outbox>(device);
  }
  void TearDown() override {
    EXPECT_EQ(member_.reports(), 0);
    outbox_ = nullptr;
    EXPECT_EQ(avrm_window_free(window_), AVRM_OK);
    EXPECT_EQ(member_.close(), AVRM_OK);
  }

  detail::Data origin() { return detail::contiguous(detail::address_of(data_.data()), bytes_); }
  avrm_request_t *get() {
    avrm_request_t *request = nullptr;
    EXPECT_EQ(detail::get_by_active(window_, target_, origin(), detail::contiguous(0, bytes_), &request), AVRM_OK);
    return request;
  }
  avrm_request_t *put(detail::PutEnd end) {
    avrm_request_t *request = nullptr;
    EXPECT_EQ(detail::put_by_active(window_, target_, origin(), detail::contiguous(0, bytes_), end, &request), AVRM_OK);
    return request;
  }
  [[nodiscard]] std::uint64_t token_of(const avrm_request_t *request) const {
    return static_cast<const detail::Request *>(request)->match;
  }
  // An answer of the target arrives.
  void answer(ActiveHeader header, ActiveType type) {
    header.type = type;
    header.sender = kTarget;
    header.window = window_->id;
    header.secret = LoneMember::secret();
    std::vector<unsigned char> message(sizeof header + (type == ActiveType::kGetData ? header.bytes : 0));
    std::memcpy(message.data(), &header, sizeof header);
    EXPECT_TRUE(detail::on_active(member_.device(), message.data(), message.size()));
  }
  // The target answers that many of the messages that it was sent.
  void serve(std::size_t first, std::size_t count, ActiveType type) {
    for (std::size_t i = first; i < first + count; ++i) {
      answer(outbox_->sent[i].header, type);
    }
  }
  // Expects that a request has completed with this status.
  void expect_end(avrm_request_t *request, avrm_status_t status) {
    bool is_done = false;
    avrm_outcome_t outcome{};
    ASSERT_EQ(avrm_test(&request, &is_done, &outcome), AVRM_OK);
    EXPECT_TRUE(is_done);
    EXPECT_EQ(outcome.status, status);
  }

  CountingAllocator books_;
  avrm_allocator_t hooks_ = books_.hooks();
  LoneMember member_{100};
  avrm_window_t *window_ = nullptr;
  detail::Target *target_ = nullptr;
  std::unique_ptr<Outbox> outbox_;
  std::size_t bytes_ = 0;
  std::vector<unsigned char> data_;
};

TEST_F(RejectedRequests, EndWithoutMemory) {
  avrm_request_t *const first = get();
  avrm_request_t *const second = put(detail::PutEnd::kVisible);
  avrm_request_t *const third = get();
  ActiveHeader rejection{};
  rejection.token = token_of(first);
  rejection.position = token_of(third);
  rejection.bytes = kPieces;
  answer(rejection, ActiveType::kRefusedAll);
  for (avrm_request_t *request : {first, second, third}) {
    expect_end(request, AVRM_ERR_NO_MEMORY);
  }
}

// The target took the first piece, and takes the last one after it has sent the rejection.
TEST_F(RejectedRequests, EndOnceTheirOtherPiecesAreAnswered) {
  avrm_request_t *request = get();
  serve(0, 1, ActiveType::kGetData);
  ActiveHeader rejection{};
  rejection.token = rejection.position = token_of(request);
  rejection.bytes = 1;
  answer(rejection, ActiveType::kRefusedAll);
  EXPECT_EQ(request->done, 0U);
  serve(2, 1, ActiveType::kGetData);
  expect_end(request, AVRM_ERR_NO_MEMORY);
}

TEST_F(RejectedRequests, LeaveOthersAsTheyAre) {
  avrm_request_t *const before = get();
  avrm_request_t *const rejected = get();
  avrm_request_t *const later = get();
  ActiveHeader rejection{};
  rejection.token = rejection.position = token_of(rejected);
  rejection.bytes = kPieces;
  answer(rejection, ActiveType::kRefusedAll);
  expect_end(rejected, AVRM_ERR_NO_MEMORY);
  serve(0, kPieces, ActiveType::kGetData);
  expect_end(before, AVRM_OK);
  serve(2 * kPieces, kPieces, ActiveType::kGetData);
  expect_end(later, AVRM_OK);
}

TEST_F(RejectedRequests, ThatHaveNoRequestAreAnErrorOfTheFlush) {
  EXPECT_EQ(put(detail::PutEnd::kBufferFree), nullptr);
  EXPECT_EQ(target_->unacknowledged, kPieces);
  ActiveHeader rejection{};
  rejection.offset = 2;
  answer(rejection, ActiveType::kRefusedAll);
  EXPECT_EQ(target_->unacknowledged, kPieces - 2);
  serve(2, 1, ActiveType::kPutDone);
  EXPECT_EQ(avrm_flush(window_, kTarget), AVRM_ERR_NO_MEMORY);
  EXPECT_EQ(avrm_flush(window_, kTarget), AVRM_OK);
}

TEST_F(RejectedRequests, ForAPartMayBeRepeated) {
  target_->state = detail::Target::State::kAsked;
  ActiveHeader rejection{};
  rejection.block = 1;
  answer(rejection, ActiveType::kRefusedAll);
  EXPECT_EQ(target_->state, detail::Target::State::kPutOff);
}

// Otherwise they take the room that the answers need, for which the other process waits.
TEST_F(RejectedRequests, AreSentAfterAnswersThatWait) {
  ActiveHeader question{};
  question.block = question.pitch = question.bytes = 1; // outside the window
  outbox_->refusals = 2;
  answer(question, ActiveType::kGet);
  avrm_request_t *const request = get();
  ASSERT_EQ(outbox_->sent.size(), 1 + kPieces);
  EXPECT_EQ(outbox_->sent[0].header.type, ActiveType::kRefused);
  serve(1, kPieces, ActiveType::kGetData);
  expect_end(request, AVRM_OK);
}

} // namespace
} // namespace avrankmap::test
