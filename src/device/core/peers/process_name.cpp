// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // getresuid, getresgid
#endif
#include "core/peers/process_name.h"

#include "base/fnv.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace avrankmap::detail {

namespace {

// The first bytes of a file in /proc.
class Text {
public:
  explicit Text(const char *path) noexcept {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      const ssize_t got = read(fd, bytes_, sizeof bytes_);
      length_ = got > 0 ? static_cast<std::size_t>(got) : 0;
      ::close(fd);
    }
  }
  [[nodiscard]] std::string_view get() const noexcept { return {bytes_, length_}; }

private:
  char bytes_[2048] = {};
  std::size_t length_ = 0;
};

// Returns word 22 of /proc/PID/stat, or 0 if it is unreadable. The second word is in parentheses
// and may contain anything.
std::uint32_t start_of(std::int32_t pid) noexcept {
  char path[32];
  (void)std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const Text text(path);
  std::size_t at = text.get().rfind(')');
  for (int word = 2; word < 22 && at != std::string_view::npos; ++word) {
    at = text.get().find(' ', at + 1);
  }
  std::uint64_t ticks = 0;
  if (at != std::string_view::npos) {
    const char *const end = text.get().data() + text.get().size();
    (void)std::from_chars(text.get().data() + at + 1, end, ticks);
  }
  return static_cast<std::uint32_t>(ticks);
}

template <typename Number> std::uint32_t hash_of(Number number, std::uint32_t hash) noexcept {
  return fnv_32({reinterpret_cast<const char *>(&number), sizeof number}, hash);
}

std::uint32_t own_space() noexcept {
  std::uint32_t hash = fnv_32({});
  for (const char *const path : {"/proc/self/ns/pid", "/proc/self/ns/user"}) {
    struct stat info {};
    hash = hash_of(stat(path, &info) == 0 ? info.st_ino : 0, hash);
  }
  std::array<uid_t, 3> users{};
  std::array<gid_t, 3> groups{};
  (void)getresuid(&users[0], &users[1], &users[2]);
  (void)getresgid(&groups[0], &groups[1], &groups[2]);
  hash = hash_of(users, hash);
  hash = hash_of(groups, hash);
  const Text status("/proc/self/status");
  constexpr std::string_view kPermitted = "CapPrm:";
  const std::size_t at = status.get().find(kPermitted);
  if (at != std::string_view::npos) {
    hash = fnv_32(status.get().substr(at, kPermitted.size() + 17), hash);
  }
  hash = fnv_32(Text("/proc/self/attr/current").get(), hash);
  return hash;
}

int why_not(int error) noexcept {
  switch (error) {
  case ESRCH: return kGone;
  case EMFILE:
  case ENFILE:
  case ENOMEM: return kLacking;
  default: return kHidden;
  }
}

bool has_ended(int descriptor) noexcept {
  pollfd end{descriptor, POLLIN, 0};
  return poll(&end, 1, 0) == 1;
}

} // namespace

ProcessName own_process() noexcept {
  const std::int32_t pid = getpid();
  return {pid, own_space(), start_of(pid)};
}

int open_process(const ProcessName &process) noexcept {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  if (descriptor < 0) {
    return why_not(errno);
  }
  // Reads the start time afterwards, so that it belongs to the process that the descriptor refers
  // to.
  errno = 0;
  if (const std::uint32_t start = start_of(process.pid); start != process.start && process.start != 0) {
    const int error = errno;
    // The process may have ended since the call above.
    const bool is_gone = start != 0 || has_ended(descriptor);
    ::close(descriptor);
    return is_gone ? kGone : why_not(error);
  }
  return descriptor;
}

} // namespace avrankmap::detail
