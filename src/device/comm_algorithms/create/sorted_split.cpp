// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/create/sorted_split.h"

#include <algorithm>
#include <tuple>

#include "avrankmap/group.h"
#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/context_agreement.h"
#include "comm_algorithms/create/cart_child.h"

namespace avrankmap::detail {

namespace {

// The colour and key of a process. After sorting, process i holds the ith item, which is usually
// that of another process.
struct Item {
  std::int32_t colour;
  std::int32_t key;
  std::int32_t rank;

  friend bool operator<(const Item &a, const Item &b) noexcept {
    return std::tie(a.colour, a.key, a.rank) < std::tie(b.colour, b.key, b.rank);
  }
};

// Checks whether the items are already in order, as for rows of a grid.
Task is_sorted(Channel &channel, const Item &mine, bool *sorted_p) noexcept {
  const std::int32_t rank = channel.rank();
  const bool first = rank == 0;
  const bool last = rank + 1 == channel.size();
  Item previous = mine;
  avrm_status_t status = AVRM_OK;
  if (first && !last) {
    status = co_await send(channel, rank + 1, &mine, sizeof mine);
  } else if (last && !first) {
    status = co_await receive(channel, rank - 1, &previous, sizeof previous);
  } else if (!first && !last) {
    status = co_await exchange(channel, rank + 1, &mine, sizeof mine, rank - 1, &previous, sizeof previous);
  }
  std::int32_t in_order = status == AVRM_OK && !(mine < previous) ? 1 : 0;
  const avrm_status_t reduced = co_await allreduce(
      channel, &in_order, [](std::int32_t *into, const std::int32_t &other) { *into = std::min(*into, other); });
  *sorted_p = in_order != 0;
  co_return status != AVRM_OK ? status : reduced;
}

// The partner of a rank in one step of the sorting network; kNobody if it has none.
std::int32_t partner_of(std::int64_t rank, std::int64_t size, std::int64_t p, std::int64_t r, std::int64_t d) noexcept {
  if ((rank & p) == r && rank < size - d) {
    return static_cast<std::int32_t>(rank + d);
  }
  if (rank >= d && ((rank - d) & p) == r) {
    return static_cast<std::int32_t>(rank - d);
  }
  return kNobody;
}

// Batcher's merge exchange (Knuth, volume 3, 5.2.2, algorithm M), which sorts any number of items.
Task sort(Channel &channel, Item *item) noexcept {
  const std::int64_t size = channel.size();
  std::int64_t top = 1; // half the least power of two that is not less than the size
  while (2 * top < size) {
    top *= 2;
  }
  if (size == 1) {
    co_return AVRM_OK;
  }
  for (std::int64_t p = top; p > 0; p /= 2) {
    std::int64_t r = 0;
    std::int64_t d = p;
    for (std::int64_t q = top;; q /= 2) {
      const std::int32_t partner = partner_of(channel.rank(), size, p, r, d);
      if (partner != kNobody) {
        const Item mine = *item;
        Item other{};
        const avrm_status_t status =
            co_await exchange(channel, partner, &mine, sizeof mine, partner, &other, sizeof other);
        if (status != AVRM_OK) {
          co_return status;
        }
        if (channel.rank() < partner ? other < mine : mine < other) {
          *item = other;
        }
      }
      if (q == p) {
        break;
      }
      d = q - p;
      r = p;
    }
  }
  co_return AVRM_OK;
}

// The ranks from first to last that hold items of the same colour as this one.
struct Stretch {
  std::int32_t first;
  std::int32_t last;
};

Task find_stretch(Channel &channel, const Item &item, Stretch *stretch) noexcept {
  const std::int32_t rank = channel.rank();
  const bool lowest = rank == 0;
  const bool highest = rank + 1 == channel.size();
  // The colours of the items before and after this one.
  std::int32_t before = 0;
  std::int32_t behind = 0;
  avrm_status_t status = AVRM_OK;
  if (!lowest && !highest) {
    status = co_await exchange(channel, rank + 1, &item.colour, sizeof before, rank - 1, &before, sizeof before);
    if (status == AVRM_OK) {
      status = co_await exchange(channel, rank - 1, &item.colour, sizeof behind, rank + 1, &behind, sizeof behind);
    }
  } else if (lowest && !highest) {
    status = co_await send(channel, rank + 1, &item.colour, sizeof before);
    if (status == AVRM_OK) {
      status = co_await receive(channel, rank + 1, &behind, sizeof behind);
    }
  } else if (!lowest) {
    status = co_await receive(channel, rank - 1, &before, sizeof before);
    if (status == AVRM_OK) {
      status = co_await send(channel, rank - 1, &item.colour, sizeof behind);
    }
  }
  if (status != AVRM_OK) {
    co_return status;
  }
  const bool begins = lowest || before != item.colour;
  const bool ends = highest || behind != item.colour;
  // The last beginning at or before this rank, and the first end at or after it.
  std::int32_t first = begins ? rank : -1;
  status = co_await exclusive_scan(
      channel, &first, [](std::int32_t *into, const std::int32_t &other) { *into = std::max(*into, other); });
  std::int32_t last = ends ? rank : INT32_MAX;
  if (status == AVRM_OK) {
    status = co_await exclusive_scan(
        channel, &last, [](std::int32_t *into, const std::int32_t &other) { *into = std::min(*into, other); }, true);
  }
  *stretch = {begins ? rank : first, ends ? rank : last};
  co_return status;
}

// The answer to the owner of an item.
struct Verdict {
  std::int32_t place = kNobody;  // the owner's rank in the new group
  std::int32_t holder = kNobody; // of the item; sends the ranks if there is no pattern
  std::int32_t has_pattern = 0;
  // The fields of the ranks' Cart. They are sent one by one, because a Cart has padding.
  std::int32_t dimensions = 0;
  std::int32_t size = 0;
  std::int32_t offset = 0;
  std::int32_t extents[kMostDimensions] = {};
  std::int64_t strides[kMostDimensions] = {};

