// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Window memory: segments of their own, mapped whole by whoever wants to reach them. A store is visible to the other
// processes in the order in which the machine makes it so between threads; nothing is cached on the way. Who puts by
// stores and then tells the owner by a message needs no fence: the message's header is stored with release order.
#ifndef AVRANKMAP_SHMMOD_POSIX_MEMORY_H
#define AVRANKMAP_SHMMOD_POSIX_MEMORY_H

#include "avrankmap/shmmod.h"
#include "posix/segment.h"

namespace avrankmap::detail::posix {

[[nodiscard]] avrm_status_t allocate_memory(std::size_t bytes, void **base_p, avrm_shmmod_memory_t **memory_p) noexcept;
void release_memory(avrm_shmmod_memory_t *memory) noexcept;
[[nodiscard]] avrm_status_t describe_memory(const avrm_shmmod_memory_t *memory, void *buffer,
                                            std::size_t *bytes_p) noexcept;
[[nodiscard]] avrm_status_t map_memory(const void *description, std::size_t bytes, std::uint64_t least, void **base_p,
                                       avrm_shmmod_memory_t **memory_p) noexcept;

} // namespace avrankmap::detail::posix

#endif
