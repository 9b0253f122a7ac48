// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses a provider of libfabric, and describes what it offers and requires.
#ifndef AVRANKMAP_NETMOD_OFI_PROVIDER_H
#define AVRANKMAP_NETMOD_OFI_PROVIDER_H

#include <rdma/fabric.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>

#include "avrankmap/device/netmod.h"
#include "ofi/error.h"

namespace avrankmap::detail::ofi {

// Number of objects that libfabric refused to close and that have leaked. It remains 0 if
// everything is closed in the right order. For tests.
inline std::atomic<int> unclosed_objects{0};

// Closes libfabric's objects.
template <typename T> struct FidCloser {
  void operator()(T *object) const noexcept {
    if (fi_close(&object->fid) != 0) {
      unclosed_objects.fetch_add(1, std::memory_order_relaxed);
    }
  }
};
template <typename T> using Fid = std::unique_ptr<T, FidCloser<T>>;

struct InfoFreer {
  void operator()(fi_info *info) const noexcept { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoFreer>;

struct Provider {
  Info info;
  bool writes_deliver = false;  // FI_DELIVERY_COMPLETE: a completed write is visible
  bool reports_matches = false; // FI_MATCH_COMPLETE: a completed message has matched a receive
  bool offers_atomics = false;  // FI_ATOMIC was requested and granted
  // ofi_rxm of libfabric 1.17 passes fi_inject_write to the provider below without a context, and
  // crashes if that fails because the peer has died: it reads the context. A write with FI_INJECT
  // and a completion has one.
  bool wants_contexts = false;
  std::uint64_t tag_mask = 0; // usable bits of a tag
  // Untagged messages of up to this size arrive in the order of sending. "ofi_rxm" sends longer
  // ones in parts, and others may overtake them.
  std::size_t in_order_max = SIZE_MAX;

  // Copies another provider. Returns false if out of memory.
  [[nodiscard]] bool copy(const Provider &from) noexcept {
    info.reset(fi_dupinfo(from.info.get()));
    writes_deliver = from.writes_deliver;
    reports_matches = from.reports_matches;
    offers_atomics = from.offers_atomics;
    wants_contexts = from.wants_contexts;
    tag_mask = from.tag_mask;
    in_order_max = from.in_order_max;
    return info != nullptr;
  }
  [[nodiscard]] const char *name() const noexcept { return info->fabric_attr->prov_name; }
  [[nodiscard]] bool wants(int mr_mode) const noexcept { return (info->domain_attr->mr_mode & mr_mode) != 0; }
  [[nodiscard]] bool has_rma() const noexcept { return (info->caps & FI_RMA) != 0; }
  // True if atomics to one peer take effect in the order of posting. "ofi_rxm" emulates them with
  // messages, which keep their order, but promises less.
  [[nodiscard]] bool orders_atomics() const noexcept {
    constexpr std::uint64_t kAll =
        FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW;
    return (info->tx_attr->msg_order & kAll) == kAll || std::strstr(name(), "ofi_rxm") != nullptr;
  }
  // True if the provider emulates atomics with messages to the peer's library. Consecutive atomics
  // of "ofi_rxm" take three times as long as those that the core emulates.
  [[nodiscard]] bool emulates_atomics() const noexcept {
    constexpr const char *kKnown[] = {"ofi_rx", "shm", "sockets", "net", "tcp", "efa", "psm"};
    return std::any_of(std::begin(kKnown), std::end(kKnown),
                       [this](const char *known) { return std::strstr(name(), known) != nullptr; });
  }
  // "shm" of libfabric 1.17 returns the buffer of a fetched value to its owner without the owner's
  // lock: with several processes, fetched values are lost.
  [[nodiscard]] bool fetches_wrongly() const noexcept { return std::strcmp(name(), "shm") == 0; }
  // "sockets" matches a receive with an earlier message only when it makes progress. Until then
  // probes still find that message.
  [[nodiscard]] bool shows_taken_messages() const noexcept { return std::strcmp(name(), "sockets") == 0; }
  // True if the provider buffers any number of injected messages for a peer that does not read
  // them.
  [[nodiscard]] bool keeps_all() const noexcept { return std::strstr(name(), "ofi_rxm") != nullptr; }
  // True if the provider allocates buffers within progress, and loses messages if that fails
  // (pool_warmup.cpp).
  [[nodiscard]] bool allocates_late() const noexcept {
    return std::strstr(name(), "tcp;ofi_rxm") != nullptr || std::strstr(name(), "net;ofi_rxm") != nullptr;
  }
  // True if the wait descriptor of the completion queue becomes readable exactly when something
  // arrives. "shm" has no descriptor, the one of "sockets" depends on progress, which a sleeping
  // process does not make, and the one of "net" stays readable.
  [[nodiscard]] bool wakes() const noexcept {
    return std::strcmp(name(), "shm") != 0 && std::strcmp(name(), "sockets") != 0 &&
           std::strncmp(name(), "net", 3) != 0;
  }
  // True if the provider names endpoints by pid. It then cannot open an endpoint while the memory
  // of a killed process with the same pid still exists.
  [[nodiscard]] bool names_by_process() const noexcept { return std::strcmp(name(), "shm") == 0; }
  // True if the provider reports the loss of a peer as an input/output error or a missing file.
  [[nodiscard]] bool loses_peers_by_io() const noexcept {
    return std::strcmp(name(), "shm") == 0 || std::strcmp(name(), "sockets") == 0;
  }
};

// Returns AVRM_OK, AVRM_ERR_UNSUPPORTED (no provider is suitable; `text` says why) or
// AVRM_ERR_NO_MEMORY.
[[nodiscard]] avrm_status_t choose_provider(const avrm_netmod_config_t &config, Provider *provider_p,
                                            ErrorText &text) noexcept;

} // namespace avrankmap::detail::ofi

#endif
