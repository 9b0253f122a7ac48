// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCC's ep_map, which tells where the endpoints of a team are in its context, as a rankmap and
// back: all four kinds. The declarations are those of ucc/api/ucc.h, shortened.
#include <avrankmap/convert.h>

#include "../tour.h"

typedef enum { UCC_EP_MAP_FULL = 1, UCC_EP_MAP_STRIDED = 2, UCC_EP_MAP_ARRAY = 3, UCC_EP_MAP_CB = 4 } ucc_ep_map_type_t;

typedef struct ucc_ep_map {
  ucc_ep_map_type_t type;
  uint64_t ep_num;
  union {
    struct {
      uint64_t start;
      int64_t stride;
    } strided;
    struct {
      void *map;
      size_t elem_size; // 4 or 8
    } array;
    struct {
      uint64_t (*cb)(uint64_t ep, void *context);
      void *cb_ctx;
    } cb;
  } u;
} ucc_ep_map_t;

enum { CONTEXT = 4096 }; // processes in the context

static uint64_t ep_map_eval(const ucc_ep_map_t *map, uint64_t ep) {
  switch (map->type) {
  case UCC_EP_MAP_FULL: return ep;
  case UCC_EP_MAP_STRIDED: return map->u.strided.start + ep * (uint64_t)map->u.strided.stride;
  case UCC_EP_MAP_ARRAY:
    return map->u.array.elem_size == 8 ? ((uint64_t *)map->u.array.map)[ep] : ((uint32_t *)map->u.array.map)[ep];
  case UCC_EP_MAP_CB: return map->u.cb.cb(ep, map->u.cb.cb_ctx);
  }
  return UINT64_MAX;
}

typedef struct endpoints {
  const ucc_ep_map_t *map;
  int32_t pgid;
} endpoints_t;

// The lpid -1 makes the creation return AVRM_ERR_OVERFLOW.
static avrm_gpid_t process_of(void *context, int32_t ep) {
  const endpoints_t *const from = (const endpoints_t *)context;
  const uint64_t rank = ep_map_eval(from->map, (uint64_t)ep);
  const avrm_gpid_t process = {from->pgid, rank < INT32_MAX ? (int32_t)rank : -1};
  return process;
}

// Creates the rankmap. Full and strided maps become formulas at once; the others are read once, and
// take a table only if they have no pattern.
static avrm_status_t import_map(avrm_instance_t *instance, int32_t pgid, const ucc_ep_map_t *from,
                                avrm_rankmap_t *map_p) {
  if (from->ep_num > INT32_MAX)
    return AVRM_ERR_LIMIT;
  const int32_t size = (int32_t)from->ep_num;
  if (from->type == UCC_EP_MAP_FULL)
    return avrm_rankmap_create_direct(instance, pgid, size, map_p);
  if (from->type == UCC_EP_MAP_STRIDED && from->u.strided.start <= INT32_MAX && from->u.strided.stride <= INT32_MAX &&
      from->u.strided.stride >= INT32_MIN)
    return avrm_rankmap_create_stride(instance, pgid, size, (int32_t)from->u.strided.start,
                                      (int32_t)from->u.strided.stride, map_p);
  if (from->type == UCC_EP_MAP_ARRAY && from->u.array.elem_size == 4)
    return avrm_rankmap_create_lpids(instance, pgid, size, (const int32_t *)from->u.array.map, AVRM_RANKMAP_UNIQUE,
                                     map_p);
  if (from->type == UCC_EP_MAP_ARRAY)
    return avrm_rankmap_create_lpids64(instance, pgid, size, (const uint64_t *)from->u.array.map, AVRM_RANKMAP_UNIQUE,
                                       map_p);
  endpoints_t endpoints = {from, pgid};
  return avrm_rankmap_create_function(instance, size, process_of, &endpoints, AVRM_RANKMAP_UNIQUE, map_p);
}

static uint64_t rank_of(uint64_t ep, void *map) {
  return (uint64_t)avrm_rankmap_lpid((const avrm_rankmap_t *)map, (int32_t)ep);
}

// The ep_map of a rankmap of one process group. Other forms than the affine ones are a callback,
// which needs the rankmap as long as the ep_map is used, and no table.
static ucc_ep_map_t export_map(avrm_rankmap_t *map) {
  avrm_rankmap_info_t info;
  ucc_ep_map_t to = {UCC_EP_MAP_CB, 0, {{0, 0}}};
  must(avrm_rankmap_describe(map, &info));
  to.ep_num = (uint64_t)info.size;
  if (info.mode == AVRM_MODE_DIRECT && info.size == CONTEXT) {
    to.type = UCC_EP_MAP_FULL;
  } else if (info.mode == AVRM_MODE_DIRECT || info.mode == AVRM_MODE_OFFSET || info.mode == AVRM_MODE_STRIDE) {
    to.type = UCC_EP_MAP_STRIDED;
    to.u.strided.start = (uint64_t)info.offset;
    to.u.strided.stride = info.stride;
  } else {
    to.u.cb.cb = rank_of;
    to.u.cb.cb_ctx = map;
  }
  return to;
}

