// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/adapter/mpich5/standin.h"

#include <algorithm>
#include <cstring>

MPIR_Object_alloc_t MPIR_Group_mem = {sizeof(MPIR_Group), 0};
MPIR_Process_t MPIR_Process;
MPIDI_CH4_Global_t MPIDI_global;
MPIDI_OFI_global_t MPIDI_OFI_global;
MPIDI_UCX_global_t MPIDI_UCX_global;

namespace avrankmap::test::mpich5 {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
std::uint64_t mpl_left = kNever;
bool mpl_was_refused = false;

std::deque<fid_av> ofi_tables;
std::deque<ucp_worker> ucp_workers;
std::deque<ucp_ep> ucp_endpoints;
std::deque<std::string> hostnames;
std::vector<char *> hostname_pointers;
UT_array hostname_array;

bool refuses() {
  if (mpl_left == kNever) {
    return false;
  }
  if (mpl_left-- > 0) {
    return false;
  }
  mpl_left = kNever;
  mpl_was_refused = true;
  return true;
}

int add_hostname(const std::string &name) {
  hostnames.push_back(name);
  hostname_pointers.push_back(hostnames.back().data());
  hostname_array = {hostname_pointers.data(), static_cast<int>(hostname_pointers.size())};
  return hostname_array.count - 1;
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
  for (int node = 0; node <= node_map_.back(); ++node) {
    add_hostname("node" + std::to_string(node));
  }
  MPIR_Process = {rank,
                  size,
                  rank % per_node,
                  static_cast<int>(node_local_map_.size()),
                  node_map_.data(),
                  node_local_map_.data(),
                  &hostname_array};
  MPIR_Avrm.options = options;
  MPIDI_global.avt_mgr.codec = codec;
  open_contexts(1, 1);
  EXPECT_EQ(MPIR_add_world("own", size), 0); // MPIR_pmi_init
  EXPECT_EQ(MPIR_Group_init(), MPI_SUCCESS);
  EXPECT_EQ(MPIDIU_avt_init(), MPI_SUCCESS); // MPID_Init
}

Process::~Process() {
  EXPECT_EQ(MPIR_Group_mem.live, 0) << "groups that were not released";
  MPIDIU_upid_free_all();
  EXPECT_EQ(MPIDIU_avt_finalize(), MPI_SUCCESS);
  MPIR_Group_finalize();
  EXPECT_EQ(MPIR_Avrm.instance, nullptr) << "something is still alive";
  MPIDI_OFI_words_of_others = 0;
  ofi_tables.clear();
  ucp_workers.clear();
  ucp_endpoints.clear();
  hostnames.clear();
  hostname_pointers.clear();
}

void Process::open_contexts(int num_vcis, int num_nics) {
  MPIDI_OFI_global.num_vcis = num_vcis;
  MPIDI_OFI_global.num_nics = num_nics;
  MPIDI_UCX_global.num_vcis = num_vcis;
  for (int i = 0; i < num_vcis * num_nics; ++i) {
    MPIDI_OFI_global.ctx[i].av = &ofi_tables.emplace_back();
  }
  for (int i = 0; i < num_vcis; ++i) {
    MPIDI_UCX_global.ctx[i].worker = &ucp_workers.emplace_back(ucp_worker{i});
  }
}

void FreeComm::operator()(MPIR_Comm *comm) const {
  MPIDI_Comm_unbind_map(comm); // MPID_Comm_free_hook
  EXPECT_EQ(MPIR_Group_release(comm->local_group), MPI_SUCCESS);
  if (comm->remote_group != nullptr) {
    EXPECT_EQ(MPIR_Group_release(comm->remote_group), MPI_SUCCESS);
  }
  std::free(comm);
}

Group group_of(const std::vector<MPIR_Lpid> &lpids) {
  auto *const map = static_cast<MPIR_Lpid *>(MPL_malloc(lpids.size() * sizeof(MPIR_Lpid) + 1, MPL_MEM_GROUP));
  std::copy(lpids.begin(), lpids.end(), map);
  const auto self = std::find(lpids.begin(), lpids.end(), MPIR_Process.rank);
  const int rank = self == lpids.end() ? MPI_UNDEFINED : static_cast<int>(self - lpids.begin());
  return made([&](MPIR_Group **group) {
    return MPIR_Group_create_map(static_cast<int>(lpids.size()), rank, nullptr, map, group);
  });
}

std::vector<MPIR_Lpid> lpids_of(const MPIR_Group &group) {
  std::vector<MPIR_Lpid> lpids;
  for (int rank = 0; rank < group.size; ++rank) {
    lpids.push_back(MPIR_Group_rank_to_lpid(const_cast<MPIR_Group *>(&group), rank));
  }
  return lpids;
}

namespace {

Comm committed(MPIR_Comm_kind_t kind, const Group &local, MPIR_Group *remote) {
  auto *const comm = static_cast<MPIR_Comm *>(std::malloc(sizeof(MPIR_Comm)));
  std::memset(static_cast<void *>(comm), 0xa5, sizeof *comm);
  comm->comm_kind = kind;
  comm->rank = local->rank;
  comm->local_size = local->size;
  comm->local_group = local.get();
  MPIR_Group_add_ref(comm->local_group);
  comm->remote_size = remote == nullptr ? local->size : remote->size;
  comm->remote_group = remote;
  if (remote != nullptr) {
    MPIR_Group_add_ref(remote);
  }
  EXPECT_EQ(MPIDI_Comm_bind_map(comm), MPI_SUCCESS); // MPID_Comm_commit_pre_hook
  return Comm(comm);
}

} // namespace

Comm intracomm(const Group &group) { return committed(MPIR_COMM_KIND__INTRACOMM, group, nullptr); }
Comm intercomm(const Group &local, const Group &remote) {
  return committed(MPIR_COMM_KIND__INTERCOMM, local, remote.get());
}

} // namespace avrankmap::test::mpich5

