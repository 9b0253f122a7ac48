// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/provider.h"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "base/environment.h"

namespace avrankmap::detail::ofi {

namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 17);
constexpr std::uint64_t kMessages = FI_MSG | FI_TAGGED;
// The match bits of contexts that occur in practice fit into 63 bits. Some providers reserve one.
constexpr int kLeastTagBits = 63;

Info make_hints(const char *provider, std::uint64_t caps) noexcept {
  Info hints(fi_allocinfo());
  if (hints == nullptr) {
    return nullptr;
  }
  hints->caps = caps;
  hints->mode = FI_CONTEXT | FI_CONTEXT2; // every operation has room for them
  hints->ep_attr->type = FI_EP_RDM;
  // Named one by one, because some providers reject a mask with all bits.
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  // The device makes progress and locks. A progress thread makes "sockets" a thousand times slower.
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (provider != nullptr) {
    hints->fabric_attr->prov_name = ::strdup(provider);
    if (hints->fabric_attr->prov_name == nullptr) {
      return nullptr;
    }
  }
  return hints;
}

// "ofi_rxd" loses messages that span several datagrams, and delivers their bytes in other messages.
// "shm" before 1.19 searches unexpected messages with the ignored bits of the receive that used the
// message's record before.
bool mismatches(const fi_info &info) noexcept {
  const char *const name = info.fabric_attr->prov_name;
  return std::strstr(name, "ofi_rxd") != nullptr || (std::strcmp(name, "shm") == 0 && fi_version() < FI_VERSION(1, 19));
}

// All providers found mismatch messages. libfabric does not use this error number.
constexpr int kMismatches = 1;

// Finds libfabric's first choice that matches messages correctly.
int query(const fi_info *hints, const char *own_node, Info *info_p) noexcept {
  fi_info *list = nullptr;
  const int rc = fi_getinfo(kApi, own_node, nullptr, own_node == nullptr ? 0 : FI_SOURCE, hints, &list);
  Info all(rc == 0 ? list : nullptr);
  const fi_info *first = all.get();
  while (first != nullptr && mismatches(*first)) {
    first = first->next;
  }
  if (rc == 0 && first == nullptr) {
    return kMismatches;
  }
  info_p->reset(first == all.get() ? all.release() : fi_dupinfo(first));
  return rc == 0 && *info_p == nullptr ? -FI_ENOMEM : rc;
}

// The bare "net" of libfabric 1.17 keeps four short unexpected messages per connection, then stops
// reading. Receives in a different order from the sends would hang. "ofi_rxm" above it keeps all
// messages.
constexpr const char *kStopsReading = "net";
constexpr const char *kKeepsAll = "net;ofi_rxm";

int query_near_or_far(const char *wish, std::uint64_t caps, bool local_only, Info *info_p) noexcept {
  const Info hints = make_hints(wish, caps);
  if (hints == nullptr) {
    return -FI_ENOMEM;
  }
  if (local_only) {
    // Shared memory would take the number as the name of the endpoint, which would then be the same
    // in all processes.
    if (query(hints.get(), "127.0.0.1", info_p) == 0 && (*info_p)->addr_format != FI_ADDR_STR) {
      return 0;
    }
  }
  return query(hints.get(), nullptr, info_p);
}

// True if the provider supports a level of completion.
bool completes_at(std::uint64_t level, const fi_info *info) noexcept {
  const Info hints(fi_dupinfo(info));
  if (hints == nullptr) {
    return false;
  }
  hints->tx_attr->op_flags |= level;
  Info answer;
  return query(hints.get(), nullptr, &answer) == 0;
}

bool wants_atomics_of(const avrm_netmod_config_t &config, const Provider &provider) noexcept {
  switch (config.atomics) {
  case AVRM_NETMOD_ATOMICS_NONE: break;
  case AVRM_NETMOD_ATOMICS_OWN: return !provider.emulates_atomics();
  case AVRM_NETMOD_ATOMICS_ANY: return !provider.fetches_wrongly();
  }
  return false;
}

