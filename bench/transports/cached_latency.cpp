// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transports/cached_latency.h"

#include "avrankmap/avrankmap.h"
#include "baseline/translation_caches.h"
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

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::array kSchemes = {"plain table", "mapping function", "linear 8", "128 x 8", "ours"};
static_assert(kSchemes.size() <= kMaxSubjects);
const Extents kWorld = {128, 96, 64};
constexpr std::int32_t kSide = 16;

void check(avrm_status_t status) {
  if (status != AVRM_OK) {
    throw std::runtime_error(avrm_status_text(status));
  }
}

std::vector<std::int32_t> world_ranks_of_box() {
  std::vector<std::int32_t> ranks;
  for (std::int32_t z = 10; z < 10 + kSide; ++z) {
    for (std::int32_t y = 30; y < 30 + kSide; ++y) {
      for (std::int32_t x = 50; x < 50 + kSide; ++x) {
        ranks.push_back(x + kWorld[0] * (y + kWorld[1] * z));
      }
    }
  }
  return ranks;
}

/// The world, all of whose processes have the same address, and the communicator. Lives as long as its process.
class World {
public:
  World(avrm_codec_t codec, std::uint64_t address) : box(world_ranks_of_box()) {
    avrm_instance_t *instance = nullptr;
    check(avrm_instance_create(nullptr, &instance));
    avrm_ave_t ave;
    check(codec == AVRM_CODEC_UCX
              ? avrm_ucx_pack(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(address)), 0, &ave)
              : avrm_ofi_pack(address, 0, &ave));
    const std::int32_t size = kWorld[0] * kWorld[1] * kWorld[2];
    avrm_av_options_t options{};
    options.codec = codec;
    avrm_av_t *av = nullptr;
    check(avrm_av_create(instance, size, &options, &av));
    const std::vector<avrm_ave_t> all(static_cast<std::size_t>(size), ave);
    check(avrm_av_set_range(av, 0, size, all.data()));
    elements = av->elements;
    avrm_rankmap_t *made = nullptr;
    check(avrm_rankmap_create_lpids(instance, av->pgid, static_cast<std::int32_t>(box.size()), box.data(),
                                    AVRM_RANKMAP_DEFAULT, &made));
    check(avrm_rankmap_bind(made));
    map = made;
  }

  [[nodiscard]] static CartesianVcrt compress(const std::vector<std::int32_t> &box) {
    const std::optional<CartesianVcrt> vcrt = CartesianVcrt::compress(kWorld, box);
    if (!vcrt) {
      throw std::runtime_error("the box is no part of its world");
    }
    return *vcrt;
  }

  std::vector<std::int32_t> box;
  const avrm_ave_t *elements = nullptr;
  const avrm_rankmap_t *map = nullptr;
};

/// Ping-pong knows one partner, the rank in the middle; what is translated is its rank each time.
constexpr std::int32_t kPartner = kSide * kSide * kSide / 2;

std::uint64_t network_address(std::uint64_t word, avrm_codec_t codec) {
  if (AVRM_UNLIKELY(!(codec == AVRM_CODEC_UCX ? avrm_ucx_is_network(word) : avrm_ofi_is_network(word)))) {
    throw std::runtime_error("a rank is not on the network");
  }
  return word - 1;
}

template <class Cache> class Theirs {
public:
  template <class Channel>
  Theirs(const Channel &channel, avrm_codec_t codec, bool table)
      : world_(codec, channel.peer()), codec_(codec),
        vcrt_(table ? std::make_unique<CachedVcrt<Cache>>(World::compress(world_.box), world_.box.data())
                    : std::make_unique<CachedVcrt<Cache>>(World::compress(world_.box))) {}
  std::uint64_t operator[](std::int32_t /*next*/) {
    return network_address(avrm_ave_word(world_.elements + vcrt_->translate(kPartner)), codec_);
  }

private:
  World world_;
  avrm_codec_t codec_;
  std::unique_ptr<CachedVcrt<Cache>> vcrt_;
};

