// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The netmod contract: what the core requires of a transport between nodes, and no more. A device
// uses a netmod of its build, by name, or one whose operations the caller supplies
// (avrm_device_options_t). tests/tour/datagram has a minimal netmod, explained step by step;
// avrm-netmod-test checks a netmod against this contract.
//
// A netmod handles network addresses, not ranks: the core translates ranks first. A netmod's
// capabilities are the operations that it performs itself (native path), and properties of these
// and of its keys. The core emulates other operations with am_send (active-message fallback).
// AVRM_NETMOD_PUT_INJECT and AVRM_NETMOD_ATOMIC require AVRM_NETMOD_PUT. Without
// AVRM_NETMOD_DELIVERS, AVRM_NETMOD_PUT requires AVRM_NETMOD_PLAIN_KEYS.
//
// Versions. A table of operations begins with its size and a version. A device accepts tables of
// its own version that are long enough for all required operations and no longer than its own
// table; for others it returns AVRM_ERR_VERSION. Therefore a netmod that was compiled with older
// headers stays valid as long as AVRM_NETMOD_VERSION does not change. A device calls through this
// table. If the table is shorter than the device's own, or lacks fp_tinject or fp_put_inject, it
// calls through a copy, in which these two, where missing, are functions of the core, and other
// missing operations are null.
//
// Operations. The last column lists the statuses that an operation may return in addition to
// AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM and AVRM_ERR_TRANSPORT, which any may return. A
// device returns AVRM_ERR_OPTION for a table that lacks a required operation, and for a netmod that
// lacks an operation of one of its capabilities or has only one of tprobe and trecv_claimed.
//
//   operation                      may be null           the core then                     returns
//   -----------------------------  --------------------  --------------------------------  -------
//   open                           never                                                   U
//   close, last_error, describe    never
//   address, insert                never                                                   S
//   remove                         never
//   tinject, tsend                 never                                                   A P
//   trecv                          never                                                   A
//   cancel, progress, peer_failed  never
//   am_send                        never                                                   A P U
//   tprobe, trecv_claimed          both together         returns AVRM_ERR_UNSUPPORTED      A U
//                                                        from probes of the network
//   memory_register, _release,     neither PUT nor GET   emulates puts and gets            S
//   _describe, key_close
//   key_open                       neither PUT nor GET   emulates puts and gets            P
//   memory_values                  without PLAIN_KEYS    asks each target
//   put, flush                     without PUT           emulates puts                     A P
//   get                            without GET           emulates gets                     A P
//   atomic                         without ATOMIC        emulates atomics                  A P
//   put_inject                     without PUT_INJECT    calls put for small data as well  A P
//   arm                            always                polls at growing intervals        A U
//   open_queue                     always                uses only the netmod itself       U
//   fp_tinject, fp_put_inject      always                calls tinject, put_inject         P
//   tsend_sync                     without SYNC          sends by tinject or tsend, and    A P
//                                                        acknowledges by am_send
//
// A, P, S, U: AVRM_ERR_AGAIN, AVRM_ERR_PEER, AVRM_ERR_SIZE (only of address and memory_describe, if
// the buffer is too small, and of insert, if no address has that length), AVRM_ERR_UNSUPPORTED. A
// netmod whose tags are shorter than 64 bits also returns AVRM_ERR_LIMIT for match bits that do not
// fit. Capabilities are written without their prefix: PUT is AVRM_NETMOD_PUT.
//
// Order of calls. `open` is called first, then `address`, once. A handle is used from the `insert`
// that returned it to its `remove`, a key from key_open to key_close, and registered memory until
// memory_release. `arm` is called after a `progress` that returned 0, possibly several times before
// `progress` is called again, and the caller does not always sleep afterwards. `close` is called
// last; peers, requests and keys may still exist then, but no queues and no registered memory.
// `last_error` is called after the call that failed.
//
// Statuses. No operation blocks. (Exceptions: fp_tinject and fp_put_inject wait until the network
// accepts the message, and `close` may wait for what it must deliver, for a second or so.) tinject,
// tsend, tsend_sync, trecv, tprobe, trecv_claimed, am_send, put, get, flush, put_inject and atomic
// return AVRM_ERR_AGAIN if they cannot accept the operation now; the core makes progress and
// repeats the call. They may do so any number of times, but must accept the operation at some point
// while this process and the peer make progress. Conversely, they must not accept messages without
// limit for a peer that makes no progress. This concerns tinject and am_send, whose data the netmod
// has to copy; operations with a request may always be accepted, since their data remain in the
// caller's buffers. Other operations do not return AVRM_ERR_AGAIN, except `arm`, for which it has
// another meaning.
//
// If an operation (except trecv_claimed) returns an error, nothing was sent or posted, and its
// request is not completed: the core may repeat the call, whatever the error was. AVRM_ERR_PEER
// means that the peer has failed, or that the connection to it is broken. After AVRM_ERR_TRANSPORT
// the core reports last_error.
//
// Requests. An operation that was accepted completes its request once, by request->complete(...),
// within `progress` or within the function that posted it, which then returns AVRM_OK. cancel,
// remove, peer_failed and close may complete the requests that they end. There is no limit on how
// late a request completes: that of tsend may wait for the receive, and that of tsend_sync does.
// The status is AVRM_OK, AVRM_ERR_TRUNCATED (receives), AVRM_ERR_CANCELLED (after cancel, remove or
// close), AVRM_ERR_PEER, AVRM_ERR_TRANSPORT or, for receives, AVRM_ERR_SYSTEM (see Failures).
// `match` and `bytes` are used for receives that are complete or truncated (match bits and length
// of the message), and `bytes` also for gets.
//
// Order. Two messages from one process to another may match the same receive if their match bits
// differ only in the tag (AVRM_MATCH_TAG_MASK) or in AVRM_MATCH_SYNC. Such messages are matched in
// the order in which tinject, tsend and tsend_sync accepted them. A message matches the first
// receive that fits, in the order in which trecv accepted them. Active messages from one process to
// another arrive in the order in which am_send accepted them. Atomics take effect in the order of
// the calls. No other order is guaranteed, in particular none between messages and active messages,
// messages of different contexts, operations of different queues, or puts and gets (except by
// flush).
//
// Ownership. Until the call returns, the netmod may read: buffers of tinject, am_send and
// put_inject, arrays of pieces, addresses, descriptions, and the configuration, of which it copies
// what it needs later. Until the request completes, it owns the buffers of tsend, tsend_sync,
// trecv, put and get, and the result and several operands of an atomic; it does not access them
// afterwards. `scratch`
// and `op` of a request belong to the netmod from the call until it returns an error or completes
// the request. Data passed to on_am may have any alignment, and belong to the core until on_am
// returns.
//
// Callbacks. on_am and on_lost are only called within `progress`. In on_am the core may call
// am_send, insert, memory_describe, key_open, key_close and last_error of the netmod and its
// queues; in on_lost and request->complete it calls no operation. Therefore `progress` is not
// re-entered. A message that on_am does not take is offered again in a later call of `progress`,
// before later ones of the same process; until then it occupies one of the netmod's buffers. A
// netmod calls nothing in the library except request->complete, on_am, on_lost, the allocator, and
// inline functions of headers, so a netmod in a shared object needs no symbol of the library.
//
// Failures. A netmod is not required to detect that a peer has failed; if it does, it calls
// on_lost. The core also learns of failures from the launcher and other processes, and calls
// peer_failed, possibly several times for a peer, and for each handle by which it reaches the
// process. After that, pending operations with the peer complete within a few calls of `progress`,
// as usual or with AVRM_ERR_PEER, and new ones return AVRM_ERR_PEER. Receives are an exception: the
// core cancels those that wait for the peer, and trecv accepts new ones, since messages that have
// arrived can still be received.
//
// While a netmod cannot accept connections, because the process lacks file descriptors, it may
// return AVRM_ERR_SYSTEM instead of AVRM_ERR_AGAIN, and complete receives with it.
//
// Threads. Operations are called with the device's lock held, or by its only thread; those of a
// queue (open_queue) with the queue's lock held. A netmod needs locks only for data that it shares
// with its queues or with other open netmods.
#ifndef AVRANKMAP_DEVICE_NETMOD_H
#define AVRANKMAP_DEVICE_NETMOD_H

