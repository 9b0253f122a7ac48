// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An address vector is either a header and a table in one block, or a header and functions
// (implicit.h) in one block, with a table in a second block once it is needed. The pages of a block
// of at least 64 KiB are not touched before the first write.
#ifndef AVRANKMAP_SRC_AV_ADDRESS_VECTOR_H
#define AVRANKMAP_SRC_AV_ADDRESS_VECTOR_H

#include <type_traits>

#include "av/backing.h"
#include "av/implicit.h"
#include "av/rare_state.h"
#include "avrankmap/av.h"

namespace avrankmap::detail {

class AddressVector {
public:
  // How long an AV can be found.
  enum class Stay : std::uint8_t {
    kUntilReleased,
    kUntilUnheld, // while bound rankmaps or holds keep it
    kReleased,    // no longer; it is kept only for its holders
  };

  // The handle of the C interface. It is the first member, so that the two pointers convert into
  // each other.
  avrm_av_t handle{};
  avrm_instance_t *instance = nullptr;
  std::size_t backing_size = 0;       // bytes of the block that begins with this header
  ImplicitVector *implicit = nullptr; // located after the header; null in an AV created as a table
  RareState *rare_state = nullptr;    // null until it is needed
  std::int32_t holders = 0;           // bound rankmaps and holds; under the instance's lock
  Stay stay = Stay::kUntilReleased;   // under the instance's lock
  std::uint8_t codec = AVRM_CODEC_OFI;
  bool backing_mapped = false;

  static AddressVector *from_handle(avrm_av_t *av) noexcept { return reinterpret_cast<AddressVector *>(av); }
  static const AddressVector *from_handle(const avrm_av_t *av) noexcept {
    return reinterpret_cast<const AddressVector *>(av);
  }

  // Null while the AV is implicit, otherwise the table. Lock-free.
  [[nodiscard]] const avrm_ave_t *table() const noexcept { return __atomic_load_n(&handle.elements, __ATOMIC_ACQUIRE); }
  // One element, from the table or the functions. Lock-free.
  [[nodiscard]] std::uint64_t word(std::int32_t lpid) const noexcept {
    const avrm_ave_t *const elements = table();
    return elements != nullptr ? avrm_ave_word(elements + lpid) : implicit->word(lpid);
  }
  [[nodiscard]] std::uint32_t node(std::int32_t lpid) const noexcept {
    const avrm_ave_t *const elements = table();
    return elements != nullptr ? avrm_ave_node(elements + lpid) : implicit->node(lpid);
  }
  // The rule of an lpid's node id, if it was declared or the AV is implicit. Lock-free.
  [[nodiscard]] std::optional<NodeIdRule> node_rule(std::int32_t lpid) const noexcept;
  // The address word of the network address of a local rank, or 0. Lock-free.
  [[nodiscard]] std::uint64_t far_word(std::uint32_t local_rank) const noexcept;
  // The network address word for an address word of this AV: the word itself if it is a network
  // address, otherwise the far word, or 0.
  [[nodiscard]] std::uint64_t network_word(std::uint64_t word) const noexcept;
  [[nodiscard]] bool is_network(std::uint64_t word) const noexcept {
    return avrm_word_is_network(static_cast<avrm_codec_t>(codec), word);
  }
  // The further words of all peers; null if none was ever set. Lock-free.
  [[nodiscard]] const FurtherWords *further_words() const noexcept;
  // The attached pointer or null. Lock-free.
  [[nodiscard]] void *user() const noexcept;
  // Word k of a peer, k >= 1; 0 if there is none. Lock-free.
  [[nodiscard]] std::uint64_t further_word(std::int32_t lpid, std::uint32_t k) const noexcept;
  // Bytes that the AV takes. Lock-free.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  // The following functions require the instance's lock.
  [[nodiscard]] avrm_status_t set(std::int32_t first, std::int32_t count, const avrm_ave_t *aves) noexcept;
  // Makes the table of an implicit AV. Other threads may read concurrently.
  [[nodiscard]] avrm_status_t make_table() noexcept;
  // The table, or the line plus 1 (avrankmap/line.h). If the AV has neither, the line returned has
  // every lpid as an exception.
  [[nodiscard]] std::uintptr_t place() noexcept;
  // Calls change(rare_state), which returns false if out of memory and then changes nothing. If the
  // state did not exist, it becomes visible only after the change has succeeded. Returns false if
  // out of memory.
  template <typename Change> [[nodiscard]] bool change_rare_state(Change change) noexcept {
    RareState *const those = rare_state != nullptr ? rare_state : new_rare_state();
    if (those == nullptr || !change(*those)) {
      if (those != rare_state) {
        release_rare_state(those);
      }
      return false;
    }
    __atomic_store_n(&rare_state, those, __ATOMIC_RELEASE);
    return true;
  }
  void hold() noexcept;
  // May free the AV.
  void let_go() noexcept;
  void release_by_user() noexcept;
  void release_when_unheld() noexcept;

private:
  [[nodiscard]] Backing backing() noexcept { return {this, backing_size, backing_mapped}; }
  [[nodiscard]] RareState *new_rare_state() noexcept;
  void release_rare_state(RareState *those) noexcept;
  void end() noexcept;
};

static_assert(std::is_standard_layout_v<AddressVector>);
inline constexpr std::size_t kAvHeaderSize = 64;
static_assert(sizeof(AddressVector) <= kAvHeaderSize);
static_assert(alignof(ImplicitVector) <= kAvHeaderSize);

} // namespace avrankmap::detail

#endif
