// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Large messages of the shared-memory shmmod: messages that the sender pushes, and messages that
// both ends copy.
#include "posix/posix.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "posix/endpoint.h"
#include "tests/device/shmmod/local_job.h"
#include "tests/support/descriptors.h"

namespace {

using namespace avrankmap::test;
using namespace avrankmap::detail::posix;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// None of these messages goes through the ring to try how fast that is.
class PosixCopy : public testing::Test {
protected:
  PosixCopy() { setenv("AVRM_POSIX_NO_CMA", "0", 1); }
  ~PosixCopy() override { unsetenv("AVRM_POSIX_NO_CMA"); }
};

void wait_for_flag(const Member &member, int value) {
  while (member.board->flag < value) {
    sched_yield();
  }
}

void let_messages_of(std::size_t bytes, const std::function<void(Member &)> &receiver) {
  run_job(2, [&](Member &member) {
    member.connect_all();
    const Bytes data = content(bytes, bytes);
    if (member.rank == 0) {
      Request request;
      ASSERT_EQ(member.send(1, bytes, data, &request), AVRM_OK);
      member.board->flag = 1;
      wait_for_flag(member, 2); // without progress
      member.until([&] { return request.completions == 1; });
      EXPECT_EQ(request.status, AVRM_OK);
    } else {
      wait_for_flag(member, 1);
      receiver(member);
      EXPECT_TRUE(member.arrived.at(0).data == data);
      member.board->flag = 2;
    }
    member.meet();
  });
}

TEST_F(PosixCopy, PushedMessageArrivesWithoutProgressOfItsSender) {
  let_messages_of(kPushMax, [](Member &member) { member.wait_for(1); });
}

TEST_F(PosixCopy, LongestMessageArrivesWithoutProgressOfItsSender) {
  let_messages_of(20 * kMiB + 7, [](Member &member) { member.wait_for(1); });
}

TEST_F(PosixCopy, PushedMessageThatIsNotWantedYetIsReadLater) {
  let_messages_of(kPushMax, [](Member &member) {
    member.take_at_once = false;
    member.wait_for(1);
    for (int i = 0; i < 100; ++i) {
      member.poll(); // the pieces arrive
    }
    member.take(member.arrived[0], kPushMax);
    member.until([&] { return member.arrived[0].whole(); });
  });
}

TEST_F(PosixCopy, PushedMessageIsCutToAShortBuffer) {
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, kEagerMax, kEagerMax + 1, kPushMax - 1}) {
    run_job(2, [&](Member &member) {
      member.connect_all();
      const Bytes data = content(3, kPushMax);
      if (member.rank == 0) {
        Request requests[2];
        ASSERT_EQ(member.send(1, 3, data, &requests[0]), AVRM_OK);
        ASSERT_EQ(member.send(1, 4, data, &requests[1]), AVRM_OK);
        for (Request &request : requests) {
          member.until([&] { return request.completions == 1; });
          EXPECT_EQ(request.status, AVRM_OK);
        }
      } else {
        member.room = room;
        member.wait_for(2);
        for (const Arrived &message : member.arrived) {
          EXPECT_EQ(message.take->status, AVRM_ERR_TRUNCATED);
          EXPECT_EQ(message.take->bytes, kPushMax);
          ASSERT_EQ(message.data.size(), room);
          EXPECT_TRUE(std::equal(message.data.begin(), message.data.end(), data.begin()));
        }
      }
      member.meet();
    });
  }
}

// A receiver that has taken a message of so many bytes and copied its first part, and makes no
// progress while the sender does.
void let_sender_help(std::size_t bytes, const std::function<void(Member &, Request &)> &sender,
                     const std::function<void(Member &)> &receiver, const std::vector<int> &expected = {}) {
  run_job(
      2,
      [&](Member &member) {
        member.connect_all();
        const Bytes data = content(bytes, bytes);
        if (member.rank == 0) {
          Request request;
          ASSERT_EQ(member.send(1, bytes, data, &request), AVRM_OK);
          wait_for_flag(member, 1);
          sender(member, request);
        } else {
          while (member.arrived.empty()) {
            member.poll();
          }
          EXPECT_FALSE(member.arrived[0].whole());
          member.board->flag = 1;
          receiver(member);
        }
      },
      expected);
}

