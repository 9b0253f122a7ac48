// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/transports.h"

#include "device/transports/bare.h"
#include "device/transports/pair_process.h"
#include "support/machine.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace avrankmap::bench {
namespace {

std::string name_of(const Transport &transport, TransportOp op, std::size_t bytes) {
  return fmt::format("BM_Transport/{}/{}/{}", transport.name, op == TransportOp::kIsend ? "isend" : "put", bytes);
}

/// Rate and latency of each operation and size that is wanted, in pairs.
std::vector<TransportCase> cases_of(const Transport &transport, const TransportOptions &options) {
  const std::regex filter(options.filter);
  std::vector<TransportCase> cases;
  for (const TransportOp op : {TransportOp::kIsend, TransportOp::kPut}) {
    for (const std::size_t bytes : options.sizes) {
      if (std::regex_search(name_of(transport, op, bytes), filter)) {
        cases.push_back({op, TransportMeasure::kRate, bytes});
        cases.push_back({op, TransportMeasure::kLatency, bytes});
      }
    }
  }
  return cases;
}

struct Job {
  const Transport &transport;
  const TransportOptions &options;
  const std::vector<TransportCase> &cases;
  PairControl &control;
};

/// Order of the subjects of a job.
enum { kOurs, kBare, kPosix };

/// Whether our shared-memory transport is also measured in the same job, against the bare
/// interface.
bool is_beside_posix(const Transport &transport) { return transport.shared_memory && transport.bare != Bare::kNone; }

using Subjects = std::vector<std::unique_ptr<Subject>>;

void make_subjects(const Job &job, avrm_boot_t *boot, Subjects &subjects) {
  const Transport &transport = job.transport;
  const std::size_t largest = *std::max_element(job.options.sizes.begin(), job.options.sizes.end());
  const auto add = [&]<class Channel>(std::unique_ptr<Channel> channel) {
    subjects.push_back(
        std::make_unique<SubjectOf<Channel>>(job.control, avrm_boot_rank(boot), largest, std::move(channel)));
  };
  const auto add_device = [&](const Transport &ours) { add(std::make_unique<DeviceChannel>(boot, ours, largest)); };
  add_device(transport);
  if (transport.bare != Bare::kNone) {
    with_bare_channel(transport, [&](auto open) { add(open(boot, largest)); });
  }
  if (is_beside_posix(transport)) {
    add_device(transport_named("posix"));
  }
}

void measure(const Job &job, Subjects &subjects, int rank) {
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const TransportCase &which = job.cases[i];
    const std::uint64_t count = choose_count(job.control, *subjects.front(), which, rank, job.options.seconds);
    const double operations =
        static_cast<double>(count) * static_cast<double>(which.measure == TransportMeasure::kRate
                                                             ? window_of(which.bytes)
                                                             : (which.op == TransportOp::kIsend ? 2 : 1));
    for (int round = 0; round < job.options.rounds; ++round) {
      for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
        const double seconds = subjects[subject]->run(which, count);
        if (rank == 0) {
          job.control.seconds[i][subject][round] = seconds / operations;
        }
      }
    }
  }
}

std::vector<TransportRate> results(const Job &job) {
  const int rounds = job.options.rounds;
  std::vector<TransportRate> rates;
  for (std::size_t i = 0; i < job.cases.size(); i += 2) {
    const TransportCase &which = job.cases[i];
    const std::vector<double> rate = job.control.samples(i, kOurs, rounds);
    const std::vector<double> latency = job.control.samples(i + 1, kOurs, rounds);
    TransportRate row;
    row.transport = job.transport.name;
    row.op = which.op == TransportOp::kIsend ? "isend" : "put";
    row.bytes = which.bytes;
    row.rate = 1 / median(rate);
    row.latency_us = median(latency) * 1e6;
    if (job.transport.bare != Bare::kNone) {
      const std::vector<double> bare_rate = job.control.samples(i, kBare, rounds);
      const std::vector<double> bare_latency = job.control.samples(i + 1, kBare, rounds);
      row.rate_bare = 1 / median(bare_rate);
      row.latency_bare_us = median(bare_latency) * 1e6;
      row.rate_ratio = median_ratio(bare_rate, rate);
      row.latency_ratio = median_ratio(latency, bare_latency);
      if (is_beside_posix(job.transport)) {
        row.posix_rate_ratio = median_ratio(bare_rate, job.control.samples(i, kPosix, rounds));
        row.posix_latency_ratio = median_ratio(job.control.samples(i + 1, kPosix, rounds), bare_latency);
      }
    }
    rates.push_back(std::move(row));
  }
  return rates;
}

} // namespace

