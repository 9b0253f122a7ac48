// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Brute-force twin of a rankmap: the plain table rank -> process, and what the contract says of any
// rankmap that stands for such a table. Written from rankmap.h alone; shares no arithmetic with the
// code under test.
#ifndef AVRANKMAP_TESTS_RANKMAP_TWIN_H
#define AVRANKMAP_TESTS_RANKMAP_TWIN_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/instance.h"

inline bool operator==(const avrm_gpid_t &a, const avrm_gpid_t &b) { return a.pgid == b.pgid && a.lpid == b.lpid; }

namespace avrankmap::test {

inline constexpr std::int32_t kIntMax = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t kIntMin = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kMaxSize = kIntMax;      // ranks of the largest map
inline constexpr std::int32_t kLastLpid = kIntMax - 1; // of the largest AV

using Table = std::vector<avrm_gpid_t>;
using Ranks = std::vector<std::int32_t>;

// offset + (rank / block) * stride + rank % block, in 64 bits.
inline std::int64_t formula(std::int64_t offset, std::int64_t stride, std::int64_t block, std::int64_t rank) {
  return offset + rank / block * stride + rank % block;
}

// The values of the formula for rank 0 .. size-1; they must fit.
inline Ranks regular_values(std::int32_t size, std::int32_t offset, std::int32_t stride, std::int32_t block = 1) {
  Ranks values;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    values.push_back(static_cast<std::int32_t>(formula(offset, stride, block, rank)));
  }
  return values;
}

inline Table in_group(std::int32_t pgid, const Ranks &lpids) {
  Table table;
  for (const std::int32_t lpid : lpids) {
    table.push_back({pgid, lpid});
  }
  return table;
}

inline Table regular_table(std::int32_t pgid, std::int32_t size, std::int32_t offset, std::int32_t stride,
                           std::int32_t block = 1) {
  return in_group(pgid, regular_values(size, offset, stride, block));
}

// The table of a child: ranks of the parent, followed through the parent's table.
inline Table child_table(const Table &parent, const Ranks &parent_ranks) {
  Table table;
  for (const std::int32_t rank : parent_ranks) {
    table.push_back(parent.at(static_cast<std::size_t>(rank)));
  }
  return table;
}

inline bool has_twice(const Table &table) {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  return std::any_of(table.begin(), table.end(),
                     [&seen](const avrm_gpid_t &gpid) { return !seen.emplace(gpid.pgid, gpid.lpid).second; });
}

// Number of process groups.
inline std::int32_t groups_of(const Table &table) {
  Ranks pgids;
  for (const avrm_gpid_t &gpid : table) {
    if (std::find(pgids.begin(), pgids.end(), gpid.pgid) == pgids.end()) {
      pgids.push_back(gpid.pgid);
    }
  }
  return static_cast<std::int32_t>(pgids.size());
}

// Mode and parameters, as avrm_rankmap_describe tells them.
struct Shape {
  avrm_mode_t mode;
  std::int32_t pgid;
  std::int32_t offset;
  std::int32_t stride;
  std::int32_t block;

  friend bool operator==(const Shape &, const Shape &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Shape &shape) {
    return out << avrm_mode_label(shape.mode) << " pgid " << shape.pgid << " offset " << shape.offset << " stride "
               << shape.stride << " block " << shape.block;
  }
};

// The brute-force twin of a map.
inline Table table_of(const avrm_rankmap_t *map) {
  Table table;
  for (std::int32_t rank = 0; rank < avrm_rankmap_size(map); ++rank) {
    table.push_back(avrm_rankmap_gpid(map, rank));
  }
  return table;
}

inline avrm_rankmap_info_t info_of(const avrm_rankmap_t *map) {
  avrm_rankmap_info_t info{};
  require(avrm_rankmap_describe(map, &info));
  return info;
}

inline Shape shape_of(const avrm_rankmap_t *map) {
  const avrm_rankmap_info_t info = info_of(map);
  return {info.mode, info.pgid, info.offset, info.stride, info.block};
}

