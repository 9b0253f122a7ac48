// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicator: a context id and a bound rankmap.
#ifndef AVRANKMAP_SRC_COMM_COMM_H
#define AVRANKMAP_SRC_COMM_COMM_H

#include <cstdint>

#include "avrankmap/device.h"

struct avrm_comm {
  avrm_rankmap_t *map = nullptr;
  avrm_device_t *device = nullptr;
  std::uint64_t send_match = 0; // match bits of what this process sends here, tag 0
  std::uint32_t context = 0;
  std::int32_t rank = 0;
  std::uint32_t windows_created = 0; // numbers the windows of a communicator alike in all members
  std::uint64_t users = 0;           // requests and windows that exist
  avrm_comm *next = nullptr;         // list of the device
};

#endif
