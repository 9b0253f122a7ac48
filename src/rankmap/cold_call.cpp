// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation out of line: of the forms that a caller has not inline, and by a call of the AV for
// maps that were bound to an implicit AV and have not folded it in, or whose AV has a table since.
//
// On x86-64 inline code jumps to the stubs of cold_stubs.cpp instead, which keep the caller's
// registers. The build compiles this file, and those of the AV that it calls, without vector
// registers, so the stub that comes here need not save any.
#include <cstdint>

#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/forms.h"

using namespace avrankmap::detail;

namespace {

constexpr auto kProcess = by_mode([]<typename F>() { return F::process; });

// By a call of the AV.
template <avrm_i_want_t kWant> std::uint64_t ask(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  const std::uint64_t process = kProcess[map->mode](map, rank);
  const avrm_gpid_t gpid = avrm_i_gpid(process);
  if constexpr (kWant == AVRM_I_WANT_GPID) {
    return process;
  } else if constexpr (kWant == AVRM_I_WANT_LPID) {
    return static_cast<std::uint32_t>(gpid.lpid);
  } else {
    const AddressVector *const av = map->instance->directory.held(gpid.pgid);
    if constexpr (kWant == AVRM_I_WANT_WORD) {
      return av->word(gpid.lpid);
    } else if constexpr (kWant == AVRM_I_WANT_NODE) {
      return av->node(gpid.lpid);
    } else {
      const avrm_ave_t *const table = av->table();
      return table != nullptr ? reinterpret_cast<std::uintptr_t>(table + gpid.lpid) : 0;
    }
  }
}

} // namespace

#if AVRM_I_ASM_CALL

extern "C" AVRM_I_HIDDEN std::uint64_t avrm_i_ask(const avrm_rankmap_t *map, std::int32_t rank,
                                                  avrm_i_want_t want) noexcept {
  switch (want) {
  case AVRM_I_WANT_WORD: return ask<AVRM_I_WANT_WORD>(map, rank);
  case AVRM_I_WANT_AVE: return ask<AVRM_I_WANT_AVE>(map, rank);
  case AVRM_I_WANT_NODE: return ask<AVRM_I_WANT_NODE>(map, rank);
  case AVRM_I_WANT_GPID: return ask<AVRM_I_WANT_GPID>(map, rank);
  case AVRM_I_WANT_LPID: break;
  }
  return ask<AVRM_I_WANT_LPID>(map, rank);
}

// For code that is compiled with AVRM_NO_ASM.
uint64_t avrm_i_cold(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) noexcept {
  switch (want) {
  case AVRM_I_WANT_WORD: return avrm_i_call(map, rank, AVRM_I_WANT_WORD);
  case AVRM_I_WANT_AVE: return avrm_i_call(map, rank, AVRM_I_WANT_AVE);
  case AVRM_I_WANT_NODE: return avrm_i_call(map, rank, AVRM_I_WANT_NODE);
  case AVRM_I_WANT_GPID: return avrm_i_call(map, rank, AVRM_I_WANT_GPID);
  case AVRM_I_WANT_LPID: break;
  }
  return avrm_i_call(map, rank, AVRM_I_WANT_LPID);
}

#else

namespace {

template <avrm_i_want_t kWant> std::uint64_t translate(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  constexpr bool kNeedsAv = kWant == AVRM_I_WANT_AVE || kWant == AVRM_I_WANT_NODE;
  switch (static_cast<avrm_class_t>(__atomic_load_n(&map->klass, __ATOMIC_RELAXED))) {
  case AVRM_CLASS_AFFINE: return avrm_i_affine(map, rank, kWant);
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, kWant);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, kWant);
  case AVRM_CLASS_BLOCKED: return avrm_i_blocked(map, rank, kWant);
  case AVRM_CLASS_SEGMENTS: return avrm_i_segments(map, rank, kWant);
  case AVRM_CLASS_CART_3D: return avrm_i_cart_3d(map, rank, kWant);
  case AVRM_CLASS_CART: return avrm_i_cart(map, rank, kWant);
  case AVRM_CLASS_PACKED_LUT: return avrm_i_packed_lut(map, rank, kWant);
  case AVRM_CLASS_PACKED_MLUT: return avrm_i_packed_mlut(map, rank, kWant);
  case AVRM_CLASS_IMPLICIT:
    if constexpr (!kNeedsAv) {
      return avrm_i_implicit(map, rank, kWant);
    }
    break;
  case AVRM_CLASS_IMPLICIT_LUT:
    if constexpr (!kNeedsAv) {
      return avrm_i_implicit_lut(map, rank, kWant);
    }
    break;
  case AVRM_CLASS_THROUGH: break;
  }
  return ask<kWant>(map, rank);
}

} // namespace

uint64_t avrm_i_cold(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) noexcept {
  switch (want) {
  case AVRM_I_WANT_WORD: return translate<AVRM_I_WANT_WORD>(map, rank);
  case AVRM_I_WANT_AVE: return translate<AVRM_I_WANT_AVE>(map, rank);
  case AVRM_I_WANT_NODE: return translate<AVRM_I_WANT_NODE>(map, rank);
  case AVRM_I_WANT_GPID: return translate<AVRM_I_WANT_GPID>(map, rank);
  case AVRM_I_WANT_LPID: break;
  }
  return translate<AVRM_I_WANT_LPID>(map, rank);
}

#endif
