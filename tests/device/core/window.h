// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef AVRANKMAP_TESTS_DEVICE_WINDOW_H
#define AVRANKMAP_TESTS_DEVICE_WINDOW_H

#include "tests/device/core/process.h"

namespace avrankmap::test {

// A window over memory of the library, or over our own.
class Window {
public:
  Window(Process &process, std::size_t bytes, bool allocate, unsigned flags = 0)
      : process_(process), own_(allocate ? 0 : bytes) {
    void *base = own_.data();
    if (allocate) {
      AVRM_MUST(avrm_window_allocate(process.world, bytes, flags, &base, &window_) == AVRM_OK);
    } else {
      AVRM_MUST(avrm_window_create(process.world, base, bytes, flags, &window_) == AVRM_OK);
    }
    base_ = static_cast<unsigned char *>(base);
  }
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;
  ~Window() {
    barrier(process_); // nobody uses the window any more
    AVRM_MUST(avrm_window_free(window_) == AVRM_OK);
  }

  [[nodiscard]] avrm_window_t *get() const { return window_; }
  [[nodiscard]] unsigned char *base() const { return base_; }

  void put(const Buffer &data, int target, std::uint64_t offset) {
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_put(window_, data.data(), data.size(), target, offset, &request) == AVRM_OK);
    wait(request);
  }
  [[nodiscard]] Buffer get_from(int target, std::uint64_t offset, std::size_t bytes) {
    Buffer data(bytes);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_get(window_, data.data(), bytes, target, offset, &request) == AVRM_OK);
    wait(request);
    return data;
  }
  [[nodiscard]] bool holds(std::size_t offset, const Buffer &data) const {
    return data.empty() || std::memcmp(base_ + offset, data.data(), data.size()) == 0;
  }

private:
  Process &process_;
  Buffer own_;
  avrm_window_t *window_ = nullptr;
  unsigned char *base_ = nullptr;
};

} // namespace avrankmap::test

#endif
