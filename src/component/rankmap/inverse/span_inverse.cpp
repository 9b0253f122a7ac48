// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/inverse/span_inverse.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <tuple>

#include "base/array.h"
#include "rankmap/forms/segments.h"

namespace avrankmap::detail {

namespace {

// The position of an lpid in a line: lpids that are one step apart are adjacent. Less than 2^32,
// since the step is at most kMaxLpid.
std::uint32_t place_of(std::int32_t lpid, std::uint32_t step) noexcept {
  const auto value = static_cast<std::uint32_t>(lpid);
  const std::uint32_t most = static_cast<std::uint32_t>(kMaxLpid) / step + 1;
  return step == 1 ? value : value % step * most + value / step;
}

} // namespace

// A segment during the construction of the inverse.
struct SpanInverse::Span {
  std::int32_t pgid;
  std::int32_t segment;
  std::uint32_t step;
  std::int32_t min_lpid;
  std::uint32_t first; // first and last position
  std::uint32_t last;
};

class SpanInverse::Builder {
public:
  explicit Builder(const avrm_rankmap_t *map) noexcept
      : map_(map), count_(static_cast<std::size_t>(map->as.segments.count)), spans_(map->instance->memory, count_),
        heap_(map->instance->memory, count_), lines_(map->instance->memory), pieces_(map->instance->memory) {}

  [[nodiscard]] SpanInverse *build() noexcept;

private:
  void collect() noexcept;
  // Determines the steps of a process group's lines. Returns false if there are too many.
  [[nodiscard]] static bool set_steps(Span *begin, Span *end) noexcept;
  void cut(const Span *begin, const Span *end) noexcept;
  [[nodiscard]] SpanInverse *copy() noexcept;

  // The end of the spans, beginning at `begin`, that have the same key(span) as `begin`.
  template <typename Key> [[nodiscard]] Span *end_of(Span *begin, Key key) const noexcept {
    return std::find_if(begin, spans_.data() + count_,
                        [begin, key](const Span &span) { return key(span) != key(*begin); });
  }

