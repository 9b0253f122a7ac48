// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/adapter/mpich4/standin.h"

#include <cstring>
#include <deque>

MPIR_Process_t MPIR_Process;
MPIDI_CH4_Global_t MPIDI_global;
MPIDI_OFI_global_t MPIDI_OFI_global;

namespace avrankmap::test::mpich4 {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
std::uint64_t mpl_left = kNever;
bool mpl_was_refused = false;
std::deque<fid_av> ofi_tables;

bool refuses() {
  if (mpl_left == kNever || mpl_left-- > 0) {
    return false;
  }
  mpl_left = kNever;
  mpl_was_refused = true;
  return true;
}

} // namespace

void refuse_mpl_after(std::uint64_t count) {
  mpl_left = count;
  mpl_was_refused = false;
}
void refuse_mpl_none() { mpl_left = kNever; }
bool mpl_refused() { return mpl_was_refused; }

Process::Process(avrm_codec_t codec, int size, int rank, int per_node, const avrm_instance_options_t *options) {
  for (int lpid = 0; lpid < size; ++lpid) {
    node_map_.push_back(lpid / per_node);
    if (lpid / per_node == rank / per_node) {
      node_local_map_.push_back(lpid);
    }
  }
  MPIR_Process = {rank,
                  size,
                  rank % per_node,
                  static_cast<int>(node_local_map_.size()),
                  node_map_.data(),
                  node_local_map_.data(),
                  nullptr,
                  nullptr};
  MPIDI_global.avt_mgr.options = options;
  MPIDI_global.avt_mgr.codec = codec;
  open_contexts(1, 1);
  EXPECT_EQ(MPIDIU_avt_init(), MPI_SUCCESS);
  world_ = bare(MPIR_COMM_KIND__INTRACOMM);
  self_ = bare(MPIR_COMM_KIND__INTRACOMM);
  MPIR_Process.comm_world = world_.get();
  MPIR_Process.comm_self = self_.get();
  EXPECT_EQ(commit(world_, {}), MPI_SUCCESS);
  EXPECT_EQ(commit(self_, {}), MPI_SUCCESS);
}

Process::~Process() {
  self_.reset();
  world_.reset();
  EXPECT_EQ(MPIDIU_avt_destroy(), MPI_SUCCESS) << "something is still alive";
  ofi_tables.clear();
}

void Process::open_contexts(int num_vnis, int num_nics) {
  MPIDI_OFI_global.num_vnis = num_vnis;
  MPIDI_OFI_global.num_nics = num_nics;
  for (int i = 0; i < num_vnis * num_nics; ++i) {
    MPIDI_OFI_global.ctx[i].av = &ofi_tables.emplace_back();
  }
}

void FreeComm::operator()(MPIR_Comm *comm) const {
  MPIDI_comm_free_rank_map(comm); // MPID_Comm_free_hook
  std::free(comm);
}

Comm bare(MPIR_Comm_kind_t kind) {
  auto *const comm = static_cast<MPIR_Comm *>(std::malloc(sizeof(MPIR_Comm)));
  std::memset(static_cast<void *>(comm), 0xa5, sizeof *comm);
  comm->comm_kind = kind;
  comm->local_comm = nullptr;
  comm->mapper_head = nullptr;
  return Comm(comm);
}

int commit(const Comm &comm, std::vector<Piece> pieces) {
  std::vector<MPIR_Comm_map_t> list(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece &piece = pieces[i];
    list[i] = {piece.all ? MPIR_COMM_MAP_TYPE__DUP : MPIR_COMM_MAP_TYPE__IRREGULAR,
               piece.source,
               piece.direction,
               static_cast<int>(piece.ranks.size()),
               piece.ranks.data(),
               0,
               i + 1 < pieces.size() ? &list[i + 1] : nullptr};
  }
  comm->mapper_head = list.empty() ? nullptr : list.data();
  const int mpi_errno = MPIDI_comm_create_rank_map(comm.get()); // MPID_Comm_commit_pre_hook
  comm->mapper_head = nullptr;                                  // the pieces are freed
  comm->remote_size = avrm_rankmap_size(&comm->dev.ch4.map);
  comm->local_size =
      comm->comm_kind == MPIR_COMM_KIND__INTERCOMM ? avrm_rankmap_size(&comm->dev.ch4.local_map) : comm->remote_size;
  return mpi_errno;
}

