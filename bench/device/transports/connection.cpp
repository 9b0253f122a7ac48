// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/connection.h"

#include "bench/synthetic/synthetic_boot.h"
#include "device/transports/list.h"
#include "support/open_device.h"
#include "support/shared_pages.h"
#include "support/statistics.h"
#include "support/timing.h"

#include "avrankmap/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <utility>

namespace avrankmap::bench {
namespace {

// Takes synthetic addresses and connects late.
constexpr const Transport &kTransport = transport_named("ofi:tcp;ofi_rxm");
constexpr std::int32_t kContacts = 100;
constexpr int kMissing = 77;

struct Sample {
  std::uint64_t resident;
  double seconds;
  double contact_seconds;
};

struct Job {
  avrm_connect_policy_t policy;
  std::int32_t peers;
  Sample *sample;
};

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    if (word == "Rss:") {
      std::uint64_t kibibytes = 0;
      file >> kibibytes;
      return kibibytes * 1024;
    }
  }
  return 0;
}

std::int32_t contacts_of(std::int32_t peers) { return std::min(peers, kContacts); }

/// Contacts a peer without sending anything.
avrm_status_t contact(avrm_comm_t *world, std::int32_t rank) {
  avrm_request_t *request = nullptr;
  if (const avrm_status_t status = avrm_irecv(world, nullptr, 0, rank, 0, &request); status != AVRM_OK) {
    return status;
  }
  (void)avrm_cancel(request);
  const avrm_status_t status = avrm_wait(&request, nullptr);
  return status == AVRM_ERR_CANCELLED ? AVRM_OK : status;
}

// The body of a process of its own. It ends without closing the device: nobody would answer.
int run_process(avrm_boot_t * /*boot*/, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  SyntheticBoot boot(job.peers + 1);
  avrm_device_options_t options = options_of(&boot, kTransport);
  options.connect = job.policy;
  avrm_device_t *device = nullptr;
  avrm_status_t status = AVRM_OK;

  const std::uint64_t before = resident_bytes();
  job.sample->seconds = seconds_of([&] { status = avrm_device_open(&options, &device); });
  if (status != AVRM_OK) {
    return lacks_transport(status) ? kMissing : 1;
  }
  const std::int32_t contacts = contacts_of(job.peers);
  job.sample->contact_seconds = seconds_of([&] {
    for (std::int32_t i = 0; i < contacts && status == AVRM_OK; ++i) {
      const std::int64_t rank = 1 + std::int64_t{i} * job.peers / contacts; // spread over the job
      status = contact(avrm_device_world(device), static_cast<std::int32_t>(rank));
    }
  });
  job.sample->resident = resident_bytes() - before;
  return status == AVRM_OK ? 0 : 1;
}

const char *label(avrm_connect_policy_t policy) { return policy == AVRM_CONNECT_EAGER ? "eager" : "on-demand"; }

/// The exit code of the first process that fails.
int measure(const ConnectionOptions &options, avrm_connect_policy_t policy, std::int32_t peers, ConnectionCost *cost) {
  std::vector<double> resident;
  std::vector<double> seconds;
  std::vector<double> contact_seconds;
  const SharedPages<Sample> sample;
  Job job{policy, peers, sample.get()};
  for (int round = 0; round < options.rounds; ++round) {
    avrm_fork_options_t fork{};
    fork.size = 1;
    fork.timeout_ms = 120000;
    std::int32_t code = 0;
    const avrm_status_t status = avrm_boot_fork_run(&fork, run_process, &job, &code);
    if (status != AVRM_OK || code != 0) {
      return status != AVRM_OK ? 1 : code;
    }
    resident.push_back(static_cast<double>(sample.get()->resident));
    seconds.push_back(sample.get()->seconds);
    contact_seconds.push_back(sample.get()->contact_seconds);
  }
  *cost = {label(policy),      peers,
           contacts_of(peers), static_cast<std::uint64_t>(median(resident)),
           median(seconds),    median(contact_seconds)};
  return 0;
}

} // namespace

std::vector<ConnectionCost> measure_connections(const ConnectionOptions &options, const Log &progress,
                                                const Log &note) {
  const std::regex filter(options.filter);
  std::vector<ConnectionCost> costs;
  for (const avrm_connect_policy_t policy : {AVRM_CONNECT_ON_DEMAND, AVRM_CONNECT_EAGER}) {
    std::vector<std::int32_t> sizes{1};
    sizes.insert(sizes.end(), options.peers.begin(), options.peers.end());
    for (const std::int32_t peers : sizes) {
      const std::string name = fmt::format("BM_Connection/{}/{}", label(policy), peers);
      if (!std::regex_search(name, filter)) {
        continue;
      }
      progress(fmt::format("connection, {}, {} peers", label(policy), peers));
      ConnectionCost cost;
      const int code = measure(options, policy, peers, &cost);
      if (code == kMissing) {
        note(fmt::format("connection is left out: this machine lacks {}", kTransport.name));
        return {};
      }
      if (code != 0) {
        note(fmt::format("connection, {}, {} peers, failed: exit code {}", label(policy), peers, code));
        continue;
      }
      costs.push_back(std::move(cost));
    }
  }
  return costs;
}

namespace {

Json run(Session &session) {
  const ConnectionOptions options = session.quick
                                        ? ConnectionOptions{{1000, 786432}, 1, session.filter}
                                        : ConnectionOptions{{1000, 8192, 65536, 786432, 1048576}, 5, session.filter};
  return measure_connections(options, session.progress, session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1, "Connection: growth of one process whose peers are simulated, including the provider's memory");
  table.row({"policy", "peers", "contacted", "resident KiB", "open ms", "contacts ms"});
  for (const ConnectionCost &cost : rows_of<ConnectionCost>(rows)) {
    table.row({cost.policy, grouped(static_cast<std::uint64_t>(cost.peers)), std::to_string(cost.contacted),
               grouped(cost.resident_bytes / 1024), fmt::format("{:.2f}", cost.seconds * 1e3),
               fmt::format("{:.2f}", cost.contact_seconds * 1e3)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  const auto costs = rows_of<ConnectionCost>(rows);
  Budgets::Values &values =
      budgets.at_most(1 << 20, "resident bytes, 100 of 786,432 peers contacted on demand, beyond those of one peer");
  const auto one = std::find_if(costs.begin(), costs.end(), [](const ConnectionCost &cost) {
    return cost.policy == label(AVRM_CONNECT_ON_DEMAND) && cost.peers == 1;
  });
  for (const ConnectionCost &cost : costs) {
    if (one != costs.end() && cost.policy == one->policy && cost.peers >= 786432) {
      values.add(static_cast<double>(cost.resident_bytes) - static_cast<double>(one->resident_bytes),
                 fmt::format("{} peers", grouped(static_cast<std::uint64_t>(cost.peers))));
    }
  }
}

} // namespace

const Measurement kConnection = {"connection", "BM_Connection/<on-demand|eager>/<peers>", false, run, tables, judge};

} // namespace avrankmap::bench
