// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The processor's own counters, through PAPI, where the machine has them and the build found
// PAPI. Virtual machines often have none: then every call says so, and single-stepping and
// cachegrind stand in.
//
//     Result<HwCounters> counters = HwCounters::open_standard();
//     if (counters && !counters->start()) { work(); auto readings = counters->stop(); ... }
#pragma once

#include "counters/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::counters {

struct HwReading {
  static constexpr const char *source = "PAPI";

  std::string name;  // what was asked for: an event's name, or the meaning of one of open_standard
  std::string event; // the PAPI event that was counted
  std::uint64_t count = 0;
};

// One PAPI event set of the calling thread, released with this object. Start, stop and destroy
// in that thread.
class HwCounters {
public:
  struct Missing {
    std::string name;
    std::string reason;
  };

  // All of these PAPI events together, or a failure that names the first that cannot be
  // added and says why.
  static Result<HwCounters> open(const std::vector<std::string> &events);

  // As many as can be counted together of: instructions, l1d_misses, l2_misses, l3_misses.
  // Unavailable only when none can; missing() says why the others are not there.
  static Result<HwCounters> open_standard();

  HwCounters(const HwCounters &) = delete;
  HwCounters &operator=(const HwCounters &) = delete;
  HwCounters(HwCounters &&other) noexcept;
  HwCounters &operator=(HwCounters &&other) noexcept;
  ~HwCounters();

  // Counts from zero. Fails if started already.
  [[nodiscard]] std::optional<Failure> start();

  // Ends the count: one reading per event, in the order of opening. Fails if not started.
  Result<std::vector<HwReading>> stop();

  [[nodiscard]] const std::vector<Missing> &missing() const { return missing_; }

private:
  explicit HwCounters(int event_set) : event_set_(event_set) {}
  static Result<HwCounters> create();
  std::optional<Failure> add(const std::string &name, const std::string &event);
  void close() noexcept;

  int event_set_;
  bool running_ = false;
  std::vector<HwReading> events_; // counts unused
  std::vector<Missing> missing_;
};

} // namespace avrankmap::counters
