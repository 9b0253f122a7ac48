// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Notices of deaths that cannot be sent when they are due: none is dropped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "liveness/failure_notices.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using detail::FailedRange;
using detail::FailureNotices;

// Process 0 of 8 or more, which has its own deaths told, and cannot reach some processes.
class Notices : public testing::Test {
protected:
  void die(std::int32_t lpid) {
    dead_.insert(lpid);
    notices_.add(lpid);
  }
  void spread() { notices_.spread(0, size_, has_died_, for_all_, tell_); }
  void repeat() { notices_.repeat(has_died_, for_all_, tell_); }

  std::int32_t size_ = 8;
  FailureNotices notices_;
  std::set<std::int32_t> dead_;
  std::set<std::int32_t> unreachable_;
  std::map<std::int32_t, std::set<std::int32_t>> told_; // deaths by process
  std::int32_t dies_meanwhile_ = 0;                     // 0: none

private:
  std::function<bool(std::int32_t)> has_died_ = [this](std::int32_t lpid) { return dead_.count(lpid) != 0; };
  std::function<void(std::function<void(const FailedRange &)>)> for_all_ = [this](const auto &visit) {
    for (const std::int32_t lpid : dead_) {
      visit(FailedRange{lpid, 1});
    }
  };
  std::function<bool(std::int32_t, const FailedRange &)> tell_ = [this](std::int32_t lpid, const FailedRange &deaths) {
    if (unreachable_.count(lpid) != 0) {
      return false;
    }
    for (std::int32_t i = 0; i < deaths.count; ++i) {
      told_[lpid].insert(deaths.first + i);
    }
    if (dies_meanwhile_ != 0) {
      die(std::exchange(dies_meanwhile_, 0));
    }
    return true;
  };
};
using Told = std::map<std::int32_t, std::set<std::int32_t>>;

TEST_F(Notices, ReachOneThatWasMissedAndNobodyElseAgain) {
  unreachable_ = {2};
  die(7);
  spread();
  EXPECT_EQ(told_, (Told{{1, {7}}, {4, {7}}}));
  EXPECT_FALSE(notices_.has_untold());
  repeat();
  EXPECT_TRUE(notices_.has_missed());
  die(6);
  spread();
  told_.clear();
  unreachable_.clear();
  repeat();
  EXPECT_EQ(told_, (Told{{2, {6, 7}}}));
  EXPECT_FALSE(notices_.has_missed());
}

TEST_F(Notices, AreNotKeptForTheDead) {
  unreachable_ = {1, 2};
  die(7);
  spread();
  die(1);
  repeat();
  EXPECT_TRUE(notices_.has_missed()) << "2 lives";
  spread();
  unreachable_.clear();
  repeat();
  EXPECT_EQ(told_[2], (std::set<std::int32_t>{1, 7}));
  EXPECT_EQ(told_.count(1), 0U);
}

// The one that died may not have passed on what it was told.
TEST_F(Notices, OfAllDeathsReachTheProcessAfterOneThatDied) {
  die(7);
  spread();
  told_.clear();
  die(1);
  spread();
  EXPECT_EQ(told_[2], dead_);
}

// It keeps eight runs of deaths.
TEST_F(Notices, OfMoreDeathsThanAreKeptReachTheSameProcesses) {
  size_ = 64;
  for (std::int32_t lpid = 41; lpid < size_; lpid += 2) {
    die(lpid);
  }
  spread();
  for (const std::int32_t lpid : {1, 2, 4, 8, 16, 32}) {
    EXPECT_EQ(told_[lpid], dead_) << lpid;
  }
}

// It keeps eight processes that were missed.
TEST_F(Notices, ReachMoreMissedProcessesThanAreKept) {
  size_ = 1024;
  for (std::int32_t lpid = 1; lpid < size_; lpid *= 2) {
    unreachable_.insert(lpid);
  }
  die(1000);
  spread();
  std::set<std::int32_t> missed;
  missed.swap(unreachable_);
  spread();
  repeat();
  for (const std::int32_t lpid : missed) {
    EXPECT_EQ(told_[lpid], dead_) << lpid;
  }
}

TEST_F(Notices, OfADeathFoundWhileTheyAreSentFollow) {
  dies_meanwhile_ = 5;
  die(7);
  spread();
  EXPECT_TRUE(notices_.has_untold());
  spread();
  EXPECT_EQ(told_[4], dead_);
}

// The two deaths are one range.
TEST_F(Notices, OfTheNextDeathFoundWhileTheyAreSentFollow) {
  dies_meanwhile_ = 7;
  die(6);
  spread();
  EXPECT_TRUE(notices_.has_untold());
  spread();
  EXPECT_EQ(told_[4], (std::set<std::int32_t>{6, 7}));
}

