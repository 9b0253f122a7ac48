// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which sanitizers check this build, of gcc or clang, and the leaks that they find.
#ifndef AVRANKMAP_TESTS_SUPPORT_SANITIZERS_H
#define AVRANKMAP_TESTS_SUPPORT_SANITIZERS_H

#if defined(__SANITIZE_ADDRESS__)
#define AVRM_TEST_FINDS_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AVRM_TEST_FINDS_LEAKS 1
#endif
#endif
#ifndef AVRM_TEST_FINDS_LEAKS
#define AVRM_TEST_FINDS_LEAKS 0
#endif

#if AVRM_TEST_FINDS_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace avrankmap::test {

// Whether a sanitizer checks every load and store, which makes them about ten times slower.
#if defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__clang__)
constexpr bool kSanitized = AVRM_TEST_FINDS_LEAKS != 0 || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = AVRM_TEST_FINDS_LEAKS != 0;
#endif

// To be called before a forked process ends, which skips the check at exit. False without address
// sanitizer.
inline bool has_leaks() noexcept {
#if AVRM_TEST_FINDS_LEAKS
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

} // namespace avrankmap::test

#endif
