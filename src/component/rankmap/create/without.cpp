// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creates the map of a parent without some of its ranks.
#include "rankmap/create/without.h"

#include <algorithm>
#include <numeric>

#include "base/array.h"
#include "rankmap/create/compose.h"
#include "rankmap/create/finish.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/forms/growing_cart.h"
#include "rankmap/forms/less_cart.h"
#include "rankmap/inverse/cart_inverse.h"

namespace avrankmap::detail {

namespace {

// Numbers of ranks and of lpids per step of a map's last dimension.
struct Step {
  std::int64_t ranks;
  std::int64_t lpids;
};

Step last_step(const avrm_rankmap_t &base) noexcept {
  if (base.mode == AVRM_MODE_BLOCKED) {
    return {base.as.blocked.block, base.as.blocked.stride};
  }
  const Cart cart = cart_of(&base);
  const std::int32_t *const last = cart.extents + cart.dimensions - 1;
  return {std::accumulate(cart.extents, last, std::int64_t{1}, std::multiplies<>()), cart.strides[cart.dimensions - 1]};
}

bool is_injective(const avrm_rankmap_t &base) noexcept {
  return base.mode == AVRM_MODE_BLOCKED ? !has_duplicates(form_of(&base)) : CartInverse::of(cart_of(&base)).has_value();
}

// The length of the prefix 0, 1, 2, ... of ranks in ascending order.
std::int32_t leading(const std::int32_t *ranks, std::int64_t count) noexcept {
  std::int32_t first = 0;
  while (first < count && ranks[first] == first) {
    ++first;
  }
  return first;
}

// A blocked map or a cart, and the ranks to remove from it.
class Remainder {
public:
  explicit Remainder(const avrm_rankmap_t *parent) noexcept
      : base_(is_less(parent) ? base_of(parent) : *parent), removed_(parent->instance->memory) {}

  // Adds ranks of the parent to those that were removed earlier. False if out of memory.
  [[nodiscard]] bool remove(const avrm_rankmap_t *parent, const std::int32_t *ranks, std::int32_t count) noexcept {
    const std::int32_t before = is_less(parent) ? parent->as.less->count : 0;
    if (!removed_.make_room(static_cast<std::size_t>(before) + static_cast<std::size_t>(count))) {
      return false;
    }
    for (std::int32_t i = 0, passed = 0; i < count || passed < before;) {
      const bool is_new = i < count && (passed == before || ranks[i] + passed < removed_rank(parent->as.less, passed));
      removed_.append(is_new ? ranks[i++] + passed : removed_rank(parent->as.less, passed++));
    }
    return true;
  }

  // Shortens the base if ranks at its end, or whole steps of the last dimension at its start, are
  // removed. False if only one step would be left.
  [[nodiscard]] bool trim() noexcept {
    const std::int32_t *end = removed_.end();
    while (end != removed_.begin() && end[-1] == base_.size - 1) {
      --base_.size;
      --end;
    }
    removed_.truncate(end);
    const Step step = last_step(base_);
    const std::int64_t steps = leading(removed_.begin(), count()) / step.ranks;
    const std::int64_t ranks = steps * step.ranks;
    std::transform(removed_.begin() + ranks, removed_.end(), removed_.begin(),
                   [ranks](std::int32_t rank) { return static_cast<std::int32_t>(rank - ranks); });
    removed_.truncate(removed_.end() - ranks);
    base_.size -= static_cast<std::int32_t>(ranks);
    base_.offset += static_cast<std::int32_t>(steps * step.lpids);
    if (base_.size <= step.ranks) {
      return false;
    }
    if (base_.mode == AVRM_MODE_CART) {
      base_.as.cart.max_lpid = static_cast<std::int32_t>(greatest_of(cart_of(&base_)));
    }
    return true;
  }

  // Must follow `trim`. If more ranks are removed than remain, a plain table is smaller than the
  // list.
  [[nodiscard]] bool is_worth_a_list() noexcept { return 2 * count() <= base_.size && is_injective(base_); }

