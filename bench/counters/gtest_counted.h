// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests that count include: a count that this machine cannot take is a visible skip, any other trouble fails.
#pragma once

#include "counters/result.h"

#include <gtest/gtest.h>

#define AVRM_ASSERT_COUNTED(result)                                                                                    \
  do {                                                                                                                 \
    if ((result).is_unavailable())                                                                                     \
      GTEST_SKIP() << (result).message();                                                                              \
    ASSERT_TRUE((result).ok()) << (result).message();                                                                  \
  } while (false)
