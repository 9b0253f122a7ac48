// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of the shared-memory shmmod between real processes, some of which die.
#include "posix/posix.h"

#include <gtest/gtest.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "posix/endpoint.h"
#include "tests/device/limits/low_limit.h"
#include "tests/device/shmmod/local_job.h"
#include "tests/support/seed.h"

namespace {

using namespace avrankmap::test;
using avrankmap::detail::posix::kEagerMax;
using avrankmap::detail::posix::kPushMax;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Protocols for large messages.
enum class Way { kFoundOut, kOneCopy, kThroughRing, kReadRefused, kWriteRefused };

std::string way_name(const testing::TestParamInfo<Way> &way) {
  switch (way.param) {
  case Way::kFoundOut: return "FoundOut";
  case Way::kOneCopy: return "OneCopy";
  case Way::kThroughRing: return "ThroughRing";
  case Way::kReadRefused: return "ReadRefused";
  case Way::kWriteRefused: break;
  }
  return "WriteRefused";
}

// From now on a system call fails with EPERM, as with some security modules.
void refuse(unsigned call) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof program[0], program};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

class PosixWay : public testing::TestWithParam<Way> {
protected:
  PosixWay() {
    if (GetParam() != Way::kFoundOut) {
      setenv("AVRM_POSIX_NO_CMA", GetParam() == Way::kThroughRing ? "1" : "0", 1);
    }
  }
  ~PosixWay() override { unsetenv("AVRM_POSIX_NO_CMA"); }

  void run(int size, const std::function<void(Member &)> &body, const std::vector<int> &expected = {}) {
    run_job(
        size,
        [&](Member &member) {
          if (GetParam() == Way::kReadRefused) {
            refuse(SYS_process_vm_readv);
          } else if (GetParam() == Way::kWriteRefused) {
            refuse(SYS_process_vm_writev);
          }
          body(member);
        },
        expected);
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, PosixWay,
                         testing::Values(Way::kFoundOut, Way::kOneCopy, Way::kThroughRing, Way::kReadRefused,
                                         Way::kWriteRefused),
                         way_name);

TEST_P(PosixWay, MessagesOfAllSizesArriveWhole) {
  const std::vector<std::size_t> sizes = {0,
                                          1,
                                          7,
                                          8,
                                          15,
                                          16,
                                          31,
                                          32,
                                          40,
                                          41,
                                          47,
                                          48,
                                          49,
                                          64,
                                          100,
                                          4096,
                                          8191,
                                          kEagerMax,
                                          kEagerMax + 1,
                                          65535,
                                          kPushMax,
                                          kPushMax + 1,
                                          100000,
                                          kMiB,
                                          kMiB + 1,
                                          5 * kMiB + 3};
  run(2, [&](Member &member) {
    member.connect_all();
    if (member.rank == 0) {
      for (const std::size_t bytes : sizes) {
        const Bytes data = content(bytes, bytes);
        Request request;
        ASSERT_EQ(member.send(1, bytes, data, &request), AVRM_OK);
        member.until([&] { return request.completions == 1; });
        EXPECT_EQ(request.status, AVRM_OK);
        EXPECT_EQ(request.bytes, bytes);
      }
    } else {
      member.wait_for(sizes.size());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(member.arrived[i].match, sizes[i]);
        EXPECT_EQ(member.arrived[i].bytes, sizes[i]);
        EXPECT_TRUE(member.arrived[i].data == content(sizes[i], sizes[i])) << sizes[i];
      }
    }
    member.meet();
  });
}

TEST_P(PosixWay, SixtyFourMebibytesArriveWhole) {
  run(2, [](Member &member) {
    const Bytes data = content(64, 64 * kMiB);
    member.connect_all();
    Request request;
    ASSERT_EQ(member.send(1 - member.rank, 64, data, &request), AVRM_OK);
    member.wait_for(1);
    member.until([&] { return request.completions == 1; });
    EXPECT_TRUE(member.arrived[0].data == data);
    member.meet();
  });
}

