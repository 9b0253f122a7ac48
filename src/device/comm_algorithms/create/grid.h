// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of a communicator that is a grid, with ranks in row-major order.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_GRID_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CREATE_GRID_H

#include <cstdint>

#include "avrankmap/device/comm.h"

namespace avrankmap::detail {

struct Grid {
  std::int32_t dimensions = 0;
  std::int32_t dims[AVRM_CART_MAX] = {};
  bool periods[AVRM_CART_MAX] = {};
  bool exists = false; // false: the communicator is not a grid
};

} // namespace avrankmap::detail

#endif
