// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The headers that most measurements include, which clang's builds compile once (avrm_precompile).
// Each file still includes what it uses.
#ifndef AVRANKMAP_BENCH_SUPPORT_BENCH_HEADERS_H
#define AVRANKMAP_BENCH_SUPPORT_BENCH_HEADERS_H

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#endif
