// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// System calls. The linker replaces X by __wrap_X, which calls the original as __real_X
// (tests/device/CMakeLists.txt has the list).
#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tests/device/fault/faults.h"

namespace {

using namespace avrankmap::test;

bool fails(const char *call, unsigned family = kSystem) noexcept {
  if (!is_due(family, call)) {
    return false;
  }
  switch (faults().fault) {
  case Fault::kNoMemory: errno = ENOMEM; break;
  case Fault::kHard: errno = EMFILE; break;
  case Fault::kPeer: errno = ESRCH; break;
  case Fault::kAgain: errno = EINTR; break;
  case Fault::kAgainForMemory: break; // it is set
  }
  return true;
}

} // namespace

// A function that returns -1 when it fails.
#define AVRM_WRAP(result, name, parameters, arguments) AVRM_WRAP_OF(kSystem, result, name, parameters, arguments)
#define AVRM_WRAP_OF(family, result, name, parameters, arguments)                                                      \
  extern "C" result __real_##name parameters;                                                                          \
  extern "C" result __wrap_##name parameters;                                                                          \
  extern "C" result __wrap_##name parameters { return fails(#name, family) ? -1 : __real_##name arguments; }

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl51-cpp): the linker's names
AVRM_WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags))
AVRM_WRAP(int, ftruncate, (int file, off_t bytes), (file, bytes))
AVRM_WRAP(int, fstat, (int file, struct stat *about), (file, about))
AVRM_WRAP(int, stat, (const char *path, struct stat *about), (path, about))
AVRM_WRAP(pid_t, fork, (), ())
AVRM_WRAP(int, socketpair, (int domain, int type, int protocol, int *ends), (domain, type, protocol, ends))
AVRM_WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
AVRM_WRAP(int, bind, (int socket, const sockaddr *address, socklen_t bytes), (socket, address, bytes))
AVRM_WRAP(int, listen, (int socket, int backlog), (socket, backlog))
AVRM_WRAP(int, accept4, (int socket, sockaddr *address, socklen_t *bytes, int flags), (socket, address, bytes, flags))
AVRM_WRAP(int, connect, (int socket, const sockaddr *address, socklen_t bytes), (socket, address, bytes))
AVRM_WRAP(int, getsockopt, (int socket, int level, int name, void *value, socklen_t *bytes),
          (socket, level, name, value, bytes))
AVRM_WRAP(int, getifaddrs, (ifaddrs * *list), (list))
AVRM_WRAP(ssize_t, send, (int socket, const void *data, size_t bytes, int flags), (socket, data, bytes, flags))
AVRM_WRAP(ssize_t, recv, (int socket, void *data, size_t bytes, int flags), (socket, data, bytes, flags))
AVRM_WRAP(int, getsockname, (int socket, sockaddr *address, socklen_t *bytes), (socket, address, bytes))
AVRM_WRAP(int, poll, (pollfd * list, nfds_t count, int timeout), (list, count, timeout))
AVRM_WRAP(int, ppoll, (pollfd * list, nfds_t count, const timespec *time, const sigset_t *mask),
          (list, count, time, mask))
AVRM_WRAP(ssize_t, getrandom, (void *buffer, size_t bytes, unsigned flags), (buffer, bytes, flags))
AVRM_WRAP_OF(kCopies, ssize_t, process_vm_readv,
             (pid_t process, const iovec *here, unsigned long here_count, const iovec *there, unsigned long there_count,
              unsigned long flags),
             (process, here, here_count, there, there_count, flags))

extern "C" void *__real_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
extern "C" void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
extern "C" void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset) {
  return fails("mmap") ? MAP_FAILED : __real_mmap(at, bytes, access, flags, file, offset);
}

extern "C" std::FILE *__real_fopen(const char *path, const char *mode);
extern "C" std::FILE *__wrap_fopen(const char *path, const char *mode);
extern "C" std::FILE *__wrap_fopen(const char *path, const char *mode) {
  return fails("fopen") ? nullptr : __real_fopen(path, mode);
}

extern "C" void *__real_calloc(size_t count, size_t bytes);
extern "C" void *__wrap_calloc(size_t count, size_t bytes);
extern "C" void *__wrap_calloc(size_t count, size_t bytes) {
  return is_due(kMemory, "calloc") ? nullptr : __real_calloc(count, bytes);
}

extern "C" char *__real_strdup(const char *text);
extern "C" char *__wrap_strdup(const char *text);
extern "C" char *__wrap_strdup(const char *text) { return is_due(kMemory, "strdup") ? nullptr : __real_strdup(text); }

// The library passes one argument more, or none.
extern "C" int __real_fcntl(int file, int command, ...);
extern "C" int __wrap_fcntl(int file, int command, ...);
extern "C" int __wrap_fcntl(int file, int command, ...) {
  std::va_list rest;
  va_start(rest, command);
  const long argument = va_arg(rest, long);
  va_end(rest);
  return fails("fcntl") ? -1 : __real_fcntl(file, command, argument);
}

extern "C" int __real_open(const char *path, int flags, ...);
extern "C" int __wrap_open(const char *path, int flags, ...);
extern "C" int __wrap_open(const char *path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails("open") ? -1 : __real_open(path, flags, mode);
}

// Of the calls made by `syscall`, pidfd_open and clone may fail; waiting on a futex cannot.
extern "C" long __real_syscall(long number, ...);
// It reads as many arguments as any call has; those beyond the caller's are on its stack.
extern "C" long __wrap_syscall(long number, ...);
extern "C" __attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...) {
  std::va_list rest;
  va_start(rest, number);
  long words[6];
  for (long &word : words) {
    word = va_arg(rest, long);
  }
  va_end(rest);
  if ((number == SYS_pidfd_open && fails("pidfd_open")) || (number == SYS_clone && fails("clone"))) {
    return -1;
  }
  return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl51-cpp)
