// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/create/choose.h"

#include <algorithm>

#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kOffer = by_mode([]<typename F>() { return F::offer; });

std::uint64_t plain_bytes(std::int32_t size, std::int32_t groups) noexcept {
  return groups == 1 ? lut_bytes(size) : mlut_bytes(size, groups);
}

// Lists the runs of a table. Returns AVRM_ERR_LIMIT if there are more than the list's limit.
avrm_status_t list_runs(const avrm_rankmap_t *map, RunList *runs) noexcept {
  return for_each_run(map, [runs](const Run &run) { return runs->push(run); });
}

} // namespace

std::int64_t most_segments(std::int32_t size, std::int32_t groups) noexcept {
  return static_cast<std::int64_t>(plain_bytes(size, groups) / sizeof(avrm_segment_t));
}

std::optional<Offer> best_offer(const Source &source) noexcept {
  std::optional<Offer> best;
  if (!source.instance->compact()) {
    return best;
  }
  std::optional<Offer> offers[kCosts];
  for (const auto offer_of : kOffer) {
    if (const std::optional<Offer> offer = offer_of(source)) {
      std::optional<Offer> &same_cost = offers[static_cast<int>(offer->cost)];
      same_cost = same_cost && same_cost->bytes <= offer->bytes ? same_cost : offer;
    }
  }
  std::uint64_t bytes = plain_bytes(source.size, source.groups);
  for (const std::optional<Offer> &slower : offers) {
    if (slower && slower->bytes + source.instance->worth() <= bytes) {
      best = slower;
      bytes = slower->bytes;
    }
  }
  return best;
}

std::int64_t most_runs(const Source &source) noexcept {
  const std::uint64_t plain = plain_bytes(source.size, source.groups);
  const std::uint64_t worth = source.instance->worth();
  if (!source.instance->compact() || plain <= worth) {
    return 0;
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>((plain - worth) / sizeof(avrm_segment_t)));
}

avrm_status_t compress(MapOwner *map) noexcept {
  avrm_instance_t *const instance = (*map)->instance;
  Source source;
  source.instance = instance;
  source.size = (*map)->size;
  source.groups = groups_of(map->get());
  const std::int64_t most = most_runs(source);
  if (most == 0) {
    return AVRM_OK;
  }
  RunList runs(instance->memory, most);
  const avrm_status_t status = list_runs(map->get(), &runs);
  if (status != AVRM_OK) {
    return status == AVRM_ERR_LIMIT ? AVRM_OK : status;
  }
  source.runs = &runs;
  const std::optional<Offer> offer = best_offer(source);
  if (!offer) {
    return AVRM_OK;
  }
  MapOwner smaller = offer->make(source);
  if (smaller == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *map = std::move(smaller);
  return AVRM_OK;
}

} // namespace avrankmap::detail