class Ours {
public:
  template <class Channel>
  Ours(const Channel &channel, avrm_codec_t codec, bool /*table*/) : world_(codec, channel.peer()), codec_(codec) {}
  std::uint64_t operator[](std::int32_t /*next*/) {
    return network_address(avrm_rankmap_word(world_.map, kPartner), codec_);
  }

private:
  World world_;
  avrm_codec_t codec_;
};

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
    {"ucx:posix", "posix,self", true},
#endif
    {nullptr, nullptr, false},
};

struct Job {
  const Network *network;
  const CachedLatencyOptions *options;
  PairControl *control;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

template <class Channel, class... Arguments>
void make_subjects(const Job &job, avrm_boot_t *boot, avrm_codec_t codec, Subjects &subjects, Arguments... arguments) {
  const int rank = avrm_boot_rank(boot);
  const std::size_t largest = *std::max_element(job.options->sizes.begin(), job.options->sizes.end());
  const auto add = [&]<class Lookup>(bool table, const Lookup *) {
    using Ranks = RankChannel<Channel, Lookup>;
    auto channel = std::make_unique<Ranks>(std::make_unique<Channel>(boot, arguments..., largest), codec, table);
    subjects.push_back(std::make_unique<SubjectOf<Ranks>>(*job.control, rank, largest, std::move(channel)));
  };
  add(true, static_cast<const Theirs<NoCache> *>(nullptr));
  add(false, static_cast<const Theirs<NoCache> *>(nullptr));
  add(false, static_cast<const Theirs<LinearCache<8>> *>(nullptr));
  add(false, static_cast<const Theirs<PaperCache> *>(nullptr));
  add(false, static_cast<const Ours *>(nullptr));
}

TransportCase case_of(std::size_t bytes) { return {TransportOp::kIsend, TransportMeasure::kLatency, bytes}; }

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
    for (std::size_t size = 0; size < job.options->sizes.size(); ++size) {
      const TransportCase which = case_of(job.options->sizes[size]);
      const std::uint64_t count = choose_count(*job.control, *subjects.front(), which, rank, job.options->seconds);
      for (int round = 0; round < job.options->rounds; ++round) {
        for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
          const double seconds = subjects[subject]->run(which, count);
          if (rank == 0) {
            job.control->seconds[size][subject][round] = seconds / static_cast<double>(count) / 2;
          }
        }
      }
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s with caches: %s\n", job.network->name, error.what());
    std::_Exit(1);
  }
  subjects.front()->meet();
  std::_Exit(0); // channels of several endpoints would wait for one another
}

} // namespace

std::vector<CachedLatency> measure_cached_latency(const CachedLatencyOptions &options,
                                                  const std::function<void(const std::string &)> &progress,
                                                  const std::function<void(const std::string &)> &note) {
  std::vector<CachedLatency> latencies;
  if (options.rounds > kMaxRounds || options.sizes.size() > kMaxCases) {
    throw std::invalid_argument("too many rounds or sizes");
  }
  if (cpu_count() < 2) {
    note("ping-pong is left out: it needs two CPUs");
    return latencies;
  }
  for (const Network &network : kNetworks) {
    if (network.name == nullptr) {
      continue;
    }
    progress(fmt::format("ping-pong, {}", network.name));
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
      note(fmt::format("ping-pong, {}, is left out: {}, exit codes {} and {}", network.name, avrm_status_text(status),
                       codes[0], codes[1]));
      continue;
    }
    for (std::size_t size = 0; size < options.sizes.size(); ++size) {
      const auto samples = [&](std::size_t subject) {
        const double *const first = control.get()->seconds[size][subject];
        return std::vector<double>(first, first + options.rounds);
      };
      for (std::size_t subject = 0; subject < kSchemes.size(); ++subject) {
        latencies.push_back({network.name, kSchemes[subject], options.sizes[size], median(samples(subject)) * 1e6,
                             median_ratio(samples(subject), samples(0))});
      }
    }
  }
  return latencies;
}

} // namespace avrankmap::bench
