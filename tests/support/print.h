// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prints values of the public types in failed assertions. GoogleTest finds these functions by the
// type's namespace, which is the global one for types of a C interface.
#ifndef AVRANKMAP_TESTS_SUPPORT_PRINT_H
#define AVRANKMAP_TESTS_SUPPORT_PRINT_H

#include <ostream>

#include "avrankmap/avrankmap.h"

inline void PrintTo(avrm_status_t status, std::ostream *out) { *out << avrm_status_name(status); }

inline void PrintTo(avrm_mode_t mode, std::ostream *out) { *out << avrm_mode_label(mode); }

inline void PrintTo(avrm_mem_kind_t kind, std::ostream *out) { *out << avrm_mem_kind_label(kind); }

inline void PrintTo(const avrm_gpid_t &gpid, std::ostream *out) { *out << gpid.pgid << ':' << gpid.lpid; }

#endif
