// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a map: lpid -> rank.
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_INVERSE_H

#include <cstdint>

#include "av/instance.h"
#include "avrankmap/inverse.h"

namespace avrankmap::detail {

// Data that are built to invert a map that arithmetic cannot invert. An inverse is at the beginning
// of a block of memory of kind AVRM_MEM_CACHE. The instance keeps it until its owner is released or
// the caches are dropped.
class Inverse {
public:
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void destroy(Memory &memory) noexcept { memory.release(this, bytes_, kAlignment, AVRM_MEM_CACHE); }

protected:
  static constexpr std::size_t kAlignment = 8;

  explicit Inverse(std::size_t bytes) noexcept : bytes_(bytes) {}
  ~Inverse() = default;

private:
  std::size_t bytes_;
};

// Order of processes in inverses: by pgid, then by lpid.
[[nodiscard]] inline bool before(const avrm_gpid_t &a, const avrm_gpid_t &b) noexcept {
  return a.pgid != b.pgid ? a.pgid < b.pgid : a.lpid < b.lpid;
}

// Frees the inverse of an owner, if there is one; must be called before the owner is released. The
// owner is part of a block that maps share: its header, or the rank index of segments.
void forget_inverse(avrm_instance_t *instance, const void *owner) noexcept;

// Bytes of the inverse of an owner; 0 if there is none.
[[nodiscard]] std::size_t inverse_bytes(avrm_instance_t *instance, const void *owner) noexcept;

// Calls use(const Kind &) with the inverse of an owner while no other thread can free it. If there
// is none, build() creates it, or returns null if out of memory. Returns AVRM_ERR_NO_MEMORY in that
// case.
template <typename Kind, typename Build, typename Use>
[[nodiscard]] avrm_status_t with_inverse(avrm_instance_t *instance, const void *owner, Build build, Use use) noexcept {
  Caches &caches = instance->caches;
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(owner);
  {
    const std::shared_lock guard(caches.lock);
    if (const void *const inverse = caches.inverses.find(key)) {
      use(*static_cast<const Kind *>(inverse));
      return AVRM_OK;
    }
  }
  Kind *const built = build(); // built without the lock, which other threads may need
  if (built == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::scoped_lock guard(caches.lock);
  if (const void *const other = caches.inverses.find(key)) {
    built->destroy(instance->memory);
    use(*static_cast<const Kind *>(other));
    return AVRM_OK;
  }
  if (!caches.inverses.insert(key, built)) {
    built->destroy(instance->memory);
    return AVRM_ERR_NO_MEMORY;
  }
  use(*built);
  return AVRM_OK;
}

} // namespace avrankmap::detail

#endif
