// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/processes/put_rates.h"

#include "avrankmap/avrankmap.h"
#include "baseline/vc_vcrt.h"
#include "communicators/shapes.h"
#include "component/dispatch/ways.h"
#include "device/processes/together.h"
#include "device/transports/bare.h"
#include "device/transports/pair_process.h"
#include "support/cpu_time.h"
#include "support/machine.h"
#include "support/owned_map.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <regex>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::size_t kBytes = 8;
constexpr std::array kMapModes = {AVRM_MODE_DIRECT,  AVRM_MODE_OFFSET, AVRM_MODE_STRIDE,
                                  AVRM_MODE_BLOCKED, AVRM_MODE_LUT,    AVRM_MODE_MLUT};
/// Place of the loop with known addresses.
constexpr std::size_t kKnown = 0;

/// One loop that is measured: how it is named.
struct LoopName {
  std::string mode;
  std::string scheme;
};

std::vector<LoopName> loop_names(int processes, bool all_ways) {
  std::vector<LoopName> names{{avrm_mode_label(AVRM_MODE_DIRECT), "known"}}; // first: see kKnown
  for (const avrm_mode_t mode : kMapModes) {
    if (make_shape(mode, processes).processes.empty()) {
      continue;
    }
    // What is compared is measured side by side.
    for (const char *const scheme : {"vc-vcrt", "ours", "switch", "hybrid"}) {
      if (all_ways || (scheme != std::string("switch") && scheme != std::string("hybrid"))) {
        names.push_back({avrm_mode_label(mode), scheme});
      }
    }
  }
  return names;
}

avrm_mode_t mode_of(const std::string &label) {
  return *std::find_if(kMapModes.begin(), kMapModes.end(),
                       [&](avrm_mode_t mode) { return avrm_mode_label(mode) == label; });
}

/// A communicator of the mode, whose rank r is process r of this measurement.
class Translation {
public:
  Translation(avrm_mode_t mode, avrm_codec_t codec, const std::vector<std::uint64_t> &addresses) {
    const auto peers = static_cast<std::int32_t>(addresses.size());
    avrm_instance_t *const instance = instance_.get();
    std::vector<avrm_av_t *> avs;
    for (const std::int32_t size : world_sizes(peers)) {
      avrm_av_options_t av_options{};
      av_options.codec = codec;
      require(avrm_av_create(instance, size, &av_options, &avs.emplace_back()));
    }
    const Shape shape = make_shape(mode, peers);
    for (std::size_t rank = 0; rank < addresses.size(); ++rank) {
      const avrm_gpid_t process = shape.processes[rank];
      avrm_ave_t ave;
      require(avrm_ave_pack(codec, addresses[rank], 0, &ave));
      require(avrm_av_set_range(avs[static_cast<std::size_t>(process.pgid)], process.lpid, 1, &ave));
    }
    if (shape.parent_ranks.empty()) {
      require(avrm_rankmap_create_gpids(instance, peers, shape.processes.data(), AVRM_RANKMAP_DEFAULT, &map_));
    } else {
      avrm_rankmap_t world{};
      require(avrm_rankmap_create_direct(instance, 0, world_sizes(peers).front(), &world));
      const avrm_status_t status =
          avrm_rankmap_create_child(&world, peers, shape.parent_ranks.data(), AVRM_RANKMAP_DEFAULT, &map_);
      avrm_rankmap_destroy(&world);
      require(status);
    }
    require(avrm_rankmap_bind(&map_));
  }
  Translation(const Translation &) = delete;
  Translation &operator=(const Translation &) = delete;
  ~Translation() { avrm_rankmap_destroy(&map_); }

  [[nodiscard]] const avrm_rankmap_t *map() const { return &map_; }

private:
  OwnedInstance instance_ = make_instance(AVRM_COST_SPEED);
  avrm_rankmap_t map_{};
};

/// The same communicator in MPICH 3.2's structures.
class VcTranslation {
public:
  VcTranslation(avrm_mode_t mode, const std::vector<std::uint64_t> &addresses, const VcVcrt::Functions &functions)
      : comm_(make(make_shape(mode, static_cast<std::int32_t>(addresses.size())), addresses)) {
    scheme_.set_functions(functions);
  }
  [[nodiscard]] const VcVcrt::Comm &comm() const { return comm_; }

private:
  VcVcrt::Comm make(const Shape &shape, const std::vector<std::uint64_t> &addresses) {
    for (const std::int32_t size : world_sizes(static_cast<std::int32_t>(addresses.size()))) {
      scheme_.add_world(size);
    }
    for (std::size_t rank = 0; rank < addresses.size(); ++rank) {
      scheme_.set_address(shape.processes[rank], addresses[rank]);
    }
    return scheme_.make_merged(shape.processes);
  }

  VcVcrt scheme_;
  VcVcrt::Comm comm_;
};

