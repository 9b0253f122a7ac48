// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transports/mode_rates.h"

#include "avrankmap/avrankmap.h"
#include "dispatch/ways.h"
#include "harness/shapes.h"
#include "harness/shared_pages.h"
#include "harness/statistics.h"
#include "transports/pair_process.h"
#include "transports/rank_channel.h"
#if AVRM_HAVE_OFI
#include "transports/ofi_channel.h"
#endif
#if AVRM_HAVE_UCX
#include "transports/ucx_channel.h"
#endif

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPeers = kRankChannelPeers;
constexpr std::size_t kBytes = 8;
constexpr TransportCase kCase{TransportOp::kIsend, TransportMeasure::kRate, kBytes};
constexpr std::array kModes = {AVRM_MODE_DIRECT,  AVRM_MODE_OFFSET, AVRM_MODE_STRIDE,
                               AVRM_MODE_BLOCKED, AVRM_MODE_LUT,    AVRM_MODE_MLUT};
constexpr std::array kWays = {"flags", "switch", "hybrid"}; // ours first
static_assert(kModes.size() * kWays.size() < kMaxSubjects);

struct Network {
  const char *name;
  const char *provider;
  bool ucx;
};

constexpr Network kNetworks[] = {
#if AVRM_HAVE_OFI
    {"ofi:tcp;ofi_rxm", "tcp;ofi_rxm", false},
#endif
#if AVRM_HAVE_UCX
    {"ucx:tcp", "tcp,self", true},
#endif
    {nullptr, nullptr, false},
};

void check(avrm_status_t status) {
  if (status != AVRM_OK) {
    throw std::runtime_error(avrm_status_text(status));
  }
}

/// A communicator of the mode in worlds all of whose processes have the same address. It lives as long as its process.
class Translation {
public:
  Translation(avrm_mode_t mode, avrm_codec_t codec, std::uint64_t address) {
    const avrm_instance_options_t options = {nullptr, false, AVRM_COST_SPEED, false};
    avrm_instance_t *instance = nullptr;
    check(avrm_instance_create(&options, &instance));
    avrm_ave_t ave;
    check(codec == AVRM_CODEC_UCX
              ? avrm_ucx_pack(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(address)), 0, &ave)
              : avrm_ofi_pack(address, 0, &ave));
    for (const std::int32_t size : world_sizes(kPeers)) {
      avrm_av_options_t av_options{};
      av_options.codec = codec;
      avrm_av_t *av = nullptr;
      check(avrm_av_create(instance, size, &av_options, &av));
      const std::vector<avrm_ave_t> all(static_cast<std::size_t>(size), ave);
      check(avrm_av_set_range(av, 0, size, all.data()));
    }
    const Shape shape = make_shape(mode, kPeers);
    if (shape.parent_ranks.empty()) {
      check(avrm_rankmap_create_gpids(instance, kPeers, shape.processes.data(), AVRM_RANKMAP_DEFAULT, &map_));
    } else {
      avrm_rankmap_t *world = nullptr;
      check(avrm_rankmap_create_direct(instance, 0, world_sizes(kPeers).front(), &world));
      check(avrm_rankmap_create_child(world, kPeers, shape.parent_ranks.data(), AVRM_RANKMAP_DEFAULT, &map_));
    }
    check(avrm_rankmap_bind(map_));
  }
  [[nodiscard]] const avrm_rankmap_t *map() const { return map_; }

private:
  avrm_rankmap_t *map_ = nullptr;
};

/// Where ranks are looked up.
template <std::uint64_t (*word_of)(const avrm_rankmap_t *, std::int32_t)> struct ByMode {
  template <class Channel>
  ByMode(const Channel &channel, avrm_mode_t mode, avrm_codec_t codec)
      : map(mode, codec, channel.peer()), ucx(codec == AVRM_CODEC_UCX) {}
  [[nodiscard]] std::uint64_t operator[](std::int32_t rank) const {
    const std::uint64_t word = word_of(map.map(), rank);
    if (AVRM_UNLIKELY(!(ucx ? avrm_ucx_is_network(word) : avrm_ofi_is_network(word)))) {
      throw std::runtime_error("a rank is not on the network");
    }
    return word - 1;
  }
  Translation map;
  bool ucx;
};

struct ByAddress {
  template <class Channel> ByAddress(const Channel &channel, avrm_mode_t, avrm_codec_t) {
    addresses.fill(channel.peer());
  }
  [[nodiscard]] std::uint64_t operator[](std::int32_t rank) const { return addresses[static_cast<std::size_t>(rank)]; }
  std::array<std::uint64_t, kPeers> addresses;
};

