// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The netmod contract: what a transport between nodes offers to the core. A new one starts from netmod/null.
//
// A netmod knows network addresses, not ranks: the core translates first. Every function is called with the device's lock
// held or by its only thread (on a queue of open_queue: with the queue's lock held), so a netmod needs no lock of its own. Nothing blocks: what cannot be done now returns
// AVRM_ERR_AGAIN, and the core makes progress and tries again. Operations end by request->complete(...), from within
// `progress` or at once, from within the posting function; in the second case the posting function returns AVRM_OK, too.
// Functions that put an end to operations (cancel, remove, peer_failed, close) may complete their requests themselves.
//
// Native path and active-message fallback: a netmod says in its capabilities which operations it does itself. The core
// emulates the others with am_send.
#ifndef AVRANKMAP_NETMOD_H
#define AVRANKMAP_NETMOD_H

#include "avrankmap/ave.h"
#include "avrankmap/request.h"

AVRM_BEGIN_DECLS

/// "From anybody", where a receive takes an address.
#define AVRM_ANY_ADDRESS UINT64_MAX

/// One contiguous piece of local memory.
typedef struct avrm_piece {
  void *base;
  size_t bytes;
} avrm_piece_t;

typedef enum avrm_netmod_capability {
  AVRM_NETMOD_PUT = 1,      ///< put and flush
  AVRM_NETMOD_GET = 2,      ///< get
  AVRM_NETMOD_DELIVERS = 4, ///< messages arrive (the null netmod only issues)
} avrm_netmod_capability_t;

typedef struct avrm_netmod_config {
  const char *provider;   ///< a wish, in the transport's own words; null: what its environment says
  bool local_only;        ///< all peers are on this machine: prefer the loopback interface
  int64_t expected_peers; ///< how many peers may be inserted in all; a hint
  /// An active message came in. `data` is valid during the call. Sending from within is allowed.
  void (*on_am)(void *user, const void *data, size_t bytes);
  void *user;
} avrm_netmod_config_t;

/// What every netmod injects at least, in bytes.
#define AVRM_NETMOD_INJECT_MIN 8

/// A netmod that is open. Implementations put their own fields behind these.
typedef struct avrm_netmod {
  const struct avrm_netmod_ops *ops;
  void *user;            ///< the core's, set after open
  size_t inject_max;     ///< tinject takes up to this many bytes, AVRM_NETMOD_INJECT_MIN or more
  size_t am_max;         ///< am_send takes up to this many bytes, header and payload together
  size_t pieces_max;     ///< tsend and trecv take up to this many pieces
  unsigned capabilities; ///< avrm_netmod_capability_t
  /// For how long a process that waits, with more than eight operations under way, leaves the network alone after a look that
  /// found nothing, in nanoseconds; with fewer, for about a sixtieth of it. Where messages come through memory, each look takes
  /// the cache line, or a lock, from the sender that is about to write: looking less often makes all messages cheaper, and
  /// letting several of them come, even more so. 0 where looking disturbs nobody. Devices for several threads do not do this, nor
  /// do those with a shmmod, which then has the peers on the same machine.
  uint32_t lull_ns;
} avrm_netmod_t;

/// Local memory that peers may put into and get from; and a peer's, as its owner described it.
typedef struct avrm_netmod_memory avrm_netmod_memory_t;
typedef struct avrm_netmod_key avrm_netmod_key_t;

/// The longest description of registered memory, in bytes.
#define AVRM_NETMOD_KEY_MAX 512