  // Null if out of memory.
  [[nodiscard]] MapOwner map() noexcept {
    return removed_.empty() ? copy_of(&base_)
                            : new_less_map(&base_, removed_.begin(), static_cast<std::int32_t>(count()));
  }

  // Replaces the result of `map` with a cart or a regular map if that is better. Returns
  // AVRM_ERR_UNSUPPORTED if another form is better.
  [[nodiscard]] avrm_status_t choose(MapOwner *map) noexcept {
    if ((*map)->mode == AVRM_MODE_BLOCKED) {
      return AVRM_OK;
    }
    const bool is_cart = (*map)->mode == AVRM_MODE_CART;
    const std::optional<Cart> cart = is_cart ? cart_of(&base_) : cart_of_less(map->get());
    if (const std::optional<Regular> form = cart ? regular_from(*cart) : std::nullopt) {
      *map = new_regular_map(base_.instance, base_.pgid, *form);
      return AVRM_OK;
    }
    const std::uint64_t bytes = bytes_beside(map->get());
    // With more runs than this, segments would take more bytes than the less map.
    const auto segments = static_cast<std::int64_t>((bytes + base_.instance->worth()) / sizeof(avrm_segment_t) + 1);
    RunList runs(base_.instance->memory, segments);
    Source source;
    source.instance = base_.instance;
    source.size = (*map)->size;
    source.pgid = (*map)->pgid;
    if (cart) { // a cart is smaller than its runs
      source.cart = &*cart;
      source.max_lpid = greatest_of(*cart);
    } else if (const avrm_status_t status = list_runs(map->get(), segments, &runs); status == AVRM_OK) {
      source.runs = &runs;
    } else if (status == AVRM_ERR_NO_MEMORY) {
      return status;
    }
    const std::optional<Offer> rival = best_offer(source);
    if (is_cart) {
      return rival ? AVRM_OK : AVRM_ERR_UNSUPPORTED;
    }
    if (bytes + base_.instance->worth() <= (rival ? rival->bytes : lut_bytes(source.size))) {
      return AVRM_OK;
    }
    if (!cart || !rival) {
      return AVRM_ERR_UNSUPPORTED;
    }
    *map = rival->make(source);
    return *map == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }

private:
  [[nodiscard]] std::int64_t count() noexcept { return static_cast<std::int64_t>(removed_.size()); }
  [[nodiscard]] std::uint64_t bytes_beside(const avrm_rankmap_t *map) const noexcept {
    return (base_.mode == AVRM_MODE_CART ? cart_bytes(base_.as.cart.count) : 0) +
           (is_less(map) ? less_bytes(map->size, map->as.less->count) : 0);
  }
  // Returns AVRM_ERR_LIMIT if there are too many runs, without listing any if their lower bound
  // shows it. There are at least rows / 2 - 2 * count() runs: of two neighbouring rows at least one
  // ends a run, unless a rank was removed there.
  [[nodiscard]] avrm_status_t list_runs(const avrm_rankmap_t *map, std::int64_t limit, RunList *runs) noexcept {
    const std::int64_t rows = base_.size / run_at(&base_, 0).count;
    if (rows / 2 - 2 * count() > limit) {
      return AVRM_ERR_LIMIT;
    }
    return for_each_run(map, [runs](const Run &run) { return runs->push(run); });
  }