// An array, for those who want one: 4 bytes per endpoint.
static ucc_ep_map_t export_array(const avrm_rankmap_t *map) {
  const int32_t size = avrm_rankmap_size(map);
  uint32_t *const ranks = (uint32_t *)malloc(sizeof *ranks * (size_t)(size ? size : 1));
  ucc_ep_map_t to = {UCC_EP_MAP_ARRAY, (uint64_t)size, {{0, 0}}};
  EXPECT(ranks != NULL);
  for (int32_t ep = 0; ep < size; ++ep)
    ranks[ep] = (uint32_t)avrm_rankmap_lpid(map, ep);
  to.u.array.map = ranks;
  to.u.array.elem_size = sizeof *ranks;
  return to;
}

// There and back: both ep_maps give what the first one does.
static void round_trip(avrm_instance_t *instance, int32_t pgid, const char *name, const ucc_ep_map_t *from,
                       avrm_mode_t mode, ucc_ep_map_type_t back) {
  avrm_rankmap_t map;
  avrm_rankmap_info_t info;
  must(import_map(instance, pgid, from, &map));
  must(avrm_rankmap_describe(&map, &info));
  const ucc_ep_map_t again = export_map(&map), array = export_array(&map);
  EXPECT(info.mode == mode && again.type == back && again.ep_num == from->ep_num);
  for (uint64_t ep = 0; ep < from->ep_num; ++ep)
    EXPECT(ep_map_eval(&again, ep) == ep_map_eval(from, ep) && ep_map_eval(&array, ep) == ep_map_eval(from, ep));
  printf("%-24s %5llu endpoints: %-8s %6llu bytes\n", name, (unsigned long long)from->ep_num,
         avrm_mode_label(info.mode), (unsigned long long)(info.own_bytes + info.table_bytes));
  free(array.u.array.map);
  avrm_rankmap_destroy(&map);
}

// Pairs of processes, 16 apart.
static uint64_t pairs(uint64_t ep, void *context) { return *(uint64_t *)context + ep / 2 * 16 + ep % 2; }

int main(void) {
  avrm_instance_t *instance;
  avrm_av_t *context; // the processes of UCC's context
  must(avrm_instance_create(NULL, &instance));
  must(avrm_av_create(instance, CONTEXT, NULL, &context));
  const int32_t pgid = context->pgid;

  ucc_ep_map_t map = {UCC_EP_MAP_FULL, CONTEXT, {{0, 0}}};
  round_trip(instance, pgid, "full", &map, AVRM_MODE_DIRECT, UCC_EP_MAP_FULL);

  map.type = UCC_EP_MAP_STRIDED;
  map.ep_num = 512;
  map.u.strided.start = CONTEXT - 1;
  map.u.strided.stride = -8;
  round_trip(instance, pgid, "strided", &map, AVRM_MODE_STRIDE, UCC_EP_MAP_STRIDED);

  int32_t four[100];
  uint64_t eight[100];
  for (int32_t i = 0; i < 100; ++i) {
    four[i] = i * i * i % 101 * 40 + i % 40; // no pattern
    eight[i] = (uint64_t)(7 + 40 * i);
  }
  map.type = UCC_EP_MAP_ARRAY;
  map.ep_num = 100;
  map.u.array.map = four;
  map.u.array.elem_size = sizeof four[0];
  round_trip(instance, pgid, "array without a pattern", &map, AVRM_MODE_LUT, UCC_EP_MAP_CB);
  map.u.array.map = eight;
  map.u.array.elem_size = sizeof eight[0];
  round_trip(instance, pgid, "array of 8-byte elements", &map, AVRM_MODE_STRIDE, UCC_EP_MAP_STRIDED);

  uint64_t first = 5;
  map.type = UCC_EP_MAP_CB;
  map.ep_num = 500;
  map.u.cb.cb = pairs;
  map.u.cb.cb_ctx = &first;
  round_trip(instance, pgid, "callback", &map, AVRM_MODE_BLOCKED, UCC_EP_MAP_CB);

  avrm_av_release(context);
  must(avrm_instance_destroy(instance));
  return 0;
}
