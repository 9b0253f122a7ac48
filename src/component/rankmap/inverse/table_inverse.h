// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of a map, built by reading every rank, in one block:
//
//   +--------+------------------------+--------------------------------------------------------+
//   | header | process groups by pgid | dense: index + 1 for each lpid starting at the least,  |
//   |        |                        |        packed                                          |
//   |        |                        | sorted: indices in order of (pgid, lpid, index)        |
//   +--------+------------------------+--------------------------------------------------------+
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_TABLE_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_TABLE_INVERSE_H

#include "avrankmap/rankmap.h"
#include "rankmap/inverse/inverse.h"

namespace avrankmap::detail {

class TableInverse : public Inverse {
public:
  // Creates the inverse for all ranks of `whole`, a map that uses all of its table. Null if out of
  // memory.
  [[nodiscard]] static TableInverse *create(const avrm_rankmap_t &whole) noexcept;

  // The least index at or after `first` with this process, or -1 if there is none. `whole` as in
  // create.
  [[nodiscard]] std::int32_t index_of(const avrm_rankmap_t &whole, avrm_gpid_t process,
                                      std::int32_t first) const noexcept;

private:
  struct Group {
    std::int32_t pgid;
    std::int32_t low;  // least lpid
    std::int32_t high; // greatest lpid
    std::int32_t unused;
    std::int64_t start; // dense: position of the least lpid
  };
  TableInverse(std::size_t bytes, std::int32_t group_count, std::int32_t width) noexcept
      : Inverse(bytes), group_count_(group_count), width_(width) {}

  [[nodiscard]] const Group *groups() const noexcept { return reinterpret_cast<const Group *>(this + 1); }
  template <typename T> [[nodiscard]] T *data() const noexcept {
    return reinterpret_cast<T *>(const_cast<Group *>(groups() + group_count_));
  }
  // Null if out of memory. `width` as width_; the data are zero.
  [[nodiscard]] static TableInverse *allocate(Memory &memory, const Group *groups, std::size_t group_count,
                                              std::int32_t width, std::uint64_t data_bytes) noexcept;
  // Null for a pgid that no group has.
  [[nodiscard]] const Group *group_of(std::int32_t pgid) const noexcept;
  [[nodiscard]] std::uint64_t get(std::int64_t place) const noexcept;
  // The position must contain zero.
  void put(std::int64_t place, std::uint64_t value) noexcept;
  // Returns false if a process occurs twice.
  [[nodiscard]] bool fill_dense(const avrm_rankmap_t &whole) noexcept;
  void fill_sorted(const avrm_rankmap_t &whole) noexcept;

  std::int32_t group_count_;
  std::int32_t width_; // dense: bits per position; 0: sorted
};

// The position of a map within the table that is inverted.
struct Placement {
  const void *owner;           // owner of the inverse
  const avrm_rankmap_t *whole; // a map that uses the whole table
  std::int32_t first;          // index of rank 0 in the table
};

// Returns the ranks of processes using a TableInverse, as avrm_rankmap_ranks does.
[[nodiscard]] avrm_status_t ranks_by_table(const avrm_rankmap_t *map, const Placement &placement, std::size_t count,
                                           const avrm_gpid_t *processes, std::int32_t *ranks) noexcept;

} // namespace avrankmap::detail

#endif
