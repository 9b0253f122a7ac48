// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of hierarchy.h: the arithmetic of layouts. A position is rank + phase, which makes all
// blocks equally long.
#ifndef AVRANKMAP_HIERARCHY_INL_H
#define AVRANKMAP_HIERARCHY_INL_H

#include "avrankmap/hierarchy.h"

AVRM_BEGIN_DECLS

AVRM_INLINE int32_t avrm_hierarchy_size(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT {
  return (int32_t)hierarchy->size;
}

AVRM_INLINE int32_t avrm_hierarchy_nodes(const avrm_hierarchy_t *hierarchy) AVRM_NOEXCEPT {
  return (int32_t)hierarchy->nodes;
}

/// Returns a * b / 2^64 for a below 2^32.
AVRM_INLINE uint64_t avrm_i_hierarchy_high(uint64_t a, uint64_t b) AVRM_NOEXCEPT {
  return (uint64_t)avrm_i_block_of((int64_t)a, b);
}

/// Returns the node of a position. The product of the position and by_round is the number of
/// rounds, with 64 bits of fraction. The fraction times the number of nodes is the node. The
/// product is rounded up, but by less than one position, which creation has checked.
AVRM_INLINE uint32_t avrm_i_hierarchy_node_at(const avrm_hierarchy_t *hierarchy, uint32_t position) AVRM_NOEXCEPT {
  return (uint32_t)avrm_i_hierarchy_high(hierarchy->nodes, position * hierarchy->by_round);
}

/// Returns the local rank of a position whose node is known.
AVRM_INLINE int32_t avrm_i_hierarchy_local_at(const avrm_hierarchy_t *hierarchy, uint32_t position,
                                              uint32_t node) AVRM_NOEXCEPT {
  const uint32_t rounds = (uint32_t)avrm_i_hierarchy_high(position, hierarchy->by_round);
  const uint32_t local = position - (rounds * (hierarchy->nodes - 1) + node) * hierarchy->block;
  return (int32_t)(node == 0 ? local - hierarchy->phase : local);
}

AVRM_INLINE int32_t avrm_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT {
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_node(hierarchy, rank);
  }
  return (int32_t)avrm_i_hierarchy_node_at(hierarchy, (uint32_t)rank + hierarchy->phase);
}

AVRM_INLINE int32_t avrm_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT {
  const uint32_t position = (uint32_t)rank + hierarchy->phase;
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_local(hierarchy, rank);
  }
  return avrm_i_hierarchy_local_at(hierarchy, position, avrm_i_hierarchy_node_at(hierarchy, position));
}

AVRM_INLINE int32_t avrm_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node,
                                            int32_t rank) AVRM_NOEXCEPT {
  const uint32_t position = (uint32_t)rank + hierarchy->phase;
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_local_on(hierarchy, node, rank);
  }
  return avrm_i_hierarchy_node_at(hierarchy, position) == (uint32_t)node
             ? avrm_i_hierarchy_local_at(hierarchy, position, (uint32_t)node)
             : AVRM_UNDEFINED;
}

AVRM_INLINE int32_t avrm_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT {
  uint32_t before;
  uint32_t last = 0;
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_node_size(hierarchy, node);
  }
  before = (uint32_t)node * hierarchy->block;
  if (hierarchy->rest > before) {
    last = hierarchy->rest - before < hierarchy->block ? hierarchy->rest - before : hierarchy->block;
  }
  return (int32_t)(hierarchy->rounds * hierarchy->block + last - (node == 0 ? hierarchy->phase : 0));
}

AVRM_INLINE int32_t avrm_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) AVRM_NOEXCEPT {
  uint32_t place;
  uint32_t rounds;
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_rank(hierarchy, node, local);
  }
  place = (uint32_t)local + (node == 0 ? hierarchy->phase : 0);
  rounds = (uint32_t)avrm_i_hierarchy_high(2 * (uint64_t)place, hierarchy->by_block);
  return (int32_t)(place + (rounds * (hierarchy->nodes - 1) + (uint32_t)node) * hierarchy->block - hierarchy->phase);
}

AVRM_INLINE int32_t avrm_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT {
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_rank(hierarchy, node, 0);
  }
  return node == 0 ? 0 : (int32_t)((uint32_t)node * hierarchy->block - hierarchy->phase);
}

AVRM_END_DECLS

#endif
