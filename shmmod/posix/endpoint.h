// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process's end of the shared-memory transport.
//
//   segment of a process:  | bell | ring of local rank 0 | ring of local rank 1 | ...
//
// A sender maps the bell and its own ring of the receiver's segment. Before its first record it sends its card, so that
// the receiver can answer without being told by the core, then sets its bit in the bell and counts itself there. The
// receiver polls that count, which lies still in its cache, and the next header of those rings whose senders have called.
#ifndef AVRANKMAP_SHMMOD_POSIX_ENDPOINT_H
#define AVRANKMAP_SHMMOD_POSIX_ENDPOINT_H

#include <memory>

#include "avrankmap/shmmod.h"
#include "posix/list.h"
#include "posix/ring.h"
#include "posix/segment.h"
#include "posix/share.h"

namespace avrankmap::detail::posix {

// At the start of a segment, before the bits of its senders: 64 per word.
struct alignas(kLine) Bell {
  std::uint64_t callers; // senders that have set their bit; counted after they did
};

struct Card {
  static constexpr std::uint32_t kMagic = 0x61767032; // changes with the layout of anything shared
  std::uint32_t magic;
  std::int32_t local_rank;
  std::int32_t local_size;
  std::uint32_t reserved;
  SegmentName segment;
};
static_assert(sizeof(Card) <= kInlineMax, "it travels as one record");

struct Offer;

// Its size is a power of two, so that every send finds it with one shift.
struct alignas(4 * kLine) Peer {
  enum class State : std::uint8_t {
    kStranger,
    kKnown,   // we have its card
    kMapped,  // we have its ring
    kTalking, // it knows of us
    kFailed
  };
  Producer out;
  State state = State::kStranger;
  bool calls = false;                     // has rung our bell
  bool copy_refused = false;              // process_vm_readv from it is not allowed
  bool help_refused = false;              // process_vm_writev to it is not allowed
  bool help_useless = false;              // its process_vm_writev to us is not
  std::uint8_t singles = Share::kSingles; // large messages in a row with none behind them; no more than that
  std::uint32_t turn = 0;                 // of the last message that it was invited to copy with us
  Offer *shared[kShares]{};               // those that have a word of its ring
  Card card{};
  FileDescriptor process;
  Mapping bell;
  Mapping ring;
};

// The ring of a peer that has called.
struct alignas(kLine) Inbox {
  Consumer in;
  Offer *coming = nullptr; // its pieces come next
  Peer *peer = nullptr;
  std::int32_t rank = 0;
};

// A large message on offer to us; its address is the ticket.
struct Offer {
  enum class State : std::uint8_t {
    kOffered,
    kCopying, // by us
    kHelped,  // we are done, or have given up; the sender is not done yet
    kAsking,
    kFilling, // by pieces as they come
    kTelling
  };
  Offer *previous = nullptr;
  Offer *next = nullptr;
  Peer *peer = nullptr;
  Inbox *inbox = nullptr;
  std::uint64_t match = 0;
  std::uint64_t length = 0;
  std::uint64_t address = 0; // in the sender's memory
  std::uint64_t id = 0;      // the sender's name for it
  State state = State::kOffered;
  // Once it is taken:
  avrm_status_t status = AVRM_OK;
  avrm_request_t *request = nullptr;
  unsigned char *buffer = nullptr;
  std::uint64_t wanted = 0;
  Part part; // what we copy now, or what is still to come in pieces
  // If the sender was invited to copy, too:
  Share share;
  std::uint32_t turn = 0;
  bool help_over = false; // it has told us
  State after_help = State::kCopying;
  Part missing; // what it could not write
};

// A large message that we offer; lies in the scratch of its request, whose address is the id.
struct Sending {
  Sending *previous = nullptr;
  Sending *next = nullptr;
  avrm_request_t *request = nullptr;
  Peer *peer = nullptr;
  const unsigned char *buffer = nullptr;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  // Once the receiver has asked for it, or for help:
  std::uint64_t ticket = 0;
  std::uint64_t wanted = 0;
  std::uint64_t pushed = 0;
  std::uint64_t address = 0; // where the receiver wants it
  Part missing;              // what we could not write there
  Share share;
  std::uint32_t turn = 0;
  bool has_helped = false; // and has not been asked for since
};
static_assert(sizeof(Sending) <= sizeof(avrm_request_t::scratch));

class OfferPool {
public:
  OfferPool() noexcept = default;
  ~OfferPool();
  OfferPool(const OfferPool &) = delete;
  OfferPool &operator=(const OfferPool &) = delete;
  [[nodiscard]] Offer *take() noexcept; // null without memory
  void give(Offer *offer) noexcept { free_.push_front(offer); }

private:
  struct Slab {
    Slab *next;
    Offer offers[32];
  };
  Slab *slabs_ = nullptr;
  List<Offer> free_;
};

class Endpoint : public avrm_shmmod_t {
public:
  Endpoint(const avrm_shmmod_config_t &config, const avrm_shmmod_ops_t *table) noexcept;
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;

