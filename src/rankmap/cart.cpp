// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/cart.h"

#include <algorithm>
#include <cstring>

#include "rankmap/implicit_bind.h"

namespace avrankmap::detail {

namespace {

constexpr std::int64_t kAveBytes = sizeof(avrm_ave_t);

avrm_cart_t *entries_of(avrm_rankmap_t *map) noexcept { return reinterpret_cast<avrm_cart_t *>(map + 1); }

// Whether a sequence follows a cart at every rank, row by row.
template <typename Lpids> bool follows_cart(Lpids &lpids, const Cart &cart) noexcept {
  std::int32_t coordinates[kMostDimensions] = {};
  std::int64_t lpid = cart.offset;
  for (std::int64_t rank = 0; rank < cart.size; rank += cart.extents[0]) {
    const std::int64_t count = std::min<std::int64_t>(cart.extents[0], cart.size - rank);
    if (!lpids.follows(rank, count, lpid, cart.strides[0])) {
      return false;
    }
    // The next row: count up, with carries.
    int k = 1;
    for (; k + 1 < cart.dimensions && ++coordinates[k] == cart.extents[k]; ++k) {
      coordinates[k] = 0;
      lpid -= (std::int64_t{cart.extents[k]} - 1) * cart.strides[k];
    }
    lpid += cart.strides[k];
  }
  return true;
}

// Each dimension goes on for as long as the first elements of its slices are a constant distance apart. As that ends only
// where the next dimension begins, this finds the extents of any cart, and none that could be joined.
template <typename Lpids> std::optional<Cart> detect(Lpids &lpids) noexcept {
  Cart cart;
  cart.size = lpids.size();
  cart.offset = static_cast<std::int32_t>(lpids.at(0));
  std::int64_t slice = 1; // ranks per step of the dimension
  for (int k = 0; k < kMostDimensions; ++k) {
    const std::int64_t stride = lpids.at(slice) - cart.offset;
    std::int64_t extent = k == 0 ? lpids.first_run() : 2;
    while (extent * slice < cart.size && lpids.at(extent * slice) == cart.offset + extent * stride) {
      ++extent;
    }
    cart.strides[k] = stride;
    cart.dimensions = k + 1;
    if (k == 0 && extent == cart.size && extent > 2) { // one process throughout: any division into rows will do
      --extent;
    }
    if (extent * slice >= cart.size) {
      return k > 0 && follows_cart(lpids, cart) ? std::optional<Cart>(cart) : std::nullopt;
    }
    cart.extents[k] = static_cast<std::int32_t>(extent);
    slice *= extent;
  }
  return std::nullopt;
}

} // namespace

std::int32_t LpidArray::first_run() const noexcept {
  const std::int64_t stride = at(1) - at(0);
  std::int32_t count = 2;
  while (count < size_ && at(count) - at(count - 1) == stride) {
    ++count;
  }
  return count;
}

bool LpidArray::follows(std::int64_t rank, std::int64_t count, std::int64_t lpid, std::int64_t stride) const noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    if (lpids_[rank + i] != lpid + i * stride) {
      return false;
    }
  }
  return true;
}

void LpidRuns::seek(std::int64_t rank) noexcept {
  if (rank < run_->first_rank) {
    run_ =
        std::upper_bound(runs_.begin(), run_, rank, [](std::int64_t r, const Run &run) { return r < run.first_rank; }) -
        1;
  }
  while (rank - run_->first_rank >= run_->count) {
    ++run_;
  }
}

bool LpidRuns::follows(std::int64_t rank, std::int64_t count, std::int64_t lpid, std::int64_t stride) noexcept {
  for (std::int64_t done = 0; done < count;) {
    if (at(rank + done) != lpid + done * stride) {
      return false;
    }
    const std::int64_t here = std::min(count - done, run_->first_rank + std::int64_t{run_->count} - (rank + done));
    if (here > 1 && run_->stride != stride) {
      return false;
    }
    done += here;
  }
  return true;
}

std::optional<Cart> detect_cart(LpidArray lpids) noexcept { return detect(lpids); }
std::optional<Cart> detect_cart(LpidRuns lpids) noexcept { return detect(lpids); }

MapOwner new_cart_map(avrm_instance_t *instance, std::int32_t pgid, const Cart &cart, std::int64_t max_lpid) noexcept {
  MapOwner map = new_map(instance, cart_bytes(cart.dimensions));
  if (map == nullptr) {
    return nullptr;
  }
  // From the last dimension down: a reciprocal of all that is below it gives its coordinate and the rest as a fraction,
  // and each extent times the fraction the next coordinate. Coordinate 0 is left in rank * stride[0], from which each
  // other coordinate has to take back what it stands for.
  avrm_cart_t *entry = entries_of(map.get());
  std::int64_t slice = 1;
  for (int k = 0; k + 1 < cart.dimensions; ++k) {
    slice *= cart.extents[k];
  }
  for (int k = cart.dimensions - 1; k > 0; --k, ++entry) {
    entry->factor = k == cart.dimensions - 1 ? ~std::uint64_t{0} / static_cast<std::uint64_t>(slice) + 1
                                             : static_cast<std::uint64_t>(cart.extents[k]);
    entry->step = static_cast<std::uint64_t>(kAveBytes) *
                  (static_cast<std::uint64_t>(cart.strides[k]) -
                   static_cast<std::uint64_t>(slice) * static_cast<std::uint64_t>(cart.strides[0]));
    slice /= cart.extents[k - 1];
  }
  map->u.step = kAveBytes * cart.strides[0];
  map->v.row = cart.extents[0];
  map->size = cart.size;
  map->pgid = pgid;
  map->offset = cart.offset;
  map->stride = static_cast<std::int32_t>(max_lpid);
  map->block = cart.dimensions;
  map->klass = cart.dimensions == 3 ? AVRM_CLASS_CART_3D : AVRM_CLASS_CART;
  map->mode = AVRM_MODE_CART;
  return map;
}

MapOwner copy_cart_map(const avrm_rankmap_t *map) noexcept {
  MapOwner copy = new_map(map->instance, cart_bytes(map->block));
  if (copy != nullptr) {
    std::memcpy(static_cast<void *>(copy.get()), map, sizeof(avrm_rankmap_t) + cart_bytes(map->block));
    copy->base = nullptr;
    copy->bound = 0;
    copy->klass = natural_class(map);
  }
  return copy;
}

std::int32_t cart_row(const avrm_rankmap_t *map) noexcept { return static_cast<std::int32_t>(map->v.row); }

Run cart_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const std::int32_t first = rank - rank % cart_row(map);
  const std::int32_t count = std::min(cart_row(map), map->size - first);
  return {first, count, map->pgid, avrm_rankmap_gpid(map, first).lpid,
          count == 1 ? 1 : static_cast<std::int32_t>(map->u.step / kAveBytes)};
}

} // namespace avrankmap::detail
