// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-dimensional Fourier transforms of the lines that a process has, by FFTW. Without FFTW they do
// nothing: what remains of a transform in parallel is its communication.
#ifndef AVRANKMAP_BENCH_PAPERS_PATTERNS_LOCAL_FFT_H
#define AVRANKMAP_BENCH_PAPERS_PATTERNS_LOCAL_FFT_H

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace avrankmap::bench {

/// Complex numbers from the start of a cache line on.
class Field {
public:
  explicit Field(std::size_t size) : lines_((size + kPerLine - 1) / kPerLine) {}
  [[nodiscard]] std::complex<double> *data() { return lines_.front().numbers; }
  std::complex<double> &operator[](std::size_t i) { return data()[i]; }

private:
  static constexpr std::size_t kPerLine = 4;
  struct alignas(64) Line {
    std::complex<double> numbers[kPerLine];
  };
  std::vector<Line> lines_;
};

class LocalFft {
public:
  /// False without FFTW.
  static bool is_available();

  /// Of so many lines of so many numbers each, one line behind the other.
  LocalFft(std::int32_t length, std::int32_t lines);
  ~LocalFft();
  LocalFft(const LocalFft &) = delete;
  LocalFft &operator=(const LocalFft &) = delete;

  /// In place; not normalized.
  void forward(Field &field) const;
  void backward(Field &field) const;

private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};

} // namespace avrankmap::bench

#endif
