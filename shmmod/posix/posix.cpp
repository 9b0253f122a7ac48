// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of operations. `open` checks its arguments; the others pass theirs on to the endpoint.
#include "posix/posix.h"

#include <memory>
#include <new>

#include "posix/endpoint.h"
#include "posix/memory.h"

namespace avrankmap::detail::posix {

namespace {

Endpoint *endpoint_of(avrm_shmmod_t *shmmod) noexcept { return static_cast<Endpoint *>(shmmod); }

avrm_status_t open(const avrm_shmmod_config_t *config, avrm_shmmod_t **shmmod_p) noexcept {
  if (config == nullptr || shmmod_p == nullptr || config->on_message == nullptr || config->on_am == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (config->local_size <= 0) {
    return AVRM_ERR_SIZE;
  }
  if (config->local_rank < 0 || config->local_rank >= config->local_size) {
    return AVRM_ERR_RANK;
  }
  std::unique_ptr<Endpoint> endpoint(new (std::nothrow) Endpoint(*config, avrm_shmmod_posix()));
  if (endpoint == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = endpoint->open();
  if (status == AVRM_OK) {
    *shmmod_p = endpoint.release();
  }
  return status;
}

void close(avrm_shmmod_t *shmmod) noexcept {
  if (shmmod != nullptr) {
    const std::unique_ptr<Endpoint> endpoint(endpoint_of(shmmod));
    endpoint->close();
  }
}

avrm_status_t card(avrm_shmmod_t *shmmod, void *buffer, std::size_t *bytes_p) noexcept {
  return endpoint_of(shmmod)->card(buffer, bytes_p);
}

avrm_status_t connect(avrm_shmmod_t *shmmod, std::int32_t local_rank, const void *card, std::size_t bytes) noexcept {
  return endpoint_of(shmmod)->connect(local_rank, card, bytes);
}

avrm_status_t send(avrm_shmmod_t *shmmod, std::int32_t local_rank, std::uint64_t match, const void *buffer,
                   std::size_t bytes, avrm_request_t *request) noexcept {
  return endpoint_of(shmmod)->send(local_rank, match, buffer, bytes, request);
}

avrm_status_t take(avrm_shmmod_t *shmmod, std::int32_t local_rank, std::uint64_t ticket, void *buffer,
                   std::size_t bytes, avrm_request_t *request) noexcept {
  return endpoint_of(shmmod)->take(local_rank, ticket, buffer, bytes, request);
}

avrm_status_t am_send(avrm_shmmod_t *shmmod, std::int32_t local_rank, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) noexcept {
  return endpoint_of(shmmod)->am_send(local_rank, header, header_bytes, payload, payload_bytes);
}

avrm_status_t memory_allocate(avrm_shmmod_t * /*shmmod*/, void *at, std::size_t bytes, void **base_p,
                              avrm_shmmod_memory_t **memory_p) noexcept {
  return allocate_memory(at, bytes, base_p, memory_p);
}

void memory_release(avrm_shmmod_t * /*shmmod*/, avrm_shmmod_memory_t *memory) noexcept { release_memory(memory); }

avrm_status_t memory_describe(avrm_shmmod_t * /*shmmod*/, avrm_shmmod_memory_t *memory, void *buffer,
                              std::size_t *bytes_p) noexcept {
  return describe_memory(memory, buffer, bytes_p);
}

avrm_status_t memory_map(avrm_shmmod_t * /*shmmod*/, std::int32_t /*local_rank*/, const void *description,
                         std::size_t bytes, std::uint64_t least, void **base_p,
                         avrm_shmmod_memory_t **memory_p) noexcept {
  return map_memory(description, bytes, least, base_p, memory_p);
}

int progress(avrm_shmmod_t *shmmod) noexcept { return endpoint_of(shmmod)->progress(); }

avrm_status_t arm(avrm_shmmod_t *shmmod, int *descriptor_p) noexcept { return endpoint_of(shmmod)->arm(descriptor_p); }

void disarm(avrm_shmmod_t *shmmod) noexcept { endpoint_of(shmmod)->disarm(); }

void peer_failed(avrm_shmmod_t *shmmod, std::int32_t local_rank) noexcept {
  endpoint_of(shmmod)->peer_failed(local_rank);
}

void relayed(avrm_shmmod_t *shmmod, const void *data, std::size_t bytes) noexcept {
  endpoint_of(shmmod)->relayed(data, bytes);
}

avrm_status_t send_sync(avrm_shmmod_t *shmmod, std::int32_t local_rank, std::uint64_t match, const void *buffer,
                        std::size_t bytes, avrm_request_t *request) noexcept {
  return endpoint_of(shmmod)->send_sync(local_rank, match, buffer, bytes, request);
}

// The same operations with relays. A record that is written into a ring is sent immediately if the
// network accepts it. So when a message is accepted, at most one record waits, unless the message
// is large.

avrm_status_t send_relaying(avrm_shmmod_t *shmmod, std::int32_t local_rank, std::uint64_t match, const void *buffer,
                            std::size_t bytes, avrm_request_t *request) noexcept {
  Endpoint &endpoint = *endpoint_of(shmmod);
  avrm_status_t status = endpoint.carry_to(local_rank);
  if (status == AVRM_OK) {
    status = endpoint.send(local_rank, match, buffer, bytes, request);
    (void)endpoint.carry_to(local_rank);
  }
  return status;
}

avrm_status_t send_sync_relaying(avrm_shmmod_t *shmmod, std::int32_t local_rank, std::uint64_t match,
                                 const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept {
  Endpoint &endpoint = *endpoint_of(shmmod);
  avrm_status_t status = endpoint.carry_to(local_rank);
  if (status == AVRM_OK) {
    status = endpoint.send_sync(local_rank, match, buffer, bytes, request);
    (void)endpoint.carry_to(local_rank);
  }
  return status;
}

avrm_status_t take_relaying(avrm_shmmod_t *shmmod, std::int32_t local_rank, std::uint64_t ticket, void *buffer,
                            std::size_t bytes, avrm_request_t *request) noexcept {
  const avrm_status_t status = endpoint_of(shmmod)->take(local_rank, ticket, buffer, bytes, request);
  (void)endpoint_of(shmmod)->carry_to(local_rank);
  return status;
}

avrm_status_t am_send_relaying(avrm_shmmod_t *shmmod, std::int32_t local_rank, const void *header,
                               std::size_t header_bytes, const void *payload, std::size_t payload_bytes) noexcept {
  Endpoint &endpoint = *endpoint_of(shmmod);
  avrm_status_t status = endpoint.carry_to(local_rank);
  if (status == AVRM_OK) {
    status = endpoint.am_send(local_rank, header, header_bytes, payload, payload_bytes);
    (void)endpoint.carry_to(local_rank);
  }
  return status;
}

int progress_relaying(avrm_shmmod_t *shmmod) noexcept {
  int events = endpoint_of(shmmod)->progress();
  (void)endpoint_of(shmmod)->carry_all(&events);
  return events;
}

avrm_status_t arm_relaying(avrm_shmmod_t *shmmod, int *descriptor_p) noexcept {
  int events = 0;
  return endpoint_of(shmmod)->carry_all(&events) ? arm(shmmod, descriptor_p) : AVRM_ERR_UNSUPPORTED;
}

constexpr avrm_shmmod_ops_t kOps = {
    .bytes = sizeof(avrm_shmmod_ops_t),
    .version = AVRM_SHMMOD_VERSION,
    .name = "posix",
    .open = open,
    .close = close,
    .card = card,
    .connect = connect,
    .send = send,
    .take = take,
    .am_send = am_send,
    .memory_allocate = memory_allocate,
    .memory_release = memory_release,
    .memory_describe = memory_describe,
    .memory_map = memory_map,
    .progress = progress,
    .peer_failed = peer_failed,
    .arm = arm,
    .disarm = disarm,
    .relayed = relayed,
    .send_sync = send_sync,
};

constexpr avrm_shmmod_ops_t with_relays() noexcept {
  avrm_shmmod_ops_t ops = kOps;
  ops.send = send_relaying;
  ops.send_sync = send_sync_relaying;
  ops.take = take_relaying;
  ops.am_send = am_send_relaying;
  ops.progress = progress_relaying;
  ops.arm = arm_relaying;
  return ops;
}
constexpr avrm_shmmod_ops_t kRelayingOps = with_relays();

} // namespace

const avrm_shmmod_ops_t *relaying_ops() noexcept { return &kRelayingOps; }

} // namespace avrankmap::detail::posix

const avrm_shmmod_ops_t *avrm_shmmod_posix() noexcept { return &avrankmap::detail::posix::kOps; }
