// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transports/transports.h"

#include "harness/shared_pages.h"
#include "harness/statistics.h"
#include "transports/device_channel.h"
#include "transports/pair_process.h"
#include "transports/subject.h"
#if AVRM_HAVE_OFI
#include "transports/ofi_channel.h"
#endif
#if AVRM_HAVE_UCX
#include "transports/ucx_channel.h"
#endif

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

/// Which interface stands beside ours.
enum class Bare { kNone, kOfi, kUcx };

struct TransportKind {
  const char *name;
  const char *netmod;
  const char *provider; // null: none asked for
  const char *shmmod;
  Bare bare;
  bool shared_memory;
};

constexpr TransportKind kTransports[] = {
#if AVRM_HAVE_OFI
    {"ofi:tcp;ofi_rxm", "ofi", "tcp;ofi_rxm", "none", Bare::kOfi, false},
    {"ofi:net;ofi_rxm", "ofi", "net;ofi_rxm", "none", Bare::kOfi, false},
#endif
#if AVRM_HAVE_UCX
    {"ucx:tcp", "ucx", "tcp,self", "none", Bare::kUcx, false},
#endif
// Shared memory: the providers' own, then ours.
#if AVRM_HAVE_OFI
    {"ofi:shm", "ofi", "shm", "none", Bare::kOfi, true},
#endif
#if AVRM_HAVE_UCX
    {"ucx:posix,cma", "ucx", "posix,self,cma", "none", Bare::kUcx, true},
#endif
    {"posix", "null", nullptr, "posix", Bare::kNone, true},
#if AVRM_HAVE_OFI
    // With a network to be polled, too.
    {"posix beside ofi:tcp;ofi_rxm", "ofi", "tcp;ofi_rxm", "posix", Bare::kNone, true},
#endif
};

std::string name_of(const TransportKind &kind, TransportOp op, std::size_t bytes) {
  return fmt::format("BM_Transport/{}/{}/{}", kind.name, op == TransportOp::kIsend ? "isend" : "put", bytes);
}

/// Rate and latency of each operation and size that is wanted, in pairs.
std::vector<TransportCase> cases_of(const TransportKind &kind, const TransportOptions &options) {
  const std::regex filter(options.filter);
  std::vector<TransportCase> cases;
  for (const TransportOp op : {TransportOp::kIsend, TransportOp::kPut}) {
    for (const std::size_t bytes : options.sizes) {
      if (std::regex_search(name_of(kind, op, bytes), filter)) {
        cases.push_back({op, TransportMeasure::kRate, bytes});
        cases.push_back({op, TransportMeasure::kLatency, bytes});
      }
    }
  }
  return cases;
}

struct Job {
  const TransportKind *kind;
  const TransportOptions *options;
  const std::vector<TransportCase> *cases;
  PairControl *control;
};

/// Order of the subjects of a job.
enum { kOurs, kBare, kPosix };

/// Whether our shared-memory transport is measured in the same job, too, against the bare interface.
bool is_beside_posix(const TransportKind &kind) { return kind.shared_memory && kind.bare != Bare::kNone; }

using Subjects = std::vector<std::unique_ptr<Subject>>;

template <class Channel, class... Arguments>
void add_subject(const Job &job, avrm_boot_t *boot, std::size_t largest, Subjects &subjects, Arguments... arguments) {
  auto channel = std::make_unique<Channel>(boot, arguments..., largest);
  subjects.push_back(
      std::make_unique<SubjectOf<Channel>>(*job.control, avrm_boot_rank(boot), largest, std::move(channel)));
}

void make_subjects(const Job &job, avrm_boot_t *boot, Subjects &subjects) {
  const TransportKind &kind = *job.kind;
  const std::size_t largest = *std::max_element(job.options->sizes.begin(), job.options->sizes.end());
  add_subject<DeviceChannel>(job, boot, largest, subjects, kind.netmod, kind.provider, kind.shmmod);
  switch (kind.bare) {
  case Bare::kOfi:
#if AVRM_HAVE_OFI
    add_subject<OfiChannel>(job, boot, largest, subjects, kind.provider);
#endif
    break;
  case Bare::kUcx:
#if AVRM_HAVE_UCX
    add_subject<UcxChannel>(job, boot, largest, subjects);
#endif
    break;
  case Bare::kNone: break;
  }
  if (is_beside_posix(kind)) {
    add_subject<DeviceChannel>(job, boot, largest, subjects, "null", nullptr, "posix");
  }
}

