// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI around the adapter: a process from MPI_Init to MPI_Finalize, and its communicators.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH4_STANDIN_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH4_STANDIN_H

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/adapter/mpich4/ofi_impl.h"
#include "tests/adapter/mpich4/ucx_impl.h"

// libfabric's table: the address is the place of the name, or its square.
struct fid_av {
  std::vector<std::string> names;
  bool squares = false;
};
struct ucp_ep {
  int number;
};

namespace avrankmap::test::mpich4 {

// Lets `count` more calls of MPL_malloc and the like succeed, and refuses the one after.
void refuse_mpl_after(std::uint64_t count);
void refuse_mpl_none();
// True if one was refused since the last refuse_mpl_after.
bool mpl_refused();

struct FreeComm {
  void operator()(MPIR_Comm *comm) const;
};
using Comm = std::unique_ptr<MPIR_Comm, FreeComm>;

// A process of a world with `per_node` processes on a node, laid out in blocks, with its two
// predefined communicators.
class Process {
public:
  explicit Process(avrm_codec_t codec, int size = 24, int rank = 9, int per_node = 4,
                   const avrm_instance_options_t *options = nullptr);
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  ~Process();

  // Contexts of each VNI and NIC, empty.
  static void open_contexts(int num_vnis, int num_nics);

  [[nodiscard]] MPIR_Comm *world() const { return world_.get(); }
  [[nodiscard]] MPIR_Comm *self() const { return self_.get(); }
  [[nodiscard]] int node_of(int lpid) const { return node_map_[static_cast<std::size_t>(lpid)]; }
  [[nodiscard]] bool is_local(int lpid) const { return node_of(lpid) == node_of(MPIR_Process.rank); }

private:
  std::vector<int> node_map_;
  std::vector<int> node_local_map_;
  Comm world_;
  Comm self_;
};

// A piece of a communicator's group: all ranks of a group of `source`, or some.
struct Piece {
  MPIR_Comm *source;
  MPIR_Comm_map_dir_t direction;
  std::vector<int> ranks;
  bool all = false;
};

// An object as MPIR_Comm_create returns it: its bytes were another one's.
Comm bare(MPIR_Comm_kind_t kind);
// The same, committed. The second creates and commits, and expects success.
int commit(const Comm &comm, std::vector<Piece> pieces);
Comm intracomm(const std::vector<Piece> &pieces);
Comm intercomm(const std::vector<Piece> &pieces);
// An intercommunicator with a remote group by numbers, as dynamic processes make it.
Comm intercomm(const std::vector<Piece> &local, const std::vector<std::uint64_t> &remote);

// gpids of the group that operations refer to, or of the local group of an intercommunicator.
std::vector<std::uint64_t> gpids_of(MPIR_Comm *comm);
std::vector<std::uint64_t> local_gpids_of(MPIR_Comm *comm);

} // namespace avrankmap::test::mpich4

#endif
