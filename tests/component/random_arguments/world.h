// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of a random program: calls take their arguments from here, and put here what they
// made. No call gets an array that is shorter than its arguments say, or an object that was
// destroyed; all other values are drawn from anywhere.
#ifndef AVRANKMAP_TESTS_RANDOM_ARGUMENTS_WORLD_H
#define AVRANKMAP_TESTS_RANDOM_ARGUMENTS_WORLD_H

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/component/hierarchy/hierarchy_twin.h"
#include "tests/component/random_arguments/draw.h"
#include "tests/support/instance.h"

namespace avrankmap::test {

// Hooks that refuse what would exceed a limit, and at times what would not. Large blocks are pages
// that are not there until they are written. If `spares_tables`, AVs do not count: an AV that is
// created with a table needs pages for those of its elements only that are set.
class LimitedMemory {
public:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;

  LimitedMemory(Draw *draw, bool spares_tables) : draw_(draw), spares_tables_(spares_tables) {}
  LimitedMemory(const LimitedMemory &) = delete;
  LimitedMemory &operator=(const LimitedMemory &) = delete;
  ~LimitedMemory() { EXPECT_EQ(blocks_, 0) << "blocks were never released"; }

  [[nodiscard]] avrm_allocator_t hooks() noexcept { return {allocate, release, this}; }
  // Refuses one in so many blocks; 0: none.
  void refuse(std::uint64_t one_in) noexcept { refused_ = one_in; }
  [[nodiscard]] bool spares_tables() const noexcept { return spares_tables_; }

private:
  static void *allocate(void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind);
  static void release(void *user, void *block, std::size_t size, std::size_t alignment, avrm_mem_kind_t kind);
  [[nodiscard]] bool counts(avrm_mem_kind_t kind) const noexcept { return kind != AVRM_MEM_AV || !spares_tables_; }

  Draw *draw_;
  bool spares_tables_;
  std::uint64_t refused_ = 0;
  std::size_t bytes_ = 0;
  int blocks_ = 0;
};

// A place for a result. No call may change it and fail.
template <typename T> class Out {
public:
  Out() noexcept {
    std::memset(static_cast<void *>(&value_), kByte, sizeof value_);
    std::memset(static_cast<void *>(&untouched_), kByte, sizeof untouched_);
  }
  T *operator&() noexcept { return &value_; } // NOLINT: this is what it is for
  T &operator*() noexcept { return value_; }
  [[nodiscard]] bool is_untouched() const noexcept { return std::memcmp(&value_, &untouched_, sizeof value_) == 0; }

private:
  static constexpr int kByte = 0x5a;
  T value_;
  T untouched_;
};

// An AV, which is held, so that it may be used after its release.
struct HeldAv {
  avrm_av_t *av = nullptr;
  bool released = false;
};

inline bool is_there(const HeldAv &held) { return held.av != nullptr; }
inline bool is_there(const avrm_directory_t &directory) { return directory.instance != nullptr; }
template <typename T> bool is_there(const T &pointer) { return pointer != nullptr; }

class World {
public:
  static constexpr std::size_t kMost = 6; // objects of a kind

  World(std::uint64_t seed, bool strict, avrm_cost_t cost);
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  ~World();

  Draw draw;
  LimitedMemory memory;
  // Ranks of a map that is made from parameters. Where maps take plain tables, the time is that of
  // a table even if there is no memory for it.
  std::int32_t most_ranks = INT32_MAX;
  avrm_instance_t *instance = nullptr;
  std::array<HeldAv, kMost> avs{};
  std::array<MapPtr, kMost> maps{};
  std::array<avrm_group_t *, kMost> groups{};
  std::array<HierarchyPtr, kMost> hierarchies{};
  std::array<avrm_directory_t, kMost> directories{};
  std::array<std::unique_ptr<avrm_parts_t>, kMost> parts{};

  // A place of a kind, and an object: null if there is none, and at times nevertheless.
  template <typename T> T &place(std::array<T, kMost> &objects) { return objects[draw.below(kMost)]; }
  template <typename T> T &one_of(std::array<T, kMost> &objects) {
    T *found = &place(objects);
    for (T &object : objects) {
      found = is_there(*found) ? found : &object;
    }
    return *found;
  }
  template <typename T> T *or_null(T *object) { return draw.one_in(64) ? nullptr : object; }
  avrm_instance_t *any_instance() { return or_null(instance); }
  avrm_av_t *any_av() { return or_null(one_of(avs).av); }
  avrm_rankmap_t *any_map() { return or_null(one_of(maps).get()); }
  avrm_group_t *any_group() { return or_null(one_of(groups)); }
  const avrm_hierarchy_t *any_hierarchy() { return or_null(one_of(hierarchies).get()); }
  avrm_directory_t *any_directory() {
    avrm_directory_t &found = one_of(directories);
    return is_there(found) ? or_null(&found) : nullptr;
  }
  avrm_parts_t *any_parts() { return or_null(one_of(parts).get()); }

  // What was made takes the place of another object.
  void keep(avrm_av_t *av);
  void keep(const avrm_rankmap_t &map);
  void keep(avrm_group_t *group);
  void keep(const avrm_hierarchy_t &hierarchy);
  void keep(const avrm_directory_t &directory);
  void release(HeldAv *held);

  // Arrays that are exactly as long as said, and null at times where there is nothing to read.
  template <typename T, typename Make> std::vector<T> array(std::int32_t count, Make make) {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(std::max(count, 0)));
    for (std::int32_t i = 0; i < count; ++i) {
      values.push_back(make());
    }
    return values;
  }
  // The number of elements of an array, at times below 0.
  std::int32_t count() { return draw.one_in(16) ? -static_cast<std::int32_t>(draw.below(2)) - 1 : small(); }
  std::int32_t small() { return static_cast<std::int32_t>(draw.one_in(8) ? draw.below(300) : draw.below(10)); }
  unsigned flags() { return draw.one_in(16) ? draw.any<unsigned>() : static_cast<unsigned>(draw.below(2)); }
  // A process group, mostly one that there is; a process, mostly one of it; the number of processes
  // of a group, mostly.
  std::int32_t pgid();
  avrm_gpid_t process();
  std::int64_t size_of_group(std::int32_t pgid);
  // Ranks of a map or group, mostly: some that are regular, or have nothing in common.
  std::vector<std::int32_t> ranks(std::int32_t count, std::int32_t size);

  // Whether a call succeeded. An error must be one that the component has.
  bool ok(avrm_status_t status);
  template <typename T> bool ok(avrm_status_t status, const Out<T> &out) {
    const bool is_ok = ok(status);
    EXPECT_TRUE(is_ok || out.is_untouched()) << avrm_status_name(status);
    return is_ok;
  }
};

// Runs of a map, all of which a call may go through: those of a blocked map are its blocks.
std::uint64_t runs_of(const avrm_rankmap_t *map);
constexpr std::uint64_t kMostRuns = 20000;

// A call of the component, or several that ask the same object.
struct Call {
  const char *name;
  void (*make)(World &);
};
extern const std::vector<Call> kAvCalls;
extern const std::vector<Call> kCreations; // of maps
extern const std::vector<Call> kMapCalls;
extern const std::vector<Call> kGroupCalls;
extern const std::vector<Call> kHierarchyCalls;
extern const std::vector<Call> kDirectoryCalls;
extern const std::vector<Call> kOtherCalls;

} // namespace avrankmap::test

#endif
