// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for PMIx launchers: runs the programs of clients.h. Usage: client_job TRANSPORT
#include <unistd.h>

#include "tests/clients/clients.h"

namespace avrankmap::test {
namespace {

int run(const Transport &transport) {
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK);
  AVRM_MUST(std::strcmp(avrm_boot_kind(boot), "pmix") == 0);
  const avrm_device_options_t options = options_over(transport, boot);
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t status = avrm_device_open(&options, &process.device);
  if (means_lacking(status)) {
    avrm_boot_close(boot);
    return kSkipped;
  }
  AVRM_MUST(status == AVRM_OK);
  process.world = avrm_device_world(process.device);
  for (const Client &client : kClients) {
    client.run(process);
  }
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  avrm_boot_close(boot);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  alarm(avrankmap::test::is_long() ? 3000 : 240); // ends a process that hangs
  return argc == 2 ? avrankmap::test::run(avrankmap::test::transport_named(argv[1])) : 2;
}
