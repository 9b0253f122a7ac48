// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// What the baselines cost: instructions of a translation by mode, and bytes of communicators. They
// are pinned, so that nobody makes an opponent slower or larger without noticing. Sizes of
// structures are asserted in their headers.
#include "baseline/baselines.h"
#include "component/translation/instruction_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace avrankmap::bench {
namespace {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && defined(__OPTIMIZE__)
constexpr bool kPinned = true;
#else
constexpr bool kPinned = false;
#endif

constexpr std::array kModes = {"direct", "offset", "stride", "blocked", "lut", "mlut"};

struct Path {
  const char *name;                          ///< as in InstructionCount
  std::array<std::uint64_t, 6> instructions; ///< by kModes
};
std::ostream &operator<<(std::ostream &out, const Path &path) { return out << path.name; }

class BaselineInstructions : public testing::TestWithParam<Path> {};

TEST_P(BaselineInstructions, AreThosePinned) {
  if (!kPinned) {
    GTEST_SKIP() << "the counts are those of gcc 12, optimised";
  }
  std::string why_not;
  const auto counts = count_instructions_of_all([&](const std::string &note) { why_not = note; });
  if (counts.empty()) {
    GTEST_SKIP() << why_not;
  }
  std::array<std::uint64_t, 6> here{};
  for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
    const auto count = std::find_if(counts.begin(), counts.end(), [&](const InstructionCount &c) {
      return c.path == GetParam().name && c.mode == kModes[mode];
    });
    ASSERT_NE(count, counts.end()) << kModes[mode];
    here[mode] = count->instructions;
  }
  EXPECT_EQ(here, GetParam().instructions);
}

INSTANTIATE_TEST_SUITE_P(Of, BaselineInstructions,
                         testing::ValuesIn(std::to_array<Path>({
                             {"dispatch/switch", {12, 12, 12, 18, 14, 17}},
                             {"dispatch/hybrid", {8, 10, 12, 25, 16, 21}},
                             {"dispatch/goto", {8, 8, 8, 14, 10, 13}},
                             {"dispatch/goto_called", {12, 12, 12, 18, 14, 17}},
                             {"vc-vcrt", {4, 4, 4, 4, 4, 4}},
                             {"mpich4", {13, 14, 15, 23, 16, 19}},
                             {"mpich5", {15, 15, 15, 15, 15, 15}},
                             {"ompi", {8, 8, 8, 8, 8, 8}},
                             {"ompi-sparse", {29, 29, 30, 581, 11, 11}},
                             {"raw", {3, 3, 3, 3, 3, 3}},
                         })),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::erase_if(name, [](char c) { return c == '/' || c == '-' || c == '_'; });
                           return name;
                         });

constexpr std::int32_t kWorld = 1024;

/// Bytes of what a scheme allocates, one after the other.
struct Bytes {
  std::uint64_t world; ///< addresses of 1,024 processes
  std::uint64_t direct;
  std::uint64_t offset;  ///< of 512 ranks
  std::uint64_t stride;  ///< of 512 ranks
  std::uint64_t blocked; ///< of 512 ranks
  std::uint64_t lut;     ///< of 512 ranks
  std::uint64_t mlut;    ///< of 64 ranks of two worlds
  bool operator==(const Bytes &) const = default;
};
void PrintTo(const Bytes &bytes, std::ostream *out) {
  *out << "{" << bytes.world << ", " << bytes.direct << ", " << bytes.offset << ", " << bytes.stride << ", "
       << bytes.blocked << ", " << bytes.lut << ", " << bytes.mlut << "}";
}

template <class S> Bytes bytes_of() {
  S scheme;
  std::vector<typename S::Comm> comms; // goes before the scheme
  comms.reserve(8);
  const auto added = [&](auto make) {
    const std::uint64_t before = scheme.bytes();
    make();
    return scheme.bytes() - before;
  };
  const auto child = [&](auto rank_of) {
    std::vector<std::int32_t> ranks(kWorld / 2);
    for (std::int32_t rank = 0; rank < kWorld / 2; ++rank) {
      ranks[static_cast<std::size_t>(rank)] = rank_of(rank);
    }
    return added([&] { comms.push_back(scheme.make_child(comms.front(), ranks)); });
  };
  Bytes bytes{};
  bytes.world = added([&] { scheme.add_world(kWorld); });
  bytes.direct = added([&] { comms.push_back(scheme.make_world(0)); });
  bytes.offset = child([](std::int32_t rank) { return rank + 100; });
  bytes.stride = child([](std::int32_t rank) { return 2 * rank; });
  bytes.blocked = child([](std::int32_t rank) { return rank / 4 * 8 + rank % 4; });
  bytes.lut = child([](std::int32_t rank) { return rank * 37 % kWorld; });
  scheme.add_world(kWorld);
  std::vector<Gpid> merged;
  for (std::int32_t rank = 0; rank < 64; ++rank) {
    merged.push_back({rank % 2, rank * 37 % kWorld});
  }
  bytes.mlut = added([&] { comms.push_back(scheme.make_merged(merged)); });
  return bytes;
}

TEST(BaselineBytes, OfVcVcrtAreThosePinned) {
  EXPECT_EQ(bytes_of<VcVcrt>(), (Bytes{491584, 8208, 4112, 4112, 4112, 4112, 528}));
}
TEST(BaselineBytes, OfMpich4AreThosePinned) {
  EXPECT_EQ(bytes_of<Mpich4>(), (Bytes{73744, 40, 40, 40, 40, 2096, 560}));
}
TEST(BaselineBytes, OfMpich4WithUcxAreThosePinned) {
  EXPECT_EQ(bytes_of<Mpich4Ucx>(), (Bytes{16400, 40, 40, 40, 40, 2096, 560}));
}
TEST(BaselineBytes, OfMpich5AreThosePinned) {
  EXPECT_EQ(bytes_of<Mpich5>(), (Bytes{32800, 56, 56, 56, 4152, 4152, 568}));
}
TEST(BaselineBytes, OfOmpiSparseAreThosePinned) {
  EXPECT_EQ(bytes_of<OmpiSparse>(), (Bytes{172032, 8280, 96, 88, 216, 4184, 600}));
}
TEST(BaselineBytes, OfRawAreThosePinned) { EXPECT_EQ(bytes_of<Raw>(), (Bytes{0, 8208, 4112, 4112, 4112, 4112, 528})); }

} // namespace
} // namespace avrankmap::bench
