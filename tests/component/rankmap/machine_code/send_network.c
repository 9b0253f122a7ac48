// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the model of a send ends in.
#include "tests/component/rankmap/machine_code/send_model.h"

int avrm_test_network(uint64_t endpoint, const void *buffer, size_t bytes, uint64_t address, uint64_t match,
                      uint64_t data) {
  (void)endpoint, (void)buffer, (void)bytes, (void)address, (void)match, (void)data;
  return 0;
}
int avrm_test_again(const void *buffer, intptr_t count, int type, int rank, int tag, avrm_test_comm_t *comm,
                    void **request) {
  (void)buffer, (void)count, (void)type, (void)rank, (void)tag, (void)comm, (void)request;
  return 1;
}
int avrm_test_shared_memory(const void *buffer, intptr_t count, int type, uint32_t local_rank, int tag,
                            avrm_test_comm_t *comm, void **request) {
  (void)buffer, (void)count, (void)type, (void)tag, (void)comm, (void)request;
  return (int)local_rank;
}
int avrm_test_put_again(const void *buffer, intptr_t count, int type, int rank, intptr_t displacement,
                        intptr_t target_count, avrm_test_comm_t *comm) {
  (void)buffer, (void)count, (void)type, (void)rank, (void)displacement, (void)target_count, (void)comm;
  return 1;
}
