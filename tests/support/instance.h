// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Owners for instances, address vectors and rankmaps. A creation that fails unexpectedly throws,
// and GoogleTest reports the exception as a failed test.
//
//   Instance instance;                        // or Instance instance(&counting_allocator)
//   AvPtr av = make_av(instance, 100);        // pgid 0
//   fill(av.get());
//   MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
//     return avrm_rankmap_create_offset(instance, 0, 10, 5, map_p); });
//   require(avrm_rankmap_bind(map.get()));
//   EXPECT_EQ(avrm_rankmap_word(map.get(), 3), word_of({0, 8}));
#ifndef AVRANKMAP_TESTS_SUPPORT_INSTANCE_H
#define AVRANKMAP_TESTS_SUPPORT_INSTANCE_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/counting_allocator.h"
#include "tests/support/print.h"

namespace avrankmap::test {

// What an output points to before a call that is to leave it as it is.
template <typename T> T *untouched() {
  alignas(64) static unsigned char somewhere[1];
  return reinterpret_cast<T *>(somewhere);
}

// Throws unless the status is AVRM_OK.
inline void require(avrm_status_t status) {
  if (status != AVRM_OK) {
    throw std::runtime_error(std::string("required, but got ") + avrm_status_name(status));
  }
}

// An instance. It must outlive everything that belongs to it, so declare it first.
class Instance {
public:
  // Uses the built-in allocator. By default the cost class is speed, in which irregular maps
  // have plain tables.
  explicit Instance(bool strict = false, avrm_cost_t cost = AVRM_COST_SPEED) { create(nullptr, strict, cost); }
  // Uses hooks that count.
  explicit Instance(CountingAllocator *memory, bool strict = false, avrm_cost_t cost = AVRM_COST_SPEED) {
    const avrm_allocator_t hooks = memory->hooks();
    create(&hooks, strict, cost);
  }
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;
  ~Instance() { EXPECT_EQ(avrm_instance_destroy(instance_), AVRM_OK) << "an object of the instance still exists"; }

  operator avrm_instance_t *() const noexcept { return instance_; } // NOLINT: stands for the handle in calls
  [[nodiscard]] avrm_instance_t *get() const noexcept { return instance_; }

  // The library's own accounting.
  [[nodiscard]] avrm_mem_usage_t usage(avrm_mem_kind_t kind) const {
    avrm_mem_usage_t usage{};
    require(avrm_instance_mem_usage(instance_, kind, &usage));
    return usage;
  }

private:
  void create(const avrm_allocator_t *hooks, bool strict, avrm_cost_t cost) {
    const avrm_instance_options_t options{hooks, strict, cost, false};
    require(avrm_instance_create(&options, &instance_));
  }

  avrm_instance_t *instance_ = nullptr;
};

struct AvReleaser {
  void operator()(avrm_av_t *av) const noexcept { avrm_av_release(av); }
};
using AvPtr = std::unique_ptr<avrm_av_t, AvReleaser>;

struct MapDestroyer {
  void operator()(avrm_rankmap_t *map) const noexcept {
    avrm_rankmap_destroy(map);
    delete map;
  }
};
using MapPtr = std::unique_ptr<avrm_rankmap_t, MapDestroyer>;

// Returns the map that create(map) fills in; throws if it fails.
template <typename Create> MapPtr make_map(Create create) {
  MapPtr map(new avrm_rankmap_t{});
  require(create(map.get()));
  return map;
}

// True for zero bytes, which a creation that failed leaves as they were.
inline bool is_no_map(const avrm_rankmap_t &map) {
  constexpr avrm_rankmap_t kNone{};
  return std::memcmp(&map, &kNone, sizeof map) == 0;
}

// A new process group. Its pgid is av->pgid; the first one of an instance is 0.
inline AvPtr make_av(avrm_instance_t *instance, std::int32_t size, avrm_codec_t codec = AVRM_CODEC_OFI) {
  avrm_av_options_t options{};
  options.codec = codec;
  avrm_av_t *av = nullptr;
  require(avrm_av_create(instance, size, &options, &av));
  return AvPtr(av);
}

// A libfabric address for each process, no two of them equal, above 32 bits but for
// process group 0.
inline std::uint64_t address_of(avrm_gpid_t gpid) {
  return (static_cast<std::uint64_t>(gpid.pgid) << 32) + static_cast<std::uint64_t>(gpid.lpid);
}

// A node id for each process: 4 processes to a node, no node in two process groups of a small test.
inline std::uint32_t node_of(avrm_gpid_t gpid) {
  return static_cast<std::uint32_t>(gpid.pgid) * 1000003U + static_cast<std::uint32_t>(gpid.lpid) / 4;
}

// The element that `fill` puts there.
inline avrm_ave_t ave_of(avrm_gpid_t gpid) {
  avrm_ave_t ave{};
  require(avrm_ofi_pack(address_of(gpid), node_of(gpid), &ave));
  return ave;
}

// The address word that translation to a filled element returns.
inline std::uint64_t word_of(avrm_gpid_t gpid) {
  const avrm_ave_t ave = ave_of(gpid);
  return avrm_ave_word(&ave);
}

// Connects all processes of an AV of codec OFI.
inline void fill(avrm_av_t *av) {
  constexpr std::int32_t kChunk = 4096;
  std::vector<avrm_ave_t> aves;
  for (std::int32_t first = 0; first < av->size; first += kChunk) {
    const std::int32_t count = std::min(kChunk, av->size - first);
    aves.clear();
    for (std::int32_t i = 0; i < count; ++i) {
      aves.push_back(ave_of({av->pgid, first + i}));
    }
    require(avrm_av_set_range(av, first, count, aves.data()));
    if (av->size - first <= kChunk) {
      break; // first + kChunk may leave the type
    }
  }
}

} // namespace avrankmap::test

#endif