TEST_P(PosixWay, MessagesOfOneSenderArriveInOrder) {
  static constexpr std::uint64_t kMessages = 3000;
  run(2, [](Member &member) {
    member.connect_all();
    auto engine = seeded_engine();
    std::vector<Bytes> sent;
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      constexpr std::size_t kBounds[] = {64, 64, 64, 1024, kEagerMax + 1, 40000, 200000};
      sent.push_back(content(i, below(engine, kBounds[below(engine, std::size(kBounds))])));
    }
    if (member.rank == 0) {
      std::vector<Request> requests(kMessages);
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        ASSERT_EQ(member.send(1, i, sent[i], &requests[i]), AVRM_OK);
      }
      for (Request &request : requests) {
        member.until([&] { return request.completions == 1; });
      }
    } else {
      member.wait_for(kMessages);
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        ASSERT_EQ(member.arrived[i].match, i);
        ASSERT_TRUE(member.arrived[i].data == sent[i]) << i;
      }
    }
    member.meet();
  });
}

TEST_P(PosixWay, AllToAllOfMixedSizesArrivesWhole) {
  static constexpr int kSize = 4;
  static constexpr std::size_t kRounds = 20;
  run(kSize, [](Member &member) {
    member.connect_all();
    const auto data_of = [](int from, int to, std::size_t round) {
      const std::uint64_t seed = round * 100 + static_cast<std::uint64_t>(from * 10 + to);
      return content(seed, round % 4 == 0 ? 30000 + seed : seed * 7 % 200);
    };
    std::vector<Bytes> data;
    std::vector<std::unique_ptr<Request>> requests;
    for (std::size_t round = 0; round < kRounds; ++round) {
      for (int peer = 0; peer < kSize; ++peer) {
        if (peer != member.rank) {
          data.push_back(data_of(member.rank, peer, round));
          requests.push_back(std::make_unique<Request>());
          ASSERT_EQ(member.send(peer, round, data.back(), requests.back().get()), AVRM_OK);
        }
      }
    }
    member.wait_for((kSize - 1) * kRounds);
    for (const Arrived &message : member.arrived) {
      EXPECT_TRUE(message.data == data_of(message.source, member.rank, message.match));
    }
    for (const auto &request : requests) {
      member.until([&] { return request->completions == 1; });
    }
    member.meet();
  });
}

TEST_P(PosixWay, ShortBufferTakesWhatItHolds) {
  static constexpr std::size_t kBytes = 300000;
  run(2, [](Member &member) {
    member.connect_all();
    const Bytes data = content(3, kBytes);
    if (member.rank == 0) {
      Request request;
      ASSERT_EQ(member.send(1, 3, data, &request), AVRM_OK);
      member.until([&] { return request.completions == 1; });
      EXPECT_EQ(request.status, AVRM_OK);
    } else {
      member.take_at_once = false;
      member.wait_for(1);
      Arrived &message = member.arrived[0];
      member.take(message, 10001);
      member.until([&] { return message.whole(); });
      EXPECT_EQ(message.take->status, AVRM_ERR_TRUNCATED);
      EXPECT_EQ(message.take->bytes, kBytes);
      EXPECT_EQ(message.take->match, 3U);
      EXPECT_TRUE(std::equal(message.data.begin(), message.data.end(), data.begin()));
    }
    member.meet();
  });
}

TEST_P(PosixWay, MessageThatNobodyWantsLetsItsSenderGo) {
  run(2, [](Member &member) {
    member.connect_all();
    const Bytes data = content(3, kMiB);
    if (member.rank == 0) {
      Request request;
      ASSERT_EQ(member.send(1, 3, data, &request), AVRM_OK);
      member.until([&] { return request.completions == 1; });
      EXPECT_EQ(request.status, AVRM_OK);
    } else {
      member.take_at_once = false;
      member.wait_for(1);
      member.take(member.arrived[0], 0);
      EXPECT_EQ(member.arrived[0].take->status, AVRM_ERR_TRUNCATED);
    }
    member.meet();
  });
}

