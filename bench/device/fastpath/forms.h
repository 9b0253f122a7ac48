// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Issue rates of the fast path by form of the communicator and kind of address vector: messages of
// 1 byte without request on the null network, to 16 peers, and to all processes of a large job in
// random order.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_FORMS_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_FORMS_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>

namespace avrankmap::bench {

struct FastpathFormRow {
  std::string av; ///< "table" or "implicit"
  std::int64_t peers = 0;
  std::string form;
  double rate = 0; ///< messages per second
  /// 16 peers: over that of an affine communicator over the same kind of address vector. A job:
  /// over that of addresses translated beforehand, in the same order.
  double ratio = 0;
  double to_few = 0; ///< of a job: over that of its affine communicator at 16 peers; else 1
};
AVRM_BENCH_ROW(FastpathFormRow, av, peers, form, rate, ratio, to_few);

extern const Measurement kFastpathForms;

} // namespace avrankmap::bench

#endif
