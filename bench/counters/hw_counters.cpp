// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/hw_counters.h"

#include <utility>

// The build says 0 or 1: whether PAPI's header and library were found.
#if !defined(AVRM_HAVE_PAPI)
#error "define AVRM_HAVE_PAPI as 0 or 1"
#endif
#if AVRM_HAVE_PAPI
#include <papi.h>
#endif

namespace avrankmap::counters {

namespace {

#if AVRM_HAVE_PAPI
constexpr int no_event_set = PAPI_NULL;

std::string papi_error(const std::string &what, int code) {
  const char *text = PAPI_strerror(code);
  return what + ": " + (text != nullptr ? text : "unknown error") + " (PAPI error " + std::to_string(code) + ")";
}
#else
constexpr int no_event_set = -1;
#endif

struct StandardEvent {
  const char *name;
  // In order of preference: data misses alone say more than all misses.
  std::vector<std::string> events;
};

const std::vector<StandardEvent> &standard_events() {
  static const std::vector<StandardEvent> events = {
      {"instructions", {"PAPI_TOT_INS"}},
      {"l1d_misses", {"PAPI_L1_DCM"}},
      {"l2_misses", {"PAPI_L2_DCM", "PAPI_L2_TCM"}},
      {"l3_misses", {"PAPI_L3_DCM", "PAPI_L3_TCM"}},
  };
  return events;
}

} // namespace

Result<HwCounters> HwCounters::open(const std::vector<std::string> &events) {
  if (events.empty())
    return failed("no events to count");
  Result<HwCounters> counters = create();
  if (!counters)
    return counters;
  for (const std::string &event : events) {
    if (std::optional<Failure> failure = counters->add(event, event))
      return *std::move(failure);
  }
  return counters;
}

Result<HwCounters> HwCounters::open_standard() {
  Result<HwCounters> counters = create();
  if (!counters)
    return counters;
  std::string reasons;
  for (const StandardEvent &wanted : standard_events()) {
    std::optional<Failure> failure;
    std::string reason;
    for (const std::string &event : wanted.events) {
      failure = counters->add(wanted.name, event);
      if (!failure)
        break;
      reason += (reason.empty() ? "" : "; ") + failure->reason;
    }
    if (failure) {
      reasons += (reasons.empty() ? "" : "; ") + reason;
      counters->missing_.push_back({wanted.name, std::move(reason)});
    }
  }
  if (counters->events_.empty())
    return unavailable(std::move(reasons));
  return counters;
}

HwCounters::HwCounters(HwCounters &&other) noexcept
    : event_set_(std::exchange(other.event_set_, no_event_set)), running_(std::exchange(other.running_, false)),
      events_(std::move(other.events_)), missing_(std::move(other.missing_)) {}

HwCounters &HwCounters::operator=(HwCounters &&other) noexcept {
  if (this != &other) {
    close();
    event_set_ = std::exchange(other.event_set_, no_event_set);
    running_ = std::exchange(other.running_, false);
    events_ = std::move(other.events_);
    missing_ = std::move(other.missing_);
  }
  return *this;
}

HwCounters::~HwCounters() { close(); }

#if AVRM_HAVE_PAPI

Result<HwCounters> HwCounters::create() {
  constexpr int wanted = static_cast<int>(PAPI_VER_CURRENT);
  static const int version = PAPI_is_initialized() != PAPI_NOT_INITED ? wanted : PAPI_library_init(wanted);
  if (version != wanted)
    return unavailable(version > 0 ? "PAPI's library is not of its header's version"
                                   : papi_error("PAPI_library_init", version));
  int event_set = PAPI_NULL;
  if (const int rc = PAPI_create_eventset(&event_set); rc != PAPI_OK)
    return unavailable(papi_error("PAPI_create_eventset", rc));
  return HwCounters(event_set);
}

std::optional<Failure> HwCounters::add(const std::string &name, const std::string &event) {
  if (const int rc = PAPI_add_named_event(event_set_, event.c_str()); rc != PAPI_OK)
    return unavailable(papi_error(event, rc));
  events_.push_back({name, event, 0});
  return std::nullopt;
}

std::optional<Failure> HwCounters::start() {
  if (const int rc = PAPI_start(event_set_); rc != PAPI_OK)
    return failed(papi_error("PAPI_start", rc));
  running_ = true;
  return std::nullopt;
}

Result<std::vector<HwReading>> HwCounters::stop() {
  std::vector<long long> values(events_.size());
  if (const int rc = PAPI_stop(event_set_, values.data()); rc != PAPI_OK)
    return failed(papi_error("PAPI_stop", rc));
  running_ = false;
  std::vector<HwReading> readings = events_;
  for (std::size_t i = 0; i < readings.size(); ++i)
    readings[i].count = static_cast<std::uint64_t>(values[i]);
  return readings;
}

void HwCounters::close() noexcept {
  if (event_set_ == PAPI_NULL)
    return;
  if (running_)
    PAPI_stop(event_set_, nullptr);
  PAPI_cleanup_eventset(event_set_);
  PAPI_destroy_eventset(&event_set_);
  running_ = false;
}

#else

Result<HwCounters> HwCounters::create() { return unavailable("built without PAPI"); }

std::optional<Failure> HwCounters::add(const std::string &, const std::string &event) {
  return unavailable(event + ": built without PAPI");
}

std::optional<Failure> HwCounters::start() { return unavailable("built without PAPI"); }

Result<std::vector<HwReading>> HwCounters::stop() { return unavailable("built without PAPI"); }

void HwCounters::close() noexcept {}

#endif

} // namespace avrankmap::counters
