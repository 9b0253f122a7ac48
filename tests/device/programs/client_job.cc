// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for PMIx launchers: runs the programs of programs.h. Usage: client_job TRANSPORT
#include <unistd.h>

#include "tests/device/core/launched.h"
#include "tests/device/programs/programs.h"

namespace avrankmap::test {
namespace {

int run(const Transport &transport) {
  std::optional<Process> process = open_launched(transport);
  if (!process) {
    return kSkipped;
  }
  for (const Client &client : kClients) {
    client.run(*process);
  }
  close_launched(*process);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  // Ends a process that hangs.
  alarm(avrankmap::test::is_long() ? 3000 : avrankmap::test::kHangsAfterS);
  return argc == 2 ? avrankmap::test::run(avrankmap::test::transport_named(argv[1])) : 2;
}
