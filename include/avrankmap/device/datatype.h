// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Datatypes of the MPI-shaped interface (fastpath.h).
//
// A handle is a number. The handle of a predefined datatype is odd and contains the size, so the
// compiler knows the size if the handle is a constant:
//
//   predefined   size << 8 | index << 1 | 1
//   derived      address of an object of the library, therefore even
//   null         0
//
// A derived datatype consists of elements of a predefined or contiguous datatype. Commit it before
// use.
//
// Define a column of a matrix of 4 rows and 5 columns (tests/tour/datatypes.c):
//
//   must(avrm_type_vector(instance, 4, 1, 5, AVRM_DOUBLE, &column)); // 4 blocks of 1, 5 apart
//   must(avrm_type_commit(column));
//
// Send and receive columns (tests/tour/datatypes.c):
//
//   must(avrm_fp_irecv(&matrix[0][0], 1, column, last, 7, comm, &requests[0]));
//   must(avrm_fp_isend(&matrix[0][4], 1, column, next, 7, comm, &requests[1]));
//   must(avrm_waitall(2, requests, NULL));
#ifndef AVRANKMAP_DEVICE_DATATYPE_H
#define AVRANKMAP_DEVICE_DATATYPE_H

#include "avrankmap/instance.h"

AVRM_BEGIN_DECLS

/// A datatype, predefined or derived. Predefined ones are constants.
typedef uintptr_t avrm_datatype_t;

/// No datatype: the value of a handle after avrm_type_free.
#define AVRM_DATATYPE_NULL ((avrm_datatype_t)0)

#define AVRM_I_PREDEFINED(index, type) ((avrm_datatype_t)(sizeof(type) << 8 | (index) << 1 | 1))
#define AVRM_BYTE AVRM_I_PREDEFINED(0, unsigned char)       ///< bytes without a type
#define AVRM_CHAR AVRM_I_PREDEFINED(1, char)                ///< char
#define AVRM_INT8 AVRM_I_PREDEFINED(2, int8_t)              ///< int8_t
#define AVRM_UINT8 AVRM_I_PREDEFINED(3, uint8_t)            ///< uint8_t
#define AVRM_INT16 AVRM_I_PREDEFINED(4, int16_t)            ///< int16_t
#define AVRM_UINT16 AVRM_I_PREDEFINED(5, uint16_t)          ///< uint16_t
#define AVRM_INT32 AVRM_I_PREDEFINED(6, int32_t)            ///< int32_t
#define AVRM_UINT32 AVRM_I_PREDEFINED(7, uint32_t)          ///< uint32_t
#define AVRM_INT64 AVRM_I_PREDEFINED(8, int64_t)            ///< int64_t
#define AVRM_UINT64 AVRM_I_PREDEFINED(9, uint64_t)          ///< uint64_t
#define AVRM_INT AVRM_I_PREDEFINED(10, int)                 ///< int
#define AVRM_LONG AVRM_I_PREDEFINED(11, long)               ///< long
#define AVRM_FLOAT AVRM_I_PREDEFINED(12, float)             ///< float
#define AVRM_DOUBLE AVRM_I_PREDEFINED(13, double)           ///< double
#define AVRM_LONG_DOUBLE AVRM_I_PREDEFINED(14, long double) ///< long double
#define AVRM_BOOL AVRM_I_PREDEFINED(15, bool)               ///< bool

/// Creates an uncommitted datatype of `count` consecutive elements of `old`.
/// @param count  0 or more
/// @param old    predefined, or derived without gaps
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_COUNT (negative), AVRM_ERR_DATATYPE (`old` is null),
///         AVRM_ERR_UNSUPPORTED (`old` has gaps), AVRM_ERR_LIMIT (more than 2^47 bytes),
///         AVRM_ERR_NO_MEMORY
/// Thread-safe. Cost: one allocation.
avrm_status_t avrm_type_contiguous(avrm_instance_t *instance, int32_t count, avrm_datatype_t old,
                                   avrm_datatype_t *type_p) AVRM_NOEXCEPT;

/// Creates an uncommitted datatype of `count` blocks of `block_length` elements of `old`.
/// @param count         number of blocks, 0 or more
/// @param block_length  elements per block, 0 or more
/// @param stride        elements from the start of one block to the start of the next, at least
///                      block_length
/// @param old           predefined, or derived without gaps
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_COUNT (a negative count or block_length),
///         AVRM_ERR_STRIDE (blocks overlap), AVRM_ERR_DATATYPE (`old` is null),
///         AVRM_ERR_UNSUPPORTED (`old` has gaps), AVRM_ERR_LIMIT (the extent is more than 2^47
///         bytes), AVRM_ERR_NO_MEMORY
/// Thread-safe. Cost: one allocation.
avrm_status_t avrm_type_vector(avrm_instance_t *instance, int32_t count, int32_t block_length, int32_t stride,
                               avrm_datatype_t old, avrm_datatype_t *type_p) AVRM_NOEXCEPT;

/// Commits a derived datatype, before its first use. Predefined datatypes need no commit.
/// @return AVRM_OK, AVRM_ERR_DATATYPE (null)
avrm_status_t avrm_type_commit(avrm_datatype_t type) AVRM_NOEXCEPT;

/// Frees a derived datatype and sets the handle to null. Pending operations are not affected.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_DATATYPE (null or predefined)
avrm_status_t avrm_type_free(avrm_datatype_t *type_p) AVRM_NOEXCEPT;

/// Returns the number of bytes of data in one element, without gaps.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_DATATYPE (null)
avrm_status_t avrm_type_size(avrm_datatype_t type, size_t *bytes_p) AVRM_NOEXCEPT;

/// Returns true if the handle is that of a predefined datatype.
AVRM_INLINE bool avrm_type_is_predefined(avrm_datatype_t type) AVRM_NOEXCEPT { return (type & 1) != 0; }

/// Returns the size of a predefined datatype in bytes.
AVRM_INLINE size_t avrm_type_predefined_size(avrm_datatype_t type) AVRM_NOEXCEPT { return type >> 8; }

AVRM_END_DECLS

#endif
