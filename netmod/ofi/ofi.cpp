// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/ofi.h"

#include <rdma/fi_cm.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/file_pages.h"
#include "base/fnv.h"
#include "base/random.h"
#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

// Number of completions that the queue holds. Providers delay further completions.
constexpr std::size_t kQueue = 4096;
// Maximum size of a provider's address.
constexpr std::size_t kMaxName = 256;
// Pause between polls of shared memory, because each poll takes the lock that senders need. A dozen
// short messages take this long.
constexpr std::uint32_t kShmLullNs = 9000;

// Precedes the provider's address in the published address, and shows whether two processes can
// communicate.
struct AddressHeader {
  std::uint32_t format;   // FI_SOCKADDR_IN, FI_ADDR_STR, ...
  std::uint32_t provider; // hash of its name
};

AddressHeader header_of(const Transport &net) noexcept {
  return {net.provider.info->addr_format, detail::fnv_32(net.provider.name())};
}

// Text addresses differ in length. Padding gives most addresses of a job the same length, so that
// they can be inserted as one array.
constexpr std::size_t kTextPadding = 64;
std::size_t padded(const Transport &net, std::size_t bytes) noexcept {
  return net.provider.info->addr_format == FI_ADDR_STR ? (bytes + kTextPadding - 1) / kTextPadding * kTextPadding
                                                       : bytes;
}

avrm_status_t open_address_vector(Transport &net) noexcept {
  int rc = 0;
  for (const fi_av_type type : {FI_AV_TABLE, FI_AV_MAP}) {
    fi_av_attr attr = {};
    attr.type = type;
    // No count: providers allocate for all announced peers, few of which may ever be used.
    fid_av *raw = nullptr;
    rc = fi_av_open(net.domain.get(), &attr, &raw, nullptr);
    if (rc == 0) {
      net.av.reset(raw);
      return AVRM_OK;
    }
  }
  return net.refused("fi_av_open", -rc);
}

// Opens the completion queue, with a wait descriptor if this provider's descriptor reliably becomes
// readable. A device that never sleeps opens it without one: with a descriptor, a message over
// tcp;ofi_rxm of libfabric 1.17 takes about 1 us longer, because each arrival passes through
// several epoll instances.
avrm_status_t open_completion_queue(Transport &net) noexcept {
  fi_cq_attr attr = {};
  attr.size = kQueue;
  attr.format = FI_CQ_FORMAT_TAGGED;
  fid_cq *cq = nullptr;
  int rc = -FI_ENOSYS;
  if (net.config.may_sleep && net.provider.wakes()) {
    attr.wait_obj = FI_WAIT_FD;
    rc = fi_cq_open(net.domain.get(), &attr, &cq, nullptr);
    if (rc == 0 && fi_control(&cq->fid, FI_GETWAIT, &net.wait_fd) != 0) {
      net.wait_fd = -1;
    }
  }
  if (rc != 0) {
    attr.wait_obj = FI_WAIT_NONE;
    rc = fi_cq_open(net.domain.get(), &attr, &cq, nullptr);
  }
  if (rc != 0) {
    return net.refused("fi_cq_open", -rc);
  }
  net.cq.reset(cq);
  return AVRM_OK;
}

// Gives an endpoint, before it is enabled, a name that no other endpoint has or ever had. The name
// contains the pid, which shows whose shared memory was left behind. If the system has no random
// bits, the endpoint keeps the provider's name.
int name_uniquely(fid_ep *endpoint) noexcept {
  std::uint64_t number = 0;
  if (fill_random(&number, sizeof number) != AVRM_OK) {
    return 0;
  }
  char name[48];
  const int length = std::snprintf(name, sizeof name, "%ld:%016" PRIx64, static_cast<long>(getpid()), number);
  return fi_setname(&endpoint->fid, name, static_cast<std::size_t>(length) + 1);
}

