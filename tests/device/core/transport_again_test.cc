// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transports that refuse an operation again and again.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "core/progress/progress.h"
#include "tests/device/core/process.h"
#include "tests/support/pages.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kLarge = std::size_t{12} << 20; // as ofi_rxm allocates

// What a provider does that reports a lack of memory as a full queue.
bool is_refused(bool wants_memory) {
  detail::Refusals::begin();
  void *const block = wants_memory ? std::malloc(kLarge) : nullptr;
  std::free(block);
  return block == nullptr;
}

TEST(TransportAgain, AreNotForMemoryWhileTheSystemHasSome) {
  detail::Refusals refusals;
  for (int look = 0; look < 22; ++look) {
    ASSERT_TRUE(is_refused(false));
    ASSERT_FALSE(refusals.are_for_memory());
    usleep(50000); // more than a second in all
  }
}

// Some memory is free, but less than is wanted.
[[noreturn]] void refuse_for_memory() {
  const rlim_t most = mapped_bytes() + kLarge / 2;
  const rlimit little{most, most};
  setrlimit(RLIMIT_AS, &little);
  detail::Refusals refusals;
  alarm(60);
  bool is_right = is_refused(true) && !refusals.are_for_memory() && is_refused(false) && !refusals.are_for_memory();
  do {
    is_right = is_right && is_refused(true);
  } while (!refusals.are_for_memory());
  _exit(is_right ? 0 : 1);
}

TEST(TransportAgain, AreForMemoryOnceTheSystemHasTooLittle) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer needs address space itself";
  }
  EXPECT_EXIT(refuse_for_memory(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace avrankmap::test
