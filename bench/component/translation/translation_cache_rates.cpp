// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/translation_cache_rates.h"

#include "avrankmap/avrankmap.h"
#include "baseline/translation_caches.h"
#include "baseline/world_rectangles.h"
#include "support/require.h"
#include "support/statistics.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kSide = 16;

/// A communicator and the rectangle that it is a part of.
struct Shape {
  Extents world;
  std::vector<std::int32_t> ranks; ///< of the world
};

/// 16 x 16 x 16 processes out of 128 x 96 x 64.
Shape box() {
  Shape shape{{128, 96, 64}, {}};
  for (std::int32_t z = 10; z < 10 + kSide; ++z) {
    for (std::int32_t y = 30; y < 30 + kSide; ++y) {
      for (std::int32_t x = 50; x < 50 + kSide; ++x) {
        shape.ranks.push_back(x + shape.world[0] * (y + shape.world[1] * z));
      }
    }
  }
  return shape;
}

/// All 512 nodes, numbered the other way round than in the world: in the world's own order the map
/// would be a formula of no dimension.
Shape torus() {
  const Torus torus = near_torus();
  return {Extents(torus.extents.rbegin(), torus.extents.rend()), torus.reversed()};
}

/// The world, and the communicator in each of the ways that need no cache.
class Subjects {
public:
  explicit Subjects(Shape shape) : shape_(std::move(shape)), vcrt_(compress()) {
    const avrm_instance_options_t options{nullptr, false, AVRM_COST_BYTES, false};
    require(avrm_instance_create(&options, &instance_));
    require(avrm_av_create(instance_, Torus{shape_.world}.size(), nullptr, &av_));
    for (std::int32_t lpid = 0; lpid < av_->size; ++lpid) {
      avrm_ave_t ave{};
      require(avrm_ofi_pack(static_cast<std::uint64_t>(lpid), 0, &ave));
      require(avrm_av_set(av_, lpid, &ave));
    }
    const auto size = static_cast<std::int32_t>(shape_.ranks.size());
    require(avrm_rankmap_create_lpids(instance_, av_->pgid, size, shape_.ranks.data(), 0, &map_));
    require(avrm_rankmap_bind(&map_));
    avrm_rankmap_info_t info{};
    require(avrm_rankmap_describe(&map_, &info));
    if (static_cast<std::size_t>(info.dimensions) != shape_.world.size()) {
      throw std::runtime_error("our map has other dimensions than the rectangle");
    }
    for (std::int32_t rank = 0; rank < size; ++rank) {
      const std::int32_t world_rank = shape_.ranks[static_cast<std::size_t>(rank)];
      if (avrm_rankmap_gpid(&map_, rank).lpid != world_rank || vcrt_.map(rank) != world_rank) {
        throw std::runtime_error("wrong process in the communicator");
      }
    }
  }
  ~Subjects() {
    avrm_rankmap_destroy(&map_);
    avrm_av_release(av_);
    (void)avrm_instance_destroy(instance_);
  }
  Subjects(const Subjects &) = delete;
  Subjects &operator=(const Subjects &) = delete;

  [[nodiscard]] const avrm_rankmap_t *map() const { return &map_; }
  [[nodiscard]] const CartesianVcrt &vcrt() const { return vcrt_; }
  [[nodiscard]] const avrm_ave_t *elements() const { return av_->elements; }
  [[nodiscard]] const std::int32_t *table() const { return shape_.ranks.data(); }

private:
  [[nodiscard]] CartesianVcrt compress() const {
    const std::optional<CartesianVcrt> vcrt = CartesianVcrt::compress(shape_.world, shape_.ranks);
    if (!vcrt) {
      throw std::runtime_error("the communicator is no part of its rectangle");
    }
    return *vcrt;
  }

  Shape shape_;
  CartesianVcrt vcrt_;
  avrm_instance_t *instance_ = nullptr;
  avrm_av_t *av_ = nullptr;
  avrm_rankmap_t map_{};
};

/// Time of translating all ranks of an order, one by one as between calls from an application. So
/// many bytes of nops move the code in the loop.
template <int kShift, class Word>
[[gnu::noinline]] double seconds_of(std::span<const std::int32_t> order, const Word &word) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::uint64_t sum = 0;
  for (const std::int32_t rank : order) {
    __asm__ volatile(".nops %c0" : : "i"(kShift) : "memory");
    sum += word(rank);
  }
  __asm__ volatile("" : : "r"(sum)); // wanted
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One loop in the best of several places. Where its jumps happen to lie decides a loop of so few
/// cycles by up to a factor of two (measured on a Zen 4 with our own), which would be a result
/// about nothing but this program.
template <class Word> class Loop {
public:
  Loop(std::span<const std::int32_t> order, Word word) : order_(order), word_(std::move(word)) {
    double best = std::numeric_limits<double>::infinity();
    for (const Timer timer :
         {&seconds_of<1, Word>, &seconds_of<6, Word>, &seconds_of<11, Word>, &seconds_of<16, Word>,
          &seconds_of<21, Word>, &seconds_of<26, Word>, &seconds_of<31, Word>, &seconds_of<36, Word>,
          &seconds_of<41, Word>, &seconds_of<46, Word>, &seconds_of<51, Word>, &seconds_of<56, Word>}) {
      for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const double time = timer(order_, word_);
        if (time < best) {
          best = time;
          timer_ = timer;
        }
      }
    }
  }
  [[nodiscard]] double seconds() const { return timer_(order_, word_); }

