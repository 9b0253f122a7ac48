// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Notices of deaths that cannot be sent when they are due: none is dropped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <set>

#include "liveness/failure_notices.h"
#include "tests/device/liveness/ring/lone_member.h"
#include "tests/support/counting_allocator.h"

namespace avrankmap::test {
namespace {

using detail::FailedRange;
using detail::FailureNotices;

// Process 0 of 8, which has its own deaths told, and cannot reach some processes.
class Notices : public testing::Test {
protected:
  void die(std::int32_t lpid) {
    dead_.insert(lpid);
    notices_.add(lpid);
  }
  void spread() { notices_.spread(0, 8, has_died_, for_all_, tell_); }
  void repeat() { notices_.repeat(has_died_, for_all_, tell_); }

  FailureNotices notices_;
  std::set<std::int32_t> dead_;
  std::set<std::int32_t> unreachable_;
  std::map<std::int32_t, std::set<std::int32_t>> told_; // deaths by process

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
    told_[lpid].insert(deaths.first);
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

// Memory in which messages that wait can be counted.
struct MessageMemory {
  CountingAllocator books;
  avrm_allocator_t inner = books.hooks();
  int given = 0;
  [[nodiscard]] avrm_allocator_t hooks() {
    return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) -> void * {
              auto *const self = static_cast<MessageMemory *>(user);
              self->given += kind == AVRM_MEM_MESSAGE ? 1 : 0;
              return self->inner.allocate(self->inner.user, size, alignment, kind);
            },
            [](void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
              const auto *const self = static_cast<MessageMemory *>(user);
              self->inner.release(self->inner.user, block, size, alignment, kind);
            },
            this};
  }
};

// The null netmod sends no active messages, so that all of them wait.
class NoticesOfADevice : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(member_.open(&hooks_), AVRM_OK);
    memory_.given = 0;
  }
  void TearDown() override { EXPECT_EQ(member_.close(), AVRM_OK); }

  static constexpr std::int32_t kSize = 100;
  MessageMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{kSize};
};

TEST_F(NoticesOfADevice, AreSentOnceAProcessCanBeReached) {
  avrm_device_t *const device = member_.device();
  member_.hide(1);
  device->failure_detector.lost(device, 50);
  device->failure_detector.spread(device);
  const int told = memory_.given;
  EXPECT_EQ(told, 6) << "at distances 2, 4 to 64";
  member_.hide(-1);
  for (int i = 0; i < 100 && memory_.given == told; ++i) {
    usleep(15000); // it looks at most every 10 ms
    device->failure_detector.look(device);
  }
  EXPECT_EQ(memory_.given, told + 1);
}

int refusals;
avrm_status_t send_without_memory(avrm_netmod_t *, std::uint64_t, const void *, std::size_t, const void *,
                                  std::size_t) noexcept {
  return refusals-- > 0 ? AVRM_ERR_NO_MEMORY : AVRM_OK;
}

TEST_F(NoticesOfADevice, WaitForTheMemoryOfANetmodAsLongAsItLacks) {
  avrm_device_t *const device = member_.device();
  avrm_netmod_ops_t ops = *device->net->ops;
  ops.am_send = send_without_memory;
  const avrm_netmod_ops_t *const before = std::exchange(device->net->ops, &ops);
  refusals = 5000;
  detail::ActiveHeader header{};
  header.type = detail::ActiveType::kDeaths;
  ASSERT_EQ(detail::send_active(device, {detail::kOwnWorld, 1}, header, nullptr, 0, detail::Patient::kNo), AVRM_OK);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_FALSE(device->deferred.empty()) << i;
    (void)device->deferred.flush(device);
  }
  EXPECT_TRUE(device->deferred.empty());
  EXPECT_EQ(refusals, -1);
  EXPECT_EQ(member_.reports(), 0);
  device->net->ops = before;
}

} // namespace
} // namespace avrankmap::test
