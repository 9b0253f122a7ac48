// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of maps from numbers, arrays, runs and other maps.
#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

constexpr std::int64_t kMostLpid = INT32_MAX - 1;

// Ranks to look at: both ends, the middle, and others.
template <typename Visit> void for_some_ranks(World &w, std::int32_t size, Visit visit) {
  for (const std::int64_t rank : {std::int64_t{0}, std::int64_t{size} / 2, std::int64_t{size} - 1,
                                  w.draw.inside(0, std::max<std::int64_t>(0, std::int64_t{size} - 1))}) {
    if (rank >= 0 && rank < size) {
      visit(static_cast<std::int32_t>(rank));
    }
  }
}

// Numbers that fit into 0 .. bound - 1, mostly: offset + (i / block) * stride + i % block.
struct Formula {
  std::int32_t size;
  std::int32_t offset;
  std::int32_t stride;
  std::int32_t block;

  [[nodiscard]] std::int64_t at(std::int64_t i) const { return formula(offset, stride, block, i); }
};

Formula any_formula(World &w, std::int64_t bound) {
  Formula made{};
  made.block = w.draw.one_in(2) ? 1 : w.draw.near(1, 40);
  made.stride = w.draw.one_in(2) ? static_cast<std::int32_t>(w.draw.below(60)) - 20 : w.draw.any<std::int32_t>();
  made.offset = w.draw.near(0, bound - 1);
  const std::int64_t room = made.stride < 0 ? made.offset : bound - 1 - std::int64_t{made.offset};
  const std::int64_t steps = made.stride == 0 ? 0 : room / std::abs(std::int64_t{made.stride});
  const std::int64_t most = std::min<std::int64_t>((steps + 1) * made.block, INT32_MAX);
  made.size = w.draw.one_in(4) ? w.draw.any<std::int32_t>()
                               : w.draw.near(1, w.draw.one_in(2) ? most : std::min<std::int64_t>(most, 200));
  made.size = std::min(made.size, w.most_ranks);
  return made;
}

void check_formula(World &w, const avrm_rankmap_t &map, const Formula &expected) {
  for_some_ranks(w, map.size, [&](std::int32_t rank) {
    EXPECT_EQ(avrm_rankmap_gpid(&map, rank).lpid, expected.at(rank)) << "rank " << rank;
  });
}

void create_regular(World &w) {
  const std::int32_t pgid = w.pgid();
  Formula made = any_formula(w, w.size_of_group(pgid));
  Out<avrm_rankmap_t> map;
  avrm_status_t status = AVRM_OK;
  switch (w.draw.below(4)) {
  case 0:
    made = {made.size, 0, 1, 1};
    status = avrm_rankmap_create_direct(w.any_instance(), pgid, made.size, &map);
    break;
  case 1:
    made = {made.size, made.offset, 1, 1};
    status = avrm_rankmap_create_offset(w.any_instance(), pgid, made.size, made.offset, &map);
    break;
  case 2:
    made = {made.size, made.offset, made.stride, 1};
    status = avrm_rankmap_create_stride(w.any_instance(), pgid, made.size, made.offset, made.stride, &map);
    break;
  default:
    status = avrm_rankmap_create_blocked(w.any_instance(), pgid, made.size, made.offset, made.stride, made.block, &map);
  }
  if (w.ok(status, map)) {
    check_formula(w, *map, made);
    w.keep(*map);
  }
}

// Processes in some stretches.
std::vector<avrm_gpid_t> any_table(World &w, std::int32_t count) {
  avrm_gpid_t next = w.process();
  std::int64_t step = 1;
  return w.array<avrm_gpid_t>(count, [&] {
    const avrm_gpid_t now = next;
    const std::int64_t lpid = next.lpid + step;
    next.lpid = static_cast<std::int32_t>(lpid);
    if (lpid < 0 || lpid > kMostLpid || w.draw.one_in(8)) {
      next = w.draw.one_in(2) ? w.process() : avrm_gpid_t{now.pgid, w.process().lpid};
      step = w.draw.one_in(2) ? w.draw.any<std::int32_t>() : static_cast<std::int64_t>(w.draw.below(5)) - 2;
    }
    return now;
  });
}

void keep_table(World &w, avrm_status_t status, Out<avrm_rankmap_t> &map, const std::vector<avrm_gpid_t> &table) {
  if (w.ok(status, map)) {
    EXPECT_EQ(static_cast<std::size_t>((*map).size), table.size());
    for_some_ranks(w, (*map).size, [&](std::int32_t rank) {
      EXPECT_EQ(avrm_rankmap_gpid(&map, rank), table[static_cast<std::size_t>(rank)]) << "rank " << rank;
    });
    w.keep(*map);
  }
}

