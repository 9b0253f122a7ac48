// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface of addresses.h.
#include "avrankmap/addresses.h"

#include <cstring>

#include "av/address_vector.h"
#include "av/instance.h"

using namespace avrankmap::detail;

namespace {

avrm_codec_t codec_of(const AddressVector &av) noexcept { return static_cast<avrm_codec_t>(av.codec); }

avrm_status_t word_of(const AddressVector &av, std::uint64_t address, std::uint64_t *word_p) noexcept {
  avrm_ave_t ave{};
  const avrm_status_t status = avrm_ave_pack(codec_of(av), address, 0, &ave);
  if (status == AVRM_OK) {
    *word_p = avrm_ave_word(&ave);
  }
  return status;
}

bool is_word_number(std::int32_t k, std::int32_t least) noexcept { return k >= least && k < AVRM_ADDRESSES_MOST; }

// Computes address k of an lpid from an AVRM_ADDRESSES_BY_LPID rule. False if the result is not a
// 64-bit number: a rule that wraps around is not linear.
bool address_at(const avrm_addresses_rule_t &rule, std::int64_t lpid, std::int64_t k, std::uint64_t *address_p) {
  std::int64_t by_lpid = 0;
  std::int64_t by_word = 0;
  std::uint64_t first = 0; // address 1 of lpid 0; the base need not be an address
  return !__builtin_mul_overflow(rule.per_lpid, lpid, &by_lpid) &&
         !__builtin_mul_overflow(rule.per_word, k - 1, &by_word) &&
         !__builtin_add_overflow(rule.base, rule.per_word, &first) && !__builtin_add_overflow(first, by_word, &first) &&
         !__builtin_add_overflow(first, by_lpid, address_p);
}

// Checks an AVRM_ADDRESSES_BY_LPID rule at the corners of its range, between which it is linear,
// and converts its base from an address to an address word. An AVRM_ADDRESSES_AFTER_FIRST rule must
// preserve the bits that all addresses of the codec have in common.
avrm_status_t check(const AddressVector &av, std::int32_t count, avrm_addresses_rule_t *rule) noexcept {
  int kind = 0; // a caller's number may be outside the enumeration
  std::memcpy(&kind, &rule->kind, sizeof kind);
  if (kind != AVRM_ADDRESSES_AFTER_FIRST && kind != AVRM_ADDRESSES_BY_LPID) {
    return AVRM_ERR_OPTION;
  }
  if (kind == AVRM_ADDRESSES_AFTER_FIRST) {
    std::uint64_t word = 0;
    const auto step = static_cast<std::uint64_t>(rule->per_word);
    // 1024 is an address of both codecs. With the lowest bit of the step added, it is rejected if
    // the codec allows no odd step.
    return word_of(av, 1024 + (step & 1), &word);
  }
  std::uint64_t first = 0;
  for (const std::int64_t lpid : {0, std::min(1, av.handle.size - 1), av.handle.size - 1}) {
    for (const std::int64_t k : {count - 1, std::min(2, count - 1), 1}) {
      std::uint64_t address = 0;
      std::uint64_t word = 0;
      if (!address_at(*rule, lpid, k, &address)) {
        return AVRM_ERR_ADDRESS_BIT;
      }
      if (const avrm_status_t status = word_of(av, address, &word); status != AVRM_OK) {
        return status;
      }
      first = lpid == 0 ? word : first; // the last k is 1
    }
  }
  rule->base = first - static_cast<std::uint64_t>(rule->per_word);
  return AVRM_OK;
}

// Calls change(words), which returns false if out of memory, and publishes its result.
template <typename Change> avrm_status_t change_words(AddressVector *av, Change change) noexcept {
  if (!av->change_rare_state(
          [&](RareState &rare_state) { return rare_state.change_words(av->instance->memory, *av, change); })) {
    return AVRM_ERR_NO_MEMORY;
  }
  __atomic_store_n(&av->handle.further, av->rare_state->further_words->inline_part(), __ATOMIC_RELEASE);
  return AVRM_OK;
}

} // namespace

