// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "posix/memory.h"

#include <cstring>
#include <memory>
#include <new>

using avrankmap::detail::posix::FileDescriptor;
using avrankmap::detail::posix::Mapping;
using avrankmap::detail::posix::ShmFileName;

struct avrm_shmmod_memory {
  FileDescriptor fd; // of the owner; peers need none
  ShmFileName name{};
  Mapping mapping;
};

namespace avrankmap::detail::posix {

avrm_status_t allocate_memory(void *at, std::size_t bytes, void **base_p, avrm_shmmod_memory_t **memory_p) noexcept {
  // More than any address space has; up to this size, rounding to pages cannot overflow.
  constexpr std::size_t kMost = SIZE_MAX / 4;
  if (bytes > kMost) {
    return AVRM_ERR_NO_MEMORY;
  }
  std::unique_ptr<avrm_shmmod_memory_t> memory(new (std::nothrow) avrm_shmmod_memory_t);
  if (memory == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const std::size_t size = whole_pages(bytes == 0 ? 1 : bytes);
  avrm_status_t status = create_shm_file(size, &memory->fd, &memory->name);
  if (status == AVRM_OK) {
    status = Mapping::map_at(at, memory->fd, size, &memory->mapping);
  }
  if (status == AVRM_OK) {
    *base_p = memory->mapping.data();
    *memory_p = memory.release();
  }
  return status;
}

void release_memory(avrm_shmmod_memory_t *memory) noexcept { delete memory; }

avrm_status_t describe_memory(const avrm_shmmod_memory_t *memory, void *buffer, std::size_t *bytes_p) noexcept {
  if (*bytes_p < sizeof memory->name) {
    return AVRM_ERR_SIZE;
  }
  std::memcpy(buffer, &memory->name, sizeof memory->name);
  *bytes_p = sizeof memory->name;
  return AVRM_OK;
}

avrm_status_t map_memory(const void *description, std::size_t bytes, std::uint64_t least, void **base_p,
                         avrm_shmmod_memory_t **memory_p) noexcept {
  std::unique_ptr<avrm_shmmod_memory_t> memory(new (std::nothrow) avrm_shmmod_memory_t);
  if (memory == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (bytes != sizeof memory->name) {
    return AVRM_ERR_SIZE;
  }
  std::memcpy(&memory->name, description, sizeof memory->name);
  if (memory->name.bytes < least) {
    return AVRM_ERR_SIZE;
  }
  FileDescriptor fd;
  avrm_status_t status = open_shm_file(memory->name, &fd);
  if (status == AVRM_OK) {
    status = Mapping::map(fd, 0, memory->name.bytes, &memory->mapping);
  }
  if (status == AVRM_OK) {
    *base_p = memory->mapping.data();
    *memory_p = memory.release();
  }
  return status;
}

} // namespace avrankmap::detail::posix
