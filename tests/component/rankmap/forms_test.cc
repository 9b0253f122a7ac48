// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Every operation of every form (src/component/rankmap/forms/form.h), on the smallest map of each
// mode, against the map's plain table. A new mode takes part as soon as family_of knows how to make
// it.

#include "rankmap/forms/forms.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "av/address_vector.h"
#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

using detail::by_mode;

constexpr std::int32_t kRemoved = 4;

// Tables of 1, 2, 3, ... ranks, some of which take the mode.
Table family_of(avrm_mode_t mode, std::int32_t size) {
  Table table;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const std::int32_t scattered = rank * rank % 97;
    switch (mode) {
    case AVRM_MODE_DIRECT: table.push_back({0, rank}); break;
    case AVRM_MODE_OFFSET: table.push_back({0, 5 + rank}); break;
    case AVRM_MODE_STRIDE: table.push_back({0, 5 + 2 * rank}); break;
    case AVRM_MODE_BLOCKED: table.push_back({0, 5 + 7 * (rank / 3) + rank % 3}); break;
    case AVRM_MODE_LUT: table.push_back({0, scattered}); break;
    case AVRM_MODE_MLUT: table.push_back({rank % 3, scattered}); break;
    case AVRM_MODE_SEGMENTS: table.push_back({rank / 30, rank % 30}); break;
    case AVRM_MODE_CART: table.push_back({0, rank % 4 * 10 + rank / 4}); break;
    case AVRM_MODE_LESS: {
      const std::int32_t base_rank = rank < kRemoved ? rank : rank + 1;
      table.push_back({0, 5 + 7 * (base_rank / 3) + base_rank % 3});
      break;
    }
    }
  }
  return table;
}

// The map of such a table.
MapPtr make(const Instance &instance, avrm_mode_t mode, const Table &table) {
  const auto size = static_cast<std::int32_t>(table.size());
  if (mode != AVRM_MODE_LESS || size <= kRemoved) {
    return make_gpids(instance, table);
  }
  return make_without(make_blocked(instance, size + 1, 5, 7, 3), {kRemoved});
}

// Plain tables stay plain with this one only.
avrm_cost_t cost_of(avrm_mode_t mode) {
  return mode == AVRM_MODE_LUT || mode == AVRM_MODE_MLUT ? AVRM_COST_SPEED : AVRM_COST_BYTES;
}

// The smallest map of a mode in its family, with address vectors of 100 connected processes.
struct Smallest {
  Smallest(avrm_mode_t mode, bool implicit) : instance(false, cost_of(mode)) {
    for (AvPtr &av : avs) {
      av = implicit ? make_implicit_av(instance, 100) : make_av(instance, 100);
      fill(av.get());
    }
    while (map == nullptr || info_of(map.get()).mode != mode) {
      if (table.size() == 90) {
        throw std::runtime_error("the family has no map of the mode");
      }
      table = family_of(mode, static_cast<std::int32_t>(table.size()) + 1);
      map.reset();
      map = make(instance, mode, table);
    }
    for (std::int32_t rank = 0; rank < size(); ++rank) {
      ranks.push_back(rank);
      words.push_back(word_of(table[static_cast<std::size_t>(rank)]));
      if (std::find(pgids.begin(), pgids.end(), table[static_cast<std::size_t>(rank)].pgid) == pgids.end()) {
        pgids.push_back(table[static_cast<std::size_t>(rank)].pgid);
      }
    }
  }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(table.size()); }
  [[nodiscard]] std::int32_t greatest_lpid(std::int32_t pgid) const {
    std::int32_t lpid = -1;
    for (const avrm_gpid_t &process : table) {
      lpid = process.pgid == pgid ? std::max(lpid, process.lpid) : lpid;
    }
    return lpid;
  }
  // Ranks first .. first + count - 1 of a run are these processes.
  void expect_run(const detail::Run &run) const {
    ASSERT_GE(run.count, 1);
    for (std::int32_t i = 0; i < run.count; ++i) {
      const avrm_gpid_t process = {run.pgid, static_cast<std::int32_t>(lpid_at(run, i))};
      ASSERT_EQ(process, table.at(static_cast<std::size_t>(run.first_rank + i)));
    }
  }

  Instance instance;
  AvPtr avs[3];
  Table table;
  Ranks ranks;
  Ranks pgids; // by slot
  std::vector<std::uint64_t> words;
  MapPtr map;
};

