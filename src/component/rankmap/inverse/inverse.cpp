// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/inverse/inverse.h"

#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kRanks = by_mode([]<typename F>() { return F::ranks; });

} // namespace

void forget_inverse(avrm_instance_t *instance, const void *owner) noexcept {
  Caches &caches = instance->caches;
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(owner);
  const std::scoped_lock guard(caches.lock);
  if (void *const inverse = caches.inverses.find(key)) {
    caches.inverses.erase(key, inverse);
    static_cast<Inverse *>(inverse)->destroy(instance->memory);
  }
}

std::size_t inverse_bytes(avrm_instance_t *instance, const void *owner) noexcept {
  Caches &caches = instance->caches;
  const std::shared_lock guard(caches.lock);
  const void *const inverse = caches.inverses.find(reinterpret_cast<std::uintptr_t>(owner));
  return inverse != nullptr ? static_cast<const Inverse *>(inverse)->bytes() : 0;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_rankmap_ranks(const avrm_rankmap_t *map, size_t count, const avrm_gpid_t *processes,
                                 int32_t *ranks) noexcept {
  if (map == nullptr || (count > 0 && (processes == nullptr || ranks == nullptr))) {
    return AVRM_ERR_NULL;
  }
  return kRanks[map->mode](map, count, processes, ranks);
}

avrm_status_t avrm_rankmap_rank(const avrm_rankmap_t *map, avrm_gpid_t process, int32_t *rank_p) noexcept {
  return avrm_rankmap_ranks(map, 1, &process, rank_p);
}

avrm_status_t avrm_instance_drop_caches(avrm_instance_t *instance) noexcept {
  if (instance == nullptr) {
    return AVRM_ERR_NULL;
  }
  Caches &caches = instance->caches;
  const std::scoped_lock guard(caches.lock);
  caches.inverses.clear([instance](void *inverse) { static_cast<Inverse *>(inverse)->destroy(instance->memory); });
  return AVRM_OK;
}
