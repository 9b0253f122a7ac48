// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/pair_process.h"

#include "support/machine.h"

#include "avrankmap/device/boot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace avrankmap::bench {

void pair::prepare(const Transport &transport, int rank, int size) {
  const int cpus = cpu_count();
  (void)pin_to_one_cpu(size <= cpus ? rank : rank * cpus / size);
  if (transport.bare != Bare::kUcx) {
    return;
  }
  setenv("UCX_TLS", transport.provider, 1);
  setenv("AVRM_UCX_NO_RMA", "0", 0); // bare UCX also has its puts and gets
  setenv("UCX_KEEPALIVE_INTERVAL", "1s", 0);
  if (transport.shared_memory) {
    setenv("UCX_MM_ERROR_HANDLING", "y", 0);
  } else {
    setenv("UCX_NET_DEVICES", "lo", 0);
  }
}

bool pair::fork_all(const std::string &what, int size, int (*run)(avrm_boot_t *boot, void *user), void *user,
                    const Log &note) {
  avrm_fork_options_t fork{};
  fork.size = size;
  fork.timeout_ms = 300000;
  fork.kill_on_failure = 1;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(size));
  const avrm_status_t status = avrm_boot_fork_run(&fork, run, user, codes.data());
  const auto count = [&](std::int32_t code) { return std::count(codes.begin(), codes.end(), code); };
  if (status == AVRM_OK && count(0) == size) {
    return true;
  }
  if (count(kMissing) > 0) {
    note(fmt::format("{}: left out, this machine lacks it", what));
  } else {
    note(fmt::format("{}: failed, {}, exit codes {}", what, avrm_status_text(status), fmt::join(codes, ", ")));
  }
  return false;
}

std::uint64_t choose_count(PairControl &control, Subject &subject, const TransportCase &which, int rank,
                           double wanted) {
  std::uint64_t count = 1;
  do {
    const double seconds = subject.run(which, count);
    if (rank == 0) {
      control.chosen = seconds >= wanted / 4;
      const double factor = control.chosen ? wanted / seconds : 4;
      control.count = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(count) * factor));
    }
    subject.barrier();
    count = control.count;
  } while (!control.chosen);
  return count;
}

} // namespace avrankmap::bench
