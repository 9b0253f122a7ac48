// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binding, translation, inverses and descriptions of maps.
#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

std::int32_t any_rank(World &w, const avrm_rankmap_t *map) {
  return w.draw.near(0, map == nullptr ? 0 : std::int64_t{map->size} - 1);
}

void bind(World &w) {
  avrm_rankmap_t *const map = w.any_map();
  if (w.ok(avrm_rankmap_bind(map)) && w.draw.one_in(8)) {
    EXPECT_EQ(avrm_rankmap_unbind(map), AVRM_OK);
  } else if (w.draw.one_in(4)) {
    (void)w.ok(avrm_rankmap_unbind(map));
  }
}

// All functions that translate agree.
void translate(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  const std::int32_t rank = any_rank(w, map);
  Out<avrm_gpid_t> gpid;
  if (!w.ok(avrm_rankmap_gpid_checked(map, rank, &gpid), gpid)) {
    return;
  }
  EXPECT_EQ(avrm_rankmap_gpid(map, rank), *gpid);
  EXPECT_EQ(avrm_rankmap_lpid(map, rank), (*gpid).lpid);
  Out<std::uint64_t> word;
  if (!w.ok(avrm_rankmap_word_checked(map, rank, &word), word)) {
    return;
  }
  EXPECT_EQ(avrm_rankmap_word(map, rank), *word);
  avrm_av_t *av = nullptr;
  avrm_ave_t element{};
  ASSERT_TRUE(w.ok(avrm_rankmap_av(map, rank, &av)));
  ASSERT_TRUE(w.ok(avrm_av_get(av, (*gpid).lpid, &element)));
  EXPECT_EQ(avrm_ave_word(&element), *word);
  EXPECT_EQ(avrm_ave_node(&element), avrm_rankmap_node(map, rank));
  Out<const avrm_ave_t *> ave;
  if (w.ok(avrm_rankmap_ave_checked(map, rank, &ave), ave)) {
    EXPECT_EQ(avrm_rankmap_ave(map, rank), *ave);
  }
}

void translate_many(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  const std::vector<std::int32_t> ranks = w.ranks(w.small(), map == nullptr ? 0 : map->size);
  std::vector<std::uint64_t> words(ranks.size());
  std::vector<avrm_gpid_t> gpids(ranks.size());
  std::vector<std::uint32_t> nodes(ranks.size());
  if (w.ok(avrm_rankmap_words(map, ranks.size(), ranks.data(), words.data())) && !ranks.empty()) {
    EXPECT_EQ(words.back(), avrm_rankmap_word(map, ranks.back()));
  }
  if (w.ok(avrm_rankmap_gpids(map, ranks.size(), ranks.data(), gpids.data())) && !ranks.empty()) {
    EXPECT_EQ(gpids.back(), avrm_rankmap_gpid(map, ranks.back()));
  }
  if (w.ok(avrm_rankmap_nodes(map, ranks.size(), ranks.data(), nodes.data())) && !ranks.empty()) {
    EXPECT_EQ(nodes.back(), avrm_rankmap_node(map, ranks.back()));
  }
}

// The rank of a process is the first one that has it.
void invert(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  avrm_rankmap_info_t info{};
  if (avrm_rankmap_describe(map, &info) == AVRM_OK && info.dimensions > 2 && info.size > 100000) {
    return; // the inverse may be that of a table
  }
  const std::int32_t rank = any_rank(w, map);
  avrm_gpid_t process = w.process();
  const bool is_there = avrm_rankmap_gpid_checked(map, rank, &process) == AVRM_OK;
  Out<std::int32_t> found;
  if (!w.ok(avrm_rankmap_rank(map, process, &found), found)) {
    return;
  }
  if (*found != AVRM_UNDEFINED) {
    ASSERT_TRUE(*found >= 0 && *found < map->size) << *found;
    EXPECT_EQ(avrm_rankmap_gpid(map, *found), process);
  }
  EXPECT_TRUE(!is_there || (*found != AVRM_UNDEFINED && *found <= rank)) << "rank " << rank << ", found " << *found;
  const auto processes = w.array<avrm_gpid_t>(w.small(), [&] { return w.draw.one_in(2) ? process : w.process(); });
  std::vector<std::int32_t> ranks(processes.size());
  if (w.ok(avrm_rankmap_ranks(map, processes.size(), processes.data(), ranks.data()))) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_TRUE(processes[i] != process || ranks[i] == *found);
    }
  }
}

