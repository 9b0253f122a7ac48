// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/component/random_arguments/world.h"

#include <sys/mman.h>

#include <cstdlib>
#include <utility>

namespace avrankmap::test {

namespace {

constexpr std::size_t kMapped = std::size_t{1} << 16;
constexpr std::size_t kMostPages = std::size_t{1} << 36; // more than the largest AV

} // namespace

void *LimitedMemory::allocate(void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind) {
  auto *const self = static_cast<LimitedMemory *>(user);
  const std::size_t most = self->counts(kind) ? kLimit - self->bytes_ : kMostPages;
  if (size > most || (self->refused_ != 0 && self->draw_->one_in(self->refused_))) {
    return nullptr;
  }
  void *block = nullptr;
  if (size >= kMapped) {
    block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    block = block == MAP_FAILED ? nullptr : block;
  } else if (posix_memalign(&block, std::max(alignment, sizeof(void *)), size) == 0) {
    std::memset(block, 0, size);
  }
  if (block != nullptr) {
    self->bytes_ += self->counts(kind) ? size : 0;
    ++self->blocks_;
  }
  return block;
}

void LimitedMemory::release(void *user, void *block, std::size_t size, std::size_t /*alignment*/,
                            avrm_mem_kind_t kind) {
  auto *const self = static_cast<LimitedMemory *>(user);
  self->bytes_ -= self->counts(kind) ? size : 0;
  --self->blocks_;
  if (size >= kMapped) {
    munmap(block, size);
  } else {
    std::free(block);
  }
}

std::uint64_t runs_of(const avrm_rankmap_t *map) {
  avrm_rankmap_info_t info{};
  if (avrm_rankmap_describe(map, &info) != AVRM_OK) {
    return 0;
  }
  const auto size = static_cast<std::uint64_t>(info.size);
  if (info.dimensions > 0) {
    return size / static_cast<std::uint64_t>(info.extents[0]);
  }
  switch (info.mode) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE: return 1;
  case AVRM_MODE_BLOCKED: return size / static_cast<std::uint64_t>(info.block);
  case AVRM_MODE_SEGMENTS: return static_cast<std::uint64_t>(info.segments);
  default: return size;
  }
}

World::World(std::uint64_t seed, bool strict, avrm_cost_t cost) : draw(seed), memory(&draw, draw.one_in(2)) {
  if (strict || cost == AVRM_COST_SPEED) {
    most_ranks = 20000;
  }
  const avrm_allocator_t hooks = memory.hooks();
  const avrm_instance_options_t options{&hooks, strict, cost, draw.one_in(8)};
  require(avrm_instance_create(&options, &instance));
  memory.refuse(draw.one_in(4) ? 1 + draw.below(30) : 0);
}

World::~World() {
  memory.refuse(0);
  maps = {};
  hierarchies = {};
  for (avrm_group_t *const group : groups) {
    avrm_group_destroy(group);
  }
  for (avrm_directory_t &directory : directories) {
    avrm_directory_destroy(&directory);
  }
  for (HeldAv &held : avs) {
    release(&held);
    avrm_av_drop(held.av);
  }
  EXPECT_EQ(avrm_instance_drop_caches(instance), AVRM_OK);
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

void World::keep(avrm_av_t *av) {
  HeldAv &old = place(avs);
  release(&old);
  avrm_av_drop(old.av);
  avrm_av_t *held = nullptr;
  require(avrm_av_hold(instance, av->pgid, &held));
  old = {held, false};
}

void World::release(HeldAv *held) {
  if (!std::exchange(held->released, true)) {
    avrm_av_release(held->av);
  }
}

void World::keep(const avrm_rankmap_t &map) {
  const char *reason = nullptr;
  EXPECT_TRUE(map.size > 5000 || avrm_rankmap_validate(&map, &reason)) << reason;
  MapPtr &kept = place(maps);
  kept = MapPtr(new avrm_rankmap_t(map));
  if (draw.one_in(2)) {
    (void)ok(avrm_rankmap_bind(kept.get()));
  }
}

void World::keep(avrm_group_t *group) { avrm_group_destroy(std::exchange(place(groups), group)); }

void World::keep(const avrm_hierarchy_t &hierarchy) {
  place(hierarchies) = HierarchyPtr(new avrm_hierarchy_t(hierarchy));
}

void World::keep(const avrm_directory_t &directory) {
  avrm_directory_t old = std::exchange(place(directories), directory);
  avrm_directory_destroy(&old);
}

std::int32_t World::pgid() {
  const HeldAv &held = one_of(avs);
  return held.av == nullptr || draw.one_in(10) ? draw.any<std::int32_t>() : held.av->pgid;
}

std::int64_t World::size_of_group(std::int32_t pgid) {
  for (const HeldAv &held : avs) {
    if (held.av != nullptr && held.av->pgid == pgid && !draw.one_in(10)) {
      return held.av->size;
    }
  }
  return INT32_MAX;
}

avrm_gpid_t World::process() {
  const std::int32_t group = draw.one_in(4) ? draw.near(0, INT32_MAX) : pgid();
  return {group, draw.near(0, size_of_group(group) - 1)};
}

std::vector<std::int32_t> World::ranks(std::int32_t count, std::int32_t size) {
  const std::int64_t step = draw.one_in(2) ? static_cast<std::int64_t>(draw.below(7)) - 3 : draw.any<std::int32_t>();
  std::int64_t next = draw.near(0, std::int64_t{size} - 1);
  return array<std::int32_t>(count, [&] {
    if (next < 0 || next >= size || draw.one_in(50)) {
      next = draw.one_in(8) ? draw.any<std::int32_t>() : draw.near(0, std::int64_t{size} - 1);
    }
    return static_cast<std::int32_t>(std::exchange(next, next + step));
  });
}

bool World::ok(avrm_status_t status) {
  EXPECT_TRUE(status <= AVRM_OK && status > AVRM_ERR_BOOT && status != AVRM_ERR_SYSTEM &&
              std::strcmp(avrm_status_name(status), "AVRM_ERR_?") != 0)
      << avrm_status_name(status);
  return status == AVRM_OK;
}

} // namespace avrankmap::test
