// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shared-memory shmmod: active messages, windows, opening and connecting.
#include "posix/posix.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "posix/endpoint.h"
#include "tests/device/shmmod/local_job.h"
#include "tests/support/shared_files.h"

namespace {

using namespace avrankmap::test;
using avrankmap::detail::posix::Card;

std::set<std::string> names_in(const char *folder) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(PosixActive, HandlersMayReply) {
  run_job(2, [](Member &member) {
    member.connect_all();
    const std::vector<std::size_t> sizes = {0, 1, 8, 48, 49, 64, 1000, member.shm->am_max - 4};
    if (member.rank == 1) {
      member.handler = [&](const Bytes &data) {
        // The ring has room for this few replies.
        EXPECT_EQ(member.ops->am_send(member.shm, 0, data.data(), 4, data.data() + 4, data.size() - 4), AVRM_OK);
      };
      member.until([&] { return member.active.size() == sizes.size(); });
    } else {
      for (const std::size_t bytes : sizes) {
        ASSERT_EQ(member.am_send(1, content(1, 4), content(2, bytes)), AVRM_OK);
      }
      member.until([&] { return member.active.size() == sizes.size(); });
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        Bytes expected = content(1, 4);
        const Bytes payload = content(2, sizes[i]);
        expected.insert(expected.end(), payload.begin(), payload.end());
        EXPECT_TRUE(member.active[i] == expected) << sizes[i];
      }
    }
    member.meet();
  });
}

TEST(PosixActive, LongestActiveMessageIsEightKibibytesOrMore) {
  run_job(1, [](Member &member) { EXPECT_GE(member.shm->am_max, 8192U); });
}

TEST(PosixActive, LongerOneIsRefused) {
  run_job(1, [](Member &member) {
    ASSERT_EQ(member.connect(0), AVRM_OK);
    EXPECT_EQ(member.am_send(0, content(1, 64), content(2, member.shm->am_max - 63)), AVRM_ERR_SIZE);
  });
}

TEST(PosixActive, ProgressWithinAHandlerHandlesNothing) {
  run_job(1, [](Member &member) {
    ASSERT_EQ(member.connect(0), AVRM_OK);
    member.handler = [&](const Bytes &) { EXPECT_EQ(member.ops->progress(member.shm), 0); };
    ASSERT_EQ(member.am_send(0, content(1, 8), {}), AVRM_OK);
    ASSERT_EQ(member.am_send(0, content(2, 8), {}), AVRM_OK);
    member.until([&] { return member.active.size() == 2; });
  });
}

TEST(PosixMemory, PeersStoreIntoWindows) {
  static constexpr std::size_t kWindow = 100000;
  run_job(3, [](Member &member) {
    void *base = nullptr;
    avrm_shmmod_memory_t *own = nullptr;
    ASSERT_EQ(member.ops->memory_allocate(member.shm, nullptr, kWindow, &base, &own), AVRM_OK);
    const auto me = static_cast<std::size_t>(member.rank);
    Board &board = *member.board;
    board.window_bytes[me] = sizeof board.windows[me];
    ASSERT_EQ(member.ops->memory_describe(member.shm, own, board.windows[me], &board.window_bytes[me]), AVRM_OK);
    member.connect_all();
    member.meet();
    // Each process puts its third into every window, then signals.
    for (int peer = 0; peer < member.size; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      void *there = nullptr;
      avrm_shmmod_memory_t *mapped = nullptr;
      ASSERT_EQ(member.ops->memory_map(member.shm, peer, board.windows[at], board.window_bytes[at], 1, &there, &mapped),
                AVRM_OK);
      std::memset(static_cast<unsigned char *>(there) + me * (kWindow / 3), member.rank + 1, kWindow / 3);
      member.ops->memory_release(member.shm, mapped);
      if (peer != member.rank) {
        ASSERT_EQ(member.send(peer, 1, {}, nullptr), AVRM_OK);
      }
    }
    member.wait_for(2);
    const auto *const bytes = static_cast<const unsigned char *>(base);
    for (std::size_t i = 0; i < kWindow / 3 * 3; ++i) {
      ASSERT_EQ(bytes[i], i / (kWindow / 3) + 1);
    }
    member.meet();
    member.ops->memory_release(member.shm, own);
  });
}

TEST(PosixMemory, FreshWindowIsZero) {
  run_job(1, [](Member &member) {
    void *base = nullptr;
    avrm_shmmod_memory_t *own = nullptr;
    ASSERT_EQ(member.ops->memory_allocate(member.shm, nullptr, 5000, &base, &own), AVRM_OK);
    EXPECT_EQ(std::count(static_cast<unsigned char *>(base), static_cast<unsigned char *>(base) + 5000, 0), 5000);
    member.ops->memory_release(member.shm, own);
  });
}

