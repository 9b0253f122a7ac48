// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/cached_latency.h"

#include "avrankmap/avrankmap.h"
#include "baseline/translation_caches.h"
#include "device/transports/bare.h"
#include "device/transports/pair_process.h"
#include "device/transports/rank_channel.h"
#include "support/machine.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace avrankmap::bench {
namespace {

constexpr std::array kSchemes = {"plain table", "mapping function", "linear 8", "128 x 8", "ours"};
static_assert(kSchemes.size() <= kMaxSubjects);
const Extents kWorld = {128, 96, 64};
constexpr std::int32_t kSide = 16;

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

/// The world, all of whose processes have the same address, and the communicator. Lives as long as
/// its process.
class World {
public:
  World(avrm_codec_t codec, std::uint64_t address) : box(world_ranks_of_box()) {
    avrm_instance_t *instance = nullptr;
    const avrm_instance_options_t by_bytes{nullptr, false, AVRM_COST_BYTES, false};
    require(avrm_instance_create(&by_bytes, &instance));
    avrm_ave_t ave;
    require(avrm_ave_pack(codec, address, 0, &ave));
    const std::int32_t size = kWorld[0] * kWorld[1] * kWorld[2];
    avrm_av_options_t options{};
    options.codec = codec;
    avrm_av_t *av = nullptr;
    require(avrm_av_create(instance, size, &options, &av));
    const std::vector<avrm_ave_t> all(static_cast<std::size_t>(size), ave);
    require(avrm_av_set_range(av, 0, size, all.data()));
    elements = av->elements;
    require(avrm_rankmap_create_lpids(instance, av->pgid, static_cast<std::int32_t>(box.size()), box.data(),
                                      AVRM_RANKMAP_DEFAULT, &map));
    require(avrm_rankmap_bind(&map));
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
  avrm_rankmap_t map{};
};

/// Ping-pong knows one partner, the rank in the middle; what is translated is its rank each time.
constexpr std::int32_t kPartner = kSide * kSide * kSide / 2;

std::uint64_t network_address(std::uint64_t word, avrm_codec_t codec) {
  if (AVRM_UNLIKELY(!avrm_word_is_network(codec, word))) {
    throw std::runtime_error("a rank is not on the network");
  }
  return avrm_word_address(codec, word);
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
    return network_address(avrm_rankmap_word(&world_.map, kPartner), codec_);
  }

private:
  World world_;
  avrm_codec_t codec_;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

/// In the order of kSchemes.
void make_subjects(const Transport &transport, std::size_t largest, PairControl &control, avrm_boot_t *boot,
                   Subjects &subjects) {
  with_bare_channel(transport, [&](auto open) {
    using Channel = typename decltype(open(boot, largest))::element_type;
    const auto add = [&]<class Lookup>(std::type_identity<Lookup>, bool table) {
      using Ranks = RankChannel<Channel, Lookup>;
      auto channel = std::make_unique<Ranks>(open(boot, largest), codec_of(transport), table);
      subjects.push_back(
          std::make_unique<SubjectOf<Ranks>>(control, avrm_boot_rank(boot), largest, std::move(channel)));
    };
    add(std::type_identity<Theirs<NoCache>>(), true);
    add(std::type_identity<Theirs<NoCache>>(), false);
    add(std::type_identity<Theirs<LinearCache<8>>>(), false);
    add(std::type_identity<Theirs<PaperCache>>(), false);
    add(std::type_identity<Ours>(), false);
  });
}

void measure(const CachedLatencyOptions &options, PairControl &control, Subjects &subjects, int rank) {
  for (std::size_t size = 0; size < options.sizes.size(); ++size) {
    const TransportCase which{TransportOp::kIsend, TransportMeasure::kLatency, options.sizes[size]};
    const std::uint64_t count = choose_count(control, *subjects.front(), which, rank, options.seconds);
    for (int round = 0; round < options.rounds; ++round) {
      for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
        const double seconds = subjects[subject]->run(which, count);
        if (rank == 0) {
          control.seconds[size][subject][round] = seconds / static_cast<double>(count) / 2;
        }
      }
    }
  }
}

} // namespace

std::vector<CachedLatency> measure_cached_latency(const CachedLatencyOptions &options, const Log &progress,
                                                  const Log &note) {
  std::vector<CachedLatency> latencies;
  if (options.rounds > kMaxRounds || options.sizes.size() > kMaxCases) {
    throw std::invalid_argument("too many rounds or sizes");
  }
  if (cpu_count() < 2) {
    note("ping-pong is left out: it needs two CPUs");
    return latencies;
  }
  const std::size_t largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  for (const Transport &transport : kTransports) {
    if ((transport.studies & kInPingPong) == 0) {
      continue;
    }
    progress(fmt::format("ping-pong, {}", transport.name));
    const SharedPages<PairControl> shared;
    PairControl &control = *shared.get();
    const bool done = run_pair<Subjects>("ping-pong", transport, note, [&](avrm_boot_t *boot, Subjects &subjects) {
      make_subjects(transport, largest, control, boot, subjects);
      measure(options, control, subjects, avrm_boot_rank(boot));
      subjects.front()->barrier();
      std::_Exit(0); // channels of several endpoints would wait for one another
    });
    if (!done) {
      continue;
    }
    for (std::size_t size = 0; size < options.sizes.size(); ++size) {
      const std::vector<double> table = control.samples(size, 0, options.rounds);
      for (std::size_t subject = 0; subject < kSchemes.size(); ++subject) {
        const std::vector<double> own = control.samples(size, subject, options.rounds);
        latencies.push_back(
            {transport.name, kSchemes[subject], options.sizes[size], median(own) * 1e6, median_ratio(own, table)});
      }
    }
  }
  return latencies;
}

} // namespace avrankmap::bench
