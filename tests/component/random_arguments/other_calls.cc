// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Elements, extents of grids, instances, names.
#include <bit>

#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

avrm_codec_t any_codec(World &w) {
  return static_cast<avrm_codec_t>(w.draw.one_in(8) ? w.draw.below(1000) : w.draw.below(2));
}

void pack(World &w) {
  const avrm_codec_t codec = any_codec(w);
  const auto address = w.draw.any<std::uint64_t>();
  const auto node = w.draw.any<std::uint32_t>();
  Out<avrm_ave_t> ave;
  if (w.ok(avrm_ave_pack(codec, address, node, &ave), ave)) {
    const std::uint64_t word = avrm_ave_word(&ave);
    EXPECT_TRUE(avrm_word_is_network(codec, word));
    EXPECT_EQ(avrm_word_address(codec, word), address);
    EXPECT_EQ(avrm_ave_node(&ave), node);
  }
  const avrm_far_t far_side{w.draw.any<avrm_far_kind_t>(), w.draw.any<std::uint32_t>()};
  Out<avrm_ave_t> local;
  if (w.ok(avrm_ave_pack_far(codec, far_side, node, &local), local)) {
    const std::uint64_t word = avrm_ave_word(&local);
    EXPECT_FALSE(avrm_word_is_network(codec, word));
    Out<avrm_far_t> found;
    ASSERT_TRUE(w.ok(avrm_word_unpack_far(codec, word, &found), found));
    EXPECT_EQ((*found).kind, far_side.kind);
    if (avrm_word_is_local(codec, word)) {
      EXPECT_EQ(avrm_word_local_rank(codec, word), far_side.local_rank);
    }
  }
}

// An element of any bytes is a network address or not.
void unpack(World &w) {
  avrm_ave_t ave{};
  for (std::uint32_t &word : ave.w) {
    word = w.draw.any<std::uint32_t>();
  }
  const std::uint64_t word = avrm_ave_word(&ave);
  std::uint32_t node = 0;
  Out<avrm_far_t> far_side;
  Out<std::uint64_t> address;
  if (w.ok(avrm_ofi_unpack(&ave, &address, w.or_null(&node)), address)) {
    EXPECT_TRUE(avrm_ofi_is_network(word) && avrm_ofi_address(word) == *address);
  } else {
    EXPECT_TRUE(w.ok(avrm_ofi_unpack_far(word, &far_side)));
    (void)(avrm_ofi_is_local(word) ? avrm_ofi_local_rank(word) : 0);
  }
  Out<void *> endpoint;
  if (w.ok(avrm_ucx_unpack(&ave, &endpoint, w.or_null(&node)), endpoint)) {
    EXPECT_TRUE(avrm_ucx_is_network(word) && avrm_ucx_endpoint(word) == *endpoint);
  } else {
    EXPECT_TRUE(w.ok(avrm_ucx_unpack_far(word, &far_side)));
    (void)(avrm_ucx_is_local(word) ? avrm_ucx_local_rank(word) : 0);
  }
}

void pack_by_codec(World &w) {
  const auto number = w.draw.any<std::uint64_t>();
  const avrm_far_t far_side{static_cast<avrm_far_kind_t>(w.draw.below(4)), w.draw.any<std::uint32_t>()};
  Out<avrm_ave_t> ave;
  (void)w.ok(avrm_ofi_pack(number, 0, &ave), ave);
  (void)w.ok(avrm_ofi_pack_far(far_side, 0, w.or_null(&ave)));
  (void)w.ok(avrm_ucx_pack(std::bit_cast<void *>(static_cast<std::uintptr_t>(number)), 0, w.or_null(&ave)));
  (void)w.ok(avrm_ucx_pack_far(far_side, 0, w.or_null(&ave)));
}

void dims(World &w) {
  const std::int32_t processes = w.draw.any<std::int32_t>();
  std::vector<std::int32_t> extents = w.array<std::int32_t>(w.small(), [&] {
    return w.draw.one_in(3)   ? static_cast<std::int32_t>(w.draw.below(4))
           : w.draw.one_in(8) ? w.draw.any<std::int32_t>()
                              : 0;
  });
  const std::vector<std::int32_t> before = extents;
  const auto count = static_cast<std::int32_t>(w.draw.one_in(16) ? -1 : std::ssize(extents));
  if (!w.ok(avrm_dims_create(processes, count, extents.data()))) {
    EXPECT_EQ(extents, before);
  } else if (count > 0) {
    std::int64_t product = 1;
    for (const std::int32_t extent : extents) {
      product *= extent;
      ASSERT_TRUE(product > 0 && product <= processes);
    }
    EXPECT_EQ(product, processes);
  }
}

void instances(World &w) {
  avrm_allocator_t hooks = w.memory.hooks();
  if (w.draw.one_in(4)) {
    hooks.allocate = nullptr;
  }
  avrm_instance_options_t options{};
  options.allocator = w.or_null(&hooks);
  options.cost = w.draw.one_in(2) ? w.draw.any<avrm_cost_t>() : AVRM_COST_BYTES;
  Out<avrm_instance_t *> instance;
  if (w.ok(avrm_instance_create(w.or_null(&options), &instance), instance)) {
    (void)avrm_instance_is_strict(*instance);
    EXPECT_LE(avrm_instance_cost(*instance), AVRM_COST_SPEED);
    EXPECT_EQ(avrm_instance_destroy(*instance), AVRM_OK);
  }
  Out<avrm_mem_usage_t> usage;
  (void)w.ok(avrm_instance_mem_usage(w.any_instance(), static_cast<avrm_mem_kind_t>(w.draw.below(20)), &usage), usage);
}

void names(World &w) {
  EXPECT_NE(avrm_status_name(w.draw.any<avrm_status_t>()), nullptr);
  EXPECT_NE(avrm_status_text(w.draw.any<avrm_status_t>()), nullptr);
  EXPECT_NE(avrm_mode_label(w.draw.any<avrm_mode_t>()), nullptr);
  EXPECT_NE(avrm_mem_kind_label(w.draw.any<avrm_mem_kind_t>()), nullptr);
}

} // namespace

const std::vector<Call> kOtherCalls = {
    {"avrm_ave_pack", pack},
    {"avrm_ofi_pack, avrm_ucx_pack", pack_by_codec},
    {"avrm_ofi_unpack, avrm_ucx_unpack", unpack},
    {"avrm_dims_create", dims},
    {"avrm_instance_create", instances},
    {"names", names},
};

} // namespace avrankmap::test