avrm_status_t open_objects(Transport &net) noexcept {
  fi_info *const info = net.provider.info.get();
  fid_fabric *fabric = nullptr;
  if (const int rc = fi_fabric(info->fabric_attr, &fabric, nullptr); rc != 0) {
    return net.refused("fi_fabric", -rc);
  }
  net.fabric.reset(fabric);
  fid_domain *domain = nullptr;
  if (const int rc = fi_domain(fabric, info, &domain, nullptr); rc != 0) {
    return net.refused("fi_domain", -rc);
  }
  net.domain.reset(domain);
  if (const avrm_status_t status = open_address_vector(net); status != AVRM_OK) {
    return status;
  }
  if (const avrm_status_t status = open_completion_queue(net); status != AVRM_OK) {
    return status;
  }
  fid_ep *endpoint = nullptr;
  if (const int rc = fi_endpoint(domain, info, &endpoint, nullptr); rc != 0) {
    return net.refused("fi_endpoint", -rc);
  }
  net.endpoint.reset(endpoint);
  net.ep = endpoint;
  // All operations report their completion to the queue, except injected ones, which have no
  // completion.
  int rc = fi_ep_bind(endpoint, &net.av->fid, 0);
  rc = rc == 0 ? fi_ep_bind(endpoint, &net.cq->fid, FI_TRANSMIT | FI_RECV) : rc;
  if (rc == 0 && net.provider.names_by_process()) {
    if (const int named = name_uniquely(endpoint); named != 0) {
      return net.refused("fi_setname", -named);
    }
  }
  rc = rc == 0 ? fi_enable(endpoint) : rc;
  return rc == 0 ? AVRM_OK : net.refused("fi_enable", -rc);
}

std::size_t most_pieces(const Transport &net) noexcept {
  const fi_info &info = *net.provider.info;
  return std::min(info.tx_attr->iov_limit, info.rx_attr->iov_limit);
}

// Called for endpoints that receive, not for queues. Providers that require registration drive
// hardware, which truncates long messages correctly without this area.
avrm_status_t open_truncation_area(Transport &net) noexcept {
  if (most_pieces(net) <= 1 || net.registers_local) {
    return AVRM_OK;
  }
  if (!net.truncation_area.open()) {
    net.error.set("memory is exhausted");
    return AVRM_ERR_NO_MEMORY;
  }
  net.common.pieces_max = std::min(most_pieces(net) - 1, kMaxPieces);
  return AVRM_OK;
}

// Opens the chosen provider.
avrm_status_t open_provider(Transport &net) noexcept {
  if (const avrm_status_t status = open_objects(net); status != AVRM_OK) {
    return status == AVRM_ERR_NO_MEMORY ? status : AVRM_ERR_UNSUPPORTED;
  }
  const fi_info &info = *net.provider.info;
  net.common.inject_max = info.tx_attr->inject_size;
  net.common.am_max = std::min(ActiveBuffers::kBytes, net.provider.in_order_max);
  net.registers_local = net.provider.wants(FI_MR_LOCAL);
  net.common.pieces_max = std::clamp<std::size_t>(most_pieces(net), 1, kMaxPieces);
  net.common.capabilities = AVRM_NETMOD_DELIVERS;
  net.common.poll_pause_ns = std::strcmp(net.provider.name(), "shm") == 0 ? kShmLullNs : 0;
  if (net.provider.has_rma()) {
    net.common.capabilities |= AVRM_NETMOD_GET | AVRM_NETMOD_PLAIN_KEYS;
  }
  if (net.provider.writes_deliver) {
    net.common.capabilities |= AVRM_NETMOD_PUT | AVRM_NETMOD_PUT_VISIBLE;
  }
  if (net.provider.writes_deliver && find_atomics(net)) {
    net.common.capabilities |= AVRM_NETMOD_ATOMIC;
  }
  if (net.provider.reports_matches) {
    net.common.capabilities |= AVRM_NETMOD_SYNC;
  }
  if (can_inject_puts(net)) {
    net.common.capabilities |= AVRM_NETMOD_PUT_INJECT;
  }
  net.part_max = info.ep_attr->max_msg_size;
  net.choose_ways();
  (void)std::snprintf(net.description, sizeof net.description, "%s, %s", net.provider.name(), info.domain_attr->name);
  return AVRM_OK;
}

avrm_status_t open_whole(Transport &net, const avrm_netmod_config_t &config) noexcept {
  net.config = config;
  net.config.provider = nullptr; // belongs to the caller, as does the allocator
  net.config.allocator = nullptr;
  avrm_status_t status = choose_provider(config, &net.provider, net.error);
  status = status == AVRM_OK ? open_provider(net) : status;
  status = status == AVRM_OK ? warm_up_pools(net) : status;
  status = status == AVRM_OK ? open_truncation_area(net) : status;
  return status == AVRM_OK ? open_active(net) : status;
}

// Opens the same provider without the receiving parts.
avrm_status_t open_beside(Transport &net, const Transport &first) noexcept {
  net.config = first.config;
  net.config.may_sleep = false;
  if (!net.provider.copy(first.provider)) {
    net.error.set("memory is exhausted");
    return AVRM_ERR_NO_MEMORY;
  }
  return open_provider(net);
}