TEST(PosixMemory, WindowOfNoBytesCanBeMapped) {
  run_job(1, [](Member &member) {
    void *base = nullptr;
    avrm_shmmod_memory_t *own = nullptr;
    ASSERT_EQ(member.ops->memory_allocate(member.shm, nullptr, 0, &base, &own), AVRM_OK);
    unsigned char name[AVRM_NETMOD_KEY_MAX];
    std::size_t bytes = sizeof name;
    ASSERT_EQ(member.ops->memory_describe(member.shm, own, name, &bytes), AVRM_OK);
    avrm_shmmod_memory_t *mapped = nullptr;
    EXPECT_EQ(member.ops->memory_map(member.shm, 0, name, bytes, 1, &base, &mapped), AVRM_OK);
    member.ops->memory_release(member.shm, mapped);
    member.ops->memory_release(member.shm, own);
  });
}

TEST(PosixMemory, ReleasedWindowCannotBeMapped) {
  run_job(1, [](Member &member) {
    void *base = nullptr;
    avrm_shmmod_memory_t *own = nullptr;
    ASSERT_EQ(member.ops->memory_allocate(member.shm, nullptr, 4096, &base, &own), AVRM_OK);
    unsigned char name[AVRM_NETMOD_KEY_MAX];
    std::size_t bytes = sizeof name;
    ASSERT_EQ(member.ops->memory_describe(member.shm, own, name, &bytes), AVRM_OK);
    member.ops->memory_release(member.shm, own);
    // A window of the same size that gets the same file descriptor is another one.
    ASSERT_EQ(member.ops->memory_allocate(member.shm, nullptr, 4096, &base, &own), AVRM_OK);
    avrm_shmmod_memory_t *mapped = nullptr;
    EXPECT_EQ(member.ops->memory_map(member.shm, 0, name, bytes, 1, &base, &mapped), AVRM_ERR_PEER);
    member.ops->memory_release(member.shm, own);
  });
}

TEST(PosixMemory, WindowLargerThanAnyMemoryIsRefused) {
  run_job(1, [](Member &member) {
    void *base = nullptr;
    avrm_shmmod_memory_t *own = nullptr;
    EXPECT_EQ(member.ops->memory_allocate(member.shm, nullptr, SIZE_MAX, &base, &own), AVRM_ERR_NO_MEMORY);
    EXPECT_EQ(member.ops->memory_allocate(member.shm, nullptr, SIZE_MAX / 5, &base, &own), AVRM_ERR_NO_MEMORY);
  });
}

class PosixOpen : public testing::Test {
protected:
  PosixOpen() {
    config_.local_size = 4;
    config_.on_message = [](void *, const avrm_arrival_t *) { return true; };
    config_.on_am = [](void *, const void *, std::size_t) { return true; };
  }
  avrm_status_t open() { return ops_->open(&config_, &shm_); }

  const avrm_shmmod_ops_t *ops_ = avrm_shmmod_posix();
  avrm_shmmod_config_t config_{};
  avrm_shmmod_t *shm_ = nullptr;
};

TEST_F(PosixOpen, ChecksItsArguments) {
  EXPECT_EQ(ops_->open(nullptr, &shm_), AVRM_ERR_NULL);
  EXPECT_EQ(ops_->open(&config_, nullptr), AVRM_ERR_NULL);
  config_.local_rank = 4;
  EXPECT_EQ(open(), AVRM_ERR_RANK);
  config_.local_rank = -1;
  EXPECT_EQ(open(), AVRM_ERR_RANK);
  config_.local_size = 0;
  EXPECT_EQ(open(), AVRM_ERR_SIZE);
  config_.on_am = nullptr;
  EXPECT_EQ(open(), AVRM_ERR_NULL);
}

TEST_F(PosixOpen, LeavesNothingBehind) {
  const auto files = shared_files();
  const auto descriptors = names_in("/proc/self/fd");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(open(), AVRM_OK);
    EXPECT_EQ(files_left_behind(files), std::set<std::string>());
    ops_->close(shm_);
  }
  EXPECT_EQ(names_in("/proc/self/fd"), descriptors);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(line.find("avrankmap ("), std::string::npos) << line;
  }
}

