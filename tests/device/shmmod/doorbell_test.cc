// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "posix/doorbell.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/device/limits/low_limit.h"
#include "tests/support/descriptors.h"
#include "tests/support/shared.h"

namespace avrankmap::test {
namespace {

using detail::posix::Doorbell;
using detail::posix::WakeupPipe;
using detail::posix::WakeupReceiver;

// What poll tells of a descriptor now, or within some time.
short events_of(int descriptor, int milliseconds = 0) {
  pollfd readable{descriptor, POLLIN, 0};
  return poll(&readable, 1, milliseconds) == 1 ? readable.revents : short{0};
}

class DoorbellOf : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(wakeup_receiver_.open(&*asleep_), AVRM_OK); }

  Shared<std::uint32_t> asleep_;
  WakeupReceiver wakeup_receiver_;
  WakeupPipe wakeup_pipe_;
};

TEST_F(DoorbellOf, AProcessThatIsAwakeIsSilent) {
  Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  bell.look();
  wakeup_receiver_.begin_sleep();
  wakeup_receiver_.end_sleep();
  bell.look();
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), 0);
}

TEST_F(DoorbellOf, ASleeperRingsOnce) {
  Doorbell one(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  Doorbell other(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  wakeup_receiver_.begin_sleep();
  one.look();
  one.look();
  other.look();
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), POLLIN);
  char bytes[8];
  EXPECT_EQ(read(wakeup_receiver_.descriptor(), bytes, sizeof bytes), 1);
}

TEST_F(DoorbellOf, ASleeperRingsInEachSleep) {
  Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  for (int sleep = 0; sleep < 3; ++sleep) {
    wakeup_receiver_.begin_sleep();
    EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), 0);
    bell.look();
    EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), POLLIN);
    wakeup_receiver_.end_sleep();
  }
}

TEST_F(DoorbellOf, ASleeperRingsFromAnotherProcess) {
  wakeup_receiver_.begin_sleep();
  const pid_t child = fork();
  if (child == 0) {
    Doorbell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_).look();
    _exit(0);
  }
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor(), 60000), POLLIN);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  wakeup_receiver_.end_sleep();
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), 0) << "a sender that is gone is not the end of the pipe";
}

TEST_F(DoorbellOf, AProcessThatIsGoneRaisesNoSignal) {
  auto gone = std::make_unique<WakeupReceiver>();
  ASSERT_EQ(gone->open(&*asleep_), AVRM_OK);
  Doorbell known(&*asleep_, gone->name(), &wakeup_pipe_);
  Doorbell unknown(&*asleep_, gone->name(), &wakeup_pipe_);
  gone->begin_sleep();
  known.look(); // opens the pipe
  gone->begin_sleep();
  gone = nullptr;
  known.look();
  *asleep_ = 1;
  unknown.look();
  EXPECT_EQ(*asleep_, 0U);
}

TEST_F(DoorbellOf, SeveralSleepersRingInTurn) {
  Shared<std::uint32_t> other_asleep;
  WakeupReceiver other_bed;
  ASSERT_EQ(other_bed.open(&*other_asleep), AVRM_OK);
  Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  Doorbell other(&*other_asleep, other_bed.name(), &wakeup_pipe_);
  for (int sleep = 0; sleep < 3; ++sleep) {
    wakeup_receiver_.begin_sleep();
    bell.look();
    EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), POLLIN);
    EXPECT_EQ(events_of(other_bed.descriptor()), 0);
    wakeup_receiver_.end_sleep();
    other_bed.begin_sleep();
    other.look();
    EXPECT_EQ(events_of(other_bed.descriptor()), POLLIN);
    EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), 0);
    other_bed.end_sleep();
  }
}

