// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lists files in /dev/shm. Other programs that run at the same time also have files there.
#ifndef AVRANKMAP_TESTS_SUPPORT_SHARED_FILES_H
#define AVRANKMAP_TESTS_SUPPORT_SHARED_FILES_H

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <thread>

namespace avrankmap::test {

// Files of libfabric's shared-memory provider (pid:number) and of MPI libraries do not count: both
// leave some behind when a process is killed.
inline bool is_foreign(const std::string &name) {
  return name.find(':') != std::string::npos || name.starts_with("mpich_") || name.starts_with("vader_segment.");
}

inline std::set<std::string> shared_files() {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (std::string name = entry.path().filename(); !is_foreign(name)) {
      names.insert(std::move(name));
    }
  }
  return names;
}

// Removes the files that this provider left behind for a process that was killed.
inline void remove_leftovers(pid_t pid) {
  const std::string prefix = std::to_string(pid) + ":";
  for (const auto &entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) {
      std::error_code nobody_cares;
      std::filesystem::remove(entry.path(), nobody_cares);
    }
  }
}

// Files that did not exist before, and are not removed within a time that is longer than programs
// run beside a test.
inline std::set<std::string> files_left_behind(const std::set<std::string> &before) {
  std::set<std::string> left = shared_files();
  std::erase_if(left, [&](const std::string &name) { return before.count(name) != 0; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  while (!left.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::set<std::string> now = shared_files();
    std::erase_if(left, [&](const std::string &name) { return now.count(name) == 0; });
  }
  return left;
}

} // namespace avrankmap::test

#endif
