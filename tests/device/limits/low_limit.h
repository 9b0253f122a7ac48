// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of this process, set low for a while, and the processor time that it spends meanwhile.
#ifndef AVRANKMAP_TESTS_LIMITS_LOW_LIMIT_H
#define AVRANKMAP_TESTS_LIMITS_LOW_LIMIT_H

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace avrankmap::test {

// A soft limit while this lives.
class LowLimit {
public:
  LowLimit(int resource, rlim_t value) : resource_(resource) {
    (void)getrlimit(static_cast<__rlimit_resource>(resource_), &before_);
    const rlimit low{std::min(value, before_.rlim_max), before_.rlim_max};
    (void)setrlimit(static_cast<__rlimit_resource>(resource_), &low);
  }
  ~LowLimit() { (void)setrlimit(static_cast<__rlimit_resource>(resource_), &before_); }
  LowLimit(const LowLimit &) = delete;
  LowLimit &operator=(const LowLimit &) = delete;

private:
  int resource_;
  rlimit before_{};
};

// Takes all descriptors that this process may have but some.
class FewDescriptors {
public:
  explicit FewDescriptors(int free) {
    for (int descriptor = 0; (descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) {
      taken_.push_back(descriptor);
    }
    for (; free > 0 && !taken_.empty(); --free) {
      free_one();
    }
  }
  void free_one() {
    close(taken_.back());
    taken_.pop_back();
  }
  ~FewDescriptors() {
    for (const int descriptor : taken_) {
      close(descriptor);
    }
  }
  FewDescriptors(const FewDescriptors &) = delete;
  FewDescriptors &operator=(const FewDescriptors &) = delete;

private:
  std::vector<int> taken_;
};

inline double seconds_of(clockid_t clock) {
  timespec time{};
  (void)clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace avrankmap::test

#endif
