// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/netmod/minimal_netmod.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/device/core/process.h"
#include "tests/tour/datagram/datagram.h"

namespace avrankmap::test {
namespace {

constexpr std::uint64_t kFirstHandle = (std::uint64_t{1} << 63) - 1; // and downwards
constexpr std::uint64_t kStep = 7;
constexpr std::size_t kMostHeld = 64; // messages of a context

MinimalWish wish;
MinimalCounts counts{};

using Bytes = std::vector<unsigned char>;

struct Peer {
  bool is_failed = false;
  bool is_removed = false;
};

// A message that was accepted and has not been sent.
struct Message {
  std::uint64_t match;
  avrm_request_t *request; // null: of tinject
  avrm_piece_t piece;
  Bytes copy;
};

// Messages that one receive may take both differ in the tag at most. Only those keep their order.
struct Context {
  std::uint64_t handle;
  std::uint64_t match;
  std::uint64_t due; // the call of progress that sends them first
  std::deque<Message> messages;
};

struct End {
  avrm_request_t *request;
  avrm_status_t status;
  std::uint64_t match;
  std::uint64_t bytes;
  std::uint64_t due;
};

struct Minimal {
  avrm_netmod_t *example = nullptr;
  avrm_netmod_config_t config{};
  std::uint64_t calls = 0;  // of progress
  bool has_refused = false; // an operation, since the last progress
  bool may_accept = false;  // the next one
  bool in_callback = false;
  bool in_progress = false;
  std::minstd_rand random{static_cast<unsigned>(getpid())};
  std::vector<Peer> peers;
  std::list<Context> contexts;          // with messages, the newest first
  std::vector<avrm_request_t *> doomed; // sends to peers whose death the core has not been told of
  std::deque<End> ends;
  std::deque<std::pair<std::uint64_t, Bytes>> active; // with the call of progress that delivers it
};

// What `op` of a request points to.
struct Operation {
  Minimal *net;
  std::uint64_t handle; // of a send
  void (*complete)(avrm_request_t *, avrm_status_t, std::uint64_t, std::uint64_t);
};

std::map<const avrm_netmod_t *, std::unique_ptr<Minimal>> nets;

const avrm_netmod_ops_t &example() { return *datagram_netmod(); }

// The core calls one function at a time, and most within none of its callbacks.
Minimal &minimal_of(avrm_netmod_t *netmod) {
  Minimal &net = *nets.at(netmod);
  AVRM_MUST(!net.in_callback);
  return net;
}

std::uint64_t index_of(const Minimal &net, std::uint64_t handle) {
  const std::uint64_t index = (kFirstHandle - handle) / kStep;
  AVRM_MUST(index < net.peers.size() && kFirstHandle - index * kStep == handle && !net.peers[index].is_removed);
  return index;
}

bool is_failed(const Minimal &net, std::uint64_t handle) { return net.peers[index_of(net, handle)].is_failed; }

// Some calls of progress from now on.
std::uint64_t soon(Minimal &net) { return net.calls + 1 + net.random() % 4; }

// Calls the core, which must not call any function but those that netmod.h allows.
template <typename Call> void call_core(Minimal &net, Call call) {
  AVRM_MUST(!net.in_callback);
  net.in_callback = true;
  call();
  net.in_callback = false;
}

// ---- requests ----

avrm_request_t *release(avrm_request_t *request) {
  const std::unique_ptr<Operation> operation(static_cast<Operation *>(request->op));
  request->complete = operation->complete;
  request->op = nullptr;
  std::memset(request->scratch, 0xa5, sizeof request->scratch); // the netmod's until now
  return request;
}

void complete(Minimal &net, const End &end) {
  avrm_request_t *const request = release(end.request);
  call_core(net, [&] { request->complete(request, end.status, end.match, end.bytes); });
}

// The example completes a request. It notices deaths by itself, as it need not.
void end(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
  const auto *const operation = static_cast<const Operation *>(request->op);
  Minimal &net = *operation->net;
  if (status == AVRM_ERR_PEER && !is_failed(net, operation->handle)) {
    net.doomed.push_back(request);
  } else if (wish.ending == Ending::kAtOnce) {
    complete(net, {request, status, match, bytes, 0});
  } else {
    net.ends.push_back({request, status, match, bytes, soon(net)});
  }
}

void adopt(Minimal &net, avrm_request_t *request, std::uint64_t handle) {
  std::memset(request->scratch, 0x5a, sizeof request->scratch);
  request->op = new Operation{&net, handle, request->complete};
  request->complete = end;
}

int end_due(Minimal &net) {
  int events = 0;
  // Those that a completion adds come next time.
  for (std::size_t left = net.ends.size(); left != 0; --left) {
    const End one = net.ends.front();
    net.ends.pop_front();
    if (one.due > net.calls) {
      net.ends.push_back(one);
    } else {
      complete(net, one);
      ++events;
    }
  }
  return events;
}

// ---- messages ----

// Whether to return AVRM_ERR_AGAIN: to each operation, until progress was made.
bool refuses(Minimal &net) {
  if (wish.ending == Ending::kAtOnce || std::exchange(net.may_accept, false)) {
    return false;
  }
  net.has_refused = true;
  ++counts.refused;
  return true;
}

// A message of one context overtakes those of others that were accepted before.
avrm_status_t hold(Minimal &net, std::uint64_t handle, Message message) {
  const std::uint64_t match = message.match & ~(AVRM_MATCH_TAG_MASK | AVRM_MATCH_SYNC);
  auto context = std::find_if(net.contexts.begin(), net.contexts.end(),
                              [=](const Context &one) { return one.handle == handle && one.match == match; });
  if (context == net.contexts.end()) {
    const std::uint64_t due = net.contexts.empty() ? 2 + soon(net) : net.calls + 1;
    context = net.contexts.insert(net.contexts.begin(), {handle, match, due, {}});
  }
  if (context->messages.size() == kMostHeld) {
    return AVRM_ERR_AGAIN;
  }
  if (message.request != nullptr) {
    adopt(net, message.request, handle);
  }
  context->messages.push_back(std::move(message));
  return AVRM_OK;
}

avrm_status_t post(const Minimal &net, std::uint64_t index, const Message &message) {
  return message.request == nullptr
             ? example().tinject(net.example, message.copy.data(), message.copy.size(), index, message.match)
             : example().tsend(net.example, index, message.match, &message.piece, 1, message.request);
}

// Sends what is due. Messages to the dead stay until the core knows, or until the end.
void send_held(Minimal &net, bool is_end) {
  for (auto context = net.contexts.begin(); context != net.contexts.end();) {
    while ((is_end || context->due <= net.calls) && !context->messages.empty()) {
      const avrm_status_t status = post(net, index_of(net, context->handle), context->messages.front());
      if (status != AVRM_OK && !(is_end && status == AVRM_ERR_PEER)) {
        break;
      }
      counts.overtaken += std::next(context) != net.contexts.end() ? 1 : 0;
      context->messages.pop_front();
    }
    context = context->messages.empty() ? net.contexts.erase(context) : std::next(context);
  }
}

// Ends the sends to a peer that have not been sent.
void end_held(Minimal &net, avrm_status_t status, std::uint64_t handle) {
  for (auto context = net.contexts.begin(); context != net.contexts.end();) {
    if (context->handle != handle) {
      ++context;
      continue;
    }
    for (const Message &message : context->messages) {
      if (message.request != nullptr) {
        end(message.request, status, 0, 0);
      }
    }
    context = net.contexts.erase(context);
  }
  for (avrm_request_t *const request : std::exchange(net.doomed, {})) {
    static_cast<Operation *>(request->op)->handle == handle ? end(request, status, 0, 0)
                                                            : net.doomed.push_back(request);
  }
}

// ---- active messages ----

// Aligned to nothing, and gone after the call.
bool deliver(Minimal &net, const void *data, std::size_t bytes) {
  const std::unique_ptr<unsigned char[]> copy(new unsigned char[bytes + 1]);
  std::memcpy(copy.get() + 1, data, bytes);
  bool is_taken = false;
  call_core(net, [&] { is_taken = net.config.on_am(net.config.user, copy.get() + 1, bytes); });
  return is_taken;
}

bool on_am(void *user, const void *data, std::size_t bytes) {
  Minimal &net = *static_cast<Minimal *>(user);
  const auto *const from = static_cast<const unsigned char *>(data);
  if (wish.ending == Ending::kAtOnce) {
    return deliver(net, data, bytes);
  }
  net.active.emplace_back(soon(net), Bytes(from, from + bytes));
  return true;
}

int deliver_due(Minimal &net) {
  int events = 0;
  for (; !net.active.empty() && net.active.front().first <= net.calls; ++events) {
    const Bytes data = std::move(net.active.front().second);
    if (!deliver(net, data.data(), data.size())) {
      net.active.front().second = data;
      break;
    }
    net.active.pop_front();
  }
  return events;
}

// ---- the operations that differ ----

extern const avrm_netmod_ops_t kOps;

avrm_status_t open_netmod(const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) {
  auto net = std::make_unique<Minimal>();
  net->config = *config;
  avrm_netmod_config_t its_config = *config;
  its_config.on_am = on_am;
  its_config.user = net.get();
  const avrm_status_t status = example().open(&its_config, &net->example);
  if (status == AVRM_OK) {
    *netmod_p = net->example;
    (*netmod_p)->ops = &kOps;
    (*netmod_p)->inject_max = AVRM_NETMOD_INJECT_MIN;
    (*netmod_p)->am_max = AVRM_NETMOD_AM_MIN;
    (*netmod_p)->capabilities = wish.delivers ? AVRM_NETMOD_DELIVERS : 0;
    nets[*netmod_p] = std::move(net);
  }
  return status;
}

// Messages of tinject still reach live peers.
void close_netmod(avrm_netmod_t *netmod) {
  Minimal &net = minimal_of(netmod);
  for (Context &context : net.contexts) {
    std::erase_if(context.messages, [](const Message &message) {
      if (message.request != nullptr) {
        end(message.request, AVRM_ERR_CANCELLED, 0, 0);
      }
      return message.request != nullptr;
    });
  }
  for (int i = 0; i < 1000 && !net.contexts.empty(); ++i) {
    send_held(net, true);
    usleep(i == 0 ? 0 : 1000);
  }
  for (avrm_request_t *const request : std::exchange(net.doomed, {})) {
    end(request, AVRM_ERR_CANCELLED, 0, 0);
  }
  example().close(netmod);
  for (const End &one : std::exchange(net.ends, {})) {
    complete(net, one);
  }
  nets.erase(netmod);
}

// Of several lengths: that of the example, and some bytes more.
avrm_status_t address(avrm_netmod_t *netmod, void *buffer, std::size_t *bytes_p) {
  const std::size_t most = *bytes_p;
  const avrm_status_t status = example().address(netmod, buffer, bytes_p);
  const std::size_t more = static_cast<std::size_t>(getpid()) % 3;
  AVRM_MUST(status == AVRM_OK && *bytes_p + more <= most);
  std::memset(static_cast<char *>(buffer) + *bytes_p, 0, more);
  *bytes_p += more;
  return AVRM_OK;
}

avrm_status_t insert(avrm_netmod_t *netmod, std::size_t count, const void *addresses, std::size_t pitch,
                     std::size_t bytes, std::uint64_t *handles) {
  AVRM_MUST(count >= 1 && pitch >= bytes);
  const avrm_status_t status = example().insert(netmod, count, addresses, pitch, bytes, handles);
  for (std::size_t i = 0; status == AVRM_OK && i < count; ++i) {
    handles[i] = kFirstHandle - handles[i] * kStep;
    nets.at(netmod)->peers.emplace_back();
  }
  return status;
}

void remove_peer(avrm_netmod_t *netmod, std::uint64_t handle) {
  Minimal &net = minimal_of(netmod);
  const std::uint64_t index = index_of(net, handle);
  end_held(net, AVRM_ERR_CANCELLED, handle);
  example().remove(netmod, index);
  net.peers[index].is_removed = true;
  ++counts.removed;
}

// Of what the example says: AVRM_ERR_AGAIN also if nobody reads there any more.
avrm_status_t status_of(avrm_status_t status) { return status == AVRM_ERR_PEER ? AVRM_ERR_AGAIN : status; }

avrm_status_t tinject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                      std::uint64_t match) {
  Minimal &net = minimal_of(netmod);
  AVRM_MUST(bytes <= netmod->inject_max);
  if (!wish.delivers || is_failed(net, handle)) {
    return wish.delivers ? AVRM_ERR_PEER : AVRM_OK;
  }
  if (wish.ending == Ending::kAtOnce) {
    return status_of(example().tinject(netmod, buffer, bytes, index_of(net, handle), match));
  }
  const auto *const from = static_cast<const unsigned char *>(buffer);
  return refuses(net) ? AVRM_ERR_AGAIN : hold(net, handle, {match, nullptr, {}, Bytes(from, from + bytes)});
}

avrm_status_t tsend(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                    std::size_t count, avrm_request_t *request) {
  Minimal &net = minimal_of(netmod);
  AVRM_MUST(count == 1 && pieces->bytes > netmod->inject_max);
  std::memset(request->scratch, 0x5a, sizeof request->scratch); // also if it is refused
  if (wish.delivers && (is_failed(net, handle) || refuses(net))) {
    return is_failed(net, handle) ? AVRM_ERR_PEER : AVRM_ERR_AGAIN;
  }
  if (wish.delivers && wish.ending == Ending::kLate) {
    return hold(net, handle, {match, request, *pieces, {}});
  }
  adopt(net, request, handle);
  if (!wish.delivers) {
    end(request, AVRM_OK, 0, 0);
    return AVRM_OK;
  }
  const avrm_status_t status = example().tsend(netmod, index_of(net, handle), match, pieces, 1, request);
  if (status != AVRM_OK) {
    release(request);
  }
  return status_of(status);
}

avrm_status_t trecv(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
  Minimal &net = minimal_of(netmod);
  AVRM_MUST(count == 1 && (ignore & ~(AVRM_MATCH_SYNC | AVRM_MATCH_SOURCE_MASK | AVRM_MATCH_TAG_MASK)) == 0);
  AVRM_MUST(handle == AVRM_ANY_ADDRESS || index_of(net, handle) < net.peers.size());
  std::memset(request->scratch, 0x5a, sizeof request->scratch);
  if (refuses(net)) {
    return AVRM_ERR_AGAIN;
  }
  adopt(net, request, handle);
  return example().trecv(netmod, handle, match, ignore, pieces, count, request);
}

void cancel(avrm_netmod_t *netmod, avrm_request_t *request) {
  Minimal &net = minimal_of(netmod);
  ++counts.cancels;
  // It has a message, or was cancelled before.
  if (std::any_of(net.ends.begin(), net.ends.end(), [=](const End &one) { return one.request == request; })) {
    ++counts.late_cancels;
  } else {
    example().cancel(netmod, request);
  }
}

avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) {
  Minimal &net = *nets.at(netmod);
  AVRM_MUST(header_bytes != 0 && header_bytes + payload_bytes <= netmod->am_max);
  if (!wish.delivers || is_failed(net, handle)) {
    return wish.delivers ? AVRM_ERR_PEER : AVRM_ERR_UNSUPPORTED;
  }
  return refuses(net) ? AVRM_ERR_AGAIN
                      : status_of(example().am_send(netmod, index_of(net, handle), header, header_bytes, payload,
                                                    payload_bytes));
}

int progress(avrm_netmod_t *netmod) {
  Minimal &net = minimal_of(netmod);
  AVRM_MUST(!std::exchange(net.in_progress, true));
  ++net.calls;
  send_held(net, false);
  const int events = example().progress(netmod) + deliver_due(net) + end_due(net);
  net.may_accept = net.may_accept || std::exchange(net.has_refused, false);
  net.in_progress = false;
  return events;
}

void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) {
  Minimal &net = minimal_of(netmod);
  net.peers[index_of(net, handle)].is_failed = true;
  ++counts.failed;
  end_held(net, AVRM_ERR_PEER, handle);
  example().peer_failed(netmod, index_of(net, handle));
}

// It ends behind the required operations.
avrm_netmod_ops_t make_table() {
  avrm_netmod_ops_t ops = example();
  ops.bytes = offsetof(avrm_netmod_ops_t, tprobe);
  ops.name = "minimal";
  ops.open = open_netmod;
  ops.close = close_netmod;
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

const avrm_netmod_ops_t *minimal_ops() noexcept { return &kOps; }

void set_minimal(const MinimalWish &its_wish) { wish = its_wish; }

const MinimalCounts &minimal_counts() { return counts; }

} // namespace avrankmap::test