  const avrm_rankmap_t *map_;
  std::size_t count_;
  Scratch<Span> spans_;
  Scratch<const Span *> heap_;
  Array<Line> lines_;
  Array<Piece> pieces_;
};

SpanInverse *SpanInverse::Builder::build() noexcept {
  if (!spans_ || !heap_) {
    return nullptr;
  }
  collect();
  Span *const end = spans_.data() + count_;
  std::sort(spans_.data(), end,
            [](const Span &a, const Span &b) { return std::tie(a.pgid, a.min_lpid) < std::tie(b.pgid, b.min_lpid); });
  for (Span *span = spans_.data(); span != end;) {
    Span *const next = end_of(span, [](const Span &at) { return at.pgid; });
    if (!set_steps(span, next)) {
      return copy();
    }
    span = next;
  }
  std::sort(spans_.data(), end, [](const Span &a, const Span &b) {
    return std::tie(a.pgid, a.step, a.first) < std::tie(b.pgid, b.step, b.first);
  });
  for (Span *span = spans_.data(); span != end;) {
    Span *const next = end_of(span, [](const Span &at) { return std::tie(at.pgid, at.step); });
    cut(span, next);
    lines_.append({span->pgid, span->step, static_cast<std::int64_t>(pieces_.size())});
    span = next;
  }
  return lines_.failed() || pieces_.failed() ? nullptr : copy();
}

// The positions are at first those of one line per process group.
void SpanInverse::Builder::collect() noexcept {
  for (std::int32_t i = 0; i < map_->as.segments.count; ++i) {
    const Run run = segment_run(map_, segments_of(map_), i);
    const auto last = static_cast<std::int32_t>(last_lpid(run));
    const std::int32_t min = std::min(run.offset, last);
    const std::int32_t max = std::max(run.offset, last);
    // A segment with stride 0 repeats one process and has one position.
    const auto step = static_cast<std::uint32_t>(std::max(std::abs(run.stride), 1));
    spans_.data()[i] = {run.pgid, i, step, min, static_cast<std::uint32_t>(min), static_cast<std::uint32_t>(max)};
  }
}

bool SpanInverse::Builder::set_steps(Span *begin, Span *end) noexcept {
  std::uint32_t steps[kMostSteps];
  std::size_t step_count = 0;
  bool too_many = false;
  bool overlap = false;
  std::uint32_t reach = 0;
  for (const Span *span = begin; span != end; ++span) {
    overlap = overlap || (span != begin && span->first <= reach);
    reach = std::max(reach, span->last);
    if (std::find(steps, steps + step_count, span->step) == steps + step_count) {
      too_many = too_many || step_count == kMostSteps;
      steps[too_many ? 0 : step_count++] = span->step;
    }
  }
  for (Span *span = begin; span != end; ++span) {
    if (!overlap) {
      span->step = 1;
    }
    span->first = place_of(static_cast<std::int32_t>(span->first), span->step);
    span->last = place_of(static_cast<std::int32_t>(span->last), span->step);
  }
  return !overlap || !too_many;
}

// Sweeps over the positions of a line. The heap contains the spans that have begun, with the lowest
// segment on top, which has the lowest ranks.
void SpanInverse::Builder::cut(const Span *begin, const Span *end) noexcept {
  const auto lower = [](const Span *a, const Span *b) { return a->segment > b->segment; };
  const Span **const heap = heap_.data();
  std::size_t size = 0;
  std::int32_t segment = -1; // segment of the previous piece
  std::int64_t place = 0;
  for (const Span *next = begin; next != end || size != 0;) {
    if (size == 0) {
      place = next->first;
    }
    for (; next != end && next->first == place; ++next) {
      heap[size++] = next;
      std::push_heap(heap, heap + size, lower);
    }
    if (heap[0]->last >= place) {
      if (heap[0]->segment != segment) {
        segment = heap[0]->segment;
        pieces_.append({static_cast<std::uint32_t>(place), segment});
      }
      const std::int64_t after = std::int64_t{heap[0]->last} + 1;
      place = next == end ? after : std::min<std::int64_t>(after, next->first);
    } else {
      std::pop_heap(heap, heap + size--, lower);
    }
  }
}

SpanInverse *SpanInverse::Builder::copy() noexcept {
  const std::size_t bytes = sizeof(SpanInverse) + lines_.size() * sizeof(Line) + pieces_.size() * sizeof(Piece);
  void *const block = map_->instance->memory.allocate(bytes, kAlignment, AVRM_MEM_CACHE);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const inverse = new (block) SpanInverse(bytes, static_cast<std::int64_t>(lines_.size()));
  std::copy(lines_.begin(), lines_.end(), inverse->lines());
  std::copy(pieces_.begin(), pieces_.end(), inverse->pieces());
  return inverse;
}

SpanInverse *SpanInverse::create(const avrm_rankmap_t *map) noexcept { return Builder(map).build(); }

std::int32_t SpanInverse::rank_of(const avrm_rankmap_t *map, avrm_gpid_t process) const noexcept {
  if (process.lpid < 0 || process.lpid > kMaxLpid) {
    return -1;
  }
  std::int32_t rank = -1;
  const Line *const first_line = lines();
  const Line *const end = first_line + line_count_;
  const Piece *const all = pieces();
  for (const Line *line = std::lower_bound(first_line, end, process.pgid,
                                           [](const Line &at, std::int32_t pgid) { return at.pgid < pgid; });
       line != end && line->pgid == process.pgid; ++line) {
    const Piece *const first = all + (line == first_line ? 0 : line[-1].end);
    const Piece *const piece =
        std::upper_bound(first, all + line->end, place_of(process.lpid, line->step),
                         [](std::uint32_t wanted, const Piece &at) { return wanted < at.place; });
    if (piece == first) {
      continue;
    }
    const Run run = segment_run(map, segments_of(map), piece[-1].segment);
    const std::int64_t distance = std::int64_t{process.lpid} - run.offset;
    const std::int64_t i = run.stride == 0 ? 0 : distance / run.stride;
    const bool found = i >= 0 && i < run.count && distance == i * run.stride;
    if (found && (rank < 0 || run.first_rank + i < rank)) {
      rank = static_cast<std::int32_t>(run.first_rank + i);
    }
  }
  return rank;
}

} // namespace avrankmap::detail
