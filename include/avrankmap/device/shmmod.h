// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shmmod contract: what the core (the part of the device above the transports) requires of a
// transport within a node.
//
// Peers are identified by their local ranks. The shmmod offers each message to the receiver's
// core as an arrival. The core matches it, and takes the data at once or later. The rules of
// netmods apply (netmod.h): nothing blocks, AVRM_ERR_AGAIN asks the core to repeat the call, and
// there is one caller at a time. Operations return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM,
// AVRM_ERR_TRANSPORT or a status stated for them below; send, send_sync, take and am_send may also
// return AVRM_ERR_AGAIN and AVRM_ERR_PEER. on_message and on_am are called within `progress`. They
// may call send, am_send and take; a nested `progress` does nothing. relay and on_apart may be
// called within any operation.
//
// Once its requests have completed, a process need not make progress for its peers' sake.
#ifndef AVRANKMAP_DEVICE_SHMMOD_H
#define AVRANKMAP_DEVICE_SHMMOD_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// A message that a shmmod offers to the core. Valid until on_message returns.
typedef struct avrm_arrival {
  int32_t local_rank; ///< sender
  uint64_t match;     ///< match bits
  uint64_t bytes;     ///< length of the message
  const void *data;   ///< the whole message, if it came with its header; otherwise null
  uint64_t ticket;    ///< argument of `take`, if data is null
} avrm_arrival_t;

/// The arguments of a shmmod's `open`.
typedef struct avrm_shmmod_config {
  int32_t local_rank;
  int32_t local_size;
  /// The shmmod calls these when a message or an active message arrives. They return false if the
  /// core lacks memory for it: the shmmod then keeps it in place, with all later ones from the same
  /// sender, and offers it again.
  bool (*on_message)(void *user, const avrm_arrival_t *arrival);
  bool (*on_am)(void *user, const void *data, size_t bytes);
  void *user;
  // For peers whose memory cannot be attached although their cards indicate that it can.
  int32_t process;  ///< number of this process, by which peers' shmmods identify it to `relay`
  size_t relay_max; ///< maximum bytes of header and payload of `relay` together
  /// Sends bytes over the network to `relayed` of that process's shmmod. Messages may overtake each
  /// other. Makes no progress. Null: there is no network, and `connect` returns an error.
  avrm_status_t (*relay)(void *user, int32_t process, const void *header, size_t header_bytes, const void *payload,
                         size_t payload_bytes);
  /// Called once for a peer that is from now on reached through `relay`. `reason` is the status of
  /// the attempt to attach its memory.
  void (*on_apart)(void *user, int32_t process, avrm_status_t reason);
} avrm_shmmod_config_t;

/// An open shmmod.
typedef struct avrm_shmmod {
  /// As in avrm_netmod_t.
  const struct avrm_shmmod_ops *ops;
  size_t inject_max; ///< maximum bytes of a send without a request
  size_t am_max;
} avrm_shmmod_t;

/// Window memory that local peers can map.
typedef struct avrm_shmmod_memory avrm_shmmod_memory_t;

/// As AVRM_NETMOD_VERSION.
#define AVRM_SHMMOD_VERSION 2