// ---- the operations ----

void copy_and_drop(const Smallest &of) {
  constexpr auto kCopy = by_mode([]<typename F>() { return F::copy; });
  constexpr auto kDrop = by_mode([]<typename F>() { return F::drop; });
  const std::uint64_t live = of.instance.usage(AVRM_MEM_TOTAL).live_bytes;
  avrm_rankmap_t copy = kCopy[of.map->mode](of.map.get()).release();
  EXPECT_TRUE(agrees(&copy, of.table));
  EXPECT_EQ(of.instance.usage(AVRM_MEM_TOTAL).live_bytes, live);
  kDrop[of.map->mode](&copy);
  EXPECT_EQ(of.instance.usage(AVRM_MEM_TOTAL).live_bytes, live);
}

void groups(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::groups; });
  EXPECT_EQ(kTable[of.map->mode](of.map.get()), static_cast<std::int32_t>(of.pgids.size()));
}

void describe(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::describe; });
  avrm_rankmap_info_t info{};
  kTable[of.map->mode](of.map.get(), &info);
  EXPECT_EQ(info.table_sharers != 0, info.table_bytes != 0);
  EXPECT_TRUE(info.block > 0 || info.table_bytes > 0 || info.dimensions > 0);
}

void tables_and_attach(const Smallest &of) {
  constexpr auto kTables = by_mode([]<typename F>() { return F::tables; });
  constexpr auto kPgids = by_mode([]<typename F>() { return F::pgids; });
  constexpr auto kAttach = by_mode([]<typename F>() { return F::attach; });
  const avrm_ave_t **const tables = kTables[of.map->mode](of.map.get());
  EXPECT_TRUE(tables != nullptr || of.pgids.size() == 1);
  require(avrm_rankmap_bind(of.map.get()));
  const std::uint64_t at = std::exchange(of.map->at.word, 0);
  kAttach[of.map->mode](of.map.get(), of.avs[of.pgids[0]]->elements);
  EXPECT_EQ(of.map->at.word, at);
  EXPECT_EQ(kPgids[of.map->mode](of.map.get()) != nullptr, tables != nullptr);
  for (std::size_t slot = 0; tables != nullptr && slot < of.pgids.size(); ++slot) {
    EXPECT_EQ(kPgids[of.map->mode](of.map.get())[slot], of.pgids[slot]);
    EXPECT_EQ(tables[slot], of.avs[of.pgids[slot]]->elements);
  }
}

void max_lpids(const Smallest &of) {
  constexpr auto kQuick = by_mode([]<typename F>() { return F::max_lpids; });
  constexpr auto kExact = by_mode([]<typename F>() { return F::exact_max_lpids; });
  for (std::size_t slot = 0; slot < of.pgids.size(); ++slot) {
    std::int32_t quick = -2;
    std::int32_t exact = -2;
    kQuick[of.map->mode](of.map.get(), static_cast<std::int32_t>(slot), 1, &quick);
    kExact[of.map->mode](of.map.get(), static_cast<std::int32_t>(slot), 1, &exact);
    EXPECT_EQ(quick, of.greatest_lpid(of.pgids[slot]));
    EXPECT_EQ(exact, quick);
  }
}

void natural_class(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::natural_class; });
  EXPECT_EQ(kTable[of.map->mode](of.map.get()), of.map->klass);
  require(avrm_rankmap_bind(of.map.get()));
  EXPECT_EQ(kTable[of.map->mode](of.map.get()), of.map->klass);
}

void folding(const Smallest &table) {
  constexpr auto kFoldedClass = by_mode([]<typename F>() { return F::kFoldedClass; });
  constexpr auto kNaturalClass = by_mode([]<typename F>() { return F::natural_class; });
  constexpr auto kFold = by_mode([]<typename F>() { return F::fold; });
  constexpr auto kUnfold = by_mode([]<typename F>() { return F::unfold; });
  constexpr auto kHasLine = by_mode([]<typename F>() { return F::has_line; });
  const Smallest of(static_cast<avrm_mode_t>(table.map->mode), true);
  avrm_rankmap_t *const map = of.map.get();
  require(avrm_rankmap_bind(map));
  const bool can_fold = map->mode != AVRM_MODE_LESS;
  EXPECT_EQ(map->klass, kFoldedClass[map->mode]);
  EXPECT_EQ(map->klass != kNaturalClass[map->mode](map), can_fold);
  EXPECT_EQ(kHasLine[map->mode](map), can_fold);
  for (std::int32_t rank = 0; rank < of.size(); ++rank) {
    EXPECT_EQ(avrm_rankmap_word(map, rank), of.words[static_cast<std::size_t>(rank)]);
  }
  EXPECT_TRUE(avrm_rankmap_validate(map, nullptr));
  kUnfold[map->mode](map);
  EXPECT_EQ(kFold[map->mode](map), can_fold);
  EXPECT_EQ(kHasLine[map->mode](map), can_fold);
}

