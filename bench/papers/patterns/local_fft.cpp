// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/patterns/local_fft.h"

#if AVRM_HAVE_FFTW
#include <fftw3.h>

#include <new>
#endif

namespace avrankmap::bench {

#if AVRM_HAVE_FFTW

namespace {

fftw_complex *numbers_of(Field &field) { return reinterpret_cast<fftw_complex *>(field.data()); }

fftw_plan plan(Field &field, int length, int lines, int sign) {
  fftw_plan made = fftw_plan_many_dft(1, &length, lines, numbers_of(field), nullptr, 1, length, numbers_of(field),
                                      nullptr, 1, length, sign, FFTW_ESTIMATE);
  if (made == nullptr) {
    throw std::bad_alloc();
  }
  return made;
}

} // namespace

struct LocalFft::Plans {
  fftw_plan forward = nullptr;
  fftw_plan backward = nullptr;

  ~Plans() {
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
  }
};

bool LocalFft::is_available() { return true; }

LocalFft::LocalFft(std::int32_t length, std::int32_t lines) : plans_(std::make_unique<Plans>()) {
  Field field(static_cast<std::size_t>(length) * static_cast<std::size_t>(lines));
  plans_->forward = plan(field, length, lines, FFTW_FORWARD);
  plans_->backward = plan(field, length, lines, FFTW_BACKWARD);
}

void LocalFft::forward(Field &field) const { fftw_execute_dft(plans_->forward, numbers_of(field), numbers_of(field)); }
void LocalFft::backward(Field &field) const {
  fftw_execute_dft(plans_->backward, numbers_of(field), numbers_of(field));
}

#else

struct LocalFft::Plans {};

bool LocalFft::is_available() { return false; }
LocalFft::LocalFft(std::int32_t /*length*/, std::int32_t /*lines*/) {}
void LocalFft::forward(Field & /*field*/) const {}
void LocalFft::backward(Field & /*field*/) const {}

#endif

LocalFft::~LocalFft() = default;

} // namespace avrankmap::bench
