// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that processes of one machine share: anonymous files (memfd). The owner describes a file
// by its pid and file descriptor, and peers open the file through /proc. It is freed when no
// process has it open or mapped any more. The system never reuses the inode number, which shows
// whether pid and descriptor still name the same file.
#ifndef AVRANKMAP_SHMMOD_POSIX_SHM_FILE_H
#define AVRANKMAP_SHMMOD_POSIX_SHM_FILE_H

#include <cstddef>
#include <cstdint>
#include <utility>

#include "avrankmap/status.h"

namespace avrankmap::detail::posix {

// Identifies a segment; peers use it to open the segment.
struct ShmFileName {
  std::int32_t pid;
  std::int32_t fd;
  std::uint64_t inode;
  std::uint64_t bytes;
};

// Identifies a pipe; peers use it to open the pipe.
struct PipeName {
  std::int32_t pid;
  std::int32_t fd;
  std::uint64_t inode;

  friend bool operator==(const PipeName &, const PipeName &) noexcept = default;
};

class FileDescriptor {
public:
  FileDescriptor() noexcept = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }

private:
  int fd_ = -1;
};

// A part of a segment that this process has mapped.
class Mapping {
public:
  Mapping() noexcept = default;
  ~Mapping();
  Mapping(Mapping &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping &operator=(Mapping &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] unsigned char *data() const noexcept { return data_; }
  // Maps a whole file at an address, or anywhere if `at` is null. Returns AVRM_OK,
  // AVRM_ERR_UNSUPPORTED (`at` is not free) or AVRM_ERR_NO_MEMORY (`at` is null).
  [[nodiscard]] static avrm_status_t map_at(void *at, const FileDescriptor &fd, std::size_t bytes,
                                            Mapping *mapping_p) noexcept;
  // Maps a part of a file. Returns AVRM_OK or AVRM_ERR_NO_MEMORY.
  [[nodiscard]] static avrm_status_t map(const FileDescriptor &fd, std::uint64_t offset, std::size_t bytes,
                                         Mapping *mapping_p) noexcept;

private:
  unsigned char *data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Creates a segment of this process, filled with zeros. Untouched pages occupy no memory unless the
// system never overcommits memory. Returns AVRM_OK, AVRM_ERR_UNSUPPORTED (the system does not
// provide such files, or a limit forbids one of this size), AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM
// (no free descriptor).
[[nodiscard]] avrm_status_t create_shm_file(std::size_t bytes, FileDescriptor *fd_p, ShmFileName *name_p) noexcept;

// Opens a peer's segment. Returns AVRM_OK, AVRM_ERR_PEER (it is gone), AVRM_ERR_UNSUPPORTED (the
// system forbids it), AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM (no free descriptor).
[[nodiscard]] avrm_status_t open_shm_file(const ShmFileName &name, FileDescriptor *fd_p) noexcept;

// Creates a non-blocking pipe. Returns AVRM_OK, AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM (no free
// descriptor).
[[nodiscard]] avrm_status_t create_pipe(FileDescriptor *read_p, FileDescriptor *write_p, PipeName *name_p) noexcept;
// Opens a peer's pipe for writing. Writing raises no signal when the peer is gone. The result is
// not open if the peer is gone, the system forbids access, or no descriptor is free.
[[nodiscard]] FileDescriptor open_pipe(const PipeName &name) noexcept;

// Checks whether peers with the credentials and namespaces of this process can open its segments:
// /proc must list this process under its own pid, and the system must allow access to it. Returns
// AVRM_OK, AVRM_ERR_UNSUPPORTED (they cannot), AVRM_ERR_NO_MEMORY or AVRM_ERR_SYSTEM.
[[nodiscard]] avrm_status_t check_openness(const ShmFileName &name) noexcept;

// Opens the process that currently has the pid of a segment's owner. The descriptor keeps naming
// that process when the pid is reused. If the segment can be opened afterwards, the process is the
// owner. The result is not open if the process does not exist, the system has no pidfds, or no
// descriptor is free.
[[nodiscard]] FileDescriptor open_process(const ShmFileName &name) noexcept;
// True if the process has not ended yet.
[[nodiscard]] bool lives(const FileDescriptor &process) noexcept;

[[nodiscard]] std::size_t whole_pages(std::size_t bytes) noexcept;

} // namespace avrankmap::detail::posix

#endif
