// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages that arrive while memory is lacking: none is taken whose answer would be lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "avrankmap/device/atomics.h"
#include "rma/window.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;

// Process 0 of 100 over the null netmod. It refuses messages about a window that it does not have.
class ActiveMessages : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(member_.open(&hooks_), AVRM_OK); }
  void TearDown() override { EXPECT_EQ(member_.close(), AVRM_OK); }

  // A message of process 50 arrives. Returns false if it is to be offered again.
  bool arrives(ActiveType type, std::uint64_t token) {
    ActiveHeader header{};
    header.type = type;
    header.sender = 50;
    header.window = 7;
    header.token = token;
    header.secret = LoneMember::secret();
    return detail::on_active(member_.device(), &header, sizeof header);
  }
  // One that adds to the first number of a window and fetches it.
  bool adds(std::uint64_t window, std::uint64_t number) {
    struct {
      ActiveHeader header;
      std::uint64_t operand;
    } message{};
    message.header.type = ActiveType::kFetchAtomic;
    message.header.sender = 50;
    message.header.window = window;
    message.header.bytes = sizeof number;
    message.header.block = AVRM_OP_SUM;
    message.header.pitch = AVRM_UINT64;
    message.header.secret = LoneMember::secret();
    message.operand = number;
    return detail::on_active(member_.device(), &message, sizeof message);
  }

  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{100};
};

TEST_F(ActiveMessages, AreTakenWhenTheirAnswersCanBeKept) {
  constexpr std::uint64_t kMessages = 40;
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  ASSERT_TRUE(arrives(ActiveType::kPut, 0)); // connects
  ASSERT_EQ(outbox.sent.size(), 1U);
  outbox.status = AVRM_ERR_AGAIN;
  memory_.lacks = true;
  std::uint64_t next = 1;
  while (next < kMessages && arrives(ActiveType::kPut, next)) {
    ++next;
  }
  EXPECT_EQ(next, 17U) << "16 need no memory";
  outbox.status = AVRM_OK;
  for (; device->deferred.flush(device) != 0 || next < kMessages; ++next) {
    ASSERT_TRUE(arrives(ActiveType::kPut, next));
  }
  ASSERT_EQ(outbox.sent.size(), next);
  for (std::uint64_t i = 0; i < next; ++i) {
    EXPECT_EQ(outbox.sent[i].header.type, ActiveType::kRefused);
    EXPECT_EQ(outbox.sent[i].header.token, i);
  }
  EXPECT_EQ(member_.reports(), 0);
}

TEST_F(ActiveMessages, AreTakenWithoutLimitWhileThereIsMemory) {
  Outbox outbox(member_.device());
  outbox.status = AVRM_ERR_AGAIN;
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(arrives(ActiveType::kGet, i));
  }
  outbox.status = AVRM_OK;
  (void)member_.device()->deferred.flush(member_.device());
  EXPECT_EQ(outbox.sent.size(), 100U);
}

// Two processes that lack memory and hold each other's messages would wait for ever.
TEST_F(ActiveMessages, AreHeldForASecondAtMostWhileNothingIsSent) {
  Outbox outbox(member_.device());
  outbox.status = AVRM_ERR_AGAIN;
  memory_.lacks = true;
  bool is_held = false;
  for (int i = 0; i < 100 && !is_held; ++i) {
    is_held = !arrives(ActiveType::kPut, 1);
  }
  ASSERT_TRUE(is_held);
  bool is_taken = false;
  for (int i = 0; i < 400 && !is_taken; ++i) {
    usleep(10000);
    is_taken = arrives(ActiveType::kPut, 1);
  }
  EXPECT_TRUE(is_taken);
  EXPECT_EQ(member_.reports(), 1) << "its answer is lost";
  memory_.lacks = false;
}

// Whichever allocation fails: otherwise a process that repeats it would apply it twice.
TEST_F(ActiveMessages, ApplyAFetchingAtomicIfAndOnlyIfItsResultIsSent) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  ASSERT_TRUE(arrives(ActiveType::kPut, 0)); // connects
  std::uint64_t sum = 0;
  avrm_window_t *window = nullptr;
  ASSERT_EQ(detail::make_window(device->world, detail::next_window_id(device->world), {&sum, sizeof sum, nullptr, 0},
                                &window),
            AVRM_OK);
  detail::open_window(window);
  for (const int left : {0, 1, 2}) {
    outbox.sent.clear();
    outbox.status = AVRM_ERR_AGAIN;
    sum = 5;
    memory_.left = left;
    ASSERT_TRUE(adds(window->id, 3));
    memory_.left = -1;
    outbox.status = AVRM_OK;
    (void)device->deferred.flush(device);
    ASSERT_EQ(outbox.sent.size(), 1U);
    const bool is_applied = outbox.sent[0].header.type == ActiveType::kGetData;
    EXPECT_EQ(is_applied, left != 0);
    EXPECT_EQ(sum, is_applied ? 8U : 5U) << left;
  }
  EXPECT_EQ(avrm_window_free(window), AVRM_OK);
}

// Otherwise two processes that lack memory would wait for each other.
TEST_F(ActiveMessages, WithoutAnAnswerAreAlwaysTaken) {
  Outbox outbox(member_.device());
  outbox.status = AVRM_ERR_AGAIN;
  memory_.lacks = true;
  for (int i = 0; i < 100 && arrives(ActiveType::kPut, 1); ++i) {
  }
  for (const ActiveType type : {ActiveType::kKeyReply, ActiveType::kPutDone, ActiveType::kGetData, ActiveType::kRefused,
                                ActiveType::kMatched, ActiveType::kDeaths}) {
    EXPECT_TRUE(arrives(type, 1)) << static_cast<int>(type);
  }
  memory_.lacks = false;
}

class UnknownSecret : public ActiveMessages, public testing::WithParamInterface<avrm_status_t> {};
INSTANTIATE_TEST_SUITE_P(All, UnknownSecret,
                         testing::Values(AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM, AVRM_ERR_TIMEOUT, AVRM_ERR_PEER),
                         [](const auto &status) { return std::string(avrm_status_name(status.param)); });

TEST_P(UnknownSecret, KeepsMessagesUntilTheLauncherAnswers) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  device->boot->secret = {};
  member_.refuse_secret(GetParam());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(arrives(ActiveType::kPut, 1));
  }
  EXPECT_LE(member_.secret_fetches(), 3) << "each costs a call to the launcher";
  member_.refuse_secret(AVRM_OK);
  bool is_taken = false;
  for (int i = 0; i < 400 && !is_taken; ++i) {
    usleep(5000);
    is_taken = arrives(ActiveType::kPut, 1);
  }
  EXPECT_TRUE(is_taken);
  EXPECT_EQ(outbox.sent.size(), 1U);
  EXPECT_EQ(member_.reports(), 0);
}

} // namespace
} // namespace avrankmap::test
