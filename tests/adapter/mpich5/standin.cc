// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/adapter/mpich5/standin.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstring>
#include <mutex>
#include <utility>

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

std::atomic<std::int64_t> mpl_count = 0;
std::int64_t ended_instances = 0;
int total_left = 0;
ErrorText error_text;
Lpids announced;
std::string own_name = "own";
std::mutex vci_mutex;
thread_local bool vci_entered = false;
std::mutex objects_mutex;
int requests = 0;
std::set<int> progressed;

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
std::int64_t mpl_blocks() { return mpl_count; }
ErrorText last_error() { return error_text; }
int ucx_requests() { return requests; }
std::set<int> progressed_vcis() { return progressed; }
int open_endpoints() {
  return static_cast<int>(
      std::count_if(ucp_endpoints.begin(), ucp_endpoints.end(), [](const ucp_ep &ep) { return ep.is_open; }));
}

Process::Process(avrm_codec_t codec, int size, int rank, int per_node) {
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
  EXPECT_EQ(MPIR_add_world(std::exchange(own_name, "own").c_str(), size), 0); // MPIR_pmi_init
  EXPECT_EQ(MPIR_Group_init(), MPI_SUCCESS);
  if (!announced.empty()) { // MPIR_Pset_init
    set_ = group_of(announced).release();
    announced.clear();
  }
  MPIDI_global.avt_mgr.codec = codec; // MPID_Init
  EXPECT_EQ(MPIDIU_avt_init(), MPI_SUCCESS);
  open_contexts(1, 1);
}

// MPII_Finalize, in its order.
Process::~Process() {
  if (MPIDI_global.avt_mgr.codec == AVRM_CODEC_UCX) { // MPID_Finalize
    MPIDI_UCX_disconnect_all();
    EXPECT_EQ(open_endpoints(), 0);
    EXPECT_EQ(requests, 0);
  }
  EXPECT_EQ(MPIDIU_avt_finalize(), MPI_SUCCESS);
  std::memset(static_cast<void *>(&MPIDI_global), 0, sizeof MPIDI_global);
  if (set_ != nullptr) { // MPIR_Pset_finalize
    EXPECT_EQ(MPIR_Group_release(set_), MPI_SUCCESS);
  }
  total_left += left_;
  EXPECT_EQ(MPIR_Group_mem.live, total_left) << "groups that were not released";
  const std::int64_t objects = MPIR_Group_mem.live;
  MPIR_Group_finalize();
  EXPECT_EQ(MPIR_Avrm.instance, nullptr);
  // What an instance leaves whose address stale groups may name.
  ended_instances += left_ == 0 ? 0 : 1;
  // MPII_finalize_memory_tracing
  EXPECT_EQ(mpl_count, objects + ended_instances) << "memory that was not freed";
  ofi_tables.clear();
  ucp_workers.clear();
  ucp_endpoints.clear();
  hostnames.clear();
  hostname_pointers.clear();
}

void Process::released_late(int groups) { total_left -= groups; }
void Process::call_own(const std::string &name) { own_name = name; }
void Process::announce_set(const Lpids &lpids) { announced = lpids; }

void Process::open_contexts(int num_vcis, int num_nics) {
  progressed.clear();
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
  EXPECT_EQ(MPIR_Group_release(comm->local_group), MPI_SUCCESS);
  if (comm->remote_group != nullptr) {
    EXPECT_EQ(MPIR_Group_release(comm->remote_group), MPI_SUCCESS);
  }
  std::free(comm);
}

Group group_of(const Lpids &lpids) {
  auto *const map = static_cast<MPIR_Lpid *>(MPL_malloc(lpids.size() * sizeof(MPIR_Lpid) + 1, MPL_MEM_GROUP));
  std::copy(lpids.begin(), lpids.end(), map);
  const auto self = std::find(lpids.begin(), lpids.end(), MPIR_Process.rank);
  const int rank = self == lpids.end() ? MPI_UNDEFINED : static_cast<int>(self - lpids.begin());
  return made([&](MPIR_Group **group) {
    return MPIR_Group_create_map(static_cast<int>(lpids.size()), rank, nullptr, map, group);
  });
}

Lpids lpids_of(const MPIR_Group &group) {
  Lpids lpids;
  for (int rank = 0; rank < group.size; ++rank) {
    lpids.push_back(MPIR_Group_rank_to_lpid(const_cast<MPIR_Group *>(&group), rank));
  }
  return lpids;
}

Lpids ranks_of_world(int world, int size) {
  Lpids lpids;
  for (int rank = 0; rank < size; ++rank) {
    lpids.push_back(MPIR_LPID_FROM(world, rank));
  }
  return lpids;
}

Group world_group() {
  return made([](MPIR_Group **to) { return MPIR_Group_dup(MPIR_GROUP_WORLD_PTR, nullptr, to); });
}

namespace {

Comm committed(MPIR_Comm_kind_t kind, const Group &local, MPIR_Group *remote) {
  auto *const comm = static_cast<MPIR_Comm *>(std::malloc(sizeof(MPIR_Comm)));
  std::memset(static_cast<void *>(comm), 0xa5, sizeof *comm);
  comm->comm_kind = kind;
  comm->session_ptr = nullptr;
  comm->rank = local->rank;
  comm->local_size = local->size;
  comm->local_group = local.get();
  MPIR_Group_add_ref(comm->local_group);
  comm->remote_size = remote == nullptr ? local->size : remote->size;
  comm->remote_group = remote;
  if (remote != nullptr) {
    MPIR_Group_add_ref(remote);
  }
  return Comm(comm);
}

} // namespace

