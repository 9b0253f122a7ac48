// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The schemes that are measured side by side, ours first. VcLean is not among them: it is another
// way to issue on the structures of VcVcrt, and is measured on the same ones; so is OmpiDense on
// those of OmpiSparse.
#ifndef AVRANKMAP_BENCH_SCHEMES_SCHEMES_H
#define AVRANKMAP_BENCH_SCHEMES_SCHEMES_H

#include "baseline/baselines.h"
#include "schemes/avrankmap_scheme.h"

#include <type_traits>

namespace avrankmap::bench {

template <class... S> struct SchemeList {
  /// Calls f(std::type_identity<S>{}) for each scheme in turn.
  template <class F> static void for_each(F &&f) { (f(std::type_identity<S>{}), ...); }
};

using Schemes = SchemeList<AvrankmapScheme, AvrankmapImplicit, VcVcrt, Mpich4, Mpich5, OmpiSparse, Raw>;

} // namespace avrankmap::bench

#endif
