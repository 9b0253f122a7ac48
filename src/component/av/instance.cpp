// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/instance.h"

#include <cstring>
#include <new>

using avrankmap::detail::default_allocator;

avrm_status_t avrm_i_instance_create(const avrm_instance_options_t *options, avrm_instance_t **instance_p,
                                     std::uint64_t headers) noexcept {
  // Checked first, because the caller's structures may have another layout.
  if (headers != AVRM_I_HEADERS) {
    return AVRM_ERR_VERSION;
  }
  if (instance_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const bool has_allocator = options != nullptr && options->allocator != nullptr;
  const avrm_allocator_t allocator = has_allocator ? *options->allocator : default_allocator();
  if (allocator.allocate == nullptr || allocator.release == nullptr) {
    return AVRM_ERR_NULL;
  }
  int wanted = AVRM_COST_BALANCED; // a caller's number may be outside the enumeration
  static_assert(sizeof wanted == sizeof(avrm_cost_t));
  if (options != nullptr) {
    std::memcpy(&wanted, &options->cost, sizeof wanted);
  }
  if (wanted < AVRM_COST_BALANCED || wanted > AVRM_COST_SPEED) {
    return AVRM_ERR_OPTION;
  }
  const auto cost = static_cast<avrm_cost_t>(wanted);
  void *const block =
      allocator.allocate(allocator.user, sizeof(avrm_instance), alignof(avrm_instance), AVRM_MEM_INSTANCE);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const bool strict = options != nullptr && options->strict;
  const bool interning = !strict && (options == nullptr || !options->no_interning);
  auto *const instance = new (block) avrm_instance(allocator, strict, cost, interning);
  instance->memory.adopt(sizeof(avrm_instance), AVRM_MEM_INSTANCE);
  *instance_p = instance;
  return AVRM_OK;
}

avrm_status_t avrm_instance_destroy(avrm_instance_t *instance) noexcept {
  if (instance == nullptr) {
    return AVRM_OK;
  }
  // Every object that outlives a call is a block of one of the other kinds, so the accounting shows
  // whether any is left.
  const auto live = [instance](avrm_mem_kind_t kind) { return instance->memory.usage(kind).live_bytes; };
  if (live(AVRM_MEM_TOTAL) != live(AVRM_MEM_INSTANCE)) {
    return AVRM_ERR_BUSY;
  }
  const avrm_allocator_t allocator = instance->memory.allocator();
  instance->~avrm_instance();
  allocator.release(allocator.user, instance, sizeof(avrm_instance), alignof(avrm_instance), AVRM_MEM_INSTANCE);
  return AVRM_OK;
}

avrm_status_t avrm_instance_mem_usage(const avrm_instance_t *instance, avrm_mem_kind_t kind,
                                      avrm_mem_usage_t *usage_p) noexcept {
  if (instance == nullptr || usage_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (static_cast<int>(kind) < 0 || kind > AVRM_MEM_TOTAL) {
    return AVRM_ERR_OPTION;
  }
  *usage_p = instance->memory.usage(kind);
  return AVRM_OK;
}

bool avrm_instance_is_strict(const avrm_instance_t *instance) noexcept { return instance->strict; }

avrm_cost_t avrm_instance_cost(const avrm_instance_t *instance) noexcept { return instance->cost; }
