// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prints include/ENVIRONMENT.md, from the table of environment variables.
#include <cstdio>

#include "avrankmap/device/environment.h"

namespace {

void print_rows(avrm_variable_kind_t kind) {
  std::size_t count = 0;
  const avrm_variable_t *const rows = avrm_environment_list(&count);
  std::puts("| variable | values | default | meaning |\n|---|---|---|---|");
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].kind == kind) {
      std::printf("| `%s` | %s | %s | %s |\n", rows[i].name, rows[i].values, rows[i].default_value, rows[i].meaning);
    }
  }
}

} // namespace

int main() {
  std::puts(
      "# Environment variables\n\n"
      "The device reads these variables; the component reads none. This page is generated from the table in\n"
      "`src/device/base/environment.h`, which `avrm_environment_list` (`avrankmap/device/environment.h`) returns.\n\n"
      "## Settings of avrankmap\n\n"
      "An empty value counts as not set. The options of a device (`avrm_device_options_t`) take precedence.\n");
  print_rows(AVRM_VARIABLE_OWN);
  std::puts("\n## Variables of other libraries and of the system\n\n"
            "avrankmap also reads these. libfabric (`FI_*`), UCX (`UCX_*`), hwloc (`HWLOC_*`) and PMIx read further "
            "variables.\n"
            "For some of UCX's variables avrankmap has a different default.\n");
  print_rows(AVRM_VARIABLE_FOREIGN);
  std::puts(
      "\n## Internal variables\n\n"
      "avrankmap sets these for the processes that `avrm_comm_spawn` starts, so that they find their parents. Do not\n"
      "set them.\n");
  print_rows(AVRM_VARIABLE_INTERNAL);
  return 0;
}
