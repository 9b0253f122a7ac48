// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The loops, which are the same for everything that is measured. A channel is a way to reach the
// other process:
//
//   void isend(const void *buffer, std::size_t bytes, int tag)    post; at most kWindow + 1
//   void irecv(void *buffer, std::size_t bytes, int tag)          between two calls of wait_all
//   void put(const void *buffer, std::size_t bytes)               into the other's memory
//   void wait_all()                                               until all is done here
//   void flush()                                                  until all puts are done there
//   void progress()
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_TIMING_LOOPS_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_TIMING_LOOPS_H

#include "device/transports/pair_control.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace avrankmap::bench {

enum class TransportOp { kIsend, kPut };
enum class TransportMeasure { kRate, kLatency };

struct TransportCase {
  TransportOp op;
  TransportMeasure measure;
  std::size_t bytes;
};

constexpr std::size_t kWindow = 256;

/// Operations of one window.
constexpr std::uint64_t window_of(std::size_t bytes) { return bytes <= 4096 ? kWindow : 16; }

/// A channel whose loops are behind one call.
class Subject {
public:
  virtual ~Subject() = default;
  /// Does `count` windows (rate) or operations (latency). Both processes call it; returns the
  /// seconds of process 0.
  virtual double run(const TransportCase &which, std::uint64_t count) = 0;
  /// Waits for the other process, making progress.
  virtual void barrier() = 0;
};

template <class Channel> class SubjectOf final : public Subject {
public:
  SubjectOf(PairControl &control, int rank, std::size_t largest, std::unique_ptr<Channel> channel)
      : control_(control), rank_(rank), lines_(largest / sizeof(Line) + 1), channel_(std::move(channel)) {}

  double run(const TransportCase &which, std::uint64_t count) override {
    barrier();
    loop(which, count / 8 + 1); // what lies in the caches now belongs to somebody else
    const auto start = std::chrono::steady_clock::now();
    loop(which, count);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    barrier();
    return seconds;
  }

  void barrier() override {
    control_.barrier([this] { channel_->progress(); });
  }

private:
  static constexpr int kData = 1;
  static constexpr int kReady = 2;

  /// Messages begin at the start of a cache line, whoever sends them.
  struct alignas(64) Line {
    unsigned char bytes[64] = {1};
  };
  [[nodiscard]] unsigned char *buffer() { return reinterpret_cast<unsigned char *>(lines_.data()); }

  void loop(const TransportCase &which, std::uint64_t count) {
    if (which.op == TransportOp::kIsend) {
      which.measure == TransportMeasure::kRate ? windows(which.bytes, count) : round_trips(which.bytes, count);
      return;
    }
    if (rank_ == 0) {
      put(which.bytes, which.measure == TransportMeasure::kRate ? window_of(which.bytes) : 1, count);
    }
    barrier(); // process 1 is in here all the time, and makes progress
  }

  void windows(std::size_t bytes, std::uint64_t count) {
    Channel &channel = *channel_;
    const std::uint64_t window = window_of(bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (rank_ == 0) {
        channel.irecv(nullptr, 0, kReady);
        channel.wait_all();
        for (std::uint64_t j = 0; j < window; ++j) {
          channel.isend(buffer(), bytes, kData);
        }
      } else {
        for (std::uint64_t j = 0; j < window; ++j) {
          channel.irecv(buffer(), bytes, kData);
        }
        channel.isend(nullptr, 0, kReady);
      }
      channel.wait_all();
    }
  }

  void round_trips(std::size_t bytes, std::uint64_t count) {
    Channel &channel = *channel_;
    for (std::uint64_t i = 0; i < count; ++i) {
      channel.irecv(buffer(), bytes, kData);
      if (rank_ == 0) {
        channel.isend(buffer(), bytes, kData);
        channel.wait_all();
      } else {
        channel.wait_all();
        channel.isend(buffer(), bytes, kData);
      }
    }
    channel.wait_all();
  }

  void put(std::size_t bytes, std::uint64_t window, std::uint64_t count) {
    Channel &channel = *channel_;
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::uint64_t j = 0; j < window; ++j) {
        channel.put(buffer(), bytes);
      }
      channel.flush();
    }
  }

  PairControl &control_;
  int rank_;
  std::vector<Line> lines_;
  std::unique_ptr<Channel> channel_;
};

} // namespace avrankmap::bench

#endif
