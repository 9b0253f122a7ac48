// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/grid.h"

#include <cstddef>
#include <stdexcept>

namespace avrankmap::bench {

Box box_of_power(int power) {
  Box box{1, 1, 1};
  for (int i = 0; i < power; ++i) {
    box[static_cast<std::size_t>(i % 3)] *= 2;
  }
  return box;
}

Box divide(const Box &whole, std::int32_t processes) {
  Box parts = whole;
  Box sides{1, 1, 1};
  std::int32_t left = processes;
  for (std::int32_t factor = 2; left > 1; ++factor) {
    while (left > 1 && left % factor == 0) {
      std::size_t longest = 3;
      for (std::size_t d = 0; d < 3; ++d) {
        if (parts[d] % factor == 0 && (longest == 3 || parts[d] > parts[longest])) {
          longest = d;
        }
      }
      if (longest == 3) {
        throw std::invalid_argument("the processes do not divide the box");
      }
      parts[longest] /= factor;
      sides[longest] *= factor;
      left /= factor;
    }
  }
  return sides;
}

Grid::Grid(const Box &sides, std::int32_t rank, bool periodic)
    : sides_(sides), place_{rank % sides[0], rank / sides[0] % sides[1], rank / sides[0] / sides[1]},
      periodic_(periodic) {}

std::int32_t Grid::neighbour(int dimension, int side) const {
  const auto d = static_cast<std::size_t>(dimension);
  Box there = place_;
  there[d] += side == 0 ? -1 : 1;
  if (there[d] < 0 || there[d] == sides_[d]) {
    if (!periodic_) {
      return kNobody;
    }
    there[d] = (there[d] + sides_[d]) % sides_[d];
  }
  return there[0] + sides_[0] * (there[1] + sides_[1] * there[2]);
}

} // namespace avrankmap::bench
