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
// them: the first one has the match bits and the length.
enum { PIECE = 8192, SENDS_MAX = 64, READS_MAX = 64 };
enum kind { FIRST = 1, REST = 2, ACTIVE = 3 };

struct head {
  uint64_t kind;
  uint64_t sender; // its name, and its handle of this process
  uint64_t stream;
  uint64_t match;
  uint64_t bytes; // of the whole message
};

// Step 2: what is remembered. Pending operations lie in their requests, so that posting one never
// lacks memory.
struct operation {
  avrm_request_t *next;
  uint64_t match;
  uint64_t ignore;
  uint64_t handle;
  avrm_piece_t piece;
  size_t sent; // bytes that have left, of a send
};

struct list {
  avrm_request_t *first;
  avrm_request_t **end; // where the next one is hung up
};

// A message that has arrived, if only in part.
struct message {
  struct message *next;
  struct head head;
  uint64_t got;            // bytes that have arrived
  avrm_request_t *receive; // that has matched it; null: none
  unsigned char data[];
};

struct peer {
  uint64_t name;
  int socket; // for sending to it: the system limits what one socket has under way
  bool has_failed;
  bool is_full;   // since the last progress
  unsigned sends; // pending ones
};

struct net {
  avrm_netmod_t common; // first: the core's part
  avrm_netmod_config_t config;
  uint64_t name;
  int socket;
  struct peer *peers; // a handle is an index
  size_t peer_count;
  struct list sends;
  struct list receives;
  struct message *messages; // in the order of arrival
  bool has_failures;        // since the last progress that has read everything
  int events;
  size_t held; // bytes in `datagram`
  struct {
    struct head head;
    unsigned char data[PIECE];
  } datagram;
};

static struct net *net_of(avrm_netmod_t *netmod) { return (struct net *)(void *)netmod; }
static struct operation *operation_of(avrm_request_t *request) { return (struct operation *)(void *)request->scratch; }

static void append(struct list *list, avrm_request_t *request) {
  operation_of(request)->next = NULL;
  *list->end = request;
  list->end = &operation_of(request)->next;
}

// Takes out what *place points to.
static avrm_request_t *take(struct list *list, avrm_request_t **place) {
  avrm_request_t *const request = *place;
  *place = operation_of(request)->next;
  if (list->end == &operation_of(request)->next)
    list->end = place;
  return request;
}

static void complete(struct net *net, avrm_request_t *request, avrm_status_t status, uint64_t match, uint64_t bytes) {
  ++net->events;
  request->complete(request, status, match, bytes);
}

// Step 3: opening. The system chooses the name of the socket, 5 bytes behind a zero.
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
  net->sends.end = &net->sends.first;
  net->receives.end = &net->receives.first;
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
  memcpy(&peer->name, name, sizeof peer->name);
  memcpy(address.sun_path, name, NAME);
  // Without a process of that name it is a peer that has failed.
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
  (void)bytes; // those of `address`
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
  if (net->peers[handle].sends != 0)
    return AVRM_ERR_AGAIN; // it must not overtake them
  return send_datagram(net, handle, (struct head){FIRST, 0, 0, match, bytes}, buffer, bytes, NULL, 0);
}

// Sends as much of a message as the system takes.
static avrm_status_t push(const struct net *net, struct operation *send) {
  do {
    const struct head head = {send->sent == 0 ? FIRST : REST, 0, 0, send->match, send->piece.bytes};
    const size_t left = send->piece.bytes - send->sent, bytes = left < PIECE ? left : PIECE;
    const char *const data = send->sent == 0 ? send->piece.base : (const char *)send->piece.base + send->sent;
    const avrm_status_t status = send_datagram(net, send->handle, head, data, bytes, NULL, 0);
    if (status != AVRM_OK)
      return status;
    send->sent += bytes;
  } while (send->sent != send->piece.bytes);
  return AVRM_OK;
}

