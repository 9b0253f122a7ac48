// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an instance consists of.
#ifndef AVRANKMAP_SRC_AV_INSTANCE_H
#define AVRANKMAP_SRC_AV_INSTANCE_H

#include <mutex>

#include "av/directory.h"
#include "avrankmap/instance.h"
#include "base/memory.h"

// The handle of the C interface.
struct avrm_instance {
  avrm_instance(const avrm_allocator_t &allocator, bool strict_mode) noexcept
      : memory(allocator), strict(strict_mode), directory(memory) {}

  avrankmap::detail::Memory memory;
  const bool strict;
  // Guards the directory, the reference counts of AVs, the binding of shared tables, and writes of AVEs. Never taken
  // by translation.
  std::mutex lock;
  avrankmap::detail::Directory directory;
};

#endif
