// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cancelling: receives in every state, and operations that are no receives.
#include <algorithm>
#include <iterator>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/probe.h"
#include "core/peers/connect.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {

namespace {

constexpr int kGoTag = 800;
// One for each way through shared memory, and on both sides of the limits of eager messages.
constexpr std::size_t kSizes[] = {8, 5000, 20000, 40000, 300000};

// Into one block, or into two that lie apart, as a layout or as a list.
enum class Into { kWhole, kLayout, kList };

class Receive {
public:
  Receive(Process &process, std::size_t bytes, int source, int tag, Into into)
      : half_(into == Into::kWhole ? 0 : bytes / 2), data_(bytes + (into == Into::kWhole ? 0 : kGap), kUntouched) {
    const avrm_layout_t halves{half_, 2, half_ + kGap};
    const avrm_block_t listed[] = {{0, half_}, {static_cast<std::int64_t>(half_) + kGap, half_}};
    const avrm_blocks_t list{listed, 2};
    const auto post = [&] {
      switch (into) {
      case Into::kLayout: return avrm_irecv_strided(process.world, data_.data(), &halves, source, tag, &request_);
      case Into::kList: return avrm_irecv_blocks(process.world, data_.data(), &list, source, tag, &request_);
      case Into::kWhole: break;
      }
      return avrm_irecv(process.world, data_.data(), bytes, source, tag, &request_);
    };
    AVRM_MUST(post() == AVRM_OK);
  }
  Receive(std::size_t bytes, avrm_message_t *message) : half_(0), data_(bytes, kUntouched) {
    AVRM_MUST(avrm_imrecv(&message, data_.data(), bytes, &request_) == AVRM_OK);
  }
  Receive(const Receive &) = delete;
  Receive &operator=(const Receive &) = delete;
  ~Receive() { AVRM_MUST(request_ == nullptr); }

  void cancel() { AVRM_MUST(avrm_cancel(request_) == AVRM_OK); }
  avrm_status_t end(avrm_outcome_t *outcome_p) { return avrm_wait(&request_, outcome_p); }

  // The message; fails if anything was written between the blocks.
  [[nodiscard]] Buffer message() const {
    Buffer joined = data_;
    if (half_ != 0) {
      const auto gap = joined.begin() + static_cast<std::ptrdiff_t>(half_);
      AVRM_MUST(std::all_of(gap, gap + kGap, [](unsigned char byte) { return byte == kUntouched; }));
      joined.erase(gap, gap + kGap);
    }
    return joined;
  }
  [[nodiscard]] bool is_untouched() const {
    return std::all_of(data_.begin(), data_.end(), [](unsigned char byte) { return byte == kUntouched; });
  }

private:
  static constexpr std::ptrdiff_t kGap = 24;
  static constexpr unsigned char kUntouched = 0xee;

  std::size_t half_;
  Buffer data_;
  avrm_request_t *request_ = nullptr;
};

void send_and_wait(Process &process, int dest, int number, std::size_t bytes) {
  send(process, content(process.rank, dest, number, bytes), dest, number);
}

void check(const Receive &receive, const avrm_outcome_t &outcome, int source, const Process &process, int number,
           std::size_t bytes) {
  AVRM_MUST(outcome.source == source && outcome.tag == number && outcome.bytes == bytes);
  AVRM_MUST(receive.message() == content(source, process.rank, number, bytes));
}

// After a cancel: the receive has the message, or has left it to the next one. Returns which.
bool ends_with_message(Process &process, Receive &receive, std::size_t bytes, int sender, int number) {
  avrm_outcome_t outcome{};
  const avrm_status_t status = receive.end(&outcome);
  if (status == AVRM_OK) {
    check(receive, outcome, sender, process, number, bytes);
    return true;
  }
  AVRM_MUST(status == AVRM_ERR_CANCELLED && receive.is_untouched());
  Receive another(process, bytes, sender, number, Into::kWhole);
  AVRM_MUST(another.end(&outcome) == AVRM_OK);
  check(another, outcome, sender, process, number, bytes);
  return false;
}

bool shares_memory(const Process &process, int peer) {
  detail::Route route{};
  AVRM_MUST(detail::route_to(process.device, {0, peer}, &route) == AVRM_OK);
  return route.kind == detail::Route::kShm;
}

// The message is there when the receive is posted, which takes it at once, or over some networks
// a little later.
void cancel_with_a_message(Process &process, int sender, int receiver) {
  int number = 0;
  for (const std::size_t bytes : kSizes) {
    for (const int source : {sender, AVRM_ANY_SOURCE}) {
      for (const Into into : {Into::kWhole, Into::kLayout, Into::kList}) {
        ++number;
        if (process.rank == sender) {
          send_and_wait(process, receiver, number, bytes);
          continue;
        }
        AVRM_MUST(avrm_probe(process.world, source, number, nullptr) == AVRM_OK);
        Receive receive(process, bytes, source, number, into);
        receive.cancel();
        avrm_progress(process.device);
        receive.cancel();
        const bool has_it = ends_with_message(process, receive, bytes, sender, number);
        AVRM_MUST(has_it || !shares_memory(process, sender));
      }
    }
  }
}

// The message comes while the receive waits.
void cancel_at_any_time(Process &process, int sender, int receiver) {
  constexpr int kTimes = 48;
  for (int number = 0; number < kTimes; ++number) {
    const std::size_t bytes = kSizes[static_cast<std::size_t>(number) % std::size(kSizes)];
    if (process.rank == sender) {
      Buffer none;
      receive(process, none, receiver, kGoTag);
      send_and_wait(process, receiver, number, bytes);
      continue;
    }
    const int source = number % 3 == 0 ? sender : AVRM_ANY_SOURCE;
    Receive receive(process, bytes, source, number, static_cast<Into>(number / 3 % 3));
    send(process, {}, sender, kGoTag);
    for (int polls = number; polls > 0; --polls) {
      avrm_progress(process.device);
    }
    receive.cancel();
    (void)ends_with_message(process, receive, bytes, sender, number);
  }
}

// A message that was taken out belongs to its receive.
void cancel_after_taking_out(Process &process, int sender, int receiver) {
  int number = 0;
  for (const std::size_t bytes : kSizes) {
    ++number;
    if (process.rank == sender) {
      send_and_wait(process, receiver, number, bytes);
      continue;
    }
    avrm_message_t *message = nullptr;
    avrm_outcome_t outcome{};
    AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, number, &message, nullptr) == AVRM_OK);
    Receive receive(bytes, message);
    receive.cancel();
    AVRM_MUST(receive.end(&outcome) == AVRM_OK);
    check(receive, outcome, sender, process, number, bytes);
  }
}

} // namespace