TEST_F(DoorbellOf, SleepersTakeOneDescriptorOfTheirSenderFromTheStart) {
  Shared<std::uint32_t> other_asleep;
  WakeupReceiver other_bed;
  ASSERT_EQ(other_bed.open(&*other_asleep), AVRM_OK);
  const int before = open_descriptors();
  {
    WakeupPipe wakeup_pipe;
    ASSERT_EQ(wakeup_pipe.open(wakeup_receiver_.name()), AVRM_OK);
    EXPECT_EQ(open_descriptors(), before + 1);
    Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe);
    Doorbell other(&*other_asleep, other_bed.name(), &wakeup_pipe);
    for (int sleep = 0; sleep < 3; ++sleep) {
      wakeup_receiver_.begin_sleep();
      bell.look();
      EXPECT_EQ(open_descriptors(), before + 1);
      other_bed.begin_sleep();
      other.look();
      EXPECT_EQ(open_descriptors(), before + 1);
    }
    detail::posix::PipeName wrong = wakeup_receiver_.name();
    ++wrong.inode;
    Doorbell nobody(&*asleep_, wrong, &wakeup_pipe);
    *asleep_ = 1;
    nobody.look();
    EXPECT_EQ(open_descriptors(), before + 1);
  }
  EXPECT_EQ(open_descriptors(), before);
}

// The pipe of the last one makes room.
TEST_F(DoorbellOf, SeveralSleepersRingWhereNoDescriptorIsFree) {
  Shared<std::uint32_t> other_asleep;
  WakeupReceiver other_bed;
  ASSERT_EQ(other_bed.open(&*other_asleep), AVRM_OK);
  ASSERT_EQ(wakeup_pipe_.open(wakeup_receiver_.name()), AVRM_OK);
  Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  Doorbell other(&*other_asleep, other_bed.name(), &wakeup_pipe_);
  const LowLimit limit(RLIMIT_NOFILE, 64);
  const FewDescriptors none(0);
  for (int sleep = 0; sleep < 3; ++sleep) {
    wakeup_receiver_.begin_sleep();
    bell.look();
    EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), POLLIN);
    wakeup_receiver_.end_sleep();
    other_bed.begin_sleep();
    other.look();
    EXPECT_EQ(events_of(other_bed.descriptor()), POLLIN);
    other_bed.end_sleep();
  }
}

// A pipe that could not be opened once is tried again.
TEST_F(DoorbellOf, ASleeperRingsOnceThereAreDescriptorsAgain) {
  Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  wakeup_receiver_.begin_sleep();
  bell.look();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), 0);
  wakeup_receiver_.begin_sleep();
  bell.look();
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), POLLIN);
}

TEST_F(DoorbellOf, AnotherFileIsNotWrittenTo) {
  detail::posix::PipeName wrong = wakeup_receiver_.name();
  ++wrong.inode;
  Doorbell bell(&*asleep_, wrong, &wakeup_pipe_);
  wakeup_receiver_.begin_sleep();
  bell.look();
  EXPECT_EQ(events_of(wakeup_receiver_.descriptor()), 0);
}

// Neither side misses the other: the word and the records are stored and loaded crosswise.
TEST_F(DoorbellOf, NoRecordIsMissed) {
  constexpr std::uint64_t kRecords = 2000;
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> seen{0};
  std::thread sender([&] {
    Doorbell bell(&*asleep_, wakeup_receiver_.name(), &wakeup_pipe_);
    for (std::uint64_t record = 1; record <= kRecords; ++record) {
      while (seen.load(std::memory_order_relaxed) + 1 != record) {
        sched_yield();
      }
      sent.store(record, std::memory_order_release);
      bell.look();
    }
  });
  int missed = 0;
  while (seen.load() < kRecords) {
    wakeup_receiver_.begin_sleep();
    if (sent.load(std::memory_order_acquire) == seen.load()) {
      missed += events_of(wakeup_receiver_.descriptor(), 5000) == 0 ? 1 : 0;
    }
    wakeup_receiver_.end_sleep();
    seen.store(sent.load(std::memory_order_acquire));
  }
  sender.join();
  EXPECT_EQ(missed, 0);
}

} // namespace
} // namespace avrankmap::test
