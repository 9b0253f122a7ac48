// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of hierarchy.h: the arithmetic of layouts. A position is a rank + phase, so that all
// blocks have one length.
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

AVRM_INLINE int32_t avrm_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT {
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_node(hierarchy, rank, NULL);
  }
  return (int32_t)(((uint32_t)rank + hierarchy->phase) / hierarchy->block % hierarchy->nodes);
}

AVRM_INLINE int32_t avrm_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) AVRM_NOEXCEPT {
  int32_t local = 0;
  uint32_t position;
  uint32_t index;
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    avrm_i_hierarchy_node(hierarchy, rank, &local);
    return local;
  }
  position = (uint32_t)rank + hierarchy->phase;
  index = position / hierarchy->block;
  local = (int32_t)(index / hierarchy->nodes * hierarchy->block + position % hierarchy->block);
  return index % hierarchy->nodes == 0 ? local - (int32_t)hierarchy->phase : local;
}

AVRM_INLINE int32_t avrm_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node,
                                            int32_t rank) AVRM_NOEXCEPT {
  return avrm_hierarchy_node(hierarchy, rank) == node ? avrm_hierarchy_local(hierarchy, rank) : AVRM_UNDEFINED;
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
  if (AVRM_UNLIKELY(hierarchy->shared != NULL)) {
    return avrm_i_hierarchy_rank(hierarchy, node, local);
  }
  place = (uint32_t)local + (node == 0 ? hierarchy->phase : 0);
  return (int32_t)((place / hierarchy->block * hierarchy->nodes + (uint32_t)node) * hierarchy->block +
                   place % hierarchy->block - hierarchy->phase);
}

AVRM_INLINE int32_t avrm_hierarchy_leader(const avrm_hierarchy_t *hierarchy, int32_t node) AVRM_NOEXCEPT {
  return avrm_hierarchy_rank(hierarchy, node, 0);
}

AVRM_END_DECLS

#endif
