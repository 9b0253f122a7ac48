// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address codecs: packing and unpacking with checks, and their properties for src/component/av.
// ave.h draws the layout. Only this file and ave_inl.h know how a word is encoded.
#include "av/codec.h"

namespace {

constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0}; // FI_ADDR_NOTAVAIL, FI_ADDR_UNSPEC

// The payload of a far word: local rank and kind in 34 bits; 0 means "not yet connected".
avrm_status_t encode_payload(avrm_far_t far_side, std::uint64_t *payload_p) noexcept {
  switch (far_side.kind) {
  case AVRM_FAR_UNCONNECTED: *payload_p = 0; return AVRM_OK;
  case AVRM_FAR_LOCAL:
  case AVRM_FAR_SELF: *payload_p = std::uint64_t{far_side.kind} << 32 | far_side.local_rank; return AVRM_OK;
  }
  return AVRM_ERR_OPTION;
}

// An unknown kind belongs to a word that another thread is writing (publish.h).
avrm_far_t decode_payload(std::uint64_t payload) noexcept {
  const std::uint64_t kind = payload >> 32;
  if (kind != AVRM_FAR_LOCAL && kind != AVRM_FAR_SELF) {
    return {AVRM_FAR_UNCONNECTED, 0};
  }
  return {static_cast<avrm_far_kind_t>(kind), static_cast<std::uint32_t>(payload)};
}

} // namespace

avrm_status_t avrm_ofi_pack(uint64_t address, uint32_t node, avrm_ave_t *ave_p) noexcept {
  if (ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (address == kNotAvailable) {
    return AVRM_ERR_ADDRESS_SENTINEL;
  }
  if ((address & kTopBit) != 0) {
    return AVRM_ERR_ADDRESS_BIT;
  }
  *ave_p = avrm_i_ave_of(address + 1, node);
  return AVRM_OK;
}

avrm_status_t avrm_ofi_unpack(const avrm_ave_t *ave, uint64_t *address_p, uint32_t *node_p) noexcept {
  if (ave == nullptr || address_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const std::uint64_t word = avrm_ave_word(ave);
  if (!avrm_ofi_is_network(word)) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *address_p = avrm_ofi_address(word);
  if (node_p != nullptr) {
    *node_p = avrm_ave_node(ave);
  }
  return AVRM_OK;
}

avrm_status_t avrm_ofi_pack_far(avrm_far_t far_side, uint32_t node, avrm_ave_t *ave_p) noexcept {
  if (ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  std::uint64_t payload = 0;
  const avrm_status_t status = encode_payload(far_side, &payload);
  if (status == AVRM_OK) {
    *ave_p = avrm_i_ave_of(payload == 0 ? 0 : kTopBit + 1 + payload, node);
  }
  return status;
}

avrm_status_t avrm_ofi_unpack_far(uint64_t word, avrm_far_t *far_p) noexcept {
  if (far_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (avrm_ofi_is_network(word)) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *far_p = decode_payload(word == 0 ? 0 : word - 1 - kTopBit);
  return AVRM_OK;
}

avrm_status_t avrm_ucx_pack(const void *endpoint, uint32_t node, avrm_ave_t *ave_p) noexcept {
  if (ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (endpoint == nullptr) {
    return AVRM_ERR_ADDRESS_SENTINEL;
  }
  const std::uint64_t pointer = reinterpret_cast<std::uintptr_t>(endpoint);
  if ((pointer & 1) != 0) {
    return AVRM_ERR_ADDRESS_BIT;
  }
  *ave_p = avrm_i_ave_of(pointer | 1, node);
  return AVRM_OK;
}

avrm_status_t avrm_ucx_unpack(const avrm_ave_t *ave, void **endpoint_p, uint32_t *node_p) noexcept {
  if (ave == nullptr || endpoint_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const std::uint64_t word = avrm_ave_word(ave);
  if (!avrm_ucx_is_network(word)) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *endpoint_p = avrm_ucx_endpoint(word);
  if (node_p != nullptr) {
    *node_p = avrm_ave_node(ave);
  }
  return AVRM_OK;
}

avrm_status_t avrm_ucx_pack_far(avrm_far_t far_side, uint32_t node, avrm_ave_t *ave_p) noexcept {
  if (ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  std::uint64_t payload = 0;
  const avrm_status_t status = encode_payload(far_side, &payload);
  if (status == AVRM_OK) {
    *ave_p = avrm_i_ave_of(payload == 0 ? 0 : payload << 2 | 2, node);
  }
  return status;
}

avrm_status_t avrm_ucx_unpack_far(uint64_t word, avrm_far_t *far_p) noexcept {
  if (far_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (avrm_ucx_is_network(word)) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *far_p = decode_payload(static_cast<std::uint32_t>(word) == 0 ? 0 : word >> 2);
  return AVRM_OK;
}

avrm_status_t avrm_ave_pack(avrm_codec_t codec, uint64_t address, uint32_t node, avrm_ave_t *ave_p) noexcept {
  switch (codec) {
  case AVRM_CODEC_OFI: return avrm_ofi_pack(address, node, ave_p);
  case AVRM_CODEC_UCX:
    return avrm_ucx_pack(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(address)), node, ave_p);
  }
  return AVRM_ERR_OPTION;
}

avrm_status_t avrm_ave_pack_far(avrm_codec_t codec, avrm_far_t far_side, uint32_t node, avrm_ave_t *ave_p) noexcept {
  switch (codec) {
  case AVRM_CODEC_OFI: return avrm_ofi_pack_far(far_side, node, ave_p);
  case AVRM_CODEC_UCX: return avrm_ucx_pack_far(far_side, node, ave_p);
  }
  return AVRM_ERR_OPTION;
}

avrm_status_t avrm_word_unpack_far(avrm_codec_t codec, uint64_t word, avrm_far_t *far_p) noexcept {
  switch (codec) {
  case AVRM_CODEC_OFI: return avrm_ofi_unpack_far(word, far_p);
  case AVRM_CODEC_UCX: return avrm_ucx_unpack_far(word, far_p);
  }
  return AVRM_ERR_OPTION;
}

namespace avrankmap::detail {

bool is_codec(int number) noexcept { return number == AVRM_CODEC_OFI || number == AVRM_CODEC_UCX; }

WriteOrder write_order_of(avrm_codec_t codec) noexcept {
  return codec == AVRM_CODEC_UCX ? WriteOrder{kLowHalf, kHighHalf, 0}
                                 : WriteOrder{kHighHalf, kLowHalf, ~std::uint32_t{0}};
}

} // namespace avrankmap::detail
