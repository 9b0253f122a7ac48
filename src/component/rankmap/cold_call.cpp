// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation out of line: of the forms that a caller has not inline, and by a call of the AV for
// ranks in the hole of an implicit AV, and for maps that were bound when it had no line.
//
// On x86-64 inline code jumps to the stubs of cold_stubs.cpp instead, which keep the caller's
// registers. The build compiles this file, and those of the AV that it calls, without vector
// registers, so the stub that comes here need not save any.
#include <cstdint>

#include "av/address_vector.h"
#include "av/instance.h"
#include "rankmap/forms/forms.h"

using namespace avrankmap::detail;

namespace {

constexpr auto kProcess = by_mode([]<typename F>() { return F::process; });

std::uint64_t word_of(const avrm_rankmap_t *map, std::uint64_t process) noexcept {
  const avrm_gpid_t gpid = avrm_i_gpid(process);
  return map->instance->directory.held(gpid.pgid)->word(gpid.lpid);
}

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
      return word_of(map, process);
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

// `want` is one of avrm_i_want_t, or kWordOfProcess for a process instead of a rank.
extern "C" AVRM_I_HIDDEN std::uint64_t avrm_i_ask(const avrm_rankmap_t *map, std::uint64_t of, int want) noexcept {
  constexpr int kWordOfProcess = 5;
  const auto rank = static_cast<std::int32_t>(of);
  switch (want) {
  case AVRM_I_WANT_WORD: return ask<AVRM_I_WANT_WORD>(map, rank);
  case AVRM_I_WANT_AVE: return ask<AVRM_I_WANT_AVE>(map, rank);
  case AVRM_I_WANT_NODE: return ask<AVRM_I_WANT_NODE>(map, rank);
  case AVRM_I_WANT_GPID: return ask<AVRM_I_WANT_GPID>(map, rank);
  case kWordOfProcess: return word_of(map, of);
  default: return ask<AVRM_I_WANT_LPID>(map, rank);
  }
}

// For code that is compiled with AVRM_NO_ASM.
uint64_t avrm_i_cold(const avrm_rankmap_t *map, int32_t rank, avrm_i_want_t want) noexcept {
  switch (want) {
  case AVRM_I_WANT_WORD: return avrm_i_call(map, rank, AVRM_I_WANT_WORD);
  case AVRM_I_WANT_AVE: return avrm_i_call(map, rank, AVRM_I_WANT_AVE);
  case AVRM_I_WANT_NODE: return avrm_i_call(map, rank, AVRM_I_WANT_NODE);
  case AVRM_I_WANT_GPID: return avrm_i_call(map, rank, AVRM_I_WANT_GPID);
  case AVRM_I_WANT_LPID:
  case AVRM_I_WANT_SLOT: break;
  }
  return avrm_i_call(map, rank, AVRM_I_WANT_LPID);
}

#else

namespace {

using Case = std::uint64_t (*)(const avrm_rankmap_t *, std::int64_t, avrm_i_want_t);

const avrm_line_t *line_of(const avrm_rankmap_t *map) noexcept {
  return reinterpret_cast<const avrm_line_t *>(map->base);
}

// Of a form over an implicit AV.
template <avrm_i_want_t kWant, Case kCase>
std::uint64_t on_line(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  if constexpr (kWant == AVRM_I_WANT_GPID || kWant == AVRM_I_WANT_LPID) {
    return kCase(map, rank, kWant);
  } else if constexpr (kWant == AVRM_I_WANT_WORD) {
    std::uint64_t word = 0;
    if (avrm_i_word_on(line_of(map), static_cast<std::int64_t>(kCase(map, rank, AVRM_I_WANT_LPID)), &word)) {
      return word;
    }
  }
  return ask<kWant>(map, rank);
}

// Of a form with slots, some of which have lines.
template <avrm_i_want_t kWant, Case kCase>
std::uint64_t on_lines(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  if constexpr (kWant == AVRM_I_WANT_GPID || kWant == AVRM_I_WANT_LPID) {
    return kCase(map, rank, kWant);
  } else if constexpr (kWant == AVRM_I_WANT_WORD) {
    const avrm_gpid_t at = avrm_i_gpid(kCase(map, rank, AVRM_I_WANT_SLOT));
    const auto *const places = reinterpret_cast<const std::uintptr_t *>(map->base);
    const std::uintptr_t place = __atomic_load_n(&places[at.pgid], __ATOMIC_ACQUIRE);
    if (!avrm_i_is_line(place)) {
      return avrm_ave_word(reinterpret_cast<const avrm_ave_t *>(place) + at.lpid);
    }
    std::uint64_t word = 0;
    if (avrm_i_word_on(avrm_i_line_at(place), at.lpid, &word)) {
      return word;
    }
  }
  return ask<kWant>(map, rank);
}

template <avrm_i_want_t kWant> std::uint64_t implicit(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  if constexpr (kWant == AVRM_I_WANT_GPID || kWant == AVRM_I_WANT_LPID) {
    return avrm_i_affine(map, rank, kWant);
  } else if constexpr (kWant == AVRM_I_WANT_WORD) {
    std::uint64_t word = 0;
    if (avrm_i_implicit_word(map, rank, &word)) {
      return word;
    }
  }
  return ask<kWant>(map, rank);
}

template <avrm_i_want_t kWant> std::uint64_t translate(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  switch (static_cast<avrm_class_t>(__atomic_load_n(&map->klass, __ATOMIC_RELAXED))) {
  case AVRM_CLASS_AFFINE: return avrm_i_affine(map, rank, kWant);
  case AVRM_CLASS_LUT: return avrm_i_lut(map, rank, kWant);
  case AVRM_CLASS_MLUT: return avrm_i_mlut(map, rank, kWant);
  case AVRM_CLASS_BLOCKED: return avrm_i_blocked(map, rank, kWant);
  case AVRM_CLASS_SEGMENTS: return avrm_i_segments(map, rank, kWant);
  case AVRM_CLASS_CART_3D: return avrm_i_cart_3d(map, rank, kWant);
  case AVRM_CLASS_CART: return avrm_i_cart(map, rank, kWant);
  case AVRM_CLASS_IMPLICIT: return implicit<kWant>(map, rank);
  case AVRM_CLASS_IMPLICIT_LUT: return on_line<kWant, avrm_i_lut>(map, rank);
  case AVRM_CLASS_IMPLICIT_BLOCKED: return on_line<kWant, avrm_i_blocked>(map, rank);
  case AVRM_CLASS_IMPLICIT_CART: return on_line<kWant, avrm_i_cart>(map, rank);
  case AVRM_CLASS_IMPLICIT_MLUT: return on_lines<kWant, avrm_i_mlut>(map, rank);
  case AVRM_CLASS_IMPLICIT_SEGMENTS: return on_lines<kWant, avrm_i_segments>(map, rank);
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
  case AVRM_I_WANT_LPID:
  case AVRM_I_WANT_SLOT: break;
  }
  return translate<AVRM_I_WANT_LPID>(map, rank);
}

#endif
