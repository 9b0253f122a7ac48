// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX. Its functions are symbols. An operation that completes later calls the caller's function.
// There are three: for operations with a record of the netmod, for copies, and for receives.
#include <ucp/api/ucp.h>

#include <functional>
#include <utility>
#include <vector>

#include "tests/device/fault/faults.h"

namespace {

using namespace avrankmap::test;

ucs_status_t error_of(Fault fault) noexcept {
  switch (fault) {
  case Fault::kNoMemory: return UCS_ERR_NO_MEMORY;
  case Fault::kHard: return UCS_ERR_IO_ERROR;
  case Fault::kPeer: return UCS_ERR_CONNECTION_RESET;
  case Fault::kAgain:
  case Fault::kAgainForMemory: break;
  }
  return UCS_ERR_NO_RESOURCE;
}

ucs_status_t refusal(const char *call) noexcept { return is_due(kTransport, call) ? error_of(faults().fault) : UCS_OK; }

// The status with which an operation ends.
ucs_status_t verdict(ucs_status_t native) noexcept {
  return native == UCS_OK && is_due(kCompletions, "completion") ? error_of(faults().fault) : native;
}

ucp_send_nbx_callback_t sent_of_ours = nullptr;
ucp_send_nbx_callback_t copy_sent_of_ours = nullptr;
ucp_tag_recv_nbx_callback_t received_of_ours = nullptr;

// Calls that were kept back.
struct Late {
  ucp_worker_h worker;
  std::function<void()> call;
};
std::vector<Late> late;
ucp_worker_h keeps_back_for = nullptr;
template <typename Call> void now_or_late(Call call) {
  if (keeps_back_for == nullptr) {
    call();
    return;
  }
  const Faults saved = faults();
  disarm(); // this allocation is not the library's
  late.push_back({keeps_back_for, call});
  faults() = saved;
}

void on_sent(void *request, ucs_status_t native, void *user) {
  now_or_late([=] { sent_of_ours(request, verdict(native), user); });
}
void on_copy_sent(void *request, ucs_status_t native, void *user) {
  now_or_late([=] { copy_sent_of_ours(request, verdict(native), user); });
}
void on_received(void *request, ucs_status_t native, const ucp_tag_recv_info_t *info, void *user) {
  now_or_late([=, info = *info] { received_of_ours(request, verdict(native), &info, user); });
}

ucp_request_param_t with_sent(const ucp_request_param_t *param) noexcept {
  ucp_request_param_t changed = *param;
  if ((param->op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK) != 0) {
    const bool copy = (param->op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA) != 0;
    (copy ? copy_sent_of_ours : sent_of_ours) = param->cb.send;
    changed.cb.send = copy ? on_copy_sent : on_sent;
  }
  return changed;
}

} // namespace

// A function that returns a status.
#define AVRM_WRAP(name, parameters, arguments)                                                                         \
  extern "C" ucs_status_t __real_##name parameters;                                                                    \
  extern "C" ucs_status_t __wrap_##name parameters;                                                                    \
  extern "C" ucs_status_t __wrap_##name parameters {                                                                   \
    const ucs_status_t native = refusal(#name);                                                                        \
    return native != UCS_OK ? native : __real_##name arguments;                                                        \
  }
// A function that starts an operation; its last parameter is `param`.
#define AVRM_WRAP_POST(name, parameters, arguments)                                                                    \
  extern "C" ucs_status_ptr_t __real_##name parameters;                                                                \
  extern "C" ucs_status_ptr_t __wrap_##name parameters;                                                                \
  extern "C" ucs_status_ptr_t __wrap_##name parameters {                                                               \
    const ucs_status_t native = refusal(#name);                                                                        \
    if (native != UCS_OK) {                                                                                            \
      return UCS_STATUS_PTR(native);                                                                                   \
    }                                                                                                                  \
    const ucp_request_param_t changed = with_sent(param);                                                              \
    return __real_##name arguments;                                                                                    \
  }

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl51-cpp): the linker's names
AVRM_WRAP(ucp_config_read, (const char *prefix, const char *file, ucp_config_t **config), (prefix, file, config))
AVRM_WRAP(ucp_config_modify, (ucp_config_t * config, const char *name, const char *value), (config, name, value))
AVRM_WRAP(ucp_init_version,
          (unsigned major, unsigned minor, const ucp_params_t *params, const ucp_config_t *config,
           ucp_context_h *context),
          (major, minor, params, config, context))
AVRM_WRAP(ucp_worker_create, (ucp_context_h context, const ucp_worker_params_t *params, ucp_worker_h *worker),
          (context, params, worker))
AVRM_WRAP(ucp_worker_set_am_recv_handler, (ucp_worker_h worker, const ucp_am_handler_param_t *param), (worker, param))
AVRM_WRAP(ucp_worker_get_address, (ucp_worker_h worker, ucp_address_t **address, size_t *bytes),
          (worker, address, bytes))