Comm intracomm(const std::vector<Piece> &pieces) {
  Comm comm = bare(MPIR_COMM_KIND__INTRACOMM);
  EXPECT_EQ(commit(comm, pieces), MPI_SUCCESS);
  return comm;
}
Comm intercomm(const std::vector<Piece> &pieces) {
  Comm comm = bare(MPIR_COMM_KIND__INTERCOMM);
  EXPECT_EQ(commit(comm, pieces), MPI_SUCCESS);
  return comm;
}
Comm intercomm(const std::vector<Piece> &local, const std::vector<std::uint64_t> &remote) {
  Comm comm = bare(MPIR_COMM_KIND__INTERCOMM);
  EXPECT_EQ(MPID_Create_intercomm_from_lpids(comm.get(), static_cast<int>(remote.size()), remote.data()), MPI_SUCCESS);
  EXPECT_EQ(commit(comm, local), MPI_SUCCESS);
  return comm;
}

std::vector<std::uint64_t> gpids_of(MPIR_Comm *comm) {
  std::vector<std::uint64_t> gpids;
  for (int rank = 0; rank < comm->remote_size; ++rank) {
    int idx = -1;
    int avtid = -1;
    EXPECT_EQ(MPIDIU_comm_rank_to_pid(comm, rank, &idx, &avtid), idx);
    gpids.push_back(MPIDIU_GPID_CREATE(avtid, idx));
  }
  return gpids;
}
std::vector<std::uint64_t> local_gpids_of(MPIR_Comm *comm) {
  std::vector<std::uint64_t> gpids;
  for (int rank = 0; rank < comm->local_size; ++rank) {
    int idx = -1;
    int avtid = -1;
    EXPECT_EQ(MPIDIU_comm_rank_to_pid_local(comm, rank, &idx, &avtid), idx);
    gpids.push_back(MPIDIU_GPID_CREATE(avtid, idx));
  }
  return gpids;
}

} // namespace avrankmap::test::mpich4

using namespace avrankmap::test::mpich4; // NOLINT: the functions below are those of MPICH

void *MPL_malloc(size_t size, MPL_memory_class /*memclass*/) { return refuses() ? nullptr : std::malloc(size); }
void *MPL_calloc(size_t nmemb, size_t size, MPL_memory_class /*memclass*/) {
  return refuses() ? nullptr : std::calloc(nmemb, size);
}
void MPL_free(void *ptr) { std::free(ptr); }

int MPIR_Err_create_code(int /*lastcode*/, int /*fatal*/, const char /*fcname*/[], int /*line*/, int error_class,
                         const char /*generic_msg*/[], const char /*specific_msg*/[], ...) {
  return error_class;
}

int fi_av_insert(fid_av *av, const void *addr, size_t count, fi_addr_t *fi_addr, uint64_t /*flags*/,
                 void * /*context*/) {
  *fi_addr = av->squares ? av->names.size() * av->names.size() : av->names.size();
  av->names.emplace_back(static_cast<const char *>(addr));
  return static_cast<int>(count);
}

int fi_av_lookup(fid_av *av, fi_addr_t fi_addr, void *addr, size_t *addrlen) {
  std::size_t place = fi_addr;
  for (std::size_t i = 0; av->squares && i < av->names.size(); ++i) {
    place = i * i == fi_addr ? i : place;
  }
  if (place >= av->names.size()) {
    return -1;
  }
  const std::string &name = av->names[place];
  *addrlen = name.size() + 1;
  std::memcpy(addr, name.c_str(), *addrlen);
  return 0;
}
