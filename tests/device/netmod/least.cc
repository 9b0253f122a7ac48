// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/netmod/least.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "tests/device/core/process.h"
#include "tests/device/netmod/least_state.h"

namespace avrankmap::test {
namespace {

// Bytes of a message in a datagram.
constexpr std::size_t kPiece = 701;
constexpr std::uint64_t kFirstHandle = (std::uint64_t{1} << 63) - 1; // and downwards
constexpr std::uint64_t kStep = 7;

LeastWish wish;
LeastCounts counts{};

Least &least_of(avrm_netmod_t *netmod) { return *reinterpret_cast<Least *>(netmod); }

// The core calls one function at a time, and these within none of its callbacks.
void must_be_outside(const Least &net) { AVRM_MUST(!net.in_callback); }

Peer &peer_of(Least &net, std::uint64_t handle) {
  const std::uint64_t index = (kFirstHandle - handle) / kStep;
  AVRM_MUST(index < net.peers.size() && kFirstHandle - index * kStep == handle && !net.peers[index].is_removed);
  return net.peers[index];
}

// Some calls of progress from now on.
std::uint64_t soon(Least &net) { return net.calls + (wish.ending == Ending::kLate ? 1 + net.random() % 4 : 0); }

// Calls the core, which must not call any function but those that netmod.h allows.
template <typename Call> void call_core(Least &net, Call call) {
  AVRM_MUST(!net.in_callback);
  net.in_callback = true;
  call();
  net.in_callback = false;
}

void complete(Least &net, const End &end) {
  std::memset(end.request->scratch, 0xa5, sizeof end.request->scratch); // the netmod's until now
  end.request->op = nullptr;
  call_core(net, [&] { end.request->complete(end.request, end.status, end.match, end.bytes); });
}

void end_soon(Least &net, avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
  const End end{request, status, match, bytes, soon(net)};
  if (wish.ending == Ending::kAtOnce) {
    complete(net, end);
  } else {
    net.ends.push_back(end);
  }
}

// Whether to return AVRM_ERR_AGAIN: to each operation, until progress was made.
bool refuses(Least &net) {
  if (wish.ending == Ending::kAtOnce || std::exchange(net.may_accept, false)) {
    return false;
  }
  net.has_refused = true;
  ++counts.refused;
  return true;
}

Bytes datagram(const Head &head, const void *data = nullptr, std::size_t bytes = 0) {
  Bytes out(sizeof head + bytes);
  std::memcpy(out.data(), &head, sizeof head);
  if (bytes != 0) {
    std::memcpy(out.data() + sizeof head, data, bytes);
  }
  return out;
}

// AVRM_ERR_AGAIN also if nobody reads there any more: the netmod notices no death.
avrm_status_t send_now(const Least &net, const Address &to, const Bytes &bytes) {
  const auto *const name = reinterpret_cast<const sockaddr *>(&to.name);
  return sendto(net.socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL, name, to.length) < 0
             ? AVRM_ERR_AGAIN
             : AVRM_OK;
}

void send_later(Least &net, const Address &to, Bytes bytes) {
  auto &[address, queue] = net.outgoing[to.key()];
  address = to;
  queue.push_back(std::move(bytes));
}

avrm_status_t post(Least &net, std::uint64_t handle, const Bytes &bytes) {
  const Peer &peer = peer_of(net, handle);
  if (peer.is_failed) {
    return AVRM_ERR_PEER;
  }
  return refuses(net) ? AVRM_ERR_AGAIN : send_now(net, peer.address, bytes);
}

// ---- matching ----

void end_receive(Least &net, const Receive &receive, std::uint64_t match, std::uint64_t bytes) {
  const avrm_status_t status = bytes > receive.piece.bytes ? AVRM_ERR_TRUNCATED : AVRM_OK;
  end_soon(net, receive.request, status, match, bytes);
}

// A receive and a message have found one another.
void deliver(Least &net, Receive receive, const Arrival &message) {
  receive.match = message.head.match;
  if (message.head.what == What::kMessage) {
    const std::size_t fitting = std::min(receive.piece.bytes, message.data.size());
    if (fitting != 0) {
      std::memcpy(receive.piece.base, message.data.data(), fitting);
    }
    end_receive(net, receive, receive.match, message.head.bytes);
    return;
  }
  Head head = message.head;
  head.what = What::kTake;
  head.receive = receive.number;
  send_later(net, message.from, datagram(head));
  net.taking[receive.number] = receive;
}

bool fits(const Receive &receive, std::uint64_t match) { return ((receive.match ^ match) & ~receive.ignore) == 0; }

void match(Least &net, Arrival arrival) {
  const auto found = std::find_if(net.posted.begin(), net.posted.end(),
                                  [&](const Receive &receive) { return fits(receive, arrival.head.match); });
  if (found == net.posted.end()) {
    net.unexpected.push_back(std::move(arrival));
    return;
  }
  const Receive receive = *found;
  net.posted.erase(found);
  deliver(net, receive, arrival);
}

// ---- arriving ----

void on_take(Least &net, const Arrival &arrival) {
  const auto found = net.sends.find(arrival.head.send);
  if (found == net.sends.end()) {
    return; // it has ended, as the peer was said to be dead
  }
  Head head = arrival.head;
  head.what = What::kData;
  const avrm_piece_t &piece = found->second.piece;
  for (head.offset = 0; head.offset < piece.bytes; head.offset += kPiece) {
    const std::size_t bytes = std::min<std::size_t>(kPiece, piece.bytes - head.offset);
    send_later(net, arrival.from, datagram(head, static_cast<const unsigned char *>(piece.base) + head.offset, bytes));
  }
}

void on_data(Least &net, const Arrival &arrival) {
  const auto found = net.taking.find(arrival.head.receive);
  if (found == net.taking.end()) {
    return;
  }
  Receive &receive = found->second;
  const std::uint64_t offset = arrival.head.offset;
  if (offset < receive.piece.bytes) {
    std::memcpy(static_cast<unsigned char *>(receive.piece.base) + offset, arrival.data.data(),
                std::min<std::size_t>(arrival.data.size(), receive.piece.bytes - offset));
  }
  receive.got += arrival.data.size();
  if (receive.got == arrival.head.bytes) {
    Head head = arrival.head;
    head.what = What::kGot;
    send_later(net, arrival.from, datagram(head));
    const Receive whole = receive;
    net.taking.erase(found);
    end_receive(net, whole, whole.match, arrival.head.bytes);
  }
}

// A send is over.
void end_send(Least &net, const Send &send, avrm_status_t status) {
  end_soon(net, send.request, status, 0, status == AVRM_OK ? send.piece.bytes : 0);
}

void on_got(Least &net, const Arrival &arrival) {
  const auto found = net.sends.find(arrival.head.send);
  if (found != net.sends.end()) {
    const Send send = found->second;
    net.sends.erase(found);
    end_send(net, send, AVRM_OK);
  }
}

// Reads a datagram. False if there is none.
bool read_one(Least &net) {
  Bytes bytes(2048);
  Arrival arrival{};
  arrival.from.length = sizeof arrival.from.name;
  const ssize_t got = recvfrom(net.socket, bytes.data(), bytes.size(), MSG_DONTWAIT,
                               reinterpret_cast<sockaddr *>(&arrival.from.name), &arrival.from.length);
  if (got < static_cast<ssize_t>(sizeof(Head))) {
    return false;
  }
  std::memcpy(&arrival.head, bytes.data(), sizeof(Head));
  arrival.data.assign(bytes.begin() + sizeof(Head), bytes.begin() + got);
  arrival.due = soon(net);
  switch (arrival.head.what) {
  case What::kMessage:
  case What::kOffer:
    net.held[{arrival.from.key(), arrival.head.match & ~(AVRM_MATCH_TAG_MASK | AVRM_MATCH_SYNC)}].push_back(
        std::move(arrival));
    break;
  case What::kActive: net.active[arrival.from.key()].push_back(std::move(arrival)); break;
  case What::kTake: on_take(net, arrival); break;
  case What::kData: on_data(net, arrival); break;
  case What::kGot: on_got(net, arrival); break;
  }
  return true;
}

// The first of a queue, if it is due.
bool take_due(const Least &net, std::deque<Arrival> &queue, Arrival *arrival) {
  if (queue.empty() || queue.front().due > net.calls) {
    return false;
  }
  *arrival = std::move(queue.front());
  queue.pop_front();
  return true;
}

int look_at_messages(Least &net) {
  int events = 0;
  Arrival arrival{};
  // Contexts in turn from either end, so that messages of one overtake those of another.
  std::vector<std::deque<Arrival> *> queues;
  for (auto &[way, queue] : net.held) {
    queues.push_back(&queue);
  }
  if (net.random() % 2 == 0) {
    std::reverse(queues.begin(), queues.end());
  }
  for (std::deque<Arrival> *const queue : queues) {
    while (take_due(net, *queue, &arrival)) {
      counts.overtaken += queues.size() > 1 ? 1 : 0;
      match(net, std::move(arrival));
      ++events;
    }
  }
  return events;
}

// Behind all messages, whenever they were sent.
int deliver_active(Least &net) {
  int events = 0;
  std::vector<Arrival> due;
  for (auto &[from, queue] : net.active) {
    for (Arrival arrival{}; take_due(net, queue, &arrival); ++events) {
      due.push_back(std::move(arrival));
    }
  }
  for (const Arrival &arrival : due) {
    // Aligned to nothing, and gone after the call.
    const std::unique_ptr<unsigned char[]> copy(new unsigned char[arrival.data.size() + 1]);
    std::copy(arrival.data.begin(), arrival.data.end(), copy.get() + 1);
    call_core(net, [&] { net.config.on_am(net.config.user, copy.get() + 1, arrival.data.size()); });
  }
  return events;
}

void send_outgoing(Least &net) {
  for (auto &[key, way] : net.outgoing) {
    auto &[address, queue] = way;
    while (!queue.empty() && send_now(net, address, queue.front()) == AVRM_OK) {
      queue.pop_front();
    }
  }
}

int end_due(Least &net) {
  int events = 0;
  const std::size_t count = net.ends.size(); // those that a completion adds come next time
  for (std::size_t i = 0; i < count; ++i, ++events) {
    const End end = net.ends.front();
    net.ends.pop_front();
    if (end.due > net.calls) {
      net.ends.push_back(end);
      --events;
    } else {
      complete(net, end);
    }
  }
  return events;
}

// ---- the operations ----

extern const avrm_netmod_ops_t kOps;

avrm_status_t open_netmod(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) {
  auto net = std::make_unique<Least>();
  net->config = *config;
  net->config.provider = nullptr; // not to be looked at later
  net->config.allocator = nullptr;
  net->random.seed(static_cast<unsigned>(getpid()));
  net->common.ops = &kOps;
  net->common.inject_max = AVRM_NETMOD_INJECT_MIN;
  net->common.am_max = AVRM_NETMOD_AM_MIN;
  net->common.pieces_max = 1;
  net->common.capabilities = wish.delivers ? AVRM_NETMOD_DELIVERS : 0;
  net->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un any{};
  any.sun_family = AF_UNIX;
  // The system chooses the name.
  if (net->socket < 0 || bind(net->socket, reinterpret_cast<sockaddr *>(&any), sizeof any.sun_family) != 0) {
    return AVRM_ERR_SYSTEM;
  }
  *netmod_p = &net.release()->common;
  return AVRM_OK;
}

void end_sends_if(Least &net, avrm_status_t status, const auto &concerned) {
  for (auto at = net.sends.begin(); at != net.sends.end();) {
    if (!concerned(at->second)) {
      ++at;
      continue;
    }
    const Send send = at->second;
    at = net.sends.erase(at);
    end_send(net, send, status);
  }
}

void close_netmod(avrm_netmod_t *netmod) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  end_sends_if(net, AVRM_ERR_CANCELLED, [](const Send &) { return true; });
  for (const Receive &receive : std::exchange(net.posted, {})) {
    end_soon(net, receive.request, AVRM_ERR_CANCELLED, 0, 0);
  }
  for (const auto &[number, receive] : std::exchange(net.taking, {})) {
    end_soon(net, receive.request, AVRM_ERR_CANCELLED, 0, 0);
  }
  for (const End &end : std::exchange(net.ends, {})) {
    complete(net, end);
  }
  ::close(net.socket);
  delete &net;
}

const char *last_error(const avrm_netmod_t *) { return "the least netmod has no errors"; }
const char *describe(const avrm_netmod_t *) { return "Unix datagrams"; }

// Addresses of several lengths: the name, and some bytes more.
avrm_status_t address(avrm_netmod_t *netmod, void *buffer, std::size_t *bytes_p) {
  const Least &net = least_of(netmod);
  Address own{};
  own.length = sizeof own.name;
  AVRM_MUST(getsockname(net.socket, reinterpret_cast<sockaddr *>(&own.name), &own.length) == 0);
  const std::size_t bytes = own.length + 1 + static_cast<std::size_t>(getpid()) % 3;
  AVRM_MUST(bytes <= *bytes_p);
  std::memset(buffer, 0, bytes);
  std::memcpy(buffer, &own.length, 1);
  std::memcpy(static_cast<char *>(buffer) + 1, &own.name, own.length);
  *bytes_p = bytes;
  return AVRM_OK;
}

avrm_status_t insert(avrm_netmod_t *netmod, std::size_t count, const void *addresses, std::size_t pitch,
                     std::size_t bytes, std::uint64_t *handles) {
  Least &net = least_of(netmod);
  AVRM_MUST(count >= 1 && pitch >= bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto *const from = static_cast<const unsigned char *>(addresses) + i * pitch;
    Peer peer{};
    peer.address.length = from[0];
    AVRM_MUST(peer.address.length < bytes);
    std::memcpy(&peer.address.name, from + 1, peer.address.length);
    handles[i] = kFirstHandle - net.peers.size() * kStep;
    net.peers.push_back(peer);
  }
  return AVRM_OK;
}

void remove_peer(avrm_netmod_t *netmod, std::uint64_t handle) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  peer_of(net, handle).is_removed = true;
  ++counts.removed;
  end_sends_if(net, AVRM_ERR_CANCELLED, [=](const Send &send) { return send.handle == handle; });
}