TEST_P(PosixWay, MessagesThatNobodyHasMemoryForWaitInTheirOrder) {
  static constexpr std::size_t kSizes[] = {3, 5000, kMiB, 8};
  run(2, [](Member &member) {
    member.connect_all();
    if (member.rank == 0) {
      std::vector<Bytes> data;
      Request requests[4];
      for (std::size_t i = 0; i < 4; ++i) {
        data.push_back(content(i, kSizes[i]));
        ASSERT_EQ(member.send(1, i, data[i], &requests[i]), AVRM_OK);
      }
      for (Request &request : requests) {
        member.until([&] { return request.completions == 1; });
      }
    } else {
      member.take_at_once = false;
      member.refuses_once = true;
      member.wait_for(4);
      EXPECT_EQ(member.refused, 4U);
      for (std::size_t i = 0; i < 4; ++i) {
        Arrived &message = member.arrived[i];
        ASSERT_EQ(message.match, i);
        if (message.data.empty()) { // on offer
          member.take(message, kSizes[i]);
          member.until([&] { return message.whole(); });
        }
        EXPECT_TRUE(message.data == content(i, kSizes[i])) << i;
      }
    }
    member.meet();
  });
}

TEST_P(PosixWay, ActiveMessagesThatAreNotTakenAreOfferedAgainInOrder) {
  run(2, [](Member &member) {
    constexpr std::size_t kMessages = 30;
    const auto length = [](std::size_t i) { return i % 3 == 0 ? std::size_t{500} : 10 + i; };
    member.connect_all();
    if (member.rank == 0) {
      for (std::size_t i = 0; i < kMessages; ++i) {
        member.until([&] {
          return member.ops->am_send(member.shm, 1, nullptr, 0, content(i, length(i)).data(), length(i)) == AVRM_OK;
        });
      }
    } else {
      for (std::size_t i = 0; i < kMessages; ++i) {
        member.refusals = 1 + static_cast<int>(i % 3);
        member.until([&] { return member.active.size() > i; });
        EXPECT_TRUE(member.active[i] == content(i, length(i))) << i;
      }
    }
    member.meet();
  });
}

TEST_P(PosixWay, OffersMayBeTakenInAnyOrder) {
  static constexpr std::size_t kMessages = 100; // more than one slab of offers
  run(2, [](Member &member) {
    member.connect_all();
    if (member.rank == 0) {
      std::vector<Bytes> data;
      std::vector<Request> requests(kMessages);
      for (std::size_t i = 0; i < kMessages; ++i) {
        data.push_back(content(i, 20000 + i));
        ASSERT_EQ(member.send(1, i, data[i], &requests[i]), AVRM_OK);
      }
      for (Request &request : requests) {
        member.until([&] { return request.completions == 1; });
      }
    } else {
      member.take_at_once = false;
      member.wait_for(kMessages);
      for (std::size_t i = kMessages; i-- > 0;) {
        member.take(member.arrived[i], member.arrived[i].bytes);
      }
      member.wait_for(kMessages);
      for (std::size_t i = 0; i < kMessages; ++i) {
        EXPECT_TRUE(member.arrived[i].data == content(i, 20000 + i)) << i;
      }
    }
    member.meet();
  });
}

TEST_P(PosixWay, ReceiverThatIsNotConnectedAnswersAllTheSame) {
  run(2, [](Member &member) {
    if (member.rank == 0) {
      ASSERT_EQ(member.connect(1), AVRM_OK);
      const Bytes data = content(5, kMiB);
      Request request;
      ASSERT_EQ(member.send(1, 5, data, &request), AVRM_OK);
      member.until([&] { return request.completions == 1; });
    } else {
      member.wait_for(1);
      EXPECT_TRUE(member.arrived[0].data == content(5, kMiB));
    }
    member.meet();
  });
}

