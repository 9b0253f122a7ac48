// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of maps from a function, which is called once per rank. Nothing is stored while the
// ranks follow one formula. After that, runs are listed, or all processes if the runs are short.
#include "rankmap/create/finish.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/create/runs.h"
#include "rankmap/forms/growing_cart.h"

using namespace avrankmap::detail;

namespace {

// Runs must be at least this long on average to be listed. A list then takes less than two bytes
// per rank, which is little even if all processes are stored afterwards.
constexpr std::int32_t kShortestRun = 32;

// Creates the map of a cart that was found.
avrm_status_t map_from_cart(avrm_instance_t *instance, std::int32_t pgid, Cart cart, MapOwner *map_p) noexcept {
  if (const std::optional<Regular> form = regular_from(cart)) {
    *map_p = new_regular_map(instance, pgid, *form);
    return AVRM_OK;
  }
  if (cart.dimensions == 1) { // equal lpids: any row length is correct
    cart.dimensions = 2;
    cart.extents[0] = cart.size - 1;
  }
  Source source;
  source.instance = instance;
  source.size = cart.size;
  source.pgid = pgid;
  source.max_lpid = greatest_of(cart);
  source.cart = cart.size > 2 ? &cart : nullptr;
  if (const std::optional<Offer> offer = best_offer(source)) {
    *map_p = offer->make(source);
    return *map_p == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  return map_from_lpids(
      instance, pgid, cart.size, [&cart](std::int32_t rank) { return cart.at(rank); }, map_p);
}

// Appends the first ranks of a cart, row by row, while there is room.
avrm_status_t list_rows(const Cart &cart, std::int32_t pgid, std::int32_t most, RunList *runs) noexcept {
  const std::int32_t row = cart.dimensions == 1 ? cart.size : cart.extents[0];
  while (runs->size() < cart.size && runs->count() < most) {
    const std::int32_t count = std::min(row, cart.size - runs->size());
    const Run run{0, count, pgid, static_cast<std::int32_t>(cart.at(runs->size())),
                  count == 1 ? 1 : static_cast<std::int32_t>(cart.strides[0])};
    const avrm_status_t status = runs->push(run);
    if (status != AVRM_OK) {
      return status;
    }
  }
  return AVRM_OK;
}

// Calls a function for all ranks, in order.
class Reader {
public:
  Reader(avrm_rankmap_process_t process, void *context) noexcept : process_(process), context_(context) {}

  // Reads the process of a rank.
  // @return AVRM_OK, AVRM_ERR_PGID_UNKNOWN, AVRM_ERR_OVERFLOW
  [[nodiscard]] avrm_status_t read(std::int32_t rank) noexcept {
    last_ = process_(context_, rank);
    if (last_.pgid < 0) {
      return AVRM_ERR_PGID_UNKNOWN;
    }
    return last_.lpid < 0 || last_.lpid > kMaxLpid ? AVRM_ERR_OVERFLOW : AVRM_OK;
  }
  [[nodiscard]] avrm_gpid_t last() const noexcept { return last_; }

private:
  avrm_rankmap_process_t process_;
  void *context_;
  avrm_gpid_t last_{};
};

// Creates the map of a function whose ranks below `cart.size` follow a cart. Rank `cart.size` has
// been read.
avrm_status_t map_of_rest(avrm_instance_t *instance, std::int32_t size, const Cart &cart, std::int32_t pgid,
                          Reader reader, MapOwner *map_p) noexcept {
  const std::int32_t most = size / kShortestRun;
  RunList runs(instance->memory, most);
  std::int32_t rank = cart.size; // the last one that was read
  avrm_status_t status = list_rows(cart, pgid, most, &runs);
  while (status == AVRM_OK && runs.size() == rank && runs.count() < most) {
    status = runs.push({0, 1, reader.last().pgid, reader.last().lpid, 1});
    if (status != AVRM_OK) {
      break;
    }
    if (++rank == size) {
      return map_from_runs(instance, runs, map_p);
    }
    status = reader.read(rank);
  }
  if (status != AVRM_OK) {
    return status;
  }
  const Scratch<avrm_gpid_t> all(instance->memory, static_cast<std::size_t>(size));
  if (!all) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_gpid_t *at = all.data();
  for (const Run &run : runs) {
    for (std::int32_t i = 0; i < run.count; ++i) {
      *at++ = {run.pgid, static_cast<std::int32_t>(lpid_at(run, i))};
    }
  }
  while (at < all.data() + rank) { // ranks of the cart for which the list had no room
    const std::int64_t lpid = cart.at(at - all.data());
    *at++ = {pgid, static_cast<std::int32_t>(lpid)};
  }
  *at++ = reader.last();
  for (++rank; rank < size; ++rank) {
    status = reader.read(rank);
    if (status != AVRM_OK) {
      return status;
    }
    *at++ = reader.last();
  }
  return gather_array(
      instance, size, [gpids = all.data()](std::int32_t r) { return gpids[r]; }, map_p);
}

avrm_status_t map_of_function(avrm_instance_t *instance, std::int32_t size, Reader reader, MapOwner *map_p) noexcept {
  GrowingCart growing;
  std::int32_t pgid = -1;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const avrm_status_t status = reader.read(rank);
    if (status != AVRM_OK) {
      return status;
    }
    const avrm_gpid_t process = reader.last();
    pgid = rank == 0 ? process.pgid : pgid;
    if (process.pgid != pgid || !growing.push(process.lpid)) {
      return map_of_rest(instance, size, growing.cart(), pgid, reader, map_p);
    }
  }
  return map_from_cart(instance, pgid, growing.cart(), map_p);
}

} // namespace

avrm_status_t avrm_rankmap_create_function(avrm_instance_t *instance, int32_t size, avrm_rankmap_process_t process,
                                           void *context, unsigned flags, avrm_rankmap_t *map_p) noexcept {
  if (instance == nullptr || process == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (size < 0) {
    return AVRM_ERR_SIZE;
  }
  if (!flags_known(flags)) {
    return AVRM_ERR_OPTION;
  }
  if (size == 0) {
    return finish_empty(instance, map_p);
  }
  MapOwner map;
  const avrm_status_t status = map_of_function(instance, size, Reader(process, context), &map);
  return finish(status, std::move(map), flags, map_p);
}