std::vector<TransportRate> measure_transports(const TransportOptions &options, const Log &progress, const Log &note) {
  if (cpu_count() < 2) {
    note("transports are left out: two processes that poll need two CPUs");
    return {};
  }
  if (options.rounds > kMaxRounds || options.sizes.size() * 4 > kMaxCases) {
    throw std::invalid_argument("more rounds or sizes of transports than there is room for");
  }
  std::vector<TransportRate> rates;
  for (const Transport &transport : kTransports) {
    const std::vector<TransportCase> cases = cases_of(transport, options);
    if (cases.empty()) {
      continue;
    }
    progress(fmt::format("transport {}", transport.name));
    const SharedPages<PairControl> control;
    const Job job{transport, options, cases, *control.get()};
    const bool done = run_pair<Subjects>("transport", transport, note, [&](avrm_boot_t *boot, Subjects &subjects) {
      make_subjects(job, boot, subjects);
      measure(job, subjects, avrm_boot_rank(boot));
      subjects.front()->barrier();
    });
    if (done) {
      std::vector<TransportRate> of_transport = results(job);
      std::move(of_transport.begin(), of_transport.end(), std::back_inserter(rates));
    }
  }
  return rates;
}

namespace {

constexpr std::size_t kSmallMessage = 256; // bytes

Json run(Session &session) {
  const TransportOptions options = session.quick
                                       ? TransportOptions{{8, 65536}, 31, 0.001, session.filter}
                                       : TransportOptions{{8, 256, 4096, 65536, 1048576}, 101, 0.003, session.filter};
  return measure_transports(options, session.progress, session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(2, "Real transports between two processes of this machine, against the bare interface of each: rate "
                     "in windows, bandwidth, latency (isend: half a round trip; put: with its flush)");
  table.row({"transport", "op", "bytes", "M/s", "bare", "ours/bare", "MB/s", "us", "bare", "ours/bare",
             "posix/bare: rate", "latency"});
  std::string last;
  for (const TransportRate &row : rows_of<TransportRate>(rows)) {
    if (row.transport != last) {
      table.gap();
    }
    table.row({row.transport == last ? "" : row.transport, row.op, std::to_string(row.bytes),
               fmt::format("{:.4f}", row.rate / 1e6), optional_text(row.rate_bare, "{:.4f}", 1e-6),
               optional_text(row.rate_ratio, "{:.3f}"),
               fmt::format("{:.1f}", row.rate * static_cast<double>(row.bytes) / 1e6),
               fmt::format("{:.3f}", row.latency_us), optional_text(row.latency_bare_us, "{:.3f}"),
               optional_text(row.latency_ratio, "{:.3f}"), optional_text(row.posix_rate_ratio, "{:.3f}"),
               optional_text(row.posix_latency_ratio, "{:.3f}")});
    last = row.transport;
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  // Networks and the providers' shared memory apart: what is a percent there is a tenth here.
  struct Limits {
    const char *what;
    bool shared_memory;
    double rate;
    double latency;
  };
  const auto all = rows_of<TransportRate>(rows);
  for (const auto &[what, shared_memory, rate_limit, latency_limit] :
       {Limits{"networks", false, 0.95, 1.05}, Limits{"providers' shared memory", true, 0.85, 1.15}}) {
    Budgets::Values &rate =
        budgets.at_least(rate_limit, fmt::format("messages of up to 256 bytes, rate over bare, {}", what));
    Budgets::Values &latency =
        budgets.at_most(latency_limit, fmt::format("messages of up to 256 bytes, latency over bare, {}", what));
    for (const TransportRate &row : all) {
      if (row.op == "isend" && row.bytes <= kSmallMessage && row.rate_ratio && row.latency_ratio &&
          row.posix_rate_ratio.has_value() == shared_memory) {
        const std::string where = fmt::format("{}, {} bytes", row.transport, row.bytes);
        rate.add(*row.rate_ratio, where);
        latency.add(*row.latency_ratio, where);
      }
    }
  }
  // Of all sizes; the faster of the bare providers is the one that ours does worse against.
  Budgets::Values &rate = budgets.at_least(0.95, "posix, rate over the faster bare shared-memory provider");
  Budgets::Values &speed = budgets.at_least(0.95, "posix, 1 / latency over the faster bare shared-memory provider");
  for (const TransportRate &row : all) {
    if (row.op == "isend" && row.posix_rate_ratio && row.posix_latency_ratio) {
      const std::string where = fmt::format("{}, {} bytes", row.transport, row.bytes);
      rate.add(*row.posix_rate_ratio, where);
      speed.add(1 / *row.posix_latency_ratio, where);
    }
  }
}

} // namespace

const Measurement kTransportRates = {"transports", "BM_Transport/<transport>/<isend|put>/<bytes>", false, run, tables,
                                     judge};

} // namespace avrankmap::bench