static avrm_status_t tsend(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, const avrm_piece_t *pieces,
                           size_t count, avrm_request_t *request) {
  struct net *const net = net_of(netmod);
  struct peer *const peer = &net->peers[handle];
  (void)count; // pieces_max is 1
  if (peer->sends == SENDS_MAX)
    return AVRM_ERR_AGAIN;
  struct operation *const send = operation_of(request);
  *send = (struct operation){NULL, match, 0, handle, *pieces, 0};
  avrm_status_t status = peer->sends != 0 ? AVRM_ERR_AGAIN : push(net, send);
  if (status == AVRM_ERR_AGAIN) {
    append(&net->sends, request);
    ++peer->sends;
    return AVRM_OK;
  }
  if (status == AVRM_OK || send->sent != 0) { // a part has left: this one is accepted
    complete(net, request, status, 0, 0);
    status = AVRM_OK;
  }
  return status;
}

static void push_sends(struct net *net) {
  for (avrm_request_t *request = net->sends.first; request != NULL; request = operation_of(request)->next)
    net->peers[operation_of(request)->handle].is_full = false;
  for (avrm_request_t **place = &net->sends.first; *place != NULL;) {
    struct operation *const send = operation_of(*place);
    struct peer *const peer = &net->peers[send->handle];
    const avrm_status_t status = peer->is_full ? AVRM_ERR_AGAIN : push(net, send);
    if (status == AVRM_ERR_AGAIN) {
      peer->is_full = true; // its later messages wait
      place = &send->next;
    } else {
      --peer->sends;
      complete(net, take(&net->sends, place), status, 0, 0);
    }
  }
}

// Step 6: matching. A receive meets its message when either of them comes.
static bool fits(const struct operation *receive, uint64_t match) {
  return ((receive->match ^ match) & ~receive->ignore) == 0;
}

// Takes a message whose receive has matched it out of the list, once it is whole.
static bool finish(struct net *net, struct message **place) {
  struct message *const message = *place;
  if (message->receive == NULL || message->got != message->head.bytes)
    return false;
  avrm_request_t *const request = message->receive;
  const avrm_piece_t *const piece = &operation_of(request)->piece;
  const bool is_whole = message->head.bytes <= piece->bytes;
  const size_t fitting = is_whole ? message->head.bytes : piece->bytes;
  if (fitting != 0)
    memcpy(piece->base, message->data, fitting);
  *place = message->next;
  complete(net, request, is_whole ? AVRM_OK : AVRM_ERR_TRUNCATED, message->head.match, message->head.bytes);
  free(message);
  return true;
}

static avrm_status_t trecv(avrm_netmod_t *netmod, uint64_t handle, uint64_t match, uint64_t ignore,
                           const avrm_piece_t *pieces, size_t count, avrm_request_t *request) {
  struct net *const net = net_of(netmod);
  struct operation *const receive = operation_of(request);
  *receive = (struct operation){NULL, match, ignore, handle, *pieces, 0};
  (void)count;
  for (struct message **place = &net->messages; *place != NULL; place = &(*place)->next) {
    if ((*place)->receive == NULL && fits(receive, (*place)->head.match)) {
      (*place)->receive = request;
      (void)finish(net, place);
      return AVRM_OK;
    }
  }
  append(&net->receives, request);
  return AVRM_OK;
}

static void cancel(avrm_netmod_t *netmod, avrm_request_t *request) {
  struct net *const net = net_of(netmod);
  for (avrm_request_t **place = &net->receives.first; *place != NULL; place = &operation_of(*place)->next) {
    if (*place == request) {
      complete(net, take(&net->receives, place), AVRM_ERR_CANCELLED, 0, 0);
      return;
    }
  } // else it has its message
}

// Step 7: active messages.
static avrm_status_t am_send(avrm_netmod_t *netmod, uint64_t handle, const void *header, size_t header_bytes,
                             const void *payload, size_t payload_bytes) {
  const struct head head = {ACTIVE, 0, 0, 0, header_bytes + payload_bytes};
  return send_datagram(net_of(netmod), handle, head, header, header_bytes, payload, payload_bytes);
}

// Step 8: progress.
// A message begins. False: there is no memory for it now.
static bool begin_message(struct net *net, struct message ***place_p) {
  const struct head *const head = &net->datagram.head;
  struct message *const message = malloc(sizeof *message + head->bytes);
  if (message == NULL)
    return false;
  *message = (struct message){.head = *head};
  for (avrm_request_t **place = &net->receives.first; *place != NULL; place = &operation_of(*place)->next) {
    if (fits(operation_of(*place), head->match)) {
      message->receive = take(&net->receives, place);
      break;
    }
  }
  while (**place_p != NULL)
    *place_p = &(**place_p)->next;
  **place_p = message;
  return true;
}

