// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for any launcher, on several hosts with block placement, of which the last one is lost.
// Usage: many_hosts_job TRANSPORT KIND HOSTS FILE, where KIND is that of the boot, and HOSTS their
// number. FILE holds the Counts.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "avrankmap/device/ft.h"
#include "tests/device/comm/members.h"
#include "tests/device/core/launched.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/programs/programs.h"

namespace avrankmap::test {
namespace {

struct Counts {
  std::uint32_t ready;
  std::uint32_t survivors;
};

// Waits, in progress, until so many processes have come here.
void barrier(const Process &process, std::uint32_t &count, int all) {
  const std::atomic_ref come(count);
  ++come;
  while (come != static_cast<std::uint32_t>(all)) {
    avrm_progress(process.device);
    usleep(50);
  }
}

Counts &counts_in(const char *path) {
  const int file = open(path, O_RDWR);
  void *const pages = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  AVRM_MUST(pages != MAP_FAILED);
  return *static_cast<Counts *>(pages);
}

void use_nodes(const Process &process, int per_host) {
  Members here;
  Members roots;
  for (int rank = 0; rank < process.size; ++rank) {
    if (rank / per_host == process.rank / per_host) {
      here.push_back(rank);
    }
    if (rank % per_host == 0) {
      roots.push_back(rank);
    }
  }
  avrm_comm_t *inner = nullptr;
  AVRM_MUST(avrm_comm_node(process.world, &inner) == AVRM_OK);
  check_messages(inner, process.rank, here);
  avrm_comm_t *outer = nullptr;
  AVRM_MUST(avrm_comm_node_roots(process.world, &outer) == AVRM_OK);
  AVRM_MUST((outer != nullptr) == (process.rank % per_host == 0));
  if (outer != nullptr) {
    check_messages(outer, process.rank, roots);
  }
}

void split(const Process &process, int per_host) {
  Members column;
  for (int rank = process.rank % per_host; rank < process.size; rank += per_host) {
    column.push_back(rank);
  }
  avrm_comm_t *part = nullptr;
  AVRM_MUST(avrm_comm_split(process.world, process.rank % per_host, process.rank, &part) == AVRM_OK);
  check_map(avrm_comm_map(part), column);
  check_messages(part, process.rank, column);
  release(part);
}

void shrink(const Process &process, int per_host) {
  const int left = process.size - per_host;
  for (int victim = left; victim < process.size; ++victim) {
    while (!avrm_boot_has_failed(process.boot, victim)) {
      avrm_progress(process.device);
      usleep(50);
    }
  }
  avrm_comm_t *survivors = nullptr;
  AVRM_MUST(avrm_comm_shrink(process.world, &survivors) == AVRM_OK);
  AVRM_MUST(avrm_comm_size(survivors) == left && avrm_comm_rank(survivors) == process.rank);
  AVRM_MUST(avrm_barrier(survivors) == AVRM_OK);
  release(survivors);
}

int run(const Transport &transport, const char *kind, int hosts, Counts &counts) {
  std::optional<Process> process = open_launched(transport, true, kind);
  if (!process) {
    return kSkipped;
  }
  const int per_host = process->size / hosts;
  AVRM_MUST(avrm_boot_local_size(process->boot) == per_host);
  AVRM_MUST(avrm_barrier(process->world) == AVRM_OK);
  use_nodes(*process, per_host);
  split(*process, per_host);
  exchange_halos(*process);
  if (is_ucx(transport)) {
    // Connects: UCX 1.13 aborts (by assertions of its own) when a process dies while it does so.
    everyone_exchanges_with_everyone(*process);
  }
  barrier(*process, counts.ready, process->size); // no process is in a call that a death may end
  if (process->rank >= process->size - per_host) {
    (void)kill(getpid(), SIGKILL);
  }
  shrink(*process, per_host);
  // Without a fence the first to close would end the others' barrier.
  barrier(*process, counts.survivors, process->size - per_host);
  AVRM_MUST(avrm_device_close(process->device) == AVRM_ERR_PEER);
  avrm_boot_close(process->boot);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  using namespace avrankmap::test;
  alarm(90);                                  // ends a process that hangs
  AVRM_MUST(unsetenv("AVRM_TEST_LONG") == 0); // 64 processes share a machine: little of each
  return argc == 5 ? run(launched_transport(argv[1]), argv[2], std::atoi(argv[3]), counts_in(argv[4])) : 2;
}