private:
  using Timer = double (*)(std::span<const std::int32_t>, const Word &);
  static constexpr int kAttempts = 5;
  std::span<const std::int32_t> order_;
  Word word_;
  Timer timer_ = &seconds_of<1, Word>;
};

class Exchange {
public:
  Exchange(const Subjects &subjects, std::vector<std::int32_t> neighbours, int hops, bool random, int rounds,
           std::int32_t translations)
      : subjects_(subjects), neighbours_(std::move(neighbours)), hops_(hops), random_(random), rounds_(rounds) {
    std::mt19937_64 engine(neighbours_.size());
    while (order_.size() < static_cast<std::size_t>(translations)) {
      order_.insert(order_.end(), neighbours_.begin(), neighbours_.end());
      if (random) {
        std::shuffle(order_.end() - static_cast<std::ptrdiff_t>(neighbours_.size()), order_.end(), engine);
      }
    }
  }

  void measure(std::vector<CacheRate> *rates) const {
    CachedVcrt<NoCache> table(subjects_.vcrt(), subjects_.table());
    rates->push_back(timed(kPlainTable, &table));
    CachedVcrt<NoCache> function(subjects_.vcrt());
    rates->push_back(timed(kMappingFunction, &function));
    rates->push_back(cached<LinearCache<8>>("linear 8"));
    rates->push_back(cached<LinearCache<16>>("linear 16"));
    rates->push_back(cached<PaperCache>(kPaperCache));
  }

private:
  template <class Cache> [[nodiscard]] CacheRate cached(const char *name) const {
    const auto vcrt = std::make_unique<CachedVcrt<Cache>>(subjects_.vcrt());
    CacheRate rate = timed(name, vcrt.get());
    // It has seen all neighbours by now.
    const std::uint64_t before = vcrt->misses();
    for (const std::int32_t rank : order_) {
      (void)vcrt->translate(rank);
    }
    rate.misses = vcrt->misses() - before;
    rate.hits = order_.size() - rate.misses;
    return rate;
  }

  template <class Vcrt> [[nodiscard]] CacheRate timed(const char *name, Vcrt *vcrt) const {
    const avrm_rankmap_t *const map = subjects_.map();
    const avrm_ave_t *const elements = subjects_.elements();
    const Loop ours(order_, [map](std::int32_t r) { return avrm_rankmap_word(map, r); });
    const Loop theirs(order_, [=](std::int32_t r) { return avrm_ave_word(elements + vcrt->translate(r)); });
    std::vector<double> own;
    std::vector<double> others;
    for (int round = 0; round < rounds_; ++round) { // each goes first every other time
      if (round % 2 == 0) {
        own.push_back(ours.seconds());
      }
      others.push_back(theirs.seconds());
      if (round % 2 != 0) {
        own.push_back(ours.seconds());
      }
    }
    const double per_translation = 1e9 / static_cast<double>(order_.size());
    CacheRate rate;
    rate.scheme = name;
    rate.neighbours = static_cast<std::int32_t>(neighbours_.size());
    rate.hops = hops_;
    rate.order = random_ ? "random" : "rr";
    rate.ours_over_theirs = median_ratio(own, others);
    rate.nanoseconds = median(std::move(others)) * per_translation;
    rate.nanoseconds_ours = median(std::move(own)) * per_translation;
    return rate;
  }

  const Subjects &subjects_;
  std::vector<std::int32_t> neighbours_;
  int hops_;
  bool random_;
  int rounds_;
  std::vector<std::int32_t> order_;
};

/// Of the process in the middle of the torus, in its first dimensions.
std::vector<std::int32_t> near_neighbours(std::size_t dimensions) {
  const Torus torus = near_torus();
  Extents middle = torus.extents;
  std::transform(middle.begin(), middle.end(), middle.begin(), [](std::int32_t extent) { return extent / 2; });
  std::vector<std::int32_t> ranks;
  for (const Extents &steps : next_steps(middle.size(), dimensions)) {
    ranks.push_back(torus.beside(torus.rank(middle), steps));
  }
  return ranks;
}

