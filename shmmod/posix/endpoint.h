// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One process's end of the shared-memory transport.
//
//   segment of a process:  | bell | ring of local rank 0 | ring of local rank 1 | ...
//
// A sender maps the bell and its own ring of the receiver's segment. Its first record is its card
// (see below), so that the receiver can answer without the core. Then it sets its bit in the bell
// and increments the count there. The receiver polls that count, which stays in its cache until a
// sender changes it, and the next header of each ring whose sender has set its bit. A sleeping
// receiver sets a word in the bell, and its senders wake it (doorbell.h).
#ifndef AVRANKMAP_SHMMOD_POSIX_ENDPOINT_H
#define AVRANKMAP_SHMMOD_POSIX_ENDPOINT_H

#include <memory>

#include "avrankmap/device/shmmod.h"
#include "posix/copy_claims.h"
#include "posix/copy_method.h"
#include "posix/doorbell.h"
#include "posix/list.h"
#include "posix/relay.h"
#include "posix/ring.h"
#include "posix/shm_file.h"

namespace avrankmap::detail::posix {

// At the start of a segment. The bits of the senders follow, 64 per word.
struct alignas(kLine) Bell {
  std::uint64_t callers; // senders that have set their bit; incremented afterwards
  std::uint32_t asleep;  // doorbell.h
};

// What a peer needs to connect to a process.
struct Card {
  static constexpr std::uint32_t kMagic = 0x61767034; // changed with the layout of anything shared
  std::uint32_t magic;
  std::int32_t local_rank;
  std::int32_t process; // number of the process in the core
  std::int32_t pipe;    // file descriptor
  std::uint64_t pipe_inode;
  ShmFileName shm_file;
};
static_assert(sizeof(Card) <= kInlineMax, "it travels as one record");

struct Offer;
struct Sending;

// The size is a power of two, so that a send finds its peer with one shift.
struct alignas(4 * kLine) Peer {
  enum class State : std::uint8_t {
    kUnknown,
    kKnown,     // this process has the peer's card
    kMapped,    // this process has mapped the peer's ring, or relays
    kConnected, // the peer has this process's card
    kFailed
  };
  Producer out;
  State state = State::kUnknown;
  bool calls = false;        // the peer has rung this process's bell
  bool relays = false;       // the peer's records come over the network
  bool copy_refused = false; // process_vm_readv from the peer is not permitted
  bool help_refused = false; // process_vm_writev to the peer is not permitted
  bool help_useless = false; // the peer's process_vm_writev to this process is not permitted
  // Number of consecutive large messages that no other record followed, up to CopyClaims::kSingles.
  std::uint8_t singles = CopyClaims::kSingles;
  std::uint32_t turn = 0; // number of the last copy to which the peer was invited
  FileDescriptor process;
  Offer *shared[kShares]{}; // offers that use a claim word of the peer's ring
  Card card{};
  Mapping bell;
  Mapping ring;
  std::unique_ptr<Relay> relay; // instead of `bell` and `ring`
  std::uint64_t slots_told = 0; // last count sent to a relaying peer
  // Large messages to and from the peer. Separate lists for each peer, because each reply searches
  // one, and others may leave any number of messages waiting.
  List<Sending> offered; // waiting for their receiver
  List<Offer> filling;   // to be filled by their sender
};
static_assert(sizeof(Peer) == 4 * kLine);

// The ring of a peer that has rung the bell.
struct alignas(kLine) Inbox {
  Consumer in;
  Offer *coming = nullptr; // the message whose pieces arrive next
  Peer *peer = nullptr;
  std::int32_t rank = 0;
};

// A large message offered to this process. The address of this record is the ticket.
struct Offer {
  enum class State : std::uint8_t {
    kOffered,
    kCopying, // this process is copying
    // This process has finished or given up, but the sender has not.
    kHelped,
    kAsking,
    kFilling, // pieces are copied as they arrive
    kTelling
  };
  Offer *previous = nullptr;
  Offer *next = nullptr;
  Peer *peer = nullptr;
  Inbox *inbox = nullptr;
  std::uint64_t match = 0;
  std::uint64_t length = 0;
  std::uint64_t address = 0; // in the sender's memory
  std::uint64_t id = 0;      // the sender's identifier
  State state = State::kOffered;
  // After it was taken:
  avrm_status_t status = AVRM_OK;
  avrm_request_t *request = nullptr;
  unsigned char *buffer = nullptr;
  std::uint64_t wanted = 0;
  ByteRange part; // being copied now, or still to come in pieces
  // If the sender was invited to copy:
  CopyClaims share;
  std::uint32_t turn = 0;
  bool help_over = false; // the sender has sent kHelped
  State after_help = State::kCopying;
  ByteRange missing;     // the part that the sender could not write
  bool is_timed = false; // Endpoint::copy_methods_ times it
};

// A large message that this process offers. This record is stored in the scratch of the request;
// its address is the id.
struct Sending {
  Sending *previous = nullptr;
  Sending *next = nullptr;
  avrm_request_t *request = nullptr;
  Peer *peer = nullptr;
  const unsigned char *buffer = nullptr;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  // Set when the receiver has requested the message, or help:
  std::uint64_t ticket = 0;
  std::uint64_t wanted = 0;
  std::uint64_t pushed = 0;
  std::uint64_t address = 0; // destination in the receiver's memory
  ByteRange missing;         // the part that could not be written there
  CopyClaims share;
  std::uint32_t turn = 0;
  bool has_helped = false; // since it was last invited
};
static_assert(sizeof(Sending) <= sizeof(avrm_request_t::scratch));

class OfferPool {
public:
  OfferPool() noexcept = default;
  ~OfferPool();
  OfferPool(const OfferPool &) = delete;
  OfferPool &operator=(const OfferPool &) = delete;
  [[nodiscard]] Offer *take() noexcept; // null if out of memory
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