/// The operations of a shmmod. Size and version are checked as for netmods: a table may end after
/// peer_failed, and the core treats missing operations as null.
typedef struct avrm_shmmod_ops {
  size_t bytes;     ///< of the table: sizeof(avrm_shmmod_ops_t)
  uint32_t version; ///< AVRM_SHMMOD_VERSION
  const char *name;

  // Required.

  /// Opens the transport.
  /// @return also AVRM_ERR_UNSUPPORTED (no other process can reach this one; the core then uses the
  ///         network alone)
  avrm_status_t (*open)(const avrm_shmmod_config_t *config, avrm_shmmod_t **shmmod_p);
  /// Closes the transport. Pending requests complete with AVRM_ERR_CANCELLED.
  void (*close)(avrm_shmmod_t *shmmod);

  /// `card` writes this process's card, which the core then publishes, to a buffer of *bytes_p
  /// bytes, and sets *bytes_p to the card's length. `connect` connects to a peer by its card, at
  /// first contact. It may also return AVRM_ERR_PEER, AVRM_ERR_SIZE (not a card of this shmmod) and
  /// AVRM_ERR_UNSUPPORTED (the peer's memory cannot be attached).
  avrm_status_t (*card)(avrm_shmmod_t *shmmod, void *buffer, size_t *bytes_p);
  avrm_status_t (*connect)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *card, size_t bytes);

  /// Sends a message. Without a request (at most inject_max bytes) the buffer may be reused on
  /// return, otherwise when the request completes.
  avrm_status_t (*send)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t match, const void *buffer, size_t bytes,
                        avrm_request_t *request);
  /// Takes up to `bytes` bytes of an offered message, and lets its sender's request complete.
  /// `request` completes when these bytes have arrived, with the match bits and the full length of
  /// the message, and with AVRM_ERR_TRUNCATED if that length exceeds `bytes`. Every message that
  /// arrived without data must be taken, even if only with 0 bytes.
  avrm_status_t (*take)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t ticket, void *buffer, size_t bytes,
                        avrm_request_t *request);
  avrm_status_t (*am_send)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *header, size_t header_bytes,
                           const void *payload, size_t payload_bytes);

  /// memory_allocate allocates memory that peers on the node can map, and memory_describe writes
  /// its description, of at most 256 bytes. memory_map maps a peer's memory; it returns
  /// AVRM_ERR_SIZE if the memory has fewer than `least` bytes. memory_release frees memory that was
  /// allocated, and unmaps memory that was mapped.
  /// @param at  address that the memory must have; AVRM_ERR_UNSUPPORTED if it cannot be placed
  ///            there. Null: any address; AVRM_ERR_UNSUPPORTED if a limit forbids shared memory of
  ///            this size, and the core then uses private memory
  avrm_status_t (*memory_allocate)(avrm_shmmod_t *shmmod, void *at, size_t bytes, void **base_p,
                                   avrm_shmmod_memory_t **memory_p);
  void (*memory_release)(avrm_shmmod_t *shmmod, avrm_shmmod_memory_t *memory);
  avrm_status_t (*memory_describe)(avrm_shmmod_t *shmmod, avrm_shmmod_memory_t *memory, void *buffer, size_t *bytes_p);
  avrm_status_t (*memory_map)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *description, size_t bytes,
                              uint64_t least, void **base_p, avrm_shmmod_memory_t **memory_p);

  /// Makes progress on all operations. Returns the number of events, as in netmod.h.
  int (*progress)(avrm_shmmod_t *shmmod);
  /// Called when the core knows that this peer has failed: pending operations with it complete with
  /// AVRM_ERR_PEER.
  void (*peer_failed)(avrm_shmmod_t *shmmod, int32_t local_rank);

  // The remaining operations may be null; arm and disarm must both be null or both be set.

  /// Prepares for sleep, as in netmod.h. Null: this transport cannot wake its process.
  avrm_status_t (*arm)(avrm_shmmod_t *shmmod, int *descriptor_p);
  /// Called after an `arm` that returned AVRM_OK, when the process is awake.
  void (*disarm)(avrm_shmmod_t *shmmod);

  /// Receives what a peer's shmmod has passed to `relay`. May be called at any time, even within
  /// `progress`. Null: this shmmod does not relay.
  void (*relayed)(avrm_shmmod_t *shmmod, const void *data, size_t bytes);

  /// Sends a message of any length as `send` does. The request does not complete before the peer's
  /// core has matched the message. Therefore the message arrives without data: after matching it,
  /// the peer's core calls `take`, even if only for 0 bytes. Null: the sender's core sets
  /// AVRM_MATCH_SYNC in the match bits, and the receiver's core acknowledges by am_send.
  avrm_status_t (*send_sync)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t match, const void *buffer,
                             size_t bytes, avrm_request_t *request);
} avrm_shmmod_ops_t;

AVRM_END_DECLS

#endif
