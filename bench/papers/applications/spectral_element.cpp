// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/spectral_element.h"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

/// Legendre's polynomial of this degree and its derivative, inside of -1 .. 1.
std::pair<double, double> legendre(int degree, double x) {
  double before = 1;
  double value = x;
  for (int n = 2; n <= degree; ++n) {
    before = std::exchange(value, ((2 * n - 1) * x * value - (n - 1) * before) / n);
  }
  return {value, degree * (x * value - before) / (x * x - 1)};
}

double newton(double x, const std::function<double(double)> &step) {
  for (int i = 0; i < 50; ++i) {
    x -= step(x);
  }
  return x;
}

} // namespace

std::vector<double> lobatto_nodes(int order) {
  std::vector<double> nodes{-1};
  for (int i = order - 1; i > 0; --i) { // where the derivative of the polynomial is 0
    nodes.push_back(newton(std::cos(std::numbers::pi * i / order), [&](double x) {
      const auto [value, slope] = legendre(order, x);
      const double curvature = (2 * x * slope - order * (order + 1) * value) / (1 - x * x);
      return slope / curvature;
    }));
  }
  nodes.push_back(1);
  return nodes;
}

Quadrature gauss(int points) {
  Quadrature result;
  for (int i = points; i > 0; --i) {
    const double x = newton(std::cos(std::numbers::pi * (i - 0.25) / (points + 0.5)), [&](double at) {
      const auto [value, slope] = legendre(points, at);
      return value / slope;
    });
    const double slope = legendre(points, x).second;
    result.nodes.push_back(x);
    result.weights.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return result;
}

MassMatrix::MassMatrix(int order, const Box &elements, const Grid &grid, Halo &halo)
    : order_(order), elements_{}, points_{}, first_{}, all_(elements), halo_(halo), volume_(1),
      node_places_(lobatto_nodes(order)) {
  for (std::size_t d = 0; d < 3; ++d) {
    elements_[d] = elements[d] / grid.sides()[d];
    points_[d] = elements_[d] * order + 1;
    first_[d] = elements_[d] * grid.place()[d];
    volume_ *= 0.5 / elements[d];
  }
  const Quadrature quadrature = gauss(order + 2);
  weights_ = quadrature.weights;
  for (const double at : quadrature.nodes) { // Lagrange's polynomials of the nodes
    for (std::size_t j = 0; j < node_places_.size(); ++j) {
      double value = 1;
      for (std::size_t k = 0; k < node_places_.size(); ++k) {
        value *= k == j ? 1 : (at - node_places_[k]) / (node_places_[j] - node_places_[k]);
      }
      interpolate_.push_back(value);
    }
  }
  owned_.assign(static_cast<std::size_t>(points_[0]) * static_cast<std::size_t>(points_[1]) *
                    static_cast<std::size_t>(points_[2]),
                1);
  std::size_t at = 0;
  for (std::int32_t z = 0; z < points_[2]; ++z) {
    for (std::int32_t y = 0; y < points_[1]; ++y) {
      for (std::int32_t x = 0; x < points_[0]; ++x, ++at) {
        const Box place{x, y, z};
        for (int d = 0; d < 3; ++d) { // the neighbour down counts the nodes of the face
          if (place[static_cast<std::size_t>(d)] == 0 && grid.neighbour(d, 0) != Grid::kNobody) {
            owned_[at] = 0;
          }
        }
      }
    }
  }
}

std::size_t MassMatrix::longest_message(int order, const Box &elements, const Grid &grid) {
  std::array<std::size_t, 3> points{};
  for (std::size_t d = 0; d < 3; ++d) {
    points[d] = static_cast<std::size_t>(elements[d] / grid.sides()[d] * order + 1);
  }
  return std::max({points[0] * points[1], points[0] * points[2], points[1] * points[2]});
}

namespace {

/// out[i][d] = sum over a of in[a][i] * matrix[a][d]: one index goes from the front to the end, so
/// that three of these transform all indices and restore their order.
template <int kA, int kI, int kD> void contract(const double *in, const double (&matrix)[kA][kD], double *out) {
  for (int i = 0; i < kI; ++i) {
    double sums[kD] = {};
    for (int a = 0; a < kA; ++a) {
      for (int d = 0; d < kD; ++d) {
        sums[d] += in[a * kI + i] * matrix[a][d];
      }
    }
    std::copy_n(sums, kD, out + i * kD);
  }
}

} // namespace

template <int kOrder> void MassMatrix::apply_locally(const double *u, double *result) const {
  constexpr int kN = kOrder + 1; // nodes
  constexpr int kM = kOrder + 2; // Gauss points
  double to_points[kN][kM];
  double to_nodes[kM][kN];
  double weights[kM];
  for (int m = 0; m < kM; ++m) {
    weights[m] = weights_[static_cast<std::size_t>(m)];
    for (int n = 0; n < kN; ++n) {
      to_points[n][m] = to_nodes[m][n] = interpolate_[static_cast<std::size_t>(m * kN + n)];
    }
  }
  const auto row = static_cast<std::size_t>(points_[0]);
  const std::size_t plane = row * static_cast<std::size_t>(points_[1]);
  double a[kM * kM * kM];
  double b[kM * kM * kM];
  const auto each_row = [&](const Box &element, auto act) {
    const std::size_t corner = (static_cast<std::size_t>(element[2]) * plane +
                                static_cast<std::size_t>(element[1]) * row + static_cast<std::size_t>(element[0])) *
                               kOrder;
    for (std::size_t z = 0; z < kN; ++z) {
      for (std::size_t y = 0; y < kN; ++y) {
        act(corner + z * plane + y * row, a + (z * kN + y) * kN);
      }
    }
  };
  const auto element = [&](const Box &which) {
    each_row(which, [&](std::size_t at, double *own) { std::copy_n(u + at, kN, own); });
    contract<kN, kN * kN, kM>(a, to_points, b);
    contract<kN, kN * kM, kM>(b, to_points, a);
    contract<kN, kM * kM, kM>(a, to_points, b);
    for (int z = 0; z < kM; ++z) {
      for (int y = 0; y < kM; ++y) {
        const double weight = volume_ * weights[z] * weights[y];
        for (int x = 0; x < kM; ++x) {
          b[(z * kM + y) * kM + x] *= weight * weights[x];
        }
      }
    }
    contract<kM, kM * kM, kN>(b, to_nodes, a);
    contract<kM, kM * kN, kN>(a, to_nodes, b);
    contract<kM, kN * kN, kN>(b, to_nodes, a);
    each_row(which, [&](std::size_t at, const double *own) {
      std::transform(own, own + kN, result + at, result + at, std::plus<>());
    });
  };
  for (std::int32_t z = 0; z < elements_[2]; ++z) {
    for (std::int32_t y = 0; y < elements_[1]; ++y) {
      for (std::int32_t x = 0; x < elements_[0]; ++x) {
        element({x, y, z});
      }
    }
  }
}

void MassMatrix::sum_faces(std::vector<double> &values) {
  const std::array<std::size_t, 3> stride = {1, static_cast<std::size_t>(points_[0]),
                                             static_cast<std::size_t>(points_[0]) *
                                                 static_cast<std::size_t>(points_[1])};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t inner = d == 0 ? 1 : 0;
    const std::size_t outer = d == 2 ? 1 : 2;
    const auto each = [&](int side, auto act) {
      std::size_t at = side == 0 ? 0 : stride[d] * static_cast<std::size_t>(points_[d] - 1);
      std::size_t i = 0;
      for (std::int32_t o = 0; o < points_[outer]; ++o, at += stride[outer]) {
        for (std::int32_t n = 0; n < points_[inner]; ++n) {
          act(values[at + static_cast<std::size_t>(n) * stride[inner]], i++);
        }
      }
      return i;
    };
    halo_.swap(
        static_cast<int>(d),
        [&](int side, std::span<double> room) {
          return each(side, [&](double value, std::size_t i) { room[i] = value; });
        },
        [&](int side, std::span<const double> message) {
          each(side, [&](double &value, std::size_t i) { value += message[i]; });
        });
  }
}

