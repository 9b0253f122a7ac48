// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of waiting, on a device that never sleeps and on one that sleeps as soon as it can: the
// way of an 8-byte message to a process that has waited for some milliseconds, the share of a
// processor that the wait takes, and ping-pong, in which nobody sleeps. Waking a process takes a
// machine some time whoever does it, 40 to 200 us on virtual processors, so that each message to a
// sleeper is compared with a bare wake-up:
//
//     BM_Sleep/<transport>
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_SLEEP_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_SLEEP_H

#include "measurement/measurement.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

struct SleepOptions {
  int messages = 0;   ///< at most kMaxRounds
  std::string filter; ///< regular expression on the names; empty for all
};

/// One transport.
struct SleepCost {
  std::string transport;
  bool shared_memory = false;
  bool wakes = false;   ///< its arrivals wake the process; else it is polled at growing intervals
  double awake_us = 0;  ///< from before the send to after the wait, of a process that polls; median
  double asleep_us = 0; ///< the same of one that sleeps
  double bare_us = 0;   ///< from before a write to an eventfd until its sleeper runs; median
  double awake_share = 0;
  double asleep_share = 0; ///< of a processor, while the wait lasts
  double never_us = 0;     ///< half a round trip of ping-pong, on the device that never sleeps
  double ready_us = 0;     ///< the same on the other
};
AVRM_BENCH_ROW(SleepCost, transport, shared_memory, wakes, awake_us, asleep_us, bare_us, awake_share, asleep_share,
               never_us, ready_us);

std::vector<SleepCost> measure_sleep(const SleepOptions &options, const Log &progress, const Log &note);

extern const Measurement kSleep;

} // namespace avrankmap::bench

#endif
