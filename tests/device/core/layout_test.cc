// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pins the sizes, offsets and constants that callers of the device, and netmods and shmmods of
// others, compile in. A change of a number here requires a greater AVRM_LAYOUT
// (cmake/version.h.in), as in tests/component/av/layout_test.cc.
#include <gtest/gtest.h>

#include "avrankmap/device/blocks.h"
#include "avrankmap/device/device.h"
#include "avrankmap/device/dynamic.h"
#include "avrankmap/device/fastpath_inl.h"
#include "avrankmap/device/shmmod.h"
#include "tests/support/layout.h"

namespace avrankmap::test {

namespace {

TEST(DeviceLayout, IsTheOneOfNumber18) {
  if (sizeof(void *) != 8) {
    GTEST_SKIP() << "the numbers are those of 64-bit pointers";
  }
  ASSERT_EQ(AVRM_LAYOUT, 18) << "the numbers below belong to another layout";
  const Numbers now = {
      AVRM_SIZE(avrm_device_options_t),
      AVRM_OFFSET(avrm_device_options_t, connect),
      AVRM_OFFSET(avrm_device_options_t, threads),
      AVRM_OFFSET(avrm_device_options_t, strict),
      AVRM_OFFSET(avrm_device_options_t, allocator),
      AVRM_OFFSET(avrm_device_options_t, topo),
      AVRM_OFFSET(avrm_device_options_t, on_error),
      AVRM_OFFSET(avrm_device_options_t, user),
      AVRM_OFFSET(avrm_device_options_t, av),
      AVRM_OFFSET(avrm_device_options_t, netmod_ops),
      AVRM_OFFSET(avrm_device_options_t, shmmod_ops),
      AVRM_SIZE(avrm_layout_t),
      AVRM_SIZE(avrm_block_t),
      AVRM_SIZE(avrm_blocks_t),
      AVRM_SIZE(avrm_outcome_t),
      AVRM_OFFSET(avrm_outcome_t, source),
      AVRM_OFFSET(avrm_outcome_t, tag),
      AVRM_OFFSET(avrm_outcome_t, bytes),
      AVRM_SIZE(avrm_request_t),
      AVRM_OFFSET(avrm_request_t, scratch),
      AVRM_OFFSET(avrm_request_t, op),
      AVRM_OFFSET(avrm_request_t, complete),
      AVRM_OFFSET(avrm_request_t, outcome),
      AVRM_OFFSET(avrm_request_t, done),
      AVRM_SIZE(avrm_fork_options_t),
      AVRM_SIZE(avrm_meet_options_t),
      AVRM_SIZE(avrm_spawn_options_t),
      AVRM_SIZE(avrm_locality_t),
      AVRM_SIZE(avrm_piece_t),
      AVRM_SIZE(avrm_netmod_config_t),
      AVRM_OFFSET(avrm_netmod_config_t, on_am),
      AVRM_SIZE(avrm_netmod_t),
      AVRM_OFFSET(avrm_netmod_t, ops),
      AVRM_OFFSET(avrm_netmod_t, inject_max),
      AVRM_OFFSET(avrm_netmod_t, am_max),
      AVRM_OFFSET(avrm_netmod_t, pieces_max),
      AVRM_OFFSET(avrm_netmod_t, capabilities),
      AVRM_OFFSET(avrm_netmod_t, poll_pause_ns),
      AVRM_SIZE(avrm_netmod_ops_t),
      AVRM_OFFSET(avrm_netmod_ops_t, version),
      AVRM_OFFSET(avrm_netmod_ops_t, open),
      AVRM_OFFSET(avrm_netmod_ops_t, tinject),
      AVRM_OFFSET(avrm_netmod_ops_t, tprobe),
      AVRM_OFFSET(avrm_netmod_ops_t, put_inject),
      AVRM_OFFSET(avrm_netmod_ops_t, fp_tinject),
      AVRM_OFFSET(avrm_netmod_ops_t, fp_put_inject),
      AVRM_OFFSET(avrm_netmod_ops_t, tsend_sync),
      AVRM_SIZE(avrm_arrival_t),
      AVRM_SIZE(avrm_shmmod_config_t),
      AVRM_SIZE(avrm_shmmod_t),
      AVRM_OFFSET(avrm_shmmod_t, inject_max),
      AVRM_OFFSET(avrm_shmmod_t, am_max),
      AVRM_SIZE(avrm_shmmod_ops_t),
      AVRM_OFFSET(avrm_shmmod_ops_t, version),
      AVRM_OFFSET(avrm_shmmod_ops_t, open),
      AVRM_OFFSET(avrm_shmmod_ops_t, arm),
      AVRM_OFFSET(avrm_shmmod_ops_t, send_sync),
      AVRM_SIZE(avrm_fp_comm_t),
      AVRM_OFFSET(avrm_fp_comm_t, map),
      AVRM_OFFSET(avrm_fp_comm_t, net),
      AVRM_OFFSET(avrm_fp_comm_t, send_match),
      AVRM_OFFSET(avrm_fp_comm_t, context_match),
      AVRM_OFFSET(avrm_fp_comm_t, world),
      AVRM_OFFSET(avrm_fp_comm_t, comm),
      AVRM_OFFSET(avrm_fp_comm_t, cold),
      AVRM_OFFSET(avrm_fp_comm_t, live),
      AVRM_OFFSET(avrm_fp_comm_t, threads),
      AVRM_OFFSET(avrm_fp_comm_t, codec),
      AVRM_SIZE(avrm_fp_window_t),
      AVRM_OFFSET(avrm_fp_window_t, map),
      AVRM_OFFSET(avrm_fp_window_t, base),
      AVRM_OFFSET(avrm_fp_window_t, key),
      AVRM_OFFSET(avrm_fp_window_t, net),
      AVRM_OFFSET(avrm_fp_window_t, world),
      AVRM_OFFSET(avrm_fp_window_t, unit),
      AVRM_OFFSET(avrm_fp_window_t, live),
      AVRM_OFFSET(avrm_fp_window_t, uniform),
      AVRM_OFFSET(avrm_fp_window_t, threads),
      AVRM_OFFSET(avrm_fp_window_t, codec),
      AVRM_OFFSET(avrm_fp_window_t, parts),
      AVRM_OFFSET(avrm_fp_window_t, cold),
      AVRM_SIZE(avrm_fp_binding_t),
      AVRM_OFFSET(avrm_fp_binding_t, netmod),
      AVRM_OFFSET(avrm_fp_binding_t, codec),
      AVRM_OFFSET(avrm_fp_binding_t, tinject),
      AVRM_OFFSET(avrm_fp_binding_t, put_inject),
  };
  const Numbers then = {
      {"avrm_device_options_t", 112},
      {"avrm_device_options_t.connect", 32},
      {"avrm_device_options_t.threads", 36},
      {"avrm_device_options_t.strict", 37},
      {"avrm_device_options_t.allocator", 40},
      {"avrm_device_options_t.topo", 48},
      {"avrm_device_options_t.on_error", 56},
      {"avrm_device_options_t.user", 64},
      {"avrm_device_options_t.av", 72},
      {"avrm_device_options_t.netmod_ops", 96},
      {"avrm_device_options_t.shmmod_ops", 104},
      {"avrm_layout_t", 24},
      {"avrm_block_t", 16},
      {"avrm_blocks_t", 16},
      {"avrm_outcome_t", 24},
      {"avrm_outcome_t.source", 4},
      {"avrm_outcome_t.tag", 8},
      {"avrm_outcome_t.bytes", 16},
      {"avrm_request_t", 176},
      {"avrm_request_t.scratch", 0},
      {"avrm_request_t.op", 128},
      {"avrm_request_t.complete", 136},
      {"avrm_request_t.outcome", 144},
      {"avrm_request_t.done", 168},
      {"avrm_fork_options_t", 16},
      {"avrm_meet_options_t", 4},
      {"avrm_spawn_options_t", 24},
      {"avrm_locality_t", 16},
      {"avrm_piece_t", 16},
      {"avrm_netmod_config_t", 56},
      {"avrm_netmod_config_t.on_am", 32},
      {"avrm_netmod_t", 48},
      {"avrm_netmod_t.ops", 0},
      {"avrm_netmod_t.inject_max", 16},
      {"avrm_netmod_t.am_max", 24},
      {"avrm_netmod_t.pieces_max", 32},
      {"avrm_netmod_t.capabilities", 40},
      {"avrm_netmod_t.poll_pause_ns", 44},
      {"avrm_netmod_ops_t", 280},
      {"avrm_netmod_ops_t.version", 8},
      {"avrm_netmod_ops_t.open", 24},
      {"avrm_netmod_ops_t.tinject", 80},
      {"avrm_netmod_ops_t.tprobe", 136},
      {"avrm_netmod_ops_t.put_inject", 240},
      {"avrm_netmod_ops_t.fp_tinject", 256},
      {"avrm_netmod_ops_t.fp_put_inject", 264},
      {"avrm_netmod_ops_t.tsend_sync", 272},
      {"avrm_arrival_t", 40},
      {"avrm_shmmod_config_t", 64},
      {"avrm_shmmod_t", 24},
      {"avrm_shmmod_t.inject_max", 8},
      {"avrm_shmmod_t.am_max", 16},
      {"avrm_shmmod_ops_t", 160},
      {"avrm_shmmod_ops_t.version", 8},
      {"avrm_shmmod_ops_t.open", 24},
      {"avrm_shmmod_ops_t.arm", 128},
      {"avrm_shmmod_ops_t.send_sync", 152},
      {"avrm_fp_comm_t", 64},
      {"avrm_fp_comm_t.map", 0},
      {"avrm_fp_comm_t.net", 8},
      {"avrm_fp_comm_t.send_match", 16},
      {"avrm_fp_comm_t.context_match", 24},
      {"avrm_fp_comm_t.world", 32},
      {"avrm_fp_comm_t.comm", 40},
      {"avrm_fp_comm_t.cold", 48},
      {"avrm_fp_comm_t.live", 56},
      {"avrm_fp_comm_t.threads", 60},
      {"avrm_fp_comm_t.codec", 62},
      {"avrm_fp_window_t", 72},
      {"avrm_fp_window_t.map", 0},
      {"avrm_fp_window_t.base", 8},
      {"avrm_fp_window_t.key", 16},
      {"avrm_fp_window_t.net", 24},
      {"avrm_fp_window_t.world", 32},
      {"avrm_fp_window_t.unit", 40},
      {"avrm_fp_window_t.live", 48},
      {"avrm_fp_window_t.uniform", 52},
      {"avrm_fp_window_t.threads", 53},
      {"avrm_fp_window_t.codec", 54},
      {"avrm_fp_window_t.parts", 56},
      {"avrm_fp_window_t.cold", 64},
      {"avrm_fp_binding_t", 32},
      {"avrm_fp_binding_t.netmod", 0},
      {"avrm_fp_binding_t.codec", 8},
      {"avrm_fp_binding_t.tinject", 16},
      {"avrm_fp_binding_t.put_inject", 24},
  };
  EXPECT_EQ(now, then);
}

// Constants that callers compile in.
TEST(DeviceLayout, ConstantsAreThoseOfNumber18) {
  EXPECT_EQ(AVRM_FP_LIVE, 0x61767263U);
  EXPECT_EQ(AVRM_MATCH_PLANE_SHIFT, 62);
  EXPECT_EQ(AVRM_MATCH_SYNC, std::uint64_t{1} << 61);
  EXPECT_EQ(AVRM_MATCH_CONTEXT_SHIFT, 41);
  EXPECT_EQ(AVRM_MATCH_SOURCE_SHIFT, 17);
  EXPECT_EQ(avrm_match_pack(1, 2, 3), 0x20000040003U);
  EXPECT_EQ(AVRM_I_PREDEFINED(3, double), std::uintptr_t{8} << 8 | 7);
}

} // namespace

} // namespace avrankmap::test