void create_lpids(World &w) {
  std::vector<avrm_gpid_t> table = any_table(w, w.small());
  const std::int32_t pgid = w.pgid();
  std::vector<std::int32_t> lpids;
  lpids.reserve(table.size());
  for (avrm_gpid_t &process : table) {
    process.pgid = pgid;
    lpids.push_back(process.lpid);
  }
  Out<avrm_rankmap_t> map;
  const auto size =
      static_cast<std::int32_t>(w.draw.one_in(16) ? w.draw.any<std::int32_t>() | INT32_MIN : std::ssize(table));
  keep_table(w, avrm_rankmap_create_lpids(w.any_instance(), pgid, size, lpids.data(), w.flags(), &map), map, table);
}

void create_gpids(World &w) {
  const std::vector<avrm_gpid_t> table = any_table(w, w.small());
  Out<avrm_rankmap_t> map;
  const auto size = static_cast<std::int32_t>(table.size());
  keep_table(w, avrm_rankmap_create_gpids(w.any_instance(), size, table.data(), w.flags(), &map), map, table);
}

void create_function(World &w) {
  const std::vector<avrm_gpid_t> table = any_table(w, w.small());
  const auto at = [](void *context, std::int32_t rank) {
    return static_cast<const avrm_gpid_t *>(context)[static_cast<std::size_t>(rank)];
  };
  void *const context = const_cast<avrm_gpid_t *>(table.data());
  Out<avrm_rankmap_t> map;
  const auto size =
      static_cast<std::int32_t>(w.draw.one_in(16) ? w.draw.any<std::int32_t>() | INT32_MIN : std::ssize(table));
  const avrm_rankmap_process_t function = w.draw.one_in(64) ? nullptr : +at;
  keep_table(w, avrm_rankmap_create_function(w.any_instance(), size, function, context, w.flags(), &map), map, table);
}

void create_lpids64(World &w) {
  std::vector<avrm_gpid_t> table = any_table(w, w.small());
  const std::int32_t pgid = w.pgid();
  std::vector<std::uint64_t> lpids;
  lpids.reserve(table.size());
  for (avrm_gpid_t &process : table) {
    process.pgid = pgid;
    lpids.push_back(w.draw.one_in(512) ? w.draw.any<std::uint64_t>() : static_cast<std::uint64_t>(process.lpid));
    process.lpid = static_cast<std::int32_t>(lpids.back());
  }
  Out<avrm_rankmap_t> map;
  const auto size = static_cast<std::int32_t>(table.size());
  keep_table(w, avrm_rankmap_create_lpids64(w.any_instance(), pgid, size, lpids.data(), w.flags(), &map), map, table);
}

void create_numbers(World &w) {
  const std::vector<avrm_gpid_t> table = any_table(w, w.small());
  std::vector<std::uint64_t> numbers;
  numbers.reserve(table.size());
  for (const avrm_gpid_t &process : table) {
    numbers.push_back(std::uint64_t{static_cast<std::uint32_t>(process.pgid)} << 32 |
                      static_cast<std::uint32_t>(process.lpid));
  }
  Out<avrm_rankmap_t> map;
  const auto size = static_cast<std::int32_t>(table.size());
  keep_table(w, avrm_rankmap_create_numbers(w.any_instance(), size, numbers.data(), w.flags(), &map), map, table);
}

void create_runs(World &w) {
  const auto runs = w.array<avrm_run_t>(w.small() % 9, [&] {
    const std::int32_t pgid = w.pgid();
    const Formula made = any_formula(w, w.size_of_group(pgid));
    return avrm_run_t{made.size, pgid, made.offset, made.stride};
  });
  Out<avrm_rankmap_t> map;
  const auto count = static_cast<std::int32_t>(runs.size());
  if (w.ok(avrm_rankmap_create_runs(w.any_instance(), count, runs.data(), w.flags(), &map), map)) {
    std::int64_t first = 0;
    for (const avrm_run_t &run : runs) {
      const std::int64_t last = first + run.count - 1;
      EXPECT_EQ(avrm_rankmap_gpid(&map, static_cast<std::int32_t>(first)), (avrm_gpid_t{run.pgid, run.lpid}));
      EXPECT_EQ(avrm_rankmap_gpid(&map, static_cast<std::int32_t>(last)).lpid,
                run.lpid + (std::int64_t{run.count} - 1) * run.stride);
      first = last + 1;
    }
    EXPECT_EQ((*map).size, first);
    w.keep(*map);
  }
}

void dup(World &w) {
  Out<avrm_rankmap_t> map;
  if (w.ok(avrm_rankmap_dup(w.any_map(), &map), map)) {
    w.keep(*map);
  }
}

std::int32_t size_of(const avrm_rankmap_t *map) { return map == nullptr ? 0 : avrm_rankmap_size(map); }

void create_child(World &w) {
  const avrm_rankmap_t *const parent = w.any_map();
  const std::vector<std::int32_t> ranks = w.ranks(w.small(), size_of(parent));
  const auto size = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(ranks));
  Out<avrm_rankmap_t> map;
  if (w.ok(avrm_rankmap_create_child(parent, size, ranks.data(), w.flags(), &map), map)) {
    for_some_ranks(w, size, [&](std::int32_t rank) {
      EXPECT_EQ(avrm_rankmap_gpid(&map, rank), avrm_rankmap_gpid(parent, ranks[static_cast<std::size_t>(rank)]));
    });
    w.keep(*map);
  }
}