void ranks_of_processes(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::ranks; });
  Table processes = of.table;
  processes.push_back({0, 99});
  processes.push_back({3, 0});
  Ranks ranks(processes.size());
  ASSERT_EQ(kTable[of.map->mode](of.map.get(), processes.size(), processes.data(), ranks.data()), AVRM_OK);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto found = std::find(of.table.begin(), of.table.end(), processes[i]);
    EXPECT_EQ(ranks[i], found == of.table.end() ? AVRM_UNDEFINED : found - of.table.begin());
  }
}

void check_unique(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::check_unique; });
  EXPECT_EQ(kTable[of.map->mode](of.map.get()), has_twice(of.table) ? AVRM_ERR_DUPLICATE : AVRM_OK);
}

void intern(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::intern; });
  EXPECT_EQ(kTable[of.map->mode](of.map.get()), AVRM_OK);
  const MapPtr same = make(of.instance, static_cast<avrm_mode_t>(of.map->mode), of.table);
  EXPECT_EQ(info_of(same.get()).table_sharers, info_of(of.map.get()).table_sharers);
  EXPECT_TRUE(agrees(of.map.get(), of.table));
}

void fault(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::fault; });
  EXPECT_EQ(kTable[of.map->mode](of.map.get()), nullptr);
  of.map->klass = 0x7f; // no class
  EXPECT_NE(kTable[of.map->mode](of.map.get()), nullptr);
  constexpr auto kNaturalClass = by_mode([]<typename F>() { return F::natural_class; });
  of.map->klass = kNaturalClass[of.map->mode](of.map.get());
}

void runs(const Smallest &of) {
  constexpr auto kRunAt = by_mode([]<typename F>() { return F::run_at; });
  constexpr auto kLongestRun = by_mode([]<typename F>() { return F::longest_run; });
  for (std::int32_t rank = 0; rank < of.size(); ++rank) {
    const detail::Run run = kRunAt[of.map->mode](of.map.get(), rank);
    of.expect_run(run);
    EXPECT_TRUE(run.first_rank <= rank && rank < run.first_rank + run.count);
    const detail::Run longest = kLongestRun[of.map->mode](of.map.get(), rank);
    of.expect_run(longest);
    EXPECT_EQ(longest.first_rank, rank);
    EXPECT_GE(longest.count, run.first_rank + run.count - rank);
  }
}

void knows_runs(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::kKnowsRuns; });
  EXPECT_EQ(kTable[of.map->mode], info_of(of.map.get()).table_entries == 0);
}

void process(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::process; });
  for (std::int32_t rank = 0; rank < of.size(); ++rank) {
    EXPECT_EQ(kTable[of.map->mode](of.map.get(), rank), of.table[static_cast<std::size_t>(rank)]);
  }
}

void words(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::words; });
  require(avrm_rankmap_bind(of.map.get()));
  std::vector<std::uint64_t> words(of.table.size());
  kTable[of.map->mode](of.map.get(), of.ranks.size(), of.ranks.data(), words.data());
  EXPECT_EQ(words, of.words);
}

void gpids(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::gpids; });
  Table gpids(of.table.size());
  kTable[of.map->mode](of.map.get(), of.ranks.size(), of.ranks.data(), gpids.data());
  EXPECT_EQ(gpids, of.table);
}

