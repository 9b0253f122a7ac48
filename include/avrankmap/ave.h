// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address vector element (AVE): all that a process stores about one peer, in 12 bytes
// (AV-Rankmap paper, IV-B).
//
//    byte  0                             8              12
//          +-----------------------------+--------------+
//          |        address word         |   node id    |
//          +-----------------------------+--------------+
//
// The address word holds the network address and the bits that mark it as such: one bit with
// libfabric, two bits with UCX. One test on it decides between a plain network address and the far
// side: peers reached through shared memory, the process itself, and peers that are not connected
// yet. Therefore neither shared memory nor connecting on demand adds an instruction to the network
// path. An all-zero element means "not yet connected", so a fresh table consists of untouched
// pages.
//
//   libfabric: fi_addr_t, 63 bits, bit 63 stolen
//     network     word = address + 1
//                 test: word - 1 >= 0 as a signed number
//                 decode: word - 1   (the same subtraction)
//     far side    word = 0: not yet connected
//                 word = (2^31 | kind << 28 | local rank) << 32: local or self
//                 any other: being written by another thread; counts as 0
//
//   UCX: ucp_ep_h, an aligned pointer below 2^63, bits 0 and 63 stolen
//     network     word = pointer - 1 with bit 63 set, which is pointer - c for c = 2^63 + 1
//                 test: word + c has neither of the two bits
//                 decode: word + c   (the same addition)
//     far side    word = 0: not yet connected
//                 word = local rank << 4 | kind << 2 | 2: local or self
//                 any other: being written by another thread; counts as 0
//
// UCX endpoint words are marked in both halves, and far-side words occupy only one half. A torn
// load of such a word therefore reads "not yet connected" or the whole word, so connecting a peer
// needs no process-wide memory barrier. Libfabric addresses also occupy one half, except those of
// 2^32 - 1 or more (avrm_av_set).
//
// Every libfabric address from 0 to 2^63 - 1 and every even pointer from 2 to 2^63 - 2 survives a
// round trip exactly. Packing an address that has a stolen bit set, or a value that means "no
// address" (FI_ADDR_NOTAVAIL, FI_ADDR_UNSPEC, null), returns an error and leaves the element
// unchanged.
//
// An AVE is aligned to 4 bytes rather than 8, so it needs no padding, and 5 or 6 of them share a
// cache line. Do not form a uint64_t pointer into one; read it through the functions below. Write
// elements of an address vector only with avrm_av_set and its variants (av.h, which has examples).
//
// All functions of this header are thread-safe and lock-free.
#ifndef AVRANKMAP_AVE_H
#define AVRANKMAP_AVE_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

/// Address vector element: 12 bytes, alignment 4. w[0] and w[1] are the address word in the
/// machine's byte order, w[2] is the node id.
typedef struct avrm_ave {
  uint32_t w[3];
} avrm_ave_t;

static_assert(sizeof(avrm_ave_t) == 12, "an AVE is 12 bytes");

// Bytes from one AVE of a table to the next.
#define AVRM_I_AVE_BYTES ((int64_t)sizeof(avrm_ave_t))

/// Encoding of address words, as described above.
typedef enum avrm_codec {
  AVRM_CODEC_OFI = 0, ///< libfabric, and any transport whose addresses are numbers below 2^63
  AVRM_CODEC_UCX = 1, ///< UCX, and any transport whose addresses are even pointers below 2^63
} avrm_codec_t;

/// Kind of a peer on the far side.
typedef enum avrm_far_kind {
  AVRM_FAR_UNCONNECTED = 0, ///< no address yet: obtain and insert it, then try again
  AVRM_FAR_LOCAL = 1,       ///< on the same node, reached through shared memory
  AVRM_FAR_SELF = 2,        ///< the process itself
} avrm_far_kind_t;

