// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Netmods that each break one sentence of the contract. All but some are the one of
// tests/tour/datagram with another function or two.
#ifndef AVRANKMAP_TESTS_TOOLS_NETMOD_BROKEN_H
#define AVRANKMAP_TESTS_TOOLS_NETMOD_BROKEN_H

#include <ostream>
#include <span>

#include "avrankmap/device/netmod.h"
#include "tools/netmod/contract.h"

namespace avrankmap::test {

struct Broken {
  const char *name;
  netmod_test::Sentence sentence;
  const char *check; // that notices it
  void (*change)(avrm_netmod_ops_t *ops);
  bool is_null = false; // made of the null netmod, for windows
};

inline std::ostream &operator<<(std::ostream &out, const Broken &broken) { return out << broken.name; }

[[nodiscard]] std::span<const Broken> broken_netmods();

// The operations of one.
[[nodiscard]] avrm_netmod_ops_t operations_of(const Broken &broken);

} // namespace avrankmap::test

#endif
