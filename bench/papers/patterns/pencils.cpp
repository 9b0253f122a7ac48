// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/patterns/pencils.h"

#include "papers/patterns/local_fft.h"
#include "papers/patterns/owned_comm.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

using Number = std::complex<double>;
constexpr std::int32_t kRowTag = 1;
constexpr std::int32_t kColumnTag = 2;

std::int32_t lines_of(const PencilOptions &options) {
  return options.planes_of_process() * (options.points / options.side);
}
std::size_t numbers_of(const PencilOptions &options) {
  return static_cast<std::size_t>(lines_of(options)) * static_cast<std::size_t>(options.points);
}

/// What all workloads of a process share: row, column and numbers.
struct Lines {
  OwnedComm row;
  OwnedComm column;
  LocalFft fft;
  Field numbers;
  Field spare;
  std::vector<Number> waves; ///< a turn in so many steps as there are points

  Lines(avrm_comm_t *world, const PencilOptions &options)
      : fft(options.points, lines_of(options)), numbers(numbers_of(options)), spare(numbers_of(options)) {
    const std::int32_t rank = avrm_comm_rank(world);
    row = split_comm(world, rank / options.side, rank % options.side);
    column = split_comm(world, rank % options.side, rank / options.side);
    for (std::int32_t i = 0; i < options.points; ++i) {
      waves.push_back(std::polar(1.0, 2 * std::numbers::pi * i / options.points));
    }
  }
};

/// First, first + step, ...: so many.
std::vector<std::int32_t> ranks_from(std::int32_t first, std::int32_t step, std::int32_t count) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t i = 0; i < count; ++i) {
    ranks.push_back(first + i * step);
  }
  return ranks;
}

/// Lines of x at first: numbers [plane][line][x], planes along z and lines along y. Forward turns
/// them into lines of z, [y][x][z]; in two dimensions into lines of y, [x][plane][y].
class Pencils final : public Workload {
public:
  Pencils(avrm_comm_t *world, const PencilOptions &options, std::shared_ptr<Lines> lines, Lookup lookup)
      : lines_(std::move(lines)), cube_(options.dimensions == 3), side_(options.side), points_(options.points),
        block_(points_ / side_), planes_(options.planes_of_process()), row_place_(avrm_comm_rank(world) / side_),
        column_place_(avrm_comm_rank(world) % side_),
        row_(world, lines_->row.get(), {side_, options.processes() / side_}, ranks_from(row_place_ * side_, 1, side_),
             lookup, kRowTag),
        column_(world, lines_->column.get(), {side_, options.processes() / side_},
                ranks_from(column_place_, side_, options.processes() / side_), lookup, kColumnTag),
        fft_(lines_->fft), numbers_(lines_->numbers), spare_(lines_->spare) {}

  double verify() override {
    const auto different = [this](std::int32_t x, std::int32_t y, std::int32_t z) {
      const auto number = static_cast<double>((std::int64_t{z} * points_ + y) * points_ + x);
      return Number(number, -number);
    };
    for_each(false, [&](std::size_t i, auto x, auto y, auto z) { numbers_[i] = different(x, y, z); });
    forward(false);
    expect(true, 0, different);
    backward(false);
    expect(false, 0, different);
    if (LocalFft::is_available()) {
      verify_wave();
    }
    return 0;
  }

