// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that this process shares with those that it forks, for what they report.
#ifndef AVRANKMAP_BENCH_SUPPORT_SHARED_PAGES_H
#define AVRANKMAP_BENCH_SUPPORT_SHARED_PAGES_H

#include <sys/mman.h>

#include <new>
#include <type_traits>

namespace avrankmap::bench {

/// One T, all zero, in pages that forked processes share.
template <class T> class SharedPages {
  static_assert(std::is_trivially_destructible_v<T>);

public:
  SharedPages() : data_(mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
    new (data_) T();
  }
  SharedPages(const SharedPages &) = delete;
  SharedPages &operator=(const SharedPages &) = delete;
  ~SharedPages() { munmap(data_, sizeof(T)); }

  [[nodiscard]] T *get() const { return static_cast<T *>(data_); }

private:
  void *data_;
};

} // namespace avrankmap::bench

#endif