Comm intracomm(const Group &group) { return committed(MPIR_COMM_KIND__INTRACOMM, group, nullptr); }
Comm intercomm(const Group &local, const Group &remote) {
  return committed(MPIR_COMM_KIND__INTERCOMM, local, remote.get());
}

} // namespace avrankmap::test::mpich5

using namespace avrankmap::test::mpich5; // NOLINT: the functions below are those of MPICH

namespace {

void *counted(void *block) {
  mpl_count += block == nullptr ? 0 : 1;
  return block;
}

} // namespace

void *MPL_malloc(size_t size, MPL_memory_class /*memclass*/) {
  return refuses() ? nullptr : counted(std::malloc(size));
}
void *MPL_calloc(size_t nmemb, size_t size, MPL_memory_class /*memclass*/) {
  return refuses() ? nullptr : counted(std::calloc(nmemb, size));
}
void *MPL_realloc(void *ptr, size_t size, MPL_memory_class /*memclass*/) {
  if (refuses()) {
    return nullptr;
  }
  mpl_count -= ptr == nullptr ? 0 : 1;
  return counted(std::realloc(ptr, size));
}
void MPL_free(void *ptr) {
  mpl_count -= ptr == nullptr ? 0 : 1;
  std::free(ptr);
}

int MPL_strncpy(char *dest, const char *src, size_t n) {
  std::memset(dest, 0, n);
  std::memcpy(dest, src, std::min(n - 1, std::strlen(src)));
  return 0;
}

int MPIR_Err_create_code(int /*lastcode*/, int /*fatal*/, const char /*fcname*/[], int /*line*/, int error_class,
                         const char generic_msg[], const char specific_msg[], ...) {
  error_text = {generic_msg, specific_msg == nullptr ? "" : specific_msg};
  std::va_list arguments;
  va_start(arguments, specific_msg);
  for (std::size_t at = error_text.specific.find('%'); at != std::string::npos; at = error_text.specific.find('%')) {
    const std::string value = error_text.specific.at(at + 1) == 'd' ? std::to_string(va_arg(arguments, int))
                                                                    : std::string(va_arg(arguments, const char *));
    error_text.specific.replace(at, 2, value);
  }
  va_end(arguments);
  return error_class;
}

void MPIDI_standin_enter(int vci) {
  EXPECT_EQ(vci, 0);
  if (!std::exchange(vci_entered, true)) {
    vci_mutex.lock();
  } else {
    ADD_FAILURE() << "MPICH would wait for itself";
  }
}
void MPIDI_standin_exit(int /*vci*/) {
  EXPECT_TRUE(std::exchange(vci_entered, false));
  vci_mutex.unlock();
}

MPIR_hwtopo_gid_t MPIR_hwtopo_get_obj_by_type(int /*type*/) { return 77; }
int MPIR_hwtopo_mem_bind(void *base, size_t bytes, MPIR_hwtopo_gid_t gid) {
  EXPECT_EQ(base, MPIDI_global.avt_mgr.av_table0->elements);
  EXPECT_EQ(bytes, 12 * static_cast<size_t>(MPIR_Process.size));
  EXPECT_EQ(gid, 77U);
  return MPI_SUCCESS;
}

void *MPIR_Handle_obj_alloc(MPIR_Object_alloc_t *mem) {
  const std::scoped_lock guard(objects_mutex);
  void *const object = MPL_malloc(mem->size, MPL_MEM_OTHER);
  if (object != nullptr) {
    std::memset(object, 0xa5, mem->size);
    static_cast<MPIR_Group *>(object)->handle = 0x08000000;
    ++mem->live;
  }
  return object;
}
void MPIR_Handle_obj_free(MPIR_Object_alloc_t *mem, void *object) {
  const std::scoped_lock guard(objects_mutex);
  --mem->live;
  MPL_free(object);
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

int MPIDI_NM_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids) {
  return MPIDI_global.avt_mgr.codec == AVRM_CODEC_UCX ? MPIDI_UCX_get_local_upids(comm, local_upid_size, local_upids)
                                                      : MPIDI_OFI_get_local_upids(comm, local_upid_size, local_upids);
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
  EXPECT_NE(fi_addr, FI_ADDR_NOTAVAIL) << "providers use it as an index";
  if (fi_addr >= av->names.size()) {
    return -1;
  }
  const std::string &name = av->names[fi_addr];
  *addrlen = name.size() + 1;
  std::memcpy(addr, name.c_str(), *addrlen);
  return 0;
}

const char *fi_strerror(int /*errnum*/) { return "failed"; }

// A request is complete after progress.
ucs_status_ptr_t ucp_disconnect_nb(ucp_ep_h ep) {
  EXPECT_TRUE(ep->is_open) << "closed twice";
  ep->is_open = false;
  if (ep->address.size() % 2 == 0) {
    return nullptr; // at once
  }
  ++requests;
  return new bool(false);
}
int ucp_request_is_completed(void *request) { return std::exchange(*static_cast<bool *>(request), true) ? 1 : 0; }
void ucp_request_release(void *request) {
  --requests;
  delete static_cast<bool *>(request);
}
unsigned ucp_worker_progress(ucp_worker_h worker) {
  progressed.insert(worker->vci);
  return 0;
}

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p) {
  *ep_p = &ucp_endpoints.emplace_back(ucp_ep{worker, reinterpret_cast<const char *>(params->address)});
  return UCS_OK;
}
