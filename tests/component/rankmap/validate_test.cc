// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// avrm_rankmap_validate: sound maps pass, and each fault that a copy of a map can be given is found
// and named. Copies are plain structs: they are never destroyed, and tables are copied into memory
// of the test before they are touched.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "rankmap/forms/lut.h"
#include "rankmap/forms/mlut.h"
#include "tests/component/rankmap/one_of_each.h"

namespace avrankmap::test {
namespace {

// A copy of a map's own bytes, and, of a cart, of its dimensions with what lies before them.
struct Copy {
  explicit Copy(const avrm_rankmap_t *original) : map(*original) {
    if (map.mode == AVRM_MODE_CART) {
      const std::size_t bytes = info_of(original).table_bytes;
      const std::size_t header = bytes - (static_cast<std::size_t>(map.as.cart.count) - 1) * sizeof(avrm_cart_t);
      std::memcpy(dimensions, reinterpret_cast<const char *>(original->as.cart.dimensions) - header, bytes);
      map.as.cart.dimensions = reinterpret_cast<const avrm_cart_t *>(dimensions + header);
    }
  }
  avrm_rankmap_t map;
  alignas(avrm_cart_t) char dimensions[8 + 7 * sizeof(avrm_cart_t)];
};

using RankmapSound = RankmapOfEachKind;

INSTANTIATE_TEST_SUITE_P(All, RankmapSound, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapSound, BoundMapIsSound) {
  const char *reason = "untouched";
  EXPECT_TRUE(avrm_rankmap_validate(map.get(), &reason));
  EXPECT_EQ(reason, nullptr);
}

TEST_P(RankmapSound, UnboundMapIsSound) {
  require(avrm_rankmap_unbind(map.get()));
  EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
}

TEST_P(RankmapSound, ReasonMayBeNull) {
  Copy copy(map.get());
  copy.map.size = 0;
  EXPECT_FALSE(avrm_rankmap_validate(&copy.map, nullptr));
}

TEST_P(RankmapSound, SizeBelowOneIsFound) {
  Copy copy(map.get());
  for (const std::int32_t size : {0, -1, kIntMin}) {
    copy.map.size = size;
    EXPECT_FALSE(avrm_rankmap_validate(&copy.map, nullptr));
  }
}

TEST_P(RankmapSound, AnotherClassIsFound) {
  for (int klass = 0; klass <= 255; ++klass) {
    Copy copy(map.get());
    copy.map.klass = static_cast<std::uint8_t>(klass);
    EXPECT_EQ(avrm_rankmap_validate(&copy.map, nullptr), klass == map->klass) << klass;
  }
}

TEST_P(RankmapSound, UnknownModeIsFound) {
  Copy copy(map.get());
  copy.map.mode = AVRM_MODE_LESS + 1;
  EXPECT_FALSE(avrm_rankmap_validate(&copy.map, nullptr));
}

TEST_P(RankmapSound, BindingToNothingIsFound) {
  if (map->mode == AVRM_MODE_LESS) {
    GTEST_SKIP() << "asks its AV";
  }
  Copy copy(map.get());
  copy.map.at.word = 0;
  EXPECT_FALSE(avrm_rankmap_validate(&copy.map, nullptr));
}

// ---- the texts ----

// Copies of maps; each test breaks one field.
class RankmapFault : public testing::Test {
protected:
  ThreeWorlds worlds;
  MapPtr direct = make_direct(worlds.instance, 10);
  MapPtr offset = make_offset(worlds.instance, 10, 5);
  MapPtr stride = make_stride(worlds.instance, 10, 50, -5);
  MapPtr blocked = make_blocked(worlds.instance, 10, 5, 8, 4);
  MapPtr lut = make_lpids(worlds.instance, {4, 0, 9, 2});
  MapPtr mlut = make_gpids(worlds.instance, {{0, 3}, {2, 7}, {0, 1}});

  template <typename Break> static std::string fault_of(const avrm_rankmap_t &map, Break break_it) {
    avrm_rankmap_t copy = map;
    break_it(copy);
    const char *reason = nullptr;
    EXPECT_FALSE(avrm_rankmap_validate(&copy, &reason));
    return reason == nullptr ? "no reason" : reason;
  }

