// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/by_active.h"

#include <cstring>

namespace avrankmap::detail {

namespace {

// The portion of an operation's data that an active message, or the answer to it, carries.
struct Portion {
  std::size_t listed;  // bytes of ActiveBlocks, if the target has a list
  std::uint64_t bytes; // of data
};

// A put's message contains the blocks and the data; a get's message the blocks, and its answer the
// data.
enum class Way : std::uint8_t { kPut, kGet };

// Returns the next portion of `left` bytes, for a message of at most `most` bytes.
// @param list  receives the ActiveBlocks
Portion next_portion(const Data &remote, Cursor *to, std::uint64_t left, std::size_t most, Way way,
                     unsigned char *list) noexcept {
  if (remote.shape.list == nullptr) {
    return {0, std::min<std::uint64_t>(left, most)};
  }
  Portion portion{};
  while (portion.bytes < left) {
    const std::size_t listed = portion.listed + sizeof(ActiveBlock);
    const std::uint64_t used = portion.bytes + (way == Way::kPut ? listed : 0);
    if (listed > most || used >= most) {
      break;
    }
    const ActiveBlock block{to->place(), std::min({to->room(), left - portion.bytes, most - used})};
    std::memcpy(list + portion.listed, &block, sizeof block);
    to->advance(block.bytes);
    portion = {listed, portion.bytes + block.bytes};
  }
  return portion;
}

ActiveHeader header_of(const avrm_window_t *window, const Data &remote, std::uint64_t position, const Portion &portion,
                       Way way, std::uint64_t token) noexcept {
  const bool is_put = way == Way::kPut;
  ActiveHeader header = header_for(window, is_put ? ActiveType::kPut : ActiveType::kGet, token);
  header.offset = remote.base;
  header.position = position;
  header.bytes = portion.bytes;
  header.block = remote.shape.block;
  header.pitch = std::max(remote.shape.pitch, remote.shape.block);
  if (remote.shape.list != nullptr) {
    header.type = is_put ? ActiveType::kPutBlocks : ActiveType::kGetBlocks;
    header.block = portion.listed / sizeof(ActiveBlock);
  }
  return header;
}

// Sends data piece by piece. They are copied, so the buffer is free when this returns. Pieces
// without a request are counted in `target`.
avrm_status_t send_pieces(avrm_window_t *window, Target *target, const Data &origin, const Data &remote,
                          Request *request) noexcept {
  avrm_device_t *const device = window->device;
  const std::size_t most = active_payload_max(device);
  const bool copies = remote.shape.list != nullptr || !is_contiguous(origin.shape);
  const std::uint64_t token = request == nullptr ? static_cast<std::uint64_t>(target->rank) : request->match;
  std::uint64_t *const unanswered = request == nullptr ? &target->unacknowledged : &request->pending_parts;
  const Scratch<unsigned char> copy(device->instance->memory, copies ? most : 1);
  if (!copy) {
    return AVRM_ERR_NO_MEMORY;
  }
  Cursor from(origin);
  Cursor to(remote);
  Portion portion{};
  for (std::uint64_t position = 0; position < origin.bytes; position += portion.bytes) {
    portion = next_portion(remote, &to, origin.bytes - position, most, Way::kPut, copy.data());
    const void *payload = origin.memory() + position;
    if (copies) {
      pack(copy.data() + portion.listed, &from, portion.bytes);
      payload = copy.data();
    }
    const ActiveHeader header = header_of(window, remote, position, portion, Way::kPut, token);
    ++*unanswered;
    const avrm_status_t status =
        send_active(device, target->process, header, payload, portion.listed + portion.bytes, Retry::kNow);
    if (status != AVRM_OK) {
      *unanswered -= *unanswered == 0 ? 0 : 1; // 0: the target has failed
      return status;
    }
  }
  return AVRM_OK;
}

avrm_status_t ask_for_pieces(avrm_window_t *window, const Target *target, const Data &remote, Request *get) noexcept {
  avrm_device_t *const device = window->device;
  const std::size_t most = active_payload_max(device);
  const Scratch<unsigned char> list(device->instance->memory, remote.shape.list != nullptr ? most : 1);
  if (!list) {
    return AVRM_ERR_NO_MEMORY;
  }
  Cursor from(remote);
  Portion portion{};
  avrm_status_t status = AVRM_OK;
  for (std::uint64_t position = 0; status == AVRM_OK && position < remote.bytes; position += portion.bytes) {
    portion = next_portion(remote, &from, remote.bytes - position, most, Way::kGet, list.data());
    ++get->pending_parts;
    status = send_active(device, target->process, header_of(window, remote, position, portion, Way::kGet, get->match),
                         list.data(), portion.listed, Retry::kNow);
    get->pending_parts -= status == AVRM_OK ? 0 : 1;
  }
  return status;
}

} // namespace

avrm_status_t put_by_active(avrm_window_t *window, Target *target, const Data &origin, const Data &remote, PutEnd end,
                            avrm_request_t **request_p) noexcept {
  if (end == PutEnd::kBufferFree) {
    return send_pieces(window, target, origin, remote, nullptr);
  }
  Request *const request = new_one_sided(window, target->rank, RequestKind::kVisiblePut);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  expect_answers(window, request, origin.bytes);
  end_sending(window, request, send_pieces(window, target, origin, remote, request));
  *request_p = request;
  return AVRM_OK;
}

avrm_status_t get_by_active(avrm_window_t *window, Target *target, const Data &origin, const Data &remote,
                            avrm_request_t **request_p) noexcept {
  Request *const get = new_one_sided(window, target->rank, RequestKind::kOneSided);
  if (get == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  // Data are stored as they arrive, at places that follow from their position. A list does not
  // allow this, so set_buffer makes a packed copy for it.
  get->buffer = origin.memory();
  get->shape = origin.shape;
  if (origin.shape.list != nullptr && set_buffer(get, origin) != AVRM_OK) {
    --window->users;
    free_request(get);
    return AVRM_ERR_NO_MEMORY;
  }
  expect_answers(window, get, origin.bytes);
  end_sending(window, get, ask_for_pieces(window, target, remote, get));
  *request_p = get;
  return AVRM_OK;
}

} // namespace avrankmap::detail
