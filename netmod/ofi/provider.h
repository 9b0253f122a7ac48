// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which of libfabric's providers is used, and what it offers and demands.
#ifndef AVRANKMAP_NETMOD_OFI_PROVIDER_H
#define AVRANKMAP_NETMOD_OFI_PROVIDER_H

#include <rdma/fabric.h>

#include <atomic>
#include <cstring>
#include <memory>

#include "avrankmap/netmod.h"
#include "ofi/error.h"

namespace avrankmap::detail::ofi {

// Objects that libfabric refused to close since the process started, and that are lost therefore: there are none if
// everything is closed in the right order. For tests.
inline std::atomic<int> unclosed_objects{0};

// libfabric's objects close themselves.
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
  bool writes_deliver = false; // FI_DELIVERY_COMPLETE: a write's completion means that it is visible
  // ofi_rxm of libfabric 1.17 passes fi_inject_write on to the provider below it, without a context, and crashes when that
  // fails because the peer has died: it looks into the context. A write by FI_INJECT with a completion has one.
  bool wants_contexts = false;
  std::uint64_t tag_mask = 0; // bits of a tag that are ours

  // Makes this one another's equal. False without memory.
  [[nodiscard]] bool copy(const Provider &from) noexcept {
    info.reset(fi_dupinfo(from.info.get()));
    writes_deliver = from.writes_deliver;
    wants_contexts = from.wants_contexts;
    tag_mask = from.tag_mask;
    return info != nullptr;
  }
  [[nodiscard]] const char *name() const noexcept { return info->fabric_attr->prov_name; }
  [[nodiscard]] bool wants(int mr_mode) const noexcept { return (info->domain_attr->mr_mode & mr_mode) != 0; }
  [[nodiscard]] bool has_rma() const noexcept { return (info->caps & FI_RMA) != 0; }
  // Loses track of a message of several datagrams if another one of the same peer is received that was unexpected.
  [[nodiscard]] bool loses_long_messages() const noexcept { return std::strstr(name(), "ofi_rxd") != nullptr; }
  // Its tags cannot be relied upon. "shm" before 1.19 looks for unexpected messages with the ignored bits of whatever
  // receive used the message's record before, not with those of the receive.
  [[nodiscard]] bool matches_wrongly() const noexcept {
    return (std::strcmp(name(), "shm") == 0 && fi_version() < FI_VERSION(1, 19)) || loses_long_messages();
  }
  // It calls the loss of a peer an input/output error (of a copy out of its memory, or of its connection), or finds no
  // such file.
  [[nodiscard]] bool loses_peers_by_io() const noexcept {
    return std::strcmp(name(), "shm") == 0 || std::strcmp(name(), "sockets") == 0;
  }
};

// @return AVRM_OK, AVRM_ERR_UNSUPPORTED (there is none, `text` says for what), AVRM_ERR_NO_MEMORY
[[nodiscard]] avrm_status_t choose_provider(const avrm_netmod_config_t &config, Provider *provider_p,
                                            ErrorText &text) noexcept;

} // namespace avrankmap::detail::ofi

#endif
