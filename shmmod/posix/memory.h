// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Window memory: segments that peers map as a whole. A store becomes visible to other processes in
// the same way as to other threads. A process that puts data with stores and then notifies the
// owner with a message needs no fence: the message's header is stored with release order.
#ifndef AVRANKMAP_SHMMOD_POSIX_MEMORY_H
#define AVRANKMAP_SHMMOD_POSIX_MEMORY_H

#include "avrankmap/device/shmmod.h"
#include "posix/shm_file.h"

namespace avrankmap::detail::posix {

[[nodiscard]] avrm_status_t allocate_memory(void *at, std::size_t bytes, void **base_p,
                                            avrm_shmmod_memory_t **memory_p) noexcept;
void release_memory(avrm_shmmod_memory_t *memory) noexcept;
[[nodiscard]] avrm_status_t describe_memory(const avrm_shmmod_memory_t *memory, void *buffer,
                                            std::size_t *bytes_p) noexcept;
[[nodiscard]] avrm_status_t map_memory(const void *description, std::size_t bytes, std::uint64_t least, void **base_p,
                                       avrm_shmmod_memory_t **memory_p) noexcept;

} // namespace avrankmap::detail::posix

#endif