void create_child_regular(World &w) {
  const avrm_rankmap_t *const parent = w.any_map();
  const Formula made = any_formula(w, size_of(parent));
  Out<avrm_rankmap_t> map;
  if (w.ok(avrm_rankmap_create_child_regular(parent, made.size, made.offset, made.stride, made.block, w.flags(), &map),
           map)) {
    for_some_ranks(w, made.size, [&](std::int32_t rank) {
      EXPECT_EQ(avrm_rankmap_gpid(&map, rank), avrm_rankmap_gpid(parent, static_cast<std::int32_t>(made.at(rank))));
    });
    w.keep(*map);
  }
}

void create_without(World &w) {
  const avrm_rankmap_t *const parent = w.any_map();
  std::vector<std::int32_t> ranks = w.ranks(w.count(), size_of(parent));
  if (w.draw.one_in(2)) {
    std::sort(ranks.begin(), ranks.end());
  }
  const auto count = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(ranks));
  Out<avrm_rankmap_t> map;
  if (w.ok(avrm_rankmap_create_without(parent, count, ranks.data(), w.flags(), &map), map)) {
    EXPECT_EQ((*map).size, size_of(parent) - count);
    std::sort(ranks.begin(), ranks.end());
    for_some_ranks(w, (*map).size, [&](std::int32_t rank) {
      std::int32_t there = rank;
      for (const std::int32_t removed : ranks) {
        there += removed <= there ? 1 : 0;
      }
      EXPECT_EQ(avrm_rankmap_gpid(&map, rank), avrm_rankmap_gpid(parent, there)) << "rank " << rank;
    });
    w.keep(*map);
  }
}

void create_merged(World &w) {
  const auto parents = w.array<const avrm_rankmap_t *>(1 + w.small() % 3, [&] { return w.any_map(); });
  std::vector<std::int32_t> which;
  std::vector<std::int32_t> ranks;
  for (std::int32_t left = w.small(); left > 0; --left) {
    const auto parent = w.draw.below(parents.size());
    which.push_back(w.draw.one_in(64) ? w.draw.any<std::int32_t>() : static_cast<std::int32_t>(parent));
    ranks.push_back(w.draw.near(0, std::int64_t{size_of(parents[parent])} - 1));
  }
  const auto size = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(ranks));
  const auto count = static_cast<std::int32_t>(w.draw.one_in(16) ? 0 : std::ssize(parents));
  Out<avrm_rankmap_t> map;
  if (w.ok(avrm_rankmap_create_merged(count, parents.data(), size, which.data(), ranks.data(), w.flags(), &map), map)) {
    for_some_ranks(w, size, [&](std::int32_t rank) {
      const auto i = static_cast<std::size_t>(rank);
      EXPECT_EQ(avrm_rankmap_gpid(&map, rank),
                avrm_rankmap_gpid(parents[static_cast<std::size_t>(which[i])], ranks[i]));
    });
    w.keep(*map);
  }
}

void create_concat(World &w) {
  const auto parents = w.array<const avrm_rankmap_t *>(1 + w.small() % 3, [&] { return w.any_map(); });
  const auto count = static_cast<std::int32_t>(w.draw.one_in(16) ? 0 : std::ssize(parents));
  Out<avrm_rankmap_t> map;
  if (w.ok(avrm_rankmap_create_concat(count, parents.data(), w.flags(), &map), map)) {
    std::int64_t first = 0;
    for (const avrm_rankmap_t *const parent : parents) {
      for_some_ranks(w, parent->size, [&](std::int32_t rank) {
        EXPECT_EQ(avrm_rankmap_gpid(&map, static_cast<std::int32_t>(first + rank)), avrm_rankmap_gpid(parent, rank));
      });
      first += parent->size;
    }
    EXPECT_EQ((*map).size, first);
    w.keep(*map);
  }
}

} // namespace

const std::vector<Call> kCreations = {
    {"avrm_rankmap_create_blocked and its kind", create_regular},
    {"avrm_rankmap_create_lpids", create_lpids},
    {"avrm_rankmap_create_gpids", create_gpids},
    {"avrm_rankmap_create_function", create_function},
    {"avrm_rankmap_create_lpids64", create_lpids64},
    {"avrm_rankmap_create_numbers", create_numbers},
    {"avrm_rankmap_create_runs", create_runs},
    {"avrm_rankmap_dup", dup},
    {"avrm_rankmap_create_child", create_child},
    {"avrm_rankmap_create_child_regular", create_child_regular},
    {"avrm_rankmap_create_without", create_without},
    {"avrm_rankmap_create_merged", create_merged},
    {"avrm_rankmap_create_concat", create_concat},
};

} // namespace avrankmap::test
