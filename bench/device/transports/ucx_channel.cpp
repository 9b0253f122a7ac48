// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/transports/ucx_channel.h"

#include "device/transports/exchange.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace avrankmap::bench {

void UcxChannel::fail(const char *call, ucs_status_t status) {
  throw std::runtime_error(std::string(call) + ": " + ucs_status_string(status));
}

UcxChannel::UcxChannel(avrm_boot_t *boot, std::size_t largest) : memory_(largest) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA;
  check("ucp_init", ucp_init(&params, nullptr, &context_));
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  check("ucp_worker_create", ucp_worker_create(context_, &worker, &worker_));

  ucp_address_t *own = nullptr;
  std::size_t bytes = 0;
  check("ucp_worker_get_address", ucp_worker_get_address(worker_, &own, &bytes));
  const std::vector<std::vector<unsigned char>> addresses = exchange(boot, kAddressSlot, own, bytes);
  ucp_worker_release_address(worker_, own);
  for (std::int32_t rank = 0; rank < avrm_boot_size(boot); ++rank) {
    ucp_ep_params_t endpoint{};
    endpoint.field_mask =
        UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    endpoint.address = reinterpret_cast<const ucp_address_t *>(addresses[static_cast<std::size_t>(rank)].data());
    endpoint.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    endpoint.err_handler.cb = [](void *, ucp_ep_h, ucs_status_t) {};
    endpoints_.push_back(nullptr);
    if (rank != avrm_boot_rank(boot)) {
      check("ucp_ep_create", ucp_ep_create(worker_, &endpoint, &endpoints_.back()));
    }
  }
  const auto other = static_cast<std::size_t>(other_of(boot));
  endpoint_ = endpoints_[other];

  ucp_mem_map_params_t map{};
  map.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  map.address = memory_.data();
  map.length = memory_.size();
  check("ucp_mem_map", ucp_mem_map(context_, &map, &region_));
  void *key = nullptr;
  check("ucp_rkey_pack", ucp_rkey_pack(context_, region_, &key, &bytes));
  const auto base = reinterpret_cast<std::uintptr_t>(memory_.data());
  std::vector<unsigned char> card(sizeof base + bytes);
  std::memcpy(card.data(), &base, sizeof base);
  std::memcpy(card.data() + sizeof base, key, bytes);
  ucp_rkey_buffer_release(key);
  const std::vector<std::vector<unsigned char>> cards = exchange(boot, kMemorySlot, card.data(), card.size());
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    RemoteMemory &memory = memories_.emplace_back();
    if (endpoints_[rank] != nullptr) {
      std::memcpy(&memory.base, cards[rank].data(), sizeof base);
      check("ucp_ep_rkey_unpack", ucp_ep_rkey_unpack(endpoints_[rank], cards[rank].data() + sizeof base, &memory.key));
    }
  }
  remote_base_ = memories_[other].base;
  remote_key_ = memories_[other].key;
}

UcxChannel::~UcxChannel() {
  for (const RemoteMemory &memory : memories_) {
    if (memory.key != nullptr) {
      ucp_rkey_destroy(memory.key);
    }
  }
  for (ucp_ep_h const endpoint : endpoints_) {
    if (endpoint == nullptr) {
      continue;
    }
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    ucs_status_ptr_t const request = ucp_ep_close_nbx(endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) {
      while (ucp_request_check_status(request) == UCS_INPROGRESS) {
        progress();
      }
      ucp_request_free(request);
    }
  }
  ucp_mem_unmap(context_, region_);
  ucp_worker_destroy(worker_);
  ucp_cleanup(context_);
}

} // namespace avrankmap::bench
