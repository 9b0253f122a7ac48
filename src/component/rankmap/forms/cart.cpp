// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/forms/cart.h"

#include <algorithm>
#include <new>

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/create/duplicates.h"
#include "rankmap/inverse/cart_inverse.h"
#include "rankmap/inverse/inverse.h"
#include "rankmap/inverse/table_inverse.h"

namespace avrankmap::detail {

namespace {

CartHeader *header_of(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<CartHeader *>(const_cast<avrm_cart_t *>(map->as.cart.dimensions)) - 1;
}

// True if a sequence follows a cart at every rank. Compares row by row.
bool follows_cart(LpidRuns &lpids, const Cart &cart) noexcept {
  std::int32_t coordinates[kMostDimensions] = {};
  std::int64_t lpid = cart.offset;
  for (std::int64_t rank = 0; rank < cart.size; rank += cart.extents[0]) {
    const std::int64_t count = std::min<std::int64_t>(cart.extents[0], cart.size - rank);
    if (!lpids.follows(rank, count, lpid, cart.strides[0])) {
      return false;
    }
    // Advance to the next row: increment the coordinates, with carries.
    int k = 1;
    for (; k + 1 < cart.dimensions && ++coordinates[k] == cart.extents[k]; ++k) {
      coordinates[k] = 0;
      lpid -= (std::int64_t{cart.extents[k]} - 1) * cart.strides[k];
    }
    lpid += cart.strides[k];
  }
  return true;
}

// A dimension extends as long as the first elements of its slices are a constant distance apart,
// which ends only where the next dimension begins. This finds the extents of any cart, and never
// two dimensions that could be merged.
std::optional<Cart> detect(LpidRuns &lpids) noexcept {
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
    if (k == 0 && extent == cart.size && extent > 2) { // equal lpids: any row length is correct
      --extent;
    }
    // In a cart a run has at most two rows: of two consecutive steps between rows, at least one is
    // that of dimension 1, which ends every run. Shorter runs bound all loops here by their number.
    if (k == 0 && lpids.longest_run() > 2 * extent) {
      return std::nullopt;
    }
    if (extent * slice >= cart.size) {
      return k > 0 && follows_cart(lpids, cart) ? std::optional<Cart>(cart) : std::nullopt;
    }
    cart.extents[k] = static_cast<std::int32_t>(extent);
    slice *= extent;
  }
  return std::nullopt;
}

// The greatest lpid, without the offset, among the first `count` ranks of the first `dimensions`
// dimensions of a cart.
std::int64_t greatest(const Cart &cart, int dimensions, std::int64_t count) noexcept {
  if (dimensions == 0) {
    return 0;
  }
  std::int64_t row = 1;
  for (int k = 0; k + 1 < dimensions; ++k) {
    row *= cart.extents[k];
  }
  const std::int64_t rows = count / row;
  const std::int64_t stride = cart.strides[dimensions - 1];
  std::int64_t most = INT64_MIN;
  if (rows > 0) {
    most = greatest(cart, dimensions - 1, row) + std::max<std::int64_t>(0, (rows - 1) * stride);
  }
  if (count % row != 0) {
    most = std::max(most, rows * stride + greatest(cart, dimensions - 1, count % row));
  }
  return most;
}

} // namespace

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

