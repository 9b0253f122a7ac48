// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Starts a thread for a call of PMI-2 that blocks.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_CALL_THREAD_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_CALL_THREAD_H

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace avrankmap::detail {

// The thread does not handle the program's signals. Throws std::system_error or std::bad_alloc if
// no thread can be created.
template <typename Call> std::thread start_call_thread(Call &&call) {
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread;
  try {
    thread = std::thread(std::forward<Call>(call));
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

} // namespace avrankmap::detail

#endif