using namespace avrankmap::test::mpich5; // NOLINT: the functions below are those of MPICH

void *MPL_malloc(size_t size, MPL_memory_class /*memclass*/) { return refuses() ? nullptr : std::malloc(size); }
void *MPL_calloc(size_t nmemb, size_t size, MPL_memory_class /*memclass*/) {
  return refuses() ? nullptr : std::calloc(nmemb, size);
}
void *MPL_realloc(void *ptr, size_t size, MPL_memory_class /*memclass*/) {
  return refuses() ? nullptr : std::realloc(ptr, size);
}
void MPL_free(void *ptr) { std::free(ptr); }

int MPL_strncpy(char *dest, const char *src, size_t n) {
  std::memset(dest, 0, n);
  std::memcpy(dest, src, std::min(n - 1, std::strlen(src)));
  return 0;
}

int MPIR_Err_create_code(int /*lastcode*/, int /*fatal*/, const char /*fcname*/[], int /*line*/, int error_class,
                         const char /*generic_msg*/[], const char /*specific_msg*/[], ...) {
  return error_class;
}

void *MPIR_Handle_obj_alloc(MPIR_Object_alloc_t *mem) {
  void *const object = MPL_malloc(mem->size, MPL_MEM_OTHER);
  if (object != nullptr) {
    std::memset(object, 0xa5, mem->size);
    static_cast<MPIR_Group *>(object)->handle = 0x08000000;
    ++mem->live;
  }
  return object;
}
void MPIR_Handle_obj_free(MPIR_Object_alloc_t *mem, void *object) {
  --mem->live;
  std::free(object);
}

int MPIR_Session_release(MPIR_Session *session) {
  --session->ref_count;
  return MPI_SUCCESS;
}

int MPIR_nodeid_lookup(const char *hostname, int *node_id) {
  const auto found = std::find(hostnames.begin(), hostnames.end(), hostname);
  *node_id = found != hostnames.end() ? static_cast<int>(found - hostnames.begin()) : add_hostname(hostname);
  return MPI_SUCCESS;
}

int MPIDI_NM_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len) {
  return MPIDI_global.avt_mgr.codec == AVRM_CODEC_UCX ? MPIDI_UCX_insert_upid(lpid, upid, upid_len)
                                                      : MPIDI_OFI_insert_upid(lpid, upid, upid_len);
}

int fi_av_insert(fid_av *av, const void *addr, size_t count, fi_addr_t *fi_addr, uint64_t /*flags*/,
                 void * /*context*/) {
  *fi_addr = av->names.size();
  av->names.emplace_back(static_cast<const char *>(addr));
  return static_cast<int>(count);
}

int fi_av_lookup(fid_av *av, fi_addr_t fi_addr, void *addr, size_t *addrlen) {
  if (fi_addr >= av->names.size()) {
    return -1;
  }
  const std::string &name = av->names[fi_addr];
  *addrlen = name.size() + 1;
  std::memcpy(addr, name.c_str(), *addrlen);
  return 0;
}

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p) {
  *ep_p = &ucp_endpoints.emplace_back(ucp_ep{worker, reinterpret_cast<const char *>(params->address)});
  return UCS_OK;
}