#include "avrankmap/ave.h"
#include "avrankmap/device/request.h"
#include "avrankmap/memory.h"

AVRM_BEGIN_DECLS

/// Wildcard address of a receive: any sender.
#define AVRM_ANY_ADDRESS UINT64_MAX

/// A contiguous piece of local memory.
typedef struct avrm_piece {
  void *base;
  size_t bytes;
} avrm_piece_t;

/// Operations that a netmod performs itself, and their properties.
typedef enum avrm_netmod_capability {
  AVRM_NETMOD_PUT = 1,        ///< put and flush
  AVRM_NETMOD_GET = 2,        ///< get
  AVRM_NETMOD_DELIVERS = 4,   ///< messages arrive; the null netmod only issues them
  AVRM_NETMOD_PUT_INJECT = 8, ///< put_inject
  /// Keys are numbers that are valid for all peers; the netmod has memory_values, and its flush
  /// accepts AVRM_ANY_ADDRESS.
  AVRM_NETMOD_PLAIN_KEYS = 16,
  AVRM_NETMOD_PUT_VISIBLE = 32, ///< a put's request completes when the peer's memory holds the data
  AVRM_NETMOD_ATOMIC = 64,      ///< atomic, on peers and on this process; requires put and flush
  AVRM_NETMOD_SYNC = 128,       ///< tsend_sync; set in all processes of a job or in none
} avrm_netmod_capability_t;