template <typename Open>
avrm_status_t open_with(const avrm_allocator_t &allocator, Open open_parts, avrm_netmod_t **netmod_p) noexcept {
  std::unique_ptr<Transport> net(new (std::nothrow) Transport(allocator));
  if (net == nullptr) {
    open_error().set("memory is exhausted");
    return AVRM_ERR_NO_MEMORY;
  }
  net->common.ops = avrm_netmod_ofi();
  const NoFileSizeSignal held; // libfabric's shared files may exceed RLIMIT_FSIZE
  const avrm_status_t status = open_parts(*net);
  if (status != AVRM_OK) {
    open_error() = net->error;
    return status;
  }
  *netmod_p = &net.release()->common;
  return AVRM_OK;
}

avrm_status_t open(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) noexcept {
  return open_with(
      config->allocator != nullptr ? *config->allocator : default_allocator(),
      [config](Transport &net) { return open_whole(net, *config); }, netmod_p);
}

// Opens another fabric and domain: endpoints of one domain share locks in some providers, and the
// hints promise that one thread at a time uses a domain.
avrm_status_t open_queue(avrm_netmod_t *netmod, avrm_netmod_t **queue_p) noexcept {
  const Transport &first = transport_of(netmod);
  return open_with(
      first.memory.allocator(), [&first](Transport &net) { return open_beside(net, first); }, queue_p);
}

// True if libfabric may still be fetching data, for gets or for messages that it reads from their
// sender. Called after all receives were cancelled.
bool is_fetching(Transport &net) noexcept {
  bool found = false;
  net.pool.for_each(
      [&found](const Op &op) { found = found || op.kind == OpKind::kGet || op.kind == OpKind::kReceive; });
  return found;
}

// True if the provider has not sent all messages that am_send and tinject have accepted, as far as
// completions show it.
bool is_sending(Transport &net) noexcept {
  bool found = false;
  net.pool.for_each([&found](const Op &op) {
    found = found || ((op.kind == OpKind::kActiveSend || op.kind == OpKind::kTurn) && !op.orphan && !op.peer_failed);
  });
  return found;
}

// Waits until nothing is fetched or sent. Messages that remain after this time are to a peer that
// is alive but does not read, and are dropped. Fetches that remain are from such a peer; those from
// a dead peer end when its connection breaks. Returns false if some remain: ofi_rxm of libfabric
// 1.17 crashes if an endpoint is closed while it is still fetching data.
constexpr std::chrono::seconds kCloseTimeout{1};
bool await_transfers(Transport &net) noexcept {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kCloseTimeout;
  while (is_fetching(net) || is_sending(net)) {
    if (Clock::now() >= end) {
      return !is_fetching(net);
    }
    if (progress(&net.common) == 0) {
      sched_yield();
    }
  }
  return true;
}

// Upper bound on the number of calls of progress; an endpoint that is being closed has fewer
// events.
constexpr int kMostPollsToClose = 100000;

void close(avrm_netmod_t *netmod) noexcept {
  Transport &net = transport_of(netmod);
  net.active.unposted = nullptr;   // no receive is posted again
  net.active.first_held = nullptr; // no message is offered again
  net.active.last_held = nullptr;
  // Some providers leak the memory of receives that were not cancelled.
  net.pool.for_each([&net](Op &op) {
    if (op.waiting != nullptr && !op.orphan) {
      abandon(net, op, AVRM_ERR_CANCELLED);
    } else if (op.kind == OpKind::kReceive || op.kind == OpKind::kActiveReceive) {
      op.cancelled = true;
      op.orphan = op.orphan || op.kind == OpKind::kActiveReceive; // handlers are no longer called
      fi_cancel(&net.endpoint->fid, &op.context);
    }
  });
  for (int polls = 0; polls < kMostPollsToClose && progress(netmod) != 0; ++polls) {
  }
  const bool may_close = await_transfers(net);
  net.pool.for_each([&net](Op &op) {
    if (!op.orphan) {
      abandon(net, op, AVRM_ERR_CANCELLED);
    }
  });
  if (!may_close) {
    net.leave_open();
  }
  delete &net;
}

const char *last_error(const avrm_netmod_t *netmod) noexcept {
  return netmod == nullptr ? open_error().get() : transport_of(netmod).error.get();
}

const char *describe(const avrm_netmod_t *netmod) noexcept { return transport_of(netmod).description; }

