// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the wrappers of MPI functions (interpose.cpp) tell the survey. Whatever goes wrong in here, these functions return:
// one message says what, and from then on they do nothing. Thread-safe. watch.cpp is compiled once for each MPI.
#ifndef AVRANKMAP_BENCH_SURVEY_MPI_WATCH_H
#define AVRANKMAP_BENCH_SURVEY_MPI_WATCH_H

#include "survey/made.h"

#include <cstdint>

namespace avrankmap::survey {

/// An argument of an MPI function as it is passed, whatever it is: the wrappers hand them on without knowing more, so that
/// they are right for an MPI whose handles have another size, too.
using Word = std::intptr_t;

enum class Language { kC, kFortran };

/// A function that makes a communicator and succeeded.
struct Call {
  const char *name;
  Made made;
  Language language;
  Word parent; ///< C: the handle itself; Fortran: where it is; 0: there is none
  Word result; ///< where the new handle is
};

void watch_init() noexcept;
void watch_made(const Call &call) noexcept;
/// The new handle is not there before the request is complete.
void watch_idup(const Call &call) noexcept;
/// Before a communicator is freed.
void watch_free(Language language, Word where) noexcept;
/// Before MPI ends. @param how  name of the function
void watch_end(const char *how) noexcept;
/// When no function that comes after ours could be found. @return an MPI error code
int watch_missing(const char *name) noexcept;

} // namespace avrankmap::survey

#endif
