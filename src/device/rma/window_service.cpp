// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Handling of active messages about windows, and of failed peers.
#include "rma/window_service.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/progress/completion.h"
#include "core/progress/progress.h"
#include "core/progress/queue.h"
#include "rma/atomic_element.h"
#include "rma/known_parts.h"
#include "rma/one_sided.h"

namespace avrankmap::detail {

namespace {

// What a process tells a peer about its own part of a window. The transports' descriptions of that
// part follow.
struct WindowDescription {
  std::uint64_t bytes;
  std::uint32_t net_bytes;
  std::uint32_t shm_bytes;
};

// Maximum size of a description, which fits into one active message of any netmod. The netmod's
// part may be as long as its contract allows (AVRM_NETMOD_KEY_MAX); the remainder is for the
// shmmod's.
constexpr std::size_t kDescriptionMax = AVRM_NETMOD_AM_MIN - sizeof(ActiveHeader);
static_assert(kDescriptionMax >= sizeof(WindowDescription) + AVRM_NETMOD_KEY_MAX + 256);

avrm_window_t *find_window(avrm_device_t *device, std::uint64_t id) noexcept {
  return device->windows->all.find(avrm_window_t::number_of(id));
}

// True if bytes [position, position + bytes) of the packed data, placed by a layout that begins at
// `offset`, lie inside a window part.
bool is_inside(const Shape &layout, std::uint64_t offset, std::uint64_t position, std::uint64_t bytes,
               std::uint64_t window_bytes) noexcept {
  if (layout.block == 0 || layout.pitch < layout.block || position + bytes < position) {
    return false;
  }
  if (bytes == 0) {
    return position == 0 && offset <= window_bytes;
  }
  const std::uint64_t last = position + bytes - 1;
  const std::uint64_t blocks = last / layout.block;
  if (blocks != 0 && layout.pitch > window_bytes / blocks) {
    return false;
  }
  const std::uint64_t end = blocks * layout.pitch + last % layout.block;
  return offset < window_bytes && end < window_bytes - offset;
}

// Returns the communicator that a message refers to; null if it does not exist, or not yet.
const avrm_comm_t *comm_of(const avrm_device_t *device, const ActiveHeader &header) noexcept {
  return device->comms.find(header.window >> 32);
}

// True if the sender is a member of the communicator, or the communicator is not known.
bool may_be_member(const avrm_device_t *device, const ActiveHeader &header) noexcept {
  const avrm_comm_t *const comm = comm_of(device, header);
  return header.sender >= 0 && (comm == nullptr || header.sender < comm->map->size);
}

// Fills in an answer. Returns false if the sender of the request is not known.
bool address_answer(avrm_device_t *device, const ActiveHeader &question, ActiveType type, std::size_t bytes,
                    ActiveHeader *header, avrm_gpid_t *peer_p) noexcept {
  const avrm_comm_t *const comm = comm_of(device, question);
  if (comm == nullptr || question.sender >= comm->map->size) { // perhaps it does not exist yet
    report(device, AVRM_ERR_TRANSPORT, "an active message came from no known member of its communicator");
    return false;
  }
  *header = question;
  header->type = type;
  header->sender = comm->rank;
  header->bytes = bytes;
  *peer_p = gpid_of(comm, question.sender);
  return true;
}

void report_unanswered(avrm_device_t *device, avrm_status_t status) noexcept {
  if (status != AVRM_OK && status != AVRM_ERR_PEER) {
    report(device, status, "an active message could not be answered");
  }
}

void reply(avrm_device_t *device, const ActiveHeader &question, ActiveType type, const void *payload,
           std::size_t bytes) noexcept {
  ActiveHeader header{};
  avrm_gpid_t peer{};
  if (!address_answer(device, question, type, bytes, &header, &peer)) {
    return;
  }
  avrm_status_t status = send_active(device, peer, header, payload, bytes, Retry::kLater);
  if (status == AVRM_ERR_NO_MEMORY && bytes != 0) { // the peer must not wait forever
    header.type = ActiveType::kRefused;
    header.position = kWantsMemory;
    header.bytes = 0;
    status = send_active(device, peer, header, nullptr, 0, Retry::kLater);
  }
  report_unanswered(device, status);
}

void refuse(avrm_device_t *device, const ActiveHeader &question, std::uint64_t reason) noexcept {
  ActiveHeader answered = question;
  answered.position = reason;
  reply(device, answered, ActiveType::kRefused, nullptr, 0);
}

void send_description(avrm_window_t *window, const ActiveHeader &question) noexcept {
  avrm_device_t *const device = window->device;
  unsigned char buffer[kDescriptionMax];
  WindowDescription description{window->bytes, 0, 0};
  unsigned char *at = buffer + sizeof description;
  if (window->net_memory != nullptr) {
    std::size_t room = AVRM_NETMOD_KEY_MAX;
    if (device->net->ops->memory_describe(device->net, window->net_memory, at, &room) == AVRM_OK) {
      description.net_bytes = static_cast<std::uint32_t>(room);
      at += room;
    }
  }
  if (window->shm_memory != nullptr) {
    std::size_t room = kDescriptionMax - static_cast<std::size_t>(at - buffer);
    if (device->shm->ops->memory_describe(device->shm, window->shm_memory, at, &room) == AVRM_OK) {
      description.shm_bytes = static_cast<std::uint32_t>(room);
      at += room;
    }
  }
  std::memcpy(buffer, &description, sizeof description);
  reply(device, question, ActiveType::kKeyReply, buffer, static_cast<std::size_t>(at - buffer));
}

// True if the window was created, even if it has been freed since, or if its creation failed.
bool has_been(const avrm_device_t *device, std::uint64_t id) noexcept {
  for (const WindowInMaking *making = device->windows->making; making != nullptr; making = making->next) {
    if (making->id == id) {
      return false;
    }
  }
  const avrm_comm_t *const comm = device->comms.find(id >> 32);
  return comm != nullptr && static_cast<std::uint32_t>(id) < comm->windows_created;
}

// Returns false if out of memory and unable to inform the sender, because there is no communicator
// yet.
bool on_key_request(avrm_device_t *device, const ActiveHeader &header) noexcept {
  if (avrm_window_t *const window = find_window(device, header.window)) {
    send_description(window, header);
    return true;
  }
  if (has_been(device, header.window)) {
    reply(device, header, ActiveType::kRefused, nullptr, 0);
    return true;
  }
  void *const block =
      device->instance->memory.allocate(sizeof(EarlyKeyRequest), alignof(EarlyKeyRequest), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    if (comm_of(device, header) == nullptr) {
      return false;
    }
    refuse(device, header, kWantsMemory);
    return true;
  }
  device->windows->early_requests =
      new (block) EarlyKeyRequest{device->windows->early_requests, header.window, header.token, header.sender};
  return true;
}

void on_key_reply(avrm_window_t *window, Target *target, const unsigned char *payload, std::size_t bytes) noexcept {
  avrm_device_t *const device = window->device;
  WindowDescription description{};
  target->state = Target::State::kGone;
  if (bytes < sizeof description) {
    return;
  }
  std::memcpy(&description, payload, sizeof description);
  if (bytes != sizeof description + description.net_bytes + std::size_t{description.shm_bytes}) {
    return;
  }
  payload += sizeof description;
  target->bytes = description.bytes;
  // The peer's netmod may have capabilities that this one does not have.
  const bool is_of_use = description.net_bytes != 0 && has_native_windows(device);
  if (target->route.kind == Route::kNet && is_of_use &&
      learn_part(window, target, payload, description.net_bytes) == AVRM_ERR_NO_MEMORY) {
    target->state = Target::State::kPutOff;
    return;
  }
  if (target->route.kind != Route::kNet && is_of_use) {
    learn_local_part(window, target, payload, description.net_bytes);
  }
  if (target->local_net_peer != nullptr && is_of_use &&
      open_local_part(window, target, payload, description.net_bytes) == AVRM_ERR_NO_MEMORY) {
    target->state = Target::State::kPutOff;
    return;
  }
  if (target->route.kind == Route::kShm && description.shm_bytes != 0) {
    void *mapped = nullptr;
    if (device->shm->ops->memory_map(device->shm, target->route.local_rank, payload + description.net_bytes,
                                     description.shm_bytes, description.bytes, &mapped, &target->mapping) == AVRM_OK) {
      target->mapped = static_cast<unsigned char *>(mapped);
    }
  }
  target->state = Target::State::kReady;
}

// Returns the maximum payload of an answer. An answer uses the transport of its request, so a peer
// without shared memory may ask for as much as the netmod carries, which may exceed this process's
// active_payload_max (the smaller of the two transports' limits).
std::size_t answer_payload_max(const avrm_device_t *device) noexcept {
  const std::size_t shared = device->shm != nullptr ? device->shm->am_max : 0;
  return std::max(device->net->am_max, shared) - sizeof(ActiveHeader);
}

void on_put(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  avrm_window_t *const window = find_window(device, header.window);
  const Shape layout{header.block, 0, header.pitch, nullptr};
  if (window == nullptr || bytes != header.bytes ||
      !is_inside(layout, header.offset, header.position, bytes, window->bytes)) {
    reply(device, header, ActiveType::kRefused, nullptr, 0);
    return;
  }
  Cursor to(address_of(window->base) + header.offset, layout, header.position);
  unpack(&to, payload, bytes);
  reply(device, header, ActiveType::kPutDone, nullptr, 0);
}

void on_get(avrm_device_t *device, const ActiveHeader &header) noexcept {
  avrm_window_t *const window = find_window(device, header.window);
  const Shape layout{header.block, 0, header.pitch, nullptr};
  if (window == nullptr || header.bytes > answer_payload_max(device) ||
      !is_inside(layout, header.offset, header.position, header.bytes, window->bytes)) {
    reply(device, header, ActiveType::kRefused, nullptr, 0);
    return;
  }
  const std::uint64_t within = header.position % layout.block;
  if (header.bytes <= layout.block - within) { // in one block
    const std::uint64_t at = header.position / layout.block * layout.pitch + within;
    reply(device, header, ActiveType::kGetData, window->base + header.offset + at, header.bytes);
    return;
  }
  const Scratch<unsigned char> copy(device->instance->memory, header.bytes);
  if (!copy) {
    refuse(device, header, kWantsMemory);
    return;
  }
  Cursor from(address_of(window->base) + header.offset, layout, header.position);
  pack(copy.data(), &from, header.bytes);
  reply(device, header, ActiveType::kGetData, copy.data(), header.bytes);
}

ActiveBlock block_at(const void *payload, std::uint64_t number) noexcept {
  ActiveBlock block;
  std::memcpy(&block, static_cast<const unsigned char *>(payload) + number * sizeof block, sizeof block);
  return block;
}

// True if the payload begins with as many block records as the header states, no block is empty or
// extends beyond the window part, and the blocks add up to the bytes that the header states.
bool has_blocks_inside(const ActiveHeader &header, const void *payload, std::size_t bytes,
                       std::uint64_t window_bytes) noexcept {
  if (header.bytes == 0 || header.block > bytes / sizeof(ActiveBlock)) {
    return false;
  }
  std::uint64_t left = header.bytes;
  for (std::uint64_t i = 0; i < header.block; ++i) {
    const ActiveBlock block = block_at(payload, i);
    if (block.bytes == 0 || block.bytes > left || block.offset > window_bytes ||
        block.bytes > window_bytes - block.offset) {
      return false;
    }
    left -= block.bytes;
  }
  return left == 0;
}

void on_put_blocks(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  avrm_window_t *const window = find_window(device, header.window);
  if (window == nullptr || !has_blocks_inside(header, payload, bytes, window->bytes) ||
      bytes - header.block * sizeof(ActiveBlock) != header.bytes) {
    reply(device, header, ActiveType::kRefused, nullptr, 0);
    return;
  }
  const unsigned char *data = static_cast<const unsigned char *>(payload) + header.block * sizeof(ActiveBlock);
  for (std::uint64_t i = 0; i < header.block; ++i) {
    const ActiveBlock block = block_at(payload, i);
    std::memcpy(window->base + block.offset, data, block.bytes);
    data += block.bytes;
  }
  reply(device, header, ActiveType::kPutDone, nullptr, 0);
}

void on_get_blocks(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  const avrm_window_t *const window = find_window(device, header.window);
  if (window == nullptr || header.bytes > answer_payload_max(device) ||
      !has_blocks_inside(header, payload, bytes, window->bytes)) {
    reply(device, header, ActiveType::kRefused, nullptr, 0);
    return;
  }
  const Scratch<unsigned char> copy(device->instance->memory, header.bytes);
  if (!copy) {
    refuse(device, header, kWantsMemory);
    return;
  }
  unsigned char *data = copy.data();
  for (std::uint64_t i = 0; i < header.block; ++i) {
    const ActiveBlock block = block_at(payload, i);
    std::memcpy(data, window->base + block.offset, block.bytes);
    data += block.bytes;
  }
  reply(device, header, ActiveType::kGetData, copy.data(), header.bytes);
}

void on_atomic(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  avrm_window_t *const window = find_window(device, header.window);
  const bool fetches = header.type == ActiveType::kFetchAtomic;
  if (window == nullptr || !is_atomic(header.block, header.pitch) || header.bytes > answer_payload_max(device) ||
      header.bytes % avrm_type_predefined_size(header.pitch) != 0 ||
      bytes != operand_bytes(header.block, header.bytes) || header.offset > window->bytes ||
      header.bytes > window->bytes - header.offset) {
    reply(device, header, ActiveType::kRefused, nullptr, 0);
    return;
  }
  const std::size_t element = avrm_type_predefined_size(header.pitch);
  unsigned char *const place = window->base + header.offset;
  if (reinterpret_cast<std::uintptr_t>(place) % element != 0) {
    refuse(device, header, kMisplaced);
    return;
  }
  if (!fetches) {
    apply_atomic(header.block, header.pitch, place, payload, nullptr, header.bytes / element);
    reply(device, header, ActiveType::kPutDone, nullptr, 0);
    return;
  }
  // The answer is allocated first, because an operation must not be refused after it was applied.
  unsigned char *const old = device->deferred.prepare(header.bytes);
  if (old == nullptr) {
    refuse(device, header, kWantsMemory);
    return;
  }
  apply_atomic(header.block, header.pitch, place, payload, old, header.bytes / element);
  ActiveHeader answer{};
  avrm_gpid_t peer{};
  if (address_answer(device, header, ActiveType::kGetData, header.bytes, &answer, &peer)) {
    report_unanswered(device, send_prepared(device, peer, answer, old));
  } else {
    device->deferred.discard_prepared(old);
  }
}

// Returns the request that an answer belongs to; null if there is none.
Request *find_request(avrm_window_t *window, const ActiveHeader &header) noexcept {
  Request *request = (header.token & kRequestToken) != 0 ? window->unanswered.first() : nullptr;
  while (request != nullptr &&
         (request->match != header.token || request->ignore != static_cast<std::uint64_t>(header.sender))) {
    request = request->next;
  }
  return request;
}

// True if this window ever gave the token to a request, which may have completed since.
bool was_asked(const avrm_window_t *window, const ActiveHeader &header) noexcept {
  return (header.token & kRequestToken) != 0 && (header.token & ~kRequestToken) < window->next_token;
}

void on_get_data(avrm_window_t *window, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  Request *const get = find_request(window, header);
  if (get == nullptr && was_asked(window, header)) {
    return; // it was given up
  }
  if (get == nullptr || get->kind != RequestKind::kOneSided || header.position > get->capacity ||
      bytes > get->capacity - header.position) {
    report(window->device, AVRM_ERR_TRANSPORT, "data arrived that nobody had asked for");
    return;
  }
  const Shape shape = get->packing == Packing::kNone ? get->shape : one_block(get->capacity);
  Cursor to(address_of(get->buffer), shape, header.position);
  unpack(&to, payload, bytes);
  end_part(get, AVRM_OK);
}

void on_put_done(avrm_window_t *window, const ActiveHeader &header) noexcept {
  if (Request *const put = find_request(window, header); put != nullptr && put->kind == RequestKind::kVisiblePut) {
    end_part(put, AVRM_OK);
    return;
  }
  Target *const target = window->find(header.token);
  if (target != nullptr && target->rank == header.sender && target->unacknowledged != 0) {
    --target->unacknowledged;
  }
}

avrm_status_t reason_of(const ActiveHeader &header) noexcept {
  return header.position == kWantsMemory ? AVRM_ERR_NO_MEMORY
         : header.position == kMisplaced ? AVRM_ERR_SIZE
                                         : AVRM_ERR_TRANSPORT;
}

void on_refused(avrm_window_t *window, const ActiveHeader &header) noexcept {
  if (Request *const request = find_request(window, header)) {
    // The target may still execute other messages of this request.
    end_part(request, reason_of(header));
    return;
  }
  if (Target *const target = window->find(header.token); target != nullptr && target->rank == header.sender) {
    if (target->state == Target::State::kAsked) {
      target->state = header.position == kWantsMemory ? Target::State::kPutOff : Target::State::kGone;
    } else if (target->unacknowledged != 0) {
      --target->unacknowledged;
      target->error = reason_of(header);
    }
  }
}

void on_refused_all(avrm_window_t *window, const ActiveHeader &header) noexcept {
  if (Target *const target = window->find(static_cast<std::uint32_t>(header.sender)); target != nullptr) {
    if (header.block != 0 && target->state == Target::State::kAsked) {
      target->state = Target::State::kPutOff;
    }
    const std::uint64_t refused = std::min(header.offset, target->unacknowledged);
    target->unacknowledged -= refused;
    target->error = refused != 0 ? AVRM_ERR_NO_MEMORY : target->error;
  }
  Request *next = header.bytes != 0 ? window->unanswered.first() : nullptr;
  while (next != nullptr) {
    Request *const request = next;
    next = request->next;
    if (request->ignore != static_cast<std::uint64_t>(header.sender) || request->match < header.token ||
        request->match > header.position) {
      continue;
    }
    const std::uint64_t pending = request->pending_parts;
    const std::uint64_t refused = request->match == header.position ? std::min(header.bytes, pending) : pending;
    for (std::uint64_t i = 0; i < refused; ++i) {
      end_part(request, AVRM_ERR_NO_MEMORY);
    }
  }
}

// Handles a request. Returns false if it is to be offered again.
bool on_request(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  switch (header.type) {
  case ActiveType::kKeyRequest: return on_key_request(device, header);
  case ActiveType::kPut: on_put(device, header, payload, bytes); break;
  case ActiveType::kGet: on_get(device, header); break;
  case ActiveType::kPutBlocks: on_put_blocks(device, header, payload, bytes); break;
  case ActiveType::kGetBlocks: on_get_blocks(device, header, payload, bytes); break;
  case ActiveType::kAtomic:
  case ActiveType::kFetchAtomic: on_atomic(device, header, payload, bytes); break;
  default: report(device, AVRM_ERR_TRANSPORT, "an active message has an unknown type"); break;
  }
  return true;
}

void on_answer(avrm_window_t *window, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  switch (header.type) {
  case ActiveType::kGetData: return on_get_data(window, header, payload, bytes);
  case ActiveType::kPutDone: return on_put_done(window, header);
  case ActiveType::kRefused: return on_refused(window, header);
  case ActiveType::kRefusedAll: return on_refused_all(window, header);
  default: break;
  }
  Target *const target = window->find(header.token);
  if (target != nullptr && target->rank == header.sender && target->state == Target::State::kAsked) {
    on_key_reply(window, target, static_cast<const unsigned char *>(payload), bytes);
  }
}

constexpr bool is_answer(ActiveType type) noexcept {
  return type == ActiveType::kKeyReply || type == ActiveType::kPutDone || type == ActiveType::kGetData ||
         type == ActiveType::kRefused || type == ActiveType::kRefusedAll;
}

} // namespace

bool handle_active(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  if (!may_be_member(device, header)) {
    if (!std::exchange(device->reported_non_member, true)) {
      report(device, AVRM_ERR_TRANSPORT, "active messages from senders outside the communicator are dropped");
    }
    return true;
  }
  if (!is_answer(header.type)) {
    return on_request(device, header, payload, bytes);
  }
  avrm_window_t *const window = find_window(device, header.window); // null: a late answer
  if (window != nullptr) {
    on_answer(window, header, payload, bytes);
  }
  return true;
}

bool reject_active(avrm_device_t *device, const ActiveHeader &header, bool only_extends) noexcept {
  const bool asks = header.type == ActiveType::kKeyRequest;
  const avrm_comm_t *const comm = comm_of(device, header);
  if (comm == nullptr && asks) {
    return false; // it is being created, and its members are not known
  }
  ActiveHeader rejection{};
  avrm_gpid_t peer{};
  if (comm == nullptr || !may_be_member(device, header) ||
      !address_answer(device, header, ActiveType::kRefusedAll, 0, &rejection, &peer)) {
    return !only_extends && handle_active(device, header, nullptr, 0); // drops it with a report
  }
  const bool has_request = (header.token & kRequestToken) != 0;
  rejection.block = asks ? 1 : 0;
  rejection.offset = !asks && !has_request ? 1 : 0;
  rejection.token = rejection.position = has_request ? header.token : 0;
  rejection.bytes = has_request ? 1 : 0;
  return device->deferred.reject(peer, rejection, only_extends);
}

void fail_one_sided(avrm_device_t *device) noexcept {
  device->requests.for_each([device](Request *request) {
    const bool awaits_answers = request->list != nullptr &&
                                (request->kind == RequestKind::kOneSided || request->kind == RequestKind::kVisiblePut);
    if (awaits_answers && has_failed(device, gpid_of(request->comm, static_cast<std::int32_t>(request->ignore)))) {
      give_up(request->window, request, AVRM_ERR_PEER);
    }
  });
}

void answer_early_requests(avrm_device_t *device) noexcept {
  Windows &windows = *device->windows;
  bool has_left = false;
  for (EarlyKeyRequest **at = &windows.early_requests; *at != nullptr;) {
    EarlyKeyRequest *const request = *at;
    avrm_window_t *const window = find_window(device, request->window);
    const bool is_due = window != nullptr || has_been(device, request->window);
    if (!is_due || !device->deferred.make_room()) {
      has_left = has_left || is_due;
      at = &request->next;
      continue;
    }
    *at = request->next;
    ActiveHeader header{};
    header.sender = request->sender;
    header.window = request->window;
    header.token = request->token;
    device->instance->memory.release(request, sizeof *request, alignof(EarlyKeyRequest), AVRM_MEM_MESSAGE);
    if (window != nullptr) {
      send_description(window, header);
    } else {
      reply(device, header, ActiveType::kRefused, nullptr, 0);
    }
  }
  if (has_left != windows.owes_answers) {
    windows.owes_answers = has_left;
    device->served += has_left ? 1U : -1U;
  }
}

void drop_early_requests(avrm_device_t *device) noexcept {
  while (device->windows->early_requests != nullptr) {
    EarlyKeyRequest *const request = device->windows->early_requests;
    device->windows->early_requests = request->next;
    device->instance->memory.release(request, sizeof *request, alignof(EarlyKeyRequest), AVRM_MEM_MESSAGE);
  }
}

} // namespace avrankmap::detail
