// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The headers of the standard library that most sources of the library include, compiled once with
// AVRM_PRECOMPILE. Each file still includes what it uses, because other builds do not precompile
// headers.
#ifndef AVRANKMAP_SRC_BASE_STANDARD_HEADERS_H
#define AVRANKMAP_SRC_BASE_STANDARD_HEADERS_H

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#endif