// The sender waits for the answer.
TEST_P(PosixWay, ReceiverWithoutDescriptorsAnswersOnceItHasSome) {
  run(2, [](Member &member) {
    if (member.rank == 0) {
      ASSERT_EQ(member.connect(1), AVRM_OK);
      const Bytes data = content(5, kMiB);
      Request request;
      ASSERT_EQ(member.send(1, 5, data, &request), AVRM_OK);
      member.until([&] { return request.completions == 1; });
      EXPECT_EQ(request.status, AVRM_OK);
    } else {
      {
        const LowLimit none(RLIMIT_NOFILE, 0);
        member.until([&] { return member.arrived.size() == 1; });
        for (int i = 0; i < 100; ++i) {
          member.poll();
        }
        ASSERT_EQ(member.arrived[0].take->completions, 0) << avrm_status_name(member.arrived[0].take->status);
      }
      member.wait_for(1);
      EXPECT_EQ(member.arrived[0].take->status, AVRM_OK);
      EXPECT_TRUE(member.arrived[0].data == content(5, kMiB));
    }
    member.meet();
  });
}

TEST_P(PosixWay, KilledReceiverEndsTheSend) {
  run(2,
      [](Member &member) {
        if (member.rank == 1) {
          member.take_at_once = false;
          member.wait_for(1);
          member.board->flag = 1;
          (void)raise(SIGKILL);
        }
        member.connect_all();
        const Bytes data = content(1, 4 * kMiB);
        Request request;
        ASSERT_EQ(member.send(1, 1, data, &request), AVRM_OK);
        member.until([&] { return member.board->flag == 1; });
        EXPECT_EQ(request.completions, 0);
        member.ops->peer_failed(member.shm, 1);
        EXPECT_EQ(request.completions, 1);
        EXPECT_EQ(request.status, AVRM_ERR_PEER);
        EXPECT_EQ(member.ops->send(member.shm, 1, 1, data.data(), 8, nullptr), AVRM_ERR_PEER);
        EXPECT_EQ(member.ops->am_send(member.shm, 1, data.data(), 8, nullptr, 0), AVRM_ERR_PEER);
        EXPECT_EQ(member.connect(1), AVRM_ERR_PEER);
      },
      {0, 128 + SIGKILL});
}

TEST_P(PosixWay, OfferOfAKilledSenderEndsWithPeer) {
  run(2,
      [](Member &member) {
        const Bytes data = content(1, 4 * kMiB);
        if (member.rank == 1) {
          member.connect_all();
          Request request;
          ASSERT_EQ(member.send(0, 1, data, &request), AVRM_OK);
          (void)raise(SIGKILL);
        }
        member.take_at_once = false;
        member.wait_for(1);
        member.ops->peer_failed(member.shm, 1);
        member.take(member.arrived[0], 4 * kMiB);
        EXPECT_TRUE(member.arrived[0].whole());
        EXPECT_EQ(member.arrived[0].take->status, AVRM_ERR_PEER);
      },
      {0, 128 + SIGKILL});
}

TEST(PosixRing, TakeThatIsUnderWayEndsWhenTheSenderDies) {
  setenv("AVRM_POSIX_NO_CMA", "1", 1);
  run_job(2,
          [](Member &member) {
            const Bytes data = content(1, 4 * kMiB);
            if (member.rank == 1) {
              member.connect_all();
              Request request;
              ASSERT_EQ(member.send(0, 1, data, &request), AVRM_OK);
              member.until([&] { return member.board->flag == 1; });
              (void)raise(SIGKILL);
            }
            member.until([&] { return !member.arrived.empty(); });
            member.board->flag = 1;
            // The sender pushed less than all before it died, because the ring is shorter.
            Arrived &message = member.arrived[0];
            EXPECT_FALSE(message.whole());
            member.ops->peer_failed(member.shm, 1);
            EXPECT_TRUE(message.whole());
            EXPECT_EQ(message.take->status, AVRM_ERR_PEER);
            // Chunks that are still in the ring have no destination any more.
            message.data.clear();
            message.data.shrink_to_fit();
            for (int i = 0; i < 1000; ++i) {
              member.poll();
            }
            EXPECT_EQ(message.take->completions, 1);
          },
          {0, 128 + SIGKILL});
  unsetenv("AVRM_POSIX_NO_CMA");
}

