// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random input for rankmaps: process groups with connected AVs, indirect mapping arrays with every
// kind of pattern and near-pattern, and plain tables.
#ifndef AVRANKMAP_TESTS_RANKMAP_RANDOM_WORLD_H
#define AVRANKMAP_TESTS_RANKMAP_RANDOM_WORLD_H

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

struct RegularInput {
  std::int32_t size, offset, stride, block;
};

class RandomInput {
public:
  explicit RandomInput(std::mt19937_64 &engine) : engine_(engine) {}

  // 0 .. bound - 1.
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(test::below(engine_, static_cast<std::uint64_t>(bound)));
  }
  bool one_in(std::int32_t n) { return below(n) == 0; }

  // 1 .. most, small numbers as often as large ones.
  std::int32_t size(std::int32_t most) {
    std::int32_t bits = 1;
    while (bits < 31 && (most >> bits) != 0) {
      ++bits;
    }
    const std::int32_t magnitude = 1 << below(bits);
    return std::min(most, magnitude + below(magnitude));
  }

  // A regular map into 0 .. bound - 1.
  RegularInput regular(std::int32_t bound, std::int32_t most) {
    RegularInput input{1, below(bound), 1, one_in(2) ? 1 : size(32)};
    const std::int32_t reach = one_in(2) ? 8 : bound;
    input.stride = (one_in(3) ? -1 : 1) * size(reach);
    while (input.size < most) {
      const std::int64_t next = formula(input.offset, input.stride, input.block, input.size);
      if (next < 0 || next >= bound || one_in(2 * most)) {
        break;
      }
      ++input.size;
    }
    return input;
  }

  // Numbers in 0 .. bound - 1, at most `most` of them.
  Ranks ranks(std::int32_t bound, std::int32_t most) {
    switch (below(7)) {
    case 0: // a contiguous part
    {
      const std::int32_t count = size(std::min(bound, most));
      return regular_values(count, below(bound - count + 1), 1);
    }
    case 1: // reversed
    {
      const std::int32_t count = size(std::min(bound, most));
      return regular_values(count, count - 1 + below(bound - count + 1), -1);
    }
    case 2: // a pattern
    {
      const RegularInput input = regular(bound, most);
      return regular_values(input.size, input.offset, input.stride, input.block);
    }
    case 3: // a pattern with a flaw
    {
      const RegularInput input = regular(bound, most);
      Ranks values = regular_values(input.size, input.offset, input.stride, input.block);
      values[static_cast<std::size_t>(below(input.size))] = below(bound);
      return values;
    }
    case 4: // a pattern with two places exchanged
    {
      const RegularInput input = regular(bound, most);
      Ranks values = regular_values(input.size, input.offset, input.stride, input.block);
      std::swap(values[static_cast<std::size_t>(below(input.size))],
                values[static_cast<std::size_t>(below(input.size))]);
      return values;
    }
    case 5: // without duplicates, in no order
    {
      Ranks values = regular_values(bound, 0, 1);
      std::shuffle(values.begin(), values.end(), engine_);
      values.resize(static_cast<std::size_t>(size(std::min(bound, most))));
      return values;
    }
    default: // anything
    {
      Ranks values(static_cast<std::size_t>(size(most)));
      std::generate(values.begin(), values.end(), [this, bound] { return below(bound); });
      return values;
    }
    }
  }

private:
  std::mt19937_64 &engine_;
};

// An instance with a few process groups, every process of which is connected to an address of its
// own.
class RandomWorld {
public:
  static constexpr std::int32_t kGroups = 4;

  RandomWorld(RandomInput &input, bool strict, avrm_cost_t cost, avrm_codec_t codec) : instance(&memory, strict, cost) {
    for (std::int32_t group = 0; group < kGroups; ++group) {
      avs.push_back(make_av(instance, 1 + input.size(4000), codec));
      elements.push_back(connected(*avs.back(), codec));
      require(avrm_av_set_range(avs.back().get(), 0, avs.back()->size, elements.back().data()));
    }
  }

  [[nodiscard]] std::int32_t group_size(std::int32_t pgid) const { return avs[static_cast<std::size_t>(pgid)]->size; }
  // Where the element of a process is, and what was written there.
  [[nodiscard]] const avrm_ave_t *place(avrm_gpid_t gpid) const {
    return avs[static_cast<std::size_t>(gpid.pgid)]->elements + gpid.lpid;
  }
  [[nodiscard]] const avrm_ave_t &content(avrm_gpid_t gpid) const {
    return elements[static_cast<std::size_t>(gpid.pgid)][static_cast<std::size_t>(gpid.lpid)];
  }

  CountingAllocator memory;
  Instance instance;
  std::vector<AvPtr> avs; // by pgid
  std::vector<std::vector<avrm_ave_t>> elements;

private:
  static std::vector<avrm_ave_t> connected(const avrm_av_t &av, avrm_codec_t codec) {
    std::vector<avrm_ave_t> aves(static_cast<std::size_t>(av.size));
    for (std::int32_t lpid = 0; lpid < av.size; ++lpid) {
      const avrm_gpid_t gpid{av.pgid, lpid};
      avrm_ave_t &ave = aves[static_cast<std::size_t>(lpid)];
      if (codec == AVRM_CODEC_OFI) {
        ave = ave_of(gpid);
      } else {
        // The low half of a word must not be zero; addresses from 16 on are as good as endpoints.
        const std::uint64_t endpoint = (address_of(gpid) + 1) * 16;
        require(avrm_ucx_pack(reinterpret_cast<const void *>(endpoint), node_of(gpid), &ave));
      }
    }
    return aves;
  }
};

} // namespace avrankmap::test

#endif
