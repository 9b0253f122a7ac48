// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tells a test when the code under test passes a process-wide memory barrier. barrier_probe.cc defines `syscall` in front
// of the C library's, so that it is the library as built that is observed, not a copy made for the test.
#ifndef AVRANKMAP_TESTS_AV_BARRIER_PROBE_H
#define AVRANKMAP_TESTS_AV_BARRIER_PROBE_H

#include <functional>

namespace avrankmap::test {

// While it exists, calls `at_barrier` whenever the thread that made it asks for a barrier, instead of doing one.
class BarrierProbe {
public:
  explicit BarrierProbe(std::function<void()> at_barrier);
  BarrierProbe(const BarrierProbe &) = delete;
  BarrierProbe &operator=(const BarrierProbe &) = delete;
  ~BarrierProbe();
};

} // namespace avrankmap::test

#endif
