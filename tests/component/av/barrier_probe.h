// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reports to a test when the library passes a process-wide memory barrier. barrier_probe.cc
// defines `syscall`, which takes precedence over the C library's, so the test observes the library
// as it was built.
#ifndef AVRANKMAP_TESTS_AV_BARRIER_PROBE_H
#define AVRANKMAP_TESTS_AV_BARRIER_PROBE_H

#include <functional>

namespace avrankmap::test {

// While this object exists, calls `at_barrier` instead of a barrier that the same thread asks for.
class BarrierProbe {
public:
  explicit BarrierProbe(std::function<void()> at_barrier);
  BarrierProbe(const BarrierProbe &) = delete;
  BarrierProbe &operator=(const BarrierProbe &) = delete;
  ~BarrierProbe();
};

} // namespace avrankmap::test

#endif