// The null netmod sends no active messages, so that all of them wait.
class NoticesOfADevice : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(member_.open(&hooks_), AVRM_OK);
    memory_.messages = 0;
  }
  void TearDown() override { EXPECT_EQ(member_.close(), AVRM_OK); }
  // Looks for 0.3 s. Returns how often something was fetched of the hidden process.
  int fetches_in_looks() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < end) {
      member_.device()->failure_detector.look(member_.device());
    }
    return member_.hidden_fetches();
  }

  static constexpr std::int32_t kSize = 100;
  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{kSize};
};

TEST_F(NoticesOfADevice, AreSentOnceAProcessCanBeReached) {
  avrm_device_t *const device = member_.device();
  member_.hide(1);
  device->failure_detector.lost(device, 50);
  device->failure_detector.spread(device);
  const int told = memory_.messages;
  EXPECT_EQ(told, 6) << "at distances 2, 4 to 64";
  member_.hide(-1);
  for (int i = 0; i < 100 && memory_.messages == told; ++i) {
    usleep(15000); // it looks at most every 10 ms
    device->failure_detector.look(device);
  }
  EXPECT_EQ(memory_.messages, told + 1);
}

// A repetition may cost a call to the launcher.
TEST_F(NoticesOfADevice, AreRepeatedAtMostEveryTenthOfASecond) {
  member_.hide(1);
  member_.device()->failure_detector.lost(member_.device(), 50);
  EXPECT_LE(fetches_in_looks(), 10) << "two of them by the ring";
}

TEST_F(NoticesOfADevice, AreNotRepeatedForAProcessThatCountsAsDead) {
  member_.hide(1, AVRM_ERR_PEER);
  member_.device()->failure_detector.lost(member_.device(), 50);
  EXPECT_EQ(fetches_in_looks(), 2) << "one of them by the ring";
}

avrm_status_t send_death(avrm_device_t *device, std::int32_t lpid) {
  detail::ActiveHeader header{};
  header.type = detail::ActiveType::kDeaths;
  return detail::send_active(device, {detail::kOwnWorld, lpid}, header, nullptr, 0, detail::Retry::kLater);
}

TEST_F(NoticesOfADevice, WaitForTheMemoryOfANetmodAsLongAsItLacks) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.status = AVRM_ERR_NO_MEMORY;
  ASSERT_EQ(send_death(device, 1), AVRM_OK);
  for (int i = 0; i < 5000; ++i) {
    (void)device->deferred.flush(device);
    ASSERT_FALSE(device->deferred.empty()) << i;
  }
  outbox.status = AVRM_OK;
  (void)device->deferred.flush(device);
  EXPECT_TRUE(device->deferred.empty());
  EXPECT_EQ(outbox.sent.size(), 1U);
  EXPECT_EQ(member_.reports(), 0);
}

TEST_F(NoticesOfADevice, WaitForMemoryToConnectAProcess) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  memory_.lacks = true;
  ASSERT_EQ(send_death(device, 1), AVRM_OK);
  (void)device->deferred.flush(device);
  EXPECT_FALSE(device->deferred.empty());
  memory_.lacks = false;
  outbox.send_until(1, [] {});
  EXPECT_EQ(outbox.sent.size(), 1U);
  EXPECT_TRUE(device->deferred.empty());
}

// Each attempt may cost a call to the launcher, and an error text of the transport.
TEST_F(NoticesOfADevice, DoNotConnectInEachCallOfProgress) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.insert_status = AVRM_ERR_SYSTEM;
  ASSERT_EQ(send_death(device, 1), AVRM_OK);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    (void)device->deferred.flush(device);
  }
  EXPECT_LE(outbox.inserts, 2 + (std::chrono::steady_clock::now() - start) / std::chrono::milliseconds(100));
  EXPECT_FALSE(device->deferred.empty());
  outbox.insert_status = AVRM_OK;
  outbox.send_until(1, [] {});
  EXPECT_EQ(outbox.sent.size(), 1U);
}

TEST_F(NoticesOfADevice, ThatCannotConnectDelayNoOthers) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  ASSERT_EQ(send_death(device, 1), AVRM_OK);
  ASSERT_EQ(outbox.sent.size(), 1U);
  outbox.insert_status = AVRM_ERR_SYSTEM;
  for (std::int32_t lpid = 2; lpid < 20; ++lpid) {
    ASSERT_EQ(send_death(device, lpid), AVRM_OK);
  }
  outbox.status = AVRM_ERR_AGAIN;
  ASSERT_EQ(send_death(device, 1), AVRM_OK);
  outbox.status = AVRM_OK;
  (void)device->deferred.flush(device);
  EXPECT_EQ(outbox.sent.size(), 2U);
}

} // namespace
} // namespace avrankmap::test
