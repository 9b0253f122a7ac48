// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Peers: insertion, removal, failure, and closing.
#include <sched.h>

#include <cstring>
#include <new>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

void on_endpoint_error(void *user, ucp_ep_h endpoint, ucs_status_t native) noexcept {
  Transport &net = *static_cast<Transport *>(user);
  net.error.set("endpoint", net.transports, native);
  net.errors.push_back(handle_of(endpoint)); // insert has made room
  net.attention = true;
}

template <typename List> void make_room(List *list, std::size_t wanted) {
  if (list->capacity() < wanted) {
    list->reserve(std::max(wanted, 2 * list->capacity()));
  }
}

// Reserves room in all lists that these peers may enter later, so that failures need no memory. An
// endpoint is in each list at most once.
bool make_room_for_peers(Transport &net, std::size_t count) noexcept {
  const std::size_t wanted = net.endpoints.size() + net.closings.size() + net.failed.size() + net.parked.size() + count;
  try {
    make_room(&net.endpoints, wanted);
    make_room(&net.failed, wanted);
    make_room(&net.errors, wanted);
    make_room(&net.closings, wanted);
    make_room(&net.parked, wanted);
    return true;
  } catch (...) { // std::bad_alloc or std::length_error
    return false;
  }
}

void close_by_force(ucp_ep_h endpoint) noexcept {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  ucs_status_ptr_t const request = ucp_ep_close_nbx(endpoint, &param);
  if (UCS_PTR_IS_PTR(request)) {
    ucp_request_free(request);
  }
}

ucs_status_t create(Transport &net, const void *address, ucp_ep_h *endpoint_p) noexcept {
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = static_cast<const ucp_address_t *>(address);
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = on_endpoint_error;
  params.err_handler.arg = &net;
  for (;;) {
    ucp_ep_h endpoint = nullptr;
    const ucs_status_t native = ucp_ep_create(net.worker.get(), &params, &endpoint);
    if (native != UCS_OK) {
      return native;
    }
    if (!net.is_failed(handle_of(endpoint))) {
      *endpoint_p = endpoint;
      return UCS_OK;
    }
    net.parked.push_back(endpoint);
  }
}

// True if the address is undamaged: UCX reads beyond damaged ones.
bool is_whole(const unsigned char *address, std::size_t bytes) noexcept {
  std::uint64_t hash = 0;
  std::memcpy(&hash, address, sizeof hash);
  return hash == hash_of(address + kAddressHeader, bytes - kAddressHeader);
}

template <typename T> bool erase_value(std::vector<T> *list, const T &value) noexcept {
  const auto found = std::find(list->begin(), list->end(), value);
  if (found == list->end()) {
    return false;
  }
  *found = list->back();
  list->pop_back();
  return true;
}

Closing *closing_of(Transport &net, std::uint64_t handle) noexcept {
  for (Closing &closing : net.closings) {
    if (closing.handle == handle) {
      return &closing;
    }
  }
  return nullptr;
}

void force(Transport &net, Closing *closing) noexcept {
  if (closing->flush != nullptr) {
    ucp_request_free(closing->flush);
    closing->flush = nullptr;
  }
  closing->forced = true;
  closing->deadline = Clock::now() + kCloseTimeout;
  // Recorded before UCX ends the endpoint's operations, so that these find the reason.
  net.failed.add(closing->handle);
  net.choose_ways();
  close_by_force(avrm_ucx_ep(closing->handle));
}

// Frees the handle of a failed peer after its last use.
void forget(Transport &net, std::uint64_t handle) noexcept {
  net.failed.remove(handle);
  net.choose_ways();
  if (erase_value(&net.parked, avrm_ucx_ep(handle))) {
    close_by_force(avrm_ucx_ep(handle));
  }
}

// Returns true once the closing is over. UCX does not tell when a forced one is: it gets a fixed
// time.
bool go_on(Transport &net, Closing *closing) noexcept {
  const bool late = Clock::now() >= closing->deadline;
  if (!closing->forced) {
    if (closing->flush != nullptr && ucp_request_check_status(closing->flush) == UCS_INPROGRESS && !late) {
      return false;
    }
    force(net, closing);
    return false;
  }
  return late;
}

// Makes progress until `is_over` returns true or the deadline is reached.
template <typename IsOver> void progress_until(Transport &net, Clock::time_point deadline, IsOver is_over) noexcept {
  while (!is_over() && Clock::now() < deadline) {
    if (ucp_worker_progress(net.worker.get()) == 0) {
      sched_yield();
    }
  }
}

// Sends what is still queued, and what is queued meanwhile. Returns false if this takes longer than
// kCloseTimeout, since a peer does not answer.
bool flush_all(Transport &net) noexcept {
  const Clock::time_point deadline = Clock::now() + kCloseTimeout;
  const ucp_request_param_t param{};
  for (;;) {
    ucs_status_ptr_t const flush = ucp_worker_flush_nbx(net.worker.get(), &param);
    if (!UCS_PTR_IS_PTR(flush)) {
      return true;
    }
    progress_until(net, deadline, [&] { return ucp_request_check_status(flush) != UCS_INPROGRESS; });
    const bool is_late = ucp_request_check_status(flush) == UCS_INPROGRESS;
    ucp_request_free(flush);
    if (is_late) {
      return false;
    }
  }
}

