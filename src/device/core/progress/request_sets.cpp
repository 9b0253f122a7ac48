// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of and waits for several requests, and waits with a timeout.
#include <algorithm>
#include <chrono>

#include "core/progress/completion.h"

namespace avrankmap::detail {

namespace {

// The requests of an array. Null entries have completed and were freed.
struct RequestSet {
  avrm_request_t **requests;
  std::int32_t count;

  // Returns the index of the first request that is done, or AVRM_UNDEFINED.
  [[nodiscard]] std::int32_t first_done() const noexcept {
    for (std::int32_t i = 0; i < count; ++i) {
      if (requests[i] != nullptr && is_done(requests[i])) {
        return i;
      }
    }
    return AVRM_UNDEFINED;
  }
  [[nodiscard]] std::int32_t first_pending() const noexcept {
    for (std::int32_t i = 0; i < count; ++i) {
      if (requests[i] != nullptr && !is_done(requests[i])) {
        return i;
      }
    }
    return AVRM_UNDEFINED;
  }
  [[nodiscard]] bool is_empty() const noexcept {
    return std::all_of(requests, requests + count, [](const avrm_request_t *request) { return request == nullptr; });
  }
  // Makes progress once on every device that a pending request belongs to. Returns the number of
  // events.
  int progress() const noexcept {
    int events = 0;
    const avrm_device_t *last = nullptr;
    for (std::int32_t i = 0; i < count; ++i) {
      if (requests[i] != nullptr && !is_done(requests[i])) {
        avrm_device_t *const device = core_of(requests[i])->comm->device;
        events += device != last ? avrm_progress(device) : 0;
        last = device;
      }
    }
    return events;
  }
  struct Devices {
    avrm_device_t *first = nullptr;
    bool several = false;
  };
  [[nodiscard]] Devices devices() const noexcept {
    Devices devices;
    for (std::int32_t i = 0; i < count && !devices.several; ++i) {
      if (requests[i] != nullptr && !was_never_pending(requests[i])) {
        avrm_device_t *const device = core_of(requests[i])->comm->device;
        devices.first = devices.first == nullptr ? device : devices.first;
        devices.several = device != devices.first;
      }
    }
    return devices;
  }
  // Waits until is_over(), which is false only while a request is pending. Usually the requests
  // belong to one device, and no others are looked at than those that is_over() looks at.
  template <typename IsOver> void wait(IsOver is_over) const noexcept {
    if (is_over()) {
      return;
    }
    const Devices polled = devices();
    Backoff backoff(polled.first, Sleep::kFree, polled.several);
    do {
      backoff.after(polled.several ? progress() : avrm_progress(polled.first));
    } while (!is_over());
  }
};

bool is_valid(std::int32_t count, avrm_request_t *const *requests) noexcept {
  return count >= 0 && (requests != nullptr || count == 0);
}

avrm_status_t refusal(std::int32_t count) noexcept { return count < 0 ? AVRM_ERR_COUNT : AVRM_ERR_NULL; }

// Retires the requests that are done. Returns their number.
std::int32_t retire_some(const RequestSet &set, std::int32_t *indices, avrm_outcome_t *outcomes) noexcept {
  std::int32_t finished = 0;
  for (std::int32_t i = 0; i < set.count; ++i) {
    if (set.requests[i] != nullptr && is_done(set.requests[i])) {
      (void)retire(&set.requests[i], outcomes == nullptr ? nullptr : &outcomes[finished]);
      indices[finished++] = i;
    }
  }
  return finished;
}

avrm_status_t retire_all(const RequestSet &set, avrm_outcome_t *outcomes) noexcept {
  avrm_status_t first = AVRM_OK;
  for (std::int32_t i = 0; i < set.count; ++i) {
    if (set.requests[i] != nullptr) {
      const avrm_status_t status = retire(&set.requests[i], outcomes == nullptr ? nullptr : &outcomes[i]);
      first = first == AVRM_OK ? status : first;
    }
  }
  return first;
}

// Calls await(set), unless the set is empty, then retires the requests that are done.
template <typename Await>
avrm_status_t finish_some(const RequestSet &set, std::int32_t *finished_p, std::int32_t *indices,
                          avrm_outcome_t *outcomes, Await await) noexcept {
  if (!is_valid(set.count, set.requests)) {
    return refusal(set.count);
  }
  if (finished_p == nullptr || (indices == nullptr && set.count != 0)) {
    return AVRM_ERR_NULL;
  }
  if (set.is_empty()) {
    *finished_p = AVRM_UNDEFINED;
    return AVRM_OK;
  }
  await(set);
  *finished_p = retire_some(set, indices, outcomes);
  return AVRM_OK;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_testany(int32_t count, avrm_request_t **requests, int32_t *index_p, bool *done_p,
                           avrm_outcome_t *outcome_p) noexcept {
  if (!is_valid(count, requests)) {
    return refusal(count);
  }
  if (index_p == nullptr || done_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const RequestSet set{requests, count};
  std::int32_t index = set.first_done();
  if (index == AVRM_UNDEFINED) {
    set.progress();
    index = set.first_done();
  }
  *done_p = index != AVRM_UNDEFINED || set.is_empty();
  *index_p = index;
  if (index != AVRM_UNDEFINED) {
    (void)retire(&requests[index], outcome_p);
  }
  return AVRM_OK;
}

avrm_status_t avrm_testsome(int32_t count, avrm_request_t **requests, int32_t *finished_p, int32_t *indices,
                            avrm_outcome_t *outcomes) noexcept {
  return finish_some({requests, count}, finished_p, indices, outcomes, [](const RequestSet &set) {
    if (set.first_done() == AVRM_UNDEFINED) {
      set.progress();
    }
  });
}

avrm_status_t avrm_testall(int32_t count, avrm_request_t **requests, bool *done_p, avrm_outcome_t *outcomes) noexcept {
  if (!is_valid(count, requests)) {
    return refusal(count);
  }
  if (done_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const RequestSet set{requests, count};
  if (set.first_pending() != AVRM_UNDEFINED) {
    set.progress();
  }
  *done_p = set.first_pending() == AVRM_UNDEFINED;
  if (*done_p) {
    (void)retire_all(set, outcomes);
  }
  return AVRM_OK;
}

avrm_status_t avrm_waitany(int32_t count, avrm_request_t **requests, int32_t *index_p,
                           avrm_outcome_t *outcome_p) noexcept {
  if (!is_valid(count, requests)) {
    return refusal(count);
  }
  if (index_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const RequestSet set{requests, count};
  std::int32_t index = AVRM_UNDEFINED;
  if (!set.is_empty()) {
    set.wait([&] { return (index = set.first_done()) != AVRM_UNDEFINED; });
  }
  *index_p = index;
  return index == AVRM_UNDEFINED ? AVRM_OK : retire(&requests[index], outcome_p);
}

avrm_status_t avrm_waitsome(int32_t count, avrm_request_t **requests, int32_t *finished_p, int32_t *indices,
                            avrm_outcome_t *outcomes) noexcept {
  return finish_some({requests, count}, finished_p, indices, outcomes,
                     [](const RequestSet &set) { set.wait([&set] { return set.first_done() != AVRM_UNDEFINED; }); });
}

avrm_status_t avrm_waitall(int32_t count, avrm_request_t **requests, avrm_outcome_t *outcomes) noexcept {
  if (!is_valid(count, requests)) {
    return refusal(count);
  }
  const RequestSet set{requests, count};
  std::int32_t next = 0; // all before this one are done
  set.wait([&] {
    while (next < count && (requests[next] == nullptr || is_done(requests[next]))) {
      ++next;
    }
    return next == count;
  });
  return retire_all(set, outcomes);
}

avrm_status_t avrm_wait_for(avrm_request_t **request_p, int64_t nanoseconds, avrm_outcome_t *outcome_p) noexcept {
  if (request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (nanoseconds < 0) {
    return AVRM_ERR_OPTION;
  }
  if (*request_p == nullptr) {
    return AVRM_OK;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  if (!is_done(*request_p)) {
    avrm_device_t *const device = core_of(*request_p)->comm->device;
    Backoff backoff(device);
    for (;;) {
      const int events = avrm_progress(device);
      if (is_done(*request_p)) {
        break;
      }
      // Checked after events as well: others may send without a pause.
      const std::int64_t passed = std::chrono::nanoseconds(Clock::now() - start).count();
      if (passed >= nanoseconds) {
        return AVRM_ERR_TIMEOUT;
      }
      backoff.limit(nanoseconds - passed);
      backoff.after(events);
    }
  }
  return retire(request_p, outcome_p);
}
