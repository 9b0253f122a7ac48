// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For tests that count: skips a test whose count this machine cannot take, and fails it if a count
// has failed. `result` is a counters::Result (bench/counters/result.h).
#ifndef AVRANKMAP_TESTS_SUPPORT_COUNTED_H
#define AVRANKMAP_TESTS_SUPPORT_COUNTED_H

#include <gtest/gtest.h>

#define AVRM_ASSERT_COUNTED(result)                                                                                    \
  do {                                                                                                                 \
    if ((result).is_unavailable())                                                                                     \
      GTEST_SKIP() << (result).message();                                                                              \
    ASSERT_TRUE((result).ok()) << (result).message();                                                                  \
  } while (false)

#endif
