// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace avrankmap::test {

namespace {

using detail::SharedMutex;

// A thread that calls function(), and whether it sleeps.
class Sleeper {
public:
  template <typename Function>
  explicit Sleeper(Function function)
      : thread_([this, function] {
          id_ = gettid();
          function();
          is_done_ = true;
        }) {}
  Sleeper(const Sleeper &) = delete;
  Sleeper &operator=(const Sleeper &) = delete;
  ~Sleeper() { thread_.join(); }

  // Until the thread has called its function or sleeps in it.
  void await() const {
    while (!is_done_ && (id_ == 0 || !sleeps())) {
      std::this_thread::yield();
    }
  }

private:
  [[nodiscard]] bool sleeps() const {
    std::ifstream file("/proc/self/task/" + std::to_string(id_) + "/stat");
    const std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return stat.find(") S ") != std::string::npos;
  }

  std::atomic<pid_t> id_{0};
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

// Otherwise threads that look up ranks all the time would block avrm_rankmap_destroy forever.
TEST(SharedMutex, LetsAWriterPrecedeLaterReaders) {
#if !defined(PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP)
  GTEST_SKIP() << "only glibc's lock can prefer writers";
#endif
  SharedMutex lock;
  std::string order;
  lock.lock_shared();
  {
    const Sleeper writer([&] {
      lock.lock();
      order += 'w';
      lock.unlock();
    });
    writer.await();
    const Sleeper reader([&] {
      lock.lock_shared();
      order += 'r';
      lock.unlock_shared();
    });
    reader.await();
    lock.unlock_shared();
  }
  EXPECT_EQ(order, "wr");
}

} // namespace

} // namespace avrankmap::test
