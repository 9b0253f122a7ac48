// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps a client's connection to its PMIx server open until the server has closed its end.
//
// Otherwise a process may end before its server has processed its PMIx_Finalize. A launcher that
// notices the end first informs the server, which closes the connection but continues to poll the
// descriptor (_deregister_client of PMIx 3 to 5.0.1). The server then never reads from the next
// connection that gets that number, and PMIx_Init does not return in the process that opened it.
// With Open MPI 4.1 this happened in three of four runs of thirty consecutive spawns of two
// processes.
#ifndef AVRANKMAP_SRC_LAUNCH_PMIX_CONNECTION_H
#define AVRANKMAP_SRC_LAUNCH_PMIX_CONNECTION_H

#include <pmix.h>

namespace avrankmap::detail {

class PmixConnection {
public:
  // Called before PMIx_Finalize. Holds nothing if the connection is not found or is not TCP.
  explicit PmixConnection(const pmix_proc_t &self) noexcept;
  ~PmixConnection();
  PmixConnection(const PmixConnection &) = delete;
  PmixConnection &operator=(const PmixConnection &) = delete;

  // Called after PMIx_Finalize. Blocks until the server has closed its end, for at most a second.
  void wait_for_server() const noexcept;

private:
  int socket_ = -1; // a duplicate of the connection's descriptor
};

} // namespace avrankmap::detail

#endif
