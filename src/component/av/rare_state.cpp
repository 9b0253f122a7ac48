// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/rare_state.h"

#include <new>

namespace avrankmap::detail {

std::uint64_t RareState::bytes() const noexcept {
  const FurtherWords *const words = __atomic_load_n(&further_words, __ATOMIC_ACQUIRE);
  const NodeRules *const rules = __atomic_load_n(&node_rules, __ATOMIC_ACQUIRE);
  return sizeof *this + far_words.bytes() + (words != nullptr ? words->bytes() : 0) +
         (rules != nullptr ? rules->bytes() : 0);
}

FurtherWords *RareState::new_words(Memory &memory, const AddressVector &av) noexcept {
  void *const block = memory.allocate(sizeof(FurtherWords), alignof(FurtherWords), AVRM_MEM_AV);
  return block == nullptr ? nullptr : new (block) FurtherWords(av);
}

void RareState::release_words(Memory &memory, FurtherWords *words) noexcept {
  if (words != nullptr) {
    words->release(memory);
    words->~FurtherWords();
    memory.release(words, sizeof(FurtherWords), alignof(FurtherWords), AVRM_MEM_AV);
  }
}

void RareState::release(Memory &memory) noexcept {
  if (at_end != nullptr) {
    at_end(user);
  }
  far_words.release(memory);
  if (node_rules != nullptr) {
    memory.release(node_rules, node_rules->bytes(), alignof(NodeRules), AVRM_MEM_AV);
  }
  release_words(memory, further_words);
}

} // namespace avrankmap::detail
