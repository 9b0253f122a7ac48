// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of the MPI library that the program runs on. The survey library is linked with none: it would bring its own into
// programs that have another, or none.
#ifndef AVRANKMAP_BENCH_SURVEY_MPI_RESOLVE_H
#define AVRANKMAP_BENCH_SURVEY_MPI_RESOLVE_H

namespace avrankmap::survey {

/// The next definition of a symbol after ours: of another library that is preloaded, or the MPI library's; for a function
/// "MPI_..." that of "PMPI_..." will do. Found also if the MPI library came with a plugin (Python does so), where its
/// names are not visible to others. Null if there is none. Thread-safe.
void *resolve(const char *name) noexcept;

/// The object of a name. It may lie in the program itself, which has a copy if it was not compiled to be position-independent.
void *resolve_object(const char *name) noexcept;

} // namespace avrankmap::survey

#endif
