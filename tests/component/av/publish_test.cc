// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values that readers can see while an element is written (src/component/av/publish.h), by brute
// force.
//
// A reader's load may take the two halves of a word at different moments, but no load spans a
// process-wide barrier. So the test notes every state of the word between two barriers - a window -
// over sequences of writes, joins every low half in a window with every high half in it, and asks
// of each mix that it read as a value that a write in that window replaced or wrote, or else as
// "not yet connected". The order of loads and stores inside a window does not matter then, nor does
// the machine that runs the test.
#include "av/publish.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "avrankmap/av.h"
#include "tests/component/av/barrier_probe.h"
#include "tests/support/codec.h"
#include "tests/support/instance.h"

namespace avrankmap::test {

namespace {

constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32;

std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// What a word means to readers: a network address, or a far side. A far word may have any bits in
// the half that it does not use.
struct Meaning {
  bool is_network;
  std::uint64_t address;
  avrm_far_t far_side;
};

Meaning meaning_of(const Codec &codec, std::uint64_t word) {
  Meaning meaning{codec.is_network(word), 0, {}};
  if (meaning.is_network) {
    meaning.address = codec.address(word);
    return meaning;
  }
  EXPECT_EQ(codec.unpack_far(word, &meaning.far_side), AVRM_OK);
  EXPECT_EQ(avrm_word_is_local(codec.id, word), meaning.far_side.kind != AVRM_FAR_UNCONNECTED) << word;
  return meaning;
}

bool contains(const Codec &codec, const std::vector<std::uint64_t> &list, std::uint64_t word) {
  const Meaning meaning = meaning_of(codec, word);
  return std::any_of(list.begin(), list.end(), [&](std::uint64_t other) {
    const Meaning its = meaning_of(codec, other);
    return its.is_network == meaning.is_network && its.address == meaning.address && its.far_side == meaning.far_side;
  });
}

// Values whose halves take the extremes, so that every kind of change occurs: none, low half,
// high half, both.
std::vector<avrm_ave_t> interesting_values(const Codec &codec) {
  std::vector<std::uint64_t> addresses;
  if (codec.id == AVRM_CODEC_OFI) {
    addresses = {0, 4, kTwo32 - 2, kTwo32 - 1, kTwo32, kTwo32 + 4, 5 * kTwo32 - 1, codec.greatest - 1, codec.greatest};
  } else {
    addresses = {2, 4, kTwo32 - 2, kTwo32, kTwo32 + 4, 0x7fff00000004, 0x7fff12345678, codec.greatest};
  }
  std::vector<avrm_ave_t> values = {avrm_ave_t{}};
  for (const std::uint64_t address : addresses) {
    values.push_back(network(codec, address));
  }
  for (const std::uint32_t local_rank : {0U, 1U, 4U, 0x4000000U, AVRM_LOCAL_RANKS - 1}) {
    values.push_back(far_side(codec, {AVRM_FAR_LOCAL, local_rank}));
  }
  values.push_back(far_side(codec, {AVRM_FAR_SELF, 0}));
  return values;
}

// The states of one element between two barriers.
struct Window {
  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> allowed; // replaced or written by a write that runs in the window
};

// Watches one element through a sequence of writes.
class Watch {
public:
  explicit Watch(const Codec &codec, const avrm_ave_t *element) : codec_(codec), element_(element) {
    windows_.push_back({{word()}, {word()}});
  }

  void before_write(std::uint64_t value) {
    writing_ = {word(), value};
    allow();
  }

  void at_barrier() {
    windows_.back().seen.push_back(word());
    windows_.push_back({{word()}, {}});
    allow();
  }

  void after_write() { windows_.back().seen.push_back(word()); }

  // Fails with the first mix that is none of the allowed values and does not read as "not
  // yet connected".
  [[nodiscard]] testing::AssertionResult every_mix_is_old_new_or_unconnected() const {
    for (const Window &window : windows_) {
      for (const std::uint64_t one : window.seen) {
        for (const std::uint64_t other : window.seen) {
          const std::uint64_t mix = std::uint64_t{high_half(one)} << 32 | low_half(other);
          if (!is_unconnected(codec_, mix) && !contains(codec_, window.allowed, mix)) {
            return testing::AssertionFailure() << std::hex << "low half of " << other << " with high half of " << one;
          }
        }
      }
    }
    return testing::AssertionSuccess();
  }

private:
  std::uint64_t word() const { return avrm_ave_word(element_); }

  void allow() {
    std::vector<std::uint64_t> &allowed = windows_.back().allowed;
    allowed.insert(allowed.end(), writing_.begin(), writing_.end());
  }