// Requests atomics from the chosen provider. Never chooses another provider because of them.
bool add_atomics(const avrm_netmod_config_t &config, Info *info_p) noexcept {
  Info answer;
  const char *const name = (*info_p)->fabric_attr->prov_name;
  if (query_near_or_far(name, kMessages | FI_RMA | FI_ATOMIC, config.local_only, &answer) != 0 ||
      std::strcmp(answer->fabric_attr->prov_name, name) != 0 ||
      std::strcmp(answer->domain_attr->name, (*info_p)->domain_attr->name) != 0) {
    return false;
  }
  *info_p = std::move(answer);
  return true;
}

// Finds the number of bytes that fit into one buffer of "ofi_rxm".
avrm_status_t find_in_order_max(Provider &provider, ErrorText &text) noexcept {
  constexpr std::int32_t kLeast = AVRM_NETMOD_AM_MIN;
  std::int32_t bytes = 16384;
  if (env::number(env::kFiOfiRxmBufferSize, kLeast, &bytes) != AVRM_OK) {
    text.set("FI_OFI_RXM_BUFFER_SIZE is not a number, or is less than 1024");
    return AVRM_ERR_UNSUPPORTED;
  }
  provider.in_order_max = static_cast<std::size_t>(bytes);
  return AVRM_OK;
}

void explain(const char *wish, int error, ErrorText &text) noexcept {
  const char *const filter = env::text(env::kFiProvider);
  char line[200];
  if (error == -kMismatches) {
    text.set(
        "libfabric's ofi_rxd and its shm before 1.19 lose or mismatch tagged messages: use the posix shmmod for shared "
        "memory, and tcp;ofi_rxm for a network");
    return;
  }
  if (wish != nullptr) {
    (void)std::snprintf(line, sizeof line,
                        "libfabric has no provider \"%.60s\" for tagged messages over FI_EP_RDM here: %s (%d)", wish,
                        fi_strerror(error), error);
  } else {
    (void)std::snprintf(
        line, sizeof line,
        "libfabric has no provider for tagged messages over FI_EP_RDM here (FI_PROVIDER=%.60s): %s (%d)",
        filter == nullptr ? "" : filter, fi_strerror(error), error);
  }
  text.set(line);
}

} // namespace

avrm_status_t choose_provider(const avrm_netmod_config_t &config, Provider *provider_p, ErrorText &text) noexcept {
  const char *const wish = config.provider == nullptr || *config.provider == '\0' ? nullptr : config.provider;
  Provider provider;
  int rc = 0;
  for (const std::uint64_t caps : {std::uint64_t{kMessages | FI_RMA}, kMessages}) {
    rc = query_near_or_far(wish, caps, config.local_only, &provider.info);
    if (rc == 0 && std::strcmp(provider.name(), kStopsReading) == 0) {
      rc = query_near_or_far(kKeepsAll, caps, config.local_only, &provider.info);
    }
    if (rc == 0) {
      break;
    }
    if (rc == -FI_ENOMEM) {
      text.set("memory is exhausted");
      return AVRM_ERR_NO_MEMORY;
    }
  }
  if (rc != 0) {
    explain(wish, -rc, text);
    return AVRM_ERR_UNSUPPORTED;
  }
  // The leading zeros of the tag format are bits that the provider reserves.
  const int tag_bits = 64 - std::countl_zero(provider.info->ep_attr->mem_tag_format);
  if (tag_bits < kLeastTagBits) {
    text.set("fi_getinfo", provider.name(), FI_EOPNOTSUPP, "the provider's tags are too short for match bits");
    return AVRM_ERR_UNSUPPORTED;
  }
  provider.tag_mask = ~std::uint64_t{0} >> (64 - tag_bits);
  if (std::strstr(provider.name(), "ofi_rxm") != nullptr) {
    provider.wants_contexts = true;
    if (const avrm_status_t status = find_in_order_max(provider, text); status != AVRM_OK) {
      return status;
    }
  }
  provider.offers_atomics =
      provider.has_rma() && wants_atomics_of(config, provider) && add_atomics(config, &provider.info);
  provider.writes_deliver = provider.has_rma() && completes_at(FI_DELIVERY_COMPLETE, provider.info.get());
  provider.reports_matches = completes_at(FI_MATCH_COMPLETE, provider.info.get());
  *provider_p = std::move(provider);
  return AVRM_OK;
}

} // namespace avrankmap::detail::ofi
