// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/runs.h"

#include <cstdlib>
#include <limits>

#include "rankmap/create/choose.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kKnowsRuns = by_mode([]<typename F>() { return F::kKnowsRuns; });
constexpr auto kRunAt = by_mode([]<typename F>() { return F::run_at; });
constexpr auto kLongestRun = by_mode([]<typename F>() { return F::longest_run; });

// The processes of `run`, a run of the parent, at the parent's ranks first, first + step, ...: as
// many of the `count` ranks as the run contains.
Run through(const Run &run, std::int64_t first, std::int32_t step, std::int64_t count) noexcept {
  const std::int64_t passed = first - run.first_rank;
  const std::int64_t room = step > 0 ? run.count - 1 - passed : passed;
  const std::int64_t taken = std::min(count, room / std::abs(std::int64_t{step}) + 1);
  const std::int64_t stride = std::int64_t{step} * run.stride; // fits if there is a second rank
  return {0, static_cast<std::int32_t>(taken), run.pgid, static_cast<std::int32_t>(lpid_at(run, passed)),
          taken == 1 ? 1 : static_cast<std::int32_t>(stride)};
}

} // namespace

bool knows_runs(const avrm_rankmap_t *map) noexcept { return kKnowsRuns[map->mode]; }

Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept { return kRunAt[map->mode](map, rank); }

Run run_before(const avrm_rankmap_t *map, std::int32_t rank, std::int64_t end) noexcept {
  return knows_runs(map) ? run_at(map, rank) : scan_run(rank, static_cast<std::int32_t>(end), [map](std::int32_t r) {
    return avrm_rankmap_gpid(map, r);
  });
}

Run longest_run_from(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  return kLongestRun[map->mode](map, rank);
}

RunList::~RunList() {
  memory_.release(runs_, static_cast<std::size_t>(capacity_) * sizeof(Run), alignof(Run), AVRM_MEM_SCRATCH);
}

bool RunList::grow() noexcept {
  const std::int32_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
  auto *const runs = static_cast<Run *>(
      memory_.allocate(static_cast<std::size_t>(capacity) * sizeof(Run), alignof(Run), AVRM_MEM_SCRATCH));
  if (runs == nullptr) {
    return false;
  }
  std::copy_n(runs_, count_, runs);
  memory_.release(runs_, static_cast<std::size_t>(capacity_) * sizeof(Run), alignof(Run), AVRM_MEM_SCRATCH);
  runs_ = runs;
  capacity_ = capacity;
  return true;
}

avrm_status_t RunList::push(const Run &run) noexcept {
  if (size_ + run.count > std::numeric_limits<std::int32_t>::max()) {
    return AVRM_ERR_LIMIT;
  }
  Run *const last = count_ == 0 ? nullptr : runs_ + (count_ - 1);
  const bool continues =
      last != nullptr && run.pgid == last->pgid && (last->count == 1 || last_lpid(*last) + last->stride == run.offset);
  if (!continues) {
    return append(run);
  }
  if (last->count == 1) {
    last->stride = run.offset - last->offset;
  }
  // The first rank is added to the last run, the others only if they have the same stride.
  const std::int32_t taken = run.count == 1 || run.stride == last->stride ? run.count : 1;
  last->count += taken;
  size_ += taken;
  if (taken == run.count) {
    return AVRM_OK;
  }
  return append(part_of(run, taken, run.count - taken));
}

avrm_status_t compose_runs(const avrm_rankmap_t *parent, const Regular &inner, RunList *runs) noexcept {
  const std::int32_t step = inner.block == 1 ? inner.stride : 1;
  const std::int32_t length = inner.block == 1 ? inner.size : inner.block;
  for (std::int64_t rank = 0; rank < inner.size;) {
    const std::int64_t left = std::min<std::int64_t>(length - rank % length, inner.size - rank);
    const std::int64_t first = value_at(inner, rank);
    const Run run = through(run_before(parent, static_cast<std::int32_t>(first), first + left), first, step, left);
    const avrm_status_t status = runs->push(run);
    if (status != AVRM_OK) {
      return status;
    }
    rank += run.count;
  }
  return AVRM_OK;
}

std::optional<Regular> regular_from(const RunList &runs) noexcept {
  const Run &first = *runs.begin();
  if (runs.count() == 1) {
    if (first.stride == 0) {
      return std::nullopt;
    }
    return simplified({first.count, first.offset, first.stride, 1});
  }
  // Blocks: runs of equal length with stride 1, all as far apart as the first two; the last one may
  // be shorter.
  const std::int64_t stride = std::int64_t{runs.begin()[1].offset} - first.offset;
  if (first.stride != 1 || first.count < 2 || stride == 0) {
    return std::nullopt;
  }
  for (const Run &run : runs) {
    const std::int64_t i = &run - runs.begin();
    const bool is_last = i + 1 == runs.count();
    const bool right_length = run.count == first.count || (is_last && run.count < first.count);
    if (run.pgid != first.pgid || run.stride != 1 || !right_length || run.offset != first.offset + i * stride) {
      return std::nullopt;
    }
  }
  return simplified({runs.size(), first.offset, static_cast<std::int32_t>(stride), first.count});
}

namespace {

// Determines the process groups and lpids of a source of runs.
avrm_status_t measure(const RunList &runs, Source *source) noexcept {
  SlotIndex index(source->instance->memory);
  for (const Run &run : runs) {
    if (index.slot_of(run.pgid) < 0) {
      return AVRM_ERR_NO_MEMORY;
    }
    source->max_lpid = std::max({source->max_lpid, std::int64_t{run.offset}, last_lpid(run)});
  }
  source->groups = index.count();
  source->pgid = source->groups == 1 ? runs.begin()->pgid : -1;
  return AVRM_OK;
}

// Creates a plain table first. map_from_processes requests all ranks in ascending order, twice.
avrm_status_t gather_runs(avrm_instance_t *instance, const RunList &runs, MapOwner *map_p) noexcept {
  const Run *run = runs.begin();
  const auto gpid_at = [&run, &runs](std::int32_t rank) {
    if (rank == 0) {
      run = runs.begin();
    }
    run += rank - run->first_rank == run->count ? 1 : 0;
    return avrm_gpid_t{run->pgid, static_cast<std::int32_t>(lpid_at(*run, rank - run->first_rank))};
  };
  return map_from_processes(instance, runs.size(), gpid_at, map_p);
}

} // namespace

avrm_status_t map_from_runs(avrm_instance_t *instance, const RunList &runs, MapOwner *map_p) noexcept {
  if (const std::optional<Regular> form = regular_from(runs)) {
    *map_p = new_regular_map(instance, runs.begin()->pgid, *form);
    return AVRM_OK;
  }
  Source source;
  source.instance = instance;
  source.size = runs.size();
  source.runs = &runs;
  const avrm_status_t status = measure(runs, &source);
  if (status != AVRM_OK) {
    return status;
  }
  std::optional<Cart> cart;
  if (source.groups == 1) {
    cart = detect_cart(LpidRuns(runs));
    source.cart = cart ? &*cart : nullptr;
  }
  const std::optional<Offer> offer = best_offer(source);
  if (!offer) {
    return gather_runs(instance, runs, map_p);
  }
  *map_p = offer->make(source);
  return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
}

} // namespace avrankmap::detail