/// Atomic operations that a device requests of a netmod.
typedef enum avrm_netmod_atomics {
  AVRM_NETMOD_ATOMICS_NONE = 0, ///< none
  AVRM_NETMOD_ATOMICS_OWN = 1,  ///< the network's, but not those that its library emulates
  AVRM_NETMOD_ATOMICS_ANY = 2   ///< all that it has
} avrm_netmod_atomics_t;

struct avrm_netmod;

/// The arguments of a netmod's `open`.
typedef struct avrm_netmod_config {
  /// Choice of a provider, in the transport's notation; null: that of the transport's own
  /// environment variables (FI_PROVIDER, UCX_TLS), or its default.
  const char *provider;
  bool local_only; ///< all peers are on this machine: prefer the loopback interface
  /// Waiting threads may sleep, and the core will call `arm`. If false, it calls `arm` only for
  /// avrm_device_arm (event.h).
  bool may_sleep;
  avrm_netmod_atomics_t atomics; ///< kinds of atomics for which `atomic` may be called
  int64_t expected_peers;        ///< number of peers that may be inserted; a hint
  /// Allocator for tables that grow with the number of peers; copied by `open`. Null: `malloc` or
  /// another allocator of the netmod's choice. A device passes the allocator of its instance, so
  /// that the instance accounts for the tables.
  const avrm_allocator_t *allocator;
  /// Called when an active message arrives. Returns false if the core lacks memory, for example for
  /// its answer: the netmod keeps the message and offers it again.
  bool (*on_am)(void *user, const void *data, size_t bytes);
  /// Called, once or several times, when the transport reports that the connection to a peer is
  /// broken. `netmod` is the netmod or queue that had the connection. May be null.
  void (*on_lost)(void *user, const struct avrm_netmod *netmod, uint64_t handle);
  void *user;
} avrm_netmod_config_t;

/// Every netmod's inject_max is at least this many bytes.
#define AVRM_NETMOD_INJECT_MIN 8