/// The rank of a place in the 16 x 16 x 16.
std::int32_t rank_at(const Extents &place, Numbering numbering) {
  const Torus nodes{{kSide / 2, kSide / 2, kSide / 2}};
  const Torus in_node{{2, 2, 2}};
  return numbering == Numbering::kByRows ? Torus{{kSide, kSide, kSide}}.rank(place)
                                         : in_node.rank({place[0] % 2, place[1] % 2, place[2] % 2}) +
                                               in_node.size() * nodes.rank({place[0] / 2, place[1] / 2, place[2] / 2});
}

} // namespace

Torus near_torus() { return {{4, 4, 4, 4, 2}}; }

std::vector<std::int32_t> neighbours_within(int hops, Numbering numbering, const Extents &place) {
  std::vector<std::int32_t> ranks;
  for (Extents there : steps_within(hops)) {
    for (std::size_t k = 0; k < there.size(); ++k) {
      there[k] = (there[k] + place[k] + kSide) % kSide;
    }
    ranks.push_back(rank_at(there, numbering));
  }
  return ranks;
}

CacheHits hits_of_all(int hops, Numbering numbering) {
  CacheHits hits{1, 0, 0};
  const Torus torus{{kSide, kSide, kSide}};
  for (std::int32_t process = 0; process < torus.size(); ++process) {
    const std::vector<std::int32_t> neighbours = neighbours_within(hops, numbering, torus.place(process));
    PaperCache cache;
    std::size_t misses = 0;
    for (int exchange = 0; exchange < 3; ++exchange) { // the last one counts
      misses = 0;
      for (const std::int32_t rank : neighbours) {
        (void)cache.translate(rank, [&](std::int32_t r) {
          ++misses;
          return r;
        });
      }
    }
    const double share = 1 - static_cast<double>(misses) / static_cast<double>(neighbours.size());
    hits.least = std::min(hits.least, share);
    hits.mean += share / torus.size();
    hits.most = std::max(hits.most, share);
  }
  return hits;
}

std::vector<CacheRate> measure_translation_caches(int rounds, std::int32_t translations) {
  const Subjects near(torus());
  const Subjects subjects(box());
  std::vector<CacheRate> rates;
  for (const bool random : {false, true}) {
    for (const std::size_t dimensions : {std::size_t{3}, std::size_t{4}, std::size_t{5}}) {
      Exchange(near, near_neighbours(dimensions), 0, random, rounds, translations).measure(&rates);
    }
    for (int hops = 1; hops <= 4; ++hops) {
      Exchange(subjects, neighbours_within(hops), hops, random, rounds, translations).measure(&rates);
    }
  }
  return rates;
}

namespace {

Json run(Session &session) { return measure_translation_caches(session.choose(15, 101)); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(2, "Cartesian translation, rank to address word, ours and the n-D Cartesian compression paper's "
                     "mapping function and caches: 16 x 16 x 16 processes out of 128 x 96 x 64; 6, 8 and 10 "
                     "neighbours on a torus of 4 x 4 x 4 x 4 x 2");
  table.row({"neighbours", "scheme", "hits", "ns", "ns, ours", "ours / theirs"});
  std::string last;
  for (const CacheRate &rate : rows_of<CacheRate>(rows)) {
    const std::string exchange = rate.hops == 0
                                     ? fmt::format("{} {}", rate.neighbours, rate.order)
                                     : fmt::format("{} {}, all within {}", rate.neighbours, rate.order, rate.hops);
    const std::uint64_t lookups = rate.hits + rate.misses;
    table.row({exchange == last ? "" : exchange, rate.scheme,
               lookups == 0
                   ? "-"
                   : fmt::format("{:.1f} %", 100 * static_cast<double>(rate.hits) / static_cast<double>(lookups)),
               fmt::format("{:.2f}", rate.nanoseconds), fmt::format("{:.2f}", rate.nanoseconds_ours),
               fmt::format("{:.2f}x", rate.ours_over_theirs)});
    last = exchange;
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  Budgets::Values &hits =
      budgets.at_most(1.5, "3-D Cartesian translation, time over the 128 x 8 cache, all hits, in order");
  Budgets::Values &random =
      budgets.at_most(0.8, "3-D Cartesian translation, time over the 128 x 8 cache, 342 neighbours, random");
  for (const CacheRate &rate : rows_of<CacheRate>(rows)) {
    if (rate.scheme != kPaperCache || rate.hops == 0) { // of three dimensions
      continue;
    }
    if (rate.order == "rr" && rate.misses == 0) {
      hits.add(rate.ours_over_theirs, fmt::format("{} neighbours", rate.neighbours));
    } else if (rate.order == "random" && rate.neighbours == 342) {
      random.add(rate.ours_over_theirs);
    }
  }
}

} // namespace

const Measurement kCaches = {"caches", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
