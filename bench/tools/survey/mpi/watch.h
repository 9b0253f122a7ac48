// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The events that the wrappers of MPI functions (interpose.cpp) report to the survey. These
// functions always return: on a failure they print one message, and do nothing from then on.
// Thread-safe. watch.cpp is compiled once for each MPI.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_MPI_WATCH_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_MPI_WATCH_H

#include "tools/survey/made.h"

#include <cstdint>

namespace avrankmap::survey {

/// An argument of an MPI function as it is passed. The wrappers do not interpret it, so that they
/// work for MPI libraries with handles of any size.
using Word = std::intptr_t;

enum class Language { kC, kFortran };

/// A call that created a communicator.
struct Call {
  const char *name;
  Made made;
  Language language;
  Word parent; ///< C: the handle; Fortran: its address; 0 if there is none
  Word result; ///< address of the new handle
};

void watch_init() noexcept;
void watch_made(const Call &call) noexcept;
/// The new handle is written when the request completes.
void watch_idup(const Call &call) noexcept;
/// Before a communicator is freed.
void watch_free(Language language, Word where) noexcept;
/// Before MPI ends. @param how  name of the function that ends it
void watch_end(const char *how) noexcept;
/// When the MPI library has no function of this name. @return an MPI error code
int watch_missing(const char *name) noexcept;

} // namespace avrankmap::survey

#endif
