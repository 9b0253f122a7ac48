// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that processes of one machine share: anonymous files (memfd). Their owner describes them by its pid and file
// descriptor, and peers open them through /proc; they vanish with the last process that maps them. The inode number,
// which the system does not give twice, tells when the pid or the descriptor stands for something else meanwhile.
#ifndef AVRANKMAP_SHMMOD_POSIX_SEGMENT_H
#define AVRANKMAP_SHMMOD_POSIX_SEGMENT_H

#include <cstddef>
#include <cstdint>
#include <utility>

#include "avrankmap/status.h"

namespace avrankmap::detail::posix {

// How peers find a segment.
struct SegmentName {
  std::int32_t pid;
  std::int32_t fd;
  std::uint64_t inode;
  std::uint64_t bytes;
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

// Pages of a segment in this process.
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
  // AVRM_ERR_NO_MEMORY if there is no room.
  [[nodiscard]] static avrm_status_t map(const FileDescriptor &fd, std::uint64_t offset, std::size_t bytes,
                                         Mapping *mapping_p) noexcept;

private:
  unsigned char *data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A segment of this process, zero-filled; its pages come into being when they are touched.
// AVRM_ERR_UNSUPPORTED, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no file descriptors).
[[nodiscard]] avrm_status_t create_segment(std::size_t bytes, FileDescriptor *fd_p, SegmentName *name_p) noexcept;

// A peer's segment. AVRM_ERR_PEER (it is gone), AVRM_ERR_UNSUPPORTED (the system does not let us), AVRM_ERR_NO_MEMORY,
// AVRM_ERR_SYSTEM (no file descriptors).
[[nodiscard]] avrm_status_t open_segment(const SegmentName &name, FileDescriptor *fd_p) noexcept;

// The process that has the pid of a segment's owner: a descriptor that stands for it, whatever the pid stands for later. If
// the segment can be opened afterwards, it is the owner. Not open if the system has no such thing, or no descriptors.
[[nodiscard]] FileDescriptor open_process(const SegmentName &name) noexcept;
// Whether it has not ended yet.
[[nodiscard]] bool lives(const FileDescriptor &process) noexcept;

[[nodiscard]] std::size_t whole_pages(std::size_t bytes) noexcept;

} // namespace avrankmap::detail::posix

#endif
