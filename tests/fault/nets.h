// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The networks over which whole jobs are swept.
#ifndef AVRANKMAP_TESTS_FAULT_NETS_H
#define AVRANKMAP_TESTS_FAULT_NETS_H

namespace avrankmap::test {

struct Net {
  const char *name;
  const char *netmod;
  const char *provider;
};

inline constexpr Net kNets[] = {
    {"ofi_tcp", "ofi", "tcp;ofi_rxm"},
    {"ucx_tcp", "ucx", "tcp,self"},
};

} // namespace avrankmap::test

#endif
