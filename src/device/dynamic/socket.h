// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets of ports and links. No call blocks for longer than a moment: the others of the group need
// this process's progress.
#ifndef AVRANKMAP_SRC_DYNAMIC_SOCKET_H
#define AVRANKMAP_SRC_DYNAMIC_SOCKET_H

#include <cstddef>
#include <cstdint>
#include <utility>

#include "avrankmap/status.h"
#include "base/wait_for.h"

namespace avrankmap::detail {

// Owns a descriptor.
class Socket {
public:
  Socket() noexcept = default;
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket &&other) noexcept : descriptor_(other.release()) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  int release() noexcept { return std::exchange(descriptor_, -1); }

private:
  int descriptor_ = -1;
};

// The longest wait for sockets, in nanoseconds: the others of the group need progress meanwhile.
inline constexpr std::int64_t kPause = 1000000;

// Called by a root while it waits for the other.
class Waiting {
public:
  virtual ~Waiting() = default;
  // Makes progress. The status with which waiting ends, or AVRM_OK to go on.
  [[nodiscard]] virtual avrm_status_t go_on() noexcept = 0;
};

// One direction of a connection: `left` bytes from `at` on.
struct ByteCursor {
  unsigned char *at;
  std::size_t left;
};
template <typename T> ByteCursor cursor_of(T *value) noexcept {
  return {reinterpret_cast<unsigned char *>(value), sizeof *value};
}
inline constexpr ByteCursor kNothing{nullptr, 0};

// Options of a connection between roots.
void tune(int descriptor) noexcept;
// Sends and receives as much as is possible at once. True if something moved; AVRM_ERR_PEER if the
// other side is gone.
[[nodiscard]] bool move_some(int descriptor, ByteCursor *out, ByteCursor *in, avrm_status_t *status_p) noexcept;
// Sends and receives at once: both sides may have more to say than the system keeps. AVRM_ERR_PEER
// if the other side is gone.
[[nodiscard]] avrm_status_t move_both(int descriptor, ByteCursor out, ByteCursor in, Waiting &waiting) noexcept;
// A pause in which something may happen on a socket, short enough for everybody else.
[[nodiscard]] avrm_status_t pause_for(int descriptor, short events, Waiting &waiting) noexcept;

} // namespace avrankmap::detail

#endif