// The simplest mode that holds for a table: the order of the mode list, tried one after the other.
inline Shape simplest_shape(const Table &table) {
  if (groups_of(table) > 1) {
    return {AVRM_MODE_MLUT, -1, 0, 0, 0};
  }
  const std::int32_t pgid = table[0].pgid;
  const std::int32_t offset = table[0].lpid;
  const auto size = static_cast<std::int64_t>(table.size());
  const auto holds = [&](std::int64_t stride, std::int64_t block) {
    for (std::int64_t rank = 0; rank < size; ++rank) {
      if (table[static_cast<std::size_t>(rank)].lpid != formula(offset, stride, block, rank)) {
        return false;
      }
    }
    return true;
  };
  if (holds(1, 1)) {
    return {offset == 0 ? AVRM_MODE_DIRECT : AVRM_MODE_OFFSET, pgid, offset, 1, 1};
  }
  if (const std::int32_t stride = table[1].lpid - offset; stride != 0 && holds(stride, 1)) {
    return {AVRM_MODE_STRIDE, pgid, offset, stride, 1};
  }
  // A block can only be as long as the first run of consecutive lpids.
  std::int32_t block = 1;
  while (table[static_cast<std::size_t>(block)].lpid == offset + block) {
    ++block;
  }
  const std::int32_t stride = table[static_cast<std::size_t>(block)].lpid - offset;
  if (block > 1 && stride != 0 && holds(stride, block)) {
    return {AVRM_MODE_BLOCKED, pgid, offset, stride, block};
  }
  return {AVRM_MODE_LUT, pgid, 0, 0, 0};
}

// Number of canonical runs: each goes on for as long as its processes are of one group and a
// constant distance apart.
inline std::uint64_t runs_in(const Table &table) {
  std::uint64_t runs = 0;
  for (std::size_t first = 0; first < table.size(); ++runs) {
    std::size_t end = first + 1;
    while (end < table.size() && table[end].pgid == table[first].pgid &&
           table[end].lpid - table[end - 1].lpid == table[first + 1].lpid - table[first].lpid) {
      ++end;
    }
    first = end;
  }
  return runs;
}

// Bytes of segments, directory included: about two of its entries to a segment but where there are
// two, and one to two segments from 64 on.
inline std::uint64_t segments_bytes_of(const Table &table) {
  const std::uint64_t runs = runs_in(table);
  std::uint64_t entries = 0;
  const std::uint64_t most = runs < 64 ? 2 * runs + 2 : runs / 2;
  for (int shift = 1; runs != 2 && (entries == 0 || entries > most); ++shift) {
    entries = ((table.size() - 1) >> shift) + 2;
  }
  return 16 + 16 * runs + 12 * static_cast<std::uint64_t>(groups_of(table)) + 4 * entries;
}

// Fewest dimensions in which a sequence is mixed-radix, 9 if more than 8: one if it is affine, with
// a stride of 0 too; else rows of one length and one stride, whose first elements are mixed-radix
// in one dimension less. Tries every length that the first row allows if `all` is set, else the
// greatest one only.
inline int dimensions_of(const Ranks &values, bool all, int depth = 1) {
  std::size_t first_run = std::min<std::size_t>(values.size(), 2);
  while (first_run < values.size() && values[first_run] - values[first_run - 1] == values[1] - values[0]) {
    ++first_run;
  }
  if (first_run == values.size() || depth > 8) {
    return depth > 8 ? 9 : 1;
  }
  int fewest = 9;
  for (std::size_t row = first_run; row >= (all ? 2 : first_run); --row) {
    Ranks firsts;
    bool fits = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % row == 0) {
        firsts.push_back(values[i]);
      }
      const std::int64_t expected =
          std::int64_t{firsts.back()} + static_cast<std::int64_t>(i % row) * (values[1] - values[0]);
      fits = fits && values[i] == expected;
    }
    if (fits) {
      fewest = std::min(fewest, 1 + dimensions_of(firsts, all, depth + 1));
    }
  }
  return fewest;
}

// Bytes of the table that a lut or mlut needs for its ranks alone.
inline std::uint64_t plain_table_bytes(const Table &table) {
  const std::uint64_t groups = static_cast<std::uint64_t>(groups_of(table));
  return groups == 1 ? 16 + 4 * table.size() : 16 + 8 * table.size() + 16 * groups;
}

// A form that may stand for a table, with its bytes beside the 56 of the rankmap.
struct Form {
  Shape shape;
  std::uint64_t bytes;
};

