// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A rankmap as the AV-Rankmap paper makes one, section IV-C1, written afresh, step by step:
//
//   1  the pattern of the indirect mapping array: offset, then stride with blocks, then irregular;
//      ranks that go backwards are irregular (section V-C2 has them as its lut)
//   2  parent and pattern are composed where Table II does so, and into a table elsewhere
//   3  the table is scanned as in step 1, and dropped if it has a pattern
//
// The library's strict instances compose more in step 2, always end with step 3, and have strides
// below 0.
#pragma once

#include "baseline/scheme.h"

#include <cstdint>
#include <span>
#include <vector>

namespace avrankmap::bench {

class PaperRankmap {
public:
  enum class Model { kDirect, kOffset, kStride, kLut, kMlut };

  static PaperRankmap direct(std::int32_t size) { return {Model::kDirect, size, {0, size, size}, {}}; }
  static PaperRankmap offset(std::int32_t size, std::int32_t offset) {
    return {Model::kOffset, size, {offset, size, size}, {}};
  }
  static PaperRankmap stride(std::int32_t size, std::int32_t offset, std::int32_t stride) {
    return {Model::kStride, size, {offset, stride, 1}, {}};
  }
  /// lut if all processes are of one world, else mlut.
  static PaperRankmap table(std::vector<Gpid> processes);

  /// Steps 1 and 2. `array` has ranks of this map.
  [[nodiscard]] PaperRankmap child(std::span<const std::int32_t> array) const;
  /// Step 3.
  [[nodiscard]] PaperRankmap scanned() const;

  [[nodiscard]] Model model() const { return model_; }
  [[nodiscard]] std::int32_t size() const { return size_; }
  [[nodiscard]] Gpid at(std::int32_t rank) const;
  /// "direct", "offset", "stride", "lut" or "mlut".
  [[nodiscard]] const char *label() const;

private:
  /// Rank r is process offset + r / block * stride + r % block.
  struct Pattern {
    std::int32_t offset;
    std::int32_t stride;
    std::int32_t block;

    [[nodiscard]] std::int32_t at(std::int32_t rank) const { return offset + rank / block * stride + rank % block; }
  };

  PaperRankmap(Model model, std::int32_t size, Pattern pattern, std::vector<Gpid> processes)
      : model_(model), size_(size), pattern_(pattern), processes_(std::move(processes)) {}

  /// Step 1: kLut, with no pattern, if there is none.
  static PaperRankmap detect(std::span<const std::int32_t> numbers);

  Model model_;
  std::int32_t size_;
  Pattern pattern_;
  std::vector<Gpid> processes_; ///< of a table
};

} // namespace avrankmap::bench
