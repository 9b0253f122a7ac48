// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of the component, for std::scoped_lock and std::shared_lock. The standard library's locks
// throw, and an archive that throws needs the C++ runtime. These locks cannot fail, because no
// thread acquires the same lock twice.
#ifndef AVRANKMAP_SRC_BASE_LOCK_H
#define AVRANKMAP_SRC_BASE_LOCK_H

#include <pthread.h>

#include <cerrno>
#include <mutex>
#include <shared_mutex>

namespace avrankmap::detail {

class Mutex {
public:
  Mutex() noexcept = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;
  ~Mutex() { (void)pthread_mutex_destroy(&native_); }

  void lock() noexcept { (void)pthread_mutex_lock(&native_); }
  void unlock() noexcept { (void)pthread_mutex_unlock(&native_); }

private:
  pthread_mutex_t native_ = PTHREAD_MUTEX_INITIALIZER;
};

// A thread that waits for exclusive access precedes readers that come later, which glibc's default
// lock would let pass forever. So no thread may acquire a second one of its shares meanwhile.
class SharedMutex {
public:
  SharedMutex() noexcept = default;
  SharedMutex(const SharedMutex &) = delete;
  SharedMutex &operator=(const SharedMutex &) = delete;
  ~SharedMutex() { (void)pthread_rwlock_destroy(&native_); }

  void lock() noexcept { (void)pthread_rwlock_wrlock(&native_); }
  void unlock() noexcept { (void)pthread_rwlock_unlock(&native_); }
  // Retries while the lock's counter has no room for another reader.
  void lock_shared() noexcept {
    while (pthread_rwlock_rdlock(&native_) == EAGAIN) {
    }
  }
  void unlock_shared() noexcept { (void)pthread_rwlock_unlock(&native_); }

private:
#if defined(PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP)
  pthread_rwlock_t native_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
  pthread_rwlock_t native_ = PTHREAD_RWLOCK_INITIALIZER;
#endif
};

} // namespace avrankmap::detail

#endif
