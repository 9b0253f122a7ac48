// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "netmod/null/null_netmod.h"

#include <cstdint>
#include <new>

#include "netmod/null/null_net.h"

namespace {

struct NullNetmod : avrm_netmod_t {
  std::uint64_t inserted = 0;
  avrm_null_net_t net;
};

NullNetmod *self(avrm_netmod_t *netmod) noexcept { return static_cast<NullNetmod *>(netmod); }

avrm_status_t open_null(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) {
  if (config->provider != nullptr) {
    return AVRM_ERR_UNSUPPORTED; // there is nothing to choose from
  }
  auto *const netmod = new (std::nothrow) NullNetmod;
  if (netmod == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  netmod->ops = avrm_netmod_null();
  netmod->inject_max = 8;
  netmod->am_max = 4096;
  netmod->pieces_max = 1;
  netmod->capabilities = AVRM_NETMOD_PUT | AVRM_NETMOD_GET;
  avrm_null_init(&netmod->net);
  *netmod_p = netmod;
  return AVRM_OK;
}

void close_null(avrm_netmod_t *netmod) { delete self(netmod); }

const char *last_error(const avrm_netmod_t * /*netmod*/) { return "the null network has no errors"; }
const char *describe(const avrm_netmod_t * /*netmod*/) { return "issues, delivers nothing"; }

avrm_status_t address(avrm_netmod_t * /*netmod*/, void * /*buffer*/, size_t *bytes_p) {
  *bytes_p = 0;
  return AVRM_OK;
}

avrm_status_t insert(avrm_netmod_t *netmod, size_t count, const void * /*addresses*/, size_t /*pitch*/,
                     size_t /*bytes*/, uint64_t *handles) {
  for (size_t i = 0; i < count; ++i) {
    handles[i] = self(netmod)->inserted++;
  }
  return AVRM_OK;
}

void remove_peer(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/) {}

avrm_status_t tinject(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const void *buffer, size_t bytes) {
  avrm_null_isend(&self(netmod)->net, handle, match, 0, buffer, 0, bytes, nullptr);
  return AVRM_OK;
}

avrm_status_t tsend(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces,
                    size_t /*count*/, avrm_request_t *request) {
  avrm_null_isend(&self(netmod)->net, handle, match, 0, pieces->base, 0, pieces->bytes, request);
  request->complete(request, AVRM_OK, match, pieces->bytes);
  return AVRM_OK;
}

avrm_status_t trecv(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/, uint64_t /*match*/, uint64_t /*ignore*/,
                    const avrm_piece_t * /*pieces*/, size_t /*count*/, avrm_request_t * /*request*/) {
  return AVRM_OK;
}

void cancel(avrm_netmod_t * /*netmod*/, avrm_request_t *request) {
  request->complete(request, AVRM_ERR_CANCELLED, 0, 0);
}

avrm_status_t am_send(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/, const void * /*header*/, size_t /*header_bytes*/,
                      const void * /*payload*/, size_t /*payload_bytes*/) {
  return AVRM_ERR_UNSUPPORTED; // an answer would never come
}

avrm_status_t memory_register(avrm_netmod_t * /*netmod*/, void *base, size_t /*bytes*/,
                              avrm_netmod_memory_t **memory_p) {
  *memory_p = static_cast<avrm_netmod_memory_t *>(base);
  return AVRM_OK;
}
void memory_release(avrm_netmod_t * /*netmod*/, avrm_netmod_memory_t * /*memory*/) {}

avrm_status_t memory_describe(avrm_netmod_t * /*netmod*/, avrm_netmod_memory_t * /*memory*/, void * /*buffer*/,
                              size_t *bytes_p) {
  *bytes_p = 0;
  return AVRM_OK;
}

avrm_status_t key_open(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/, const void * /*description*/, size_t /*bytes*/,
                       avrm_netmod_key_t **key_p) {
  *key_p = nullptr;
  return AVRM_OK;
}
void key_close(avrm_netmod_t * /*netmod*/, avrm_netmod_key_t * /*key*/) {}

avrm_status_t put(avrm_netmod_t *netmod, uint64_t handle, avrm_netmod_key_t * /*key*/, uint64_t offset,
                  const void *buffer, size_t bytes, avrm_request_t *request) {
  avrm_null_put(&self(netmod)->net, handle, offset, 0, bytes, 0, buffer, request);
  request->complete(request, AVRM_OK, 0, bytes);
  return AVRM_OK;
}

avrm_status_t get(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/, avrm_netmod_key_t * /*key*/, uint64_t /*offset*/,
                  void * /*buffer*/, size_t bytes, avrm_request_t *request) {
  request->complete(request, AVRM_OK, 0, bytes);
  return AVRM_OK;
}

avrm_status_t flush(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/, avrm_request_t *request) {
  request->complete(request, AVRM_OK, 0, 0);
  return AVRM_OK;
}

int progress(avrm_netmod_t * /*netmod*/) { return 0; }
void peer_failed(avrm_netmod_t * /*netmod*/, uint64_t /*handle*/) {}

constexpr avrm_netmod_ops_t kOps{
    .name = "null",
    .codec = AVRM_CODEC_OFI,
    .open = open_null,
    .close = close_null,
    .last_error = last_error,
    .describe = describe,
    .address = address,
    .insert = insert,
    .remove = remove_peer,
    .tinject = tinject,
    .tsend = tsend,
    .trecv = trecv,
    .cancel = cancel,
    .am_send = am_send,
    .memory_register = memory_register,
    .memory_release = memory_release,
    .memory_describe = memory_describe,
    .key_open = key_open,
    .key_close = key_close,
    .put = put,
    .get = get,
    .flush = flush,
    .progress = progress,
    .peer_failed = peer_failed,
};

} // namespace

const avrm_netmod_ops_t *avrm_netmod_null(void) noexcept { return &kOps; }