avrm_status_t tinject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                      std::uint64_t match) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  AVRM_MUST(bytes <= net.common.inject_max);
  return wish.delivers ? post(net, handle, datagram({What::kMessage, 0, match, bytes, 0, 0, 0}, buffer, bytes))
                       : AVRM_OK;
}

avrm_status_t tsend(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                    std::size_t count, avrm_request_t *request) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  AVRM_MUST(count == 1 && pieces->bytes > net.common.inject_max);
  std::memset(request->scratch, 0x5a, sizeof request->scratch); // also if it is refused
  if (!wish.delivers) {
    end_soon(net, request, AVRM_OK, 0, 0);
    return AVRM_OK;
  }
  const std::size_t bytes = pieces->bytes;
  if (wish.ending == Ending::kAtOnce && bytes <= kPiece) { // the message has left this process
    const avrm_status_t status =
        post(net, handle, datagram({What::kMessage, 0, match, bytes, 0, 0, 0}, pieces->base, bytes));
    if (status == AVRM_OK) {
      end_soon(net, request, AVRM_OK, 0, bytes);
    }
    return status;
  }
  const std::uint64_t number = net.next_number++;
  const avrm_status_t status = post(net, handle, datagram({What::kOffer, 0, match, bytes, 0, number, 0}));
  if (status == AVRM_OK) {
    net.sends[number] = {request, handle, *pieces};
  }
  return status;
}

