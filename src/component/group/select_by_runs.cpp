// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/select_by_runs.h"

#include "base/array.h"
#include "base/bits.h"
#include "group/run_arithmetic.h"

namespace avrankmap::detail {

namespace {

// A run of `other`, sorted by its lowest lpid.
struct Span {
  std::int32_t pgid;
  std::int32_t low;
  std::int32_t high;
  std::int32_t reach; // greatest `high` of this process group so far
  const Run *run;
};

bool begins_before(const Span &a, const Span &b) noexcept { return a.pgid != b.pgid ? a.pgid < b.pgid : a.low < b.low; }

void sort_spans(const ProcessList &runs, Span *spans) noexcept {
  Span *end = spans;
  for (const Run &run : runs) {
    *end++ = {run.pgid, static_cast<std::int32_t>(low_lpid(run)), static_cast<std::int32_t>(high_lpid(run)), 0, &run};
  }
  if (!std::is_sorted(spans, end, begins_before)) {
    std::sort(spans, end, begins_before);
  }
  for (Span *span = spans; span != end; ++span) {
    const bool first = span == spans || span[-1].pgid != span->pgid;
    span->reach = first ? span->high : std::max(span->high, span[-1].reach);
  }
}

void append_part(const Run &run, std::int64_t from, std::int64_t step, std::int64_t count, ProcessList *out) noexcept {
  if (count > 0) {
    out->append(part_of(run, from, step, count));
  }
}

// Appends a run without the indices `places`, which are not consecutive.
void append_without(const Run &run, const RunIndices &places, ProcessList *out) noexcept {
  append_part(run, 0, 1, places.first, out);
  const std::int64_t last = places.first + (places.count - 1) * places.step;
  if (places.step == 2) {
    append_part(run, places.first + 1, 2, places.count - 1, out);
  } else {
    for (std::int64_t place = places.first; place < last && !out->failed(); place += places.step) {
      append_part(run, place + 1, 1, places.step - 1, out);
    }
  }
  append_part(run, last + 1, 1, run.count - 1 - last, out);
}

class Selection {
public:
  Selection(Keep keep, std::int64_t budget, ProcessList *out) noexcept
      : keep_(keep), budget_(budget), out_(out), places_(out->memory()) {}

  // Counts steps. Returns false when there are too many.
  [[nodiscard]] bool afford(std::int64_t looks) noexcept { return (budget_ -= looks) >= 0; }
  void note(const RunIndices &places) noexcept {
    if (places.count > 0) {
      places_.append(places);
      if (places_.failed()) {
        out_->fail();
      }
    }
  }
  // Appends the selected part of a run, given the indices found. Returns false if that costs too
  // much.
  [[nodiscard]] bool finish(const Run &run) noexcept {
    const bool affordable = append_kept(run);
    places_.clear();
    return affordable;
  }

private:
  [[nodiscard]] bool append_kept(const Run &run) noexcept {
    const bool members = keep_ == Keep::kMembers;
    if (places_.empty()) {
      if (!members) {
        out_->append(run);
      }
      return true;
    }
    const bool stretches =
        std::all_of(places_.begin(), places_.end(), [](const RunIndices &p) { return p.step == 1 || p.count == 1; });
    if (places_.size() == 1 && (members || !stretches)) {
      const RunIndices &places = places_[0];
      if (members) {
        append_part(run, places.first, places.step, places.count, out_);
      } else {
        append_without(run, places, out_);
      }
      return true;
    }
    if (!stretches) {
      return append_by_bits(run);
    }
    std::sort(places_.begin(), places_.end(),
              [](const RunIndices &a, const RunIndices &b) { return a.first < b.first; });
    std::int64_t next = 0;
    for (const RunIndices &places : places_) {
      if (members) {
        append_part(run, places.first, 1, places.count, out_);
      } else {
        append_part(run, next, 1, places.first - next, out_);
      }
      next = places.first + places.count;
    }
    if (!members) {
      append_part(run, next, 1, run.count - next, out_);
    }
    return true;
  }

  // For interleaved sequences: marks the indices of the run, one bit each.
  [[nodiscard]] bool append_by_bits(const Run &run) noexcept {
    if (!afford(run.count)) {
      return false;
    }
    Bits bits(out_->memory(), run.count);
    if (!bits) {
      out_->fail();
      return true;
    }
    for (const RunIndices &places : places_) {
      bits.mark(places.first, places.step, places.count);
    }
    const bool members = keep_ == Keep::kMembers;
    for (std::int64_t place = 0; place < run.count;) {
      const std::int64_t begin = bits.find(members, place, run.count);
      place = bits.find(!members, begin, run.count);
      append_part(run, begin, 1, place - begin, out_);
    }
    return true;
  }

  Keep keep_;
  std::int64_t budget_;
  ProcessList *out_;
  Array<RunIndices> places_; // indices of the current run that are in `other`
};

// Finds the indices of a run that are in the spans that overlap it. Returns false if that costs too
// much.
bool intersect_spans(const Run &run, const Span *spans, const Span *end, Selection *selection) noexcept {
  const auto low = static_cast<std::int32_t>(low_lpid(run));
  const Span behind{run.pgid, static_cast<std::int32_t>(high_lpid(run)), 0, 0, nullptr};
  const Span *span = std::upper_bound(spans, end, behind, begins_before);
  while (span != spans && span[-1].pgid == run.pgid && span[-1].reach >= low) {
    --span;
    if (!selection->afford(1)) {
      return false;
    }
    selection->note(common_indices(run, *span->run));
  }
  return true;
}

} // namespace

bool select_by_runs(const ProcessList &list, const ProcessList &other, Keep keep, std::int64_t budget,
                    ProcessList *out) noexcept {
  const Scratch<Span> spans(list.memory(), other.size());
  if (!spans) {
    out->fail();
    return true;
  }
  sort_spans(other, spans.data());

  Selection selection(keep, budget, out);
  const bool affordable = std::all_of(list.begin(), list.end(), [&](const Run &run) {
    return intersect_spans(run, spans.data(), spans.data() + other.size(), &selection) && selection.finish(run) &&
           !out->failed();
  });
  if (!affordable && !out->failed()) {
    out->clear();
    return false;
  }
  return true;
}

} // namespace avrankmap::detail