void translate_ranks(World &w) {
  const avrm_rankmap_t *const from = w.any_map();
  const avrm_rankmap_t *const to = w.any_map();
  avrm_rankmap_info_t info{};
  if (avrm_rankmap_describe(to, &info) == AVRM_OK && info.dimensions > 2 && info.size > 100000) {
    return; // the inverse may be that of a table
  }
  std::vector<std::int32_t> ranks = w.ranks(w.small(), from == nullptr ? 0 : from->size);
  ranks.push_back(w.draw.one_in(2) ? AVRM_PROC_NULL : w.draw.any<std::int32_t>());
  std::vector<std::int32_t> found(ranks.size());
  if (w.ok(avrm_rankmap_translate_ranks(from, ranks.size(), ranks.data(), to, found.data()))) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_TRUE(ranks[i] == AVRM_PROC_NULL ? found[i] == AVRM_PROC_NULL
                                             : found[i] == AVRM_UNDEFINED || avrm_rankmap_gpid(to, found[i]) ==
                                                                                 avrm_rankmap_gpid(from, ranks[i]));
    }
  }
}

void describe(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  Out<avrm_rankmap_info_t> info;
  if (!w.ok(avrm_rankmap_describe(map, &info), info)) {
    return;
  }
  EXPECT_EQ((*info).size, avrm_rankmap_size(map));
  EXPECT_STRNE(avrm_mode_label((*info).mode), "?");
  Out<std::int32_t> count;
  ASSERT_TRUE(w.ok(avrm_rankmap_pgids(map, 0, nullptr, &count), count));
  std::vector<std::int32_t> pgids(static_cast<std::size_t>(*count) + 1); // never null
  EXPECT_TRUE(w.ok(avrm_rankmap_pgids(map, w.draw.one_in(2) ? INT32_MAX : *count, pgids.data(), &count)));
  EXPECT_EQ(static_cast<std::size_t>(*count), pgids.size() - 1);
  (void)w.ok(avrm_rankmap_pgids(map, -1, pgids.data(), &count));
}

void runs(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  if (runs_of(map) > kMostRuns) {
    return;
  }
  Out<std::size_t> count;
  if (!w.ok(avrm_rankmap_runs(map, 0, nullptr, &count), count)) {
    return;
  }
  std::vector<avrm_run_t> runs(*count + 1); // never null
  EXPECT_TRUE(w.ok(avrm_rankmap_runs(map, w.draw.one_in(2) ? SIZE_MAX : *count, runs.data(), &count)));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < *count; ++i) {
    EXPECT_EQ(avrm_rankmap_gpid(map, static_cast<std::int32_t>(first)), (avrm_gpid_t{runs[i].pgid, runs[i].lpid}));
    first += runs[i].count;
  }
  EXPECT_EQ(first, map->size);
}

} // namespace

const std::vector<Call> kMapCalls = {
    {"avrm_rankmap_bind", bind},
    {"avrm_rankmap_word", translate},
    {"avrm_rankmap_words", translate_many},
    {"avrm_rankmap_rank", invert},
    {"avrm_rankmap_translate_ranks", translate_ranks},
    {"avrm_rankmap_describe", describe},
    {"avrm_rankmap_runs", runs},
    {"avrm_rankmap_destroy",
     [](World &w) {
       MapPtr &map = w.place(w.maps);
       avrm_rankmap_destroy(map.get());
       map.reset(); // which destroys zero bytes
     }},
    {"avrm_instance_drop_caches", [](World &w) { (void)w.ok(avrm_instance_drop_caches(w.any_instance())); }},
};

} // namespace avrankmap::test