void a_receive_can_be_cancelled(Process &process) {
  Buffer buffer(8);
  for (const int source : {(process.rank + 1) % process.size, AVRM_ANY_SOURCE, process.rank}) {
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_irecv(process.world, buffer.data(), 8, source, 9, &request) == AVRM_OK);
    AVRM_MUST(avrm_cancel(request) == AVRM_OK);
    AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
  }
  barrier(process);
  // A cancelled receive takes no message.
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  send(process, content(process.rank, next, 0, 8), next, 9);
  receive(process, buffer, previous, 9);
  AVRM_MUST(buffer == content(previous, process.rank, 0, 8));
}

// Between processes of one node, and of two.
void a_receive_that_has_its_message_keeps_it(Process &process) {
  for (const auto act : {cancel_with_a_message, cancel_at_any_time, cancel_after_taking_out}) {
    for (const int distance : {1, 2}) {
      if (const int peer = process.rank ^ distance; peer < process.size) {
        act(process, std::max(process.rank, peer), std::min(process.rank, peer));
      }
      barrier(process); // receives from anybody are of one pair
    }
  }
}

// All others end as if nobody had asked.
void only_receives_can_be_cancelled(Process &process) {
  constexpr std::size_t kBytes = 300000;
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  const Buffer out = content(process.rank, next, 1, kBytes);
  Buffer in(kBytes);
  Buffer got(kBytes);
  void *base = nullptr;
  avrm_window_t *window = nullptr;
  AVRM_MUST(avrm_window_allocate(process.world, kBytes + 8, 0, &base, &window) == AVRM_OK);
  auto *const part = static_cast<unsigned char *>(base);
  std::fill_n(part, kBytes + 8, static_cast<unsigned char>(0));
  barrier(process);
  enum { kSend, kPut, kGet, kAtomic, kCreation, kCount };
  const std::uint64_t one = 1;
  std::uint64_t old = 0;
  avrm_comm_t *dup = nullptr;
  avrm_request_t *requests[kCount] = {};
  const auto refuse = [&](int which) { AVRM_MUST(avrm_cancel(requests[which]) == AVRM_ERR_OPTION); };
  AVRM_MUST(avrm_isend(process.world, out.data(), kBytes, next, 3, &requests[kSend]) == AVRM_OK);
  refuse(kSend);
  AVRM_MUST(avrm_rput(window, out.data(), kBytes, next, 8, &requests[kPut]) == AVRM_OK);
  refuse(kPut);
  AVRM_MUST(avrm_fetch_and_op(window, &one, &old, AVRM_UINT64, AVRM_OP_SUM, next, 0, &requests[kAtomic]) == AVRM_OK);
  refuse(kAtomic);
  AVRM_MUST(avrm_comm_idup(process.world, &dup, &requests[kCreation]) == AVRM_OK);
  refuse(kCreation);
  AVRM_MUST(avrm_wait(&requests[kPut], nullptr) == AVRM_OK);
  AVRM_MUST(avrm_get(window, got.data(), kBytes, next, 8, &requests[kGet]) == AVRM_OK);
  refuse(kGet);
  AVRM_MUST(receive(process, in, previous, 3).bytes == kBytes);
  AVRM_MUST(avrm_waitall(kCount, requests, nullptr) == AVRM_OK);
  AVRM_MUST(in == content(previous, process.rank, 1, kBytes) && got == out && old == 0);
  AVRM_MUST(avrm_comm_size(dup) == process.size && avrm_comm_free(dup) == AVRM_OK);
  barrier(process);
  AVRM_MUST(part[0] == 1 && avrm_window_free(window) == AVRM_OK);
}

} // namespace avrankmap::test