/// One of the processes: its endpoint, and the loops.
template <class Channel> class Putter {
public:
  Putter(avrm_boot_t *boot, Together &together, std::unique_ptr<Channel> channel, avrm_codec_t codec)
      : together_(together), channel_(std::move(channel)), codec_(codec), rank_(avrm_boot_rank(boot)),
        size_(avrm_boot_size(boot)), first_(rank_ < size_ / 2 ? size_ / 2 : 0), next_(first_) {
    for (std::int32_t rank = 0; rank < size_; ++rank) {
      // Nobody puts to itself. UCX has no endpoint for it, and no AVE is made of address 0.
      addresses_.push_back(channel_->address_of(rank == rank_ ? first_ : rank));
    }
  }

  void add(const LoopName &name) {
    const avrm_mode_t mode = mode_of(name.mode);
    if (name.scheme == "known") {
      loops_.push_back([this](std::uint64_t windows) {
        repeat(windows, [this](std::int32_t rank) { put(rank, addresses_[static_cast<std::size_t>(rank)]); });
      });
    } else if (name.scheme == "vc-vcrt") {
      add_vc_vcrt(mode);
    } else if (name.scheme == "switch") {
      add_map<&dispatch::by_switch>(mode);
    } else if (name.scheme == "hybrid") {
      add_map<&dispatch::by_hybrid>(mode);
    } else {
      add_map<&avrm_rankmap_word>(mode);
    }
  }

  /// All processes call it, with the same arguments.
  void measure(int rounds, double seconds) {
    for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
      check(loop);
    }
    const std::uint64_t windows = choose_windows(seconds);
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < loops_.size(); ++i) {
        // There and back: whatever drifts meanwhile is no loop's own.
        const std::size_t loop = round % 2 == 0 ? i : loops_.size() - 1 - i;
        const double taken = run(loop, windows);
        if (rank_ == 0) {
          together_.seconds[loop][round] = taken / static_cast<double>(windows * kWindow);
          together_.issuing[loop][round] = issuing_;
        }
      }
    }
    barrier();
  }

private:
  void add_vc_vcrt(avrm_mode_t mode) {
    const VcVcrt::Functions functions{[](void *context, const VcVcrt::Vc &vc) {
                                        auto &own = *static_cast<Putter *>(context);
                                        own.put(own.target_, vc.network.address);
                                      },
                                      nullptr};
    const VcTranslation &translation = *vcs_.emplace_back(std::make_unique<VcTranslation>(mode, addresses_, functions));
    loops_.push_back([this, &comm = translation.comm()](std::uint64_t windows) {
      repeat(windows, [this, &comm](std::int32_t rank) {
        const VcVcrt::Vc &vc = VcVcrt::connection(comm, rank);
        if (vc.state != VcVcrt::kActive || vc.start.put == nullptr) [[unlikely]] {
          throw std::runtime_error("a rank is not on the network");
        }
        target_ = rank;
        vc.start.put(this, vc);
      });
    });
  }

  template <std::uint64_t (*word_of)(const avrm_rankmap_t *, std::int32_t)> void add_map(avrm_mode_t mode) {
    const Translation &translation = *maps_.emplace_back(std::make_unique<Translation>(mode, codec_, addresses_));
    loops_.push_back([this, map = translation.map()](std::uint64_t windows) {
      repeat(windows, [this, map](std::int32_t rank) {
        const std::uint64_t word = word_of(map, rank);
        if (AVRM_UNLIKELY(!avrm_word_is_network(codec_, word))) {
          throw std::runtime_error("a rank is not on the network");
        }
        put(rank, avrm_word_address(codec_, word));
      });
    });
  }

  void put(std::int32_t rank, std::uint64_t address) {
    channel_->put_to(address, rank, &value_, kBytes, static_cast<std::size_t>(rank_) * kBytes);
  }

  /// Windows of puts to the ranks on the other node in turn, each completed at the targets.
  template <class Put> void repeat(std::uint64_t windows, Put put_one) {
    for (std::uint64_t window = 0; window < windows; ++window) {
      const double start = thread_seconds();
      for (std::size_t i = 0; i < kWindow; ++i) {
        put_one(next_);
        next_ = next_ + 1 == first_ + size_ / 2 ? first_ : next_ + 1;
      }
      issuing_ += thread_seconds() - start;
      while (!channel_->flush_some()) {
        sched_yield();
      }
    }
  }

  void barrier() {
    together_.barrier(static_cast<std::uint32_t>(size_), [this] { channel_->progress(); });
  }

  /// Seconds until all processes are done.
  double run(std::size_t loop, std::uint64_t windows) {
    barrier();
    loops_[loop](windows / 8); // what lies in the caches now belongs to somebody else
    barrier();
    issuing_ = 0;
    const auto start = std::chrono::steady_clock::now();
    loops_[loop](windows);
    barrier();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Throws unless the puts of a loop reach the processes that they are meant for.
  void check(std::size_t loop) {
    const auto value_from = [&](std::int32_t rank) { return (loop + 1) * 1000 + static_cast<std::uint64_t>(rank); };
    value_ = value_from(rank_);
    barrier();
    loops_[loop](1);
    barrier();
    for (std::int32_t rank = first_; rank < first_ + size_ / 2; ++rank) {
      std::uint64_t found;
      std::memcpy(&found, channel_->memory() + static_cast<std::size_t>(rank) * kBytes, kBytes);
      if (found != value_from(rank)) {
        throw std::runtime_error(fmt::format("a put of rank {} has not reached rank {}", rank, rank_));
      }
    }
  }

  std::uint64_t choose_windows(double wanted) {
    std::uint64_t windows = 1;
    do {
      const double taken = run(0, windows);
      if (rank_ == 0) {
        together_.is_chosen = taken >= wanted / 4;
        const double factor = together_.is_chosen ? wanted / taken : 4;
        together_.count = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(windows) * factor));
      }
      barrier();
      windows = together_.count;
    } while (!together_.is_chosen);
    return windows;
  }

  Together &together_;
  std::unique_ptr<Channel> channel_;
  avrm_codec_t codec_;
  std::int32_t rank_;
  std::int32_t size_;
  std::int32_t first_; // of the ranks on the other node
  std::int32_t next_;
  std::int32_t target_ = 0; // of the function in a VC
  double issuing_ = 0;      // processor seconds of the puts alone
  std::uint64_t value_ = 0;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::unique_ptr<VcTranslation>> vcs_;
  std::vector<std::unique_ptr<Translation>> maps_;
  std::vector<std::function<void(std::uint64_t windows)>> loops_;
};

