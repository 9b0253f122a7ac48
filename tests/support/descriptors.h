// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many file descriptors this process has open.
#ifndef AVRANKMAP_TESTS_SUPPORT_DESCRIPTORS_H
#define AVRANKMAP_TESTS_SUPPORT_DESCRIPTORS_H

#include <dirent.h>
#include <unistd.h>

#include <functional>

namespace avrankmap::test {

// -1 if it cannot be known.
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

// Open descriptors once libraries have closed what they close late: after so many milliseconds at most, earlier if there are
// as many as is expected.
inline int open_descriptors_after(int milliseconds, int expected, const std::function<void()> &progress) {
  int count = open_descriptors();
  for (int passed = 0; passed < milliseconds && count != expected; ++passed) {
    progress();
    usleep(1000);
    count = open_descriptors();
  }
  return count;
}

} // namespace avrankmap::test

#endif