/// The far side of an element, unpacked.
typedef struct avrm_far {
  avrm_far_kind_t kind;
  uint32_t local_rank; ///< rank among the processes of the node, below AVRM_LOCAL_RANKS; 0 for
                       ///< AVRM_FAR_UNCONNECTED
} avrm_far_t;

/// Upper bound of local ranks, exclusive.
#define AVRM_LOCAL_RANKS (UINT32_C(1) << 28)

/// Node id of an element that was never set. The library does not treat it specially. If you learn
/// node ids late, or query them before all are set, number the nodes from 1.
#define AVRM_NODE_UNSET UINT32_C(0)

/// Returns the address word of an element. Cost: 1 load.
AVRM_INLINE uint64_t avrm_ave_word(const avrm_ave_t *ave) AVRM_NOEXCEPT;

/// Returns the node id of an element: an opaque 32-bit number that is equal for all processes of a
/// node, or AVRM_NODE_UNSET if it was never set. Cost: 1 load.
AVRM_INLINE uint32_t avrm_ave_node(const avrm_ave_t *ave) AVRM_NOEXCEPT;

/// Returns true if an address word of the libfabric codec holds a network address. Cost: together
/// with avrm_ofi_address, 1 subtraction and 1 branch.
AVRM_INLINE bool avrm_ofi_is_network(uint64_t word) AVRM_NOEXCEPT;

/// Returns the fi_addr_t in an address word for which avrm_ofi_is_network is true. Cost: 1
/// subtraction.
AVRM_INLINE uint64_t avrm_ofi_address(uint64_t word) AVRM_NOEXCEPT;

/// Returns true if an address word of the UCX codec holds a network endpoint. Cost: together with
/// avrm_ucx_endpoint, loading a constant, 1 addition, 1 test and 1 branch.
AVRM_INLINE bool avrm_ucx_is_network(uint64_t word) AVRM_NOEXCEPT;

/// Returns the ucp_ep_h in an address word for which avrm_ucx_is_network is true. Cost: 1 addition.
AVRM_INLINE void *avrm_ucx_endpoint(uint64_t word) AVRM_NOEXCEPT;

/// Returns true if an address word for which avrm_ofi_is_network is false belongs to a process on
/// the local node (AVRM_FAR_LOCAL or AVRM_FAR_SELF), and false for a peer that is not connected.
/// Cost: together with avrm_ofi_local_rank, a few instructions.
AVRM_INLINE bool avrm_ofi_is_local(uint64_t word) AVRM_NOEXCEPT;

/// Returns the local rank in an address word for which avrm_ofi_is_local is true.
AVRM_INLINE uint32_t avrm_ofi_local_rank(uint64_t word) AVRM_NOEXCEPT;

/// Returns true if an address word for which avrm_ucx_is_network is false belongs to a process on
/// the local node (AVRM_FAR_LOCAL or AVRM_FAR_SELF), and false for a peer that is not connected.
/// Cost: together with avrm_ucx_local_rank, a few instructions.
AVRM_INLINE bool avrm_ucx_is_local(uint64_t word) AVRM_NOEXCEPT;

/// Returns the local rank in an address word for which avrm_ucx_is_local is true.
AVRM_INLINE uint32_t avrm_ucx_local_rank(uint64_t word) AVRM_NOEXCEPT;

