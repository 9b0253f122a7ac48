// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/rankmap/machine_code/send_model.h"

#define AVRM_TEST_GLUE(a, b) a##b
#define AVRM_TEST_NAME(a, b) AVRM_TEST_GLUE(a, b)
#define AVRM_TEST_TEXT(text) #text
#define AVRM_TEST_STRING(text) AVRM_TEST_TEXT(text)

enum { BYTES_SHIFT = 8, CONTEXT_SHIFT = 32 };

static inline size_t bytes_of(intptr_t count, int type) { return (size_t)count * ((unsigned)type >> BYTES_SHIFT); }

AVRM_INLINE_ALWAYS int send_to(uint64_t address, const void *buffer, intptr_t count, int type, int rank, int tag,
                               avrm_test_comm_t *comm, void **request) {
  const uint64_t match = (uint64_t)comm->context << CONTEXT_SHIFT | (uint32_t)tag;
  if (avrm_test_network(comm->endpoint, buffer, bytes_of(count, type), address, match, (uint64_t)comm->rank) != 0) {
    return avrm_test_again(buffer, count, type, rank, tag, comm, request);
  }
  *request = comm;
  return 0;
}

static int isend(const void *buffer, intptr_t count, int type, int rank, int tag, avrm_test_comm_t *comm,
                 void **request) {
  const uint64_t word = avrm_rankmap_word(&comm->map, rank);
  if (AVRM_LIKELY(avrm_ofi_is_network(word))) {
    return send_to(avrm_ofi_address(word), buffer, count, type, rank, tag, comm, request);
  }
  if (AVRM_LIKELY(avrm_ofi_is_local(word))) {
    return avrm_test_shared_memory(buffer, count, type, avrm_ofi_local_rank(word), tag, comm, request);
  }
  return avrm_test_again(buffer, count, type, rank, tag, comm, request);
}

AVRM_INLINE_ALWAYS int put_to(uint64_t address, const void *buffer, intptr_t count, int type, int rank,
                              intptr_t displacement, intptr_t target_count, avrm_test_comm_t *comm) {
  const uint64_t remote = comm->bases[rank] + (uint64_t)displacement;
  if (count != target_count ||
      avrm_test_network(comm->endpoint, buffer, bytes_of(count, type), address, remote, (uint64_t)comm->rank) != 0) {
    return avrm_test_put_again(buffer, count, type, rank, displacement, target_count, comm);
  }
  return 0;
}

static int put(const void *buffer, intptr_t count, int type, int rank, intptr_t displacement, intptr_t target_count,
               avrm_test_comm_t *comm) {
  const uint64_t word = avrm_rankmap_word(&comm->map, rank);
  if (AVRM_LIKELY(avrm_ofi_is_network(word))) {
    return put_to(avrm_ofi_address(word), buffer, count, type, rank, displacement, target_count, comm);
  }
  return avrm_test_put_again(buffer, count, type, rank, displacement, target_count, comm);
}

static uint64_t word(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_word(map, rank); }
static const avrm_ave_t *ave(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_ave(map, rank); }
static uint32_t node(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_node(map, rank); }
static avrm_gpid_t gpid(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_gpid(map, rank); }
static int32_t lpid(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_lpid(map, rank); }

// Each in a section of its own, whose size the linker tells.
#define AVRM_TEST_USES(uses) AVRM_TEST_NAME(avrm_test_uses_##uses##_, AVRM_TEST_MODEL)
#define AVRM_TEST_SECTION(uses) __attribute__((used, section(AVRM_TEST_STRING(AVRM_TEST_USES(uses)))))
#define AVRM_TEST_BOUND(bound, uses) AVRM_TEST_NAME(bound, AVRM_TEST_USES(uses))

static AVRM_TEST_SECTION(0) void uses_0(const avrm_test_comm_t *const *comms, const int32_t *ranks, uint64_t *words) {
  words[0] = comms[0]->endpoint + (uint64_t)ranks[0];
  words[1] = comms[1]->endpoint + (uint64_t)ranks[1];
}

static AVRM_TEST_SECTION(1) void uses_1(const avrm_test_comm_t *const *comms, const int32_t *ranks, uint64_t *words) {
  words[0] = avrm_rankmap_word(&comms[0]->map, ranks[0]);
  words[1] = comms[1]->endpoint + (uint64_t)ranks[1];
}

static AVRM_TEST_SECTION(2) void uses_2(const avrm_test_comm_t *const *comms, const int32_t *ranks, uint64_t *words) {
  words[0] = avrm_rankmap_word(&comms[0]->map, ranks[0]);
  words[1] = avrm_rankmap_word(&comms[1]->map, ranks[1]);
}

#define AVRM_TEST_BOUNDS(uses)                                                                                         \
  extern AVRM_I_HIDDEN const char AVRM_TEST_BOUND(__start_, uses)[];                                                   \
  extern AVRM_I_HIDDEN const char AVRM_TEST_BOUND(__stop_, uses)[]
AVRM_TEST_BOUNDS(0);
AVRM_TEST_BOUNDS(1);
AVRM_TEST_BOUNDS(2);

static size_t text(int uses) {
  switch (uses) {
  case 0: return (size_t)(AVRM_TEST_BOUND(__stop_, 0) - AVRM_TEST_BOUND(__start_, 0));
  case 1: return (size_t)(AVRM_TEST_BOUND(__stop_, 1) - AVRM_TEST_BOUND(__start_, 1));
  default: return (size_t)(AVRM_TEST_BOUND(__stop_, 2) - AVRM_TEST_BOUND(__start_, 2));
  }
}

const avrm_test_model_t AVRM_TEST_NAME(avrm_test_, AVRM_TEST_MODEL) = {
    AVRM_TEST_STRING(AVRM_TEST_MODEL), isend, put, word, ave, node, gpid, lpid, text};