  // What the contract says (shmmod.h).
  [[nodiscard]] avrm_status_t open() noexcept;
  void close() noexcept;
  [[nodiscard]] avrm_status_t card(void *buffer, std::size_t *bytes_p) const noexcept;
  [[nodiscard]] avrm_status_t connect(std::int32_t local_rank, const void *card, std::size_t bytes) noexcept;
  [[nodiscard]] avrm_status_t send(std::int32_t local_rank, std::uint64_t match, const void *buffer, std::size_t bytes,
                                   avrm_request_t *request) noexcept;
  [[nodiscard]] avrm_status_t take(std::int32_t local_rank, std::uint64_t ticket, void *buffer, std::size_t bytes,
                                   avrm_request_t *request) noexcept;
  [[nodiscard]] avrm_status_t am_send(std::int32_t local_rank, const void *header, std::size_t header_bytes,
                                      const void *payload, std::size_t payload_bytes) noexcept;
  int progress() noexcept;
  void peer_failed(std::int32_t local_rank) noexcept;

private:
  // endpoint.cpp
  [[nodiscard]] avrm_status_t map_peer(Peer &peer) noexcept;
  [[nodiscard]] avrm_status_t make_room(Peer &peer) noexcept;
  [[nodiscard]] avrm_status_t ready(Peer &peer) noexcept {
    return peer.out.slot() != nullptr ? AVRM_OK : make_room(peer);
  }
  [[nodiscard]] avrm_status_t send_large(Peer &peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                                         avrm_request_t *request) noexcept;
  void admit_callers() noexcept;
  int drain(Inbox &inbox) noexcept;
  [[nodiscard]] bool handle(Inbox &inbox, std::uint64_t header) noexcept;

  // rendezvous.cpp
  [[nodiscard]] avrm_status_t offer(Peer &peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                                    avrm_request_t *request) noexcept;
  [[nodiscard]] bool on_offer(Inbox &inbox, const Slot &slot) noexcept;
  [[nodiscard]] Sending *offered_to(const Peer &peer, std::uint64_t id) const noexcept;
  void on_pushed(Inbox &inbox, const unsigned char *data, std::size_t bytes) noexcept;
  void on_taken(const Peer &peer, const Slot &slot) noexcept;
  void on_ask(const Peer &peer, const Slot &slot) noexcept;
  void on_chunk(const Peer &peer, const Slot &slot, const unsigned char *data, std::size_t bytes) noexcept;
  int work() noexcept;
  int step(Offer *offer) noexcept;
  int push(Sending *sending) noexcept;
  void finish(Offer *offer) noexcept;
  void end_all_with(const Peer *peer, avrm_status_t status) noexcept;

  // copy.cpp
  void share(Offer *offer) noexcept;
  void unshare(Offer *offer) noexcept;
  [[nodiscard]] bool next_part(Offer *offer) noexcept;
  void give_up(Offer *offer, Offer::State then) noexcept;
  void copy(Offer *offer) noexcept;
  void on_helped(Peer &peer, const Slot &slot) noexcept;
  void on_share(Inbox &inbox, const Slot &slot) noexcept;
  int help(Sending *sending) noexcept;
  [[nodiscard]] bool tell_of_help(const Sending &sending) noexcept;

  avrm_shmmod_config_t config_;
  std::unique_ptr<Peer[]> peers_;
  std::unique_ptr<Inbox[]> inboxes_;
  std::size_t callers_ = 0;        // inboxes in use
  std::uint64_t callers_seen_ = 0; // of the bell's
  Bell *bell_ = nullptr;
  bool in_progress_ = false;
  bool copy_allowed_ = true; // process_vm_readv
  Mapping segment_;
  FileDescriptor segment_fd_;
  SegmentName segment_name_{};
  OfferPool offers_;
  List<Offer> taking_;    // to be moved on by us
  List<Offer> filling_;   // filled by their senders
  List<Sending> offered_; // waiting for their receivers
  List<Sending> moving_;  // to be moved on by us: those that we have helped with, and those that we push
};

} // namespace avrankmap::detail::posix

#endif
