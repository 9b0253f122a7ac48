// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/datatype.h"

#include <new>

#include "av/instance.h"
#include "core/blocks.h"

namespace avrankmap::detail {

namespace {

Datatype *derived(avrm_datatype_t type) noexcept { return reinterpret_cast<Datatype *>(type); }

// Finds the size of one element. Returns AVRM_ERR_UNSUPPORTED if the element has gaps.
avrm_status_t solid_size(avrm_datatype_t type, std::size_t *bytes_p) noexcept {
  if (type == AVRM_DATATYPE_NULL) {
    return AVRM_ERR_DATATYPE;
  }
  if (avrm_type_is_predefined(type)) {
    *bytes_p = avrm_type_predefined_size(type);
    return AVRM_OK;
  }
  const avrm_layout_t &layout = derived(type)->layout;
  if (!is_contiguous(shape_of(layout))) {
    return AVRM_ERR_UNSUPPORTED;
  }
  *bytes_p = layout.block * layout.count;
  return AVRM_OK;
}

// Sizes of derived datatypes do not exceed 2^47, and no buffer is larger.
constexpr std::size_t kMostBytes = std::size_t{1} << 47;

bool multiply(std::size_t a, std::size_t b, std::size_t *product_p) noexcept {
  if (b != 0 && a > kMostBytes / b) {
    return false;
  }
  *product_p = a * b;
  return true;
}

avrm_status_t new_datatype(avrm_instance_t *instance, const avrm_layout_t &layout, avrm_datatype_t *type_p) noexcept {
  void *const block = instance->memory.allocate(sizeof(Datatype), alignof(Datatype), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *type_p = reinterpret_cast<avrm_datatype_t>(new (block) Datatype{instance, layout, false});
  return AVRM_OK;
}

} // namespace

avrm_status_t layout_of(std::int32_t count, avrm_datatype_t type, avrm_layout_t *layout_p) noexcept {
  if (count < 0) {
    return AVRM_ERR_COUNT;
  }
  if (type == AVRM_DATATYPE_NULL || (!avrm_type_is_predefined(type) && !derived(type)->committed)) {
    return AVRM_ERR_DATATYPE;
  }
  if (!avrm_type_is_predefined(type) && !is_contiguous(shape_of(derived(type)->layout))) {
    if (count > 1) {
      return AVRM_ERR_UNSUPPORTED;
    }
    *layout_p = derived(type)->layout;
    layout_p->count *= static_cast<std::size_t>(count);
    return AVRM_OK;
  }
  std::size_t element = 0;
  std::size_t bytes = 0;
  const avrm_status_t status = solid_size(type, &element);
  if (status != AVRM_OK) {
    return status;
  }
  if (!multiply(element, static_cast<std::size_t>(count), &bytes)) {
    return AVRM_ERR_LIMIT;
  }
  *layout_p = {bytes, 1, bytes};
  return AVRM_OK;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_type_contiguous(avrm_instance_t *instance, int32_t count, avrm_datatype_t old,
                                   avrm_datatype_t *type_p) noexcept {
  if (instance == nullptr || type_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (count < 0) {
    return AVRM_ERR_COUNT;
  }
  std::size_t element = 0;
  std::size_t bytes = 0;
  const avrm_status_t status = solid_size(old, &element);
  if (status != AVRM_OK) {
    return status;
  }
  if (!multiply(element, static_cast<std::size_t>(count), &bytes)) {
    return AVRM_ERR_LIMIT;
  }
  return new_datatype(instance, {bytes, 1, bytes}, type_p);
}

avrm_status_t avrm_type_vector(avrm_instance_t *instance, int32_t count, int32_t block_length, int32_t stride,
                               avrm_datatype_t old, avrm_datatype_t *type_p) noexcept {
  if (instance == nullptr || type_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (count < 0 || block_length < 0) {
    return AVRM_ERR_COUNT;
  }
  if (stride < block_length) {
    return AVRM_ERR_STRIDE;
  }
  std::size_t element = 0;
  const avrm_status_t status = solid_size(old, &element);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_layout_t layout{0, static_cast<std::size_t>(count), 0};
  std::size_t extent = 0;
  if (!multiply(element, static_cast<std::size_t>(block_length), &layout.block) ||
      !multiply(element, static_cast<std::size_t>(stride), &layout.pitch) ||
      !multiply(layout.pitch, layout.count, &extent)) {
    return AVRM_ERR_LIMIT;
  }
  return new_datatype(instance, layout, type_p);
}

avrm_status_t avrm_type_commit(avrm_datatype_t type) noexcept {
  if (type == AVRM_DATATYPE_NULL) {
    return AVRM_ERR_DATATYPE;
  }
  if (!avrm_type_is_predefined(type)) {
    derived(type)->committed = true;
  }
  return AVRM_OK;
}

avrm_status_t avrm_type_free(avrm_datatype_t *type_p) noexcept {
  if (type_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (*type_p == AVRM_DATATYPE_NULL || avrm_type_is_predefined(*type_p)) {
    return AVRM_ERR_DATATYPE;
  }
  Datatype *const type = derived(*type_p);
  type->instance->memory.release(type, sizeof *type, alignof(Datatype), AVRM_MEM_COMM);
  *type_p = AVRM_DATATYPE_NULL;
  return AVRM_OK;
}

avrm_status_t avrm_type_size(avrm_datatype_t type, size_t *bytes_p) noexcept {
  if (bytes_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (type == AVRM_DATATYPE_NULL) {
    return AVRM_ERR_DATATYPE;
  }
  *bytes_p = avrm_type_is_predefined(type) ? avrm_type_predefined_size(type)
                                           : derived(type)->layout.block * derived(type)->layout.count;
  return AVRM_OK;
}
