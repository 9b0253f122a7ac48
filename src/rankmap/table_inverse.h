// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a table or a list of segments, in one block of memory:
//
//   +--------+-----------------------+-----------------------------------------------------------+
//   | header | process groups by pgid | dense: index + 1 for each lpid from the least one on, packed |
//   |        |                       | sorted: indices in order of (pgid, lpid, index)              |
//   |        |                       | segments: these in order of (pgid, least lpid), 8 bytes each |
//   +--------+-----------------------+-----------------------------------------------------------+
#ifndef AVRANKMAP_SRC_RANKMAP_TABLE_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_TABLE_INVERSE_H

#include "av/instance.h"
#include "avrankmap/rankmap.h"

namespace avrankmap::detail {

class TableInverse {
public:
  // Of all entries of the table, or the segments, of `whole`, a map that uses all of it. Null without memory.
  [[nodiscard]] static TableInverse *create(const avrm_rankmap_t &whole) noexcept;
  void destroy(Memory &memory) noexcept;

  // The least index from `first` on that has the process, -1 if there is none. `whole` as in create.
  [[nodiscard]] std::int32_t index_of(const avrm_rankmap_t &whole, avrm_gpid_t process,
                                      std::int32_t first) const noexcept;

private:
  struct Group {
    std::int32_t pgid;
    std::int32_t low;  // least lpid
    std::int32_t high; // greatest lpid
    std::int32_t unused;
    std::int64_t start; // dense: place of the least lpid
  };
  // A segment, in order of the least lpid.
  struct Span {
    std::int32_t segment;
    std::int32_t reach; // greatest lpid of the segments of this process group so far
  };
  TableInverse() = default;

  [[nodiscard]] const Group *groups() const noexcept { return reinterpret_cast<const Group *>(this + 1); }
  template <typename T> [[nodiscard]] T *data() const noexcept {
    return reinterpret_cast<T *>(const_cast<Group *>(groups() + group_count_));
  }
  // Null without memory. `width` as below; `data_bytes` come zero.
  [[nodiscard]] static TableInverse *allocate(Memory &memory, const Group *groups, std::size_t group_count,
                                              std::int32_t width, std::size_t data_bytes) noexcept;
  // Null for a pgid that no group has.
  [[nodiscard]] const Group *group_of(std::int32_t pgid) const noexcept;
  [[nodiscard]] std::uint64_t get(std::int64_t place) const noexcept;
  // The place must hold zero.
  void put(std::int64_t place, std::uint64_t value) noexcept;
  // Returns false if a process occurs twice.
  [[nodiscard]] bool fill_dense(const avrm_rankmap_t &whole) noexcept;
  void fill_sorted(const avrm_rankmap_t &whole) noexcept;
  void fill_spans(const avrm_rankmap_t &whole) noexcept;
  [[nodiscard]] std::int32_t index_in_spans(const avrm_rankmap_t &whole, avrm_gpid_t process) const noexcept;

  std::size_t bytes_ = 0;
  std::int32_t group_count_ = 0;
  std::int32_t width_ = 0; // dense: bits per place; 0: sorted
};

} // namespace avrankmap::detail

#endif
