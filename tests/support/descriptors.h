// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts the open file descriptors of this process.
#ifndef AVRANKMAP_TESTS_SUPPORT_DESCRIPTORS_H
#define AVRANKMAP_TESTS_SUPPORT_DESCRIPTORS_H

#include <dirent.h>
#include <unistd.h>

#include <functional>

namespace avrankmap::test {

// Returns -1 if /proc is missing.
inline int open_descriptors() {
  DIR *const folder = opendir("/proc/self/fd");
  if (folder == nullptr) {
    return -1;
  }
  int count = -3; // the folder itself, and its own and its parent's names
  while (readdir(folder) != nullptr) {
    ++count;
  }
  closedir(folder);
  return count;
}

// Milliseconds in which a library closes what it closes late, on a busy machine, too.
constexpr int kClosesWithin = 60000;

// Counts open descriptors until there are no more than `most`, at most for so many milliseconds.
inline int open_descriptors_after(int milliseconds, int most, const std::function<void()> &progress) {
  int count = open_descriptors();
  for (int passed = 0; passed < milliseconds && count > most; ++passed) {
    progress();
    usleep(1000);
    count = open_descriptors();
  }
  return count;
}

} // namespace avrankmap::test

#endif
