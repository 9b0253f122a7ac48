// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fastpath/networks.h"

#include "fastpath/pair.h"
#include "harness/cpu_time.h"
#include "harness/shared_pages.h"
#include "harness/statistics.h"
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
#include <memory>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

struct Network {
  const char *name;
  const char *netmod;
  const char *provider;
};

constexpr Network kNetworks[] = {
#if AVRM_HAVE_OFI
    {"ofi:tcp;ofi_rxm", "ofi", "tcp;ofi_rxm"},
    {"ofi:shm", "ofi", "shm"},
#endif
#if AVRM_HAVE_UCX
    {"ucx:tcp", "ucx", "tcp,self"},
    {"ucx:posix,cma", "ucx", "posix,self,cma"},
#endif
    {nullptr, nullptr, nullptr}, // no array is empty
};

constexpr std::size_t kConfigurations = kFastpathConfigurations.size();
constexpr int kMostRounds = 32;
constexpr std::size_t kBurst = FastpathPair::kBurst;
static_assert(kBurst <= kWindow);

struct Control {
  PairControl pair;
  std::int64_t bursts; ///< of one loop, that process 0 has chosen
  /// Of an operation: configuration, put or isend, ours or bare, round.
  double seconds[kConfigurations][2][2][kMostRounds];
};

/// What is measured: bursts of operations, and what belongs to them.
class Issuer {
public:
  virtual ~Issuer() = default;
  virtual void put() = 0;
  virtual void isend() = 0;
  virtual void receive() = 0;
  virtual void tell() = 0;
  virtual void listen() = 0;
  virtual void complete() = 0;
  virtual void flush() = 0;
  virtual void progress() = 0;
};

class OursIssuer final : public Issuer {
public:
  explicit OursIssuer(FastpathPair &pair) : pair_(pair) {}
  void use(const FastpathConfiguration &configuration) { configuration_ = &configuration; }
  void put() override { configuration_->put(pair_); }
  void isend() override { configuration_->isend(pair_); }
  void receive() override { pair_.receive(kBurst, configuration_->nomatch); }
  void tell() override { pair_.tell(); }
  void listen() override { pair_.listen(); }
  void complete() override { pair_.complete(); }
  void flush() override { pair_.flush(); }
  void progress() override { pair_.progress(); }

private:
  FastpathPair &pair_;
  const FastpathConfiguration *configuration_ = nullptr;
};

template <class Channel> class BareIssuer final : public Issuer {
public:
  template <class... Arguments> explicit BareIssuer(Arguments... arguments) : channel_(arguments...) {}
  void put() override {
    for (std::size_t i = 0; i < kBurst; ++i) {
      channel_.inject_put(&byte_, 1);
    }
  }
  void isend() override {
    for (std::size_t i = 0; i < kBurst; ++i) {
      channel_.isend(&byte_, 1, FastpathPair::kData);
    }
  }
  void receive() override {
    for (unsigned char &byte : in_) {
      channel_.irecv(&byte, 1, FastpathPair::kData);
    }
  }
  // Without waiting: the receives of a burst may be under way.
  void tell() override { channel_.isend(nullptr, 0, FastpathPair::kReady); }
  void listen() override {
    channel_.irecv(nullptr, 0, FastpathPair::kReady);
    channel_.wait_all();
  }
  void complete() override { channel_.wait_all(); }
  void flush() override {
    channel_.wait_all();
    channel_.flush_injected();
  }
  void progress() override { channel_.progress(); }

private:
  Channel channel_;
  unsigned char byte_ = 1;
  std::array<unsigned char, kBurst> in_{};
};

enum { kPut, kIsend };
enum { kOurs, kBare };

/// Seconds of CPU time of process 0 in issuing.
double run(Control &control, Issuer &issuer, int op, int rank, std::int64_t bursts) {
  const auto meet = [&] { control.pair.meet([&] { issuer.progress(); }); };
  double spent = 0;
  meet();
  for (std::int64_t i = 0; i < bursts; ++i) {
    if (rank == 1) {
      if (op == kIsend) {
        issuer.receive();
        issuer.tell();
        issuer.complete();
      }
      continue;
    }
    if (op == kIsend) {
      issuer.listen();
    }
    const double start = thread_seconds();
    op == kIsend ? issuer.isend() : issuer.put();
    spent += thread_seconds() - start;
    op == kIsend ? issuer.complete() : issuer.flush();
  }
  meet(); // process 1 is in here while there are puts, and makes progress
  return spent;
}

struct Job {
  const Network *network;
  const FastpathNetworkOptions *options;
  Control *control;
};

std::unique_ptr<Issuer> make_bare(const Job &job, avrm_boot_t *boot) {
#if AVRM_HAVE_OFI
  if (std::string_view(job.network->netmod) == "ofi") {
    return std::make_unique<BareIssuer<OfiChannel>>(boot, job.network->provider, std::size_t{4096});
  }
#endif
#if AVRM_HAVE_UCX
  return std::make_unique<BareIssuer<UcxChannel>>(boot, std::size_t{4096});
#else
  static_cast<void>(job), static_cast<void>(boot);
  return nullptr;
#endif
}

