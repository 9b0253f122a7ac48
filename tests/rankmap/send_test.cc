// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a translation costs inside an MPI library: instructions of a send and a put beyond those of
// the same function with a constant address, and bytes of text.
#include "tests/rankmap/send_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bench/counters/single_step.h"
#include "tests/av/layouts.h"
#include "tests/rankmap/one_of_each.h"
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

class RankmapSend : public RankmapOfEachKind {
protected:
  void SetUp() override {
#if defined(AVRM_NO_ASM) || defined(__clang__)
    GTEST_SKIP() << "the limits are those of gcc's code, with the dispatch in assembly";
#endif
    RankmapOfEachKind::SetUp();
    std::memcpy(reinterpret_cast<char *>(&comm) + offsetof(avrm_test_comm_t, map), map.get(),
                info_of(map.get()).own_bytes);
    comm.bases = bases;
  }

  // The limit of a form behind the shared call.
  [[nodiscard]] std::int64_t cold_limit() const {
    const avrm_rankmap_info_t info = info_of(map.get());
    std::int64_t limit = 50 + std::int64_t{5} * std::max(info.dimensions - 3, 0);
    for (std::int32_t segments = info.segments; segments > 1; segments -= segments / 2) {
      limit += 8; // per halving
    }
    return limit;
  }
  [[nodiscard]] bool is_affine() const { return map->klass == AVRM_CLASS_AFFINE; }
  [[nodiscard]] bool is_lut() const { return map->klass == AVRM_CLASS_LUT; }

  void expect_excess(const avrm_test_model_t &model, std::int64_t isend, std::int64_t put) {
    const Result<StepCount> send = count_isend(model.isend, &comm, size() - 1);
    AVRM_ASSERT_COUNTED(send);
    const Result<StepCount> constant = count_isend(model.isend_to_constant, &comm, size() - 1);
    ASSERT_TRUE(constant.ok());
    EXPECT_LE(static_cast<std::int64_t>(send->instructions - constant->instructions), isend)
        << model.name << '\n'
        << send->listing() << "constant\n"
        << constant->listing();
    const Result<StepCount> one_put = count_put(model.put, &comm, size() - 1);
    const Result<StepCount> constant_put = count_put(model.put_to_constant, &comm, size() - 1);
    ASSERT_TRUE(one_put.ok() && constant_put.ok());
    EXPECT_LE(static_cast<std::int64_t>(one_put->instructions - constant_put->instructions), put)
        << model.name << '\n'
        << one_put->listing() << "constant\n"
        << constant_put->listing();
  }

  static constexpr std::uint64_t bases[1 << 17] = {};
  avrm_test_comm_t comm{};
};

INSTANTIATE_TEST_SUITE_P(All, RankmapSend, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapSend, TakesFewInstructionsMoreThanToAConstantAddress) {
  if (is_affine()) {
    expect_excess(avrm_test_affine_lut, 9, 8);
  } else if (is_lut()) {
    expect_excess(avrm_test_affine_lut, 15, 12);
  } else {
    expect_excess(avrm_test_affine_lut, cold_limit(), cold_limit());
  }
}

TEST_P(RankmapSend, BehindTheSharedCallTakesFewInstructions) {
  expect_excess(avrm_test_none, cold_limit(), cold_limit());
}

TEST_P(RankmapSend, WithAllFormsInlineTakesFewInstructions) {
  if (info_of(map.get()).mode > AVRM_MODE_MLUT) {
    GTEST_SKIP() << "no promise";
  }
  if (is_affine()) {
    expect_excess(avrm_test_all, 9, 8);
  } else if (is_lut()) {
    expect_excess(avrm_test_all, 15, 13);
  } else {
    expect_excess(avrm_test_all, 19, 17);
  }
}

// The bytes of a translation: those by which a function grows that has one or two more.
TEST(RankmapSendText, IsShort) {
#if defined(AVRM_NO_ASM) || !defined(__x86_64__)
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
