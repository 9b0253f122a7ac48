// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conjugate gradients for B u = f with the mass matrix of spectral elements, the model problem of
// "Why Is MPI So Slow?", section 4.3: an application of B and two sums over all processes per
// iteration, no preconditioner.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_CONJUGATE_GRADIENT_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_CONJUGATE_GRADIENT_H

#include "papers/applications/spectral_element.h"

#include <cstdint>
#include <vector>

namespace avrankmap::bench {

struct MassProblem {
  int order = 0;
  Box elements{}; ///< of all processes
};

/// f is B applied to a known field, so that the error of u is known.
class MassInversion {
public:
  MassInversion(Process &process, const MassProblem &problem);
  MassInversion(const MassInversion &) = delete;
  MassInversion &operator=(const MassInversion &) = delete;

  [[nodiscard]] Mailbox &mailbox() { return mailbox_; }
  /// Collective, as all below: starts from u = 0.
  void restart();
  /// Does so many iterations.
  void iterate(std::int64_t count);
  /// The norm of the residual over that of f.
  [[nodiscard]] double residual();
  /// The greatest distance of u from the known field in any process; the field is 1.5 at most.
  [[nodiscard]] double error();
  /// The integral of u squared, u.Bu.
  [[nodiscard]] double square();
  /// N^3 times the number of elements, which is how the paper counts.
  [[nodiscard]] double points() const;
  [[nodiscard]] Sum &sum() { return sum_; }

private:
  MassProblem problem_;
  Grid grid_;
  Mailbox mailbox_;
  Halo halo_;
  Sum sum_;
  MassMatrix matrix_;
  std::vector<double> known_;
  std::vector<double> f_;
  std::vector<double> u_;
  std::vector<double> r_;
  std::vector<double> p_;
  std::vector<double> bp_;
  double rr_ = 0;
  double ff_ = 0;
};

} // namespace avrankmap::bench

#endif
