// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between the processes of an application: halos of three dimensions, and sums over
// all processes.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_EXCHANGE_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_EXCHANGE_H

#include "papers/applications/grid.h"
#include "papers/applications/mailbox.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace avrankmap::bench {

/// Exchange with both neighbours in one dimension after the other, so that what lies across an edge
/// or a corner arrives by two or three steps: 6 messages instead of 26.
class Halo {
public:
  static constexpr std::size_t kSlots = 12; ///< the first ones of the mailbox

  Halo(Mailbox &mailbox, const Grid &grid) : mailbox_(mailbox), grid_(grid) {}

  /// One dimension. pack(side, room) fills a message for the neighbour down (0) or up (1), and
  /// returns the number of its doubles; unpack(side, message) takes that of the neighbour there.
  /// Both are packed before one is unpacked.
  template <class Pack, class Unpack> void swap(int dimension, Pack pack, Unpack unpack) {
    const std::size_t parity = turn_[static_cast<std::size_t>(dimension)]++ % 2;
    const auto slot = [&](int to) { return parity * 6 + static_cast<std::size_t>(2 * dimension + to); };
    const std::int32_t self = mailbox_.process().rank();
    for (int side = 0; side < 2; ++side) { // the neighbour up sends down
      if (const std::int32_t rank = grid_.neighbour(dimension, side); rank != Grid::kNobody && rank != self) {
        mailbox_.expect(slot(1 - side), rank);
      }
    }
    for (int side = 0; side < 2; ++side) {
      const std::int32_t rank = grid_.neighbour(dimension, side);
      if (rank == self) {
        own_[side].resize(mailbox_.room());
        own_count_[side] = pack(side, std::span<double>(own_[side]));
      } else if (rank != Grid::kNobody) {
        mailbox_.post(slot(side), rank, pack(side, mailbox_.send_buffer(slot(side))));
      }
    }
    mailbox_.send();
    for (int side = 0; side < 2; ++side) {
      const std::int32_t rank = grid_.neighbour(dimension, side);
      if (rank == self) {
        unpack(side, std::span<const double>(own_[1 - side]).first(own_count_[1 - side]));
      } else if (rank != Grid::kNobody) {
        unpack(side, mailbox_.receive(slot(1 - side)));
      }
    }
  }

private:
  Mailbox &mailbox_;
  const Grid &grid_;
  std::size_t turn_[3] = {};
  std::vector<double> own_[2]; ///< to this process itself, by the side to which it goes
  std::size_t own_count_[2] = {};
};

/// Sums over all processes, by recursive doubling: the same bits in all of them.
class Sum {
public:
  static constexpr std::size_t kRounds = 16; ///< the most, for 65,536 processes
  static constexpr std::size_t kSlots = 2 * (kRounds + 2);

  /// @param slot  first of kSlots slots
  Sum(Mailbox &mailbox, std::size_t slot) : mailbox_(mailbox), slot_(slot) {}

  /// Replaces the values by their sums.
  void operator()(std::span<double> values);
  double operator()(double value) {
    (*this)(std::span<double>(&value, 1));
    return value;
  }

private:
  void send(std::size_t slot, std::int32_t rank, std::span<const double> values);

  Mailbox &mailbox_;
  std::size_t slot_;
  std::size_t turn_ = 0;
};

} // namespace avrankmap::bench

#endif
