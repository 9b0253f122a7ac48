// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/paper_rankmap.h"

#include <algorithm>
#include <array>
#include <utility>

namespace avrankmap::bench {

PaperRankmap PaperRankmap::table(std::vector<Gpid> processes) {
  const bool mixed = std::any_of(processes.begin(), processes.end(),
                                 [&](const Gpid &process) { return process.pgid != processes.front().pgid; });
  const auto size = static_cast<std::int32_t>(processes.size());
  return {mixed ? Model::kMlut : Model::kLut, size, {}, std::move(processes)};
}

PaperRankmap PaperRankmap::detect(std::span<const std::int32_t> numbers) {
  const auto size = static_cast<std::int32_t>(numbers.size());
  if (size == 0) {
    return direct(0);
  }
  const auto has = [&](const Pattern &pattern) {
    std::int32_t rank = 0;
    while (rank < size && numbers[static_cast<std::size_t>(rank)] == pattern.at(rank)) {
      ++rank;
    }
    return rank == size;
  };
  const std::int32_t first = numbers.front();
  if (has({first, size, size})) {
    return first == 0 ? direct(size) : offset(size, first);
  }
  std::int32_t block = 1;
  while (numbers[static_cast<std::size_t>(block)] == first + block) {
    ++block;
  }
  const Pattern blocks{first, numbers[static_cast<std::size_t>(block)] - first, block};
  return blocks.stride > 0 && has(blocks) ? PaperRankmap(Model::kStride, size, blocks, {})
                                          : PaperRankmap(Model::kLut, size, {}, {});
}

PaperRankmap PaperRankmap::child(std::span<const std::int32_t> array) const {
  const PaperRankmap pattern = detect(array);
  const bool is_regular = pattern.model_ != Model::kLut;
  if (is_regular && (model_ == Model::kDirect || model_ == Model::kOffset)) {
    PaperRankmap composed = pattern;
    composed.pattern_.offset += pattern_.offset;
    if (composed.model_ == Model::kDirect) {
      composed.model_ = model_;
    }
    return composed;
  }
  if (pattern.model_ == Model::kDirect && model_ == Model::kStride) {
    return {Model::kStride, pattern.size_, pattern_, {}};
  }
  std::vector<Gpid> processes;
  for (const std::int32_t rank : array) {
    processes.push_back(at(rank));
  }
  PaperRankmap child = table(std::move(processes));
  child.model_ = model_ == Model::kMlut ? Model::kMlut : child.model_;
  return child;
}

PaperRankmap PaperRankmap::scanned() const {
  if (model_ != Model::kLut || processes_.empty() || processes_.front().pgid != 0) {
    return *this;
  }
  std::vector<std::int32_t> numbers;
  for (const Gpid &process : processes_) {
    numbers.push_back(process.lpid);
  }
  PaperRankmap found = detect(numbers);
  return found.model_ == Model::kLut ? *this : found;
}

Gpid PaperRankmap::at(std::int32_t rank) const {
  return processes_.empty() ? Gpid{0, pattern_.at(rank)} : processes_[static_cast<std::size_t>(rank)];
}

const char *PaperRankmap::label() const {
  constexpr std::array kLabels = {"direct", "offset", "stride", "lut", "mlut"};
  return kLabels.at(static_cast<std::size_t>(model_));
}

} // namespace avrankmap::bench
