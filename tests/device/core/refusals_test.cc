// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transports that refuse an operation again and again.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include "core/progress/progress.h"
#include "tests/device/core/process.h"

namespace avrankmap::test {
namespace {

TEST(Refusals, AreNotForMemoryWhileTheSystemHasSome) {
  detail::Refusals refusals;
  for (int look = 0; look < 30; ++look) {
    for (int i = 0; i < 256; ++i) {
      ASSERT_FALSE(refusals.are_for_memory());
    }
    usleep(50000); // more than a second in all
  }
}

[[noreturn]] void refuse_without_memory() {
  const rlimit none{1 << 20, 1 << 20};
  setrlimit(RLIMIT_AS, &none);
  detail::Refusals refusals;
  alarm(60);
  while (!refusals.are_for_memory()) {
  }
  _exit(0);
}

TEST(Refusals, AreForMemoryOnceTheSystemHasNone) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer needs address space itself";
  }
  EXPECT_EXIT(refuse_without_memory(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace avrankmap::test
