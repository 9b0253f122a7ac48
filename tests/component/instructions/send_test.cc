// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a translation costs inside an MPI library: instructions of a send and a put beyond those of
// the same function with a constant address, and bytes of text.
#include "tests/component/rankmap/code/send_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "bench/counters/single_step.h"
#include "rankmap/forms/segments.h"
#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/counted.h"

namespace avrankmap::test {
namespace {

using counters::Result;
using counters::StepCount;

// Instructions of a call of the model; those of landing pads are not counted.
Result<StepCount> count_isend(avrm_test_isend_t *function, avrm_test_comm_t *comm, std::int32_t rank) {
  void *request = nullptr;
  return counters::count_call(function, [&] { function(comm, 1, 1 << 8, rank, 5, comm, &request); });
}

Result<StepCount> count_put(avrm_test_put_t *function, avrm_test_comm_t *comm, std::int32_t rank) {
  return counters::count_call(function, [&] { function(comm, 1, 1 << 8, rank, 8, 1, comm); });
}

// Instructions beyond those of the same function with a constant address.
struct Excess {
  std::int64_t isend;
  std::int64_t put;
};

// What each compiler makes of the hot path; the shared call is assembly, which is the same for all.
struct Pins {
  Excess affine;
  Excess lut;
  Excess shared; // of the shared call, around the case of affine maps
  Excess behind_none;
  Excess all_affine;
  Excess all_lut;
  Excess all_blocked;
  Excess all_mlut;
};
#if defined(__clang__)
constexpr bool kPinned = __clang_major__ == 14;
constexpr Pins kPins = {{8, 7}, {12, 11}, {26, 25}, {18, 20}, {7, 7}, {11, 11}, {14, 14}, {16, 14}};
#else
constexpr bool kPinned = __GNUC__ == 12;
constexpr Pins kPins = {{8, 7}, {11, 10}, {27, 24}, {20, 19}, {8, 7}, {12, 10}, {15, 14}, {15, 13}};
#endif

class RankmapSend : public RankmapOfEachKind {
protected:
  void SetUp() override {
#if !AVRM_I_ASM_CALL
    GTEST_SKIP() << "the counts are those of the dispatch in assembly";
#endif
    RankmapOfEachKind::SetUp();
    if (info_of(map.get()).mode == AVRM_MODE_LESS) {
      GTEST_SKIP() << "asks its AV by a call of C";
    }
    std::memcpy(reinterpret_cast<char *>(&comm) + offsetof(avrm_test_comm_t, map), map.get(),
                info_of(map.get()).own_bytes);
    comm.bases = bases;
  }

  // Budget of a form behind the shared call.
  [[nodiscard]] std::int64_t shared_budget() const {
    const avrm_rankmap_info_t info = info_of(map.get());
    return 50 + std::int64_t{5} * std::max(info.dimensions - 3, 0) + std::int64_t{8} * halvings();
  }
  // Instructions of a form behind the shared call, beyond those of affine maps there.
  [[nodiscard]] std::int64_t shared_instructions() const {
    switch (info_of(map.get()).mode) {
    case AVRM_MODE_DIRECT:
    case AVRM_MODE_OFFSET:
    case AVRM_MODE_STRIDE: return 0;
    case AVRM_MODE_LUT: return 2;
    case AVRM_MODE_BLOCKED: return 3;
    case AVRM_MODE_MLUT: return 4;
    case AVRM_MODE_CART: return 4 + std::int64_t{5} * info_of(map.get()).dimensions;
    case AVRM_MODE_SEGMENTS:
    case AVRM_MODE_LESS: break;
    }
    return map->stride >= 0 ? 18 : 21 + std::int64_t{7} * halvings();
  }
  // Of the segments among which the last rank's is searched.
  [[nodiscard]] int halvings() const {
    if (info_of(map.get()).mode != AVRM_MODE_SEGMENTS || map->stride >= 0) {
      return 0;
    }
    const std::uint32_t *const stretch = map->v.directory + ((size() - 1) >> (map->stride & 31));
    int count = 0;
    for (std::uint32_t segments = (stretch[1] - stretch[0]) / sizeof(avrm_segment_t) + 1; segments > 1;
         segments -= segments / 2) {
      ++count;
    }
    return count;
  }
  [[nodiscard]] Excess shared(Excess around) const {
    return {around.isend + shared_instructions(), around.put + shared_instructions()};
  }
  [[nodiscard]] bool is_affine() const { return map->klass == AVRM_CLASS_AFFINE; }
  [[nodiscard]] bool is_lut() const { return map->klass == AVRM_CLASS_LUT; }