AVRM_WRAP(ucp_ep_create, (ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *endpoint),
          (worker, params, endpoint))
AVRM_WRAP(ucp_mem_map, (ucp_context_h context, const ucp_mem_map_params_t *params, ucp_mem_h *region),
          (context, params, region))
AVRM_WRAP(ucp_rkey_pack, (ucp_context_h context, ucp_mem_h region, void **key, size_t *bytes),
          (context, region, key, bytes))
AVRM_WRAP(ucp_ep_rkey_unpack, (ucp_ep_h endpoint, const void *packed, ucp_rkey_h *key), (endpoint, packed, key))
AVRM_WRAP_POST(ucp_tag_send_nbx,
               (ucp_ep_h endpoint, const void *buffer, size_t count, ucp_tag_t tag, const ucp_request_param_t *param),
               (endpoint, buffer, count, tag, &changed))
AVRM_WRAP_POST(ucp_tag_send_sync_nbx,
               (ucp_ep_h endpoint, const void *buffer, size_t count, ucp_tag_t tag, const ucp_request_param_t *param),
               (endpoint, buffer, count, tag, &changed))
AVRM_WRAP_POST(ucp_am_send_nbx,
               (ucp_ep_h endpoint, unsigned id, const void *header, size_t header_bytes, const void *buffer,
                size_t count, const ucp_request_param_t *param),
               (endpoint, id, header, header_bytes, buffer, count, &changed))
AVRM_WRAP_POST(ucp_put_nbx,
               (ucp_ep_h endpoint, const void *buffer, size_t count, std::uint64_t at, ucp_rkey_h key,
                const ucp_request_param_t *param),
               (endpoint, buffer, count, at, key, &changed))
AVRM_WRAP_POST(ucp_get_nbx,
               (ucp_ep_h endpoint, void *buffer, size_t count, std::uint64_t at, ucp_rkey_h key,
                const ucp_request_param_t *param),
               (endpoint, buffer, count, at, key, &changed))
AVRM_WRAP_POST(ucp_atomic_op_nbx,
               (ucp_ep_h endpoint, ucp_atomic_op_t op, const void *buffer, size_t count, std::uint64_t at,
                ucp_rkey_h key, const ucp_request_param_t *param),
               (endpoint, op, buffer, count, at, key, &changed))
AVRM_WRAP_POST(ucp_ep_close_nbx, (ucp_ep_h endpoint, const ucp_request_param_t *param), (endpoint, &changed))
AVRM_WRAP_POST(ucp_ep_flush_nbx, (ucp_ep_h endpoint, const ucp_request_param_t *param), (endpoint, &changed))
AVRM_WRAP_POST(ucp_worker_flush_nbx, (ucp_worker_h worker, const ucp_request_param_t *param), (worker, &changed))

extern "C" ucs_status_ptr_t __real_ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count, ucp_tag_t tag,
                                                    ucp_tag_t mask, const ucp_request_param_t *param);
extern "C" ucs_status_ptr_t __wrap_ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count, ucp_tag_t tag,
                                                    ucp_tag_t mask, const ucp_request_param_t *param);
extern "C" ucs_status_ptr_t __wrap_ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count, ucp_tag_t tag,
                                                    ucp_tag_t mask, const ucp_request_param_t *param) {
  const ucs_status_t native = refusal("ucp_tag_recv_nbx");
  if (native != UCS_OK) {
    return UCS_STATUS_PTR(native);
  }
  ucp_request_param_t changed = *param;
  received_of_ours = param->cb.recv;
  changed.cb.recv = on_received;
  return __real_ucp_tag_recv_nbx(worker, buffer, count, tag, mask, &changed);
}

extern "C" unsigned __real_ucp_worker_progress(ucp_worker_h worker);
extern "C" unsigned __wrap_ucp_worker_progress(ucp_worker_h worker);
extern "C" unsigned __wrap_ucp_worker_progress(ucp_worker_h worker) {
  if (is_due(kLate, "ucp_worker_progress")) {
    keeps_back_for = worker;
    const unsigned events = __real_ucp_worker_progress(worker);
    keeps_back_for = nullptr;
    return events;
  }
  unsigned events = __real_ucp_worker_progress(worker);
  for (auto one = late.begin(); one != late.end(); ++events) {
    if (one->worker != worker) {
      ++one;
      continue;
    }
    const std::function<void()> call = std::move(one->call);
    late.erase(one);
    call();
    one = late.begin();
  }
  return events;
}

// Nobody calls for a worker that is gone.
extern "C" void __real_ucp_worker_destroy(ucp_worker_h worker);
extern "C" void __wrap_ucp_worker_destroy(ucp_worker_h worker);
extern "C" void __wrap_ucp_worker_destroy(ucp_worker_h worker) {
  std::erase_if(late, [worker](const Late &one) { return one.worker == worker; });
  __real_ucp_worker_destroy(worker);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl51-cpp)