struct Job {
  const Network *network;
  const ModeRateOptions *options;
  PairControl *control;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

template <class Channel, class... Arguments>
void make_subjects(const Job &job, avrm_boot_t *boot, avrm_codec_t codec, Subjects &subjects, Arguments... arguments) {
  const int rank = avrm_boot_rank(boot);
  const auto add = [&]<class Lookup>(avrm_mode_t mode, const Lookup *) {
    using Ranks = RankChannel<Channel, Lookup>;
    auto channel = std::make_unique<Ranks>(std::make_unique<Channel>(boot, arguments..., kBytes), mode, codec);
    subjects.push_back(std::make_unique<SubjectOf<Ranks>>(*job.control, rank, kBytes, std::move(channel)));
  };
  add(AVRM_MODE_DIRECT, static_cast<const ByAddress *>(nullptr));
  for (const avrm_mode_t mode : kModes) {
    add(mode, static_cast<const ByMode<&avrm_rankmap_word> *>(nullptr));
  }
  for (const avrm_mode_t mode : kModes) {
    if (job.options->all_ways) {
      add(mode, static_cast<const ByMode<&dispatch::by_switch> *>(nullptr));
    }
  }
  for (const avrm_mode_t mode : kModes) {
    if (job.options->all_ways) {
      add(mode, static_cast<const ByMode<&dispatch::by_hybrid> *>(nullptr));
    }
  }
}

int run_process(avrm_boot_t *boot, void *user) {
  const Job &job = *static_cast<const Job *>(user);
  const int rank = avrm_boot_rank(boot);
  pin_process(rank);
  Subjects subjects; // outlives the exception: the other process may be somewhere else
  try {
    if (job.network->ucx) {
#if AVRM_HAVE_UCX
      set_ucx_environment(job.network->provider);
      make_subjects<UcxChannel>(job, boot, AVRM_CODEC_UCX, subjects);
#endif
    } else {
#if AVRM_HAVE_OFI
      make_subjects<OfiChannel>(job, boot, AVRM_CODEC_OFI, subjects, job.network->provider);
#endif
    }
    const std::uint64_t count = choose_count(*job.control, *subjects.front(), kCase, rank, job.options->seconds);
    for (int round = 0; round < job.options->rounds; ++round) {
      for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
        const double seconds = subjects[subject]->run(kCase, count);
        if (rank == 0) {
          job.control->seconds[0][subject][round] = seconds / static_cast<double>(count * window_of(kBytes));
        }
      }
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s by mode: %s\n", job.network->name, error.what());
    std::_Exit(1);
  }
  subjects.front()->meet();
  std::_Exit(0); // channels of several endpoints would wait for one another
}

std::vector<double> samples(const Job &job, std::size_t subject) {
  const double *const first = job.control->seconds[0][subject];
  return {first, first + job.options->rounds};
}

} // namespace

std::vector<ModeRate> measure_mode_rates(const ModeRateOptions &options,
                                         const std::function<void(const std::string &)> &progress,
                                         const std::function<void(const std::string &)> &note) {
  const std::regex filter(options.filter);
  std::vector<ModeRate> rates;
  if (cpu_count() < 2) {
    return rates; // measure_transports says so
  }
  for (const Network &network : kNetworks) {
    const auto wanted = [&](avrm_mode_t mode) {
      return std::regex_search(fmt::format("BM_ModeRate/{}/{}", network.name, avrm_mode_label(mode)), filter);
    };
    if (network.name == nullptr || std::none_of(kModes.begin(), kModes.end(), wanted)) {
      continue;
    }
    progress(fmt::format("rate by mode, {}", network.name));
    const SharedPages<PairControl> control;
    const Job job{&network, &options, control.get()};
    avrm_fork_options_t fork{};
    fork.size = 2;
    fork.timeout_ms = 120000;
    fork.kill_on_failure = 1;
    std::int32_t codes[2] = {};
    const avrm_status_t status =
        avrm_boot_fork_run(&fork, run_process, const_cast<void *>(static_cast<const void *>(&job)), codes);
    if (status != AVRM_OK || codes[0] != 0 || codes[1] != 0) {
      note(fmt::format("rate by mode, {}, is left out: {}, exit codes {} and {}", network.name,
                       avrm_status_text(status), codes[0], codes[1]));
      continue;
    }
    const std::vector<double> raw = samples(job, 0);
    for (std::size_t i = 0; i < kModes.size() * (options.all_ways ? kWays.size() : 1); ++i) {
      const std::vector<double> ours = samples(job, i + 1);
      rates.push_back({network.name, avrm_mode_label(kModes[i % kModes.size()]), kWays[i / kModes.size()],
                       1 / median(ours), 1 / median(raw), median_ratio(raw, ours)});
    }
  }
  return rates;
}

} // namespace avrankmap::bench
