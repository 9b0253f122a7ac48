// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One field of all parts of a window, in the form that takes the fewest bytes:
//
//   rule         start + rank * step             nothing
//   exceptions   a rule except for some ranks    12 per exception: their ranks, sorted, and values
//   runs         a rule per range of ranks       12 per run, 20 if some have steps
//   packed       start + a few bits              per rank the bits of the greatest difference
#ifndef AVRANKMAP_SRC_WINDOW_TABLE_FIELDS_H
#define AVRANKMAP_SRC_WINDOW_TABLE_FIELDS_H

#include <cstdint>

#include "avrankmap/parts.h"

namespace avrankmap::detail {

inline constexpr int kFields = AVRM_PARTS_FIELDS;

[[nodiscard]] inline std::uint64_t field_of(const avrm_part_t &part, int field) noexcept {
  switch (field) {
  case 0: return part.base;
  case 1: return part.key;
  case 2: return part.size;
  default: return part.unit;
  }
}

inline void set_field(avrm_part_t &part, int field, std::uint64_t value) noexcept {
  switch (field) {
  case 0: part.base = value; return;
  case 1: part.key = value; return;
  case 2: part.size = value; return;
  default: part.unit = static_cast<std::uint32_t>(value); return;
  }
}

// value + i * step for the ranks first + i.
struct FieldRun {
  std::uint32_t first;
  std::uint32_t count;
  std::uint64_t value;
  std::uint64_t step;
};

// Source of the values of a field: an array of parts, or the runs of a summary.
class FieldSource {
public:
  FieldSource(const avrm_part_t *parts, std::uint32_t ranks, int field) noexcept
      : parts_(parts), ranks_(ranks), field_(field) {}
  FieldSource(const avrm_parts_t *summary, int field) noexcept
      : summary_(summary), ranks_(summary->count), field_(field) {}

  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  // False if the source is a summary that does not describe the field.
  [[nodiscard]] bool is_known() const noexcept { return summary_ == nullptr || summary_->runs[field_] != 0; }
  // Calls visit(FieldRun) for runs that cover all ranks in order.
  template <typename Visit> void for_each_run(Visit visit) const noexcept {
    if (summary_ != nullptr) {
      const std::uint32_t count = summary_->runs[field_];
      const avrm_parts_run_t *const run = summary_->run[field_];
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t end = i + 1 < count ? run[i + 1].first : ranks_;
        visit(FieldRun{run[i].first, end - run[i].first, run[i].value, run[i].step});
      }
      return;
    }
    for (std::uint32_t rank = 0; rank < ranks_;) {
      FieldRun run{rank, 1, field_of(parts_[rank], field_), 0};
      std::uint64_t next = 0;
      for (++rank; rank < ranks_; ++rank, ++run.count) {
        const std::uint64_t value = field_of(parts_[rank], field_);
        if (run.count == 1) {
          run.step = value - run.value;
        } else if (value != next) {
          break;
        }
        next = value + run.step;
      }
      visit(run);
    }
  }

private:
  const avrm_part_t *parts_ = nullptr;
  const avrm_parts_t *summary_ = nullptr;
  std::uint32_t ranks_;
  int field_;
};

enum class FieldKind : std::uint8_t { kRule, kExceptions, kRuns, kPacked };

class Field {
public:
  // Chooses the form. `fill` must follow unless the form is a rule.
  [[nodiscard]] static Field plan(const FieldSource &source) noexcept;

  [[nodiscard]] bool is_rule() const noexcept { return kind_ == FieldKind::kRule; }
  // Value of rank 0 of a rule.
  [[nodiscard]] std::uint64_t start() const noexcept { return start_; }
  [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
  // Bytes that the field needs in addition to this object, a multiple of 8.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  // Takes the same source as `plan`, and bytes() bytes of zeros.
  void fill(const FieldSource &source, std::uint64_t *room) noexcept;

  [[nodiscard]] std::uint64_t at(std::uint32_t rank) const noexcept;

private:
  FieldKind kind_ = FieldKind::kRule;
  bool has_steps_ = false;
  std::uint8_t bits_ = 0;
  std::uint32_t count_ = 0; // number of exceptions or runs
  std::uint64_t start_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t *values_ = nullptr; // values, or words if packed
  std::uint64_t *steps_ = nullptr;
  std::uint32_t *first_ranks_ = nullptr;
};

} // namespace avrankmap::detail

#endif
