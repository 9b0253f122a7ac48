// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Every way of dispatching returns what the component's own translation returns, in every mode.

#include "component/dispatch/dispatch.h"

#include "avrankmap/avrankmap.h"
#include "support/owned_map.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using Translate = std::uint64_t (*)(const avrm_rankmap_t *, std::int32_t) noexcept;

struct Way {
  const char *name;
  Translate translate;
};

#define AVRM_TEST_WAY(way) {#way, avrm_bench_dispatch_##way}, {#way "_nopic", avrm_bench_dispatch_##way##_nopic},
constexpr Way kWays[] = {AVRM_BENCH_DISPATCH_LIST(AVRM_TEST_WAY)};
#undef AVRM_TEST_WAY

constexpr std::int32_t kWorldSize = 4096;

/// Two process groups and a bound rankmap of each mode.
class DispatchStudy : public testing::TestWithParam<Way> {
protected:
  template <auto destroy> struct Destroyer {
    template <class T> void operator()(T *object) const noexcept { destroy(object); }
  };

  void SetUp() override {
    avrm_instance_t *instance = nullptr;
    const avrm_instance_options_t options = {nullptr, false, AVRM_COST_SPEED, false};
    ASSERT_EQ(avrm_instance_create(&options, &instance), AVRM_OK);
    instance_.reset(instance);
    for (std::int32_t pgid = 0; pgid < 2; ++pgid) {
      avrm_av_t *av = nullptr;
      ASSERT_EQ(avrm_av_create(instance, kWorldSize, nullptr, &av), AVRM_OK);
      avs_.emplace_back(av);
      for (std::int32_t lpid = 0; lpid < kWorldSize; ++lpid) {
        avrm_ave_t ave;
        ASSERT_EQ(avrm_ofi_pack((static_cast<std::uint64_t>(pgid) << 40) + static_cast<std::uint64_t>(lpid), 0, &ave),
                  AVRM_OK);
        ASSERT_EQ(avrm_av_set(av, lpid, &ave), AVRM_OK);
      }
    }
  }

  /// Binds a map that was just created, and compares all of its ranks.
  void expect_agrees(avrm_status_t created, const avrm_rankmap_t &created_map, avrm_mode_t mode) {
    ASSERT_EQ(created, AVRM_OK);
    const avrankmap::bench::OwnedMap map(new avrm_rankmap_t(created_map));
    ASSERT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
    avrm_rankmap_info_t info;
    ASSERT_EQ(avrm_rankmap_describe(map.get(), &info), AVRM_OK);
    ASSERT_EQ(info.mode, mode);
    for (std::int32_t rank = 0; rank < info.size; ++rank) {
      ASSERT_EQ(GetParam().translate(map.get(), rank), avrm_rankmap_word(map.get(), rank)) << "rank " << rank;
    }
  }

  static std::vector<std::int32_t> shuffled() {
    std::vector<std::int32_t> ranks(kWorldSize);
    std::iota(ranks.begin(), ranks.end(), 0);
    std::mt19937 random(1);
    for (std::size_t i = ranks.size() - 1; i > 0; --i) {
      std::swap(ranks[i], ranks[random() % (i + 1)]);
    }
    return ranks;
  }

  std::unique_ptr<avrm_instance_t, Destroyer<avrm_instance_destroy>> instance_;
  std::vector<std::unique_ptr<avrm_av_t, Destroyer<avrm_av_release>>> avs_;
};

TEST_P(DispatchStudy, DirectAgrees) {
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_direct(instance_.get(), 0, kWorldSize, &map);
  expect_agrees(status, map, AVRM_MODE_DIRECT);
}

TEST_P(DispatchStudy, OffsetAgrees) {
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_offset(instance_.get(), 1, 1000, 77, &map);
  expect_agrees(status, map, AVRM_MODE_OFFSET);
}

TEST_P(DispatchStudy, StrideAgrees) {
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_stride(instance_.get(), 0, 1000, 3, 4, &map);
  expect_agrees(status, map, AVRM_MODE_STRIDE);
}

TEST_P(DispatchStudy, NegativeStrideAgrees) {
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_stride(instance_.get(), 0, 1000, 4000, -4, &map);
  expect_agrees(status, map, AVRM_MODE_STRIDE);
}

TEST_P(DispatchStudy, BlockedAgrees) {
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_blocked(instance_.get(), 1, 1000, 5, 16, 7, &map);
  expect_agrees(status, map, AVRM_MODE_BLOCKED);
}

TEST_P(DispatchStudy, LutAgrees) {
  avrm_rankmap_t map{};
  const std::vector<std::int32_t> lpids = shuffled();
  const avrm_status_t status =
      avrm_rankmap_create_lpids(instance_.get(), 1, kWorldSize, lpids.data(), AVRM_RANKMAP_DEFAULT, &map);
  expect_agrees(status, map, AVRM_MODE_LUT);
}

TEST_P(DispatchStudy, MlutAgrees) {
  avrm_rankmap_t map{};
  std::vector<avrm_gpid_t> gpids;
  for (const std::int32_t lpid : shuffled()) {
    gpids.push_back({lpid % 2, lpid});
  }
  const avrm_status_t status =
      avrm_rankmap_create_gpids(instance_.get(), kWorldSize, gpids.data(), AVRM_RANKMAP_DEFAULT, &map);
  expect_agrees(status, map, AVRM_MODE_MLUT);
}

/// goto_nopic becomes GotoNopic.
std::string way_name(const testing::TestParamInfo<Way> &info) {
  std::string name;
  bool capital = true;
  for (const char *c = info.param.name; *c != '\0'; ++c) {
    if (*c != '_') {
      name += capital ? static_cast<char>(*c - 'a' + 'A') : *c;
    }
    capital = *c == '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Ways, DispatchStudy, testing::ValuesIn(kWays), way_name);

} // namespace
