// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/backing.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

namespace avrankmap::detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t size, std::size_t unit) noexcept { return (size + unit - 1) / unit * unit; }

void *map(std::size_t size, int extra_flags) noexcept {
  void *const block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | extra_flags, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

// Maps pages aligned to the huge page size, so that the system can use huge pages for the whole
// block.
void *map_aligned(std::size_t size) noexcept {
  char *const start = static_cast<char *>(map(size + kHugePage, MAP_NORESERVE));
  if (start == nullptr) {
    return nullptr;
  }
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  if (before != 0) {
    munmap(start, before);
  }
  munmap(start + before + size, kHugePage - before);
  return start + before;
}

// Binds untouched pages to one NUMA node. The system returns an error if the machine has no such
// node.
avrm_status_t bind_to_node(void *block, std::size_t size, std::uint32_t node) noexcept {
  constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  constexpr std::size_t kNodes = 1024;
  unsigned long mask[kNodes / kBits] = {};
  if (node >= kNodes) {
    return AVRM_ERR_UNSUPPORTED;
  }
  mask[node / kBits] = 1UL << (node % kBits);
  if (syscall(SYS_mbind, block, size, MPOL_BIND, mask, kNodes + 1, 0) == 0) {
    return AVRM_OK;
  }
  return errno == ENOMEM ? AVRM_ERR_NO_MEMORY : AVRM_ERR_UNSUPPORTED;
}

// Provides all huge pages now. Reserved pages can be missing nevertheless: the NUMA node to which
// they are bound, or the process's control group, may have none left. A store would then raise
// SIGBUS; a system call that stores reports an error.
bool provide_huge_pages(void *block, std::size_t size) noexcept {
  for (std::size_t at = 0; at < size; at += kHugePage) {
    auto *const page = reinterpret_cast<unsigned *>(static_cast<char *>(block) + at);
    if (syscall(SYS_getcpu, page, nullptr, nullptr) != 0) {
      return false;
    }
    *page = 0;
  }
  return true;
}

} // namespace

avrm_status_t allocate_backing(Memory &memory, std::uint64_t bytes, const avrm_av_options_t &options,
                               Backing *backing_p) noexcept {
  if (bytes > PTRDIFF_MAX - 2 * kHugePage) { // room to round it up and to align it
    return AVRM_ERR_NO_MEMORY;
  }
  const auto size = static_cast<std::size_t>(bytes);
  Backing backing;
  if (options.pages == AVRM_AV_PAGES_DEFAULT && !options.bind_numa) {
    backing.size = size;
    backing.block = memory.allocate(size, 64, AVRM_MEM_AV);
    if (backing.block == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    *backing_p = backing;
    return AVRM_OK;
  }

  backing.mapped = true;
  switch (options.pages) {
  case AVRM_AV_PAGES_DEFAULT:
    backing.size = round_up(size, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
    backing.block = map(backing.size, MAP_NORESERVE);
    break;
  case AVRM_AV_PAGES_TRANSPARENT:
    backing.size = round_up(size, kHugePage);
    backing.block = map_aligned(backing.size);
    break;
  case AVRM_AV_PAGES_HUGE:
    // Reserved immediately (no MAP_NORESERVE): a pool that is too small fails here.
    backing.size = round_up(size, kHugePage);
    backing.block = map(backing.size, MAP_HUGETLB | 21 << MAP_HUGE_SHIFT);
    break;
  }
  if (backing.block == nullptr) {
    return options.pages == AVRM_AV_PAGES_HUGE ? AVRM_ERR_UNSUPPORTED : AVRM_ERR_NO_MEMORY;
  }
  if (options.pages == AVRM_AV_PAGES_TRANSPARENT) {
    madvise(backing.block, backing.size, MADV_HUGEPAGE); // if this fails, small pages are used
  }
  if (options.bind_numa) {
    const avrm_status_t status = bind_to_node(backing.block, backing.size, options.numa_node);
    if (status != AVRM_OK) {
      munmap(backing.block, backing.size);
      return status;
    }
  }
  if (options.pages == AVRM_AV_PAGES_HUGE && !provide_huge_pages(backing.block, backing.size)) {
    munmap(backing.block, backing.size);
    return AVRM_ERR_UNSUPPORTED;
  }
  memory.adopt(backing.size, AVRM_MEM_AV);
  *backing_p = backing;
  return AVRM_OK;
}

void release_backing(Memory &memory, const Backing &backing) noexcept {
  if (backing.mapped) {
    munmap(backing.block, backing.size);
    memory.disown(backing.size, AVRM_MEM_AV);
  } else {
    memory.release(backing.block, backing.size, 64, AVRM_MEM_AV);
  }
}

} // namespace avrankmap::detail
