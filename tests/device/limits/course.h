// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_TESTS_LIMITS_COURSE_H
#define AVRANKMAP_TESTS_LIMITS_COURSE_H

#include "avrankmap/device/device.h"

namespace avrankmap::test {

// Makes calls until one returns a status.
class Course {
public:
  template <typename Call> Course &then(Call call) noexcept {
    status_ = status_ == AVRM_OK ? call() : status_;
    return *this;
  }
  [[nodiscard]] avrm_status_t status() const noexcept { return status_; }

private:
  avrm_status_t status_ = AVRM_OK;
};

// Calls these member functions of `caller` until one returns a status.
template <typename Caller, typename... Parts> avrm_status_t call_in_turn(Caller *caller, Parts... parts) noexcept {
  Course course;
  (course.then([&] { return (caller->*parts)(); }), ...);
  return course.status();
}

// A process that makes calls with those before and after it. *wrong_p becomes true if data are
// wrong.
class RingCaller {
public:
  RingCaller(avrm_device_t *device, bool *wrong_p) noexcept
      : device_(device), world_(avrm_device_world(device)), wrong_p_(wrong_p), rank_(avrm_comm_rank(world_)),
        size_(avrm_comm_size(world_)), next_((rank_ + 1) % size_), previous_((rank_ + size_ - 1) % size_) {}

protected:
  void expect(bool holds) noexcept { *wrong_p_ = *wrong_p_ || !holds; }

  avrm_device_t *device_;
  avrm_comm_t *world_;
  bool *wrong_p_;
  std::int32_t rank_;
  std::int32_t size_;
  std::int32_t next_;
  std::int32_t previous_;
};

} // namespace avrankmap::test

#endif
