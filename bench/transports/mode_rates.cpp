// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transports/mode_rates.h"

#include "avrankmap/avrankmap.h"
#include "communicators/shapes.h"
#include "dispatch/ways.h"
#include "support/machine.h"
#include "support/require.h"
#include "support/shared_pages.h"
#include "support/statistics.h"
#include "transports/bare.h"
#include "transports/pair_process.h"
#include "transports/rank_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <type_traits>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPeers = kRankChannelPeers;
constexpr std::size_t kBytes = 8;
constexpr TransportCase kCase{TransportOp::kIsend, TransportMeasure::kRate, kBytes};
constexpr std::array kMapModes = {AVRM_MODE_DIRECT,  AVRM_MODE_OFFSET, AVRM_MODE_STRIDE,
                                  AVRM_MODE_BLOCKED, AVRM_MODE_LUT,    AVRM_MODE_MLUT};
constexpr std::array kWays = {"flags", "switch", "hybrid"}; // ours first
static_assert(kMapModes.size() * kWays.size() < kMaxSubjects);

/// A communicator of the mode in worlds all of whose processes have the same address. It lives as
/// long as its process.
class Translation {
public:
  Translation(avrm_mode_t mode, avrm_codec_t codec, std::uint64_t address) {
    const avrm_instance_options_t options = {nullptr, false, AVRM_COST_SPEED, false};
    avrm_instance_t *instance = nullptr;
    require(avrm_instance_create(&options, &instance));
    avrm_ave_t ave;
    require(avrm_ave_pack(codec, address, 0, &ave));
    for (const std::int32_t size : world_sizes(kPeers)) {
      avrm_av_options_t av_options{};
      av_options.codec = codec;
      avrm_av_t *av = nullptr;
      require(avrm_av_create(instance, size, &av_options, &av));
      const std::vector<avrm_ave_t> all(static_cast<std::size_t>(size), ave);
      require(avrm_av_set_range(av, 0, size, all.data()));
    }
    const Shape shape = make_shape(mode, kPeers);
    if (shape.parent_ranks.empty()) {
      require(avrm_rankmap_create_gpids(instance, kPeers, shape.processes.data(), AVRM_RANKMAP_DEFAULT, &map_));
    } else {
      avrm_rankmap_t world{};
      require(avrm_rankmap_create_direct(instance, 0, world_sizes(kPeers).front(), &world));
      require(avrm_rankmap_create_child(&world, kPeers, shape.parent_ranks.data(), AVRM_RANKMAP_DEFAULT, &map_));
    }
    require(avrm_rankmap_bind(&map_));
  }
  [[nodiscard]] const avrm_rankmap_t *map() const { return &map_; }

private:
  avrm_rankmap_t map_{};
};

/// Where ranks are looked up.
template <std::uint64_t (*word_of)(const avrm_rankmap_t *, std::int32_t)> struct ByMode {
  template <class Channel>
  ByMode(const Channel &channel, avrm_mode_t mode, avrm_codec_t codec)
      : map(mode, codec, channel.peer()), codec(codec) {}
  [[nodiscard]] std::uint64_t operator[](std::int32_t rank) const {
    const std::uint64_t word = word_of(map.map(), rank);
    if (AVRM_UNLIKELY(!avrm_word_is_network(codec, word))) {
      throw std::runtime_error("a rank is not on the network");
    }
    return avrm_word_address(codec, word);
  }
  Translation map;
  avrm_codec_t codec;
};

