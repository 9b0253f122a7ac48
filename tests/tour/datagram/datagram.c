// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steps are those of README.md.
#include "datagram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// Step 1: what travels. Unix datagrams are neither lost nor reordered. A long message is several of
// them.
enum { PIECE = 8192, READS_MAX = 64 };
enum kind { MESSAGE = 1, CONTINUATION = 2, ACTIVE = 3 };

struct head {
  uint64_t kind;
  uint64_t sender; // its name
  uint64_t stream; // its handle of this process
  uint64_t match;
  uint64_t bytes; // of the whole message
};

// Step 2: what is remembered. Pending operations are stored in their requests, so that posting one
// never runs out of memory.
struct operation {
  avrm_request_t *next;
  uint64_t match;
  uint64_t ignore;
  avrm_piece_t piece;
  size_t sent; // bytes that have left, of a send
};

struct message {
  struct message *next;
  struct head head;
  uint64_t got; // bytes that have arrived
  unsigned char data[];
};

struct peer {
  int socket; // for sending to it: the system limits what one socket has under way
  bool has_failed;
  avrm_request_t *sending; // the incomplete send; null: none
};

struct net {
  avrm_netmod_t common; // first: the core's part
  avrm_netmod_config_t config;
  uint64_t name;
  int socket;
  struct peer *peers; // a handle is an index
  size_t peer_count;
  avrm_request_t *receives;
  struct message *messages; // not matched yet, in the order of arrival
  struct message *parts;    // incomplete messages
  bool is_sending;          // some peer's send waits
  int events;
  size_t held; // bytes in `datagram`
  struct {
    struct head head;
    unsigned char data[PIECE];
  } datagram;
};

static struct net *net_of(avrm_netmod_t *netmod) { return (struct net *)(void *)netmod; }
static struct operation *operation_of(avrm_request_t *request) { return (struct operation *)(void *)request->scratch; }

static void complete(struct net *net, avrm_request_t *request, avrm_status_t status, uint64_t match, uint64_t bytes) {
  ++net->events;
  request->complete(request, status, match, bytes);
}

// Step 3: opening. The system chooses the name of the socket, 5 bytes after a zero byte.
enum { NAME = 6 };
static const avrm_netmod_ops_t ops;

static bool open_socket(struct net *net) {
  struct sockaddr_un own = {.sun_family = AF_UNIX};
  socklen_t length = sizeof own;
  net->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (net->socket < 0 || bind(net->socket, (const struct sockaddr *)&own, sizeof own.sun_family) != 0 ||
      getsockname(net->socket, (struct sockaddr *)&own, &length) != 0)
    return false;
  memcpy(&net->name, own.sun_path, NAME);
  return true;
}

static avrm_status_t open_netmod(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) {
  struct net *const net = calloc(1, sizeof *net);
  if (net == NULL)
    return AVRM_ERR_NO_MEMORY;
  net->common.ops = &ops;
  net->common.inject_max = PIECE;
  net->common.am_max = PIECE;
  net->common.pieces_max = 1;
  net->common.capabilities = AVRM_NETMOD_DELIVERS;
  net->config = *config;
  if (!open_socket(net)) {
    if (net->socket >= 0)
      close(net->socket);
    free(net);
    return AVRM_ERR_SYSTEM;
  }
  *netmod_p = &net->common;
  return AVRM_OK;
}

static const char *last_error(const avrm_netmod_t *netmod) {
  (void)netmod;
  return "a call of a Unix socket failed";
}
static const char *describe(const avrm_netmod_t *netmod) {
  (void)netmod;
  return "Unix datagrams";
}

// Step 4: addresses become handles.
static avrm_status_t address(avrm_netmod_t *netmod, void *buffer, size_t *bytes_p) {
  if (*bytes_p < sizeof(uint64_t))
    return AVRM_ERR_SIZE;
  memcpy(buffer, &net_of(netmod)->name, *bytes_p = sizeof(uint64_t));
  return AVRM_OK;
}

