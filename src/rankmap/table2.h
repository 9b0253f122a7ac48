// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Table II of the AV-Rankmap paper, to be held against the print: the mapping model of a child communicator, by the
// model of its parent (row) and the model of the indirect mapping array (column).
//
// The paper's stride model has a block size; our modes stride and blocked are both that model.
#ifndef AVRANKMAP_SRC_RANKMAP_TABLE2_H
#define AVRANKMAP_SRC_RANKMAP_TABLE2_H

#include <cstdint>

#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

// Rows, and results.
enum class Model : std::uint8_t { kDirect, kOffset, kStride, kLut, kMlut };

// Columns.
enum class ArrayModel : std::uint8_t { kDirect, kOffset, kStride, kIrregular };

struct Outcome {
  Model model;
  bool shares_table; // footnote a: no new table, the child points to the parent's
};

namespace table2 {

inline constexpr Outcome direct{Model::kDirect, false};
inline constexpr Outcome offset{Model::kOffset, false};
inline constexpr Outcome stride{Model::kStride, false};
inline constexpr Outcome lut{Model::kLut, false};
inline constexpr Outcome lut_a{Model::kLut, true};
inline constexpr Outcome mlut{Model::kMlut, false};
inline constexpr Outcome mlut_a{Model::kMlut, true};

// clang-format off
inline constexpr Outcome kTable[5][4] = {
    //              Direct  Offset  Stride  Irregular
    /* direct */ {  direct, offset, stride, lut  },
    /* offset */ {  offset, offset, stride, lut  },
    /* stride */ {  stride, lut,    lut,    lut  },
    /* lut    */ {  lut_a,  lut_a,  lut,    lut  },
    /* mlut   */ {  mlut_a, mlut_a, mlut,   mlut },
};
// clang-format on

} // namespace table2

[[nodiscard]] constexpr Outcome child_model(Model parent, ArrayModel array) noexcept {
  return table2::kTable[static_cast<int>(parent)][static_cast<int>(array)];
}

[[nodiscard]] constexpr Model model_of(avrm_mode_t mode) noexcept {
  switch (mode) {
  case AVRM_MODE_DIRECT: return Model::kDirect;
  case AVRM_MODE_OFFSET: return Model::kOffset;
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED: return Model::kStride;
  case AVRM_MODE_LUT: return Model::kLut;
  case AVRM_MODE_MLUT:
  case AVRM_MODE_SEGMENTS: // these and the following are never in strict mode
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT:
  case AVRM_MODE_CART: return Model::kMlut;
  }
  AVRM_UNREACHABLE();
  return Model::kMlut;
}

} // namespace avrankmap::detail

#endif
