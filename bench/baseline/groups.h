// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Group operations as other libraries do them, written afresh from descriptions of
// their algorithms:
//
//   Open MPI     a group is an array of process pointers; every process of one is compared with
//                those of the other
//   MPICH 5      a group is a stride, or an array of 64-bit numbers which is searched
//                from its beginning
//   MPICH 4      a group is an array, which a merge sort turns into lists in order of lpid; the
//                lists are walked together
//
// Processes are numbers here, which makes every comparison as cheap as it can be.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace avrankmap::bench {

using Processes = std::vector<std::int64_t>;

/// The operations that are compared. Each returns the processes of the result, or for translation
/// the rank in b of each process of a, -1 where there is none.
enum class GroupOperation { kUnion, kIntersection, kDifference, kTranslate };

/// O(n * m).
class OmpiGroup {
public:
  explicit OmpiGroup(const Processes &processes);
  [[nodiscard]] static Processes apply(GroupOperation operation, const OmpiGroup &a, const OmpiGroup &b);

private:
  [[nodiscard]] std::int64_t rank_of(const std::int64_t *process) const;
  /// One address for each process, wherever it is named.
  std::vector<const std::int64_t *> processes_;
};

/// O(n) with a regular b, else O(n * m).
class Mpich5Group {
public:
  explicit Mpich5Group(const Processes &processes);
  [[nodiscard]] static Processes apply(GroupOperation operation, const Mpich5Group &a, const Mpich5Group &b);
  /// Its shrink, once the dead are known: the difference is written out and searched for a stride,
  /// and the new communicator has that map.
  [[nodiscard]] static Mpich5Group without(const Mpich5Group &group, const Mpich5Group &dead);
  /// Of a communicator of the group: a pointer to it, its 48 bytes and its table.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] Processes processes() const;
  /// Its translation of ranks of a alone, by the caller's arrays; -1 where b lacks the process.
  static void translate(const Mpich5Group &a, const std::vector<std::int32_t> &ranks, const Mpich5Group &b,
                        std::vector<std::int32_t> &result);

private:
  Mpich5Group() = default;
  void adopt(Processes processes);
  struct Stride {
    std::int64_t offset;
    std::int64_t stride;
  };
  [[nodiscard]] std::int64_t rank_of(std::int64_t process) const;
  [[nodiscard]] std::int64_t process_at(std::int64_t rank) const;
  std::int64_t size_ = 0;
  std::optional<Stride> stride_;
  Processes map_; ///< empty if regular
};

/// O(n log n + m log m).
class Mpich4Group {
public:
  explicit Mpich4Group(const Processes &processes) : processes_(processes) {}
  [[nodiscard]] static Processes apply(GroupOperation operation, const Mpich4Group &a, const Mpich4Group &b);

private:
  /// Ranks in order of lpid.
  [[nodiscard]] std::vector<std::int32_t> sorted() const;
  Processes processes_;
};

} // namespace avrankmap::bench
