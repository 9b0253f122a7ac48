// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of blocks: messages, puts and gets of data that are scattered in memory, as described by
// MPI_Type_indexed, MPI_Type_create_hindexed and MPI_Type_create_struct. Blocks at equal distances
// cost less as a layout (avrm_layout_t in device.h).
//
// Send the upper triangle of a matrix (tests/tour/messages.c):
//
//   avrm_block_t rows[4];
//   for (int row = 0; row < 4; ++row) {
//     rows[row].offset = (char *)&square[row][row] - (char *)square;
//     rows[row].bytes = (size_t)(4 - row) * sizeof(double);
//   }
//   const avrm_blocks_t upper = {rows, 4};
//   must(avrm_irecv(world, triangle, sizeof triangle, outcome.source, 9, &received));
//   must(avrm_isend_blocks(world, square, &upper, next, 9, &sent));
//
// The data of a list are the bytes of its blocks in the order of the list. Only data are
// transferred: a receiver may use a different list from the sender's, or a layout, or one buffer. A
// message that is shorter than the data of the list fills their beginning. A longer one completes
// the receive with AVRM_ERR_TRUNCATED.
//
// The list itself is not needed after the call, even if the operation then stays pending: like an
// MPI datatype, it may be freed once the operation has started.
//
// Blocks may be in any order. Those that are read may overlap: at the origin of sends and puts, at
// the target of gets. Those that are written to should not, but this is not checked: a byte that is
// in two blocks receives the data of either one.
//
// Errors in addition to those of the operation without a list:
//
//   AVRM_ERR_NULL       `blocks` is null, or its list is null and its count is not 0, or a block
//                       that has data is at address 0
//   AVRM_ERR_SIZE       a block is not entirely within the address space, or the list has more than
//                       SIZE_MAX bytes; puts and gets: a block is not entirely within the target's
//                       part, or the lists have different numbers of bytes
//   AVRM_ERR_NO_MEMORY  no memory for the copy of the data
//
// Cost: a pass over the list. A list whose blocks follow each other without gaps, in order, is then
// treated like the one block that it forms. Otherwise a message is sent from or received into a
// copy of its data, of the same size; receives also copy the list, 16 bytes per block. Puts and
// gets: see avrm_get_blocks.
#ifndef AVRANKMAP_DEVICE_BLOCKS_H
#define AVRANKMAP_DEVICE_BLOCKS_H

#include "avrankmap/device/device.h"
#include "avrankmap/device/probe.h"

AVRM_BEGIN_DECLS

/// A block of a list.
typedef struct avrm_block {
  /// Bytes from the start of the buffer to the start of the block; may be negative. An address if
  /// the buffer is null.
  int64_t offset;
  size_t bytes; ///< length; the offset of a block of 0 bytes is ignored
} avrm_block_t;

/// A list of blocks. The number of blocks has no limit other than memory.
typedef struct avrm_blocks {
  const avrm_block_t *list; ///< may be null if count is 0
  size_t count;
} avrm_blocks_t;

/// Starts to send blocks of memory as one message. Otherwise as avrm_isend.
/// @param buffer  address that the offsets count from; null if they are addresses
/// @param blocks  not needed after the call
/// @return the common errors; also AVRM_ERR_SIZE (above)
avrm_status_t avrm_isend_blocks(avrm_comm_t *comm, const void *buffer, const avrm_blocks_t *blocks, int32_t dest,
                                int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to send blocks of memory as one synchronous message. Otherwise as avrm_issend.
/// @param buffer, blocks  as for avrm_isend_blocks
/// @return as avrm_isend_blocks
avrm_status_t avrm_issend_blocks(avrm_comm_t *comm, const void *buffer, const avrm_blocks_t *blocks, int32_t dest,
                                 int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to receive a message into blocks of memory. Otherwise as avrm_irecv. Nothing is written
/// to the blocks before the request completes, unless they form one block (above).
/// @param buffer, blocks  as for avrm_isend_blocks
/// @return as avrm_isend_blocks
avrm_status_t avrm_irecv_blocks(avrm_comm_t *comm, void *buffer, const avrm_blocks_t *blocks, int32_t source,
                                int32_t tag, avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to receive a message as avrm_imrecv does, but into blocks of memory.
/// @param buffer, blocks  as for avrm_isend_blocks
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE, AVRM_ERR_NO_MEMORY
avrm_status_t avrm_imrecv_blocks(avrm_message_t **message_p, void *buffer, const avrm_blocks_t *blocks,
                                 avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Starts to copy blocks of memory to blocks in the target's part of a window. Completes as
/// avrm_put.
/// @param buffer, blocks  as for avrm_isend_blocks
/// @param offset          where the target's offsets count from, in bytes from the start of its
///                        part
/// @param target_blocks   blocks in the target's part; as many bytes in total as `blocks`; only
///                        read during the call
/// @return as avrm_put; also AVRM_ERR_UNSUPPORTED (gaps, over the null network)
/// Cost: see avrm_get_blocks.
avrm_status_t avrm_put_blocks(avrm_window_t *window, const void *buffer, const avrm_blocks_t *blocks, int32_t target,
                              uint64_t offset, const avrm_blocks_t *target_blocks,
                              avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy blocks of memory to blocks in the target's part. Completes as avrm_rput.
/// @param buffer, blocks, offset, target_blocks  as for avrm_put_blocks
/// @return as avrm_put_blocks
/// Cost: see avrm_get_blocks.
avrm_status_t avrm_rput_blocks(avrm_window_t *window, const void *buffer, const avrm_blocks_t *blocks, int32_t target,
                               uint64_t offset, const avrm_blocks_t *target_blocks,
                               avrm_request_t **request_p) AVRM_NOEXCEPT;
/// Starts to copy blocks in the target's part to blocks of memory. Completes as avrm_get.
/// @param buffer, blocks, offset, target_blocks  as for avrm_put_blocks
/// @return as avrm_put_blocks
/// Cost: in mapped memory, a copy block by block. Otherwise data with gaps at the origin or at the
/// target are transferred by active message, and the target must make progress; a list with gaps at
/// the target then adds 16 bytes per block to the messages, and a get into a list with gaps copies
/// the list and the data as a receive does.
avrm_status_t avrm_get_blocks(avrm_window_t *window, void *buffer, const avrm_blocks_t *blocks, int32_t target,
                              uint64_t offset, const avrm_blocks_t *target_blocks,
                              avrm_request_t **request_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