TEST(PosixRing, FullRingOfADeadProcessPushesBack) {
  run_job(2,
          [](Member &member) {
            if (member.rank == 1) {
              while (member.board->flag == 0) {
                sched_yield();
              }
              (void)raise(SIGKILL);
            }
            member.connect_all();
            member.board->flag = 1;
            avrm_status_t status = AVRM_OK;
            for (int i = 0; i < 100000 && status == AVRM_OK; ++i) {
              status = member.ops->send(member.shm, 1, 1, &i, sizeof i, nullptr);
            }
            EXPECT_EQ(status, AVRM_ERR_AGAIN);
            member.ops->peer_failed(member.shm, 1);
            EXPECT_EQ(member.ops->send(member.shm, 1, 1, nullptr, 0, nullptr), AVRM_ERR_PEER);
          },
          {0, 128 + SIGKILL});
}

TEST(PosixRing, WholeMessagesOfADeadSenderStillArrive) {
  run_job(2,
          [](Member &member) {
            if (member.rank == 1) {
              member.connect_all();
              for (std::uint64_t i = 0; i < 100; ++i) {
                ASSERT_EQ(member.send(0, i, content(i, i * 10), nullptr), AVRM_OK);
              }
              member.board->flag = 1;
              (void)raise(SIGKILL);
            }
            while (member.board->flag == 0) {
              sched_yield();
            }
            member.ops->peer_failed(member.shm, 1);
            member.wait_for(100);
            for (std::uint64_t i = 0; i < 100; ++i) {
              EXPECT_TRUE(member.arrived[i].data == content(i, i * 10)) << i;
            }
          },
          {0, 128 + SIGKILL});
}

TEST(PosixRing, ReceiverThatSleepsPushesBackAndLosesNothing) {
  static constexpr std::uint64_t kMessages = 5000;
  run_job(2, [](Member &member) {
    member.connect_all();
    if (member.rank == 0) {
      std::uint64_t sent = 0;
      while (member.ops->send(member.shm, 1, sent, &sent, sizeof sent, nullptr) == AVRM_OK) {
        ++sent;
      }
      EXPECT_LT(sent, kMessages);
      member.board->flag = 1;
      for (; sent < kMessages; ++sent) {
        Bytes data(sizeof sent);
        std::memcpy(data.data(), &sent, sizeof sent);
        ASSERT_EQ(member.send(1, sent, data, nullptr), AVRM_OK);
      }
    } else {
      while (member.board->flag == 0) {
        sched_yield();
      }
      member.wait_for(kMessages);
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, member.arrived[i].data.data(), sizeof value);
        ASSERT_EQ(value, i);
      }
    }
    member.meet();
  });
}

TEST(PosixRing, SixteenSendersReachOneReceiver) {
  static constexpr std::uint64_t kMessages = 300;
  static constexpr int kSize = 16;
  run_job(kSize, [](Member &member) {
    const auto data_of = [](int source, std::uint64_t i) {
      const auto seed = static_cast<std::uint64_t>(source) * 1000 + i;
      return content(seed, i % 50 == 0 ? 20000 : seed % 150);
    };
    if (member.rank == 0) {
      member.wait_for((kSize - 1) * kMessages);
      std::uint64_t next[kSize] = {};
      for (const Arrived &message : member.arrived) {
        ASSERT_EQ(message.match, next[message.source]++);
        ASSERT_TRUE(message.data == data_of(message.source, message.match));
      }
    } else {
      ASSERT_EQ(member.connect(0), AVRM_OK);
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        const Bytes data = data_of(member.rank, i);
        Request request;
        ASSERT_EQ(member.send(0, i, data, &request), AVRM_OK);
        member.until([&] { return request.completions == 1; });
      }
    }
    member.meet();
  });
}

TEST(PosixRing, ProcessReachesItself) {
  run_job(1, [](Member &member) {
    ASSERT_EQ(member.connect(0), AVRM_OK);
    const Bytes data = content(9, 100000);
    Request request;
    ASSERT_EQ(member.send(0, 9, data, &request), AVRM_OK);
    member.wait_for(1);
    member.until([&] { return request.completions == 1; });
    EXPECT_TRUE(member.arrived[0].data == data);
  });
}

} // namespace
