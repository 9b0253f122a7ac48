// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program behind bench/paper.
#include "papers/driver/driver.h"

#if AVRM_HAVE_DEVICE
#include "device/creation/creation_ops.h"
#endif

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  try {
#if AVRM_HAVE_DEVICE
    if (avrankmap::bench::is_spawned()) {
      return avrankmap::bench::be_spawned();
    }
#endif
    return avrankmap::bench::run_driver(std::vector<std::string>(argv + 1, argv + argc),
                                        std::filesystem::read_symlink("/proc/self/exe").string());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "\n%s\n", error.what());
    return 1;
  }
}
