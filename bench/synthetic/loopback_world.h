// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path on a real network, in one process and without a device: an open netmod whose every
// peer is the netmod itself, a strided communicator, and a window whose parts are alike or have a
// record each.
#ifndef AVRANKMAP_BENCH_SYNTHETIC_LOOPBACK_WORLD_H
#define AVRANKMAP_BENCH_SYNTHETIC_LOOPBACK_WORLD_H

#include "avrankmap/device/fastpath.h"
#include "bench/support/require.h"
#include "core/transports.h"

#include <chrono>
#include <cstdlib>
#include <memory>

namespace avrankmap::bench {

class LoopbackWorld {
public:
  static constexpr std::int32_t kProcesses = 64;
  static constexpr std::int32_t kSize = 20;
  static constexpr std::int32_t kOffset = 2;
  static constexpr std::int32_t kStride = 3;
  static constexpr std::uint64_t kUnit = 8;
  static constexpr std::int32_t lpid_of(std::int32_t rank) { return kOffset + rank * kStride; }

  /// Null if this machine or build lacks the network.
  static std::unique_ptr<LoopbackWorld> open(const char *netmod, const char *provider) {
    (void)setenv("AVRM_UCX_NO_RMA", "0", 0); // puts are the network's own
    const avrm_netmod_ops_t *const ops = detail::find_netmod(netmod);
    avrm_netmod_config_t config{};
    config.provider = provider;
    config.local_only = true;
    avrm_netmod_t *net = nullptr;
    if (ops == nullptr || ops->open(&config, &net) != AVRM_OK) {
      return nullptr;
    }
    return std::make_unique<LoopbackWorld>(ops, net);
  }

  LoopbackWorld(const avrm_netmod_ops_t *ops, avrm_netmod_t *its_net) : net(its_net), ops_(ops) {
    unsigned char own[512];
    std::size_t bytes = sizeof own;
    require(ops_->address(net, own, &bytes));
    require(ops_->insert(net, 1, own, bytes, bytes, &handle_));
    make_comm();
    make_window();
    if ((net->capabilities & AVRM_NETMOD_DELIVERS) != 0) {
      settle();
    }
  }
  LoopbackWorld(const LoopbackWorld &) = delete;
  LoopbackWorld &operator=(const LoopbackWorld &) = delete;
  ~LoopbackWorld() {
    *AVRM_COMM_1 = {};
    *AVRM_WIN_1 = {};
    avrm_directory_destroy(&parts_);
    avrm_directory_destroy(&records_);
    ops_->key_close(net, window.key);
    ops_->memory_release(net, exposed_);
    ops_->close(net);
    avrm_rankmap_destroy(&map_);
    avrm_av_release(av_);
    (void)avrm_instance_destroy(instance_);
  }

  avrm_netmod_t *net;
  avrm_fp_comm_t comm{};        ///< AVRM_COMM_1 is the same
  avrm_fp_window_t window{};    ///< AVRM_WIN_1 is the same
  avrm_fp_window_t differing{}; ///< the same, as it would be if its parts differed
  unsigned char memory[4096] = {};

private:
  static constexpr std::uint32_t kContext = 1;

  void make_comm() {
    avrm_av_options_t options{};
    options.codec = ops_->codec;
    require(avrm_instance_create(nullptr, &instance_));
    require(avrm_av_create(instance_, kProcesses, &options, &av_));
    for (std::int32_t lpid = 0; lpid < kProcesses; ++lpid) {
      avrm_ave_t ave{};
      require(avrm_ave_pack(options.codec, handle_, static_cast<std::uint32_t>(lpid), &ave));
      require(avrm_av_set(av_, lpid, &ave));
    }
    require(avrm_rankmap_create_stride(instance_, av_->pgid, kSize, kOffset, kStride, &map_));
    require(avrm_rankmap_bind(&map_));
    comm.map = &map_;
    comm.net = net;
    comm.send_match = comm.context_match = avrm_match_pack(kContext, 0, 0);
    comm.world = reinterpret_cast<std::uintptr_t>(avrm_av_ave(av_, 0));
    comm.live = AVRM_FP_LIVE;
    comm.codec = static_cast<std::uint16_t>(options.codec);
    *AVRM_COMM_1 = comm;
  }

  void make_window() {
    unsigned char description[AVRM_NETMOD_KEY_MAX];
    std::size_t bytes = sizeof description;
    require(ops_->memory_register(net, memory, sizeof memory, 0, &exposed_));
    require(ops_->memory_describe(net, exposed_, description, &bytes));
    require(ops_->key_open(net, handle_, description, bytes, &window.base, &window.key));
    const avrm_part_t part{window.base, window.key, sizeof memory, 1};
    const avrm_part_t step{};
    require(avrm_directory_create_regular(instance_, kSize, &part, &step, &parts_));
    window.map = &map_;
    window.net = net;
    window.world = comm.world;
    window.unit = kUnit;
    window.live = AVRM_FP_LIVE;
    window.uniform = 1;
    window.codec = comm.codec;
    window.parts = &parts_;
    *AVRM_WIN_1 = window;
    differing = window;
    differing.base = differing.key = 0;
    differing.uniform = 0;
    differing.parts = &records_;
    require(avrm_directory_create(instance_, kSize, &records_));
    for (std::int32_t rank = 0; rank < kSize; ++rank) {
      require(avrm_directory_learn(&records_, rank, &part));
    }
  }

  /// Opens the connection, and waits until nothing is under way. The next message or put is one of
  /// many.
  void settle() {
    unsigned char in = 0;
    const avrm_piece_t piece{&in, 1};
    Request received;
    require(ops_->trecv(net, handle_, comm.send_match, 0, &piece, 1, &received));
    insist([&] { return ops_->tinject(net, "", 1, handle_, comm.send_match); });
    wait_for(received);
    Request flushed;
    put();
    insist([&] { return ops_->flush(net, handle_, &flushed); });
    wait_for(flushed);
    put(); // the first one since a flush may do more than the others
  }

  void put() {
    insist([&] { return ops_->put_inject(net, "", 1, handle_, window.base, window.key); });
    for (int i = 0; i < 100; ++i) {
      ops_->progress(net);
    }
  }

  struct Request : avrm_request_t {
    Request() : avrm_request_t{} {
      complete = [](avrm_request_t *request, avrm_status_t status, std::uint64_t, std::uint64_t) {
        request->outcome.status = status;
        request->done = 1;
      };
    }
  };
  void wait_for(const Request &request) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (request.done == 0) {
      require(std::chrono::steady_clock::now() < end, "a network does not deliver to its own process");
      ops_->progress(net);
    }
    require(request.outcome.status);
  }
  template <class Post> void insist(Post post) {
    avrm_status_t status = post();
    while (status == AVRM_ERR_AGAIN) {
      ops_->progress(net);
      status = post();
    }
    require(status);
  }

  const avrm_netmod_ops_t *ops_;
  std::uint64_t handle_ = 0;
  avrm_instance_t *instance_ = nullptr;
  avrm_av_t *av_ = nullptr;
  avrm_rankmap_t map_{};
  avrm_directory_t parts_{};
  avrm_directory_t records_{};
  avrm_netmod_memory_t *exposed_ = nullptr;
};

} // namespace avrankmap::bench

#endif
