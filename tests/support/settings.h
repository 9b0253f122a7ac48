// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of the tests, from environment variables. seed.h has one more, AVRM_TEST_SEED.
//
//   AVRM_TEST_LONG   set to anything but "0": tests may take long
//   AVRM_FUZZ_RUNS   number of random inputs that a fuzz target gets; 5,000 by default
#ifndef AVRANKMAP_TESTS_SUPPORT_SETTINGS_H
#define AVRANKMAP_TESTS_SUPPORT_SETTINGS_H

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace avrankmap::test {

inline bool is_long() {
  const char *const text = std::getenv("AVRM_TEST_LONG");
  return text != nullptr && std::string_view(text) != "0";
}

// Whether a test shall be content with less: in builds with assertions, which are slow, unless it
// may take long.
inline bool is_brief() {
#ifdef NDEBUG
  return false;
#else
  return !is_long();
#endif
}

// Seconds after which a process hangs, also on a slow, busy machine with a sanitizer.
inline constexpr unsigned kHangsAfterS = 240;

// How many random checks against a twin a test makes.
inline std::int64_t twin_checks() {
  if (is_long()) {
    return 1000000000;
  }
  return is_brief() ? 1000000 : 3000000;
}

inline unsigned long fuzz_runs() {
  const char *const text = std::getenv("AVRM_FUZZ_RUNS");
  return text != nullptr ? std::strtoul(text, nullptr, 10) : 5000;
}

} // namespace avrankmap::test

#endif
