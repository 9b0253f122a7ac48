// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A model of what an MPI library's device does between MPI_Isend or MPI_Put and the network: the
// map is embedded in the middle of a communicator, and all arguments are needed after the
// translation and after the call of the network. send_model.c is compiled with and without frame
// pointers, as code inside a libmpi.so is.
#ifndef AVRANKMAP_TESTS_RANKMAP_MACHINE_CODE_SEND_MODEL_H
#define AVRANKMAP_TESTS_RANKMAP_MACHINE_CODE_SEND_MODEL_H

#include "avrankmap/rankmap.h"

AVRM_BEGIN_DECLS

typedef struct avrm_test_comm {
  char before[448]; // a displacement of four bytes
  avrm_rankmap_t map;
  uint16_t context;
  int32_t rank;
  uint64_t endpoint;
  const uint64_t *bases;
} avrm_test_comm_t;

typedef int avrm_test_isend_t(const void *buffer, intptr_t count, int type, int rank, int tag, avrm_test_comm_t *comm,
                              void **request);
typedef int avrm_test_put_t(const void *buffer, intptr_t count, int type, int rank, intptr_t displacement,
                            intptr_t target_count, avrm_test_comm_t *comm);
typedef struct {
  const char *name;
  avrm_test_isend_t *isend;
  avrm_test_put_t *put;
  uint64_t (*word)(const avrm_rankmap_t *map, int32_t rank);
  const avrm_ave_t *(*ave)(const avrm_rankmap_t *map, int32_t rank);
  uint32_t (*node)(const avrm_rankmap_t *map, int32_t rank);
  avrm_gpid_t (*gpid)(const avrm_rankmap_t *map, int32_t rank);
  int32_t (*lpid)(const avrm_rankmap_t *map, int32_t rank);
  size_t (*text)(int uses); // bytes of a function that translates 0, 1 or 2 times
} avrm_test_model_t;

extern const avrm_test_model_t avrm_test_model;
extern const avrm_test_model_t avrm_test_model_framed;

// What the models call; defined by the test.
int avrm_test_network(uint64_t endpoint, const void *buffer, size_t bytes, uint64_t address, uint64_t match,
                      uint64_t data);
int avrm_test_again(const void *buffer, intptr_t count, int type, int rank, int tag, avrm_test_comm_t *comm,
                    void **request);
int avrm_test_shared_memory(const void *buffer, intptr_t count, int type, uint32_t local_rank, int tag,
                            avrm_test_comm_t *comm, void **request);
int avrm_test_put_again(const void *buffer, intptr_t count, int type, int rank, intptr_t displacement,
                        intptr_t target_count, avrm_test_comm_t *comm);

AVRM_END_DECLS

#endif
