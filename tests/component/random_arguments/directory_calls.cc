// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Directories of windows, and summaries of parts.
#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

avrm_part_t any_part(World &w) {
  return {w.draw.any<std::uint64_t>(), w.draw.any<std::uint64_t>(), w.draw.any<std::uint64_t>(),
          w.draw.any<std::uint32_t>()};
}
bool equal(const avrm_part_t &a, const avrm_part_t &b) {
  return a.base == b.base && a.key == b.key && a.size == b.size && a.unit == b.unit;
}
avrm_part_t part_at(const avrm_part_t &first, const avrm_part_t &step, std::int32_t rank) {
  const auto n = static_cast<std::uint64_t>(rank);
  return {first.base + n * step.base, first.key + n * step.key, first.size + n * step.size,
          first.unit + static_cast<std::uint32_t>(n) * step.unit};
}
void create(World &w) {
  Out<avrm_directory_t> directory;
  if (w.ok(avrm_directory_create(w.any_instance(), w.draw.any<std::int32_t>(), &directory), directory)) {
    w.keep(*directory);
  }
}

void create_regular(World &w) {
  const avrm_part_t first = any_part(w);
  const avrm_part_t step = any_part(w);
  const bool is_uniform = w.draw.one_in(2);
  Out<avrm_directory_t> made;
  if (!w.ok(avrm_directory_create_regular(w.any_instance(), w.draw.any<std::int32_t>(), w.or_null(&first),
                                          is_uniform ? nullptr : &step, &made),
            made)) {
    return;
  }
  if (const std::int32_t ranks = avrm_directory_ranks(&made); ranks > 0) {
    const auto rank = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{ranks} - 1));
    Out<avrm_part_t> part;
    EXPECT_TRUE(avrm_directory_find(&made, rank, &part));
    EXPECT_TRUE(equal(*part, is_uniform ? first : part_at(first, step, rank))) << "rank " << rank;
  }
  w.keep(*made);
}

void create_parts(World &w) {
  const avrm_part_t step = any_part(w);
  avrm_part_t next = any_part(w);
  const auto parts = w.array<avrm_part_t>(w.small(), [&] {
    const avrm_part_t now = next;
    next = w.draw.one_in(10) ? any_part(w) : part_at(next, step, 1);
    return now;
  });
  const auto ranks = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(parts));
  Out<avrm_directory_t> made;
  if (!w.ok(avrm_directory_create_parts(w.any_instance(), ranks, parts.data(), &made), made)) {
    return;
  }
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    Out<avrm_part_t> part;
    EXPECT_TRUE(avrm_directory_find(&made, rank, &part) && equal(*part, parts[static_cast<std::size_t>(rank)]));
  }
  w.keep(*made);
}

void create_summary(World &w) {
  Out<avrm_directory_t> directory;
  if (w.ok(avrm_directory_create_summary(w.any_instance(), w.any_parts(), &directory), directory)) {
    w.keep(*directory);
  }
}

void learn(World &w) {
  avrm_directory_t *const directory = w.any_directory();
  const std::int64_t ranks = directory == nullptr ? 0 : avrm_directory_ranks(directory);
  avrm_part_t part = any_part(w);
  const avrm_part_t step = any_part(w);
  std::int32_t rank = w.draw.near(0, ranks - 1);
  for (std::int32_t left = w.small(); left > 0; --left) {
    if (w.ok(avrm_directory_learn(directory, rank, w.or_null(&part)))) {
      Out<avrm_part_t> found;
      EXPECT_TRUE(avrm_directory_find(directory, rank, &found) && equal(*found, part));
    }
    rank = w.draw.one_in(2) || rank == INT32_MAX ? w.draw.near(0, ranks - 1) : rank + 1;
    part = w.draw.one_in(10) ? any_part(w) : part_at(part, step, 1);
  }
}

void recognise(World &w) {
  if (avrm_directory_t *const directory = w.any_directory(); directory != nullptr) {
    (void)avrm_directory_recognise(directory);
  }
}