avrm_status_t avrm_addresses_declare(avrm_av_t *av, int32_t count, const avrm_addresses_rule_t *rule) noexcept {
  if (av == nullptr || rule == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (count < 2 || count > AVRM_ADDRESSES_MOST) {
    return AVRM_ERR_SIZE;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  avrm_addresses_rule_t of_words = *rule;
  const avrm_status_t status = check(*self, count, &of_words);
  if (status != AVRM_OK) {
    return status;
  }
  const std::scoped_lock guard(self->instance->lock);
  if (const FurtherWords *const words = self->further_words(); words != nullptr && words->count() > 1) {
    return AVRM_ERR_BUSY;
  }
  return change_words(self, [&](FurtherWords &words) {
    return words.declare(self->instance->memory, static_cast<std::uint32_t>(count), of_words);
  });
}

avrm_status_t avrm_addresses_set(avrm_av_t *av, int32_t k, int32_t first, int32_t count,
                                 const uint64_t *addresses) noexcept {
  if (av == nullptr || addresses == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (!is_word_number(k, 1)) {
    return AVRM_ERR_RANGE;
  }
  if (count < 0) {
    return AVRM_ERR_SIZE;
  }
  if (first < 0 || first > av->size - count) {
    return AVRM_ERR_LPID;
  }
  if (count == 0) {
    return AVRM_OK;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const Scratch<std::uint64_t> words(self->instance->memory, static_cast<std::size_t>(count));
  if (!words) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t i = 0; i < count; ++i) {
    const avrm_status_t status = word_of(*self, addresses[i], words.data() + i);
    if (status != AVRM_OK) {
      return status;
    }
  }
  const std::scoped_lock guard(self->instance->lock);
  return change_words(self, [&](FurtherWords &further) {
    return further.set(self->instance->memory, static_cast<std::uint32_t>(k), first, count, words.data());
  });
}

avrm_status_t avrm_addresses_clear(avrm_av_t *av, int32_t lpid) noexcept {
  if (av == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (lpid < 0 || lpid >= av->size) {
    return AVRM_ERR_LPID;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  if (self->further_words() == nullptr) {
    return AVRM_OK;
  }
  return change_words(self, [&](FurtherWords &words) { return words.clear(self->instance->memory, lpid); });
}

avrm_status_t avrm_addresses_get(const avrm_av_t *av, int32_t lpid, int32_t k, uint64_t *address_p) noexcept {
  if (av == nullptr || address_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (lpid < 0 || lpid >= av->size) {
    return AVRM_ERR_LPID;
  }
  if (!is_word_number(k, 0)) {
    return AVRM_ERR_RANGE;
  }
  const AddressVector *const self = AddressVector::from_handle(av);
  const std::uint64_t word =
      k == 0 ? self->network_word(self->word(lpid)) : self->further_word(lpid, static_cast<std::uint32_t>(k));
  if (word == 0) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *address_p = avrm_word_address(codec_of(*self), word);
  return AVRM_OK;
}

avrm_status_t avrm_addresses_describe(const avrm_av_t *av, avrm_addresses_info_t *info_p) noexcept {
  if (av == nullptr || info_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const FurtherWords *const words = AddressVector::from_handle(av)->further_words();
  avrm_addresses_info_t info{1, 1, 0, 0};
  if (words != nullptr) {
    info.count = static_cast<std::int32_t>(words->count());
    info.plain = static_cast<std::int32_t>(words->plain());
    info.kept = words->kept();
    info.bytes = words->bytes();
  }
  *info_p = info;
  return AVRM_OK;
}

uint64_t avrm_i_addresses_word(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) noexcept {
  if (k == 0) {
    return word0;
  }
  return k < AVRM_ADDRESSES_MOST ? AddressVector::from_handle(av)->further_word(lpid, static_cast<std::uint32_t>(k))
                                 : 0;
}