  const Codec &codec_;
  const avrm_ave_t *element_;
  std::vector<std::uint64_t> writing_;
  std::vector<Window> windows_;
};

// Writes the values one after the other into a fresh element.
testing::AssertionResult sequence_is_sound(const Codec &codec, const std::vector<avrm_ave_t> &values) {
  avrm_ave_t element{};
  Watch watch(codec, &element);
  const BarrierProbe probe([&watch] { watch.at_barrier(); });
  for (const avrm_ave_t &value : values) {
    watch.before_write(avrm_ave_word(&value));
    detail::publish(codec.id, &element, &value, 1);
    watch.after_write();
    if (!(element == value)) {
      return testing::AssertionFailure() << "wrote " << testing::PrintToString(value) << ", left "
                                         << testing::PrintToString(element);
    }
  }
  return watch.every_mix_is_old_new_or_unconnected();
}

// The words in a fresh element that receives the values: at the barriers of the last
// write, and after it.
std::vector<avrm_ave_t> states_of_the_last(const Codec &codec, const std::vector<avrm_ave_t> &values) {
  avrm_ave_t element{};
  std::vector<avrm_ave_t> states;
  const BarrierProbe probe([&] { states.push_back(element); });
  for (const avrm_ave_t &value : values) {
    states.clear();
    detail::publish(codec.id, &element, &value, 1);
  }
  states.push_back(element);
  return states;
}

class Publish : public CodecTest {};
AVRM_TEST_BOTH_CODECS(Publish);

TEST_P(Publish, OneWriteShowsOldNewOrUnconnected) {
  for (const avrm_ave_t &value : interesting_values(codec())) {
    ASSERT_TRUE(sequence_is_sound(codec(), {value}));
  }
}

TEST_P(Publish, TwoWritesShowOldNewOrUnconnected) {
  for (const avrm_ave_t &a : interesting_values(codec())) {
    for (const avrm_ave_t &b : interesting_values(codec())) {
      ASSERT_TRUE(sequence_is_sound(codec(), {a, b})) << testing::PrintToString(a) << ", " << testing::PrintToString(b);
    }
  }
}

// A load under way may join what the first write left with what the last one stored.
TEST_P(Publish, ThreeWritesShowOldNewOrUnconnected) {
  for (const avrm_ave_t &a : interesting_values(codec())) {
    for (const avrm_ave_t &b : interesting_values(codec())) {
      for (const avrm_ave_t &c : interesting_values(codec())) {
        ASSERT_TRUE(sequence_is_sound(codec(), {a, b, c}))
            << testing::PrintToString(a) << ", " << testing::PrintToString(b) << ", " << testing::PrintToString(c);
      }
    }
  }
}

TEST_P(Publish, NodeIdIsWrittenFirst) {
  avrm_ave_t value = network(codec(), 0x7fff12345678);
  value.w[2] = 99;
  const std::vector<avrm_ave_t> states = states_of_the_last(codec(), {network(codec(), 0x123456789abc), value});
  for (const avrm_ave_t &state : states) {
    EXPECT_EQ(state.w[2], 99U);
  }
}

TEST_P(Publish, LowHalfAloneNeedsNoBarrier) {
  const avrm_ave_t old_value = network(codec(), 0x7fff00000004);
  const avrm_ave_t new_value = network(codec(), 0x7fff00000008);
  EXPECT_EQ(states_of_the_last(codec(), {old_value, new_value}).size(), 1U);
}

TEST_P(Publish, SameValueNeedsNoBarrier) {
  const avrm_ave_t value = network(codec(), 0x7fff00000004);
  EXPECT_EQ(states_of_the_last(codec(), {value, value}).size(), 1U);
}

TEST_P(Publish, OneWriteNeedsTwoBarriersAtMost) {
  for (const avrm_ave_t &a : interesting_values(codec())) {
    for (const avrm_ave_t &b : interesting_values(codec())) {
      ASSERT_LE(states_of_the_last(codec(), {a, b}).size(), 3U);
    }
  }
}

TEST(PublishOfi, FirstAddressBelowTwoTo32NeedsNoBarrier) {
  EXPECT_EQ(states_of_the_last(ofi_codec(), {network(ofi_codec(), kTwo32 - 2)}).size(), 1U);
}

TEST(PublishOfi, HighHalfSaysFarWhileTheLowHalfChanges) {
  const avrm_ave_t old_value = network(ofi_codec(), 0x123456789abc);
  const avrm_ave_t new_value = network(ofi_codec(), 0x7fff12345678);
  const std::vector<avrm_ave_t> states = states_of_the_last(ofi_codec(), {old_value, new_value});
  ASSERT_EQ(states.size(), 3U);
  const std::uint64_t far_marker = std::uint64_t{0xffffffff} << 32;
  EXPECT_EQ(avrm_ave_word(&states[0]), far_marker | low_half(avrm_ave_word(&old_value)));
  EXPECT_EQ(avrm_ave_word(&states[1]), far_marker | low_half(avrm_ave_word(&new_value)));
  EXPECT_EQ(states[2], new_value);
}

// The second half is stored last, so a thread that finds the peer connected finds what was stored
// before.
TEST_P(Publish, FirstConnectionNeedsNoBarrier) {
  avrm_ave_t zero{};
  for (const avrm_ave_t &from : {zero, far_side(codec(), {AVRM_FAR_LOCAL, 7}), far_side(codec(), {AVRM_FAR_SELF, 0})}) {
    for (const avrm_ave_t &value : interesting_values(codec())) {
      const bool may_need_one = codec().id == AVRM_CODEC_OFI && codec().is_network(avrm_ave_word(&value)) &&
                                high_half(avrm_ave_word(&value)) != 0;
      if (!may_need_one) {
        ASSERT_EQ(states_of_the_last(codec(), {from, value}).size(), 1U) << testing::PrintToString(value);
      }
    }
  }
}

TEST(PublishUcx, ChangeOfAnEndpointNeedsOneBarrier) {
  const avrm_ave_t old_value = network(ucx_codec(), 0x123456789abc);
  const avrm_ave_t new_value = network(ucx_codec(), 0x7fff12345678);
  const std::vector<avrm_ave_t> states = states_of_the_last(ucx_codec(), {old_value, new_value});
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(avrm_ave_word(&states[0]), 0U);
  EXPECT_EQ(states[1], new_value);
}

TEST_P(Publish, RangeSharesTheBarriers) {
  const std::vector<avrm_ave_t> values = interesting_values(codec());
  std::vector<avrm_ave_t> elements(values.size());
  int barriers = 0;
  const BarrierProbe probe([&barriers] { ++barriers; });
  detail::publish(codec().id, elements.data(), values.data(), static_cast<std::int64_t>(values.size()));
  EXPECT_LE(barriers, 2);
}

TEST_P(Publish, RangeOfMixedChangesShowsOldNewOrUnconnected) {
  const std::vector<avrm_ave_t> values = interesting_values(codec());
  const std::size_t count = values.size();
  // Shifted by each distance in turn, so that every value replaces every other one beside all kinds
  // of neighbours.
  for (std::size_t shift = 0; shift < count; ++shift) {
    std::vector<avrm_ave_t> elements(count);
    std::vector<avrm_ave_t> shifted(count);
    for (std::size_t i = 0; i < count; ++i) {
      shifted[i] = values[(i + shift) % count];
    }
    std::vector<Watch> watches;
    for (const avrm_ave_t &element : elements) {
      watches.emplace_back(codec(), &element);
    }
    const BarrierProbe probe([&watches] {
      for (Watch &watch : watches) {
        watch.at_barrier();
      }
    });
    for (const std::vector<avrm_ave_t> *source : {&values, static_cast<const std::vector<avrm_ave_t> *>(&shifted)}) {
      for (std::size_t i = 0; i < count; ++i) {
        watches[i].before_write(avrm_ave_word(&(*source)[i]));
      }
      detail::publish(codec().id, elements.data(), source->data(), static_cast<std::int64_t>(count));
      for (Watch &watch : watches) {
        watch.after_write();
      }
      ASSERT_EQ(elements, *source);
    }
    for (const Watch &watch : watches) {
      ASSERT_TRUE(watch.every_mix_is_old_new_or_unconnected());
    }
  }
}

TEST_P(Publish, AddressVectorWritesInTheOrderOfItsCodec) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10, codec().id);
  const avrm_ave_t old_value = network(codec(), 0x123456789abc);
  const avrm_ave_t new_value = network(codec(), 0x7fff12345678);
  require(avrm_av_set(av.get(), 5, &old_value));
  Watch watch(codec(), avrm_av_ave(av.get(), 5));
  const BarrierProbe probe([&watch] { watch.at_barrier(); });
  watch.before_write(avrm_ave_word(&new_value));
  require(avrm_av_set(av.get(), 5, &new_value));
  watch.after_write();
  EXPECT_TRUE(watch.every_mix_is_old_new_or_unconnected());
}

} // namespace

} // namespace avrankmap::test