/// What a process holds until it ends.
struct Held {
  std::shared_ptr<void> putter;
};

void run_putter(const Transport &transport, const PutRateOptions &options, const std::vector<LoopName> &names,
                Together &together, avrm_boot_t *boot, Held &held) {
  with_bare_channel(transport, [&](auto open) {
    const std::size_t bytes = kBytes * static_cast<std::size_t>(avrm_boot_size(boot));
    using Channel = typename decltype(open(boot, bytes))::element_type;
    auto putter = std::make_shared<Putter<Channel>>(boot, together, open(boot, bytes), codec_of(transport));
    held.putter = putter;
    for (const LoopName &name : names) {
      putter->add(name);
    }
    putter->measure(options.rounds, options.seconds);
  });
}

} // namespace

std::vector<PutRate> measure_put_rates(const PutRateOptions &options, const Log &progress, const Log &note) {
  const std::regex filter(options.filter);
  std::vector<PutRate> rates;
  if (cpu_count() < 2) {
    note("puts between real processes: left out, they need two CPUs");
    return rates;
  }
  for (const Transport &transport : kTransports) {
    for (const int processes : options.processes) {
      const std::vector<LoopName> names = loop_names(processes, options.all_ways);
      const bool is_wanted = std::any_of(names.begin(), names.end(), [&](const LoopName &name) {
        return std::regex_search(fmt::format("BM_PutRate/{}/{}/{}", transport.name, processes, name.scheme), filter);
      });
      if ((transport.studies & kInModes) == 0 || !is_wanted) {
        continue;
      }
      const std::string what = fmt::format("puts of {} processes", processes);
      progress(fmt::format("{}, {}", what, transport.name));
      const SharedPages<Together> together;
      if (!run_processes<Held>(what.c_str(), transport, processes, note, [&](avrm_boot_t *boot, Held &held) {
            run_putter(transport, options, names, *together.get(), boot, held);
          })) {
        continue;
      }
      const auto samples = [&](const double(&of)[Together::kMaxLoops][Together::kMaxRounds], std::size_t loop) {
        return std::vector<double>(of[loop], of[loop] + options.rounds);
      };
      const Together &shared = *together.get();
      std::size_t theirs = kKnown; // the loop with VC-VCRT of the same mode
      for (std::size_t loop = 0; loop < names.size(); ++loop) {
        theirs = names[loop].scheme == "vc-vcrt" ? loop : theirs;
        const std::vector<double> own = samples(shared.seconds, loop);
        rates.push_back({transport.name, processes, names[loop].mode, names[loop].scheme, 1 / median(own),
                         median_ratio(samples(shared.seconds, theirs), own),
                         median_ratio(samples(shared.seconds, kKnown), own),
                         median_ratio(samples(shared.issuing, loop), samples(shared.issuing, theirs))});
      }
    }
  }
  return rates;
}

namespace {

Json run(Session &session) {
  return measure_put_rates({{2, 16}, session.choose(5, 31), session.choose(0.01, 0.025), session.filter},
                           session.progress, session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(4, "Puts of 8 bytes by real processes over real networks, through the bare interface: by mode, by "
                     "VC-VCRT and with known addresses, per process (the paper's table V, rows named real); processor "
                     "time of issuing alone over VC-VCRT's");
  table.row({"transport", "processes", "mode", "scheme", "M/s", "of VC-VCRT", "of known", "issuing"});
  for (const PutRate &row : rows_of<PutRate>(rows)) {
    table.row({row.transport, std::to_string(row.processes), row.mode, row.scheme,
               fmt::format("{:.4f}", row.rate / 1e6), fmt::format("{:.3f}", row.of_vcrt),
               fmt::format("{:.3f}", row.of_known), fmt::format("{:.3f}", row.issuing)});
  }
  return {table};
}

} // namespace

const Measurement kPutRates = {"put_rates", "BM_PutRate/<transport>/<processes>/<scheme>", false, run, tables};

} // namespace avrankmap::bench
