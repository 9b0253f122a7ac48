// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/conjugate_gradient.h"

#include <algorithm>
#include <cmath>

namespace avrankmap::bench {
namespace {

/// Room for a double of each: see error().
constexpr std::size_t kMostProcesses = 64;

std::size_t longest(const MassProblem &problem, const Grid &grid) {
  return MassMatrix::longest_message(problem.order, problem.elements, grid);
}

double field(double x, double y, double z) { return std::sin(3 * x + 1) * std::cos(2 * y) * (1 + z * z / 2); }

} // namespace

MassInversion::MassInversion(Process &process, const MassProblem &problem)
    : problem_(problem), grid_(divide(problem.elements, process.size()), process.rank(), false),
      mailbox_(process, Halo::kSlots + Sum::kSlots, std::max(longest(problem, grid_), kMostProcesses)),
      halo_(mailbox_, grid_), sum_(mailbox_, Halo::kSlots), matrix_(problem.order, problem.elements, grid_, halo_),
      known_(matrix_.sample(field)) {
  matrix_.apply(known_, f_);
  ff_ = sum_(matrix_.dot(f_, f_));
  restart();
}

void MassInversion::restart() {
  u_.assign(matrix_.nodes(), 0);
  r_ = f_;
  p_ = f_;
  rr_ = ff_;
}

void MassInversion::iterate(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    matrix_.apply(p_, bp_);
    const double alpha = rr_ / sum_(matrix_.dot(p_, bp_));
    for (std::size_t k = 0; k < u_.size(); ++k) {
      u_[k] += alpha * p_[k];
      r_[k] -= alpha * bp_[k];
    }
    const double rr = sum_(matrix_.dot(r_, r_));
    const double beta = rr / rr_;
    rr_ = rr;
    for (std::size_t k = 0; k < u_.size(); ++k) {
      p_[k] = r_[k] + beta * p_[k];
    }
  }
}

double MassInversion::residual() { return std::sqrt(rr_ / ff_); }

double MassInversion::error() {
  double greatest = 0;
  for (std::size_t k = 0; k < u_.size(); ++k) {
    greatest = std::max(greatest, std::abs(u_[k] - known_[k]));
  }
  // The greatest of all: each process in its own place of a sum.
  std::vector<double> all(static_cast<std::size_t>(mailbox_.process().size()));
  all[static_cast<std::size_t>(mailbox_.process().rank())] = greatest;
  sum_(all);
  return *std::max_element(all.begin(), all.end());
}

double MassInversion::square() {
  std::vector<double> bu;
  matrix_.apply(u_, bu);
  return sum_(matrix_.dot(u_, bu));
}

double MassInversion::points() const {
  return std::pow(problem_.order, 3) * problem_.elements[0] * problem_.elements[1] * problem_.elements[2];
}

} // namespace avrankmap::bench
