// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory, keys, put, get, flush. Over transports without remote memory access, such as TCP, UCX
// emulates it, and the target must make progress.
#include <cstring>
#include <new>

#include "ucx/transport.h"

struct avrm_netmod_memory {
  ucp_mem_h region; // null for 0 bytes
  std::uint64_t base;
};

namespace avrankmap::detail::ucx {

namespace {

// Describes memory to peers. The packed key follows.
struct Description {
  std::uint64_t base;
  std::uint64_t hash; // of the packed key
};

constexpr ucp_request_param_t kWithCallback = send_param(UCP_OP_ATTR_FIELD_CALLBACK, on_sent);

} // namespace

// `key` is unused: UCX chooses the keys.
avrm_status_t memory_register(avrm_netmod_t *netmod, void *base, std::size_t bytes, std::uint64_t /*key*/,
                              avrm_netmod_memory_t **memory_p) noexcept {
  Transport &net = transport_of(netmod);
  std::unique_ptr<avrm_netmod_memory_t> memory(
      new (std::nothrow) avrm_netmod_memory_t{nullptr, reinterpret_cast<std::uintptr_t>(base)});
  if (memory == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (bytes != 0) {
    ucp_mem_map_params_t params{};
    params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    params.address = base;
    params.length = bytes;
    const ucs_status_t native = ucp_mem_map(net.context.get(), &params, &memory->region);
    if (native != UCS_OK) {
      return net.failed_call("ucp_mem_map", native);
    }
  }
  *memory_p = memory.release();
  return AVRM_OK;
}

void memory_release(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory) noexcept {
  if (memory->region != nullptr) {
    ucp_mem_unmap(transport_of(netmod).context.get(), memory->region);
  }
  delete memory;
}

avrm_status_t memory_describe(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer,
                              std::size_t *bytes_p) noexcept {
  Transport &net = transport_of(netmod);
  void *key = nullptr;
  std::size_t key_bytes = 0;
  if (memory->region != nullptr) {
    const ucs_status_t native = ucp_rkey_pack(net.context.get(), memory->region, &key, &key_bytes);
    if (native != UCS_OK) {
      return net.failed_call("ucp_rkey_pack", native);
    }
  }
  const std::unique_ptr<void, void (*)(void *)> owner(key, ucp_rkey_buffer_release);
  const Description description{memory->base, hash_of(key, key_bytes)};
  if (*bytes_p < sizeof description + key_bytes) {
    return AVRM_ERR_SIZE;
  }
  std::memcpy(buffer, &description, sizeof description);
  if (key_bytes != 0) {
    std::memcpy(static_cast<unsigned char *>(buffer) + sizeof description, key, key_bytes);
  }
  *bytes_p = sizeof description + key_bytes;
  return AVRM_OK;
}

avrm_status_t key_open(avrm_netmod_t *netmod, std::uint64_t handle, const void *description, std::size_t bytes,
                       std::uint64_t *remote_p, std::uint64_t *key_p) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  Description parsed{};
  if (bytes < sizeof parsed) {
    return AVRM_ERR_SIZE;
  }
  std::memcpy(&parsed, description, sizeof parsed);
  const unsigned char *const packed = static_cast<const unsigned char *>(description) + sizeof parsed;
  ucp_rkey_h key = nullptr; // for 0 bytes
  ucs_status_t native = parsed.hash == hash_of(packed, bytes - sizeof parsed) ? UCS_OK : UCS_ERR_INVALID_PARAM;
  if (native == UCS_OK && bytes > sizeof parsed) {
    native = ucp_ep_rkey_unpack(avrm_ucx_ep(handle), packed, &key);
  }
  if (native != UCS_OK) {
    return net.failed_call("ucp_ep_rkey_unpack", native);
  }
  *remote_p = parsed.base;
  *key_p = reinterpret_cast<std::uintptr_t>(key);
  return AVRM_OK;
}

void key_close(avrm_netmod_t * /*netmod*/, std::uint64_t key) noexcept {
  if (key != 0) {
    ucp_rkey_destroy(avrm_ucx_rkey(key));
  }
}

avrm_status_t put(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                  const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  ucs_status_ptr_t result = nullptr;
  if (bytes != 0) {
    result = ucp_put_nbx(avrm_ucx_ep(handle), buffer, bytes, remote, avrm_ucx_rkey(key), &kWithCallback);
  }
  return posted(net, "ucp_put_nbx", result, request, handle, bytes);
}

avrm_status_t get(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key, void *buffer,
                  std::size_t bytes, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  ucs_status_ptr_t result = nullptr;
  if (bytes != 0) {
    result = ucp_get_nbx(avrm_ucx_ep(handle), buffer, bytes, remote, avrm_ucx_rkey(key), &kWithCallback);
  }
  return posted(net, "ucp_get_nbx", result, request, handle, bytes);
}

avrm_status_t flush(avrm_netmod_t *netmod, std::uint64_t handle, avrm_request_t *request) noexcept {
  Transport &net = transport_of(netmod);
  if (net.is_failed(handle)) {
    return AVRM_ERR_PEER;
  }
  return posted(net, "ucp_ep_flush_nbx", ucp_ep_flush_nbx(avrm_ucx_ep(handle), &kWithCallback), request, handle, 0);
}

} // namespace avrankmap::detail::ucx
