// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What of the component an MPI library needs for its communicators. check_text.sh links it.
#include "avrankmap/avrankmap.h"

#define MAPS_EXPORT __attribute__((visibility("default")))

MAPS_EXPORT avrm_status_t maps_start(avrm_instance_t **instance_p) { return avrm_instance_create(NULL, instance_p); }
MAPS_EXPORT avrm_status_t maps_stop(avrm_instance_t *instance) { return avrm_instance_destroy(instance); }
MAPS_EXPORT avrm_status_t maps_connect(avrm_av_t *av, int32_t lpid, const avrm_ave_t *ave) {
  return avrm_av_set(av, lpid, ave);
}
MAPS_EXPORT avrm_status_t maps_world(avrm_instance_t *instance, int32_t size, avrm_av_t **av_p) {
  return avrm_av_create(instance, size, NULL, av_p);
}
MAPS_EXPORT void maps_end_world(avrm_av_t *av) { avrm_av_release(av); }

MAPS_EXPORT avrm_status_t maps_from_parameters(avrm_instance_t *instance, const int32_t *p, avrm_rankmap_t *map_p) {
  switch (p[0]) {
  case 0: return avrm_rankmap_create_direct(instance, p[1], p[2], map_p);
  case 1: return avrm_rankmap_create_offset(instance, p[1], p[2], p[3], map_p);
  case 2: return avrm_rankmap_create_stride(instance, p[1], p[2], p[3], p[4], map_p);
  default: return avrm_rankmap_create_blocked(instance, p[1], p[2], p[3], p[4], p[5], map_p);
  }
}
MAPS_EXPORT avrm_status_t maps_from_lpids(avrm_instance_t *instance, int32_t pgid, int32_t size, const int32_t *lpids,
                                          avrm_rankmap_t *map_p) {
  return avrm_rankmap_create_lpids(instance, pgid, size, lpids, AVRM_RANKMAP_DEFAULT, map_p);
}
MAPS_EXPORT avrm_status_t maps_from_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                          avrm_rankmap_t *map_p) {
  return avrm_rankmap_create_gpids(instance, size, gpids, AVRM_RANKMAP_DEFAULT, map_p);
}
MAPS_EXPORT avrm_status_t maps_dup(const avrm_rankmap_t *parent, avrm_rankmap_t *map_p) {
  return avrm_rankmap_dup(parent, map_p);
}
MAPS_EXPORT avrm_status_t maps_child(const avrm_rankmap_t *parent, int32_t size, const int32_t *ranks,
                                     avrm_rankmap_t *map_p) {
  return avrm_rankmap_create_child(parent, size, ranks, AVRM_RANKMAP_DEFAULT, map_p);
}
MAPS_EXPORT avrm_status_t maps_part(const avrm_rankmap_t *parent, int32_t size, int32_t offset, int32_t stride,
                                    int32_t block, avrm_rankmap_t *map_p) {
  return avrm_rankmap_create_child_regular(parent, size, offset, stride, block, AVRM_RANKMAP_DEFAULT, map_p);
}
MAPS_EXPORT avrm_status_t maps_merge(int32_t count, const avrm_rankmap_t *const *parents, avrm_rankmap_t *map_p) {
  return avrm_rankmap_create_concat(count, parents, AVRM_RANKMAP_DEFAULT, map_p);
}
MAPS_EXPORT avrm_status_t maps_choose(int32_t count, const avrm_rankmap_t *const *parents, int32_t size,
                                      const int32_t *which, const int32_t *ranks, avrm_rankmap_t *map_p) {
  return avrm_rankmap_create_merged(count, parents, size, which, ranks, AVRM_RANKMAP_DEFAULT, map_p);
}
MAPS_EXPORT avrm_status_t maps_bind(avrm_rankmap_t *map) { return avrm_rankmap_bind(map); }
MAPS_EXPORT avrm_status_t maps_unbind(avrm_rankmap_t *map) { return avrm_rankmap_unbind(map); }
MAPS_EXPORT uint64_t maps_word(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_word(map, rank); }
MAPS_EXPORT avrm_gpid_t maps_gpid(const avrm_rankmap_t *map, int32_t rank) { return avrm_rankmap_gpid(map, rank); }
MAPS_EXPORT void maps_destroy(avrm_rankmap_t *map) { avrm_rankmap_destroy(map); }