  void run(int part) override {
    if (part == kPencilRun) {
      forward(true);
      backward(true);
      return;
    }
    for (Peers *const peers : {&row_, &column_, &column_, &row_}) {
      if (cube_ || peers == &row_) {
        exchange(*peers, numbers_, spare_);
      }
    }
  }

private:
  /// Place of the first number of a line, or of one in it.
  [[nodiscard]] std::size_t at(std::int32_t line, std::int32_t place) const {
    return static_cast<std::size_t>(line) * static_cast<std::size_t>(points_) + static_cast<std::size_t>(place);
  }
  /// Place of a number in the blocks that are exchanged: [k][i][j] of all processes, k the place in
  /// a line before a forward exchange, j that in a block of a line behind it.
  [[nodiscard]] std::size_t in_block(std::int32_t k, std::int32_t i, std::int32_t j) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(planes_) + static_cast<std::size_t>(i)) *
               static_cast<std::size_t>(block_) +
           static_cast<std::size_t>(j);
  }

  void forward(bool transforms) {
    transform(transforms, &LocalFft::forward);
    exchange_forward(row_);
    transform(transforms, &LocalFft::forward);
    if (cube_) {
      exchange_forward(column_);
      transform(transforms, &LocalFft::forward);
    }
  }
  void backward(bool transforms) {
    transform(transforms, &LocalFft::backward);
    if (cube_) {
      exchange_backward(column_);
      transform(transforms, &LocalFft::backward);
    }
    exchange_backward(row_);
    transform(transforms, &LocalFft::backward);
    if (transforms && LocalFft::is_available()) {
      const double share = 1 / std::pow(points_, cube_ ? 3 : 2);
      for (std::size_t i = 0; i < at(planes_ * block_, 0); ++i) {
        numbers_[i] *= share;
      }
    }
  }
  void transform(bool transforms, void (LocalFft::*direction)(Field &) const) {
    if (transforms) {
      (fft_.*direction)(numbers_);
    }
  }

  void exchange_forward(Peers &peers) {
    each_in_block([&](std::int32_t first, std::int32_t l, std::int32_t i, std::int32_t j) {
      spare_[in_block(first + l, i, j)] = numbers_[at(i * block_ + j, first + l)];
    });
    exchange(peers, spare_, numbers_);
    each_in_block([&](std::int32_t first, std::int32_t l, std::int32_t i, std::int32_t j) {
      spare_[at(l * planes_ + i, first + j)] = numbers_[in_block(first + l, i, j)];
    });
    std::swap(numbers_, spare_);
  }
  void exchange_backward(Peers &peers) {
    each_in_block([&](std::int32_t first, std::int32_t l, std::int32_t i, std::int32_t j) {
      spare_[in_block(first + l, i, j)] = numbers_[at(l * planes_ + i, first + j)];
    });
    exchange(peers, spare_, numbers_);
    each_in_block([&](std::int32_t first, std::int32_t l, std::int32_t i, std::int32_t j) {
      spare_[at(i * block_ + j, first + l)] = numbers_[in_block(first + l, i, j)];
    });
    std::swap(numbers_, spare_);
  }
  /// function(first place of a block in a line, place l in it, i, j), for all blocks; some places
  /// of one line after another, since a cache line has four.
  template <class Function> void each_in_block(Function function) const {
    constexpr std::int32_t kTogether = 4;
    for (std::int32_t first = 0; first < points_; first += block_) {
      for (std::int32_t some = 0; some < block_; some += kTogether) {
        for (std::int32_t i = 0; i < planes_; ++i) {
          for (std::int32_t j = 0; j < block_; ++j) {
            for (std::int32_t l = some; l < std::min(some + kTogether, block_); ++l) {
              function(first, l, i, j);
            }
          }
        }
      }
    }
  }
  /// Block r of `from` goes to rank r and becomes this process's block there.
  void exchange(Peers &peers, Field &from, Field &to) const {
    const std::size_t block = in_block(block_, 0, 0);
    const auto place = [&](std::int32_t rank) { return static_cast<std::size_t>(rank) * block; };
    for (std::int32_t step = 1; step < side_; ++step) {
      const std::int32_t other = (peers.rank() + step) % side_;
      peers.irecv(to.data() + place(other), block * sizeof(Number), other);
    }
    for (std::int32_t step = 1; step < side_; ++step) {
      const std::int32_t other = (peers.rank() + step) % side_;
      peers.isend(from.data() + place(other), block * sizeof(Number), other);
    }
    std::copy_n(from.data() + place(peers.rank()), block, to.data() + place(peers.rank()));
    peers.wait_all();
  }

  /// function(place, x, y, z) for each number of this process, before or after forward().
  template <class Function> void for_each(bool after, Function function) {
    const std::int32_t row = row_place_ * planes_;
    const std::int32_t column = column_place_ * block_;
    for (std::int32_t line = 0; line < planes_ * block_; ++line) {
      for (std::int32_t k = 0; k < points_; ++k) {
        if (!after) {
          function(at(line, k), k, column + line % block_, row + line / block_);
        } else if (cube_) {
          function(at(line, k), column + line % block_, row + line / block_, k);
        } else {
          function(at(line, k), column + line / planes_, k, row + line % planes_);
        }
      }
    }
  }
  template <class Wanted> void expect(bool after, double tolerance, Wanted wanted) {
    for_each(after, [&](std::size_t i, std::int32_t x, std::int32_t y, std::int32_t z) {
      if (!(std::norm(numbers_[i] - wanted(x, y, z)) <= tolerance * tolerance)) {
        throw std::runtime_error(tolerance == 0 ? "a number was transposed to a wrong place"
                                                : "a number was transformed to a wrong value");
      }
    });
  }
  /// A wave has one frequency.
  void verify_wave() {
    const std::int32_t frequency[3] = {1 % points_, 2 % points_, cube_ ? 3 % points_ : 0};
    const double all = std::pow(points_, cube_ ? 3 : 2);
    const auto wave = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
      const std::int64_t turns =
          std::int64_t{frequency[0]} * x + std::int64_t{frequency[1]} * y + std::int64_t{frequency[2]} * z;
      return lines_->waves[static_cast<std::size_t>(turns % points_)];
    };
    for_each(false, [&](std::size_t i, auto x, auto y, auto z) { numbers_[i] = wave(x, y, z); });
    forward(true);
    expect(true, 1e-9 * all, [&](std::int32_t x, std::int32_t y, std::int32_t z) {
      const bool here = x == frequency[0] && y == frequency[1] && (!cube_ || z == frequency[2]);
      return here ? Number(all) : Number(0);
    });
    backward(true);
    expect(false, 1e-9, wave);
  }

  std::shared_ptr<Lines> lines_;
  bool cube_;
  std::int32_t side_;
  std::int32_t points_;
  std::int32_t block_; ///< points per process and dimension
  std::int32_t planes_;
  std::int32_t row_place_;
  std::int32_t column_place_;
  Peers row_;
  Peers column_;
  const LocalFft &fft_;
  Field &numbers_;
  Field &spare_;
};

} // namespace

std::size_t PencilOptions::message_bytes() const {
  const auto block = static_cast<std::size_t>(points / side);
  return block * block * static_cast<std::size_t>(planes_of_process()) * sizeof(Number);
}

std::vector<LookupTimes> measure_pencils(const PencilOptions &options, const std::vector<Lookup> &lookups) {
  if (options.side < 1 || options.points < 1 || options.points % options.side != 0 || options.rows < 1 ||
      options.planes < 1 || (options.dimensions != 2 && options.dimensions != 3)) {
    throw std::runtime_error("pencils: no such job");
  }
  WorkloadJob job;
  job.processes = options.processes();
  job.parts = 2;
  job.rounds = options.rounds;
  return compare_lookups(std::move(job), lookups,
                         [&, shared = std::weak_ptr<Lines>()](avrm_comm_t *world, Lookup lookup) mutable {
                           std::shared_ptr<Lines> lines = shared.lock();
                           if (lines == nullptr) {
                             lines = std::make_shared<Lines>(world, options);
                             shared = lines;
                           }
                           return std::make_unique<Pencils>(world, options, std::move(lines), lookup);
                         });
}

} // namespace avrankmap::bench