TEST_F(PosixCopy, SenderThatMakesProgressCopiesWhatTheReceiverDoesNot) {
  static constexpr std::size_t kBytes = 16 * kMiB;
  static constexpr int kMessages = 5;
  run_job(2, [](Member &member) {
    member.connect_all();
    for (int i = 0; i < kMessages; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Bytes data = content(at, kBytes);
      if (member.rank == 0) {
        Request request;
        ASSERT_EQ(member.send(1, at, data, &request), AVRM_OK);
        wait_for_flag(member, 2 * i + 1);
        int events = 0;
        for (int call = 0; call < 100; ++call) {
          events += member.ops->progress(member.shm);
        }
        EXPECT_GE(events, 10) << i; // parts that it has copied
        member.board->flag = 2 * i + 2;
        member.until([&] { return request.completions == 1; });
        EXPECT_EQ(request.status, AVRM_OK);
      } else {
        while (member.arrived.size() == at) {
          member.poll(); // takes the message, and copies the first part
        }
        EXPECT_FALSE(member.arrived[at].whole());
        member.board->flag = 2 * i + 1;
        wait_for_flag(member, 2 * i + 2);
        int calls = 0;
        for (; !member.arrived[at].whole(); ++calls) {
          (void)member.ops->progress(member.shm);
        }
        EXPECT_LE(calls, 4) << i; // on its own it needs 16
        EXPECT_TRUE(member.arrived[at].data == data) << i;
      }
    }
    member.meet();
  });
}

TEST_F(PosixCopy, BothEndsCopyOneMessageAfterTheOther) {
  run_job(2, [](Member &member) {
    member.connect_all();
    const int peer = 1 - member.rank;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::size_t bytes = kPushMax + 1 + i * 5003 % (3 * kMiB);
      const Bytes data = content(i, bytes);
      Request request;
      ASSERT_EQ(member.send(peer, i, data, &request), AVRM_OK); // both send at the same time
      member.wait_for(i + 1);
      ASSERT_TRUE(member.arrived[i].data == data) << i;
      member.arrived[i].data.clear();
      member.until([&] { return request.completions == 1; });
    }
    member.meet();
  });
}

TEST_F(PosixCopy, TakeEndsWhenASenderDiesThatHasHelped) {
  let_sender_help(
      64 * kMiB,
      [](Member &member, Request &) {
        while (member.ops->progress(member.shm) == 0) {
        }
        member.board->flag = 2;
        (void)raise(SIGKILL);
      },
      [](Member &member) {
        wait_for_flag(member, 2);
        const Arrived &message = member.arrived[0];
        for (int i = 0; i < 1000; ++i) {
          member.poll();
        }
        member.ops->peer_failed(member.shm, 0);
        EXPECT_EQ(message.take->completions, 1);
        EXPECT_EQ(message.take->status, AVRM_ERR_PEER);
      },
      {128 + SIGKILL, 0});
}

TEST_F(PosixCopy, SendEndsWhenTheReceiverDiesThatIsHelped) {
  let_sender_help(
      64 * kMiB,
      [](Member &member, Request &request) {
        while (member.ops->progress(member.shm) == 0) {
        }
        member.board->flag = 2;
        for (int i = 0; i < 1000; ++i) {
          member.poll();
        }
        EXPECT_EQ(request.completions, 0);
        member.ops->peer_failed(member.shm, 1);
        EXPECT_EQ(request.completions, 1);
        EXPECT_EQ(request.status, AVRM_ERR_PEER);
      },
      [](Member &member) {
        wait_for_flag(member, 2);
        (void)raise(SIGKILL);
      },
      {0, 128 + SIGKILL});
}

TEST_F(PosixCopy, NothingIsWrittenIntoABufferAfterClose) {
  let_sender_help(
      64 * kMiB,
      [](Member &member, Request &) {
        while (member.board->flag < 3) {
          (void)member.ops->progress(member.shm);
          if (member.board->flag == 1) {
            member.board->flag = 2;
          }
        }
        member.close();
      },
      [](Member &member) {
        wait_for_flag(member, 2);
        member.close(); // while the sender writes
        Arrived &message = member.arrived[0];
        EXPECT_EQ(message.take->status, AVRM_ERR_CANCELLED);
        std::fill(message.data.begin(), message.data.end(), 0x55);
        usleep(100000);
        EXPECT_EQ(std::count(message.data.begin(), message.data.end(), 0x55),
                  static_cast<std::ptrdiff_t>(message.data.size()));
        member.board->flag = 3;
      });
}