/// Every netmod's am_max is at least this many bytes.
#define AVRM_NETMOD_AM_MIN 1024

/// An open netmod. Implementations append their own fields.
typedef struct avrm_netmod {
  /// Set by `open` and open_queue. The core may replace it by a completed copy (see Versions).
  const struct avrm_netmod_ops *ops;
  void *user;        ///< for the core, which sets it after `open`
  size_t inject_max; ///< maximum bytes of tinject; AVRM_NETMOD_INJECT_MIN or more
  /// Maximum bytes of am_send, header and payload together; AVRM_NETMOD_AM_MIN or more. Larger data
  /// are sent as several active messages.
  size_t am_max;
  size_t pieces_max;     ///< maximum pieces of tsend and trecv, 1 or more; the core uses 1
  unsigned capabilities; ///< bits of avrm_netmod_capability_t
  /// Minimum time in nanoseconds between two polls of the network by a waiting process, after a
  /// poll without an event. While at most eight operations are pending, the process waits only a
  /// sixtieth of this time. If messages travel through memory, each poll takes the cache line or
  /// lock that the next sender needs, so polling less often makes all messages cheaper. 0: polling
  /// does not affect other processes. Ignored by devices with `threads` set and devices with a
  /// shmmod.
  uint32_t poll_pause_ns;
} avrm_netmod_t;

/// A message that has arrived and that no receive has matched.
typedef struct avrm_netmod_message {
  uint64_t match; ///< its match bits
  uint64_t bytes; ///< its length
  void *claimed;  ///< if it was claimed: the netmod's record, for trecv_claimed
} avrm_netmod_message_t;

/// Effect of an atomic operation on an element.
typedef enum avrm_netmod_atomic_op {
  AVRM_NETMOD_ATOMIC_SUM = 0,             ///< wraps around
  AVRM_NETMOD_ATOMIC_BAND = 1,            ///< bitwise and
  AVRM_NETMOD_ATOMIC_BOR = 2,             ///< bitwise or
  AVRM_NETMOD_ATOMIC_BXOR = 3,            ///< bitwise exclusive or
  AVRM_NETMOD_ATOMIC_REPLACE = 4,         ///< the operand
  AVRM_NETMOD_ATOMIC_READ = 5,            ///< only with a result
  AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP = 6 ///< only with a result
} avrm_netmod_atomic_op_t;

/// An atomic operation on elements of a peer's memory; each element is updated separately.
typedef struct avrm_netmod_atomic {
  avrm_netmod_atomic_op_t op;
  uint32_t bytes; ///< of an element: 4 or 8
  size_t count;   ///< number of elements; 1 for a compare-and-swap
  /// Not read if op is AVRM_NETMOD_ATOMIC_READ. With one element it may be reused when `atomic`
  /// returns, as may `compare`; with several it belongs to the netmod until the request completes.
  const void *operand;
  const void *compare; ///< of a compare-and-swap
  void *result;        ///< receives the old values; null: to discard them
} avrm_netmod_atomic_t;

/// Local memory that peers can put to and get from.
typedef struct avrm_netmod_memory avrm_netmod_memory_t;

/// Maximum size of a description of registered memory, in bytes.
#define AVRM_NETMOD_KEY_MAX 512

/// Version of the table of operations. Increases when the meaning of an operation or of a structure
/// that netmods use changes, so that the table of an older netmod would be misinterpreted.
#define AVRM_NETMOD_VERSION 2

