// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_TESTS_SUPPORT_SHARED_H
#define AVRANKMAP_TESTS_SUPPORT_SHARED_H

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace avrankmap::test {

// A value in memory that the processes of a job share with the test.
template <typename T> class Shared {
public:
  Shared() : value_(new (map()) T()) {}
  ~Shared() { munmap(static_cast<void *>(value_), sizeof(T)); }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;

  T &operator*() const { return *value_; }
  T *operator->() const { return value_; }

private:
  static void *map() {
    void *const pages = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
      std::perror("mmap");
      std::abort();
    }
    return pages;
  }

  T *value_;
};

} // namespace avrankmap::test

#endif