struct ByAddress {
  template <class Channel> ByAddress(const Channel &channel, avrm_mode_t, avrm_codec_t) {
    addresses.fill(channel.peer());
  }
  [[nodiscard]] std::uint64_t operator[](std::int32_t rank) const { return addresses[static_cast<std::size_t>(rank)]; }
  std::array<std::uint64_t, kPeers> addresses;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

/// Addresses themselves first, then each mode, by each way to dispatch.
void make_subjects(const Transport &transport, bool all_ways, PairControl &control, avrm_boot_t *boot,
                   Subjects &subjects) {
  const avrm_codec_t codec = codec_of(transport);
  with_bare_channel(transport, [&](auto open) {
    using Channel = typename decltype(open(boot, kBytes))::element_type;
    const auto add = [&]<class Lookup>(std::type_identity<Lookup>, avrm_mode_t mode) {
      using Ranks = RankChannel<Channel, Lookup>;
      auto channel = std::make_unique<Ranks>(open(boot, kBytes), mode, codec);
      subjects.push_back(std::make_unique<SubjectOf<Ranks>>(control, avrm_boot_rank(boot), kBytes, std::move(channel)));
    };
    const auto add_all = [&](auto lookup) {
      for (const avrm_mode_t mode : kMapModes) {
        add(lookup, mode);
      }
    };
    add(std::type_identity<ByAddress>(), AVRM_MODE_DIRECT);
    add_all(std::type_identity<ByMode<&avrm_rankmap_word>>());
    if (all_ways) {
      add_all(std::type_identity<ByMode<&dispatch::by_switch>>());
      add_all(std::type_identity<ByMode<&dispatch::by_hybrid>>());
    }
  });
}

void measure(const ModeRateOptions &options, PairControl &control, Subjects &subjects, int rank) {
  const std::uint64_t count = choose_count(control, *subjects.front(), kCase, rank, options.seconds);
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
      const double seconds = subjects[subject]->run(kCase, count);
      if (rank == 0) {
        control.seconds[0][subject][round] = seconds / static_cast<double>(count * window_of(kBytes));
      }
    }
  }
}

} // namespace

std::vector<ModeRate> measure_mode_rates(const ModeRateOptions &options, const Log &progress, const Log &note) {
  const std::regex filter(options.filter);
  std::vector<ModeRate> rates;
  if (cpu_count() < 2) {
    return rates; // measure_transports says so
  }
  for (const Transport &transport : kTransports) {
    const auto wanted = [&](avrm_mode_t mode) {
      return std::regex_search(fmt::format("BM_ModeRate/{}/{}", transport.name, avrm_mode_label(mode)), filter);
    };
    if ((transport.studies & kInModes) == 0 || std::none_of(kMapModes.begin(), kMapModes.end(), wanted)) {
      continue;
    }
    progress(fmt::format("rate by mode, {}", transport.name));
    const SharedPages<PairControl> shared;
    PairControl &control = *shared.get();
    const bool done = run_pair<Subjects>("rate by mode", transport, note, [&](avrm_boot_t *boot, Subjects &subjects) {
      make_subjects(transport, options.all_ways, control, boot, subjects);
      measure(options, control, subjects, avrm_boot_rank(boot));
      subjects.front()->meet();
      std::_Exit(0); // channels of several endpoints would wait for one another
    });
    if (!done) {
      continue;
    }
    const std::vector<double> raw = control.samples(0, 0, options.rounds);
    for (std::size_t i = 0; i < kMapModes.size() * (options.all_ways ? kWays.size() : 1); ++i) {
      const std::vector<double> ours = control.samples(0, i + 1, options.rounds);
      rates.push_back({transport.name, avrm_mode_label(kMapModes[i % kMapModes.size()]), kWays[i / kMapModes.size()],
                       1 / median(ours), 1 / median(raw), median_ratio(raw, ours)});
    }
  }
  return rates;
}

namespace {

Json run(Session &session) {
  return measure_mode_rates({session.choose(31, 101), session.choose(0.001, 0.003), session.filter}, session.progress,
                            session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(2,
                  "Rate of 8-byte messages by mode over real networks, through the bare interface: ranks against raw "
                  "addresses (the paper's Table V, top)");
  table.row({"transport", "mode", "M/s", "raw M/s", "ours/raw"});
  for (const ModeRate &row : rows_of<ModeRate>(rows)) {
    table.row({row.transport, row.mode, fmt::format("{:.4f}", row.rate / 1e6),
               fmt::format("{:.4f}", row.rate_raw / 1e6), fmt::format("{:.3f}", row.ratio)});
  }
  return {table};
}

} // namespace

const Measurement kModeRates = {"mode_rates", "BM_ModeRate/<transport>/<mode>", false, run, tables};

} // namespace avrankmap::bench
