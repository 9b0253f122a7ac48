// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every process has a block of cells, with a halo of one cell around it. In each step it changes
// all of them, gets its halo from its neighbours and compares it with what they must have by now.
#include <array>
#include <vector>

#include "avrankmap/device/comm.h"
#include "avrankmap/dims.h"
#include "tests/device/programs/programs.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kRows = 12;
constexpr std::int32_t kColumns = 300; // rows are long messages, columns have gaps
constexpr std::size_t kPitch = kColumns + 2;

// What the cell at this place of the whole grid contains after a step.
std::int64_t content_of(std::int64_t row, std::int64_t column, int step) {
  return (row * 1000003 + column) * 1000 + step;
}

class Block {
public:
  explicit Block(const Process &process) : cells_((kRows + 2) * kPitch) {
    AVRM_MUST(avrm_dims_create(process.size, 2, dims_.data()) == AVRM_OK);
    const std::array<std::int32_t, 2> periods{1, 1};
    AVRM_MUST(avrm_cart_create(process.world, 2, dims_.data(), periods.data(), false, &grid_) == AVRM_OK);
    AVRM_MUST(avrm_cart_coords(grid_, avrm_comm_rank(grid_), place_.data()) == AVRM_OK);
  }
  ~Block() { AVRM_MUST(avrm_comm_free(grid_) == AVRM_OK); }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  void compute(int step) {
    for (std::int32_t row = 1; row <= kRows; ++row) {
      for (std::int32_t column = 1; column <= kColumns; ++column) {
        at(row, column) = expected(row, column, step);
      }
    }
  }

  void exchange() {
    const avrm_layout_t row{kColumns * sizeof(std::int64_t), 1, 0};
    const avrm_layout_t column{sizeof(std::int64_t), kRows, kPitch * sizeof(std::int64_t)};
    std::array<avrm_request_t *, 8> requests{};
    receive(&at(0, 1), row, neighbour(-1, 0), 1, &requests[0]);
    receive(&at(kRows + 1, 1), row, neighbour(1, 0), 2, &requests[1]);
    receive(&at(1, 0), column, neighbour(0, -1), 3, &requests[2]);
    receive(&at(1, kColumns + 1), column, neighbour(0, 1), 4, &requests[3]);
    send(&at(kRows, 1), row, neighbour(1, 0), 1, &requests[4]);
    send(&at(1, 1), row, neighbour(-1, 0), 2, &requests[5]);
    send(&at(1, kColumns), column, neighbour(0, 1), 3, &requests[6]);
    send(&at(1, 1), column, neighbour(0, -1), 4, &requests[7]);
    AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests.size()), requests.data(), nullptr) == AVRM_OK);
  }

  void verify(int step) {
    for (std::int32_t column = 1; column <= kColumns; ++column) {
      AVRM_MUST(at(0, column) == expected(0, column, step));
      AVRM_MUST(at(kRows + 1, column) == expected(kRows + 1, column, step));
    }
    for (std::int32_t row = 1; row <= kRows; ++row) {
      AVRM_MUST(at(row, 0) == expected(row, 0, step));
      AVRM_MUST(at(row, kColumns + 1) == expected(row, kColumns + 1, step));
    }
  }

private:
  std::int64_t &at(std::int32_t row, std::int32_t column) {
    return cells_[static_cast<std::size_t>(row) * kPitch + static_cast<std::size_t>(column)];
  }

  // Places in the whole grid wrap around.
  std::int64_t expected(std::int32_t row, std::int32_t column, int step) const {
    const std::int32_t rows = dims_[0] * kRows;
    const std::int32_t columns = dims_[1] * kColumns;
    return content_of((place_[0] * kRows + row - 1 + rows) % rows,
                      (place_[1] * kColumns + column - 1 + columns) % columns, step);
  }

  std::int32_t neighbour(std::int32_t down, std::int32_t right) const {
    const std::array<std::int32_t, 2> place{place_[0] + down, place_[1] + right};
    std::int32_t rank = 0;
    AVRM_MUST(avrm_cart_rank(grid_, place.data(), &rank) == AVRM_OK);
    return rank;
  }

  void send(const std::int64_t *from, const avrm_layout_t &layout, std::int32_t dest, std::int32_t tag,
            avrm_request_t **request_p) {
    AVRM_MUST(avrm_isend_strided(grid_, from, &layout, dest, tag, request_p) == AVRM_OK);
  }
  void receive(std::int64_t *to, const avrm_layout_t &layout, std::int32_t source, std::int32_t tag,
               avrm_request_t **request_p) {
    AVRM_MUST(avrm_irecv_strided(grid_, to, &layout, source, tag, request_p) == AVRM_OK);
  }

  std::vector<std::int64_t> cells_;
  std::array<std::int32_t, 2> dims_{};
  std::array<std::int32_t, 2> place_{};
  avrm_comm_t *grid_ = nullptr;
};

} // namespace

void exchange_halos(Process &process) {
  Block block(process);
  for (int step = 0; step < 10 * times_longer(); ++step) {
    block.compute(step);
    block.exchange();
    block.verify(step);
  }
}

} // namespace avrankmap::test
