// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shmmod contract: what the core requires of a transport within a node.
//
// Peers are local ranks. The shmmod offers each message to the receiving core as an arrival. The
// core matches it, and takes the data at once or later. The rules of netmods hold: nothing blocks,
// AVRM_ERR_AGAIN asks to repeat, and there is one caller at a time. Callbacks run within
// `progress`. They may send and take; progress that they make does nothing.
//
// A process whose requests have completed owes its peers no further progress.
#ifndef AVRANKMAP_DEVICE_SHMMOD_H
#define AVRANKMAP_DEVICE_SHMMOD_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// A message that has arrived or is offered. Valid during the call.
typedef struct avrm_arrival {
  int32_t local_rank; ///< sender
  uint64_t match;     ///< match bits
  uint64_t bytes;     ///< length of the message
  const void *data;   ///< the whole message, if it came with its header; else null
  uint64_t ticket;    ///< argument of `take`, if data is null
} avrm_arrival_t;

typedef struct avrm_shmmod_config {
  int32_t local_rank;
  int32_t local_size;
  /// Returns false if the core has no memory for the message. It then stays where it is, with all
  /// later ones of the same sender, and is offered again.
  bool (*on_message)(void *user, const avrm_arrival_t *arrival);
  void (*on_am)(void *user, const void *data, size_t bytes);
  void *user;
  // For peers whose memory cannot be attached although their cards said so.
  int32_t process;  ///< number of this process, by which peers' shmmods name it to `relay`
  size_t relay_max; ///< maximum bytes of header and payload of `relay` together
  /// Carries bytes over the network to `relayed` of that process's shmmod. Messages may overtake
  /// one another. Makes no progress. Null: there is no network, and `connect` returns a status.
  avrm_status_t (*relay)(void *user, int32_t process, const void *header, size_t header_bytes, const void *payload,
                         size_t payload_bytes);
  /// Called once for a peer that is reached through `relay` from now on. `reason`: the status of
  /// the attempt to attach its memory.
  void (*on_apart)(void *user, int32_t process, avrm_status_t reason);
} avrm_shmmod_config_t;

typedef struct avrm_shmmod {
  /// As in avrm_netmod_t.
  const struct avrm_shmmod_ops *ops;
  size_t inject_max; ///< maximum bytes of a send without a request
  size_t am_max;
} avrm_shmmod_t;

/// Window memory that local peers can map.
typedef struct avrm_shmmod_memory avrm_shmmod_memory_t;

/// As AVRM_NETMOD_VERSION.
#define AVRM_SHMMOD_VERSION 1

/// The operations of a shmmod. The size and the version are those of netmods: a table may end
/// behind peer_failed, and the operations behind its end are null for the core.
typedef struct avrm_shmmod_ops {
  size_t bytes;     ///< of the table: sizeof(avrm_shmmod_ops_t)
  uint32_t version; ///< AVRM_SHMMOD_VERSION
  const char *name;

  // Required.

  /// Returns AVRM_ERR_UNSUPPORTED if no other process can reach this one. The core then uses the
  /// network alone.
  avrm_status_t (*open)(const avrm_shmmod_config_t *config, avrm_shmmod_t **shmmod_p);
  void (*close)(avrm_shmmod_t *shmmod);

  /// Writes the own card, which the core publishes; connects to a peer by its card at first
  /// contact.
  avrm_status_t (*card)(avrm_shmmod_t *shmmod, void *buffer, size_t *bytes_p);
  avrm_status_t (*connect)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *card, size_t bytes);

  /// Sends a message. Without a request (at most inject_max bytes) the buffer is free on return;
  /// else the request completes when it is.
  avrm_status_t (*send)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t match, const void *buffer, size_t bytes,
                        avrm_request_t *request);
  /// Takes up to `bytes` bytes of an offered message and releases its sender. The request completes
  /// when they have arrived, with the match bits and the full length of the message, and with
  /// AVRM_ERR_TRUNCATED if that exceeds `bytes`. Every offered message must be taken, if only with
  /// 0 bytes.
  avrm_status_t (*take)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t ticket, void *buffer, size_t bytes,
                        avrm_request_t *request);
  avrm_status_t (*am_send)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *header, size_t header_bytes,
                           const void *payload, size_t payload_bytes);

  /// Allocates memory that peers on the node can map; writes its description, of 256 bytes at most;
  /// maps a peer's memory, which returns AVRM_ERR_SIZE if it has fewer than `least` bytes.
  /// @param at  where the memory is to be, or AVRM_ERR_UNSUPPORTED is returned; null: anywhere, and
  ///            AVRM_ERR_UNSUPPORTED if a limit forbids shared memory of this size. The core then
  ///            takes private memory
  avrm_status_t (*memory_allocate)(avrm_shmmod_t *shmmod, void *at, size_t bytes, void **base_p,
                                   avrm_shmmod_memory_t **memory_p);
  void (*memory_release)(avrm_shmmod_t *shmmod, avrm_shmmod_memory_t *memory);
  avrm_status_t (*memory_describe)(avrm_shmmod_t *shmmod, avrm_shmmod_memory_t *memory, void *buffer, size_t *bytes_p);
  avrm_status_t (*memory_map)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *description, size_t bytes,
                              uint64_t least, void **base_p, avrm_shmmod_memory_t **memory_p);

  int (*progress)(avrm_shmmod_t *shmmod);
  /// Called when the core knows that this process has died: pending operations with it complete
  /// with AVRM_ERR_PEER.
  void (*peer_failed)(avrm_shmmod_t *shmmod, int32_t local_rank);

  // The others may be null; arm and disarm both.

  /// As in netmod.h. Null: this transport cannot wake its process.
  avrm_status_t (*arm)(avrm_shmmod_t *shmmod, int *descriptor_p);
  /// Called after an `arm` that returned AVRM_OK, when the process is awake.
  void (*disarm)(avrm_shmmod_t *shmmod);

  /// Takes what a peer's shmmod has given to `relay`. May be called at any time, also within
  /// `progress`. Null: this shmmod relays nothing.
  void (*relayed)(avrm_shmmod_t *shmmod, const void *data, size_t bytes);
} avrm_shmmod_ops_t;

AVRM_END_DECLS

#endif