// The form of a table in an instance that may compress tables. From the plain table on, each slower
// form is taken if it saves `worth` bytes: 1 gives the smallest form, of several the fastest.
inline Form compact_form(const Table &table, std::uint64_t worth, bool all_carts = false) {
  const Shape simplest = simplest_shape(table);
  if (simplest.mode <= AVRM_MODE_BLOCKED) {
    return {simplest, 0};
  }
  Form best{simplest, plain_table_bytes(table)};
  const auto consider = [&](avrm_mode_t mode, std::uint64_t bytes) {
    if (bytes + worth <= best.bytes) {
      best = {{mode, simplest.pgid, 0, 0, 0}, bytes};
    }
  };
  if (simplest.pgid >= 0) {
    Ranks lpids;
    for (const avrm_gpid_t &gpid : table) {
      lpids.push_back(gpid.lpid);
    }
    int dimensions = dimensions_of(lpids, all_carts);
    dimensions = dimensions == 1 && table.size() > 2 ? 2 : dimensions; // one process throughout
    if (dimensions > 1 && dimensions <= 8) {
      consider(AVRM_MODE_CART, static_cast<std::uint64_t>(8 + 16 * (dimensions - 1)));
    }
  }
  consider(AVRM_MODE_SEGMENTS, segments_bytes_of(table));
  return best;
}

// The form of a table in an instance, by its cost class.
inline Form form_for(const avrm_instance_t *instance, const Table &table) {
  const avrm_cost_t cost = avrm_instance_cost(instance);
  if (avrm_instance_is_strict(instance) || cost == AVRM_COST_SPEED) {
    const Shape simplest = simplest_shape(table);
    return {simplest, simplest.mode <= AVRM_MODE_BLOCKED ? 0 : plain_table_bytes(table)};
  }
  return compact_form(table, cost == AVRM_COST_BALANCED ? 4096 : 1);
}

// The map has the mode that its instance should give to the table, and the bytes that go with it. A
// map may also share the table of another map of which it is a part, or be a smaller less map.
inline testing::AssertionResult has_right_form(const avrm_rankmap_t *map, const Table &table) {
  const bool compact = !avrm_instance_is_strict(map->instance) && avrm_instance_cost(map->instance) != AVRM_COST_SPEED;
  const Form form = form_for(map->instance, table);
  const avrm_rankmap_info_t info = info_of(map);
  if (compact && info.table_entries > info.size) {
    return testing::AssertionSuccess();
  }
  if (info.mode == AVRM_MODE_LESS) {
    const std::uint64_t bytes = info.table_bytes;
    const std::uint64_t worth = avrm_instance_cost(map->instance) == AVRM_COST_BALANCED ? 4096 : 1;
    return compact && bytes + worth <= form.bytes ? testing::AssertionSuccess()
                                                  : testing::AssertionFailure()
                                                        << "a less of " << bytes << " bytes, where " << form.shape
                                                        << " takes " << form.bytes;
  }
  if (!(shape_of(map) == form.shape)) {
    return testing::AssertionFailure() << shape_of(map) << ", expected " << form.shape;
  }
  if (compact && info.own_bytes + info.table_bytes - sizeof(avrm_rankmap_t) != form.bytes) {
    return testing::AssertionFailure() << info.own_bytes << " + " << info.table_bytes << " bytes, expected "
                                       << form.bytes << " beside the map";
  }
  return testing::AssertionSuccess();
}

// The map is sound, has the right form, and gives the process of the table at every rank.
inline testing::AssertionResult agrees(const avrm_rankmap_t *map, const Table &table) {
  const char *reason = nullptr;
  if (!avrm_rankmap_validate(map, &reason)) {
    return testing::AssertionFailure() << "the map is invalid: " << reason;
  }
  if (static_cast<std::size_t>(avrm_rankmap_size(map)) != table.size()) {
    return testing::AssertionFailure() << "size " << avrm_rankmap_size(map) << ", expected " << table.size();
  }
  if (testing::AssertionResult right = has_right_form(map, table); !right) {
    return right;
  }
  for (std::int32_t rank = 0; rank < avrm_rankmap_size(map); ++rank) {
    const avrm_gpid_t gpid = avrm_rankmap_gpid(map, rank);
    const avrm_gpid_t expected = table[static_cast<std::size_t>(rank)];
    if (!(gpid == expected)) {
      return testing::AssertionFailure() << "rank " << rank << " is " << gpid.pgid << ':' << gpid.lpid << ", expected "
                                         << expected.pgid << ':' << expected.lpid;
    }
  }
  return testing::AssertionSuccess();
}