typedef struct avrm_netmod_ops {
  const char *name;
  avrm_codec_t codec; ///< how addresses are packed into AVEs

  /// Opens the transport. AVRM_ERR_UNSUPPORTED if there is no such provider here.
  avrm_status_t (*open)(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p);
  /// Closes it. Requests that are still under way end with AVRM_ERR_CANCELLED.
  void (*close)(avrm_netmod_t *netmod);
  /// Text of the last native error that a function of this netmod returned, for people; with null: why the last `open` of
  /// this thread failed. Never null.
  const char *(*last_error)(const avrm_netmod_t *netmod);
  /// What is in use, for people: provider and so on. Never null.
  const char *(*describe)(const avrm_netmod_t *netmod);

  /// Own address, to be published. bytes_p: in: room, out: length.
  avrm_status_t (*address)(avrm_netmod_t *netmod, void *buffer, size_t *bytes_p);
  /// Inserts `count` peers whose published addresses lie `pitch` bytes apart. All or none.
  avrm_status_t (*insert)(avrm_netmod_t *netmod, size_t count, const void *addresses, size_t pitch, size_t bytes,
                          uint64_t *handles);
  /// Forgets a peer. Operations with it must be over or end with AVRM_ERR_CANCELLED or AVRM_ERR_PEER.
  void (*remove)(avrm_netmod_t *netmod, uint64_t handle);

  /// Sends at most inject_max bytes; the buffer is free again on return, and there is no completion.
  avrm_status_t (*tinject)(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const void *buffer, size_t bytes);
  avrm_status_t (*tsend)(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces,
                         size_t count, avrm_request_t *request);
  /// Receives a message whose match bits equal `match` but for the bits set in `ignore`. Longer messages than the pieces
  /// hold end with AVRM_ERR_TRUNCATED.
  avrm_status_t (*trecv)(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, uint64_t ignore,
                         const avrm_piece_t *pieces, size_t count, avrm_request_t *request);
  /// Asks for a receive to be cancelled. It ends as usual, with AVRM_ERR_CANCELLED if that came first.
  void (*cancel)(avrm_netmod_t *netmod, avrm_request_t *request);

  /// Sends an active message of header and payload; both are free again on return.
  avrm_status_t (*am_send)(avrm_netmod_t *netmod, uint64_t handle, const void *header, size_t header_bytes,
                           const void *payload, size_t payload_bytes);

  avrm_status_t (*memory_register)(avrm_netmod_t *netmod, void *base, size_t bytes, avrm_netmod_memory_t **memory_p);
  void (*memory_release)(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory);
  /// Describes registered memory for peers.
  avrm_status_t (*memory_describe)(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer, size_t *bytes_p);
  /// Makes a peer's description usable.
  avrm_status_t (*key_open)(avrm_netmod_t *netmod, uint64_t handle, const void *description, size_t bytes,
                            avrm_netmod_key_t **key_p);
  void (*key_close)(avrm_netmod_t *netmod, avrm_netmod_key_t *key);
  /// request: completes when the local buffer is free again (put) or filled (get).
  avrm_status_t (*put)(avrm_netmod_t *netmod, uint64_t handle, avrm_netmod_key_t *key, uint64_t offset,
                       const void *buffer, size_t bytes, avrm_request_t *request);
  avrm_status_t (*get)(avrm_netmod_t *netmod, uint64_t handle, avrm_netmod_key_t *key, uint64_t offset, void *buffer,
                       size_t bytes, avrm_request_t *request);
  /// request: completes when every put to this peer that was posted before is visible in its memory.
  avrm_status_t (*flush)(avrm_netmod_t *netmod, uint64_t handle, avrm_request_t *request);

  /// Moves everything on. Returns the number of things that happened.
  int (*progress)(avrm_netmod_t *netmod);
  /// The core knows that the process behind this peer has died: operations with it end with AVRM_ERR_PEER.
  void (*peer_failed)(avrm_netmod_t *netmod, uint64_t handle);

  // For the fast path. Null where the transport has no such thing.

  /// Opens another work queue of the same network, which may be used beside the first from another thread. It sends and puts;
  /// nothing is received by it. Peers are inserted into it like into the first, and have other handles there. It is closed by
  /// `close`, before the first. AVRM_ERR_UNSUPPORTED if there can be none.
  avrm_status_t (*open_queue)(avrm_netmod_t *netmod, avrm_netmod_t **queue_p);
  /// What the inlined put needs of a peer's memory: remote address of its first byte, and the key. A key that takes more
  /// than that is AVRM_ERR_UNSUPPORTED.
  avrm_status_t (*key_values)(avrm_netmod_t *netmod, avrm_netmod_key_t *key, uint64_t *remote_p, uint64_t *key_p);
  /// Puts at most inject_max bytes at a remote address; the buffer is free again on return, and there is no completion but
  /// that of a later flush.
  avrm_status_t (*put_inject)(avrm_netmod_t *netmod, uint64_t handle, uint64_t remote, uint64_t key, const void *buffer,
                              size_t bytes);
} avrm_netmod_ops_t;

AVRM_END_DECLS

#endif