/// Bursts that last as long as a loop should: of the operation that takes longer, whichever that is.
void choose_bursts(const Job &job, OursIssuer &ours, int rank) {
  constexpr std::int64_t kTrial = 16;
  ours.use(kFastpathConfigurations.front());
  double slowest = 0;
  for (const int op : {kPut, kIsend}) {
    slowest = std::max(slowest, run(*job.control, ours, op, rank, kTrial));
  }
  if (rank == 0) {
    const double wanted = job.options->seconds / slowest * static_cast<double>(kTrial);
    job.control->bursts = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, 4096);
  }
  job.control->pair.meet([&] { ours.progress(); });
}

void measure(const Job &job, OursIssuer &ours, Issuer &bare, int rank) {
  choose_bursts(job, ours, rank);
  const std::int64_t bursts = job.control->bursts;
  const auto operations = static_cast<double>(bursts) * static_cast<double>(kBurst);
  for (int round = 0; round < job.options->rounds; ++round) {
    for (std::size_t i = 0; i < kConfigurations; ++i) {
      const FastpathConfiguration &configuration = kFastpathConfigurations[i];
      ours.use(configuration);
      for (const int op : {kPut, kIsend}) {
        if ((op == kPut ? configuration.put : configuration.isend) == nullptr) {
          continue;
        }
        const double own = run(*job.control, ours, op, rank, bursts);
        const double other = run(*job.control, bare, op, rank, bursts);
        if (rank == 0) {
          auto &seconds = job.control->seconds[i][op];
          seconds[kOurs][round] = own / operations;
          seconds[kBare][round] = other / operations;
        }
      }
    }
  }
}

int run_process(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  const int rank = avrm_boot_rank(boot);
  pin_process(rank);
  if (std::string_view(job.network->netmod) == "ucx") {
    set_ucx_environment(job.network->provider);
  }
  // Outlive the exception: closing them needs the other process, which may be somewhere else.
  std::unique_ptr<FastpathPair> pair;
  std::unique_ptr<Issuer> bare;
  try {
    pair = std::make_unique<FastpathPair>(boot, job.network->netmod, job.network->provider);
    bare = make_bare(job, boot);
    OursIssuer ours(*pair);
    measure(job, ours, *bare, rank);
  } catch (const TransportMissing &) {
    std::_Exit(kMissingTransport);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fast path over %s: %s\n", job.network->name, error.what());
    std::_Exit(1);
  }
  job.control->pair.meet([&] { pair->progress(); });
  return 0;
}

/// Rates and ratio of one operation.
void fill(const Job &job, const double (&seconds)[2][kMostRounds], std::optional<double> &rate,
          std::optional<double> &bare_rate, std::optional<double> &ratio) {
  const auto rounds = static_cast<std::size_t>(job.options->rounds);
  const std::vector<double> ours(seconds[kOurs], seconds[kOurs] + rounds);
  const std::vector<double> bare(seconds[kBare], seconds[kBare] + rounds);
  rate = 1 / median(ours);
  bare_rate = 1 / median(bare);
  ratio = median_ratio(bare, ours);
}

std::vector<FastpathNetworkRow> results(const Job &job) {
  std::vector<FastpathNetworkRow> rows;
  for (std::size_t i = 0; i < kConfigurations; ++i) {
    const FastpathConfiguration &configuration = kFastpathConfigurations[i];
    FastpathNetworkRow row;
    row.network = job.network->name;
    row.configuration = configuration.name;
    if (configuration.put != nullptr) {
      fill(job, job.control->seconds[i][kPut], row.rate_put, row.bare_put, row.put_to_bare);
    }
    if (configuration.isend != nullptr) {
      fill(job, job.control->seconds[i][kIsend], row.rate_isend, row.bare_isend, row.isend_to_bare);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace

std::vector<FastpathNetworkRow> measure_fastpath_networks(const FastpathNetworkOptions &options,
                                                          const std::function<void(const std::string &)> &progress,
                                                          const std::function<void(const std::string &)> &note) {
  if (cpu_count() < 2) {
    note("the fast path over networks is left out: two processes that poll need two CPUs");
    return {};
  }
  if (options.rounds < 1 || options.rounds > kMostRounds) {
    throw std::invalid_argument("rounds of the fast path over networks");
  }
  std::vector<FastpathNetworkRow> rows;
  for (const Network &network : kNetworks) {
    if (network.name == nullptr) {
      continue;
    }
    progress(fmt::format("fast path over {}", network.name));
    const SharedPages<Control> control;
    const Job job{&network, &options, control.get()};
    avrm_fork_options_t fork{};
    fork.size = 2;
    fork.timeout_ms = 300000;
    fork.kill_on_failure = 1;
    std::int32_t codes[2] = {};
    const avrm_status_t status =
        avrm_boot_fork_run(&fork, run_process, const_cast<void *>(static_cast<const void *>(&job)), codes);
    if (status == AVRM_OK && codes[0] == 0 && codes[1] == 0) {
      std::vector<FastpathNetworkRow> of_network = results(job);
      std::move(of_network.begin(), of_network.end(), std::back_inserter(rows));
    } else if (codes[0] == kMissingTransport || codes[1] == kMissingTransport) {
      note(fmt::format("fast path over {} left out: this machine lacks it", network.name));
    } else {
      note(fmt::format("fast path over {} failed: {}, exit codes {} and {}", network.name, avrm_status_text(status),
                       codes[0], codes[1]));
    }
  }
  return rows;
}

} // namespace avrankmap::bench
