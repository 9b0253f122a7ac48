// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/matching.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_tagged.h>

#include <cstring>
#include <new>

#include "ofi/pieces.h"
#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

// Pieces of an operation. A single one lies in the record itself.
struct Pieces {
  avrm_piece_t only;
  const avrm_piece_t *list;
  std::size_t count;
};

// Finds the pieces for bytes offset .. offset + bytes - 1. Writes at most kMaxPieces of them and
// returns their number.
std::size_t cut(const Pieces &pieces, std::size_t offset, std::size_t bytes, avrm_piece_t *out) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pieces.count && bytes != 0; ++i) {
    const avrm_piece_t &piece = pieces.list == nullptr ? pieces.only : pieces.list[i];
    if (offset >= piece.bytes) {
      offset -= piece.bytes;
      continue;
    }
    const std::size_t part = std::min(bytes, piece.bytes - offset);
    out[count++] = {static_cast<unsigned char *>(piece.base) + offset, part};
    offset = 0;
    bytes -= part;
  }
  return count;
}

void scatter(const Pieces &pieces, std::size_t offset, const unsigned char *data, std::size_t bytes) noexcept {
  avrm_piece_t parts[kMaxPieces];
  const std::size_t count = cut(pieces, offset, bytes, parts);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(parts[i].base, data, parts[i].bytes);
    data += parts[i].bytes;
  }
}

std::uint64_t hash_of(const unsigned char *bytes, std::size_t count) noexcept { // FNV-1a
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < count; ++i) {
    hash = (hash ^ bytes[i]) * 1099511628211U;
  }
  return hash;
}

Pieces pieces_of(const Op &op) noexcept {
  if (op.waiting != nullptr) {
    return {{}, op.waiting->pieces, op.waiting->count};
  }
  return {{op.buffer, op.total}, nullptr, 1};
}

} // namespace

Matching::Matching(Transport &net, bool streams) noexcept
    : net_(net), streams_(streams), posted_(net.memory), unexpected_(net.memory), senders_(net.memory) {}

Matching::~Matching() {
  senders_.clear([this](void *block) { release(static_cast<Sender *>(block)); });
  while (Unexpected *const message = unexpected_.first()) {
    unexpected_.remove(message);
    drop(message);
  }
}

avrm_status_t Matching::open(std::size_t longest) noexcept {
  if (net_.provider.info->domain_attr->cq_data_size < sizeof(std::uint64_t)) {
    net_.error.set("the provider's completions have no room for match bits");
    return AVRM_ERR_UNSUPPORTED;
  }
  longest_ = std::min(longest, kMost);
  name_bytes_ = sizeof name_;
  if (const int rc = fi_getname(&net_.endpoint->fid, name_, &name_bytes_); rc != 0) {
    return net_.refused("fi_getname", -rc);
  }
  return AVRM_OK;
}

Op *Matching::new_op(OpKind kind, std::uint64_t handle, const avrm_piece_t *pieces, std::size_t count,
                     avrm_request_t *request) noexcept {
  Op *const op = net_.pool.take(kind, handle, request);
  if (op == nullptr) {
    return nullptr;
  }
  op->total = bytes_of(pieces, count);
  op->part = 0;
  op->bytes = 0;
  op->buffer = count == 0 ? nullptr : static_cast<unsigned char *>(pieces[0].base);
  if (AVRM_UNLIKELY(count > 1)) {
    op->waiting = new (std::nothrow) WaitingReceive{};
    if (op->waiting == nullptr) {
      net_.pool.give(op);
      return nullptr;
    }
    std::copy_n(pieces, count, op->waiting->pieces);
    op->waiting->count = count;
  }
  return op;
}

avrm_status_t Matching::inject(std::uint64_t handle, std::uint64_t match, const void *buffer,
                               std::size_t bytes) noexcept {
  return net_.posted("fi_injectdata", fi_injectdata(net_.endpoint.get(), buffer, bytes, match, handle));
}

