// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Interning: equal tables of one instance are merged into one. Known tables are found by a hash of
// their content, and compared if the hashes are equal. Luts do not contain their process group, so
// maps that differ only in their process group share a table.
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_INTERN_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_INTERN_H

#include <atomic>

#include "rankmap/map.h"

namespace avrankmap::detail {

// If the map's table is new, replaces it with an equal known table, or makes it known. Does nothing
// if the map has no table, if others already share the table, or if the instance does not intern.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
// O(size).
[[nodiscard]] avrm_status_t intern(avrm_rankmap_t *map) noexcept;

// ---- for forms with a table ----

// Hash of some bytes, continued from a seed.
[[nodiscard]] std::uint64_t hash_bytes(const void *data, std::size_t size, std::uint64_t seed) noexcept;

// Gives up one share of a table that `known` contains, or could contain, under `key`; the key is 0
// for a table that was never made known. Returns true if it was the last share: the table is then
// no longer known, and the caller releases it.
[[nodiscard]] bool give_up_share(Interned *interned, HashTable *known, std::atomic<std::uint32_t> *sharers,
                                 std::uint64_t key, const void *header) noexcept;

// `intern` for maps with a table. Kind describes the tables of a form:
//   Header                      of a table, with fields `sharers` and `hash`
//   known(interned)             the hash table of such tables
//   header(map)                 the header of a map's table
//   same_shape(a, b)            whether same_content may compare the tables of two headers
//   hash(map)                   hash of the table's content
//   same_content(map, header)   whether the map's table equals another one
//   key(map, hash)              key of the map's table in this hash table
//   use(map, header)            makes the map use another, equal table, of which it owns a share
//   give_up(map)                gives up the map's share of its table
template <typename Kind> avrm_status_t intern_as(avrm_rankmap_t *map) noexcept {
  using Header = typename Kind::Header;
  Header *const own = Kind::header(map);
  if (own->hash != 0 || own->sharers.load(std::memory_order_relaxed) != 1) {
    return AVRM_OK; // known, or not new: the map may use part of it
  }
  Interned &interned = map->instance->interned;
  HashTable &known = Kind::known(interned);
  const std::uint32_t hash = static_cast<std::uint32_t>(Kind::hash(map)) | 1;
  const std::uint64_t key = Kind::key(map, hash);
  Header *like = nullptr;
  for (bool compare = false;; compare = true) {
    {
      const std::scoped_lock guard(interned.lock);
      like = static_cast<Header *>(known.find(key, [map, own, compare](const void *header) {
        const auto *const table = static_cast<const Header *>(header);
        return Kind::same_shape(table, own) && (!compare || Kind::same_content(map, table));
      }));
      if (like == nullptr) {
        if (!known.insert(key, own)) {
          return AVRM_ERR_NO_MEMORY;
        }
        own->hash = hash;
        return AVRM_OK;
      }
      like->sharers.fetch_add(1, std::memory_order_relaxed);
    }
    // Our share keeps the other table alive, so the lock is not held during the comparison.
    if (compare || Kind::same_content(map, like)) {
      break;
    }
    avrm_rankmap_t other = *map;
    Kind::use(&other, like);
    Kind::give_up(&other);
    // Different tables with equal hashes are rare: the search goes on under the lock.
  }
  Kind::give_up(map);
  Kind::use(map, like);
  return AVRM_OK;
}

} // namespace avrankmap::detail

#endif
