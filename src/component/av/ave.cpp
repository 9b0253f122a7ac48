// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address codecs: packing and unpacking with checks, and their properties for src/component/av.
// ave.h shows the layout. Only this file and ave_inl.h know how a word is encoded.
#include "av/codec.h"

namespace {

constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0}; // FI_ADDR_NOTAVAIL, FI_ADDR_UNSPEC

avrm_status_t check_far(avrm_far_t far_side, const avrm_ave_t *ave_p) noexcept {
  if (ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  switch (far_side.kind) {
  case AVRM_FAR_UNCONNECTED: return AVRM_OK;
  case AVRM_FAR_LOCAL:
  case AVRM_FAR_SELF: return far_side.local_rank < AVRM_LOCAL_RANKS ? AVRM_OK : AVRM_ERR_RANK;
  }
  return AVRM_ERR_OPTION;
}

// Bits of an unknown kind belong to a word that another thread is writing (publish.h).
avrm_far_t far_side_of(std::uint32_t kind, std::uint32_t local_rank) noexcept {
  if (kind != AVRM_FAR_LOCAL && kind != AVRM_FAR_SELF) {
    return {AVRM_FAR_UNCONNECTED, 0};
  }
  return {static_cast<avrm_far_kind_t>(kind), local_rank};
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
  const avrm_status_t status = check_far(far_side, ave_p);
  if (status == AVRM_OK) {
    const std::uint64_t word = static_cast<std::uint64_t>(1U << 31 | far_side.kind << 28 | far_side.local_rank) << 32;
    *ave_p = avrm_i_ave_of(far_side.kind == AVRM_FAR_UNCONNECTED ? 0 : word, node);
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
  *far_p = far_side_of(static_cast<std::uint32_t>(word >> 60) & 7, avrm_ofi_local_rank(word));
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
  if ((pointer & AVRM_I_UCX_MARKS) != 0) {
    return AVRM_ERR_ADDRESS_BIT;
  }
  *ave_p = avrm_i_ave_of(pointer - AVRM_I_UCX_MARKS, node);
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
  const avrm_status_t status = check_far(far_side, ave_p);
  if (status == AVRM_OK) {
    const std::uint64_t word = far_side.local_rank << 4 | far_side.kind << 2 | 2;
    *ave_p = avrm_i_ave_of(far_side.kind == AVRM_FAR_UNCONNECTED ? 0 : word, node);
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
  *far_p = (word & 3) == 2 ? far_side_of(static_cast<std::uint32_t>(word >> 2) & 3, avrm_ucx_local_rank(word))
                           : avrm_far_t{AVRM_FAR_UNCONNECTED, 0};
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
  return codec == AVRM_CODEC_UCX ? WriteOrder{kLowHalf, kHighHalf, 0, true}
                                 : WriteOrder{kHighHalf, kLowHalf, ~std::uint32_t{0}, false};
}

bool halves_need_no_barrier(avrm_codec_t codec, std::uint64_t old_word, std::uint64_t word) noexcept {
  if (codec == AVRM_CODEC_UCX) {
    return !avrm_ucx_is_network(old_word);
  }
  // One half of these words is 0: the low half of a far-side word, the high half of an address
  // below 2^32 - 1.
  const auto has_two_halves = [](std::uint64_t value) { return avrm_ofi_is_network(value) && value >> 32 != 0; };
  return !has_two_halves(old_word) && !has_two_halves(word);
}

} // namespace avrankmap::detail
