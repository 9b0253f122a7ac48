// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Network interfaces that UCX may use. UCX before 1.15 treats a bridge like any other interface,
// and prefers it if it comes first. Bridges of containers (docker0) have the same address on every
// host, so UCX connects to its own host instead of a peer's.
#ifndef AVRANKMAP_NETMOD_UCX_INTERFACES_H
#define AVRANKMAP_NETMOD_UCX_INTERFACES_H

#include <cstddef>

namespace avrankmap::detail::ucx {

// Writes the names of the interfaces that have addresses and are not bridges, separated by commas.
// Returns false if UCX may choose freely: there is no bridge, or nothing but bridges leads to other
// hosts. Also returns false if the names do not fit into the list or cannot be obtained.
[[nodiscard]] bool interfaces_but_bridges(char *list, std::size_t room) noexcept;

} // namespace avrankmap::detail::ucx

#endif