static avrm_status_t open_peer(struct peer *peer, const void *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  *peer = (struct peer){.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (peer->socket < 0)
    return AVRM_ERR_SYSTEM;
  memcpy(address.sun_path, name, NAME);
  // If no process has that name, the peer has failed.
  peer->has_failed = connect(peer->socket, (const struct sockaddr *)&address, sizeof address.sun_family + NAME) != 0;
  return AVRM_OK;
}

static avrm_status_t insert(avrm_netmod_t *netmod, size_t count, const void *addresses, size_t pitch, size_t bytes,
                            uint64_t *handles) {
  struct net *const net = net_of(netmod);
  struct peer *const peers = realloc(net->peers, (net->peer_count + count) * sizeof *peers);
  if (peers == NULL)
    return AVRM_ERR_NO_MEMORY;
  net->peers = peers;
  for (size_t i = 0; i < count; ++i) {
    const avrm_status_t status = open_peer(&peers[net->peer_count + i], (const char *)addresses + i * pitch);
    if (status != AVRM_OK) { // all or none
      while (i-- > 0)
        close(peers[net->peer_count + i].socket);
      return status;
    }
    handles[i] = net->peer_count + i;
  }
  (void)bytes; // always those of `address`
  net->peer_count += count;
  return AVRM_OK;
}

// Step 5: sending. The system refuses a datagram while the receiver's queue is full.
static avrm_status_t send_datagram(const struct net *net, uint64_t handle, struct head head, const void *data,
                                   size_t bytes, const void *more, size_t more_bytes) {
  const struct peer *const peer = &net->peers[handle];
  if (peer->has_failed)
    return AVRM_ERR_PEER;
  head.sender = net->name;
  head.stream = handle;
  struct iovec pieces[3] = {
      {&head, sizeof head}, {(void *)(uintptr_t)data, bytes}, {(void *)(uintptr_t)more, more_bytes}};
  const struct msghdr datagram = {NULL, 0, pieces, 3, NULL, 0, 0};
  if (sendmsg(peer->socket, &datagram, MSG_NOSIGNAL) >= 0)
    return AVRM_OK;
  return errno == EAGAIN || errno == ENOBUFS ? AVRM_ERR_AGAIN : AVRM_ERR_PEER;
}

avrm_status_t datagram_tinject(avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle,
                               uint64_t match) {
  const struct net *const net = net_of(netmod);
  if (net->peers[handle].sending != NULL)
    return AVRM_ERR_AGAIN; // must not overtake that send
  return send_datagram(net, handle, (struct head){MESSAGE, 0, 0, match, bytes}, buffer, bytes, NULL, 0);
}

// Sends as much of a message as the system accepts. The request completes unless a part is left.
static void push(struct net *net, uint64_t handle, avrm_request_t *request) {
  struct operation *const send = operation_of(request);
  avrm_status_t status;
  do {
    const struct head head = {send->sent == 0 ? MESSAGE : CONTINUATION, 0, 0, send->match, send->piece.bytes};
    const size_t left = send->piece.bytes - send->sent, bytes = left < PIECE ? left : PIECE;
    const char *const data = send->sent == 0 ? send->piece.base : (const char *)send->piece.base + send->sent;
    status = send_datagram(net, handle, head, data, bytes, NULL, 0);
    send->sent += status == AVRM_OK ? bytes : 0;
  } while (status == AVRM_OK && send->sent != send->piece.bytes);
  const bool waits = status == AVRM_ERR_AGAIN;
  net->is_sending = net->is_sending || waits;
  net->peers[handle].sending = waits ? request : NULL;
  if (!waits)
    complete(net, request, status, 0, 0);
}

static avrm_status_t tsend(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces,
                           size_t count, avrm_request_t *request) {
  struct net *const net = net_of(netmod);
  if (net->peers[handle].has_failed)
    return AVRM_ERR_PEER;
  if (net->peers[handle].sending != NULL)
    return AVRM_ERR_AGAIN;
  *operation_of(request) = (struct operation){NULL, match, 0, *pieces, 0};
  (void)count; // pieces_max is 1
  push(net, handle, request);
  return AVRM_OK;
}

// Step 6: matching. A receive and its message are matched when the later of the two arrives.
static bool fits(avrm_request_t *receive, uint64_t match) {
  return ((operation_of(receive)->match ^ match) & ~operation_of(receive)->ignore) == 0;
}

// Both have been removed from their lists.
static void deliver(struct net *net, avrm_request_t *receive, struct message *message) {
  const avrm_piece_t *const piece = &operation_of(receive)->piece;
  const bool is_whole = message->head.bytes <= piece->bytes;
  const size_t fitting = is_whole ? message->head.bytes : piece->bytes;
  if (fitting != 0)
    memcpy(piece->base, message->data, fitting);
  complete(net, receive, is_whole ? AVRM_OK : AVRM_ERR_TRUNCATED, message->head.match, message->head.bytes);
  free(message);
}

static avrm_status_t trecv(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, uint64_t ignore,
                           const avrm_piece_t *pieces, size_t count, avrm_request_t *request) {
  struct net *const net = net_of(netmod);
  *operation_of(request) = (struct operation){NULL, match, ignore, *pieces, 0};
  (void)handle, (void)count;
  for (struct message **place = &net->messages; *place != NULL; place = &(*place)->next) {
    struct message *const message = *place;
    if (fits(request, message->head.match)) {
      *place = message->next;
      deliver(net, request, message);
      return AVRM_OK;
    }
  }
  avrm_request_t **end = &net->receives;
  while (*end != NULL)
    end = &operation_of(*end)->next;
  *end = request;
  return AVRM_OK;
}

static void cancel(avrm_netmod_t *netmod, avrm_request_t *request) {
  avrm_request_t **place = &net_of(netmod)->receives;
  while (*place != request) // it is in the list, since it has not completed
    place = &operation_of(*place)->next;
  *place = operation_of(request)->next;
  complete(net_of(netmod), request, AVRM_ERR_CANCELLED, 0, 0);
}

// A whole message has arrived.
static void arrive(struct net *net, struct message *message) {
  for (avrm_request_t **place = &net->receives; *place != NULL; place = &operation_of(*place)->next) {
    avrm_request_t *const receive = *place;
    if (fits(receive, message->head.match)) {
      *place = operation_of(receive)->next;
      deliver(net, receive, message);
      return;
    }
  }
  struct message **end = &net->messages;
  while (*end != NULL)
    end = &(*end)->next;
  message->next = NULL;
  *end = message;
}

// Step 7: active messages.
static avrm_status_t am_send(avrm_netmod_t *netmod, uint64_t handle, const void *header, size_t header_bytes,
                             const void *payload, size_t payload_bytes) {
  const struct head head = {ACTIVE, 0, 0, 0, header_bytes + payload_bytes};
  return send_datagram(net_of(netmod), handle, head, header, header_bytes, payload, payload_bytes);
}

// Step 8: progress.
// Handles the datagram that was read. False: there is no memory for it, here or in the core.
static bool deal(struct net *net) {
  const struct head *const head = &net->datagram.head;
  const size_t bytes = net->held - sizeof *head;
  if (head->kind == ACTIVE) {
    if (!net->config.on_am(net->config.user, net->datagram.data, bytes))
      return false;
    ++net->events;
    return true;
  }
  if (head->kind == MESSAGE) {
    struct message *const message = malloc(sizeof *message + head->bytes);
    if (message == NULL)
      return false;
    *message = (struct message){.next = net->parts, .head = *head};
    net->parts = message;
  }
  for (struct message **place = &net->parts; *place != NULL; place = &(*place)->next) {
    struct message *const message = *place;
    if (message->head.sender != head->sender || message->head.stream != head->stream)
      continue;
    if (bytes > message->head.bytes - message->got)
      break; // not from this netmod
    memcpy(message->data + message->got, net->datagram.data, bytes);
    message->got += bytes;
    if (message->got == message->head.bytes) {
      *place = message->next;
      arrive(net, message);
    }
    break;
  }
  return true;
}

// Reads one datagram. False: there is none, or no memory for it.
static bool read_one(struct net *net) {
  if (net->held == 0) {
    const ssize_t got = recv(net->socket, &net->datagram, sizeof net->datagram, 0);
    if (got < (ssize_t)sizeof(struct head))
      return false;
    net->held = (size_t)got;
  }
  if (!deal(net))
    return false;
  net->held = 0;
  return true;
}

static int progress(avrm_netmod_t *netmod) {
  struct net *const net = net_of(netmod);
  net->events = 0;
  net->is_sending = false;
  for (int i = 0; i < READS_MAX && read_one(net); ++i) {
  }
  for (size_t i = 0; i < net->peer_count; ++i)
    if (net->peers[i].sending != NULL)
      push(net, i, net->peers[i].sending);
  return net->events;
}

// Optional: waiting threads sleep until a datagram arrives. Nothing announces room in a full queue.
static avrm_status_t arm(avrm_netmod_t *netmod, int *descriptor_p) {
  const struct net *const net = net_of(netmod);
  *descriptor_p = net->socket;
  return net->is_sending || net->held != 0 ? AVRM_ERR_UNSUPPORTED : AVRM_OK;
}

// Step 9: failures, removal and the end. What the system has accepted still arrives.
static void peer_failed(avrm_netmod_t *netmod, uint64_t handle) {
  net_of(netmod)->peers[handle].has_failed = true; // progress ends its send
}

static void remove_peer(avrm_netmod_t *netmod, uint64_t handle) {
  struct peer *const peer = &net_of(netmod)->peers[handle];
  avrm_request_t *const request = peer->sending;
  peer->sending = NULL;
  if (request != NULL)
    complete(net_of(netmod), request, AVRM_ERR_CANCELLED, 0, 0);
  if (peer->socket >= 0)
    close(peer->socket);
  peer->socket = -1;
}

static void free_messages(struct message *message) {
  while (message != NULL) {
    struct message *const next = message->next;
    free(message);
    message = next;
  }
}

static void close_netmod(avrm_netmod_t *netmod) {
  struct net *const net = net_of(netmod);
  for (size_t i = 0; i < net->peer_count; ++i)
    remove_peer(netmod, i);
  while (net->receives != NULL)
    cancel(netmod, net->receives);
  free_messages(net->messages);
  free_messages(net->parts);
  close(net->socket);
  free(net->peers);
  free(net);
}

// Step 10: the table.
static const avrm_netmod_ops_t ops = {
    .bytes = sizeof(avrm_netmod_ops_t),
    .version = AVRM_NETMOD_VERSION,
    .codec = AVRM_CODEC_OFI, // handles are numbers below 2^63
    .name = "datagram",
    .open = open_netmod,
    .close = close_netmod,
    .last_error = last_error,
    .describe = describe,
    .address = address,
    .insert = insert,
    .remove = remove_peer,
    .tinject = datagram_tinject,
    .tsend = tsend,
    .trecv = trecv,
    .cancel = cancel,
    .am_send = am_send,
    .progress = progress,
    .peer_failed = peer_failed,
    .arm = arm,
};

const avrm_netmod_ops_t *datagram_netmod(void) { return &ops; }
