// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/wait_for.h"

namespace avrankmap::detail {

Socket::~Socket() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

namespace {

// Returns true if bytes were moved. Sets AVRM_ERR_PEER if the other side has disconnected.
template <typename Move> bool move(ByteCursor *flow, Move move_bytes, avrm_status_t *status_p) noexcept {
  if (flow->left == 0) {
    return false;
  }
  const ssize_t moved = move_bytes(flow->at, flow->left);
  if (moved > 0) {
    flow->at += moved;
    flow->left -= static_cast<std::size_t>(moved);
    return true;
  }
  if (moved == 0 || !may_be_repeated()) {
    *status_p = AVRM_ERR_PEER;
  }
  return false;
}

} // namespace

avrm_status_t pause_for(int descriptor, short events, Waiting &waiting) noexcept {
  const avrm_status_t status = waiting.go_on();
  if (status == AVRM_OK) {
    pollfd entry{descriptor, events, 0};
    wait_for(&entry, 1, kPause);
  }
  return status;
}

void tune(int descriptor) noexcept {
  const int yes = 1;
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  // A machine that has disappeared sends nothing; keepalive detects this within half a minute.
  const int idle = 10;
  const int interval = 5;
  const int count = 4;
  (void)setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

bool move_some(int descriptor, ByteCursor *out, ByteCursor *in, avrm_status_t *status_p) noexcept {
  const bool sent = move(
      out,
      [descriptor](const void *at, std::size_t bytes) {
        return ::send(descriptor, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
      },
      status_p);
  const bool received = move(
      in, [descriptor](void *at, std::size_t bytes) { return ::recv(descriptor, at, bytes, MSG_DONTWAIT); }, status_p);
  return sent || received;
}

avrm_status_t move_both(int descriptor, ByteCursor out, ByteCursor in, Waiting &waiting) noexcept {
  avrm_status_t status = AVRM_OK;
  while (out.left + in.left != 0 && status == AVRM_OK) {
    const bool moved = move_some(descriptor, &out, &in, &status);
    if (!moved && status == AVRM_OK && out.left + in.left != 0) {
      status = pause_for(descriptor, static_cast<short>((out.left != 0 ? POLLOUT : 0) | (in.left != 0 ? POLLIN : 0)),
                         waiting);
    }
  }
  return status;
}

} // namespace avrankmap::detail
