// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tagged messages. The match bits are UCX's tag.
#include <cstring>

#include "ucx/transport.h"

namespace avrankmap::detail::ucx {

namespace {

void on_received(void *request, ucs_status_t native, const ucp_tag_recv_info_t *info, void *) {
  ended(*static_cast<Op *>(request), native, info->sender_tag, info->length);
}

constexpr ucp_request_param_t kSend = send_param(UCP_OP_ATTR_FIELD_CALLBACK, on_sent);

constexpr ucp_request_param_t receive_param() noexcept {
  ucp_request_param_t param{};
  // Without immediate completion, because UCX 1.13 then does not report the message's tag.
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.cb.recv = on_received;
  return param;
}
constexpr ucp_request_param_t kReceive = receive_param();

constexpr ucp_request_param_t list_param() noexcept {
  ucp_request_param_t param = kReceive;
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  param.datatype = ucp_dt_make_iov();
  return param;
}
constexpr ucp_request_param_t kReceiveList = list_param();

// Sends a copy if UCX did not take the bytes immediately, because they exceed its shortest protocol
// or its queue is full.
[[gnu::noinline]] avrm_status_t inject_copy(Transport &net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                                            std::uint64_t match, ucs_status_ptr_t refusal) noexcept {
  const ucs_status_t native = UCS_PTR_RAW_STATUS(refusal);
  if (native != UCS_ERR_NO_RESOURCE) {
    return net.refused("ucp_tag_send_nbx", native);
  }
  if (!net.injects.has_room_for(handle)) {
    return AVRM_ERR_AGAIN;
  }
  Bounce *const copy = net.injects.take(handle);
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (bytes != 0) {
    std::memcpy(copy->data(), buffer, bytes);
  }
  ucp_request_param_t param = send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, on_copy_sent);
  param.user_data = copy;
  return copy_posted(net, "ucp_tag_send_nbx", ucp_tag_send_nbx(avrm_ucx_ep(handle), copy->data(), bytes, match, &param),
                     copy);
}

// A message's buffer, as UCX needs it.
struct Layout {
  void *buffer;
  std::size_t count; // bytes, or pieces
  std::uint64_t bytes;
  bool is_list;
};

// A list of pieces must exist as long as the operation, so it is stored in the request.
Layout layout_of(const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept {
  if (AVRM_LIKELY(count == 1)) {
    return {pieces->base, pieces->bytes, pieces->bytes, false};
  }
  if (count == 0) {
    return {nullptr, 0, 0, false};
  }
  static_assert(sizeof(ucp_dt_iov_t) == 2 * sizeof(std::uint64_t));
  static_assert(kFirstPieceWord + 2 * kMaxPieces <= sizeof(avrm_request_t::scratch) / sizeof(std::uint64_t));
  auto *const list = reinterpret_cast<ucp_dt_iov_t *>(request->scratch + kFirstPieceWord);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    list[i] = {pieces[i].base, pieces[i].bytes};
    bytes += pieces[i].bytes;
  }
  return {list, count, bytes, true};
}

} // namespace

avrm_status_t tinject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                      std::uint64_t match) noexcept {
  Transport &net = transport_of(netmod);
  if (AVRM_UNLIKELY(net.send == nullptr) && net.is_failed(handle)) { // there are dead peers
    return AVRM_ERR_PEER;
  }
  ucs_status_ptr_t const result = ucp_tag_send_nbx(avrm_ucx_ep(handle), buffer, bytes, match, &kNowOrNever);
  return AVRM_LIKELY(result == nullptr) ? AVRM_OK : inject_copy(net, buffer, bytes, handle, match, result);
}

namespace {

// `call` is the UCX function that sends.
[[gnu::always_inline]] inline avrm_status_t send_by(decltype(&ucp_tag_send_nbx) call, const char *name,
                                                    avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match,
                                                    const avrm_piece_t *pieces, std::size_t count,
                                                    avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  const Layout layout = layout_of(pieces, count, request);
  ucs_status_ptr_t result = nullptr;
  if (AVRM_LIKELY(!layout.is_list)) {
    result = call(avrm_ucx_ep(handle), layout.buffer, layout.count, match, &kSend);
  } else {
    ucp_request_param_t param = send_param(UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_DATATYPE, on_sent);
    param.datatype = ucp_dt_make_iov();
    result = call(avrm_ucx_ep(handle), layout.buffer, layout.count, match, &param);
  }
  return posted(net, name, result, request, handle, layout.bytes);
}

} // namespace

avrm_status_t tsend(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                    std::size_t count, avrm_request_t *request) noexcept {
  return send_by(ucp_tag_send_nbx, "ucp_tag_send_nbx", netmod, handle, match, pieces, count, request);
}

avrm_status_t tsend_sync(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                         std::size_t count, avrm_request_t *request) noexcept {
  return send_by(ucp_tag_send_sync_nbx, "ucp_tag_send_sync_nbx", netmod, handle, match, pieces, count, request);
}

avrm_status_t trecv(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  const Layout layout = layout_of(pieces, count, request);
  ucs_status_ptr_t result = nullptr;
  if (AVRM_LIKELY(!layout.is_list)) {
    result = ucp_tag_recv_nbx(net.worker.get(), layout.buffer, layout.count, match, ~ignore, &kReceive);
  } else {
    result = ucp_tag_recv_nbx(net.worker.get(), layout.buffer, layout.count, match, ~ignore, &kReceiveList);
  }
  return posted(net, "ucp_tag_recv_nbx", result, request, handle, layout.bytes, true);
}

avrm_status_t tprobe(avrm_netmod_t *netmod, std::uint64_t match, std::uint64_t ignore, bool claim, bool *found_p,
                     avrm_netmod_message_t *message_p) noexcept {
  ucp_tag_recv_info_t info;
  ucp_tag_message_h const message =
      ucp_tag_probe_nb(transport_of(netmod).worker.get(), match, ~ignore, claim ? 1 : 0, &info);
  *found_p = message != nullptr;
  if (message != nullptr) {
    *message_p = {info.sender_tag, info.length, message};
  }
  return AVRM_OK;
}

avrm_status_t trecv_claimed(avrm_netmod_t *netmod, std::uint64_t handle, const avrm_netmod_message_t *message,
                            const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  const Layout layout = layout_of(pieces, count, request);
  ucs_status_ptr_t const result = ucp_tag_msg_recv_nbx(net.worker.get(), layout.buffer, layout.count,
                                                       static_cast<ucp_tag_message_h>(message->claimed),
                                                       layout.is_list ? &kReceiveList : &kReceive);
  return posted(net, "ucp_tag_msg_recv_nbx", result, request, handle, layout.bytes, true);
}

void cancel(avrm_netmod_t *netmod, avrm_request_t *request) noexcept {
  auto *const op = static_cast<Op *>(request->op);
  if (op != nullptr) {
    op->cancelled = true;
    ucp_request_cancel(transport_of(netmod).worker.get(), op);
  }
}

void cancel_receives(Transport &net) noexcept {
  // Leaves matched receives alone.
  net.records.for_each_posted([&net](Op *op) {
    if (op->is_receive && !op->cancelled) {
      op->cancelled = true;
      ucp_request_cancel(net.worker.get(), op);
    }
  });
}

} // namespace avrankmap::detail::ucx
