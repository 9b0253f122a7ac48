// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of lpids by rank of which an instance makes a map of a certain form.
#ifndef AVRANKMAP_BENCH_SYNTHETIC_FORM_LPIDS_H
#define AVRANKMAP_BENCH_SYNTHETIC_FORM_LPIDS_H

#include <cstdint>
#include <vector>

namespace avrankmap::bench {

using Lpids = std::vector<std::int32_t>;

/// A box of nx * ny * nz processes in a grid of 32 * 32 * 32, its axes in another order.
inline Lpids box_lpids(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  Lpids lpids;
  for (std::int32_t x = 0; x < nx; ++x) {
    for (std::int32_t y = 0; y < ny; ++y) {
      for (std::int32_t z = 0; z < nz; ++z) {
        lpids.push_back((z * 32 + y) * 32 + x);
      }
    }
  }
  return lpids;
}

/// 100 blocks of 10, one in 32.
inline Lpids blocked_lpids(std::int32_t first) {
  Lpids lpids;
  for (std::int32_t i = 0; i < 1000; ++i) {
    lpids.push_back(i / 10 * 32 + i % 10 + first);
  }
  return lpids;
}

/// Runs of 1,024 with gaps that are no multiples of anything.
inline Lpids run_lpids(std::int32_t count) {
  Lpids lpids;
  for (std::int32_t run = 0; run < count; ++run) {
    for (std::int32_t i = 0; i < 1024; ++i) {
      lpids.push_back(run * 1100 + run * run + i);
    }
  }
  return lpids;
}

} // namespace avrankmap::bench

#endif