  // The same with a copy of the table to break.
  template <typename Break> static std::string lut_fault(const MapPtr &map, Break break_it) {
    const detail::LutHeader *const header = detail::lut_header(map.get());
    std::vector<std::uint64_t> words(detail::lut_bytes(header->count) / 8 + 1);
    std::memcpy(words.data(), static_cast<const void *>(header), detail::lut_bytes(header->count));
    return fault_of(*map, [&](avrm_rankmap_t &copy) {
      auto *const own = reinterpret_cast<detail::LutHeader *>(words.data());
      auto *const entries = reinterpret_cast<std::uint32_t *>(own + 1);
      copy.as.lut.lpids = entries + copy.as.lut.first;
      break_it(copy, *own, entries);
    });
  }
  template <typename Break> static std::string mlut_fault(const MapPtr &map, Break break_it) {
    const detail::MlutHeader *const header = detail::mlut_header(map.get());
    const std::size_t before = static_cast<std::size_t>(header->slots) * 16;
    std::vector<std::uint64_t> words(detail::mlut_bytes(header->count, header->slots) / 8);
    std::memcpy(words.data(), static_cast<const void *>(detail::mlut_tables(map.get())), words.size() * 8);
    return fault_of(*map, [&](avrm_rankmap_t &copy) {
      auto *const own = reinterpret_cast<detail::MlutHeader *>(reinterpret_cast<char *>(words.data()) + before);
      auto *const entries = reinterpret_cast<avrm_pair_t *>(own + 1);
      copy.as.mlut.pairs = entries + copy.as.mlut.first;
      copy.as.mlut.pgids = detail::mlut_pgids(&copy);
      break_it(copy, *own, entries);
    });
  }
};

TEST_F(RankmapFault, NullMap) {
  const char *reason = nullptr;
  EXPECT_FALSE(avrm_rankmap_validate(nullptr, &reason));
  EXPECT_STREQ(reason, "the map is null");
}

TEST_F(RankmapFault, SizeOrInstance) {
  EXPECT_EQ(fault_of(*direct, [](avrm_rankmap_t &map) { map.size = -1; }), "the size or the instance is invalid");
  EXPECT_EQ(fault_of(*lut, [](avrm_rankmap_t &map) { map.size = 0; }), "the size or the instance is invalid");
  EXPECT_EQ(fault_of(*lut, [](avrm_rankmap_t &map) { map.instance = nullptr; }), "the size or the instance is invalid");
}

TEST_F(RankmapFault, Binding) {
  const char *const text = "the binding is invalid";
  EXPECT_EQ(fault_of(*direct, [](avrm_rankmap_t &map) { map.bound = 1; }), text);
  EXPECT_EQ(fault_of(*lut, [](avrm_rankmap_t &map) { map.bound = 2; }), text);
  EXPECT_EQ(fault_of(*mlut, [](avrm_rankmap_t &map) { map.at.base = reinterpret_cast<const char *>(&map); }), text);
}

TEST_F(RankmapFault, UnknownMode) {
  EXPECT_EQ(fault_of(*direct, [](avrm_rankmap_t &map) { map.mode = AVRM_MODE_LESS + 1; }), "the mode is unknown");
  EXPECT_EQ(fault_of(*direct, [](avrm_rankmap_t &map) { map.mode = 255; }), "the mode is unknown");
}

TEST_F(RankmapFault, PgidOfARegularMap) {
  EXPECT_EQ(fault_of(*stride, [](avrm_rankmap_t &map) { map.pgid = -1; }),
            "the pgid of a single-group map is negative");
}

TEST_F(RankmapFault, StrideOrBlock) {
  const char *const text = "a regular map has a stride of zero or a block below one";
  EXPECT_EQ(fault_of(*stride, [](avrm_rankmap_t &map) { map.as.affine.stride = 0; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.block = 0; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.block = -1; }), text);
}

TEST_F(RankmapFault, ModeThatIsNotTheSimplest) {
  const char *const text = "the mode is not the simplest that holds";
  EXPECT_EQ(fault_of(*offset, [](avrm_rankmap_t &map) { map.offset = 0; }), text);
  EXPECT_EQ(fault_of(*direct, [](avrm_rankmap_t &map) { map.offset = 1; }), text);
  EXPECT_EQ(fault_of(*stride, [](avrm_rankmap_t &map) { map.as.affine.stride = 1; }), text);
  EXPECT_EQ(fault_of(*offset, [](avrm_rankmap_t &map) { map.mode = AVRM_MODE_STRIDE; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.stride = map.as.blocked.block; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.block = map.size; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.size = map.as.blocked.block; }), text);
}

TEST_F(RankmapFault, LpidOfARegularMap) {
  const char *const text = "an lpid is out of range";
  EXPECT_EQ(fault_of(*offset, [](avrm_rankmap_t &map) { map.offset = -1; }), text);
  EXPECT_EQ(fault_of(*offset, [](avrm_rankmap_t &map) { map.offset = kLastLpid - 8; }), text);
  EXPECT_EQ(fault_of(*stride, [](avrm_rankmap_t &map) { map.size = 12; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.offset = kLastLpid; }), text);
}

TEST_F(RankmapFault, ClassOfARegularMap) {
  const char *const text = "the class does not match the mode";
  EXPECT_EQ(fault_of(*direct, [](avrm_rankmap_t &map) { map.klass = AVRM_CLASS_BLOCKED; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.klass = AVRM_CLASS_AFFINE; }), text);
}

TEST_F(RankmapFault, Step) {
  EXPECT_EQ(fault_of(*stride, [](avrm_rankmap_t &map) { map.as.affine.step += 12; }),
            "the step in bytes does not match the stride");
}

TEST_F(RankmapFault, Reciprocal) {
  const char *const text = "the reciprocal does not match the block";
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.reciprocal = 0; }), text);
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.reciprocal /= 2; }), text);
}

