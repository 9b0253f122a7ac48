// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Hides from this program on which nodes its processes are, as a launcher does whose mapping is
// longer than libpmi2 reads. A program's own function goes before that of libpmi2. For one source
// of a program.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCH_HIDDEN_MAPPING_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCH_HIDDEN_MAPPING_H

#include <dlfcn.h>

#include <cstring>

namespace avrankmap::test {

inline bool hides_mapping = false;

} // namespace avrankmap::test

extern "C" int PMI2_Info_GetJobAttr(const char name[], char value[], int room, int *found);
int PMI2_Info_GetJobAttr(const char name[], char value[], int room, int *found) {
  if (avrankmap::test::hides_mapping && std::strcmp(name, "PMI_process_mapping") == 0) {
    *found = 0;
    return 0;
  }
  using Function = int (*)(const char *, char *, int, int *);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMI2_Info_GetJobAttr"))(name, value, room, found);
}

#endif
