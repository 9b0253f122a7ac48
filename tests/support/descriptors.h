// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How many file descriptors this process has open.
#ifndef AVRANKMAP_TESTS_SUPPORT_DESCRIPTORS_H
#define AVRANKMAP_TESTS_SUPPORT_DESCRIPTORS_H

#include <dirent.h>

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

} // namespace avrankmap::test

#endif
