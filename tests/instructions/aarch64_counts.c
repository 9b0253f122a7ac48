// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls the probes once, for a map of the form that the argument names; aarch64_counts.sh counts
// the instructions. The maps are made by hand, so that no archive for the processor is needed.
#include <stddef.h>
#include <string.h>

#include "tests/instructions/translation_probes.h"
#include "tests/rankmap/code/send_model.h"

enum { RANK = 1, BLOCK = 4, EXTENT = 2 };

static avrm_ave_t elements[64];

uint64_t avrm_i_cold(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) {
  (void)map, (void)rank, (void)want;
  return 0;
}
uint64_t avrm_test_count_far(const avrm_rankmap_t *map, int32_t rank) { return (void)map, (void)rank, 0; }

static int fill(avrm_rankmap_t *map, const char *form) {
  static const uint32_t lut[] = {3, 5};
  static const avrm_pair_t mlut[] = {{3, 0}, {5, 0}};
  static const avrm_ave_t *const tables[] = {elements};
  static const avrm_cart_t cart[] = {{UINT64_MAX / EXTENT + 1, AVRM_I_AVE_BYTES}, {EXTENT, AVRM_I_AVE_BYTES}};
  map->size = EXTENT;
  map->base = (const char *)elements;
  map->u.step = AVRM_I_AVE_BYTES;
  if (strcmp(form, "affine") == 0) {
    map->klass = AVRM_CLASS_AFFINE;
  } else if (strcmp(form, "lut") == 0) {
    map->klass = AVRM_CLASS_LUT;
    map->v.lut = lut;
  } else if (strcmp(form, "mlut") == 0) {
    map->klass = AVRM_CLASS_MLUT;
    map->v.mlut = mlut;
    map->base = (const char *)tables;
  } else if (strcmp(form, "blocked") == 0) {
    map->klass = AVRM_CLASS_BLOCKED;
    map->v.reciprocal = UINT64_MAX / BLOCK + 1;
  } else if (strcmp(form, "cart") == 0) {
    map->klass = AVRM_CLASS_CART_3D;
    map->v.cart = cart;
  } else {
    return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  static avrm_test_comm_t comm;
  static const uint64_t bases[EXTENT];
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; ++i) {
    elements[i] = avrm_i_ave_of(i + 1, 0);
  }
  if (argc != 2 || !fill(&comm.map, argv[1])) {
    return 2;
  }
  comm.bases = bases;
  if (avrm_test_count_word(&comm.map, RANK) == 0 || avrm_test_count_ofi(&comm.map, RANK) == 0) {
    return 1;
  }
  if (comm.map.klass != AVRM_CLASS_AFFINE && comm.map.klass != AVRM_CLASS_LUT) {
    return 0; // the model would call the archive
  }
  void *request = NULL;
  const avrm_test_model_t *const model = &avrm_test_affine_lut;
  return model->word(&comm.map, RANK) == 0 || model->isend(&comm, 1, 1, RANK, 0, &comm, &request) != 0 ||
         model->isend_to_constant(&comm, 1, 1, RANK, 0, &comm, &request) != 0 ||
         model->put(&comm, 1, 1, RANK, 0, 1, &comm) != 0 || model->put_to_constant(&comm, 1, 1, RANK, 0, 1, &comm) != 0;
}