TEST_F(PosixOpen, TouchesNoRingBeforeASenderCalls) {
  config_.local_size = 200;
  ASSERT_EQ(open(), AVRM_OK);
  (void)ops_->progress(shm_);
  Card card;
  std::size_t bytes = sizeof card;
  ASSERT_EQ(ops_->card(shm_, &card, &bytes), AVRM_OK);
  struct stat info {};
  ASSERT_EQ(fstat(card.shm_file.fd, &info), 0);
  EXPECT_LE(info.st_blocks * 512, sysconf(_SC_PAGESIZE));
  ops_->close(shm_);
}

TEST_F(PosixOpen, CardNeedsRoom) {
  ASSERT_EQ(open(), AVRM_OK);
  unsigned char card[4];
  std::size_t bytes = sizeof card;
  EXPECT_EQ(ops_->card(shm_, card, &bytes), AVRM_ERR_SIZE);
  ops_->close(shm_);
}

TEST_F(PosixOpen, CardThatIsNoneIsRefused) {
  ASSERT_EQ(open(), AVRM_OK);
  Card card;
  std::size_t bytes = sizeof card;
  ASSERT_EQ(ops_->card(shm_, &card, &bytes), AVRM_OK);
  EXPECT_EQ(ops_->connect(shm_, 4, &card, bytes), AVRM_ERR_RANK);
  EXPECT_EQ(ops_->connect(shm_, 0, &card, bytes - 1), AVRM_ERR_SIZE);
  EXPECT_EQ(ops_->connect(shm_, 1, &card, bytes), AVRM_ERR_TRANSPORT) << "another's card";
  Card odd = card;
  odd.magic ^= 1;
  EXPECT_EQ(ops_->connect(shm_, 0, &odd, bytes), AVRM_ERR_TRANSPORT);
  odd = card;
  odd.shm_file.bytes /= 2;
  EXPECT_EQ(ops_->connect(shm_, 0, &odd, bytes), AVRM_ERR_TRANSPORT);
  odd = card;
  ++odd.shm_file.inode;
  EXPECT_EQ(ops_->connect(shm_, 0, &odd, bytes), AVRM_ERR_PEER);
  odd = card;
  odd.shm_file.fd = 0;
  EXPECT_EQ(ops_->connect(shm_, 0, &odd, bytes), AVRM_ERR_PEER);
  EXPECT_EQ(ops_->connect(shm_, 0, &card, bytes), AVRM_OK);
  EXPECT_EQ(ops_->connect(shm_, 0, &card, bytes), AVRM_OK) << "a second time";
  ops_->close(shm_);
}

TEST_F(PosixOpen, CardOfAClosedShmmodIsRefused) {
  ASSERT_EQ(open(), AVRM_OK);
  Card card;
  std::size_t bytes = sizeof card;
  ASSERT_EQ(ops_->card(shm_, &card, &bytes), AVRM_OK);
  ops_->close(shm_);
  ASSERT_EQ(open(), AVRM_OK);
  EXPECT_EQ(ops_->connect(shm_, 0, &card, bytes), AVRM_ERR_PEER);
  ops_->close(shm_);
}

TEST_F(PosixOpen, StrangerCannotBeSentTo) {
  ASSERT_EQ(open(), AVRM_OK);
  EXPECT_EQ(ops_->send(shm_, 2, 1, nullptr, 0, nullptr), AVRM_ERR_PEER);
  ops_->close(shm_);
}

TEST_F(PosixOpen, LargeMessageNeedsARequest) {
  ASSERT_EQ(open(), AVRM_OK);
  Card card;
  std::size_t bytes = sizeof card;
  ASSERT_EQ(ops_->card(shm_, &card, &bytes), AVRM_OK);
  ASSERT_EQ(ops_->connect(shm_, 0, &card, bytes), AVRM_OK);
  const Bytes data(shm_->inject_max + 1);
  EXPECT_EQ(ops_->send(shm_, 0, 1, data.data(), data.size(), nullptr), AVRM_ERR_SIZE);
  EXPECT_EQ(ops_->send(shm_, 0, 1, data.data(), data.size() - 1, nullptr), AVRM_OK);
  ops_->close(shm_);
}

TEST_F(PosixOpen, CloseCancelsWhatIsUnderWay) {
  ASSERT_EQ(open(), AVRM_OK);
  Card card;
  std::size_t bytes = sizeof card;
  ASSERT_EQ(ops_->card(shm_, &card, &bytes), AVRM_OK);
  ASSERT_EQ(ops_->connect(shm_, 0, &card, bytes), AVRM_OK);
  const Bytes data(100000);
  Request request;
  ASSERT_EQ(ops_->send(shm_, 0, 1, data.data(), data.size(), &request), AVRM_OK);
  ops_->close(shm_);
  EXPECT_EQ(request.completions, 1);
  EXPECT_EQ(request.status, AVRM_ERR_CANCELLED);
}

} // namespace
