// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shared pages where the size of files is limited, or memory is counted strictly.
#include "base/file_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "dynamic/socket.h"
#include "tests/device/limits/low_limit.h"
#include "tests/device/limits/own_mounts.h"

namespace avrankmap::test {
namespace {

using detail::make_pages;
using File = detail::Socket; // closes its descriptor

constexpr std::size_t kBytes = std::size_t{3} << 20;

// Bytes that a new file of kBytes occupies.
std::size_t allocated() {
  const File file(memfd_create("pages", MFD_CLOEXEC));
  EXPECT_EQ(make_pages(file.get(), kBytes), 0);
  struct stat about {};
  EXPECT_EQ(fstat(file.get(), &about), 0);
  EXPECT_EQ(static_cast<std::size_t>(about.st_size), kBytes);
  return static_cast<std::size_t>(about.st_blocks) * 512;
}

bool is_signal_pending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

TEST(FilePages, AreAnErrorBeyondTheLimit) {
  const File file(memfd_create("pages", MFD_CLOEXEC));
  const LowLimit limit(RLIMIT_FSIZE, kBytes);
  EXPECT_EQ(make_pages(file.get(), kBytes + 1), EFBIG);
  EXPECT_EQ(make_pages(file.get(), kBytes), 0);
}

// A program may wait for the signal by itself.
TEST(FilePages, LeaveTheMaskAndPendingSignalsAlone) {
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  sigaddset(&held, SIGXFSZ);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &held, &before), 0);
  const File file(memfd_create("pages", MFD_CLOEXEC));
  const LowLimit limit(RLIMIT_FSIZE, kBytes);
  EXPECT_EQ(make_pages(file.get(), kBytes + 1), EFBIG);
  EXPECT_FALSE(is_signal_pending());
  ASSERT_EQ(raise(SIGXFSZ), 0);
  EXPECT_EQ(make_pages(file.get(), kBytes + 1), EFBIG);
  EXPECT_TRUE(is_signal_pending());
  int number = 0;
  EXPECT_EQ(sigwait(&held, &number), 0);
  sigset_t after;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, &after), 0);
  EXPECT_EQ(sigismember(&after, SIGXFSZ), 1);
}

TEST(FilePages, AreAllocatedOnlyWhereMemoryIsCounted) {
  for (const char *const mode : {"0", "2"}) {
    const auto pretend = [mode] {
      constexpr const char *kFile = "/dev/shm/mode";
      return mount("tmpfs", "/dev/shm", "tmpfs", 0, nullptr) == 0 && std::ofstream(kFile) << mode << std::endl &&
             mount(kFile, "/proc/sys/vm/overcommit_memory", nullptr, MS_BIND, nullptr) == 0;
    };
    with_own_mounts(pretend, [mode] { EXPECT_EQ(allocated(), *mode == '2' ? kBytes : 0u); });
  }
}

} // namespace
} // namespace avrankmap::test
