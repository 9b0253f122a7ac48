// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "null/null.h"

#include <cstdint>
#include <new>

#include "null/null_fast.h"

namespace {

avrm_null_netmod_t *self(avrm_netmod_t *netmod) noexcept { return reinterpret_cast<avrm_null_netmod_t *>(netmod); }

avrm_status_t open_null(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) {
  if (config->provider != nullptr) {
    return AVRM_ERR_UNSUPPORTED; // there are no providers to choose from
  }
  auto *const null = new (std::nothrow) avrm_null_netmod_t;
  if (null == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_netmod_t *const netmod = &null->common;
  null->inserted = 0;
  null->receives = nullptr;
  netmod->ops = avrm_netmod_null();
  netmod->inject_max = 8;
  netmod->am_max = 4096;
  netmod->pieces_max = 1;
  netmod->capabilities = AVRM_NETMOD_PUT | AVRM_NETMOD_GET | AVRM_NETMOD_PUT_INJECT | AVRM_NETMOD_PLAIN_KEYS |
                         AVRM_NETMOD_PUT_VISIBLE | AVRM_NETMOD_SYNC;
  netmod->poll_pause_ns = 0;
  avrm_null_init(&null->net);
  *netmod_p = netmod;
  return AVRM_OK;
}

// Pending receives form a list. The links are stored in the requests.
struct Links {
  avrm_request_t *next;
  avrm_request_t *previous;
};
Links *links_of(avrm_request_t *request) noexcept { return reinterpret_cast<Links *>(request->scratch); }

void cancel(avrm_netmod_t *netmod, avrm_request_t *request) {
  const Links links = *links_of(request);
  (links.previous != nullptr ? links_of(links.previous)->next : self(netmod)->receives) = links.next;
  if (links.next != nullptr) {
    links_of(links.next)->previous = links.previous;
  }
  request->complete(request, AVRM_ERR_CANCELLED, 0, 0);
}

void close_null(avrm_netmod_t *netmod) {
  while (self(netmod)->receives != nullptr) {
    cancel(netmod, self(netmod)->receives);
  }
  delete self(netmod);
}

const char *last_error(const avrm_netmod_t *) { return "the null network has no errors"; }
const char *describe(const avrm_netmod_t *) { return "issues, delivers nothing"; }

avrm_status_t address(avrm_netmod_t *, void *, size_t *bytes_p) {
  *bytes_p = 0;
  return AVRM_OK;
}

avrm_status_t insert(avrm_netmod_t *netmod, size_t count, const void *, size_t, size_t, uint64_t *handles) {
  for (size_t i = 0; i < count; ++i) {
    handles[i] = self(netmod)->inserted++;
  }
  return AVRM_OK;
}

void remove_peer(avrm_netmod_t *, uint64_t) {}

avrm_status_t tsend(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces, size_t,
                    avrm_request_t *request) {
  avrm_null_isend(&self(netmod)->net, handle, match, 0, pieces->base, 0, pieces->bytes, request);
  request->complete(request, AVRM_OK, match, pieces->bytes);
  return AVRM_OK;
}

avrm_status_t trecv(avrm_netmod_t *netmod, uint64_t, uint64_t, uint64_t, const avrm_piece_t *, size_t,
                    avrm_request_t *request) {
  avrm_request_t *const first = self(netmod)->receives;
  *links_of(request) = {first, nullptr};
  if (first != nullptr) {
    links_of(first)->previous = request;
  }
  self(netmod)->receives = request;
  return AVRM_OK;
}

avrm_status_t tprobe(avrm_netmod_t *, uint64_t, uint64_t, bool, bool *found_p, avrm_netmod_message_t *) {
  *found_p = false;
  return AVRM_OK;
}

avrm_status_t trecv_claimed(avrm_netmod_t *, uint64_t, const avrm_netmod_message_t *, const avrm_piece_t *, size_t,
                            avrm_request_t *) {
  return AVRM_ERR_UNSUPPORTED; // no message can be claimed
}

avrm_status_t am_send(avrm_netmod_t *, uint64_t, const void *, size_t, const void *, size_t) {
  return AVRM_ERR_UNSUPPORTED; // no peer would answer
}

avrm_status_t memory_register(avrm_netmod_t *, void *base, size_t, uint64_t, avrm_netmod_memory_t **memory_p) {
  *memory_p = static_cast<avrm_netmod_memory_t *>(base);
  return AVRM_OK;
}
void memory_release(avrm_netmod_t *, avrm_netmod_memory_t *) {}

avrm_status_t memory_describe(avrm_netmod_t *, avrm_netmod_memory_t *, void *, size_t *bytes_p) {
  *bytes_p = 0;
  return AVRM_OK;
}

// All peers' memory has the same address and key.
constexpr std::uint64_t kRemote = 0x100000;
constexpr std::uint64_t kRemoteKey = 42;

avrm_status_t memory_values(avrm_netmod_t *, avrm_netmod_memory_t *, uint64_t *remote_p, uint64_t *key_p) {
  *remote_p = kRemote;
  *key_p = kRemoteKey;
  return AVRM_OK;
}

avrm_status_t key_open(avrm_netmod_t *netmod, uint64_t, const void *, size_t, uint64_t *remote_p, uint64_t *key_p) {
  return memory_values(netmod, nullptr, remote_p, key_p);
}
void key_close(avrm_netmod_t *, uint64_t) {}

avrm_status_t put(avrm_netmod_t *netmod, uint64_t handle, uint64_t remote, uint64_t key, const void *buffer,
                  size_t bytes, avrm_request_t *request) {
  avrm_null_put(&self(netmod)->net, handle, remote, key, bytes, 0, buffer, request);
  request->complete(request, AVRM_OK, 0, bytes);
  return AVRM_OK;
}

avrm_status_t get(avrm_netmod_t *, uint64_t, uint64_t, uint64_t, void *, size_t bytes, avrm_request_t *request) {
  request->complete(request, AVRM_OK, 0, bytes);
  return AVRM_OK;
}

avrm_status_t flush(avrm_netmod_t *, uint64_t, avrm_request_t *request) {
  request->complete(request, AVRM_OK, 0, 0);
  return AVRM_OK;
}

int progress(avrm_netmod_t *) { return 0; }
void peer_failed(avrm_netmod_t *, uint64_t) {}

avrm_status_t tinject(avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle, uint64_t match) {
  return avrm_null_tinject(buffer, bytes, handle, match, netmod);
}

avrm_status_t put_inject(avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle, uint64_t remote,
                         uint64_t key) {
  return avrm_null_put_inject(buffer, bytes, key, remote, handle, netmod);
}

avrm_status_t open_queue(avrm_netmod_t *, avrm_netmod_t **queue_p) {
  const avrm_netmod_config_t config{};
  return open_null(&config, queue_p);
}

constexpr avrm_netmod_ops_t kOps{
    .bytes = sizeof(avrm_netmod_ops_t),
    .version = AVRM_NETMOD_VERSION,
    .codec = AVRM_CODEC_OFI,
    .name = "null",
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
    .progress = progress,
    .peer_failed = peer_failed,
    .tprobe = tprobe,
    .trecv_claimed = trecv_claimed,
    .memory_register = memory_register,
    .memory_release = memory_release,
    .memory_describe = memory_describe,
    .memory_values = memory_values,
    .key_open = key_open,
    .key_close = key_close,
    .put = put,
    .get = get,
    .flush = flush,
    .arm = nullptr,
    .open_queue = open_queue,
    .put_inject = put_inject,
    .atomic = nullptr,
    .fp_tinject = avrm_null_tinject,
    .fp_put_inject = avrm_null_put_inject,
    .tsend_sync = tsend, // completes at once, because no receive would ever match it
};

} // namespace

const avrm_netmod_ops_t *avrm_netmod_null(void) noexcept { return &kOps; }