// Before 1.14, UCX aborts (ucp_request.c:684) if an endpoint is closed or a worker is destroyed
// while an answer to a peer that connects is unsent.
bool must_send_all() noexcept {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  ucp_get_version(&major, &minor, &patch);
  return major == 1 && minor < 14;
}

} // namespace

bool Transport::find_failed(std::uint64_t handle) const noexcept { return failed.has(handle); }

avrm_status_t insert(avrm_netmod_t *netmod, std::size_t count, const void *addresses, std::size_t pitch,
                     std::size_t bytes, std::uint64_t *handles) noexcept {
  Transport &net = transport_of(netmod);
  if (bytes <= kAddressHeader) {
    net.error.set("the peer's address has an invalid length", net.transports, UCS_ERR_INVALID_ADDR);
    return AVRM_ERR_SIZE;
  }
  if (!make_room_for_peers(net, count)) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned char *const address = static_cast<const unsigned char *>(addresses) + i * pitch;
    ucp_ep_h endpoint = nullptr;
    const ucs_status_t native =
        is_whole(address, bytes) ? create(net, address + kAddressHeader, &endpoint) : UCS_ERR_INVALID_ADDR;
    if (native != UCS_OK) {
      for (; i > 0; --i) {
        close_by_force(net.endpoints.back());
        net.endpoints.pop_back();
      }
      return net.failed_call("ucp_ep_create", native);
    }
    net.endpoints.push_back(endpoint);
  }
  std::transform(net.endpoints.end() - static_cast<std::ptrdiff_t>(count), net.endpoints.end(), handles, handle_of);
  return AVRM_OK;
}

void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return;
  }
  if (Closing *const closing = closing_of(net, handle); closing != nullptr) {
    force(net, closing);
  } else if (erase_value(&net.endpoints, avrm_ucx_ep(handle))) {
    net.closings.push_back({handle, nullptr, false, false, {}});
    net.attention = true;
    force(net, &net.closings.back());
  }
}

void remove_peer(avrm_netmod_t *netmod, std::uint64_t handle) noexcept {
  Transport &net = transport_of(netmod);
  if (Closing *const closing = closing_of(net, handle); closing != nullptr) {
    closing->removed = true;
    return;
  }
  if (net.is_failed(handle)) {
    forget(net, handle);
    return;
  }
  if (!erase_value(&net.endpoints, avrm_ucx_ep(handle))) {
    return;
  }
  const ucp_request_param_t param{};
  ucs_status_ptr_t const flush = ucp_ep_flush_nbx(avrm_ucx_ep(handle), &param);
  net.closings.push_back({handle, UCS_PTR_IS_PTR(flush) ? flush : nullptr, false, true, Clock::now() + kCloseTimeout});
  net.attention = true;
}

int attend_endpoints(Transport &net) noexcept {
  int events = 0;
  while (!net.errors.empty()) {
    const std::uint64_t handle = net.errors.back();
    net.errors.pop_back();
    peer_failed(&net.common, handle);
    if (net.config.on_lost != nullptr) {
      net.config.on_lost(net.config.user, &net.common, handle);
    }
    ++events;
  }
  for (std::size_t i = 0; i < net.closings.size();) {
    if (!go_on(net, &net.closings[i])) {
      ++i;
      continue;
    }
    const Closing over = net.closings[i];
    net.closings[i] = net.closings.back();
    net.closings.pop_back();
    abandon_peer(net, over.handle, over.removed ? AVRM_ERR_CANCELLED : AVRM_ERR_PEER);
    if (over.removed) {
      forget(net, over.handle);
    }
    ++events;
  }
  net.attention = !net.errors.empty() || !net.closings.empty();
  return events;
}

void close_endpoints(Transport &net) noexcept {
  net.closing = true;
  drop_arrived(net);
  cancel_receives(net);

  bool is_safe = flush_all(net) || !must_send_all();
  if (is_safe) {
    for (std::size_t i = 0; i < net.closings.size(); ++i) {
      if (!net.closings[i].forced) {
        force(net, &net.closings[i]);
      }
    }
    for (auto *list : {&net.endpoints, &net.parked}) {
      while (!list->empty()) {
        ucp_ep_h const endpoint = list->back();
        list->pop_back();
        close_by_force(endpoint);
      }
    }
    // UCX closes endpoints in steps, which are complete once nothing progresses any more.
    int idle = 0;
    progress_until(net, Clock::now() + kCloseTimeout, [&] { return !net.records.has_posted() && ++idle > 64; });
    is_safe = flush_all(net) || !must_send_all(); // peers may have begun to connect
  }
  abandon_all(net, AVRM_ERR_CANCELLED);
  if (!is_safe) { // UCX would abort (must_send_all): its worker is never destroyed
    (void)net.worker.release();
    (void)net.context.release();
  }
}

} // namespace avrankmap::detail::ucx