// Too small by one: right for the last rank, wrong for the first one of each block.
TEST_F(RankmapFault, ReciprocalThatIsWrongForSomeRanksOnly) {
  EXPECT_EQ(fault_of(*blocked, [](avrm_rankmap_t &map) { map.as.blocked.reciprocal -= 1; }),
            "the reciprocal does not match the block");
}

TEST_F(RankmapFault, ClassOrPgidOfALut) {
  const char *const text = "the class or the pgid does not match a lut";
  EXPECT_EQ(fault_of(*lut, [](avrm_rankmap_t &map) { map.klass = AVRM_CLASS_MLUT; }), text);
  EXPECT_EQ(fault_of(*lut, [](avrm_rankmap_t &map) { map.pgid = -1; }), text);
}

TEST_F(RankmapFault, LutTableWithoutSharer) {
  EXPECT_EQ(lut_fault(lut, [](avrm_rankmap_t &, detail::LutHeader &header, std::uint32_t *) { header.sharers = 0; }),
            "the table has no sharer");
}

TEST_F(RankmapFault, PartOutsideTheLut) {
  const char *const text = "the part is not inside the table";
  EXPECT_EQ(fault_of(*lut, [](avrm_rankmap_t &map) { map.size = 5; }), text);
  EXPECT_EQ(fault_of(*lut,
                     [](avrm_rankmap_t &map) {
                       map.as.lut.first += 1; // the map ends one beyond the end of the table
                       map.as.lut.lpids += 1;
                     }),
            text);
}

TEST_F(RankmapFault, LpidOfALutAboveTheGreatest) {
  EXPECT_EQ(lut_fault(lut, [](avrm_rankmap_t &, detail::LutHeader &, std::uint32_t *entries) { entries[3] = 10; }),
            "an lpid is out of range");
}

TEST_F(RankmapFault, NegativeLpidOfALut) {
  EXPECT_EQ(lut_fault(lut, [](avrm_rankmap_t &, detail::LutHeader &, std::uint32_t *entries) { entries[0] = ~0U; }),
            "an lpid is out of range");
}

TEST_F(RankmapFault, GreatestLpidOfALut) {
  EXPECT_EQ(
      lut_fault(lut, [](avrm_rankmap_t &, detail::LutHeader &header, std::uint32_t *) { header.max_lpid = kIntMax; }),
      "an lpid is out of range");
}

TEST_F(RankmapFault, ClassOrPgidOfAnMlut) {
  const char *const text = "the class or the pgid does not match an mlut";
  EXPECT_EQ(fault_of(*mlut, [](avrm_rankmap_t &map) { map.klass = AVRM_CLASS_LUT; }), text);
  EXPECT_EQ(fault_of(*mlut, [](avrm_rankmap_t &map) { map.pgid = 0; }), text);
}

TEST_F(RankmapFault, MlutTableWithoutSharer) {
  EXPECT_EQ(mlut_fault(mlut, [](avrm_rankmap_t &, detail::MlutHeader &header, avrm_pair_t *) { header.sharers = 0; }),
            "the table has no sharer");
}

TEST_F(RankmapFault, ProcessGroupsOfAnMlut) {
  const char *const text = "the list of process groups is invalid";
  EXPECT_EQ(mlut_fault(mlut, [](avrm_rankmap_t &, detail::MlutHeader &header, avrm_pair_t *) { header.slots = 1; }),
            text);
  EXPECT_EQ(fault_of(*mlut, [](avrm_rankmap_t &map) { map.as.mlut.pgids += 1; }), text);
}

TEST_F(RankmapFault, PartOutsideTheMlut) {
  EXPECT_EQ(fault_of(*mlut, [](avrm_rankmap_t &map) { map.size = 4; }), "the part is not inside the table");
}

TEST_F(RankmapFault, SlotOfAPair) {
  EXPECT_EQ(mlut_fault(mlut, [](avrm_rankmap_t &, detail::MlutHeader &, avrm_pair_t *pairs) { pairs[2].slot = 2; }),
            "a pair is out of range");
}

TEST_F(RankmapFault, LpidOfAPairAboveTheGreatestOfItsGroup) {
  EXPECT_EQ(mlut_fault(mlut, [](avrm_rankmap_t &, detail::MlutHeader &, avrm_pair_t *pairs) { pairs[2].lpid = 4; }),
            "a pair is out of range");
}

} // namespace
} // namespace avrankmap::test
