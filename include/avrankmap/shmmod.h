// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shmmod contract: what a transport within a node offers to the core.
//
// Peers are local ranks. A message is offered to the receiving core as an arrival; the core matches it, since matching
// within the node is the core's business, and takes the data at once or later. The same rules as for netmods: nothing
// blocks, one caller at a time, AVRM_ERR_AGAIN pushes back. The callbacks run within `progress`; they may send and take, and
// progress made by them does nothing. A process whose requests are all done owes its peers no further progress.
#ifndef AVRANKMAP_SHMMOD_H
#define AVRANKMAP_SHMMOD_H

#include "avrankmap/netmod.h"

AVRM_BEGIN_DECLS

/// A message that has arrived or is on offer. Valid during the call.
typedef struct avrm_arrival {
  int32_t local_rank; ///< sender
  uint64_t match;     ///< match bits
  uint64_t bytes;     ///< length of the message
  const void *data;   ///< the whole message, if it came with its header; else null
  uint64_t ticket;    ///< else: what `take` wants
} avrm_arrival_t;

typedef struct avrm_shmmod_config {
  int32_t local_rank;
  int32_t local_size;
  /// False if the core has no memory for it: the message waits where it is, and all behind it of the same sender, and is
  /// offered again.
  bool (*on_message)(void *user, const avrm_arrival_t *arrival);
  void (*on_am)(void *user, const void *data, size_t bytes);
  void *user;
} avrm_shmmod_config_t;

typedef struct avrm_shmmod {
  const struct avrm_shmmod_ops *ops;
  size_t inject_max; ///< send takes up to this many bytes without a request
  size_t am_max;
} avrm_shmmod_t;

/// Window memory that local peers can map.
typedef struct avrm_shmmod_memory avrm_shmmod_memory_t;

typedef struct avrm_shmmod_ops {
  const char *name;

  avrm_status_t (*open)(const avrm_shmmod_config_t *config, avrm_shmmod_t **shmmod_p);
  void (*close)(avrm_shmmod_t *shmmod);

  /// Own card, to be published; and a peer's, at first contact.
  avrm_status_t (*card)(avrm_shmmod_t *shmmod, void *buffer, size_t *bytes_p);
  avrm_status_t (*connect)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *card, size_t bytes);

  /// Sends a message. With request null (at most inject_max bytes) the buffer is free on return; else the request
  /// completes when it is.
  avrm_status_t (*send)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t match, const void *buffer, size_t bytes,
                        avrm_request_t *request);
  /// Takes up to `bytes` bytes of a message on offer and lets its sender go on. The request completes when they are
  /// there; with the sender's match bits and the message's full length, and AVRM_ERR_TRUNCATED if that is more than
  /// `bytes`. Every message on offer has to be taken, if only with 0 bytes.
  avrm_status_t (*take)(avrm_shmmod_t *shmmod, int32_t local_rank, uint64_t ticket, void *buffer, size_t bytes,
                        avrm_request_t *request);
  avrm_status_t (*am_send)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *header, size_t header_bytes,
                           const void *payload, size_t payload_bytes);

  /// Memory that peers of the node can map; its description; a peer's memory, mapped here: `least` bytes of it or more, else
  /// AVRM_ERR_SIZE.
  avrm_status_t (*memory_allocate)(avrm_shmmod_t *shmmod, size_t bytes, void **base_p, avrm_shmmod_memory_t **memory_p);
  void (*memory_release)(avrm_shmmod_t *shmmod, avrm_shmmod_memory_t *memory);
  avrm_status_t (*memory_describe)(avrm_shmmod_t *shmmod, avrm_shmmod_memory_t *memory, void *buffer, size_t *bytes_p);
  avrm_status_t (*memory_map)(avrm_shmmod_t *shmmod, int32_t local_rank, const void *description, size_t bytes,
                              uint64_t least, void **base_p, avrm_shmmod_memory_t **memory_p);

  int (*progress)(avrm_shmmod_t *shmmod);
  /// The core knows that this process has died: operations with it end with AVRM_ERR_PEER.
  void (*peer_failed)(avrm_shmmod_t *shmmod, int32_t local_rank);
} avrm_shmmod_ops_t;

AVRM_END_DECLS

#endif
