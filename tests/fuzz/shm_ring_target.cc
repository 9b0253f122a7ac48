// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of a peer that writes anything into shared memory. It has sent its card; the input is
// what else it writes into our ring: any kind, length, place and name of an operation, also of
// pending operations.
#include <atomic>
#include <cstdlib>
#include <memory>

#include "posix/endpoint.h"
#include "posix/posix.h"
#include "tests/fuzz/input.h"

namespace {

using namespace avrankmap::detail::posix;
using avrankmap::fuzz::Input;

constexpr std::size_t kRequests = 6;
constexpr std::size_t kBuffer = kPushMax + 40000; // both ends may copy it

struct Operation {
  avrm_request_t request{}; // first: the callback gets its address
  std::unique_ptr<unsigned char[]> buffer;
  bool busy = false;
};

void on_complete(avrm_request_t *request, avrm_status_t, std::uint64_t, std::uint64_t) {
  reinterpret_cast<Operation *>(request)->busy = false;
}

// Reads every byte of the message.
void read_all(const void *data, std::size_t bytes) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    sum += static_cast<const volatile unsigned char *>(data)[i];
  }
  (void)sum;
}

class Session {
public:
  explicit Session(Input input) : input_(input) {
    const char *const ways[] = {"1", "0", ""};
    setenv("AVRM_POSIX_NO_CMA", ways[input_.below(3)], 1);
    const avrm_shmmod_config_t ours{0, 2, on_message, on_am, this, 0, 0, nullptr, nullptr};
    const avrm_shmmod_config_t theirs{1, 2, on_offer, on_am, this, 1, 0, nullptr, nullptr};
    AVRM_MUST(avrm_shmmod_posix()->open(&ours, &shm_) == AVRM_OK);
    AVRM_MUST(avrm_shmmod_posix()->open(&theirs, &peer_) == AVRM_OK);
    unsigned char card[256];
    std::size_t bytes = sizeof card;
    AVRM_MUST(peer_->ops->card(peer_, card, &bytes) == AVRM_OK);
    AVRM_MUST(shm_->ops->connect(shm_, 1, card, bytes) == AVRM_OK);
    enter_ring();
    from_us_.open(map_ring(peer_, 0, &peer_segment_));
    Slot *const slot = out_.slot();
    std::memcpy(slot->body, card, bytes);
    out_.publish(slot, Kind::kHello, bytes);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    shm_->ops->close(shm_);
    peer_->ops->close(peer_);
    for (const Operation &operation : operations_) {
      AVRM_MUST(!operation.busy); // every operation ends
    }
  }

  void run() {
    for (int steps = 0; steps < 64 && !input_.empty(); ++steps) {
      step();
    }
  }

private:
  // Maps the segment of one of the two; returns its ring of a local rank.
  static RingMemory *map_ring(avrm_shmmod_t *owner, std::size_t local_rank, Mapping *segment_p) {
    Card card;
    std::size_t bytes = sizeof card;
    AVRM_MUST(owner->ops->card(owner, &card, &bytes) == AVRM_OK);
    FileDescriptor fd;
    AVRM_MUST(open_shm_file(card.shm_file, &fd) == AVRM_OK);
    AVRM_MUST(Mapping::map(fd, 0, card.shm_file.bytes, segment_p) == AVRM_OK);
    return reinterpret_cast<RingMemory *>(segment_p->data() + card.shm_file.bytes - (2 - local_rank) * kRingBytes);
  }

  // A sender's first contact: our segment, its ring there, its bit in the bell.
  void enter_ring() {
    out_.open(map_ring(shm_, 1, &segment_));
    auto *const bell = reinterpret_cast<Bell *>(segment_.data());
    std::atomic_ref(*reinterpret_cast<std::uint64_t *>(bell + 1)).fetch_or(2);
    std::atomic_ref(bell->callers).fetch_add(1);
  }

