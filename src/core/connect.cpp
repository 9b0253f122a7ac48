// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First contact. This is the slow side of the transport test: it runs once per peer, for whichever operation first wants
// to reach it.
#include <algorithm>

#include "core/card.h"
#include "core/device.h"

namespace avrankmap::detail {

namespace {

constexpr std::int32_t kBatch = 64; // peers inserted together by eager connection

avrm_status_t write_far(avrm_device_t *device, std::int32_t lpid, avrm_far_t far_side, std::uint32_t node) noexcept {
  avrm_ave_t ave;
  const avrm_status_t status = device->codec == AVRM_CODEC_UCX ? avrm_ucx_pack_far(far_side, node, &ave)
                                                               : avrm_ofi_pack_far(far_side, node, &ave);
  return status != AVRM_OK ? status : avrm_av_set(device->world_av, lpid, &ave);
}

avrm_status_t write_net(avrm_device_t *device, std::int32_t lpid, std::uint64_t handle, std::uint32_t node) noexcept {
  avrm_ave_t ave;
  const avrm_status_t status =
      device->codec == AVRM_CODEC_UCX
          ? avrm_ucx_pack(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(handle)), node, &ave)
          : avrm_ofi_pack(handle, node, &ave);
  return status != AVRM_OK ? status : avrm_av_set(device->world_av, lpid, &ave);
}

avrm_status_t fetch(avrm_device_t *device, std::int32_t lpid, Card *card_p) noexcept {
  std::size_t bytes = sizeof(Card);
  const avrm_status_t status = avrm_boot_fetch(device->boot, lpid, 0, card_p, &bytes);
  if (status != AVRM_OK) {
    return status;
  }
  return card_p->is_sound(bytes) ? AVRM_OK : AVRM_ERR_BOOT;
}

// Peers that are not reached over the network. Returns false for the others.
bool connect_far(avrm_device_t *device, std::int32_t lpid, const Card &card, avrm_status_t *status_p) noexcept {
  if (lpid == device->rank) {
    *status_p = write_far(device, lpid, {AVRM_FAR_SELF, 0}, device->node);
    return true;
  }
  if (device->shm == nullptr || card.node != device->node || card.shm_bytes == 0) {
    return false;
  }
  *status_p = device->shm->ops->connect(device->shm, card.local_rank, card.shm(), card.shm_bytes);
  if (*status_p == AVRM_OK) {
    *status_p = write_far(device, lpid, {AVRM_FAR_LOCAL, static_cast<std::uint32_t>(card.local_rank)}, card.node);
  }
  return true;
}

avrm_status_t insert(avrm_device_t *device, std::int32_t lpid, const Card &card) noexcept {
  std::uint64_t handle = 0;
  const avrm_status_t status =
      device->net->ops->insert(device->net, 1, card.net(), card.net_bytes, card.net_bytes, &handle);
  if (status != AVRM_OK) {
    report(device, status, device->net->ops->last_error(device->net));
    return status;
  }
  return write_net(device, lpid, handle, card.node);
}

// A run of peers whose network addresses have one length, inserted together.
class Batch {
public:
  avrm_status_t add(avrm_device_t *device, std::int32_t lpid, const Card &card) noexcept {
    if (count_ == kBatch || (count_ > 0 && card.net_bytes != address_bytes_)) {
      const avrm_status_t status = flush(device);
      if (status != AVRM_OK) {
        return status;
      }
    }
    address_bytes_ = card.net_bytes;
    std::copy_n(card.bytes, card.net_bytes, addresses_ + count_ * Card::kRoom);
    lpids_[count_] = lpid;
    nodes_[count_++] = card.node;
    return AVRM_OK;
  }

  avrm_status_t flush(avrm_device_t *device) noexcept {
    std::uint64_t handles[kBatch];
    avrm_status_t status = device->net->ops->insert(device->net, static_cast<std::size_t>(count_), addresses_,
                                                    Card::kRoom, address_bytes_, handles);
    if (status != AVRM_OK) {
      report(device, status, device->net->ops->last_error(device->net));
    }
    for (std::int32_t i = 0; i < count_ && status == AVRM_OK; ++i) {
      status = write_net(device, lpids_[i], handles[i], nodes_[i]);
    }
    count_ = 0;
    return status;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

private:
  std::int32_t count_ = 0;
  std::size_t address_bytes_ = 0;
  std::int32_t lpids_[kBatch] = {};
  std::uint32_t nodes_[kBatch] = {};
  unsigned char addresses_[kBatch * Card::kRoom] = {};
};

} // namespace

avrm_status_t connect_peer(avrm_device_t *device, std::int32_t lpid) noexcept {
  if (has_failed(device, lpid)) {
    return AVRM_ERR_PEER;
  }
  Card card;
  avrm_status_t status = fetch(device, lpid, &card);
  if (status != AVRM_OK) {
    return status;
  }
  if (!device->contacted.add(device->instance->memory, lpid)) {
    return AVRM_ERR_NO_MEMORY;
  }
  return connect_far(device, lpid, card, &status) ? status : insert(device, lpid, card);
}

avrm_status_t connect_all(avrm_device_t *device) noexcept {
  const Scratch<Batch> batch(device->instance->memory, 1);
  if (!batch) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t lpid = 0; lpid < device->size; ++lpid) {
    Card card;
    avrm_status_t status = fetch(device, lpid, &card);
    if (status == AVRM_OK && !device->contacted.add(device->instance->memory, lpid)) {
      status = AVRM_ERR_NO_MEMORY;
    }
    if (status == AVRM_OK && !connect_far(device, lpid, card, &status)) {
      status = batch.data()->add(device, lpid, card);
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
  return batch.data()->empty() ? AVRM_OK : batch.data()->flush(device);
}

avrm_far_t far_of(const avrm_device_t *device, std::uint64_t word) noexcept {
  avrm_far_t far_side{};
  (void)(device->codec == AVRM_CODEC_UCX ? avrm_ucx_unpack_far(word, &far_side) : avrm_ofi_unpack_far(word, &far_side));
  return far_side;
}

namespace {

// The route that an address word stands for; false if the peer is not connected.
bool route_of(const avrm_device_t *device, std::uint64_t word, Route *route_p) noexcept {
  if (is_network(device, word)) {
    *route_p = {Route::kNet, handle_of(word), 0};
    return true;
  }
  const avrm_far_t far_side = far_of(device, word);
  switch (far_side.kind) {
  case AVRM_FAR_LOCAL: *route_p = {Route::kShm, 0, static_cast<std::int32_t>(far_side.local_rank)}; return true;
  case AVRM_FAR_SELF: *route_p = {Route::kSelf, 0, 0}; return true;
  case AVRM_FAR_UNCONNECTED: break;
  }
  return false;
}

} // namespace

avrm_status_t route_to(avrm_device_t *device, std::int32_t lpid, Route *route_p) noexcept {
  const avrm_ave_t *const ave = avrm_av_ave(device->world_av, lpid);
  if (route_of(device, avrm_ave_word(ave), route_p)) {
    return AVRM_OK;
  }
  const avrm_status_t status = connect_peer(device, lpid);
  if (status != AVRM_OK) {
    return status;
  }
  return route_of(device, avrm_ave_word(ave), route_p) ? AVRM_OK : AVRM_ERR_PEER;
}

avrm_status_t route_to_far(avrm_comm_t *comm, std::int32_t rank, Route *route_p) noexcept {
  if (route_of(comm->device, avrm_rankmap_word(comm->map, rank), route_p)) {
    return AVRM_OK;
  }
  return route_to(comm->device, lpid_of(comm, rank), route_p);
}

} // namespace avrankmap::detail
