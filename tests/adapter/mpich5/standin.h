// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI around the adapter: a process from MPI_Init to MPI_Finalize, and owners of its objects.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH5_STANDIN_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH5_STANDIN_H

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/adapter/mpich5/ofi_impl.h"
#include "tests/adapter/mpich5/ucx_impl.h"

// libfabric's table: the address is the place of the name.
struct fid_av {
  std::vector<std::string> names;
};
struct ucp_worker {
  int vci;
};
struct ucp_ep {
  const ucp_worker *worker;
  std::string address;
  bool is_open = true;
};

namespace avrankmap::test::mpich5 {

using Lpids = std::vector<MPIR_Lpid>;

// Lets `count` more calls of MPL_malloc and the like succeed, and refuses the one after.
void refuse_mpl_after(std::uint64_t count);
void refuse_mpl_none();
// True if one was refused since the last refuse_mpl_after.
bool mpl_refused();
// Blocks of MPL that were not freed.
std::int64_t mpl_blocks();

// The texts of the last error code.
struct ErrorText {
  std::string generic;
  std::string specific; // with its arguments in place of format controls
};
ErrorText last_error();

// UCX endpoints that are open, and requests of UCX that were not released.
int open_endpoints();
int ucx_requests();
// VCIs whose workers were progressed since contexts were opened.
std::set<int> progressed_vcis();

// A process of a world with `per_node` processes on a node, laid out in blocks.
class Process {
public:
  // MPI_Init, or the first of several sessions.
  explicit Process(avrm_codec_t codec, int size = 24, int rank = 9, int per_node = 4);
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  ~Process();

  // The name of the own world of the next process; "own" if it is not called.
  static void call_own(const std::string &name);
  // A process set that PMI tells of before the device is initialised, freed after MPID_Finalize.
  // For the next process that is constructed.
  static void announce_set(const Lpids &lpids);
  [[nodiscard]] MPIR_Group *set() const { return set_; }
  // Groups that the application leaves unfreed, which is legal, or frees when MPI has ended.
  void leave(int groups) { left_ = groups; }
  static void released_late(int groups);

  // Contexts of each VCI and NIC, empty.
  static void open_contexts(int num_vcis, int num_nics);

  [[nodiscard]] int node_of(int lpid) const { return node_map_[static_cast<std::size_t>(lpid)]; }
  [[nodiscard]] bool is_local(int lpid) const { return node_of(lpid) == node_of(MPIR_Process.rank); }

private:
  std::vector<int> node_map_;
  std::vector<int> node_local_map_;
  MPIR_Group *set_ = nullptr;
  int left_ = 0;
};

struct ReleaseGroup {
  void operator()(MPIR_Group *group) const { EXPECT_EQ(MPIR_Group_release(group), MPI_SUCCESS); }
};
using Group = std::unique_ptr<MPIR_Group, ReleaseGroup>;

struct FreeComm {
  void operator()(MPIR_Comm *comm) const;
};
using Comm = std::unique_ptr<MPIR_Comm, FreeComm>;

// The group of lpids, as MPICH makes them from an array.
Group group_of(const Lpids &lpids);
Lpids lpids_of(const MPIR_Group &group);
// The first processes of a world.
Lpids ranks_of_world(int world, int size);
// A duplicate of MPI_COMM_WORLD's group.
Group world_group();

// Communicators of groups, which they share. The object's bytes were another one's.
Comm intracomm(const Group &group);
Comm intercomm(const Group &local, const Group &remote);

// Result of a function whose last parameter receives a group.
template <typename Call> Group made(Call call) {
  MPIR_Group *group = nullptr;
  EXPECT_EQ(call(&group), MPI_SUCCESS);
  return Group(group);
}

} // namespace avrankmap::test::mpich5

#endif