void ask(World &w) {
  const avrm_directory_t *const directory = w.any_directory();
  (void)avrm_directory_bytes(directory);
  if (directory == nullptr) {
    return;
  }
  EXPECT_LE(avrm_directory_form(directory), AVRM_DIRECTORY_TABLES);
  std::uint64_t place = 0;
  std::int32_t rank = -1;
  Out<avrm_part_t> learned;
  for (int i = 0; i < 20 && avrm_directory_next(directory, &place, &rank, &learned); ++i) {
    Out<avrm_part_t> found;
    EXPECT_TRUE(avrm_directory_find(directory, rank, &found) && equal(*found, *learned));
  }
  if (avrm_directory_ranks(directory) == 0) {
    return;
  }
  rank = static_cast<std::int32_t>(w.draw.inside(0, std::int64_t{avrm_directory_ranks(directory)} - 1));
  Out<avrm_part_t> part;
  Out<std::uint64_t> base;
  Out<std::uint64_t> key;
  const bool is_known = avrm_directory_find(directory, rank, &part);
  if (avrm_directory_target(directory, rank, &base, &key) && is_known) {
    EXPECT_TRUE((*part).base == *base && (*part).key == *key);
  }
  const std::uint64_t size = avrm_directory_size(directory, rank);
  const std::uint32_t unit = avrm_directory_unit(directory, rank);
  EXPECT_TRUE(!is_known || ((*part).size == size && (*part).unit == unit));
}

// Summaries of ranks that follow one another, and sometimes not.
void summarise(World &w) {
  avrm_part_t part = any_part(w);
  const avrm_part_t step = any_part(w);
  std::int32_t rank = w.draw.one_in(2) ? 0 : w.draw.any<std::int32_t>();
  auto all = std::make_unique<avrm_parts_t>();
  if (!w.ok(avrm_parts_of(rank, w.or_null(&part), all.get()))) {
    return;
  }
  for (std::int32_t left = w.small(); left > 0 && rank < INT32_MAX; --left) {
    part = w.draw.one_in(10) ? any_part(w) : part_at(part, step, 1);
    Out<avrm_parts_t> behind;
    rank = w.draw.one_in(40) ? w.draw.any<std::int32_t>() : rank + 1;
    if (w.ok(avrm_parts_of(rank, &part, &behind), behind)) {
      (void)w.ok(avrm_parts_append(all.get(), &behind));
    }
  }
  w.place(w.parts) = std::move(all);
}

void append(World &w) {
  avrm_parts_t *const parts = w.any_parts();
  const avrm_parts_t *const other = w.any_parts();
  if (parts == nullptr || other == nullptr) {
    (void)w.ok(avrm_parts_append(parts, other));
    return;
  }
  avrm_parts_t behind = *other;
  if (w.draw.one_in(2)) {
    behind.first = parts->first + parts->count;
    for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
      for (std::uint32_t i = 0; i < behind.runs[field]; ++i) {
        behind.run[field][i].first += behind.first - other->first;
      }
    }
  }
  (void)w.ok(avrm_parts_append(parts, &behind));
}

void write(World &w) {
  const avrm_parts_t *const parts = w.any_parts();
  std::vector<unsigned char> bytes(avrm_parts_bytes(parts));
  if (w.ok(avrm_parts_write(parts, bytes.data()))) {
    ASSERT_LE(bytes.size(), std::size_t{AVRM_PARTS_BYTES});
    auto read = std::make_unique<avrm_parts_t>();
    EXPECT_FALSE(w.ok(avrm_parts_read(bytes.data(), w.draw.below(bytes.size()), read.get())));
    EXPECT_TRUE(w.ok(avrm_parts_read(bytes.data(), bytes.size(), read.get())));
    w.place(w.parts) = std::move(read);
  }
}

} // namespace

const std::vector<Call> kDirectoryCalls = {
    {"avrm_directory_create", create},
    {"avrm_directory_create_regular", create_regular},
    {"avrm_directory_create_parts", create_parts},
    {"avrm_directory_create_summary", create_summary},
    {"avrm_directory_destroy", [](World &w) { avrm_directory_destroy(&w.place(w.directories)); }},
    {"avrm_directory_learn", learn},
    {"avrm_directory_recognise", recognise},
    {"avrm_directory_target and its kind", ask},
    {"avrm_parts_of", summarise},
    {"avrm_parts_append", append},
    {"avrm_parts_write, read", write},
};

} // namespace avrankmap::test