// What each form says of the mapping, whatever form it has; whoever makes an offer keeps to it.
void offers(const Smallest &of) {
  constexpr auto kOffer = by_mode([]<typename F>() { return F::offer; });
  constexpr auto kKnowsRuns = by_mode([]<typename F>() { return F::kKnowsRuns; });
  detail::RunList runs(of.instance.get()->memory, of.size());
  require(detail::for_each_run(of.map.get(), [&runs](const detail::Run &run) { return runs.push(run); }));
  std::optional<detail::Cart> cart;
  detail::Source source;
  source.instance = of.instance;
  source.size = of.size();
  source.groups = static_cast<std::int32_t>(of.pgids.size());
  source.pgid = of.map->pgid;
  source.max_lpid = 96;
  source.runs = &runs;
  if (source.groups == 1 && runs.count() > 1) {
    cart = detect_cart(detail::LpidRuns(runs));
    source.cart = cart ? &*cart : nullptr;
  }
  bool offered = false;
  for (std::size_t mode = 0; mode < kOffer.size(); ++mode) {
    const std::optional<detail::Offer> offer = kOffer[mode](source);
    offered = offered || (offer && mode == of.map->mode);
    EXPECT_TRUE(!offer || kKnowsRuns[mode]); // it is made from runs
    if (offer) {
      const detail::MapOwner map = offer->make(source);
      ASSERT_NE(map, nullptr);
      const avrm_rankmap_info_t info = info_of(map.get());
      EXPECT_EQ(info.mode, static_cast<avrm_mode_t>(mode));
      EXPECT_EQ(info.own_bytes + info.table_bytes, sizeof(avrm_rankmap_t) + offer->bytes);
      for (std::int32_t rank = 0; rank < of.size(); ++rank) {
        EXPECT_EQ(avrm_rankmap_gpid(map.get(), rank), of.table[static_cast<std::size_t>(rank)]);
      }
    }
  }
  EXPECT_EQ(offered, of.map->mode > AVRM_MODE_MLUT && of.map->mode != AVRM_MODE_LESS);
}

void part(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::part; });
  const std::int32_t first = of.size() / 2;
  detail::MapOwner part;
  const avrm_status_t status = kTable[of.map->mode](of.map.get(), first, of.size() - first, &part);
  EXPECT_EQ(status, info_of(of.map.get()).table_entries != 0 ? AVRM_OK : AVRM_ERR_UNSUPPORTED);
  if (status == AVRM_OK) {
    EXPECT_TRUE(agrees(part.get(), Table(of.table.begin() + first, of.table.end())));
  }
}

void model(const Smallest &of) {
  constexpr auto kTable = by_mode([]<typename F>() { return F::kModel; });
  constexpr detail::Model kModels[] = {detail::Model::kDirect, detail::Model::kOffset, detail::Model::kStride,
                                       detail::Model::kStride, detail::Model::kLut,    detail::Model::kMlut};
  const bool strict = of.map->mode < std::size(kModels);
  EXPECT_EQ(kTable[of.map->mode], strict ? kModels[of.map->mode] : detail::Model::kMlut);
}

struct Operation {
  const char *name;
  void (*check)(const Smallest &of);

  friend std::ostream &operator<<(std::ostream &out, const Operation &operation) { return out << operation.name; }
};

constexpr Operation kOperations[] = {
    {"CopyAndDrop", copy_and_drop},
    {"Groups", groups},
    {"Describe", describe},
    {"TablesAndAttach", tables_and_attach},
    {"MaxLpids", max_lpids},
    {"NaturalClass", natural_class},
    {"Folding", folding},
    {"Ranks", ranks_of_processes},
    {"CheckUnique", check_unique},
    {"Intern", intern},
    {"Fault", fault},
    {"Runs", runs},
    {"KnowsRuns", knows_runs},
    {"Process", process},
    {"Words", words},
    {"Gpids", gpids},
    {"Offers", offers},
    {"Part", part},
    {"Model", model},
};

constexpr avrm_mode_t kModes[] = {
#define AVRM_MODE_OF(name, label) name,
    AVRM_MODE_LIST(AVRM_MODE_OF)
#undef AVRM_MODE_OF
};

class RankmapForm : public testing::TestWithParam<std::tuple<avrm_mode_t, Operation>> {};

INSTANTIATE_TEST_SUITE_P(All, RankmapForm, testing::Combine(testing::ValuesIn(kModes), testing::ValuesIn(kOperations)),
                         [](const auto &info) {
                           std::string name;
                           char before = ' ';
                           for (const char *c = avrm_mode_label(std::get<0>(info.param)); *c != 0; before = *c++) {
                             name += before == ' ' ? static_cast<char>(std::toupper(*c)) : *c;
                           }
                           name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
                           return name + std::get<1>(info.param).name;
                         });

TEST_P(RankmapForm, DoesTheOperation) { std::get<1>(GetParam()).check(Smallest(std::get<0>(GetParam()), false)); }

} // namespace
} // namespace avrankmap::test