/// Packs a libfabric address and a node id.
/// @param address  a fi_addr_t, 0 .. 2^63 - 1
/// @param ave_p    receives the element; point it to an ordinary variable, which avrm_av_set then
///                 copies into an address vector
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_ADDRESS_SENTINEL (FI_ADDR_NOTAVAIL),
///         AVRM_ERR_ADDRESS_BIT (bit 63 is set)
avrm_status_t avrm_ofi_pack(uint64_t address, uint32_t node, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Unpacks an element that avrm_ofi_pack packed.
/// @param node_p  receives the node id; may be null
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_NETWORK
avrm_status_t avrm_ofi_unpack(const avrm_ave_t *ave, uint64_t *address_p, uint32_t *node_p) AVRM_NOEXCEPT;

/// Packs a far-side element of the libfabric codec. The local rank of an AVRM_FAR_UNCONNECTED
/// element is ignored.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (unknown kind), AVRM_ERR_RANK (AVRM_LOCAL_RANKS
///         or more)
avrm_status_t avrm_ofi_pack_far(avrm_far_t far_side, uint32_t node, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Unpacks an address word for which avrm_ofi_is_network is false.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_NETWORK (it *is* a network address)
avrm_status_t avrm_ofi_unpack_far(uint64_t word, avrm_far_t *far_p) AVRM_NOEXCEPT;

/// Packs a UCX endpoint and a node id.
/// @param endpoint  a ucp_ep_h: an even, non-null pointer below 2^63
/// @param ave_p     receives the element, as for avrm_ofi_pack
/// @return AVRM_OK, AVRM_ERR_NULL (ave_p), AVRM_ERR_ADDRESS_SENTINEL (null endpoint),
///         AVRM_ERR_ADDRESS_BIT (bit 0 or 63 is set)
avrm_status_t avrm_ucx_pack(const void *endpoint, uint32_t node, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Unpacks an element that avrm_ucx_pack packed.
/// @param node_p  receives the node id; may be null
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_NETWORK
avrm_status_t avrm_ucx_unpack(const avrm_ave_t *ave, void **endpoint_p, uint32_t *node_p) AVRM_NOEXCEPT;

/// Packs a far-side element of the UCX codec. The local rank of an AVRM_FAR_UNCONNECTED element is
/// ignored.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (unknown kind), AVRM_ERR_RANK (AVRM_LOCAL_RANKS
///         or more)
avrm_status_t avrm_ucx_pack_far(avrm_far_t far_side, uint32_t node, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Unpacks an address word for which avrm_ucx_is_network is false.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_NETWORK (it *is* a network endpoint)
avrm_status_t avrm_ucx_unpack_far(uint64_t word, avrm_far_t *far_p) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Functions for code that handles both codecs. An address is a 64-bit number: the fi_addr_t, or the
// ucp_ep_h converted to a number. Words must be of the codec that is passed. If the codec is known
// at compile time, the inline functions compile to those of that codec; otherwise each costs one
// more test and branch.
// ------------------------------------------------------------------------------------------------

/// Returns true if an address word holds a network address.
AVRM_INLINE bool avrm_word_is_network(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT;

/// Returns the network address in a word for which avrm_word_is_network is true. Cost: 1 addition.
AVRM_INLINE uint64_t avrm_word_address(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT;

/// Returns true if an address word for which avrm_word_is_network is false belongs to a process on
/// the local node, including the process itself, and false for a peer that is not connected.
AVRM_INLINE bool avrm_word_is_local(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT;

/// Returns the local rank in a word for which avrm_word_is_local is true.
AVRM_INLINE uint32_t avrm_word_local_rank(avrm_codec_t codec, uint64_t word) AVRM_NOEXCEPT;

/// Packs a network address and a node id.
/// @return the result of avrm_ofi_pack or avrm_ucx_pack, or AVRM_ERR_OPTION for an unknown codec
avrm_status_t avrm_ave_pack(avrm_codec_t codec, uint64_t address, uint32_t node, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Packs a far-side element.
/// @return the result of avrm_ofi_pack_far or avrm_ucx_pack_far, or AVRM_ERR_OPTION for an unknown
///         codec
avrm_status_t avrm_ave_pack_far(avrm_codec_t codec, avrm_far_t far_side, uint32_t node,
                                avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Unpacks an address word for which avrm_word_is_network is false.
/// @return the result of avrm_ofi_unpack_far or avrm_ucx_unpack_far, or AVRM_ERR_OPTION for an
///         unknown codec
avrm_status_t avrm_word_unpack_far(avrm_codec_t codec, uint64_t word, avrm_far_t *far_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/ave_inl.h"

#endif
