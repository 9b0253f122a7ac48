// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create, file seals, getresuid, syscall
#endif
#include "posix/shm_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_pages.h"
#include "base/open_error.h"

namespace avrankmap::detail::posix {

namespace {

avrm_status_t status_of(int error) noexcept {
  switch (error) {
  case ENOMEM: return AVRM_ERR_NO_MEMORY;
  case ENOSYS:
  case EACCES:
  case EPERM: return AVRM_ERR_UNSUPPORTED;
  case ENOENT:
  case ESRCH: return AVRM_ERR_PEER;
  default: return AVRM_ERR_SYSTEM;
  }
}

bool is_shm_file(const struct stat &info, const ShmFileName &name) noexcept {
  return S_ISREG(info.st_mode) && info.st_ino == name.inode && static_cast<std::uint64_t>(info.st_size) == name.bytes;
}

bool is_pipe(const struct stat &info, const PipeName &name) noexcept {
  return S_ISFIFO(info.st_mode) && info.st_ino == name.inode;
}

// Path through which an open file of a process can be opened.
struct Path {
  Path(std::int32_t pid, std::int32_t fd) noexcept {
    (void)std::snprintf(text, sizeof text, "/proc/%d/fd/%d", pid, fd);
  }
  char text[48];
};

} // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Mapping::~Mapping() {
  if (data_ != nullptr) {
    munmap(data_, bytes_);
  }
}

avrm_status_t Mapping::map(const FileDescriptor &fd, std::uint64_t offset, std::size_t bytes,
                           Mapping *mapping_p) noexcept {
  void *const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), static_cast<off_t>(offset));
  if (pages == MAP_FAILED) {
    return AVRM_ERR_NO_MEMORY;
  }
  Mapping mapping;
  mapping.data_ = static_cast<unsigned char *>(pages);
  mapping.bytes_ = bytes;
  *mapping_p = std::move(mapping);
  return AVRM_OK;
}

avrm_status_t Mapping::map_at(void *at, const FileDescriptor &fd, std::size_t bytes, Mapping *mapping_p) noexcept {
  if (at == nullptr) {
    return map(fd, 0, bytes, mapping_p);
  }
  void *const pages = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd.get(), 0);
  if (pages == MAP_FAILED) {
    return AVRM_ERR_UNSUPPORTED;
  }
  Mapping mapping;
  mapping.data_ = static_cast<unsigned char *>(pages);
  mapping.bytes_ = bytes;
  if (pages != at) { // Linux before 4.17 treats the address as a hint
    return AVRM_ERR_UNSUPPORTED;
  }
  *mapping_p = std::move(mapping);
  return AVRM_OK;
}

avrm_status_t create_shm_file(std::size_t bytes, FileDescriptor *fd_p, ShmFileName *name_p) noexcept {
  FileDescriptor fd(memfd_create("avrankmap", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd.get() < 0) {
    (void)refused_call("memfd_create");
    return status_of(errno);
  }
  if (const int error = make_pages(fd.get(), bytes); error != 0) {
    return error == EFBIG || error == ENOSPC ? AVRM_ERR_UNSUPPORTED : AVRM_ERR_NO_MEMORY;
  }
  // Prevents peers from truncating pages that are mapped.
  struct stat info {};
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 || fstat(fd.get(), &info) != 0) {
    return AVRM_ERR_SYSTEM;
  }
  *name_p = {getpid(), fd.get(), info.st_ino, bytes};
  *fd_p = std::move(fd);
  return AVRM_OK;
}

avrm_status_t open_shm_file(const ShmFileName &name, FileDescriptor *fd_p) noexcept {
  const Path path(name.pid, name.fd);
  // The file is checked before it is opened, because it may be a terminal or a pipe by now.
  struct stat info {};
  if (stat(path.text, &info) != 0) {
    return status_of(errno);
  }
  if (!is_shm_file(info, name)) {
    return AVRM_ERR_PEER;
  }
  FileDescriptor fd(open(path.text, O_RDWR | O_CLOEXEC));
  if (fd.get() < 0) {
    return status_of(errno);
  }
  if (fstat(fd.get(), &info) != 0 || !is_shm_file(info, name)) {
    return AVRM_ERR_PEER;
  }
  *fd_p = std::move(fd);
  return AVRM_OK;
}

avrm_status_t create_pipe(FileDescriptor *read_p, FileDescriptor *write_p, PipeName *name_p) noexcept {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return status_of(errno);
  }
  *read_p = FileDescriptor(ends[0]);
  *write_p = FileDescriptor(ends[1]);
  struct stat info {};
  if (fstat(ends[0], &info) != 0) {
    return AVRM_ERR_SYSTEM;
  }
  *name_p = {getpid(), ends[0], info.st_ino};
  return AVRM_OK;
}

FileDescriptor open_pipe(const PipeName &name) noexcept {
  const Path path(name.pid, name.fd);
  struct stat info {};
  if (stat(path.text, &info) != 0 || !is_pipe(info, name)) {
    return {};
  }
  // Opened for reading as well, so that the pipe always has a reader and a write raises no SIGPIPE.
  FileDescriptor fd(open(path.text, O_RDWR | O_CLOEXEC | O_NONBLOCK));
  const bool is_it = fd.is_open() && fstat(fd.get(), &info) == 0 && is_pipe(info, name);
  return is_it ? std::move(fd) : FileDescriptor();
}

avrm_status_t check_openness(const ShmFileName &name) noexcept {
  uid_t users[3] = {};
  gid_t groups[3] = {};
  const bool known =
      getresuid(&users[0], &users[1], &users[2]) == 0 && getresgid(&groups[0], &groups[1], &groups[2]) == 0;
  const bool alike = users[0] == users[1] && users[1] == users[2] && groups[0] == groups[1] && groups[1] == groups[2];
  if (!known || !alike || prctl(PR_GET_DUMPABLE) != 1) {
    return AVRM_ERR_UNSUPPORTED;
  }
  FileDescriptor own;
  const avrm_status_t status = open_shm_file(name, &own);
  return status == AVRM_ERR_PEER ? AVRM_ERR_UNSUPPORTED : status;
}

FileDescriptor open_process(const ShmFileName &name) noexcept {
#ifdef SYS_pidfd_open
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, name.pid, 0)));
#else
  (void)name;
  return {};
#endif
}

bool lives(const FileDescriptor &process) noexcept {
  pollfd ended{process.get(), POLLIN, 0};
  return poll(&ended, 1, 0) != 1; // also true if the system cannot tell
}

std::size_t whole_pages(std::size_t bytes) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

} // namespace avrankmap::detail::posix
