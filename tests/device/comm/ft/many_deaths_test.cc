// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shrinking of large jobs: all virtual processes agree on the dead, and the maps without these stay
// small. The maps are made once for each agreement: all survivors make the same.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "rankmap/create/without.h"
#include "rankmap/forms/cart.h"
#include "tests/device/comm/ft/timed_agreement.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

using Ranks = std::vector<std::int32_t>;

constexpr std::size_t kCounts[] = {1, 10, 1000};
constexpr const char *kKinds[] = {"random", "contiguous", "nodes", "roots"};
constexpr std::int32_t kNode = 64; // processes

// Ascending.
Ranks draw_dead(std::int32_t size, std::size_t count, const std::string &kind, std::mt19937_64 &random) {
  const auto n = static_cast<std::uint64_t>(size);
  const auto start = static_cast<std::int32_t>(below(random, n - 1000));
  std::set<std::int32_t> dead;
  for (std::int32_t k = 0; dead.size() < count; ++k) {
    dead.insert(kind == "random"       ? static_cast<std::int32_t>(below(random, n))
                : kind == "contiguous" ? start + k
                : kind == "nodes"      ? k / kNode * kNode * 7 + k % kNode
                                       : k);
  }
  return {dead.begin(), dead.end()};
}

// The memory of one process, in bytes, that shrinking may take for the time being.
std::size_t bytes_allowed(std::size_t dead) { return (std::size_t{16} << 10) + 64 * dead; }

// The map of a communicator of that size: affine, blocked, or Cartesian.
MapPtr make_parent(avrm_instance_t *instance, avrm_mode_t mode, std::int32_t size) {
  return make_map([=](avrm_rankmap_t *map_p) {
    if (mode == AVRM_MODE_STRIDE) {
      return avrm_rankmap_create_stride(instance, 0, size, 3, 2, map_p);
    }
    if (mode == AVRM_MODE_BLOCKED) {
      return avrm_rankmap_create_blocked(instance, 0, size, 1, 16, 8, map_p);
    }
    const detail::Cart cart{3, size, 0, {8, 16}, {1, size / 8, 8}};
    *map_p = detail::new_cart_map(instance, 0, cart, detail::greatest_of(cart)).release();
    return AVRM_OK;
  });
}

// The maps without the dead are small, made in little memory, and right.
void check_maps(std::int32_t size, const Ranks &dead) {
  for (const avrm_mode_t mode : {AVRM_MODE_STRIDE, AVRM_MODE_BLOCKED, AVRM_MODE_CART}) {
    CountingAllocator books;
    const Instance instance(&books, false, AVRM_COST_BALANCED);
    const AvPtr av = make_av(instance, 2 * size + 64);
    const MapPtr parent = make_parent(instance, mode, size);
    ASSERT_EQ(parent->mode, mode);
    const std::uint64_t before = books.live_bytes();
    detail::MapOwner rest;
    require(detail::map_without(parent.get(), dead.data(), static_cast<std::int32_t>(dead.size()), &rest));
    EXPECT_LE(books.live_bytes() - before + sizeof(avrm_rankmap_t), 24 * dead.size() + 128) << "mode " << mode;
    EXPECT_LE(books.usage(AVRM_MEM_TOTAL).peak_bytes - books.live_bytes(), bytes_allowed(dead.size()))
        << "mode " << mode;
    ASSERT_EQ(rest.get()->size, size - static_cast<std::int32_t>(dead.size()));
    auto next = dead.begin();
    std::int32_t rank = 0;
    for (std::int32_t old = 0; old < size; ++old) {
      if (next != dead.end() && *next == old) {
        ++next;
        continue;
      }
      ASSERT_EQ(avrm_rankmap_gpid(rest.get(), rank).lpid, avrm_rankmap_gpid(parent.get(), old).lpid)
          << "rank " << rank << " of mode " << mode;
      ++rank;
    }
  }
}

// All that live have the verdict that the first one of them has; returns its list of the dead.
Ranks check_verdicts(TimedAgreement &job, std::int32_t size) {
  Ranks agreed;
  bool is_first = true;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (job.is_dead(rank)) {
      continue;
    }
    EXPECT_TRUE(job.consensus(rank).is_over()) << rank;
    Ranks listed;
    for (const detail::Mark &mark : job.consensus(rank).dead()) {
      listed.push_back(mark.rank);
    }
    agreed = is_first ? listed : agreed;
    is_first = false;
    if (testing::Test::HasFailure() || listed != agreed) {
      ADD_FAILURE() << "process " << rank;
      break;
    }
  }
  return agreed;
}

// Processes of a simulated job. Each of them keeps a list of the dead: a million of them with 1,000
// dead take some 18 GB.
std::int32_t crowd() { return is_long() ? 1 << 20 : 1 << 13; }

// Before the agreement, and at two points of it.
TEST(ManyDeaths, SurvivorsAgreeAndTheirMapsAreSmall) {
  std::mt19937_64 random = seeded_engine();
  for (const std::size_t count : kCounts) {
    const std::int32_t size = crowd();
    const auto log = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(size)));
    for (const char *const kind : kKinds) {
      const Ranks dead = draw_dead(size, count, kind, random);
      for (const std::size_t time : {std::size_t{0}, std::size_t{4}, log + 1}) {
        SCOPED_TRACE(std::to_string(count) + " " + kind + " at step " + std::to_string(time));
        TimedAgreement job(size, dead, time);
        job.run();
        const Ranks listed = check_verdicts(job, size);
        ASSERT_FALSE(HasFailure());
        ASSERT_TRUE(std::includes(dead.begin(), dead.end(), listed.begin(), listed.end()));
        ASSERT_TRUE(time != 0 || listed == dead);
        EXPECT_LT(job.most_bytes(), bytes_allowed(dead.size()));
        check_maps(size, listed);
      }
    }
  }
}

TEST(ManyDeaths, MapsOfAMillionProcessesAreSmall) {
  constexpr std::int32_t kSize = 1 << 20;
  std::mt19937_64 random = seeded_engine();
  for (const std::size_t count : kCounts) {
    for (const char *const kind : kKinds) {
      SCOPED_TRACE(std::to_string(count) + " " + kind);
      check_maps(kSize, draw_dead(kSize, count, kind, random));
    }
  }
}

} // namespace
} // namespace avrankmap::test
