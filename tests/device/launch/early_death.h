// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What early_death_job.cc writes.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCH_EARLY_DEATH_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCH_EARLY_DEATH_H

namespace avrankmap::test {

inline constexpr int kNoOutcome = 1; // statuses are 0 and below

} // namespace avrankmap::test

#endif