void measure(const Job &job, Subjects &subjects, int rank) {
  for (std::size_t i = 0; i < job.cases->size(); ++i) {
    const TransportCase &which = (*job.cases)[i];
    const std::uint64_t count = choose_count(*job.control, *subjects.front(), which, rank, job.options->seconds);
    const double operations =
        static_cast<double>(count) * static_cast<double>(which.measure == TransportMeasure::kRate
                                                             ? window_of(which.bytes)
                                                             : (which.op == TransportOp::kIsend ? 2 : 1));
    for (int round = 0; round < job.options->rounds; ++round) {
      for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
        const double seconds = subjects[subject]->run(which, count);
        if (rank == 0) {
          job.control->seconds[i][subject][round] = seconds / operations;
        }
      }
    }
  }
}

int run_process(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  const int rank = avrm_boot_rank(boot);
  pin_process(rank);
  if (job.kind->bare == Bare::kUcx) {
    set_ucx_environment(job.kind->provider);
  }
  // Outlives the exception: closing a channel needs the other process, which may be somewhere else.
  Subjects subjects;
  try {
    make_subjects(job, boot, subjects);
    measure(job, subjects, rank);
  } catch (const TransportMissing &) {
    std::_Exit(kMissingTransport);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", job.kind->name, error.what());
    std::_Exit(1);
  }
  subjects.front()->meet();
  return 0;
}

std::vector<double> samples(const Job &job, std::size_t which, int subject) {
  const double *const first = job.control->seconds[which][subject];
  return {first, first + job.options->rounds};
}

std::vector<TransportRate> results(const Job &job) {
  std::vector<TransportRate> rates;
  for (std::size_t i = 0; i < job.cases->size(); i += 2) {
    const TransportCase &which = (*job.cases)[i];
    const std::vector<double> rate = samples(job, i, kOurs);
    const std::vector<double> latency = samples(job, i + 1, kOurs);
    TransportRate row;
    row.transport = job.kind->name;
    row.op = which.op == TransportOp::kIsend ? "isend" : "put";
    row.bytes = which.bytes;
    row.rate = 1 / median(rate);
    row.latency_us = median(latency) * 1e6;
    if (job.kind->bare != Bare::kNone) {
      const std::vector<double> bare_rate = samples(job, i, kBare);
      const std::vector<double> bare_latency = samples(job, i + 1, kBare);
      row.rate_bare = 1 / median(bare_rate);
      row.latency_bare_us = median(bare_latency) * 1e6;
      row.rate_ratio = median_ratio(bare_rate, rate);
      row.latency_ratio = median_ratio(latency, bare_latency);
      if (is_beside_posix(*job.kind)) {
        row.posix_rate_ratio = median_ratio(bare_rate, samples(job, i, kPosix));
        row.posix_latency_ratio = median_ratio(samples(job, i + 1, kPosix), bare_latency);
      }
    }
    rates.push_back(std::move(row));
  }
  return rates;
}

} // namespace

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
    subject.meet();
    count = control.count;
  } while (!control.chosen);
  return count;
}

std::vector<TransportRate> measure_transports(const TransportOptions &options,
                                              const std::function<void(const std::string &)> &progress,
                                              const std::function<void(const std::string &)> &note) {
  if (cpu_count() < 2) {
    note("transports are left out: two processes that poll need two CPUs");
    return {};
  }
  if (options.rounds > kMaxRounds || options.sizes.size() * 4 > kMaxCases) {
    throw std::invalid_argument("more rounds or sizes of transports than there is room for");
  }
  std::vector<TransportRate> rates;
  for (const TransportKind &kind : kTransports) {
    const std::vector<TransportCase> cases = cases_of(kind, options);
    if (cases.empty()) {
      continue;
    }
    progress(fmt::format("transport {}", kind.name));
    const SharedPages<PairControl> control;
    const Job job{&kind, &options, &cases, control.get()};
    avrm_fork_options_t fork{};
    fork.size = 2;
    fork.timeout_ms = 300000;
    fork.kill_on_failure = 1;
    std::int32_t codes[2] = {};
    const avrm_status_t status =
        avrm_boot_fork_run(&fork, run_process, const_cast<void *>(static_cast<const void *>(&job)), codes);
    if (status == AVRM_OK && codes[0] == 0 && codes[1] == 0) {
      std::vector<TransportRate> of_kind = results(job);
      std::move(of_kind.begin(), of_kind.end(), std::back_inserter(rates));
    } else if (codes[0] == kMissingTransport || codes[1] == kMissingTransport) {
      note(fmt::format("transport {} left out: this machine lacks it", kind.name));
    } else {
      note(fmt::format("transport {} failed: {}, exit codes {} and {}", kind.name, avrm_status_text(status), codes[0],
                       codes[1]));
    }
  }
  return rates;
}

} // namespace avrankmap::bench