// Slowness is no death: neither loses data, nor is anything written after the close.
void stop_the_sender(const std::function<void(Member &, pid_t)> &receiver) {
  let_sender_help(
      64 * kMiB,
      [](Member &member, Request &) {
        member.board->pid = getpid();
        member.board->flag = 2;
        while (member.board->flag < 3) {
          (void)member.ops->progress(member.shm);
        }
        member.close();
      },
      [&receiver](Member &member) {
        wait_for_flag(member, 2);
        usleep(500); // it writes
        const pid_t sender = member.board->pid;
        ASSERT_EQ(kill(sender, SIGSTOP), 0);
        receiver(member, sender);
        member.board->flag = 3;
      });
}

// While it runs, the process goes on after this time.
class GoesOn {
public:
  GoesOn(pid_t process, std::chrono::milliseconds later)
      : thread_([process, later] {
          std::this_thread::sleep_for(later);
          (void)kill(process, SIGCONT);
        }) {}
  ~GoesOn() { thread_.join(); }

private:
  std::thread thread_;
};

TEST_F(PosixCopy, SenderThatIsStoppedIsWaitedFor) {
  stop_the_sender([](Member &member, pid_t sender) {
    const GoesOn later(sender, std::chrono::milliseconds(1200));
    const Arrived &message = member.arrived[0];
    member.until([&] { return message.whole(); });
    EXPECT_TRUE(message.data == content(64 * kMiB, 64 * kMiB));
  });
}

TEST_F(PosixCopy, NothingIsWrittenAfterCloseByASenderThatWasStopped) {
  stop_the_sender([](Member &member, pid_t sender) {
    const GoesOn later(sender, std::chrono::milliseconds(1200));
    member.close();
    Bytes &data = member.arrived[0].data;
    std::fill(data.begin(), data.end(), 0x55);
    usleep(300000);
    EXPECT_EQ(std::count(data.begin(), data.end(), 0x55), static_cast<std::ptrdiff_t>(data.size()));
  });
}

TEST_F(PosixCopy, SenderThatClosesWhileItHelpsIsNotWaitedFor) {
  static constexpr std::size_t kBytes = 64 * kMiB;
  let_sender_help(
      kBytes,
      [](Member &member, Request &request) {
        while (member.ops->progress(member.shm) == 0) {
        }
        member.close();
        EXPECT_EQ(request.status, AVRM_ERR_CANCELLED);
        member.board->flag = 2;
        wait_for_flag(member, 3); // its memory is still there
      },
      [](Member &member) {
        wait_for_flag(member, 2);
        const Arrived &message = member.arrived[0];
        member.until([&] { return message.whole(); });
        EXPECT_TRUE(message.data == content(kBytes, kBytes));
        member.board->flag = 3;
      });
}

TEST_F(PosixCopy, HelpLeavesNoDescriptorBehind) {
  run_job(2, [](Member &member) {
    const int before = open_descriptors();
    member.connect_all();
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Bytes data = content(i, 4 * kMiB);
      Request request;
      ASSERT_EQ(member.send(1 - member.rank, i, data, &request), AVRM_OK);
      member.wait_for(i + 1);
      member.until([&] { return request.completions == 1; });
    }
    EXPECT_EQ(open_descriptors(), before + 1) << "one for the peer";
    member.meet();
    member.close();
    EXPECT_EQ(open_descriptors(), before - 4) << "without the segment, both ends of the pipe, and the wake-up pipe";
  });
}

TEST(PosixProcess, LivesUntilItEnds) {
  run_job(2,
          [](Member &member) {
            if (member.rank == 1) {
              wait_for_flag(member, 1);
              (void)raise(SIGKILL);
            }
            Card card;
            std::memcpy(&card, member.board->cards[1], sizeof card);
            const FileDescriptor process = open_process(card.shm_file);
            ASSERT_TRUE(process.is_open());
            EXPECT_TRUE(lives(process));
            member.board->flag = 1;
            while (lives(process)) {
              sched_yield();
            }
          },
          {0, 128 + SIGKILL});
}

} // namespace