// The status of a creation that should be refused. Checks that the output is as it was and that no
// byte is left behind.
template <typename Create> avrm_status_t refusal(const Instance &instance, Create create) {
  avrm_rankmap_t map{};
  const std::uint64_t live_bytes = instance.usage(AVRM_MEM_TOTAL).live_bytes;
  const avrm_status_t status = create(&map);
  EXPECT_TRUE(is_no_map(map)) << "an output was written";
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_bytes, live_bytes);
  return status;
}

// One for each creating function; they throw where it fails.
inline MapPtr make_direct(avrm_instance_t *instance, std::int32_t size, std::int32_t pgid = 0) {
  return make_map([=](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance, pgid, size, map_p); });
}
inline MapPtr make_offset(avrm_instance_t *instance, std::int32_t size, std::int32_t first, std::int32_t pgid = 0) {
  return make_map(
      [=](avrm_rankmap_t *map_p) { return avrm_rankmap_create_offset(instance, pgid, size, first, map_p); });
}
inline MapPtr make_stride(avrm_instance_t *instance, std::int32_t size, std::int32_t first, std::int32_t stride,
                          std::int32_t pgid = 0) {
  return make_map(
      [=](avrm_rankmap_t *map_p) { return avrm_rankmap_create_stride(instance, pgid, size, first, stride, map_p); });
}
inline MapPtr make_blocked(avrm_instance_t *instance, std::int32_t size, std::int32_t first, std::int32_t stride,
                           std::int32_t block, std::int32_t pgid = 0) {
  return make_map([=](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_blocked(instance, pgid, size, first, stride, block, map_p);
  });
}
inline MapPtr make_lpids(avrm_instance_t *instance, const Ranks &lpids, std::int32_t pgid = 0,
                         unsigned flags = AVRM_RANKMAP_DEFAULT) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_lpids(instance, pgid, static_cast<std::int32_t>(lpids.size()), lpids.data(), flags,
                                     map_p);
  });
}
inline MapPtr make_gpids(avrm_instance_t *instance, const Table &table, unsigned flags = AVRM_RANKMAP_DEFAULT) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_gpids(instance, static_cast<std::int32_t>(table.size()), table.data(), flags, map_p);
  });
}
inline MapPtr make_without(const MapPtr &parent, const Ranks &ranks) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_without(parent.get(), static_cast<std::int32_t>(ranks.size()), ranks.data(),
                                       AVRM_RANKMAP_DEFAULT, map_p);
  });
}
inline MapPtr make_dup(const MapPtr &map) {
  return make_map([&map](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(map.get(), map_p); });
}
inline MapPtr make_child(const MapPtr &parent, const Ranks &parent_ranks, unsigned flags = AVRM_RANKMAP_DEFAULT) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_child(parent.get(), static_cast<std::int32_t>(parent_ranks.size()), parent_ranks.data(),
                                     flags, map_p);
  });
}
inline MapPtr make_child_regular(const MapPtr &parent, std::int32_t size, std::int32_t first, std::int32_t stride,
                                 std::int32_t block = 1, unsigned flags = AVRM_RANKMAP_DEFAULT) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_child_regular(parent.get(), size, first, stride, block, flags, map_p);
  });
}
inline MapPtr make_merged(const std::vector<const avrm_rankmap_t *> &parents, const Ranks &which, const Ranks &ranks,
                          unsigned flags = AVRM_RANKMAP_DEFAULT) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_merged(static_cast<std::int32_t>(parents.size()), parents.data(),
                                      static_cast<std::int32_t>(which.size()), which.data(), ranks.data(), flags,
                                      map_p);
  });
}
inline MapPtr make_concat(const std::vector<const avrm_rankmap_t *> &parents, unsigned flags = AVRM_RANKMAP_DEFAULT) {
  return make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_concat(static_cast<std::int32_t>(parents.size()), parents.data(), flags, map_p);
  });
}

} // namespace avrankmap::test

#endif
