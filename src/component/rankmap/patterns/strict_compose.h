// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Composition in strict mode: the mapping model of a child communicator, given the model of its
// parent (row) and the model of the indirect mapping array (column). The table has the layout of
// Table II of the AV-Rankmap paper, so that the two can be compared.
//
// The paper's stride model has a block size; our modes stride and blocked both correspond to it.
#ifndef AVRANKMAP_SRC_RANKMAP_PATTERNS_STRICT_COMPOSE_H
#define AVRANKMAP_SRC_RANKMAP_PATTERNS_STRICT_COMPOSE_H

#include <cstdint>

namespace avrankmap::detail {

// Rows of the table, and results.
enum class Model : std::uint8_t { kDirect, kOffset, kStride, kLut, kMlut };

// Columns of the table.
enum class ArrayModel : std::uint8_t { kDirect, kOffset, kStride, kIrregular };

struct Outcome {
  Model model;
  bool shares_table; // footnote a: the child refers to the parent's table
};

namespace strict {

inline constexpr Outcome direct{Model::kDirect, false};
inline constexpr Outcome offset{Model::kOffset, false};
inline constexpr Outcome stride{Model::kStride, false};
inline constexpr Outcome lut{Model::kLut, false};
inline constexpr Outcome lut_a{Model::kLut, true};
inline constexpr Outcome mlut{Model::kMlut, false};
inline constexpr Outcome mlut_a{Model::kMlut, true};

// clang-format off
inline constexpr Outcome kChildModels[5][4] = {
    //              Direct  Offset  Stride  Irregular
    /* direct */ {  direct, offset, stride, lut  },
    /* offset */ {  offset, offset, stride, lut  },
    /* stride */ {  stride, lut,    lut,    lut  },
    /* lut    */ {  lut_a,  lut_a,  lut,    lut  },
    /* mlut   */ {  mlut_a, mlut_a, mlut,   mlut },
};
// clang-format on

} // namespace strict

[[nodiscard]] constexpr Outcome child_model(Model parent, ArrayModel array) noexcept {
  return strict::kChildModels[static_cast<int>(parent)][static_cast<int>(array)];
}

} // namespace avrankmap::detail

#endif