  void expect_excess(const avrm_test_model_t &model, Excess pinned, std::int64_t budget) {
    const Result<StepCount> send = count_isend(model.isend, &comm, size() - 1);
    AVRM_ASSERT_COUNTED(send);
    const Result<StepCount> constant = count_isend(model.isend_to_constant, &comm, size() - 1);
    ASSERT_TRUE(constant.ok());
    expect("isend", model, *send, *constant, pinned.isend, budget);
    const Result<StepCount> one_put = count_put(model.put, &comm, size() - 1);
    const Result<StepCount> constant_put = count_put(model.put_to_constant, &comm, size() - 1);
    ASSERT_TRUE(one_put.ok() && constant_put.ok());
    expect("put", model, *one_put, *constant_put, pinned.put, budget);
  }

  static constexpr std::uint64_t bases[1 << 17] = {};
  avrm_test_comm_t comm{};

private:
  static void expect(const char *what, const avrm_test_model_t &model, const StepCount &counted,
                     const StepCount &constant, std::int64_t pinned, std::int64_t budget) {
    const auto excess = static_cast<std::int64_t>(counted.instructions - constant.instructions);
    const std::string listings =
        std::string(model.name) + ", " + what + '\n' + counted.listing() + "constant\n" + constant.listing();
    EXPECT_LE(excess, budget) << listings;
    if (kPinned) {
      EXPECT_EQ(excess, pinned) << listings;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, RankmapSend, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapSend, TakesFewInstructionsMoreThanToAConstantAddress) {
  if (is_affine()) {
    expect_excess(avrm_test_affine_lut, kPins.affine, 8);
  } else if (is_lut()) {
    expect_excess(avrm_test_affine_lut, kPins.lut, 12);
  } else {
    expect_excess(avrm_test_affine_lut, shared(kPins.shared), shared_budget());
  }
}

TEST_P(RankmapSend, BehindTheSharedCallTakesFewInstructions) {
  expect_excess(avrm_test_none, shared(kPins.behind_none), shared_budget());
}

TEST_P(RankmapSend, WithAllFormsInlineTakesFewInstructions) {
  if (info_of(map.get()).mode > AVRM_MODE_MLUT) {
    GTEST_SKIP() << "no promise";
  }
  if (is_affine()) {
    expect_excess(avrm_test_all, kPins.all_affine, 8);
  } else if (is_lut()) {
    expect_excess(avrm_test_all, kPins.all_lut, 12);
  } else if (map->klass == AVRM_CLASS_BLOCKED) {
    expect_excess(avrm_test_all, kPins.all_blocked, 15);
  } else {
    expect_excess(avrm_test_all, kPins.all_mlut, 16);
  }
}

// The bytes of a translation: those by which a function grows that has one or two more.
TEST(RankmapSendText, IsShort) {
#if !AVRM_I_ASM_CALL
  GTEST_SKIP() << "no promise";
#endif
  struct {
    const avrm_test_model_t &model;
    std::size_t most;
  } const cases[] = {{avrm_test_none, 32},  {avrm_test_affine, 56},        {avrm_test_affine_lut, 96},
                     {avrm_test_all, 1024}, {avrm_test_affine_framed, 56}, {avrm_test_affine_lut_framed, 96}};
  for (const auto &c : cases) {
    EXPECT_LE(c.model.text(1) - c.model.text(0), c.most) << c.model.name;
    EXPECT_LE(c.model.text(2) - c.model.text(1), c.most) << c.model.name;
  }
}

} // namespace
} // namespace avrankmap::test