// Whether a datagram belongs to this message.
static bool goes_on(const struct message *message, const struct head *head) {
  return message->got != message->head.bytes && message->head.sender == head->sender &&
         message->head.stream == head->stream;
}

// Deals with the datagram that was read. False: not now.
static bool deal(struct net *net) {
  const size_t bytes = net->held - sizeof(struct head);
  const struct head *const head = &net->datagram.head;
  struct message **place = &net->messages;
  if (head->kind == ACTIVE) {
    ++net->events;
    net->config.on_am(net->config.user, net->datagram.data, bytes);
    return true;
  }
  if (head->kind == FIRST) {
    if (!begin_message(net, &place))
      return false;
  } else {
    while (*place != NULL && !goes_on(*place, head))
      place = &(*place)->next;
  }
  if (*place == NULL || bytes > (*place)->head.bytes - (*place)->got)
    return true; // no datagram of ours
  memcpy((*place)->data + (*place)->got, net->datagram.data, bytes);
  (*place)->got += bytes;
  (void)finish(net, place);
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

// All datagrams of the failed peers have been read: their messages that lack a part stay so.
static void end_failed(struct net *net) {
  net->has_failures = false;
  for (size_t i = 0; i < net->peer_count; ++i) {
    for (struct message **place = &net->messages; net->peers[i].has_failed && *place != NULL;) {
      struct message *const message = *place;
      if (message->got == message->head.bytes || message->head.sender != net->peers[i].name) {
        place = &message->next;
        continue;
      }
      *place = message->next;
      if (message->receive != NULL)
        complete(net, message->receive, AVRM_ERR_PEER, 0, 0);
      free(message);
    }
  }
}

static int progress(avrm_netmod_t *netmod) {
  struct net *const net = net_of(netmod);
  int reads = 0;
  net->events = 0;
  while (reads < READS_MAX && read_one(net))
    ++reads;
  push_sends(net);
  if (net->has_failures && reads < READS_MAX && net->held == 0)
    end_failed(net);
  return net->events;
}

// Optional: waiting threads sleep until a datagram arrives. Nothing announces room in a full queue.
static avrm_status_t arm(avrm_netmod_t *netmod, int *descriptor_p) {
  const struct net *const net = net_of(netmod);
  *descriptor_p = net->socket;
  return net->sends.first == NULL && net->held == 0 ? AVRM_OK : AVRM_ERR_UNSUPPORTED;
}

// Step 9: failures, removal and the end. What the system has taken still arrives.
static void peer_failed(avrm_netmod_t *netmod, uint64_t handle) {
  net_of(netmod)->peers[handle].has_failed = true; // progress ends its operations
  net_of(netmod)->has_failures = true;
}

static void end_sends(struct net *net, bool all, uint64_t handle) {
  for (avrm_request_t **place = &net->sends.first; *place != NULL;) {
    struct operation *const send = operation_of(*place);
    if (!all && send->handle != handle) {
      place = &send->next;
      continue;
    }
    --net->peers[send->handle].sends;
    complete(net, take(&net->sends, place), AVRM_ERR_CANCELLED, 0, 0);
  }
}

static void remove_peer(avrm_netmod_t *netmod, uint64_t handle) {
  struct peer *const peer = &net_of(netmod)->peers[handle];
  end_sends(net_of(netmod), false, handle);
  close(peer->socket);
  peer->socket = -1;
}

static void close_netmod(avrm_netmod_t *netmod) {
  struct net *const net = net_of(netmod);
  end_sends(net, true, 0);
  while (net->receives.first != NULL)
    complete(net, take(&net->receives, &net->receives.first), AVRM_ERR_CANCELLED, 0, 0);
  while (net->messages != NULL) {
    struct message *const message = net->messages;
    net->messages = message->next;
    if (message->receive != NULL)
      complete(net, message->receive, AVRM_ERR_CANCELLED, 0, 0);
    free(message);
  }
  for (size_t i = 0; i < net->peer_count; ++i)
    if (net->peers[i].socket >= 0)
      close(net->peers[i].socket);
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