  // The operations of shmmod.h.
  [[nodiscard]] avrm_status_t open() noexcept;
  void close() noexcept;
  [[nodiscard]] avrm_status_t card(void *buffer, std::size_t *bytes_p) const noexcept;
  [[nodiscard]] avrm_status_t connect(std::int32_t local_rank, const void *card, std::size_t bytes) noexcept;
  [[nodiscard]] avrm_status_t send(std::int32_t local_rank, std::uint64_t match, const void *buffer, std::size_t bytes,
                                   avrm_request_t *request) noexcept;
  [[nodiscard]] avrm_status_t send_sync(std::int32_t local_rank, std::uint64_t match, const void *buffer,
                                        std::size_t bytes, avrm_request_t *request) noexcept;
  [[nodiscard]] avrm_status_t take(std::int32_t local_rank, std::uint64_t ticket, void *buffer, std::size_t bytes,
                                   avrm_request_t *request) noexcept;
  [[nodiscard]] avrm_status_t am_send(std::int32_t local_rank, const void *header, std::size_t header_bytes,
                                      const void *payload, std::size_t payload_bytes) noexcept;
  int progress() noexcept;
  [[nodiscard]] avrm_status_t arm(int *descriptor_p) noexcept;
  void disarm() noexcept { wakeup_receiver_.end_sleep(); }
  void peer_failed(std::int32_t local_rank) noexcept;
  void relayed(const void *data, std::size_t bytes) noexcept;

  // Used by relaying_ops().

  // Sends the records for a peer over the network. Returns AVRM_OK if none is left.
  [[nodiscard]] avrm_status_t carry_to(std::int32_t local_rank) noexcept;
  // Sends the records for all peers, and counts to relaying peers. Adds the number of records to
  // `*events_p`. Returns true if nothing is left.
  bool carry_all(int *events_p) noexcept;

private:
  // endpoint.cpp
  [[nodiscard]] bool is_card_of(const Card &card, std::int32_t local_rank) const noexcept;
  [[nodiscard]] avrm_status_t map_peer(Peer &peer) noexcept;
  [[nodiscard]] RingMemory *ring_of(std::int32_t sender) const noexcept;
  static void ring_bell(Bell *bell, std::int32_t caller) noexcept;
  [[nodiscard]] avrm_status_t make_room(Peer &peer) noexcept;
  [[nodiscard]] avrm_status_t ready(Peer &peer) noexcept {
    return peer.out.slot() != nullptr ? AVRM_OK : make_room(peer);
  }
  [[nodiscard]] avrm_status_t send_large(Peer &peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                                         avrm_request_t *request) noexcept;
  void admit_callers() noexcept;
  [[nodiscard]] bool has_mail() const noexcept;
  int drain(Inbox &inbox) noexcept;
  [[nodiscard]] bool handle(Inbox &inbox, std::uint64_t header) noexcept;
  void on_hello(const Inbox &inbox, const Slot &slot, std::size_t length) noexcept;
  void handle_reply(Inbox &inbox, const Slot &slot, Kind kind) noexcept;
  [[nodiscard]] bool handle_data(Inbox &inbox, const Slot &slot, Kind kind, std::size_t length) noexcept;

  // relay.cpp
  [[nodiscard]] avrm_status_t begin_relay(Peer &peer, avrm_status_t failure, const FileDescriptor &process) noexcept;
  [[nodiscard]] avrm_status_t carry(Relay &relay) noexcept;
  [[nodiscard]] bool tell_counts(const Inbox &inbox) noexcept;

  // rendezvous.cpp
  [[nodiscard]] avrm_status_t offer(Peer &peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                                    avrm_request_t *request) noexcept;
  [[nodiscard]] bool on_offer(Inbox &inbox, const Slot &slot) noexcept;
  void on_pushed(Inbox &inbox, const unsigned char *data, std::size_t bytes) noexcept;
  static void on_taken(Peer &peer, const Slot &slot) noexcept;
  void on_ask(Peer &peer, const Slot &slot) noexcept;
  void on_chunk(const Peer &peer, const Slot &slot, const unsigned char *data, std::size_t bytes) noexcept;
  int work() noexcept;
  int step(Offer *offer) noexcept;
  int push(Sending *sending) noexcept;
  [[nodiscard]] CopyMethod choose_method(Offer *offer) noexcept;
  void finish(Offer *offer) noexcept;
  void await_sender(Offer *offer) noexcept;
  void stop_awaiting_sender(Offer *offer) noexcept;
  void end_all_with(Peer &peer, avrm_status_t status) noexcept;

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
  std::size_t callers_ = 0;        // number of inboxes in use
  std::uint64_t callers_seen_ = 0; // value of the bell's count when last read
  Bell *bell_ = nullptr;
  bool in_progress_ = false;
  bool copy_allowed_ = true; // process_vm_readv may be used
  CopyMethodChoice copy_methods_;
  Mapping shm_mapping_;
  FileDescriptor shm_file_;
  ShmFileName shm_file_name_{};
  WakeupReceiver wakeup_receiver_;
  WakeupPipe wakeup_pipe_;
  Relay *relays_ = nullptr;
  OfferPool offers_;
  List<Offer> taking_;            // to be advanced by this process
  std::size_t filling_count_ = 0; // on the lists of all peers
  // To be advanced by this process, which helps to copy them or pushes them.
  List<Sending> moving_;
};

// Returns the operations of an endpoint that has relays, or is reached through one (posix.cpp).
[[nodiscard]] const avrm_shmmod_ops_t *relaying_ops() noexcept;

} // namespace avrankmap::detail::posix

#endif
