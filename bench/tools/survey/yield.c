// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For preloading into programs on MPICH over UCX with more processes than cores: a process whose
// poll finds nothing yields its core.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

typedef unsigned progress_fn(void *worker);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker) {
  static _Atomic(progress_fn *) known;
  progress_fn *next = atomic_load_explicit(&known, memory_order_relaxed);
  if (next == NULL) {
    // POSIX defines this conversion, ISO C does not: hence through the object.
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (next == NULL) {
      return 0;
    }
    atomic_store_explicit(&known, next, memory_order_relaxed);
  }
  const unsigned done = next(worker);
  if (done == 0) {
    sched_yield();
  }
  return done;
}
