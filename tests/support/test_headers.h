// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The headers that most tests include, compiled once. Tests still include what they use, so that
// they also build without precompiled headers.
#ifndef AVRANKMAP_TESTS_SUPPORT_TEST_HEADERS_H
#define AVRANKMAP_TESTS_SUPPORT_TEST_HEADERS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#endif