std::int32_t LpidRuns::longest_run() const noexcept {
  return std::max_element(runs_.begin(), runs_.end(), [](const Run &a, const Run &b) { return a.count < b.count; })
      ->count;
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

std::optional<Cart> detect_cart(LpidRuns lpids) noexcept { return detect(lpids); }

std::int64_t greatest_of(const Cart &cart) noexcept { return cart.offset + greatest(cart, cart.dimensions, cart.size); }

MapOwner new_cart_map(avrm_instance_t *instance, std::int32_t pgid, const Cart &cart, std::int64_t max_lpid) noexcept {
  void *const block = instance->memory.allocate(cart_bytes(cart.dimensions), alignof(avrm_cart_t), AVRM_MEM_RANKMAP);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = new (block) CartHeader;
  header->row = cart.extents[0];
  // Entries are ordered from the last dimension down. The rank times the reciprocal of the last
  // dimension's slice is its coordinate and a fraction; the fraction times the next extent is the
  // next coordinate and fraction. rank * stride[0] counts every rank as a step of dimension 0, so
  // the step of every other dimension subtracts its slice of these steps.
  auto *entry = reinterpret_cast<avrm_cart_t *>(header + 1);
  std::int64_t slice = 1;
  for (int k = 0; k + 1 < cart.dimensions; ++k) {
    slice *= cart.extents[k];
  }
  for (int k = cart.dimensions - 1; k > 0; --k, ++entry) {
    entry->factor = k == cart.dimensions - 1 ? ~std::uint64_t{0} / static_cast<std::uint64_t>(slice) + 1
                                             : static_cast<std::uint64_t>(cart.extents[k]);
    entry->step = static_cast<std::uint64_t>(cart.strides[k]) -
                  static_cast<std::uint64_t>(slice) * static_cast<std::uint64_t>(cart.strides[0]);
    slice /= cart.extents[k - 1];
  }
  MapOwner map = new_map(instance);
  map->as.cart = {reinterpret_cast<const avrm_cart_t *>(header + 1), cart.dimensions,
                  static_cast<std::int32_t>(cart.strides[0]), static_cast<std::int32_t>(max_lpid)};
  map->size = cart.size;
  map->pgid = pgid;
  map->offset = cart.offset;
  map->klass = AVRM_CLASS_CART;
  map->mode = AVRM_MODE_CART;
  return map;
}

Cart cart_of(const avrm_rankmap_t *map) noexcept {
  Cart cart;
  cart.dimensions = map->as.cart.count;
  cart.size = map->size;
  cart.offset = map->offset;
  // The steps of the entries may have wrapped around, so strides are determined by translation.
  const avrm_cart_t *entry = map->as.cart.dimensions + (cart.dimensions - 1);
  std::int64_t slice = 1;
  for (int k = 0; k < cart.dimensions; ++k) {
    if (k + 1 < cart.dimensions) {
      cart.extents[k] = k == 0 ? header_of(map)->row : static_cast<std::int32_t>((--entry)->factor);
    }
    cart.strides[k] = CartForm::place(map, static_cast<std::int32_t>(slice)).lpid - std::int64_t{map->offset};
    slice *= cart.extents[k];
  }
  return cart;
}

MapOwner CartForm::copy(const avrm_rankmap_t *map) noexcept {
  MapOwner copy(*map);
  header_of(map)->sharers.fetch_add(1, std::memory_order_relaxed);
  copy->at.word = 0;
  copy->bound = 0;
  copy->klass = AVRM_CLASS_CART;
  return copy;
}

void CartForm::drop(avrm_rankmap_t *map) noexcept {
  CartHeader *const header = header_of(map);
  if (header->sharers.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    forget_inverse(map->instance, header);
    map->instance->memory.release(header, cart_bytes(map->as.cart.count), alignof(avrm_cart_t), AVRM_MEM_RANKMAP);
  }
}

void CartForm::describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept {
  const Cart cart = cart_of(map);
  info->dimensions = cart.dimensions;
  std::int64_t slice = 1;
  for (int k = 0; k < cart.dimensions; ++k) {
    const bool last = k + 1 == cart.dimensions;
    info->extents[k] = last ? static_cast<std::int32_t>((map->size + slice - 1) / slice) : cart.extents[k];
    info->strides[k] = cart.strides[k];
    slice *= info->extents[k];
  }
  info->table_sharers = header_of(map)->sharers.load(std::memory_order_relaxed);
  info->table_bytes = cart_bytes(cart.dimensions);
  info->inverse_bytes = inverse_bytes(map->instance, header_of(map));
}

void CartForm::max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                         std::int32_t *max_lpids) noexcept {
  max_lpids[0] = map->as.cart.max_lpid;
}

avrm_status_t CartForm::check_unique(const avrm_rankmap_t *map) noexcept {
  return CartInverse::of(cart_of(map)) ? AVRM_OK : check_unique_lpids(map, map->as.cart.max_lpid);
}

const char *CartForm::fault(const avrm_rankmap_t *map) noexcept {
  if (map->pgid < 0) {
    return "the pgid of a single-group map is negative";
  }
  const CartHeader *const header = header_of(map);
  const auto &as = map->as.cart;
  if (as.count < 2 || as.count > kMostDimensions || header->row < 2 || header->row >= map->size) {
    return "the dimensions are invalid";
  }
  if (!has_class(map)) {
    return "the class does not match the dimensions";
  }
  if (header->sharers.load(std::memory_order_relaxed) == 0) {
    return "the dimensions have no sharer";
  }
  std::int64_t max = -1;
  for (std::int64_t rank = 0; rank < map->size; rank += header->row) {
    const Run row = CartForm::run_at(map, static_cast<std::int32_t>(rank));
    if (row.offset < 0 || last_lpid(row) < 0 || last_lpid(row) != place(map, row.first_rank + (row.count - 1)).lpid) {
      return "an lpid is out of range";
    }
    max = std::max({max, std::int64_t{row.offset}, last_lpid(row)});
  }
  if (max != as.max_lpid || max > kMaxLpid || place(map, 0).lpid != map->offset) {
    return "the greatest lpid is invalid";
  }
  return nullptr;
}

// Maps that share a header but differ in their ranks, such as shortened ones (create/without.cpp),
// are inverted by arithmetic. The table's inverse is for equal maps only.
avrm_status_t CartForm::ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                              std::int32_t *ranks) noexcept {
  const std::optional<CartInverse> inverse = CartInverse::of(cart_of(map));
  if (!inverse) {
    return ranks_by_table(map, {header_of(map), map, 0}, count, processes, ranks);
  }
  std::transform(processes, processes + count, ranks, [map, &inverse](const avrm_gpid_t &process) {
    const std::int32_t rank = process.pgid == map->pgid ? inverse->rank_of(process.lpid) : -1;
    return rank >= 0 ? rank : AVRM_UNDEFINED;
  });
  return AVRM_OK;
}

Run CartForm::run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const auto row = header_of(map)->row;
  const std::int32_t first = rank - rank % row;
  const std::int32_t count = std::min(row, map->size - first);
  return {first, count, map->pgid, place(map, first).lpid, count == 1 ? 1 : map->as.cart.stride};
}

std::optional<Offer> CartForm::offer(const Source &source) noexcept {
  if (source.cart == nullptr) {
    return std::nullopt;
  }
  const auto make = [](const Source &from) noexcept {
    return new_cart_map(from.instance, from.pgid, *from.cart, from.max_lpid);
  };
  return Offer{cart_bytes(source.cart->dimensions), Cost::kArithmetic, make};
}

} // namespace avrankmap::detail
