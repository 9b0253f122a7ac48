// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The mass matrix of spectral elements: bricks of order N on the unit cube, with N + 1
// Gauss-Lobatto-Legendre nodes per dimension, integrated at N + 2 Gauss points, to which values are
// interpolated and back as tensor products. The matrix is never formed: it is applied element by
// element, and values at nodes that elements share are summed, within a process in memory, between
// processes by messages.
#ifndef AVRANKMAP_BENCH_PAPERS_APPLICATIONS_SPECTRAL_ELEMENT_H
#define AVRANKMAP_BENCH_PAPERS_APPLICATIONS_SPECTRAL_ELEMENT_H

#include "papers/applications/exchange.h"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace avrankmap::bench {

/// Gauss-Lobatto-Legendre nodes in -1 .. 1, order + 1 of them.
std::vector<double> lobatto_nodes(int order);
struct Quadrature {
  std::vector<double> nodes;
  std::vector<double> weights;
};
/// Gauss points in -1 .. 1.
Quadrature gauss(int points);

class MassMatrix {
public:
  /// Orders that there are: those of the paper.
  static constexpr std::array<int, 3> kOrders = {3, 5, 7};

  /// @param elements  of all processes, which the grid divides evenly
  MassMatrix(int order, const Box &elements, const Grid &grid, Halo &halo);

  /// Nodes of this process, those on its faces included. Values are one per node, x first.
  [[nodiscard]] std::size_t nodes() const { return owned_.size(); }
  /// Doubles of the longest message.
  [[nodiscard]] static std::size_t longest_message(int order, const Box &elements, const Grid &grid);
  /// result = B u. Sends at most 6 messages.
  void apply(const std::vector<double> &u, std::vector<double> &result);
  /// The inner product over the nodes that this process counts: each node of the cube is counted by
  /// one process.
  [[nodiscard]] double dot(const std::vector<double> &a, const std::vector<double> &b) const;
  /// Values of a function at the nodes.
  [[nodiscard]] std::vector<double> sample(const std::function<double(double x, double y, double z)> &function) const;

private:
  template <int kOrder> void apply_locally(const double *u, double *result) const;
  void sum_faces(std::vector<double> &values);

  int order_;
  Box elements_; ///< of this process
  Box points_;   ///< nodes of this process by dimension
  Box first_;    ///< place of its first element among all
  Box all_;      ///< elements of all processes
  Halo &halo_;
  double volume_;                   ///< of an element over that of the reference element
  std::vector<double> interpolate_; ///< to Gauss points, row by row
  std::vector<double> weights_;     ///< of Gauss points
  std::vector<double> node_places_; ///< in -1 .. 1
  std::vector<double> owned_;       ///< 1 for nodes that this process counts, else 0
};

} // namespace avrankmap::bench

#endif