void MassMatrix::apply(const std::vector<double> &u, std::vector<double> &result) {
  result.assign(nodes(), 0);
  switch (order_) {
  case 3: apply_locally<3>(u.data(), result.data()); break;
  case 5: apply_locally<5>(u.data(), result.data()); break;
  case 7: apply_locally<7>(u.data(), result.data()); break;
  default: throw std::invalid_argument("no such order");
  }
  sum_faces(result);
}

double MassMatrix::dot(const std::vector<double> &a, const std::vector<double> &b) const {
  double sum = 0;
  for (std::size_t i = 0; i < owned_.size(); ++i) {
    sum += owned_[i] * a[i] * b[i];
  }
  return sum;
}

std::vector<double> MassMatrix::sample(const std::function<double(double x, double y, double z)> &function) const {
  const auto coordinate = [&](std::size_t d, std::int32_t point) {
    const std::int32_t element = std::min(point / order_, elements_[d] - 1);
    const double inside = (1 + node_places_[static_cast<std::size_t>(point - element * order_)]) / 2;
    return (first_[d] + element + inside) / all_[d];
  };
  std::vector<double> values;
  for (std::int32_t z = 0; z < points_[2]; ++z) {
    for (std::int32_t y = 0; y < points_[1]; ++y) {
      for (std::int32_t x = 0; x < points_[0]; ++x) {
        values.push_back(function(coordinate(0, x), coordinate(1, y), coordinate(2, z)));
      }
    }
  }
  return values;
}

} // namespace avrankmap::bench