avrm_status_t address(avrm_netmod_t *netmod, void *buffer, std::size_t *bytes_p) noexcept {
  Transport &net = transport_of(netmod);
  unsigned char name[kMaxName] = {};
  std::size_t name_bytes = sizeof name;
  if (const int rc = fi_getname(&net.endpoint->fid, name, &name_bytes); rc != 0) {
    return net.failed_call("fi_getname", -rc);
  }
  name_bytes = padded(net, name_bytes);
  const AddressHeader header = header_of(net);
  if (*bytes_p < sizeof header + name_bytes) {
    return AVRM_ERR_SIZE;
  }
  std::memcpy(buffer, &header, sizeof header);
  std::memcpy(static_cast<unsigned char *>(buffer) + sizeof header, name, name_bytes);
  *bytes_p = sizeof header + name_bytes;
  return AVRM_OK;
}

avrm_status_t insert_one(Transport &net, const unsigned char *address, std::size_t bytes,
                         std::uint64_t *handle_p) noexcept {
  AddressHeader header;
  alignas(std::max_align_t) unsigned char name[kMaxName + 1] = {}; // a text ends with a NUL byte
  if (bytes <= sizeof header || bytes - sizeof header > kMaxName) {
    net.error.set("fi_av_insert", net.provider.name(), FI_EINVAL, "the peer's address has an invalid length");
    return AVRM_ERR_SIZE;
  }
  std::memcpy(&header, address, sizeof header);
  const AddressHeader own = header_of(net);
  if (header.format != own.format || header.provider != own.provider) {
    net.error.set("fi_av_insert", net.provider.name(), FI_EINVAL, "the peer uses another provider");
    return AVRM_ERR_TRANSPORT;
  }
  std::memcpy(name, address + sizeof header, bytes - sizeof header);
  fi_addr_t handle = FI_ADDR_NOTAVAIL;
  const int rc = fi_av_insert(net.av.get(), name, 1, &handle, 0, nullptr);
  if (rc != 1 || handle == FI_ADDR_NOTAVAIL) {
    net.error.set("fi_av_insert", net.provider.name(), rc < 0 ? -rc : FI_EINVAL, nullptr);
    return rc == -FI_ENOMEM ? AVRM_ERR_NO_MEMORY : AVRM_ERR_TRANSPORT;
  }
  *handle_p = handle;
  return AVRM_OK;
}

// Inserts the addresses one by one: for providers this costs no more than a single call for all of
// them, and they expect text addresses back to back, not at a fixed pitch.
avrm_status_t insert(avrm_netmod_t *netmod, std::size_t count, const void *addresses, std::size_t pitch,
                     std::size_t bytes, std::uint64_t *handles) noexcept {
  Transport &net = transport_of(netmod);
  const auto *const first = static_cast<const unsigned char *>(addresses);
  for (std::size_t i = 0; i < count; ++i) {
    if (const avrm_status_t status = insert_one(net, first + i * pitch, bytes, &handles[i]); status != AVRM_OK) {
      while (i-- > 0) {
        fi_addr_t inserted = handles[i];
        fi_av_remove(net.av.get(), &inserted, 1, 0);
      }
      return status;
    }
  }
  return AVRM_OK;
}

void remove(avrm_netmod_t *netmod, std::uint64_t handle) noexcept {
  Transport &net = transport_of(netmod);
  abandon_peer(net, handle, net.is_failed(handle) ? AVRM_ERR_PEER : AVRM_ERR_CANCELLED);
  net.failed.remove(handle);
  net.choose_ways();
  net.unmark(handle);
  if (PeerRecord *const peer = net.peers.find(handle); peer != nullptr) {
    net.peers.erase(peer);
  }
  fi_addr_t address = handle;
  if (const int rc = fi_av_remove(net.av.get(), &address, 1, 0); rc != 0) {
    net.refused("fi_av_remove", -rc);
  }
}

constexpr avrm_netmod_ops_t kOps = {
    .bytes = sizeof(avrm_netmod_ops_t),
    .version = AVRM_NETMOD_VERSION,
    .codec = AVRM_CODEC_OFI,
    .name = "ofi",
    .open = open,
    .close = close,
    .last_error = last_error,
    .describe = describe,
    .address = address,
    .insert = insert,
    .remove = remove,
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
    .arm = arm,
    .open_queue = open_queue,
    .put_inject = put_inject,
    .atomic = atomic,
    .fp_tinject = avrm_ofi_tinject,
    .fp_put_inject = avrm_ofi_put_inject,
    .tsend_sync = tsend_sync,
};

} // namespace

} // namespace avrankmap::detail::ofi

const avrm_netmod_ops_t *avrm_netmod_ofi(void) noexcept { return &avrankmap::detail::ofi::kOps; }
