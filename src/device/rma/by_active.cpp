// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/by_active.h"

#include <cstring>

namespace avrankmap::detail {

namespace {

// What an active message, or the answer to it, carries of an operation.
struct Portion {
  std::size_t listed;  // bytes of ActiveBlocks, if the target has a list
  std::uint64_t bytes; // of data
};

// A message of a put has the blocks and the data; that of a get the blocks, its answer the data.
enum class Way : std::uint8_t { kPut, kGet };

// The next portion of `left` bytes, in messages of at most `most` bytes.
// @param list  receives the ActiveBlocks; null: they are only counted
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
    if (list != nullptr) {
      std::memcpy(list + portion.listed, &block, sizeof block);
    }
    to->advance(block.bytes);
    portion = {listed, portion.bytes + block.bytes};
  }
  return portion;
}

std::uint64_t count_messages(const avrm_window_t *window, const Data &remote, Way way) noexcept {
  Cursor to(remote);
  std::uint64_t messages = 0;
  for (std::uint64_t left = remote.bytes; left != 0; ++messages) {
    left -= next_portion(remote, &to, left, active_payload_max(window->device), way, nullptr).bytes;
  }
  return messages;
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

// Sends data piece by piece; they are copied, so the buffer is free when this returns.
avrm_status_t send_pieces(avrm_window_t *window, Target *target, const Data &origin, const Data &remote,
                          std::uint64_t token) noexcept {
  avrm_device_t *const device = window->device;
  const std::size_t most = active_payload_max(device);
  const bool copies = remote.shape.list != nullptr || !is_contiguous(origin.shape);
  const bool counted = (token & kRequestToken) == 0;
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
    target->unacknowledged += counted ? 1 : 0;
    const avrm_status_t status =
        send_active(device, target->process, header, payload, portion.listed + portion.bytes, Retry::kNow);
    if (status != AVRM_OK) {
      if (counted && target->unacknowledged != 0) {
        --target->unacknowledged;
      }
      return status;
    }
  }
  return AVRM_OK;
}

avrm_status_t ask_for_pieces(avrm_window_t *window, const Target *target, const Data &remote,
                             std::uint64_t token) noexcept {
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
    status = send_active(device, target->process, header_of(window, remote, position, portion, Way::kGet, token),
                         list.data(), portion.listed, Retry::kNow);
  }
  return status;
}

} // namespace

avrm_status_t put_by_active(avrm_window_t *window, Target *target, const Data &origin, const Data &remote, PutEnd end,
                            avrm_request_t **request_p) noexcept {
  if (end == PutEnd::kBufferFree) {
    return send_pieces(window, target, origin, remote, static_cast<std::uint64_t>(target->rank));
  }
  Request *const request = new_one_sided(window, target->rank, RequestKind::kVisiblePut);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  expect_answers(window, request, origin.bytes, count_messages(window, remote, Way::kPut));
  const avrm_status_t status = send_pieces(window, target, origin, remote, request->match);
  if (status != AVRM_OK) {
    give_up(window, request, status);
  }
  *request_p = request;
  return AVRM_OK;
}

avrm_status_t get_by_active(avrm_window_t *window, Target *target, const Data &origin, const Data &remote,
                            avrm_request_t **request_p) noexcept {
  Request *const get = new_one_sided(window, target->rank, RequestKind::kOneSided);
  if (get == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  // Data go where they belong as they arrive, which a list cannot find by their position.
  get->buffer = origin.memory();
  get->shape = origin.shape;
  if (origin.shape.list != nullptr && set_buffer(get, origin) != AVRM_OK) {
    --window->users;
    free_request(get);
    return AVRM_ERR_NO_MEMORY;
  }
  expect_answers(window, get, origin.bytes, count_messages(window, remote, Way::kGet));
  const avrm_status_t status = ask_for_pieces(window, target, remote, get->match);
  if (status != AVRM_OK) {
    give_up(window, get, status);
  }
  *request_p = get;
  return AVRM_OK;
}

} // namespace avrankmap::detail
