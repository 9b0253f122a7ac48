// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets of ports and links. No wait is longer than kPause, because the other members of the group
// need this process's progress.
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

// Maximum time of a wait for sockets, in nanoseconds.
inline constexpr std::int64_t kPause = 1000000;

// Called by a root while it waits for the other.
class Waiting {
public:
  virtual ~Waiting() = default;
  // Makes progress. Returns AVRM_OK to continue, otherwise the status with which waiting ends.
  [[nodiscard]] virtual avrm_status_t go_on() noexcept = 0;
};

// The remaining data of one direction: `left` bytes at `at`.
struct ByteCursor {
  unsigned char *at;
  std::size_t left;
};
template <typename T> ByteCursor cursor_of(T *value) noexcept {
  return {reinterpret_cast<unsigned char *>(value), sizeof *value};
}
inline constexpr ByteCursor kNothing{nullptr, 0};

// Sets the options of a connection between roots.
void tune(int descriptor) noexcept;
// Sends and receives as much as possible without blocking. Returns true if bytes were moved. Sets
// AVRM_ERR_PEER if the other side has disconnected.
[[nodiscard]] bool move_some(int descriptor, ByteCursor *out, ByteCursor *in, avrm_status_t *status_p) noexcept;
// Sends and receives concurrently, because both sides may send more than the system buffers.
// Returns AVRM_ERR_PEER if the other side has disconnected.
[[nodiscard]] avrm_status_t move_both(int descriptor, ByteCursor out, ByteCursor in, Waiting &waiting) noexcept;
// Makes progress, then waits up to kPause for an event on a socket.
[[nodiscard]] avrm_status_t pause_for(int descriptor, short events, Waiting &waiting) noexcept;

} // namespace avrankmap::detail

#endif