avrm_status_t trecv(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  AVRM_MUST(count == 1 && (ignore & ~(AVRM_MATCH_SYNC | AVRM_MATCH_SOURCE_MASK | AVRM_MATCH_TAG_MASK)) == 0);
  std::memset(request->scratch, 0x5a, sizeof request->scratch);
  if (handle != AVRM_ANY_ADDRESS) {
    (void)peer_of(net, handle); // and it is used for nothing else
  }
  if (refuses(net)) {
    return AVRM_ERR_AGAIN;
  }
  const Receive receive{request, net.next_number++, match, ignore, *pieces};
  request->op = reinterpret_cast<void *>(receive.number);
  const auto found = std::find_if(net.unexpected.begin(), net.unexpected.end(),
                                  [&](const Arrival &arrival) { return fits(receive, arrival.head.match); });
  if (found == net.unexpected.end()) {
    net.posted.push_back(receive);
    return AVRM_OK;
  }
  const Arrival arrival = std::move(*found);
  net.unexpected.erase(found);
  deliver(net, receive, arrival);
  return AVRM_OK;
}

void cancel(avrm_netmod_t *netmod, avrm_request_t *request) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  ++counts.cancels;
  const auto found = std::find_if(net.posted.begin(), net.posted.end(),
                                  [=](const Receive &receive) { return receive.request == request; });
  if (found == net.posted.end()) { // it has a message, or was cancelled before
    const bool is_pending =
        std::any_of(net.ends.begin(), net.ends.end(), [=](const End &end) { return end.request == request; }) ||
        std::any_of(net.taking.begin(), net.taking.end(),
                    [=](const auto &one) { return one.second.request == request; });
    AVRM_MUST(is_pending);
    ++counts.late_cancels;
    return;
  }
  net.posted.erase(found);
  end_soon(net, request, AVRM_ERR_CANCELLED, 0, 0);
}

avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) {
  Least &net = least_of(netmod);
  const std::size_t bytes = header_bytes + payload_bytes;
  AVRM_MUST(header_bytes != 0 && bytes <= net.common.am_max);
  if (!wish.delivers) {
    return AVRM_ERR_UNSUPPORTED;
  }
  Bytes out = datagram({What::kActive, 0, 0, bytes, 0, 0, 0}, header, header_bytes);
  out.insert(out.end(), static_cast<const unsigned char *>(payload),
             static_cast<const unsigned char *>(payload) + payload_bytes);
  return post(net, handle, out);
}

int progress(avrm_netmod_t *netmod) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  AVRM_MUST(!std::exchange(net.in_progress, true));
  ++net.calls;
  int events = 0;
  for (int i = 0; i < 16 && read_one(net); ++i) {
    ++events;
  }
  events += look_at_messages(net);
  events += deliver_active(net);
  send_outgoing(net);
  events += end_due(net);
  net.may_accept = net.may_accept || std::exchange(net.has_refused, false);
  net.in_progress = false;
  return events;
}

void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) {
  Least &net = least_of(netmod);
  must_be_outside(net);
  Peer &peer = peer_of(net, handle);
  peer.is_failed = true;
  net.outgoing.erase(peer.address.key());
  end_sends_if(net, AVRM_ERR_PEER, [=](const Send &send) { return send.handle == handle; });
  // The core cancels receives.
}

// It ends behind the required operations.
constexpr avrm_netmod_ops_t make_table() {
  avrm_netmod_ops_t ops{};
  ops.bytes = offsetof(avrm_netmod_ops_t, tprobe);
  ops.version = AVRM_NETMOD_VERSION;
  ops.name = "least";
  ops.codec = AVRM_CODEC_OFI;
  ops.open = open_netmod;
  ops.close = close_netmod;
  ops.last_error = last_error;
  ops.describe = describe;
  ops.address = address;
  ops.insert = insert;
  ops.remove = remove_peer;
  ops.tinject = tinject;
  ops.tsend = tsend;
  ops.trecv = trecv;
  ops.cancel = cancel;
  ops.am_send = am_send;
  ops.progress = progress;
  ops.peer_failed = peer_failed;
  return ops;
}
const avrm_netmod_ops_t kOps = make_table();

} // namespace

const avrm_netmod_ops_t *least_ops() noexcept { return &kOps; }

void set_least(const LeastWish &its_wish) { wish = its_wish; }

const LeastCounts &least_counts() { return counts; }

} // namespace avrankmap::test