  void set_ranks(const Cart &cart) noexcept {
    dimensions = cart.dimensions;
    size = cart.size;
    offset = cart.offset;
    std::copy_n(cart.extents, kMostDimensions, extents);
    std::copy_n(cart.strides, kMostDimensions, strides);
  }
  [[nodiscard]] Cart ranks() const noexcept {
    Cart cart{dimensions, size, offset};
    std::copy_n(extents, kMostDimensions, cart.extents);
    std::copy_n(strides, kMostDimensions, cart.strides);
    return cart;
  }
};
static_assert(is_message<Verdict> && is_message<Item>);

// A place that does not follow the pattern found so far, and the rank there.
struct PatternBreak {
  std::int32_t place;
  std::int32_t rank;
};

// A dimension ends at the first place that breaks the pattern; the next dimension begins there.
Task find_pattern(Channel &group, std::int32_t rank, Verdict *verdict) noexcept {
  Cart found;
  found.size = group.size();
  found.offset = rank;
  avrm_status_t status = co_await broadcast(group, 0, &found.offset, sizeof found.offset);
  std::int64_t slice = 1; // places per step in the last dimension
  while (status == AVRM_OK) {
    const bool follows = found.at(group.rank()) == rank;
    PatternBreak first_break{follows ? INT32_MAX : group.rank(), rank};
    status = co_await allreduce(group, &first_break, [](PatternBreak *into, const PatternBreak &other) {
      if (other.place < into->place) {
        *into = other;
      }
    });
    if (status != AVRM_OK || first_break.place == INT32_MAX) {
      verdict->has_pattern = status == AVRM_OK ? 1 : 0;
      break;
    }
    if (first_break.place % slice != 0 || found.dimensions == kMostDimensions) {
      break; // no pattern, or none that a form can represent
    }
    if (found.dimensions > 0) {
      found.extents[found.dimensions - 1] = static_cast<std::int32_t>(first_break.place / slice);
    }
    slice = first_break.place;
    found.strides[found.dimensions++] = first_break.rank - found.offset;
  }
  verdict->set_ranks(found);
  co_return status;
}

// Sends the verdict from each holder of an item to the item's owner.
Task tell(Channel &channel, std::int32_t owner, const Verdict &verdict, Verdict *mine) noexcept {
  Transfer transfer;
  transfer.dest = owner;
  transfer.out = &verdict;
  transfer.out_bytes = sizeof verdict;
  transfer.source = kAnybody;
  transfer.in = mine;
  transfer.in_room = sizeof *mine;
  transfer.aside = true;
  co_return co_await Exchange(channel, transfer);
}

// Receives the ranks of this process's group from the holder of its item, and sends the ranks of
// the held item's group to the owner of the held item.
Task tell_ranks(Channel &channel, Channel &group, const Item &item, bool tells, const Verdict &mine,
                const Parent &parent, CreationResult *made) noexcept {
  const bool listens = mine.place != kNobody && mine.has_pattern == 0;
  const auto held = static_cast<std::size_t>(tells ? group.size() : 1);
  const auto own = static_cast<std::size_t>(listens ? mine.size : 1);
  const Scratch<std::int32_t> held_ranks(channel.memory(), held);
  const Scratch<std::int32_t> own_ranks(channel.memory(), own);
  avrm_status_t status =
      co_await agree_on_status(channel, nullptr, held_ranks && own_ranks ? AVRM_OK : AVRM_ERR_NO_MEMORY);
  if (status == AVRM_OK && tells) {
    status = co_await allgather(group, &item.rank, sizeof item.rank, held_ranks.data());
  }
  Transfer transfer;
  transfer.dest = tells ? item.rank : kNobody;
  transfer.out = held_ranks.data();
  transfer.out_bytes = held * sizeof(std::int32_t);
  transfer.source = listens ? mine.holder : kNobody;
  transfer.in = own_ranks.data();
  transfer.in_room = own * sizeof(std::int32_t);
  if (status == AVRM_OK && (tells || listens)) {
    status = co_await Exchange(channel, transfer);
  }
  if (status == AVRM_OK && listens) {
    avrm_rankmap_t map{};
    status = avrm_rankmap_create_child(parent.map, mine.size, own_ranks.data(), AVRM_RANKMAP_DEFAULT, &map);
    made->map = MapOwner(map);
  }
  co_return status;
}

} // namespace

Task sort_and_find(Channel &channel, const Parent &parent, std::int32_t colour, std::int32_t key,
                   CreationResult *made) noexcept {
  Item item{colour, key, channel.rank()};
  bool sorted = false;
  avrm_status_t status = co_await is_sorted(channel, item, &sorted);
  if (status == AVRM_OK && !sorted) {
    status = co_await sort(channel, &item);
  }
  Stretch stretch{channel.rank(), channel.rank()};
  if (status == AVRM_OK) {
    status = co_await find_stretch(channel, item, &stretch);
  }
  if (status != AVRM_OK) {
    co_return status;
  }
  RangeChannel group(channel, stretch.first, stretch.last - stretch.first + 1);
  const bool wanted = item.colour != AVRM_UNDEFINED;
  Verdict verdict;
  verdict.place = wanted ? group.rank() : kNobody;
  verdict.holder = channel.rank();
  if (wanted) {
    status = co_await find_pattern(group, item.rank, &verdict);
  }
  if (status != AVRM_OK) {
    co_return status;
  }
  Verdict mine;
  status = co_await tell(channel, item.rank, verdict, &mine);
  if (status != AVRM_OK) {
    co_return status;
  }
  made->rank = mine.place;
  // Finds out whether any group has to gather.
  std::int32_t irregular = wanted && verdict.has_pattern == 0 ? 1 : 0;
  const bool tells = irregular != 0;
  status = co_await allreduce(channel, &irregular,
                              [](std::int32_t *into, const std::int32_t &other) { *into = std::max(*into, other); });
  if (status != AVRM_OK) {
    co_return status;
  }
  if (mine.place != kNobody && mine.has_pattern != 0) {
    status = child_by_cart(parent.map, mine.ranks(), &made->map); // the status is agreed on later
  }
  if (irregular != 0) {
    const avrm_status_t told = co_await tell_ranks(channel, group, item, tells, mine, parent, made);
    status = status != AVRM_OK ? status : told;
  }
  co_return status;
}

} // namespace avrankmap::detail
