// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// To be preloaded into programs of an MPICH over UCX that have more processes than there are cores: a process that finds
// nothing to do gives its core away.
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
    // POSIX promises that the conversion works; ISO C does not, hence by way of the object.
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
