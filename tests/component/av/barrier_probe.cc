// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/av/barrier_probe.h"

#include <dlfcn.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <utility>

namespace {

thread_local std::function<void()> *observer = nullptr;

using Syscall = long (*)(long, ...);

// Not a guarded static: the C++ runtime may itself wait by `syscall` for one.
std::atomic<Syscall> next_syscall{nullptr};

Syscall real_syscall() noexcept {
  Syscall next = next_syscall.load(std::memory_order_relaxed);
  if (next == nullptr) {
    next = reinterpret_cast<Syscall>(dlsym(RTLD_NEXT, "syscall"));
    next_syscall.store(next, std::memory_order_relaxed);
  }
  return next;
}

} // namespace

// It reads as many arguments as any call has; those beyond the caller's are on its stack.
extern "C" __attribute__((no_sanitize("address"))) long syscall(long number, ...) noexcept {
  long arguments[6];
  std::va_list list;
  va_start(list, number);
  for (long &argument : arguments) {
    argument = va_arg(list, long);
  }
  va_end(list);
  if (number == SYS_membarrier && observer != nullptr &&
      static_cast<int>(arguments[0]) != MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) {
    (*observer)();
    return 0;
  }
  return real_syscall()(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

namespace avrankmap::test {

BarrierProbe::BarrierProbe(std::function<void()> at_barrier) { observer = new std::function(std::move(at_barrier)); }

BarrierProbe::~BarrierProbe() {
  delete observer;
  observer = nullptr;
}

} // namespace avrankmap::test
