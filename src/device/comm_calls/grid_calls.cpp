// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grids: communicators with coordinates, in row-major order.
#include <algorithm>

#include "comm_algorithms/create/cart_child.h"
#include "comm_algorithms/create/reorder.h"
#include "comm_calls/creation.h"
#include "comm_calls/node_number.h"

namespace avrankmap::detail {

namespace {

// Number of places; -1 if it or a dimension is out of range.
std::int64_t places_of(std::int32_t dimensions, const std::int32_t *dims) noexcept {
  std::int64_t places = 1;
  for (std::int32_t k = 0; k < dimensions; ++k) {
    if (dims[k] < 1 || places > INT32_MAX / dims[k]) {
      return -1;
    }
    places *= dims[k];
  }
  return places;
}

Task make_cart_sub(Channel &channel, CreationHost &site, const Parent &parent, const Cart &ranks, std::int32_t rank,
                   std::uint64_t remain, CreationResult *made) noexcept {
  const avrm_status_t status = child_by_cart(parent.map, ranks, &made->map);
  made->rank = rank;
  co_return co_await conclude(channel, nullptr, site, status, remain, parent.context, made);
}

void coordinates_of(const Grid &grid, std::int32_t rank, std::int32_t *coords) noexcept {
  for (std::int32_t k = grid.dimensions - 1; k >= 0; --k) {
    coords[k] = rank % grid.dims[k];
    rank /= grid.dims[k];
  }
}

// The subgrid that contains a rank: its ranks in the parent, the rank within the subgrid, and the
// shape of the subgrid.
struct Part {
  Cart ranks;
  std::int32_t rank = 0;
  Grid grid;
};

Part part_of_grid(const Grid &grid, std::int32_t rank, const std::int32_t *remain) noexcept {
  std::int32_t coords[AVRM_CART_MAX] = {};
  coordinates_of(grid, rank, coords);
  Part part;
  Cart &ranks = part.ranks;
  ranks.size = 1;
  std::int32_t stride = 1;
  for (std::int32_t k = grid.dimensions - 1; k >= 0; stride *= grid.dims[k], --k) {
    if (remain[k] == 0) {
      ranks.offset += coords[k] * stride;
      continue;
    }
    part.rank += coords[k] * ranks.size;
    ranks.size *= grid.dims[k];
    const std::int32_t last = ranks.dimensions - 1;
    if (grid.dims[k] == 1) {
      continue;
    }
    // Adjacent to the last dimension: both become one.
    if (last >= 0 && ranks.strides[last] * ranks.extents[last] == stride) {
      ranks.extents[last] *= grid.dims[k];
    } else {
      ranks.extents[ranks.dimensions] = grid.dims[k];
      ranks.strides[ranks.dimensions++] = stride;
    }
  }
  part.grid.exists = true;
  for (std::int32_t k = 0; k < grid.dimensions; ++k) {
    if (remain[k] != 0) {
      part.grid.periods[part.grid.dimensions] = grid.periods[k];
      part.grid.dims[part.grid.dimensions++] = grid.dims[k];
    }
  }
  return part;
}

// Checks a communicator that must be a grid, and an array with an element per dimension.
avrm_status_t check(const avrm_comm_t *comm, const std::int32_t *array) noexcept {
  if (comm == nullptr || (array == nullptr && comm->grid.dimensions != 0)) {
    return AVRM_ERR_NULL;
  }
  return comm->grid.exists ? AVRM_OK : AVRM_ERR_OPTION;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_cart_create(avrm_comm_t *comm, int32_t dimensions, const int32_t *dims, const int32_t *periods,
                               bool reorder, avrm_comm_t **comm_p) noexcept {
  if (comm == nullptr || comm_p == nullptr || (dimensions != 0 && (dims == nullptr || periods == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (comm->is_inter() || comm->is_internal()) {
    return AVRM_ERR_OPTION;
  }
  if (dimensions < 0 || dimensions > AVRM_CART_MAX) {
    return AVRM_ERR_COUNT;
  }
  const std::int64_t places = places_of(dimensions, dims);
  if (places < 0 || places > comm->map->size) {
    return AVRM_ERR_SIZE;
  }
  Grid grid;
  grid.exists = true;
  grid.dimensions = dimensions;
  for (std::int32_t k = 0; k < dimensions; ++k) {
    grid.dims[k] = dims[k];
    grid.periods[k] = periods[k] != 0;
  }
  Creation creation(comm, next_tag(comm));
  creation.set_grid(grid);
  std::int32_t node = 0;
  const avrm_status_t able = reorder ? number_node(comm, &node) : AVRM_OK;
  creation.run(make_cart(creation.channel(), creation, creation.parent(), grid, reorder, node, able, creation.made()));
  const avrm_status_t status = creation.wait();
  if (status == AVRM_OK) {
    *comm_p = creation.take();
  }
  return status;
}

avrm_status_t avrm_cart_sub(avrm_comm_t *comm, const int32_t *remain, avrm_comm_t **comm_p) noexcept {
  if (const avrm_status_t status = check(comm, remain); status != AVRM_OK || comm_p == nullptr) {
    return status != AVRM_OK ? status : AVRM_ERR_NULL;
  }
  const Part part = part_of_grid(comm->grid, comm->rank, remain);
  std::uint64_t mask = 0;
  for (std::int32_t k = 0; k < comm->grid.dimensions; ++k) {
    mask |= remain[k] != 0 ? std::uint64_t{1} << k : 0;
  }
  Creation creation(comm, next_tag(comm));
  creation.set_grid(part.grid);
  creation.run(
      make_cart_sub(creation.channel(), creation, creation.parent(), part.ranks, part.rank, mask, creation.made()));
  const avrm_status_t status = creation.wait();
  if (status == AVRM_OK) {
    *comm_p = creation.take();
  }
  return status;
}

int32_t avrm_cart_dimensions(const avrm_comm_t *comm) noexcept { return comm == nullptr ? 0 : comm->grid.dimensions; }

avrm_status_t avrm_cart_get(const avrm_comm_t *comm, int32_t *dims, int32_t *periods) noexcept {
  avrm_status_t status = check(comm, dims);
  status = status != AVRM_OK ? status : check(comm, periods);
  if (status != AVRM_OK) {
    return status;
  }
  for (std::int32_t k = 0; k < comm->grid.dimensions; ++k) {
    dims[k] = comm->grid.dims[k];
    periods[k] = comm->grid.periods[k] ? 1 : 0;
  }
  return AVRM_OK;
}

avrm_status_t avrm_cart_coords(const avrm_comm_t *comm, int32_t rank, int32_t *coords) noexcept {
  if (const avrm_status_t status = check(comm, coords); status != AVRM_OK) {
    return status;
  }
  if (rank < 0 || rank >= comm->map->size) {
    return AVRM_ERR_RANK;
  }
  coordinates_of(comm->grid, rank, coords);
  return AVRM_OK;
}

avrm_status_t avrm_cart_rank(const avrm_comm_t *comm, const int32_t *coords, int32_t *rank_p) noexcept {
  if (const avrm_status_t status = check(comm, coords); status != AVRM_OK || rank_p == nullptr) {
    return status != AVRM_OK ? status : AVRM_ERR_NULL;
  }
  const Grid &grid = comm->grid;
  std::int32_t rank = 0;
  for (std::int32_t k = 0; k < grid.dimensions; ++k) {
    std::int32_t coordinate = coords[k];
    if (grid.periods[k]) {
      coordinate %= grid.dims[k];
      coordinate += coordinate < 0 ? grid.dims[k] : 0;
    }
    if (coordinate < 0 || coordinate >= grid.dims[k]) {
      return AVRM_ERR_RANGE;
    }
    rank = rank * grid.dims[k] + coordinate;
  }
  *rank_p = rank;
  return AVRM_OK;
}

avrm_status_t avrm_cart_shift(const avrm_comm_t *comm, int32_t dimension, int32_t displacement, int32_t *source_p,
                              int32_t *dest_p) noexcept {
  if (comm == nullptr || source_p == nullptr || dest_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const Grid &grid = comm->grid;
  if (!grid.exists) {
    return AVRM_ERR_OPTION;
  }
  if (dimension < 0 || dimension >= grid.dimensions) {
    return AVRM_ERR_RANGE;
  }
  std::int32_t coords[AVRM_CART_MAX] = {};
  coordinates_of(grid, comm->rank, coords);
  std::int32_t stride = 1;
  for (std::int32_t k = dimension + 1; k < grid.dimensions; ++k) {
    stride *= grid.dims[k];
  }
  const auto at = [&](std::int64_t distance) {
    const std::int64_t extent = grid.dims[dimension];
    std::int64_t coordinate = coords[dimension] + distance;
    if (grid.periods[dimension]) {
      coordinate = (coordinate % extent + extent) % extent;
    }
    const bool is_inside = coordinate >= 0 && coordinate < extent;
    const std::int64_t steps = coordinate - coords[dimension];
    return is_inside ? comm->rank + static_cast<std::int32_t>(steps) * stride : AVRM_PROC_NULL;
  };
  *source_p = at(-std::int64_t{displacement});
  *dest_p = at(displacement);
  return AVRM_OK;
}
