// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// State that few address vectors need in addition to their elements; allocated on first use.
#ifndef AVRANKMAP_SRC_AV_RARE_STATE_H
#define AVRANKMAP_SRC_AV_RARE_STATE_H

#include "av/multi_address/further_words.h"
#include "av/node_rules.h"

namespace avrankmap::detail {

struct RareState {
  // By local rank: the address word of the network address of a process that is reached through
  // shared memory, or 0.
  GrowingArray<std::uint64_t, 3> far_words;

  FurtherWords *further_words = nullptr;
  NodeRules *node_rules = nullptr; // does not change once it exists

  // The user pointer and its callback.
  void *user = nullptr;
  void (*at_end)(void *user) = nullptr;

  // Bytes, including this object. Lock-free.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  // Calls change(further words), which returns false if out of memory and then changes nothing. If
  // there were no further words, they become visible only after the change has succeeded. Returns
  // false if out of memory.
  template <typename Change>
  [[nodiscard]] bool change_words(Memory &memory, const AddressVector &av, Change change) noexcept {
    FurtherWords *const words = further_words != nullptr ? further_words : new_words(memory, av);
    if (words == nullptr || !change(*words)) {
      if (words != further_words) {
        release_words(memory, words);
      }
      return false;
    }
    __atomic_store_n(&further_words, words, __ATOMIC_RELEASE);
    return true;
  }
  // No other thread may still be reading.
  void release(Memory &memory) noexcept;

private:
  [[nodiscard]] static FurtherWords *new_words(Memory &memory, const AddressVector &av) noexcept;
  static void release_words(Memory &memory, FurtherWords *words) noexcept;
};

} // namespace avrankmap::detail

#endif
