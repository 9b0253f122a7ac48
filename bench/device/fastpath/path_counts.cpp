// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/path_counts.h"

#if AVRM_PROBE_OFI
#include "ofi/ofi_fast.h"
#endif
#if AVRM_PROBE_UCX
#include <ucp/api/ucp.h>
#endif

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kRank = 7;
constexpr std::int64_t kLpid = LoopbackWorld::lpid_of(kRank);
constexpr std::int64_t kDisplacement = 3;
constexpr std::int32_t kTag = 5;
constexpr unsigned char kByte = 1;

template <class Function> const void *address_of(Function *function) {
  return reinterpret_cast<const void *>(function);
}

// The probes end in two functions of their own, the builds in those of the netmod.
std::vector<const void *> functions_of_null(const avrm_netmod_t *net) {
  return {address_of(&avrm_probe_tinject), address_of(&avrm_probe_put_inject), address_of(net->ops->fp_tinject),
          address_of(net->ops->fp_put_inject)};
}

#if AVRM_PROBE_OFI
std::vector<const void *> functions_of_ofi(const avrm_netmod_t *net) {
  const fid_ep *const endpoint = reinterpret_cast<const avrm_ofi_netmod_t *>(net)->ep;
  return {address_of(endpoint->tagged->inject), address_of(endpoint->rma->inject)};
}
#endif

#if AVRM_PROBE_UCX
std::vector<const void *> functions_of_ucx(const avrm_netmod_t * /*net*/) {
  return {address_of(&ucp_tag_send_nbx), address_of(&ucp_put_nbx)};
}
#endif

} // namespace

const std::vector<CountedNetwork> &counted_networks() {
  static const std::vector<CountedNetwork> all = {
    {"null", "null", nullptr, &avrm_probes_null, functions_of_null},
#if AVRM_PROBE_OFI
    {"libfabric", "ofi", "sockets", &avrm_probes_ofi, functions_of_ofi},
#endif
#if AVRM_PROBE_UCX
    {"ucx", "ucx", "tcp,self", &avrm_probes_ucx, functions_of_ucx},
#endif
  };
  return all;
}

std::vector<CountedPath> count_paths(const CountedNetwork &network, LoopbackWorld &world) {
  static avrm_request_t *request;
  const std::vector<const void *> functions = network.functions(world.net);
  const avrm_probes_t &probes = *network.probes;
  avrm_fp_comm_t *const comm = &world.comm;
  avrm_fp_window_t *const window = &world.window;
  const std::uint64_t remote =
      window->base + static_cast<std::uint64_t>(kDisplacement) * static_cast<std::uint64_t>(window->unit);

  const auto count = [&](auto *function, auto... arguments) -> std::optional<PathCount> {
    return count_path(function, functions, [=] { (void)function(&kByte, arguments...); });
  };
  const auto put_by = [&](auto *build) { return count(build, 1, AVRM_BYTE, kRank, kDisplacement, window); };
  const auto isend_by = [&](auto *build) { return count(build, 1, AVRM_BYTE, kRank, kTag, comm, &request); };

  return {
      {kDefaultPath, put_by(avrm_fp_put_default), isend_by(avrm_fp_isend_default)},
      {"no-err", put_by(avrm_fp_put_no_err), isend_by(avrm_fp_isend_no_err)},
      {"no-err-single", put_by(avrm_fp_put_no_err_single), isend_by(avrm_fp_isend_no_err_single)},
      {"datatype at run time", put_by(probes.put_typed), isend_by(probes.isend_typed)},
      {kMandatoryPath, count(probes.put, 1, kRank, kDisplacement, window),
       count(probes.isend, 1, kRank, kTag, comm, &request)},
      {kRecordPath, count(probes.put, 1, kRank, kDisplacement, &world.differing), {}},
      {"global rank", count(probes.put_global, 1, kLpid, kDisplacement, window),
       count(probes.isend_global, 1, kLpid, kTag, comm, &request)},
      {"virtual address", count(probes.put_virtual_addr, 1, kRank, remote, window), {}},
      {"predefined handle", count(probes.put_predefined, 1, kRank, kDisplacement),
       count(probes.isend_predefined, 1, kRank, kTag, &request)},
      {"no PROC_NULL", count(probes.put_npn, 1, kRank, kDisplacement, window),
       count(probes.isend_npn, 1, kRank, kTag, comm, &request)},
      {"no request", {}, count(probes.isend_noreq, 1, kRank, kTag, comm)},
      {"no match", {}, count(probes.isend_nomatch, 1, kRank, comm, &request)},
      {kAllOfVariableCount, count(probes.put_all_opts, 1, kLpid, remote), count(probes.isend_all_opts, 1, kLpid)},
      {kAllOfConstantCount, count(probes.put_all_opts_one, kLpid, remote), count(probes.isend_all_opts_one, kLpid)},
  };
}

} // namespace avrankmap::bench