avrm_status_t Matching::send(std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces, std::size_t count,
                             avrm_request_t *request) noexcept {
  const std::size_t bytes = bytes_of(pieces, count);
  if (bytes <= eager_max()) {
    unsigned char joined[kMost];
    const void *whole = count == 1 ? pieces[0].base : joined;
    if (AVRM_UNLIKELY(count > 1)) {
      join(joined, pieces, count);
    }
    const avrm_status_t status = inject(handle, match, whole, bytes);
    if (status == AVRM_OK) {
      request->complete(request, AVRM_OK, 0, bytes);
    }
    return status;
  }
  Op *const op = new_op(OpKind::kSend, handle, pieces, count, request);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const Envelope envelope{match, bytes, reinterpret_cast<std::uintptr_t>(op), EnvelopeKind::kOffer,
                          static_cast<std::uint32_t>(name_bytes_)};
  const avrm_piece_t whole[] = {{const_cast<Envelope *>(&envelope), sizeof envelope}, {name_, name_bytes_}};
  const avrm_status_t status = send_untagged(net_, handle, whole, 2);
  if (status != AVRM_OK) {
    net_.pool.give(op);
    return status;
  }
  offered_.append(op);
  return AVRM_OK;
}

avrm_status_t Matching::receive(std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                                const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept {
  Op *const op = new_op(OpKind::kReceive, handle, pieces, count, request);
  if (op == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  op->match = match;
  op->ignore = ignore;
  request->op = op; // for cancel
  Unexpected *const message = unexpected_.find(match, ignore);
  if (message == nullptr) {
    op->posted = true;
    posted_.append(op);
    return AVRM_OK;
  }
  unexpected_.remove(message);
  take(op, message);
  return AVRM_OK;
}

// Gives a receive a message that is in no queue any more.
void Matching::take(Op *op, Unexpected *message) noexcept {
  if (message->has_data) {
    deliver(op, message->match, message->data(), message->bytes);
  } else {
    accept(op, *message);
  }
  drop(message);
}

bool Matching::find(std::uint64_t match, std::uint64_t ignore, bool claim, avrm_netmod_message_t *message_p) noexcept {
  Unexpected *const message = unexpected_.find(match, ignore);
  if (message == nullptr) {
    return false;
  }
  *message_p = {message->match, message->bytes, message};
  if (claim) {
    unexpected_.remove(message);
  }
  return true;
}

avrm_status_t Matching::receive_claimed(void *claimed, const avrm_piece_t *pieces, std::size_t count,
                                        avrm_request_t *request) noexcept {
  auto *const message = static_cast<Unexpected *>(claimed);
  Op *const op = new_op(OpKind::kReceive, message->handle, pieces, count, request);
  if (op == nullptr) {
    drop(message);
    return AVRM_ERR_NO_MEMORY;
  }
  op->match = message->match;
  op->ignore = 0;
  request->op = op;
  take(op, message);
  return AVRM_OK;
}

// Copies a message into a receive and completes it.
void Matching::deliver(Op *op, std::uint64_t match, const unsigned char *data, std::uint64_t bytes) noexcept {
  const std::size_t fitting = std::min<std::uint64_t>(bytes, op->total);
  if (AVRM_UNLIKELY(op->waiting != nullptr)) {
    scatter(pieces_of(*op), 0, data, fitting);
  } else if (fitting != 0) {
    std::memcpy(op->buffer, data, fitting);
  }
  const avrm_status_t status = bytes > op->total ? AVRM_ERR_TRUNCATED : AVRM_OK;
  end(net_, op, status, match, bytes);
}

void Matching::accept(Op *op, const Message &offer) noexcept {
  op->match = offer.match;
  op->ignore = 0;
  op->handle = offer.handle;
  op->remote = offer.token;
  op->key = streams_ ? offer.bytes : next_tag_++ & net_.provider.tag_mask;
  if (offer.handle == AVRM_ANY_ADDRESS || net_.is_failed(offer.handle)) {
    end(net_, op, offer.handle == AVRM_ANY_ADDRESS ? AVRM_ERR_NO_MEMORY : AVRM_ERR_PEER, offer.match, 0);
    return;
  }
  if (!accepting_.empty() || !go_on_accepting(op)) {
    accepting_.append(op);
  }
}

// Returns true if only the data are missing.
bool Matching::go_on_accepting(Op *op) noexcept {
  if (!streams_ && op->part == 0) {
    const Pieces pieces = pieces_of(*op);
    void *descriptors[kMaxPieces + 1] = {};
    const ssize_t rc = post_receive(net_, op, op->key, 0, pieces.list == nullptr ? &pieces.only : pieces.list,
                                    pieces.count, descriptors);
    if (is_full(rc)) {
      return false;
    }
    if (rc != 0) {
      end(net_, op, net_.posted("fi_trecv", rc), op->match, 0);
      return true;
    }
    op->part = 1;
    delete op->waiting;
    op->waiting = nullptr;
  }
  const Envelope envelope{streams_ ? reinterpret_cast<std::uintptr_t>(op) : op->key, 0, op->remote,
                          EnvelopeKind::kGrant, 0};
  const avrm_piece_t whole{const_cast<Envelope *>(&envelope), sizeof envelope};
  const avrm_status_t status = send_untagged(net_, op->handle, &whole, 1);
  if (status == AVRM_OK && streams_) {
    streaming_.append(op);
  } else if (status != AVRM_OK && status != AVRM_ERR_AGAIN) {
    if (streams_) {
      end(net_, op, status, op->match, 0);
    } else {
      fi_cancel(&net_.endpoint->fid, &op->context);
      abandon(net_, *op, status);
    }
  }
  return status != AVRM_ERR_AGAIN;
}

void Matching::cancel(Op *op) noexcept {
  if (op->posted) { // otherwise a message has matched it
    withdraw(op);
    end(net_, op, op->peer_failed ? AVRM_ERR_PEER : AVRM_ERR_CANCELLED, op->match, 0);
  }
}

void Matching::withdraw(Op *op) noexcept {
  op->posted = false;
  posted_.remove(op);
}

void Matching::drop(Unexpected *message) noexcept {
  net_.memory.release(message, message->size(), alignof(Unexpected), AVRM_MEM_MESSAGE);
}

void Matching::on_eager(std::uint64_t match, const unsigned char *data, std::size_t bytes) noexcept {
  on_message({match, bytes, 0, AVRM_ANY_ADDRESS, true}, data);
}

void Matching::on_arrival(const unsigned char *data, std::size_t bytes) noexcept {
  Envelope envelope;
  if (bytes < sizeof envelope) {
    return; // not sent by this netmod
  }
  std::memcpy(&envelope, data, sizeof envelope);
  data += sizeof envelope;
  bytes -= sizeof envelope;
  switch (envelope.kind) {
  case EnvelopeKind::kActive: net_.config.on_am(net_.config.user, data, bytes); return;
  case EnvelopeKind::kOffer:
    if (envelope.name_bytes <= bytes) {
      on_message({envelope.match, envelope.bytes, envelope.token, handle_of(data, envelope.name_bytes), false},
                 nullptr);
    }
    return;
  case EnvelopeKind::kGrant: on_grant(envelope); return;
  case EnvelopeKind::kData: on_data(envelope, data, bytes); return;
  }
}

// `data` are the message's, if message.has_data is true.
void Matching::on_message(const Message &message, const unsigned char *data) noexcept {
  if (Op *const op = posted_.find(message.match, 0); op != nullptr) {
    withdraw(op);
    message.has_data ? deliver(op, message.match, data, message.bytes) : accept(op, message);
    return;
  }
  const std::size_t room = message.has_data ? message.bytes : 0;
  void *const block = net_.memory.allocate(sizeof(Unexpected) + room, alignof(Unexpected), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    net_.error.set("memory is exhausted: an unexpected message was lost");
    return;
  }
  auto *const kept = new (block) Unexpected{message, nullptr, nullptr, {}};
  if (room != 0) {
    std::memcpy(kept + 1, data, room);
  }
  unexpected_.append(kept);
}

void Matching::on_grant(const Envelope &envelope) noexcept {
  Op *const op = offered_.take(
      net_.pool, [&envelope](const Op &send) { return reinterpret_cast<std::uintptr_t>(&send) == envelope.token; });
  if (op == nullptr) {
    return; // it has ended already
  }
  op->key = envelope.match;
  if (!granted_.empty() || !start_sending(op)) {
    granted_.append(op);
  }
}

void Matching::on_data(const Envelope &envelope, const unsigned char *data, std::size_t bytes) noexcept {
  const auto is_wanted = [&envelope](const Op &op) { return reinterpret_cast<std::uintptr_t>(&op) == envelope.token; };
  Op *const op = streaming_.take(net_.pool, is_wanted);
  if (op == nullptr) {
    return; // it has ended already
  }
  if (envelope.match < op->total) {
    scatter(pieces_of(*op), envelope.match, data, std::min<std::uint64_t>(bytes, op->total - envelope.match));
  }
  op->bytes += bytes;
  if (op->bytes < op->key) {
    streaming_.append(op);
    return;
  }
  end(net_, op, op->key > op->total ? AVRM_ERR_TRUNCATED : AVRM_OK, op->match, op->key);
}

// Returns true if everything is sent, or the message has failed.
bool Matching::stream(Op *op) noexcept {
  avrm_status_t status = AVRM_OK;
  while (op->bytes < op->total && status == AVRM_OK) {
    const std::size_t bytes = std::min(behind_envelope_max(), op->total - op->bytes);
    const Envelope envelope{op->bytes, bytes, op->key, EnvelopeKind::kData, 0};
    avrm_piece_t pieces[1 + kMaxPieces] = {{const_cast<Envelope *>(&envelope), sizeof envelope}};
    const std::size_t count = cut(pieces_of(*op), op->bytes, bytes, pieces + 1);
    status = send_untagged(net_, op->handle, pieces, 1 + count);
    op->bytes += status == AVRM_OK ? bytes : 0;
  }
  if (status == AVRM_ERR_AGAIN) {
    return false;
  }
  end(net_, op, status, 0, op->total);
  return true;
}

// Returns false if there is no room.
bool Matching::start_sending(Op *op) noexcept {
  if (streams_) {
    return stream(op);
  }
  const Pieces pieces = pieces_of(*op);
  iovec iovecs[kMaxPieces];
  for (std::size_t i = 0; i < pieces.count; ++i) {
    const avrm_piece_t &piece = pieces.list == nullptr ? pieces.only : pieces.list[i];
    iovecs[i] = {piece.base, piece.bytes};
  }
  void *descriptors[kMaxPieces] = {};
  const avrm_status_t status = net_.posted("fi_tsendv", fi_tsendv(net_.endpoint.get(), iovecs, descriptors,
                                                                  pieces.count, op->handle, op->key, &op->context));
  if (status == AVRM_ERR_AGAIN) {
    return false;
  }
  if (status != AVRM_OK) {
    end(net_, op, status, 0, 0);
  }
  return true;
}

void Matching::go_on() noexcept {
  const auto first = [](const Op &) { return true; };
  OpQueue later;
  while (Op *const op = granted_.take(net_.pool, first)) {
    if (!start_sending(op)) {
      later.append(op);
    }
  }
  granted_ = later;
  later = OpQueue();
  while (Op *const op = accepting_.take(net_.pool, first)) {
    if (!go_on_accepting(op)) {
      later.append(op);
    }
  }
  accepting_ = later;
}

// Returns the provider's handle of a sender, to which this process may never have sent anything.
std::uint64_t Matching::handle_of(const unsigned char *name, std::size_t bytes) noexcept {
  const std::uint64_t hash = hash_of(name, bytes);
  const auto is_it = [name, bytes](const void *block) {
    const auto *const sender = static_cast<const Sender *>(block);
    return sender->bytes == bytes && std::memcmp(sender + 1, name, bytes) == 0;
  };
  if (const void *const known = senders_.find(hash, is_it); known != nullptr) {
    return static_cast<const Sender *>(known)->handle;
  }
  void *const block = net_.memory.allocate(sizeof(Sender) + bytes, alignof(Sender), AVRM_MEM_INSTANCE);
  if (block == nullptr) {
    return AVRM_ANY_ADDRESS;
  }
  auto *const sender = new (block) Sender{FI_ADDR_NOTAVAIL, bytes};
  std::memcpy(sender + 1, name, bytes);
  if (!senders_.insert(hash, sender)) {
    release(sender);
    return AVRM_ANY_ADDRESS;
  }
  const int inserted = fi_av_insert(net_.av.get(), sender + 1, 1, &sender->handle, 0, nullptr);
  if (inserted != 1 || sender->handle == FI_ADDR_NOTAVAIL) {
    senders_.erase(hash, sender);
    release(sender);
    return AVRM_ANY_ADDRESS;
  }
  return sender->handle;
}

void Matching::release(Sender *sender) noexcept {
  net_.memory.release(sender, sizeof *sender + sender->bytes, alignof(Sender), AVRM_MEM_INSTANCE);
}

} // namespace avrankmap::detail::ofi
