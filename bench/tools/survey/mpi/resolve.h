// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Looks up functions of the MPI library that the program runs on. The survey library is not linked
// with an MPI, which would load a second one into the program.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_MPI_RESOLVE_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_MPI_RESOLVE_H

namespace avrankmap::survey {

/// Returns the next definition of a symbol after ours: that of another preloaded library, or the
/// MPI library's, or for a function "MPI_..." that of "PMPI_...". Also finds an MPI library that a
/// plugin loaded (as in Python), whose names are not visible globally. Null if there is none.
/// Thread-safe.
void *resolve(const char *name) noexcept;

/// Returns the object with this name. Programs that are not position-independent have their own
/// copy.
void *resolve_object(const char *name) noexcept;

} // namespace avrankmap::survey

#endif
