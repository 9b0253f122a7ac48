// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Address vector: header and table in one block, table first used on first write.
#ifndef AVRANKMAP_SRC_AV_ADDRESS_VECTOR_H
#define AVRANKMAP_SRC_AV_ADDRESS_VECTOR_H

#include <type_traits>

#include "av/backing.h"
#include "avrankmap/av.h"

namespace avrankmap::detail {

class AddressVector {
public:
  // What the C interface hands out. First, so that the two pointers convert into each other.
  avrm_av_t handle{};
  avrm_instance_t *instance = nullptr;
  Backing backing;
  std::int32_t holders = 0; // bound rankmaps; under the instance's lock
  bool released = false;    // under the instance's lock
  avrm_codec_t codec = AVRM_CODEC_OFI;

  static AddressVector *from_handle(avrm_av_t *av) noexcept { return reinterpret_cast<AddressVector *>(av); }
  static const AddressVector *from_handle(const avrm_av_t *av) noexcept {
    return reinterpret_cast<const AddressVector *>(av);
  }

  // Both under the instance's lock.
  void hold() noexcept { ++holders; }
  void let_go() noexcept;          // may end the AV
  void release_by_user() noexcept; // may end the AV

private:
  void end() noexcept;
};

static_assert(std::is_standard_layout_v<AddressVector>);
inline constexpr std::size_t kAvHeaderSize = 64;
static_assert(sizeof(AddressVector) <= kAvHeaderSize);

} // namespace avrankmap::detail

#endif
