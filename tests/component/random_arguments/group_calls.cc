// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups.
#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

avrm_gpid_t process_of(const avrm_group_t *group, std::int32_t rank) {
  avrm_gpid_t process{-1, -1};
  EXPECT_EQ(avrm_group_gpid(group, rank, &process), AVRM_OK);
  return process;
}

// Whether a group says the opposite of what is so. Without memory it says nothing.
bool contradicts(const avrm_group_t *group, avrm_gpid_t process, bool is_member) {
  std::int32_t rank = AVRM_UNDEFINED;
  return avrm_group_rank(group, process, &rank) == AVRM_OK && is_member != (rank != AVRM_UNDEFINED);
}

void create(World &w) {
  Out<avrm_group_t *> group;
  const avrm_rankmap_t *const map = w.any_map();
  if (w.ok(avrm_group_create(map, &group), group)) {
    EXPECT_EQ(avrm_group_size(*group), map->size);
    w.keep(*group);
  }
}

void view_and_unwrap(World &w) {
  const avrm_rankmap_t *const map = w.any_map();
  EXPECT_EQ(avrm_group_size(avrm_group_view(map)), map == nullptr ? 0 : map->size);
  Out<avrm_group_t *> group;
  if (w.ok(avrm_group_create(map, &group), group)) {
    avrm_rankmap_t unwrapped;
    avrm_group_unwrap(*group, &unwrapped);
    EXPECT_EQ(unwrapped.size, map->size);
    w.keep(unwrapped);
  }
}

void create_gpids(World &w) {
  const auto table = w.array<avrm_gpid_t>(w.small() % 20, [&] { return w.process(); });
  Out<avrm_group_t *> group;
  const auto size = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(table));
  if (w.ok(avrm_group_create_gpids(w.any_instance(), size, table.data(), &group), group)) {
    w.keep(*group);
  }
}

void create_empty(World &w) {
  Out<avrm_group_t *> group;
  if (w.ok(avrm_group_create_empty(w.any_instance(), &group), group)) {
    w.keep(*group);
  }
}

void dup(World &w) {
  Out<avrm_group_t *> group;
  if (w.ok(avrm_group_dup(w.any_group(), &group), group)) {
    w.keep(*group);
  }
}

void destroy(World &w) {
  if (w.draw.one_in(8)) {
    avrm_group_destroy(std::exchange(w.place(w.groups), nullptr));
  }
}

void ask(World &w) {
  const avrm_group_t *const group = w.any_group();
  const std::int32_t size = avrm_group_size(group);
  EXPECT_EQ(avrm_group_map(group) == nullptr, group == nullptr);
  const std::int32_t rank = w.draw.near(0, std::int64_t{size} - 1);
  Out<avrm_gpid_t> process;
  const bool is_there = w.ok(avrm_group_gpid(group, rank, &process), process);
  EXPECT_EQ(is_there, rank >= 0 && rank < size && group != nullptr);
  Out<std::int32_t> found;
  const avrm_gpid_t asked = is_there ? *process : w.process();
  if (w.ok(avrm_group_rank(group, asked, &found), found)) {
    EXPECT_TRUE(!is_there || *found == rank);
    EXPECT_TRUE(*found == AVRM_UNDEFINED || process_of(group, *found) == asked);
  }
}

void translate(World &w) {
  const avrm_group_t *const a = w.any_group();
  const avrm_group_t *const b = w.any_group();
  std::vector<std::int32_t> ranks = w.ranks(w.small(), avrm_group_size(a));
  ranks.push_back(w.draw.one_in(2) ? AVRM_PROC_NULL : w.draw.any<std::int32_t>());
  std::vector<std::int32_t> found(ranks.size());
  if (w.ok(avrm_group_translate_ranks(a, ranks.size(), ranks.data(), b, found.data()))) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_TRUE(ranks[i] == AVRM_PROC_NULL
                      ? found[i] == AVRM_PROC_NULL
                      : found[i] == AVRM_UNDEFINED || process_of(b, found[i]) == process_of(a, ranks[i]));
    }
  }
}

