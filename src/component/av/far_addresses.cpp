// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Network addresses of far-side processes, by local rank.
#include "av/address_vector.h"
#include "av/instance.h"

using avrankmap::detail::AddressVector;
using avrankmap::detail::RareState;

avrm_status_t avrm_av_set_far_address(avrm_av_t *av, uint32_t local_rank, uint64_t address) noexcept {
  if (av == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (local_rank >= static_cast<std::uint32_t>(av->size)) {
    return AVRM_ERR_RANK;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  avrm_ave_t ave{};
  const avrm_status_t status = avrm_ave_pack(static_cast<avrm_codec_t>(self->codec), address, 0, &ave);
  if (status != AVRM_OK) {
    return status;
  }
  const std::scoped_lock guard(self->instance->lock);
  const bool done = self->change_rare_state([&](RareState &rare_state) {
    if (!rare_state.far_words.make(self->instance->memory, local_rank)) {
      return false;
    }
    __atomic_store_n(rare_state.far_words.at(local_rank), avrm_ave_word(&ave), __ATOMIC_RELEASE);
    return true;
  });
  return done ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

avrm_status_t avrm_av_far_address(const avrm_av_t *av, uint32_t local_rank, uint64_t *address_p) noexcept {
  if (av == nullptr || address_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (local_rank >= static_cast<std::uint32_t>(av->size)) {
    return AVRM_ERR_RANK;
  }
  const AddressVector *const self = AddressVector::from_handle(av);
  const std::uint64_t word = self->far_word(local_rank);
  if (word == 0) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *address_p = avrm_word_address(static_cast<avrm_codec_t>(self->codec), word);
  return AVRM_OK;
}

avrm_status_t avrm_av_network_address(const avrm_av_t *av, uint64_t word, uint64_t *address_p) noexcept {
  if (av == nullptr || address_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const AddressVector *const self = AddressVector::from_handle(av);
  const std::uint64_t network = self->network_word(word);
  if (network == 0) {
    return AVRM_ERR_NOT_NETWORK;
  }
  *address_p = avrm_word_address(static_cast<avrm_codec_t>(self->codec), network);
  return AVRM_OK;
}