/// The operations of a netmod. The table is valid as long as the netmod is open. If a table is
/// shorter than this one, the core treats the missing operations as null; new operations are added
/// at the end.
typedef struct avrm_netmod_ops {
  size_t bytes;       ///< of the table: sizeof(avrm_netmod_ops_t)
  uint32_t version;   ///< AVRM_NETMOD_VERSION
  avrm_codec_t codec; ///< how addresses are packed into AVEs
  const char *name;

  // Required.

  /// Opens the transport.
  /// @return also AVRM_ERR_UNSUPPORTED (no such provider here), AVRM_ERR_SYSTEM (the process lacks
  ///         file descriptors for it)
  avrm_status_t (*open)(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p);
  /// Closes the transport, after its queues. Pending requests complete with AVRM_ERR_CANCELLED.
  /// Messages that tinject and am_send have accepted, and those of tsend whose request has
  /// completed, must still reach live peers, because after a failure processes close without
  /// waiting for each other.
  void (*close)(avrm_netmod_t *netmod);
  /// Returns a message for users about the last native error of this netmod; for null, about the
  /// last `open` in this thread that failed. Never null.
  const char *(*last_error)(const avrm_netmod_t *netmod);
  /// Returns a description for users: provider and so on. Never null.
  const char *(*describe)(const avrm_netmod_t *netmod);

  /// Writes the address of this process, which the core publishes.
  /// @param bytes_p  in: size of `buffer` (976 if a device calls); out: length of the address, 0 or
  ///                 more. The card of a device's shmmod must fit into what the address leaves of
  ///                 the 976 bytes; otherwise the device is not opened
  /// @return also AVRM_ERR_SIZE (`buffer` is too small). The device is then not opened
  avrm_status_t (*address)(avrm_netmod_t *netmod, void *buffer, size_t *bytes_p);
  /// Inserts `count` peers (1 or more), either all or none. A peer may be inserted several times,
  /// and so may this process.
  /// @param addresses  published addresses of `bytes` bytes each, `pitch` bytes apart; addresses of
  ///                   different lengths are inserted by separate calls
  /// @param handles    handles[i] receives that of peer i: a number that `codec` can pack
  ///                   (avrm_ave_pack)
  /// @return also AVRM_ERR_SIZE (this netmod has no addresses of `bytes` bytes)
  avrm_status_t (*insert)(avrm_netmod_t *netmod, size_t count, const void *addresses, size_t pitch, size_t bytes,
                          uint64_t *handles);
  /// Removes a peer. Its handle is not used afterwards; other handles of the process stay valid.
  /// Pending operations with it complete as usual, or with AVRM_ERR_CANCELLED or AVRM_ERR_PEER.
  void (*remove)(avrm_netmod_t *netmod, uint64_t handle);

  /// Sends at most inject_max bytes. The buffer may be reused on return; there is no request.
  /// Arguments here and of put_inject are in libfabric's order.
  avrm_status_t (*tinject)(avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle, uint64_t match);
  /// Sends a message of any length.
  avrm_status_t (*tsend)(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces,
                         size_t count, avrm_request_t *request);
  /// Receives a message whose match bits equal `match`, except for the bits set in `ignore`, which
  /// are bits of the source and of the tag and, without AVRM_NETMOD_SYNC, AVRM_MATCH_SYNC
  /// (request.h). A message that is longer than the pieces completes with AVRM_ERR_TRUNCATED, and
  /// no byte outside the pieces is written.
  /// @param handle  the sender's, or AVRM_ANY_ADDRESS. It need not be compared with the sender of a
  ///                message, as the match bits identify the sender
  avrm_status_t (*trecv)(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, uint64_t ignore,
                         const avrm_piece_t *pieces, size_t count, avrm_request_t *request);
  /// Cancels a receive of trecv whose request has not completed. It may have been cancelled before,
  /// and may have matched a message. The request completes now or in `progress` of this netmod: as
  /// usual if a message was matched, otherwise with AVRM_ERR_CANCELLED, whatever peers do.
  void (*cancel)(avrm_netmod_t *netmod, avrm_request_t *request);

  /// Sends an active message of header and payload. Without AVRM_NETMOD_DELIVERS it may return
  /// AVRM_ERR_UNSUPPORTED.
  avrm_status_t (*am_send)(avrm_netmod_t *netmod, uint64_t handle, const void *header, size_t header_bytes,
                           const void *payload, size_t payload_bytes);

  /// Makes progress on all operations. Returns the number of events. What counts as an event is up
  /// to the netmod, but the number is at least 1 if a request was completed or an active message
  /// was delivered. After 0 the caller may sleep.
  int (*progress)(avrm_netmod_t *netmod);
  /// Called when the core knows that this peer has failed.
  void (*peer_failed)(avrm_netmod_t *netmod, uint64_t handle);

  // The remaining operations may be null (see the table at the top).

  /// Searches for the first message that a receive with these match bits would take now. Makes no
  /// progress. After AVRM_ERR_AGAIN the core repeats the call with the same arguments until it
  /// returns another status.
  /// @param claim      if true, no other receive or probe finds the message afterwards
  /// @param found_p    receives true if there is a message, otherwise false
  /// @param message_p  receives the message if there is one
  /// @return also AVRM_ERR_UNSUPPORTED (the provider cannot search messages)
  avrm_status_t (*tprobe)(avrm_netmod_t *netmod, uint64_t match, uint64_t ignore, bool claim, bool *found_p,
                          avrm_netmod_message_t *message_p);
  /// Receives a message that was claimed. The request completes as that of trecv, and cannot be
  /// cancelled. `handle` is the sender's, or AVRM_ANY_ADDRESS. After an error other than
  /// AVRM_ERR_AGAIN the message is lost.
  avrm_status_t (*trecv_claimed)(avrm_netmod_t *netmod, uint64_t handle, const avrm_netmod_message_t *message,
                                 const avrm_piece_t *pieces, size_t count, avrm_request_t *request);

  /// Exposes memory to peers, with a key that is hard to guess.
  /// @param key  random bits. If the provider lets the caller choose keys, the netmod uses as many
  ///             of these bits as a key has room for, and other bits if this key is in use. 0: the
  ///             netmod draws random bits itself
  avrm_status_t (*memory_register)(avrm_netmod_t *netmod, void *base, size_t bytes, uint64_t key,
                                   avrm_netmod_memory_t **memory_p);
  /// Withdraws memory that memory_register exposed, even if peers have its key open. The core may
  /// unmap the memory as soon as this returns, so later puts, gets and atomics must not reach it.
  void (*memory_release)(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory);
  /// Writes a description of registered memory for peers.
  /// @param bytes_p  in: size of `buffer`, AVRM_NETMOD_KEY_MAX; out: length of the description
  /// @return also AVRM_ERR_SIZE (`buffer` is too small)
  avrm_status_t (*memory_describe)(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer, size_t *bytes_p);
  /// Returns what key_open returns in every peer if it is given this memory's description.
  avrm_status_t (*memory_values)(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, uint64_t *remote_p,
                                 uint64_t *key_p);
  /// Opens a peer's memory from its description, which is null without AVRM_NETMOD_DELIVERS.
  /// Returns the remote address of its first byte, and a key for this netmod or queue. With
  /// AVRM_NETMOD_PLAIN_KEYS `handle` may be 0, for any peer, and key_close need not be called.
  avrm_status_t (*key_open)(avrm_netmod_t *netmod, uint64_t handle, const void *description, size_t bytes,
                            uint64_t *remote_p, uint64_t *key_p);
  /// Closes a key of key_open, of the same netmod or queue.
  void (*key_close)(avrm_netmod_t *netmod, uint64_t key);
  /// Put or get. The request completes when the local buffer may be reused (put) or is filled
  /// (get). The caller has checked that the remote bytes are within the memory that was opened, and
  /// that there is at least one. Like `flush` and `atomic`, they may need the target to make
  /// progress before they complete.
  avrm_status_t (*put)(avrm_netmod_t *netmod, uint64_t handle, uint64_t remote, uint64_t key, const void *buffer,
                       size_t bytes, avrm_request_t *request);
  avrm_status_t (*get)(avrm_netmod_t *netmod, uint64_t handle, uint64_t remote, uint64_t key, void *buffer,
                       size_t bytes, avrm_request_t *request);
  /// Flushes puts: the request completes when all earlier puts to this peer are visible in its
  /// memory; with AVRM_ANY_ADDRESS (AVRM_NETMOD_PLAIN_KEYS only), those to all peers.
  avrm_status_t (*flush)(avrm_netmod_t *netmod, uint64_t handle, avrm_request_t *request);

  /// Prepares for sleep, after a call of `progress` that returned 0. After AVRM_OK the descriptor,
  /// the same in each call, becomes readable as soon as `progress` has something to do; the core
  /// waits for it, for at most 10 ms, and then calls `progress`. Without `may_sleep` it is called
  /// only if the program calls avrm_device_arm (event.h), and may then return AVRM_ERR_UNSUPPORTED,
  /// since a transport that can wake a process may be slower even while the process polls.
  /// @return AVRM_OK, AVRM_ERR_AGAIN (`progress` has something to do now), AVRM_ERR_UNSUPPORTED
  ///         (some event has no notification: the core polls, as if `arm` were null)
  avrm_status_t (*arm)(avrm_netmod_t *netmod, int *descriptor_p);

  // For the fast path.

  /// Opens another work queue of the same network, for concurrent use by another thread. A queue
  /// sends and puts, but receives nothing: the core calls insert, tinject, tsend, tsend_sync, put,
  /// get, flush, put_inject, atomic, key_open, key_close, progress, peer_failed, last_error and
  /// close. Peers are inserted into each queue separately, and handles are valid for one queue
  /// only. A queue has the capabilities and limits of the netmod.
  /// @return also AVRM_ERR_UNSUPPORTED (no further queue)
  avrm_status_t (*open_queue)(avrm_netmod_t *netmod, avrm_netmod_t **queue_p);
  /// Puts at most inject_max bytes at a remote address. The buffer may be reused on return; there
  /// is no request, and a later flush waits for the put.
  avrm_status_t (*put_inject)(avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle, uint64_t remote,
                              uint64_t key);

  /// Operates on consecutive elements that start at a remote address, which is a multiple of the
  /// element size. A netmod may operate on fewer than atomic->count elements, but at least one, and
  /// writes their number to *count_p; the core calls again for the rest. With a result, the request
  /// completes when the result is there. Without one it may complete before the operation has
  /// finished, and a flush of this peer waits for it. Operations of one process on one peer take
  /// effect in the order of the calls. Operations of all processes are atomic with respect to each
  /// other, but not necessarily to other accesses.
  avrm_status_t (*atomic)(avrm_netmod_t *netmod, uint64_t handle, uint64_t remote, uint64_t key,
                          const avrm_netmod_atomic_t *atomic, size_t *count_p, avrm_request_t *request);

  /// tinject and put_inject for the fast path: they never return AVRM_ERR_AGAIN. They are the
  /// functions of `<name>_fast.h` (binding.h). Null: the core's own functions, which call tinject
  /// and put_inject until the network accepts the operation.
  avrm_status_t (*fp_tinject)(const void *buffer, size_t bytes, uint64_t handle, uint64_t match, avrm_netmod_t *netmod);
  avrm_status_t (*fp_put_inject)(const void *buffer, size_t bytes, uint64_t key, uint64_t remote, uint64_t handle,
                                 avrm_netmod_t *netmod);

  /// Sends a message as tsend does. The request does not complete before a receive of the peer has
  /// matched the message, whatever the length of the message and of the receive.
  avrm_status_t (*tsend_sync)(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces,
                              size_t count, avrm_request_t *request);
} avrm_netmod_ops_t;

/// Name of the function that a shared object with a netmod exports for programs that load it, such
/// as avrm-netmod-test: const avrm_netmod_ops_t *avrm_netmod(void), with C linkage.
#define AVRM_NETMOD_SYMBOL "avrm_netmod"
/// Type of that function.
typedef const avrm_netmod_ops_t *(*avrm_netmod_entry_t)(void);

AVRM_END_DECLS

#endif
