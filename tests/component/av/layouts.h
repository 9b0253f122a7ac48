// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts of worlds as launchers and bulk insertion produce them, for implicit AVs.
#ifndef AVRANKMAP_TESTS_AV_LAYOUTS_H
#define AVRANKMAP_TESTS_AV_LAYOUTS_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/codec.h"
#include "tests/support/instance.h"

namespace avrankmap::test {

using Elements = std::vector<avrm_ave_t>;

struct Layout {
  const char *name;
  std::uint32_t (*node)(std::int32_t lpid);
  std::int32_t node_runs; // of 1000 processes; 0: more than there may be
};

inline std::uint32_t node_in_irregular_blocks(std::int32_t lpid) {
  // 12, then 16 each, but one of 3; then two processes to a node.
  if (lpid < 12) {
    return 7;
  }
  if (lpid < 12 + 320) {
    return 8 + static_cast<std::uint32_t>(lpid - 12) / 16;
  }
  if (lpid < 12 + 320 + 3) {
    return 28;
  }
  return 29 + static_cast<std::uint32_t>(lpid - 335) / 2;
}

inline constexpr Layout kLayouts[] = {
    {"OneNode", [](std::int32_t) { return 5U; }, 1},
    {"Block", [](std::int32_t lpid) { return static_cast<std::uint32_t>(lpid) / 16; }, 1},
    {"BlockOfOne", [](std::int32_t lpid) { return 100 + static_cast<std::uint32_t>(lpid); }, 1},
    {"BlockOfSeven", [](std::int32_t lpid) { return 0xfffffff0U + static_cast<std::uint32_t>(lpid) / 7; }, 2},
    {"Cyclic", [](std::int32_t lpid) { return static_cast<std::uint32_t>(lpid) % 63; }, 1},
    {"CyclicOverTwo", [](std::int32_t lpid) { return static_cast<std::uint32_t>(lpid) % 2; }, 1},
    {"Plane", [](std::int32_t lpid) { return 3 + static_cast<std::uint32_t>(lpid) / 4 % 20; }, 1},
    {"Irregular", node_in_irregular_blocks, 3},
    {"CyclicThenBlock",
     [](std::int32_t lpid) {
       return lpid < 500 ? static_cast<std::uint32_t>(lpid) % 50 : 50 + static_cast<std::uint32_t>(lpid - 500) / 10;
     },
     2},
    {"Scattered", [](std::int32_t lpid) { return static_cast<std::uint32_t>(lpid) / 4 * 2654435761U; }, 0},
};

struct Addressing {
  const char *name;
  avrm_ave_t (*element)(std::int32_t lpid, std::uint32_t node);
  std::int32_t word_runs; // of 1000 processes; 0: more than there may be
};

inline avrm_ave_t at_address(std::uint64_t address, std::uint32_t node) {
  avrm_ave_t ave{};
  require(avrm_ofi_pack(address, node, &ave));
  return ave;
}
inline avrm_ave_t at_far_side(avrm_far_kind_t kind, std::uint32_t local_rank, std::uint32_t node) {
  avrm_ave_t ave{};
  require(avrm_ofi_pack_far({kind, local_rank}, node, &ave));
  return ave;
}
inline std::uint64_t number(std::int32_t lpid) { return static_cast<std::uint64_t>(lpid); }

inline constexpr Addressing kAddressings[] = {
    {"Dense", [](std::int32_t lpid, std::uint32_t node) { return at_address(number(lpid), node); }, 1},
    {"DenseFromAbove",
     [](std::int32_t lpid, std::uint32_t node) { return at_address((1ULL << 40) - number(lpid), node); }, 1},
    {"EverySecond", [](std::int32_t lpid, std::uint32_t node) { return at_address(77 + 2 * number(lpid), node); }, 1},
    {"WithLocals", // of which only the others are inserted
     [](std::int32_t lpid, std::uint32_t node) {
       if (lpid < 300 || lpid >= 316) {
         return at_address(number(lpid < 300 ? lpid : lpid - 16), node);
       }
       return lpid == 305 ? at_far_side(AVRM_FAR_SELF, 0, node)
                          : at_far_side(AVRM_FAR_LOCAL, static_cast<std::uint32_t>(lpid - 300), node);
     },
     5},
    {"WithHoles", // explicitly not connected
     [](std::int32_t lpid, std::uint32_t node) {
       return lpid % 400 == 399 ? avrm_ave_t{} : at_address(number(lpid), node);
     },
     5},
    {"Scattered",
     [](std::int32_t lpid, std::uint32_t node) { return at_address(number(lpid) * 0x9e3779b97f4a7c15 >> 1, node); }, 0},
};

inline Elements elements_of(const Layout &layout, const Addressing &addressing, std::int32_t size = 1000) {
  Elements elements;
  for (std::int32_t lpid = 0; lpid < size; ++lpid) {
    elements.push_back(addressing.element(lpid, layout.node(lpid)));
  }
  return elements;
}

inline AvPtr make_implicit_av(avrm_instance_t *instance, std::int32_t size, avrm_codec_t codec = AVRM_CODEC_OFI) {
  avrm_av_options_t options{};
  options.codec = codec;
  options.kind = AVRM_AV_IMPLICIT;
  avrm_av_t *av = nullptr;
  require(avrm_av_create(instance, size, &options, &av));
  return AvPtr(av);
}

// Sets the elements in order, so many at a time.
inline void set_in_order(const AvPtr &av, const Elements &elements, std::int32_t at_a_time) {
  const auto size = static_cast<std::int32_t>(elements.size());
  for (std::int32_t first = 0; first < size; first += at_a_time) {
    require(avrm_av_set_range(av.get(), first, std::min(at_a_time, size - first),
                              elements.data() + static_cast<std::ptrdiff_t>(first)));
  }
}

inline avrm_av_info_t info_of(const AvPtr &av) {
  avrm_av_info_t info{};
  require(avrm_av_describe(av.get(), &info));
  return info;
}

inline avrm_ave_t element_of(const AvPtr &av, std::int32_t lpid) {
  avrm_ave_t ave{};
  require(avrm_av_get(av.get(), lpid, &ave));
  return ave;
}

// Whether each element is there, and nothing beyond.
inline void expect_elements(const AvPtr &av, const Elements &elements) {
  for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
    const bool set = static_cast<std::size_t>(lpid) < elements.size();
    ASSERT_EQ(element_of(av, lpid), set ? elements[static_cast<std::size_t>(lpid)] : avrm_ave_t{}) << "lpid " << lpid;
  }
}

} // namespace avrankmap::test

#endif
