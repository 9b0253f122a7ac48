// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the launchers that wrap_pmi2.cc and wrap_pmix.cc pretend are asked and answer: calls, bytes
// of keys and values. Also of threads.
#ifndef AVRANKMAP_TESTS_FAULT_LAUNCHER_TRAFFIC_H
#define AVRANKMAP_TESTS_FAULT_LAUNCHER_TRAFFIC_H

#include <atomic>
#include <cstddef>

#include "tests/device/fault/faults.h"

namespace avrankmap::test {

struct LauncherTraffic {
  std::atomic<std::size_t> calls{0};
  std::atomic<std::size_t> out{0};
  std::atomic<std::size_t> in{0};

  void add(std::size_t more_out, std::size_t more_in) noexcept {
    ++calls;
    out += more_out;
    in += more_in;
  }
};

inline LauncherTraffic launcher_traffic;

inline bool fails(const char *call) noexcept { return is_due(kBoot, call); }

// The launcher's allocations are not the library's.
class Outside {
public:
  Outside() noexcept : saved_(faults()) { disarm(); }
  ~Outside() { faults() = saved_; }
  Outside(const Outside &) = delete;
  Outside &operator=(const Outside &) = delete;

private:
  Faults saved_;
};

} // namespace avrankmap::test

#endif