// A member of a result is where it should be.
void check_set(World &w, const avrm_group_t *made, const avrm_group_t *a, bool in_a, const avrm_group_t *b, bool in_b) {
  if (avrm_group_size(made) > 0) {
    const auto rank = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{avrm_group_size(made)} - 1));
    const avrm_gpid_t process = process_of(made, rank);
    EXPECT_FALSE(contradicts(made, process, true) || contradicts(a, process, in_a) || contradicts(b, process, in_b))
        << process.pgid << ':' << process.lpid;
  }
}

void set_operation(World &w) {
  const avrm_group_t *const a = w.any_group();
  const avrm_group_t *const b = w.any_group();
  Out<avrm_comparison_t> comparison;
  (void)w.ok(avrm_group_compare(a, b, &comparison), comparison);
  Out<avrm_group_t *> common;
  Out<avrm_group_t *> rest;
  Out<avrm_group_t *> all;
  const bool has_common = w.ok(avrm_group_intersection(a, b, &common), common);
  const bool has_rest = w.ok(avrm_group_difference(a, b, &rest), rest);
  const bool has_all = w.ok(avrm_group_union(a, b, &all), all);
  if (has_common && has_rest) {
    EXPECT_EQ(std::int64_t{avrm_group_size(*common)} + avrm_group_size(*rest), avrm_group_size(a));
    EXPECT_TRUE(!has_all || avrm_group_size(*all) == std::int64_t{avrm_group_size(*rest)} + avrm_group_size(b));
    check_set(w, *common, a, true, b, true);
    check_set(w, *rest, a, true, b, false);
  }
  const std::pair<Out<avrm_group_t *> *, bool> made[] = {
      {std::addressof(common), has_common}, {std::addressof(rest), has_rest}, {std::addressof(all), has_all}};
  for (const auto &[group, is_made] : made) {
    if (is_made) {
      w.keep(**group);
    }
  }
}

void select(World &w) {
  const avrm_group_t *const group = w.any_group();
  const std::int32_t size = avrm_group_size(group);
  const std::vector<std::int32_t> ranks = w.ranks(w.small(), size);
  const auto count = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(ranks));
  Out<avrm_group_t *> made;
  if (w.draw.one_in(2)) {
    if (w.ok(avrm_group_incl(group, count, ranks.data(), &made), made)) {
      EXPECT_TRUE(count == 0 || process_of(*made, count - 1) == process_of(group, ranks.back()));
      w.keep(*made);
    }
  } else if (w.ok(avrm_group_excl(group, count, ranks.data(), &made), made)) {
    EXPECT_EQ(avrm_group_size(*made), size - count);
    w.keep(*made);
  }
}

void select_ranges(World &w) {
  const avrm_group_t *const group = w.any_group();
  const std::int32_t size = avrm_group_size(group);
  std::int64_t ranks = 0;
  const auto ranges = w.array<avrm_range_t>(1 + w.small() % 4, [&] {
    const avrm_range_t range{w.draw.near(0, std::int64_t{size} - 1), w.draw.near(0, std::int64_t{size} - 1),
                             w.draw.any<std::int32_t>()};
    ranks += range.stride == 0 ? 0 : (std::int64_t{range.last} - range.first) / range.stride + 1;
    return range;
  });
  const auto count = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(ranges));
  Out<avrm_group_t *> made;
  if (w.draw.one_in(2)) {
    if (w.ok(avrm_group_range_incl(group, count, ranges.data(), &made), made)) {
      EXPECT_EQ(avrm_group_size(*made), ranks);
      w.keep(*made);
    }
  } else if (w.ok(avrm_group_range_excl(group, count, ranges.data(), &made), made)) {
    EXPECT_EQ(avrm_group_size(*made), size - ranks);
    w.keep(*made);
  }
}

} // namespace

const std::vector<Call> kGroupCalls = {
    {"avrm_group_create", create},
    {"avrm_group_view, unwrap", view_and_unwrap},
    {"avrm_group_create_gpids", create_gpids},
    {"avrm_group_create_empty", create_empty},
    {"avrm_group_dup", dup},
    {"avrm_group_destroy", destroy},
    {"avrm_group_rank", ask},
    {"avrm_group_translate_ranks", translate},
    {"avrm_group_union and its kind", set_operation},
    {"avrm_group_incl, excl", select},
    {"avrm_group_range_incl, excl", select_ranges},
};

} // namespace avrankmap::test
