// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A client's connection to its PMIx server, followed to its end.
//
// A process had better not end before its server has seen it leave. A launcher that sees the end first tells the server, which
// closes the connection, but leaves its descriptor with those that it listens to (_deregister_client of PMIx 3 to 5.0.1). The
// next process whose connection gets that number is never heard: its PMIx_Init does not return. Under Open MPI 4.1 that
// happened in three of four runs of thirty spawns of two processes, one after the other.
#ifndef AVRANKMAP_SRC_BOOT_PMIX_LINE_H
#define AVRANKMAP_SRC_BOOT_PMIX_LINE_H

#include <pmix.h>

namespace avrankmap::detail {

class PmixLine {
public:
  // Of this process, which has not left PMIx yet. Holds nothing if the connection is not found, or is not one of TCP.
  explicit PmixLine(const pmix_proc_t &self) noexcept;
  ~PmixLine();
  PmixLine(const PmixLine &) = delete;
  PmixLine &operator=(const PmixLine &) = delete;

  // After PMIx_Finalize: returns when the server has closed its end, too, or after a second.
  void wait_for_server() const noexcept;

private:
  int socket_ = -1; // another descriptor of it
};

} // namespace avrankmap::detail

#endif