  static bool on_message(void *user, const avrm_arrival_t *arrival) {
    auto *const session = static_cast<Session *>(user);
    if (arrival->data != nullptr) {
      read_all(arrival->data, arrival->bytes);
    } else {
      session->tickets_.push_back(arrival->ticket);
    }
    return true;
  }
  static bool on_am(void * /*user*/, const void *data, std::size_t bytes) {
    read_all(data, bytes);
    return true;
  }
  // Our offer to the peer, which learns our name for it.
  static bool on_offer(void *user, const avrm_arrival_t *arrival) {
    if (arrival->data == nullptr) {
      static_cast<Session *>(user)->names_.push_back(
          reinterpret_cast<Offer *>(static_cast<std::uintptr_t>(arrival->ticket))->id);
    }
    return true;
  }

  void step() {
    switch (input_.below(9)) {
    case 0: return send();
    case 1: return take();
    case 2: (void)shm_->ops->progress(shm_); return;
    case 3: (void)peer_->ops->progress(peer_); return;
    case 4: return spoil();
    default: return record();
    }
  }

  // Any values. A write is never marked as under way, since we would wait for its end.
  void spoil() {
    const Producer &ring = input_.below(2) == 0 ? from_us_ : out_;
    const std::uint64_t turn = input_.below(4);
    const std::uint64_t word = turn << 40 | (input_.edgy() & ((std::uint64_t{1} << 40) - 1));
    std::atomic_ref(*ring.share(input_.below(kShares))).store(word & ~(std::uint64_t{1} << 38));
  }

  void record() {
    if (out_.slot() == nullptr) {
      (void)shm_->ops->progress(shm_);
      if (!out_.refresh()) {
        return;
      }
    }
    Slot *const slot = out_.slot();
    slot->match = input_.number<std::uint8_t>();
    std::uint64_t words[kInlineMax / 8];
    for (std::uint64_t &word : words) {
      const auto choice = input_.number<std::uint8_t>();
      if (choice < 60 && !names_.empty()) {
        word = names_[choice % names_.size()];
      } else if (choice < 120 && !tickets_.empty()) {
        word = tickets_[choice % tickets_.size()];
      } else {
        word = choice < 200 ? choice : input_.edgy();
      }
    }
    const auto kind = static_cast<Kind>(1 + input_.below(14));
    if (kind == Kind::kShare) { // the peer's addresses are ours here
      words[2] = reinterpret_cast<std::uintptr_t>(scratch_.get());
      words[4] = input_.below(4) | std::uint64_t{input_.below(4)} << 32;
    }
    std::memcpy(slot->body, words, sizeof words);
    out_.publish(slot, kind, input_.edgy() & 0xffffff);
  }

  Operation *free_operation() {
    Operation &operation = operations_[input_.below(kRequests)];
    if (operation.busy) {
      return nullptr;
    }
    operation.buffer.reset(new unsigned char[kBuffer]());
    operation.request = {};
    operation.request.complete = on_complete;
    operation.busy = true;
    return &operation;
  }

  void send() {
    if (Operation *const operation = free_operation(); operation != nullptr) {
      const std::size_t bytes = input_.below(2) == 0 ? kBuffer : input_.below(kBuffer);
      if (shm_->ops->send(shm_, 1, 7, operation->buffer.get(), bytes, &operation->request) != AVRM_OK) {
        operation->busy = false;
      }
    }
  }

  void take() {
    if (tickets_.empty()) {
      return;
    }
    if (Operation *const operation = free_operation(); operation != nullptr) {
      const std::uint64_t ticket = tickets_.back(); // once: tickets belong to the core
      tickets_.pop_back();
      if (shm_->ops->take(shm_, 1, ticket, operation->buffer.get(), input_.below(kBuffer), &operation->request) !=
          AVRM_OK) {
        operation->busy = false;
      }
    }
  }

  Input input_;
  avrm_shmmod_t *shm_ = nullptr;
  avrm_shmmod_t *peer_ = nullptr;
  Mapping segment_;
  Mapping peer_segment_;
  Producer out_;
  Producer from_us_; // for the words by which both ends divide a copy
  std::unique_ptr<unsigned char[]> scratch_{new unsigned char[kBuffer]};
  std::vector<std::uint64_t> tickets_; // of messages that were offered to us
  std::vector<std::uint64_t> names_;   // of those that we have offered
  Operation operations_[kRequests];
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Session(Input(data, size)).run();
  return 0;
}