  avrm_rankmap_t base_; // not owned
  Array<std::int32_t> removed_;
};

// Creates a less map, or what `choose` prefers to it. Returns AVRM_ERR_UNSUPPORTED if another form
// is better, or if a less map is not possible.
avrm_status_t as_less(const avrm_rankmap_t *parent, const std::int32_t *ranks, std::int32_t count,
                      MapOwner *map_p) noexcept {
  Remainder remainder(parent);
  if (!remainder.remove(parent, ranks, count)) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (!remainder.trim() || !remainder.is_worth_a_list()) {
    return AVRM_ERR_UNSUPPORTED;
  }
  MapOwner map = remainder.map();
  const avrm_status_t status = map == nullptr ? AVRM_ERR_NO_MEMORY : remainder.choose(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

// Creates the map in the form, other than less, that the instance's cost class demands.
avrm_status_t by_runs(const avrm_rankmap_t *parent, const std::int32_t *ranks, std::int32_t count,
                      MapOwner *map_p) noexcept {
  const MapOwner rest = new_less_map(parent, ranks, count);
  if (rest == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  RunList runs(parent->instance->memory, most_segments(rest->size, groups_of(parent)));
  const avrm_status_t status = for_each_run(rest.get(), [&runs](const Run &run) { return runs.push(run); });
  if (status == AVRM_ERR_LIMIT) {
    return map_from_processes(
        parent->instance, rest->size, [&rest](std::int32_t rank) { return LessForm::process(rest.get(), rank); },
        map_p);
  }
  return status == AVRM_OK ? map_from_runs(parent->instance, runs, map_p) : status;
}

// Sorts a copy of the ranks unless they are in ascending order. May return AVRM_ERR_RANK or
// AVRM_ERR_DUPLICATE.
avrm_status_t in_order(const avrm_rankmap_t *parent, const std::int32_t *ranks, std::int32_t count,
                       Array<std::int32_t> *sorted, const std::int32_t **ranks_p) noexcept {
  if (!std::all_of(ranks, ranks + count, [parent](std::int32_t rank) {
        return static_cast<std::uint32_t>(rank) < static_cast<std::uint32_t>(parent->size);
      })) {
    return AVRM_ERR_RANK;
  }
  *ranks_p = ranks;
  if (!std::is_sorted(ranks, ranks + count)) {
    if (!sorted->make_room(static_cast<std::size_t>(count))) {
      return AVRM_ERR_NO_MEMORY;
    }
    std::for_each(ranks, ranks + count, [sorted](std::int32_t rank) { sorted->append(rank); });
    std::sort(sorted->begin(), sorted->end());
    *ranks_p = sorted->begin();
  }
  return std::adjacent_find(*ranks_p, *ranks_p + count) == *ranks_p + count ? AVRM_OK : AVRM_ERR_DUPLICATE;
}

} // namespace

avrm_status_t map_without(const avrm_rankmap_t *parent, const std::int32_t *ranks, std::int32_t count,
                          MapOwner *map_p) noexcept {
  if (count == 0 || count == parent->size) {
    *map_p = count == 0 ? copy_of(parent) : new_map(parent->instance);
    return AVRM_OK;
  }
  if (may_be_base(parent)) {
    const avrm_status_t status = as_less(parent, ranks, count, map_p);
    if (status != AVRM_ERR_UNSUPPORTED) {
      return status;
    }
  } else {
    // A contiguous part may share the parent's table.
    const std::int32_t first = leading(ranks, count);
    if (first == count || ranks[first] == first + (parent->size - count)) {
      return compose_regular(parent, simplified({parent->size - count, first, 1, 1}), map_p);
    }
  }
  return by_runs(parent, ranks, count, map_p);
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_rankmap_create_without(const avrm_rankmap_t *parent, int32_t count, const int32_t *ranks,
                                          unsigned flags, avrm_rankmap_t *map_p) noexcept {
  if (parent == nullptr || map_p == nullptr || (ranks == nullptr && count > 0)) {
    return AVRM_ERR_NULL;
  }
  if (count < 0) {
    return AVRM_ERR_SIZE;
  }
  if (!flags_known(flags)) {
    return AVRM_ERR_OPTION;
  }
  Array<std::int32_t> sorted(parent->instance->memory);
  const std::int32_t *ascending = nullptr;
  MapOwner map;
  avrm_status_t status = in_order(parent, ranks, count, &sorted, &ascending);
  if (status == AVRM_OK) {
    status = map_without(parent, ascending, count, &map);
  }
  return finish(status, std::move(map), flags, map_p);
}
