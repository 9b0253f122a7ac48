// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/ofi_channel.h"

#include "device/transports/exchange.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace avrankmap::bench {

void OfiChannel::fail(const char *call, int rc) {
  throw std::runtime_error(std::string(call) + ": " + fi_strerror(-rc));
}

OfiChannel::OfiChannel(avrm_boot_t *boot, const char *provider, std::size_t largest) : memory_(largest) {
  avrm_netmod_config_t config{};
  config.provider = provider;
  config.local_only = true;
  detail::ofi::ErrorText text;
  if (detail::ofi::choose_provider(config, &provider_, text) != AVRM_OK) {
    throw std::runtime_error(text.get());
  }
  fi_info *const info = provider_.info.get();
  fid_fabric *fabric = nullptr;
  check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, nullptr));
  fabric_.reset(fabric);
  fid_domain *domain = nullptr;
  check("fi_domain", fi_domain(fabric, info, &domain, nullptr));
  domain_.reset(domain);
  fi_av_attr av_attr{};
  av_attr.type = FI_AV_TABLE;
  fid_av *av = nullptr;
  check("fi_av_open", fi_av_open(domain, &av_attr, &av, nullptr));
  av_.reset(av);
  fi_cq_attr cq_attr{};
  cq_attr.size = 4096;
  cq_attr.format = FI_CQ_FORMAT_TAGGED;
  cq_attr.wait_obj = FI_WAIT_NONE;
  fid_cq *cq = nullptr;
  check("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, nullptr));
  cq_.reset(cq);
  fid_ep *endpoint = nullptr;
  check("fi_endpoint", fi_endpoint(domain, info, &endpoint, nullptr));
  endpoint_.reset(endpoint);
  check("fi_ep_bind", fi_ep_bind(endpoint, &av->fid, 0));
  check("fi_ep_bind", fi_ep_bind(endpoint, &cq->fid, FI_TRANSMIT | FI_RECV));
  check("fi_enable", fi_enable(endpoint));
  inject_max_ = info->tx_attr->inject_size;

  unsigned char name[256] = {};
  std::size_t bytes = sizeof name;
  check("fi_getname", fi_getname(&endpoint->fid, name, &bytes));
  const auto other = static_cast<std::size_t>(other_of(boot));
  for (std::vector<unsigned char> &address : exchange(boot, kAddressSlot, name, bytes)) {
    address.push_back('\0'); // some addresses are text
    if (fi_av_insert(av, address.data(), 1, &peers_.emplace_back(), 0, nullptr) != 1) {
      throw std::runtime_error("fi_av_insert: refused");
    }
  }
  peer_ = peers_[other];

  constexpr std::uint64_t kKey = 0x6261; // for providers that let us choose
  fid_mr *region = nullptr;
  check("fi_mr_reg", fi_mr_reg(domain, memory_.data(), memory_.size(), FI_REMOTE_READ | FI_REMOTE_WRITE, 0, kKey, 0,
                               &region, nullptr));
  region_.reset(region);
  const RemoteMemory own{provider_.wants(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uintptr_t>(memory_.data()) : 0,
                         fi_mr_key(region)};
  for (const std::vector<unsigned char> &card : exchange(boot, kMemorySlot, &own, sizeof own)) {
    std::memcpy(&memories_.emplace_back(), card.data(), sizeof own);
  }
  remote_base_ = memories_[other].base;
  remote_key_ = memories_[other].key;
}

} // namespace avrankmap::bench
