// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/lpids.h"

#include <algorithm>
#include <bit>

#include "rankmap/create/runs.h"
#include "rankmap/forms/lut.h"
#include "rankmap/patterns/detect.h"
#include "rankmap/patterns/detect_kernels.h"
#include "rankmap/vector_loops.h"

namespace avrankmap::detail {

namespace {

// True if all elements are in 0 .. last.
[[nodiscard]] bool are_within(const std::int32_t *a, std::int32_t size, std::int64_t last) noexcept {
  return detect_kernels().greatest(a, static_cast<std::size_t>(size)) <= last;
}

// Returns a bit for each of up to 64 elements that begin at a[i], which is set for element k if
// a[k] - a[k-1] != a[k-1] - a[k-2].
[[nodiscard]] std::uint64_t changes_from(const std::int32_t *a, std::int64_t size, std::int64_t i) noexcept {
  if (size - i >= 64) {
    return detect_kernels().changes(a + i);
  }
  std::uint64_t bits = 0;
  for (std::int64_t k = i; k < size; ++k) {
    bits |= std::uint64_t{is_change(a + k) ? 1U : 0U} << (k - i);
  }
  return bits;
}

// True if an array may have at most `most` runs. There are at most two changes between two runs.
[[nodiscard]] bool may_have_runs(const std::int32_t *a, std::int64_t size, std::int64_t most) noexcept {
  std::int64_t left = 2 * (most - 1);
  for (std::int64_t i = 2; i < size && left >= 0; i += 64) {
    left -= std::popcount(changes_from(a, size, i));
  }
  return left >= 0;
}

// Appends the canonical runs of an array of lpids.
avrm_status_t list_runs(const std::int32_t *lpids, std::int32_t size, std::int32_t pgid, RunList *runs) noexcept {
  std::int64_t first = 0;
  const auto end_run = [&](std::int64_t end) {
    const bool is_one = end - first == 1;
    const Run run{0, static_cast<std::int32_t>(end - first), pgid, lpids[first],
                  is_one ? 1 : lpids[first + 1] - lpids[first]};
    first = end;
    return runs->append(run);
  };
  for (std::int64_t i = 2; i < size; i += 64) {
    for (std::uint64_t bits = changes_from(lpids, size, i); bits != 0; bits &= bits - 1) {
      const std::int64_t change = i + std::countr_zero(bits);
      // The second rank of a run determines its stride, whatever the difference before it.
      const avrm_status_t status = change < first + 2 ? AVRM_OK : end_run(change);
      if (status != AVRM_OK) {
        return status;
      }
    }
  }
  return end_run(size);
}

// Creates the map in the smaller form that the instance's cost class prefers to a table of lpids,
// or null.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_RANGE (an lpid is not in 0 .. last)
avrm_status_t smaller_map(avrm_instance_t *instance, std::int32_t pgid, const std::int32_t *lpids, std::int32_t size,
                          std::int64_t last, MapOwner *map_p) noexcept {
  Source source;
  source.instance = instance;
  source.size = size;
  source.pgid = pgid;
  const std::int64_t most = most_runs(source);
  if (most == 0) {
    return AVRM_OK;
  }
  // A cart is smaller than its runs.
  const std::optional<Cart> cart = detect_cart(lpids, size);
  if (!cart && !may_have_runs(lpids, size, most)) {
    return AVRM_OK;
  }
  if (!are_within(lpids, size, last)) {
    return AVRM_ERR_RANGE;
  }
  RunList runs(instance->memory, most);
  if (cart) {
    source.cart = &*cart;
    source.max_lpid = greatest_of(*cart);
  } else {
    const avrm_status_t status = list_runs(lpids, size, pgid, &runs);
    if (status != AVRM_OK) {
      return status == AVRM_ERR_LIMIT ? AVRM_OK : status;
    }
    source.runs = &runs;
  }
  const std::optional<Offer> offer = best_offer(source);
  if (offer) {
    *map_p = offer->make(source);
    return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  return AVRM_OK;
}

// map_of_lpids for lpids in 0 .. last. Returns AVRM_ERR_RANGE for any other lpid.
avrm_status_t map_within(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size, const std::int32_t *lpids,
                         std::int64_t last, MapOwner *map_p) noexcept {
  const avrm_status_t status = smaller_map(instance, pgid, lpids, size, last, map_p);
  if (status != AVRM_OK || *map_p != nullptr) {
    return status;
  }
  MapOwner map = new_lut_map(instance, pgid, size);
  if (map == nullptr) {
    return are_within(lpids, size, last) ? AVRM_ERR_NO_MEMORY : AVRM_ERR_RANGE;
  }
  const std::uint32_t most = detect_kernels().copy(lpids, static_cast<std::size_t>(size), lut_entries(map.get()));
  if (most > last) {
    return AVRM_ERR_RANGE;
  }
  lut_header(map.get())->max_lpid = static_cast<std::int32_t>(most);
  *map_p = std::move(map);
  return AVRM_OK;
}

} // namespace

// A dimension extends as long as its slices are a constant distance apart, which ends only where
// the next dimension begins. This finds the extents of any cart, and never two dimensions that
// could be merged.
std::optional<Cart> detect_cart(const std::int32_t *lpids, std::int32_t size) noexcept {
  const DetectKernels &kernels = detect_kernels();
  Cart cart;
  cart.size = size;
  cart.offset = lpids[0];
  std::size_t slice = 1; // ranks per step of the dimension
  for (int k = 0; k < kMostDimensions; ++k) {
    const std::int64_t stride = std::int64_t{lpids[slice]} - cart.offset;
    std::size_t end =
        kernels.repeat_length(lpids, static_cast<std::size_t>(size), slice, static_cast<std::uint32_t>(stride));
    cart.strides[k] = stride;
    cart.dimensions = k + 1;
    if (end == static_cast<std::size_t>(size)) {
      if (k > 0) {
        return cart;
      }
      --end; // equal lpids: any row length is correct
    }
    if (end % slice != 0 || end < 2) {
      return std::nullopt;
    }
    cart.extents[k] = static_cast<std::int32_t>(end / slice);
    slice = end;
  }
  return std::nullopt;
}

avrm_status_t map_of_lpids(avrm_instance_t *instance, std::int32_t pgid, std::int32_t size, const std::int32_t *lpids,
                           MapOwner *map_p) noexcept {
  const avrm_status_t status = map_within(instance, pgid, size, lpids, kMaxLpid, map_p);
  return status == AVRM_ERR_RANGE ? AVRM_ERR_OVERFLOW : status;
}

avrm_status_t map_of_ranks(const avrm_rankmap_t *parent, std::int32_t size, const std::int32_t *ranks,
                           MapOwner *map_p) noexcept {
  const bool is_line = is_affine(parent);
  const Regular form = is_line ? form_of(parent) : Regular{};
  const std::int64_t last = std::int64_t{parent->size} - 1;
  if (is_line && form.offset == 0 && form.stride == 1) {
    const avrm_status_t status = map_within(parent->instance, parent->pgid, size, ranks, last, map_p);
    return status == AVRM_ERR_RANGE ? AVRM_ERR_RANK : status;
  }
  if (!are_within(ranks, size, last)) {
    return AVRM_ERR_RANK;
  }
  MapOwner map = new_lut_map(parent->instance, parent->pgid, size);
  if (map == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::uint32_t *const entries = lut_entries(map.get());
  if (is_line) {
    const auto offset = static_cast<std::uint32_t>(form.offset);
    const auto stride = static_cast<std::uint32_t>(form.stride);
    in_vector_loops(static_cast<std::size_t>(size), [=](std::size_t first, auto n) {
      for (std::size_t i = 0; i < n; ++i) {
        entries[first + i] = offset + static_cast<std::uint32_t>(ranks[first + i]) * stride;
      }
    });
  } else if (parent->mode == AVRM_MODE_LUT) {
    const std::uint32_t *const lut = parent->as.lut.lpids;
    std::transform(ranks, ranks + size, entries, [lut](std::int32_t rank) { return lut[rank]; });
  } else {
    std::transform(ranks, ranks + size, entries, [parent](std::int32_t rank) {
      return static_cast<std::uint32_t>(avrm_rankmap_gpid(parent, rank).lpid);
    });
  }
  const avrm_status_t status = settle_table(&map);
  if (status == AVRM_OK) {
    *map_p = std::move(map);
  }
  return status;
}

avrm_status_t settle_table(MapOwner *map) noexcept {
  // `greatest` reads its argument as unsigned numbers, and entries above kMaxLpid are rejected, so
  // all others may be read as signed numbers.
  const auto *const lpids = reinterpret_cast<const std::int32_t *>((*map)->as.lut.lpids);
  const std::uint32_t most = detect_kernels().greatest(lpids, static_cast<std::size_t>((*map)->size));
  if (most > kMaxLpid) {
    return AVRM_ERR_OVERFLOW;
  }
  lut_header(map->get())->max_lpid = static_cast<std::int32_t>(most);
  reduce_lut(map);
  if ((*map)->mode != AVRM_MODE_LUT) {
    return AVRM_OK;
  }
  MapOwner smaller;
  const avrm_status_t status = smaller_map((*map)->instance, (*map)->pgid, lpids, (*map)->size, kMaxLpid, &smaller);
  if (status == AVRM_OK && smaller != nullptr) {
    *map = std::move(smaller);
  }
  return status;
}

} // namespace avrankmap::detail
