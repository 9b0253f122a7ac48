// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/networks.h"

#include "device/fastpath/pair.h"
#include "device/transports/bare.h"
#include "device/transports/pair_process.h"
#include "support/cpu_time.h"
#include "support/machine.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

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

/// The things measured: bursts of operations, and all that belongs to them.
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
  explicit BareIssuer(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
  void put() override {
    for (std::size_t i = 0; i < kBurst; ++i) {
      channel_->inject_put(&byte_, 1);
    }
  }
  void isend() override {
    for (std::size_t i = 0; i < kBurst; ++i) {
      channel_->isend(&byte_, 1, FastpathPair::kData);
    }
  }
  void receive() override {
    for (unsigned char &byte : in_) {
      channel_->irecv(&byte, 1, FastpathPair::kData);
    }
  }
  // Without waiting: the receives of a burst may be under way.
  void tell() override { channel_->isend(nullptr, 0, FastpathPair::kReady); }
  void listen() override {
    channel_->irecv(nullptr, 0, FastpathPair::kReady);
    channel_->wait_all();
  }
  void complete() override { channel_->wait_all(); }
  void flush() override {
    channel_->wait_all();
    channel_->flush_injected();
  }
  void progress() override { channel_->progress(); }

private:
  std::unique_ptr<Channel> channel_;
  unsigned char byte_ = 1;
  std::array<unsigned char, kBurst> in_{};
};

enum { kPut, kIsend };
enum { kOurs, kBare };

/// Seconds of CPU time of process 0 in issuing.
double run(Control &control, Issuer &issuer, int op, int rank, std::int64_t bursts) {
  const auto barrier = [&] { control.pair.barrier([&] { issuer.progress(); }); };
  double spent = 0;
  barrier();
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
  barrier(); // process 1 is in here while there are puts, and makes progress
  return spent;
}

struct Job {
  const Transport &transport;
  const FastpathNetworkOptions &options;
  Control &control;
};

/// Ours and the bare interface.
struct Sides {
  std::unique_ptr<FastpathPair> pair;
  std::unique_ptr<Issuer> bare;
};

/// Bursts that last as long as a loop should: of the operation that takes longer, whichever that
/// is.
void choose_bursts(const Job &job, OursIssuer &ours, int rank) {
  constexpr std::int64_t kTrial = 16;
  ours.use(kFastpathConfigurations.front());
  double slowest = 0;
  for (const int op : {kPut, kIsend}) {
    slowest = std::max(slowest, run(job.control, ours, op, rank, kTrial));
  }
  if (rank == 0) {
    const double wanted = job.options.seconds / slowest * static_cast<double>(kTrial);
    job.control.bursts = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1, 4096);
  }
  job.control.pair.barrier([&] { ours.progress(); });
}

void measure(const Job &job, OursIssuer &ours, Issuer &bare, int rank) {
  choose_bursts(job, ours, rank);
  const std::int64_t bursts = job.control.bursts;
  const auto operations = static_cast<double>(bursts) * static_cast<double>(kBurst);
  for (int round = 0; round < job.options.rounds; ++round) {
    for (std::size_t i = 0; i < kConfigurations; ++i) {
      const FastpathConfiguration &configuration = kFastpathConfigurations[i];
      ours.use(configuration);
      for (const int op : {kPut, kIsend}) {
        if ((op == kPut ? configuration.put : configuration.isend) == nullptr) {
          continue;
        }
        const double own = run(job.control, ours, op, rank, bursts);
        const double other = run(job.control, bare, op, rank, bursts);
        if (rank == 0) {
          auto &seconds = job.control.seconds[i][op];
          seconds[kOurs][round] = own / operations;
          seconds[kBare][round] = other / operations;
        }
      }
    }
  }
}

/// Rates and ratio of one operation.
void fill(const Job &job, const double (&seconds)[2][kMostRounds], std::optional<double> &rate,
          std::optional<double> &bare_rate, std::optional<double> &ratio) {
  const auto rounds = static_cast<std::size_t>(job.options.rounds);
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
    row.network = job.transport.name;
    row.configuration = configuration.name;
    if (configuration.put != nullptr) {
      fill(job, job.control.seconds[i][kPut], row.rate_put, row.bare_put, row.put_to_bare);
    }
    if (configuration.isend != nullptr) {
      fill(job, job.control.seconds[i][kIsend], row.rate_isend, row.bare_isend, row.isend_to_bare);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace

std::vector<FastpathNetworkRow> measure_fastpath_networks(const FastpathNetworkOptions &options, const Log &progress,
                                                          const Log &note) {
  if (cpu_count() < 2) {
    note("the fast path over networks is left out: two processes that poll need two CPUs");
    return {};
  }
  if (options.rounds < 1 || options.rounds > kMostRounds) {
    throw std::invalid_argument("rounds of the fast path over networks");
  }
  std::vector<FastpathNetworkRow> rows;
  for (const Transport &transport : kTransports) {
    if ((transport.studies & kInFastpath) == 0) {
      continue;
    }
    progress(fmt::format("fast path over {}", transport.name));
    const SharedPages<Control> control;
    const Job job{transport, options, *control.get()};
    const bool done = run_pair<Sides>("fast path", transport, note, [&](avrm_boot_t *boot, Sides &sides) {
      sides.pair = std::make_unique<FastpathPair>(boot, transport);
      with_bare_channel(transport, [&](auto open) {
        using Channel = typename decltype(open(boot, 0))::element_type;
        sides.bare = std::make_unique<BareIssuer<Channel>>(open(boot, 4096));
      });
      OursIssuer ours(*sides.pair);
      measure(job, ours, *sides.bare, avrm_boot_rank(boot));
      job.control.pair.barrier([&] { sides.pair->progress(); });
    });
    if (done) {
      std::vector<FastpathNetworkRow> of_network = results(job);
      std::move(of_network.begin(), of_network.end(), std::back_inserter(rows));
    }
  }
  return rows;
}

namespace {

Json run_all(Session &session) {
  return measure_fastpath_networks(session.choose(FastpathNetworkOptions{7, 0.0005}, FastpathNetworkOptions{25, 0.004}),
                                   session.progress, session.note);
}

std::vector<TextTable> tables(const Json &json) {
  TextTable table(2,
                  "Fast path between two processes, 1 byte: operations per second of CPU time that one of them hands "
                  "to the network, against a loop over the network's own interface in the same run");
  table.row({"network", "", "put: M/s", "bare", "of bare", "isend: M/s", "bare", "of bare"});
  std::string last;
  for (const FastpathNetworkRow &row : rows_of<FastpathNetworkRow>(json)) {
    if (row.network != last) {
      table.gap();
    }
    table.row({row.network == last ? "" : row.network, row.configuration, optional_text(row.rate_put, "{:.3f}", 1e-6),
               optional_text(row.bare_put, "{:.3f}", 1e-6), optional_text(row.put_to_bare, "{:.2f}x"),
               optional_text(row.rate_isend, "{:.3f}", 1e-6), optional_text(row.bare_isend, "{:.3f}", 1e-6),
               optional_text(row.isend_to_bare, "{:.2f}x")});
    last = row.network;
  }
  return {table};
}

} // namespace

const Measurement kFastpathNetworks = {"fastpath_networks", nullptr, false, run_all, tables};

} // namespace avrankmap::bench
