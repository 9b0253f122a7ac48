// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What wrap_pmi2.cc pretends in threads, whose calls the faults do not count.
#ifndef AVRANKMAP_TESTS_FAULT_PMI2_SERVER_H
#define AVRANKMAP_TESTS_FAULT_PMI2_SERVER_H

#include <atomic>

namespace avrankmap::test {

// Fences that fail from now on.
inline std::atomic<int> refused_pmi2_fences{0};
// Calls of PMI2_Finalize.
inline std::atomic<int> pmi2_finalizes{0};

} // namespace avrankmap::test

#endif
