// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/address_vector.h"

#include <cstring>
#include <new>
#include <optional>

#include "av/codec.h"
#include "av/instance.h"
#include "av/publish.h"

namespace avrankmap::detail {

void AddressVector::hold() noexcept {
  if (holders++ == 0) {
    --instance->unheld_avs;
  }
}

void AddressVector::let_go() noexcept {
  if (--holders != 0) {
    return;
  }
  ++instance->unheld_avs;
  if (stay != Stay::kUntilReleased) {
    end();
  }
}

void AddressVector::release_by_user() noexcept {
  instance->process_groups.retire(handle.pgid);
  stay = Stay::kReleased;
  if (holders == 0) {
    end();
  }
}

void AddressVector::release_when_unheld() noexcept {
  stay = Stay::kUntilUnheld;
  if (holders == 0) {
    end();
  }
}

void AddressVector::end() noexcept {
  --instance->unheld_avs;
  instance->process_groups.retire(handle.pgid);
  instance->process_groups.recycle(handle.pgid);
  Memory &memory = instance->memory;
  release_rare_state(rare_state);
  if (implicit != nullptr) {
    implicit->release(memory);
    if (implicit->table.block != nullptr) {
      release_backing(memory, implicit->table);
    }
    implicit->~ImplicitVector();
  }
  release_backing(memory, backing()); // includes the AV itself
}

std::uint64_t AddressVector::far_word(std::uint32_t local_rank) const noexcept {
  const RareState *const those = __atomic_load_n(&rare_state, __ATOMIC_ACQUIRE);
  const std::uint64_t *const word = those == nullptr ? nullptr : those->far_words.at(local_rank);
  return word == nullptr ? 0 : __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

std::uint64_t AddressVector::network_word(std::uint64_t word) const noexcept {
  if (is_network(word)) {
    return word;
  }
  avrm_far_t far_side{}; // the codec is valid, so unpacking succeeds
  (void)avrm_word_unpack_far(static_cast<avrm_codec_t>(codec), word, &far_side);
  return far_side.kind == AVRM_FAR_UNCONNECTED ? 0 : far_word(far_side.local_rank);
}

const FurtherWords *AddressVector::further_words() const noexcept {
  const RareState *const those = __atomic_load_n(&rare_state, __ATOMIC_ACQUIRE);
  return those == nullptr ? nullptr : __atomic_load_n(&those->further_words, __ATOMIC_ACQUIRE);
}

std::uint64_t AddressVector::further_word(std::int32_t lpid, std::uint32_t k) const noexcept {
  const FurtherWords *const words = further_words();
  return words == nullptr ? 0 : words->word(lpid, k);
}

void *AddressVector::user() const noexcept {
  const RareState *const those = __atomic_load_n(&rare_state, __ATOMIC_ACQUIRE);
  return those == nullptr ? nullptr : __atomic_load_n(&those->user, __ATOMIC_ACQUIRE);
}

std::uint64_t AddressVector::bytes() const noexcept {
  std::uint64_t sum = backing_size;
  if (implicit != nullptr) {
    // The table's size is set before the table becomes visible.
    sum += implicit->bytes() + (table() != nullptr ? implicit->table.size : 0);
  }
  const RareState *const those = __atomic_load_n(&rare_state, __ATOMIC_ACQUIRE);
  return sum + (those != nullptr ? those->bytes() : 0);
}

RareState *AddressVector::new_rare_state() noexcept {
  void *const block = instance->memory.allocate(sizeof(RareState), alignof(RareState), AVRM_MEM_AV);
  return block == nullptr ? nullptr : new (block) RareState;
}

void AddressVector::release_rare_state(RareState *those) noexcept {
  if (those != nullptr) {
    those->release(instance->memory);
    those->~RareState();
    instance->memory.release(those, sizeof(RareState), alignof(RareState), AVRM_MEM_AV);
  }
}

avrm_status_t AddressVector::make_table() noexcept {
  if (handle.elements != nullptr) {
    return AVRM_OK;
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(handle.size) * sizeof(avrm_ave_t);
  const avrm_status_t status = allocate_backing(instance->memory, bytes, implicit->options(), &implicit->table);
  if (status != AVRM_OK) {
    return status;
  }
  auto *const elements = static_cast<avrm_ave_t *>(implicit->table.block);
  implicit->write_out(elements);
  // Readers find the table as soon as its address is stored here. It is complete: until the
  // caller changes an element, it holds what the implicit AV computed.
  __atomic_store_n(&handle.elements, elements, __ATOMIC_RELEASE);
  implicit->close_lines();
  return AVRM_OK;
}

std::uintptr_t AddressVector::place() noexcept {
  static constexpr avrm_line_t kNone{0, 0, 0, 0, 1}; // every lpid is an exception
  if (handle.elements != nullptr) {
    return reinterpret_cast<std::uintptr_t>(handle.elements);
  }
  const avrm_line_t *const line = implicit->line();
  return reinterpret_cast<std::uintptr_t>(line != nullptr ? line : &kNone) + 1;
}

avrm_status_t AddressVector::set(std::int32_t first, std::int32_t count, const avrm_ave_t *aves) noexcept {
  // Everything that may fail comes first and is invisible to readers.
  FurtherWords *const words = rare_state == nullptr ? nullptr : rare_state->further_words;
  std::optional<FurtherWords::Making> making;
  if (words != nullptr) {
    making.emplace(*words, instance->memory);
    for (std::int32_t i = 0; i < count; ++i) {
      if (!words->plan_first(&*making, first + i, avrm_ave_word(aves + i))) {
        return AVRM_ERR_NO_MEMORY;
      }
    }
  }
  bool is_implicit = handle.elements == nullptr;
  if (is_implicit) {
    const ImplicitVector::Outcome outcome = implicit->append(instance->memory, first, count, aves);
    if (outcome == ImplicitVector::Outcome::kNoMemory) {
      return AVRM_ERR_NO_MEMORY;
    }
    is_implicit = outcome == ImplicitVector::Outcome::kTaken;
  }
  if (const avrm_status_t status = is_implicit ? AVRM_OK : make_table(); status != AVRM_OK) {
    return status;
  }
  if (words != nullptr) { // further words keep their values while word 0 changes
    making->keep();
    bool needs_barrier = false;
    for (std::int32_t i = 0; i < count; ++i) {
      needs_barrier |= words->before_first(first + i, avrm_ave_word(aves + i));
    }
    if (needs_barrier) {
      process_barrier();
    }
  }
  if (is_implicit) {
    implicit->publish(first + count);
  } else {
    publish(static_cast<avrm_codec_t>(codec), handle.elements + first, aves, count);
  }
  return AVRM_OK;
}

namespace {

// The value of an enumeration as a number. A C caller may pass any number, and reading a
// value outside the enumeration's range is undefined behaviour in C++.
template <typename Enum> int number_in(const Enum &value) noexcept {
  int number = 0;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

avrm_status_t check(const avrm_instance_t *instance, const avrm_av_options_t &options) noexcept {
  const int pages = number_in(options.pages);
  const int kind = number_in(options.kind);
  const bool pages_known =
      pages == AVRM_AV_PAGES_DEFAULT || pages == AVRM_AV_PAGES_TRANSPARENT || pages == AVRM_AV_PAGES_HUGE;
  const bool own_pages = pages != AVRM_AV_PAGES_DEFAULT || options.bind_numa;
  const bool kind_known = kind == AVRM_AV_TABLE || kind == AVRM_AV_IMPLICIT;
  if (!is_codec(number_in(options.codec)) || !pages_known || !kind_known ||
      (own_pages && !instance->memory.is_default())) {
    return AVRM_ERR_OPTION;
  }
  return AVRM_OK;
}

// Bytes after the header in the first block.
std::uint64_t bytes_behind(std::int32_t size, avrm_av_kind_t kind) noexcept {
  return kind == AVRM_AV_IMPLICIT ? sizeof(ImplicitVector) : static_cast<std::uint64_t>(size) * sizeof(avrm_ave_t);
}

// The options for the first block: pages and NUMA node apply to tables.
avrm_av_options_t of_first_block(const avrm_av_options_t &options) noexcept {
  return options.kind == AVRM_AV_IMPLICIT ? avrm_av_options_t{} : options;
}

} // namespace

} // namespace avrankmap::detail

using avrankmap::detail::AddressVector;
using avrankmap::detail::Backing;
using avrankmap::detail::ImplicitVector;
using avrankmap::detail::kAvHeaderSize;
using avrankmap::detail::RareState;

avrm_status_t avrm_av_create(avrm_instance_t *instance, int32_t size, const avrm_av_options_t *options,
                             avrm_av_t **av_p) noexcept {
  if (instance == nullptr || av_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (size <= 0) {
    return AVRM_ERR_SIZE;
  }
  const avrm_av_options_t chosen = options != nullptr ? *options : avrm_av_options_t{};
  avrm_status_t status = avrankmap::detail::check(instance, chosen);
  if (status != AVRM_OK) {
    return status;
  }
  Backing backing;
  status = allocate_backing(instance->memory, kAvHeaderSize + avrankmap::detail::bytes_behind(size, chosen.kind),
                            avrankmap::detail::of_first_block(chosen), &backing);
  if (status != AVRM_OK) {
    return status;
  }
  auto *const av = new (backing.block) AddressVector;
  unsigned char *const behind = static_cast<unsigned char *>(backing.block) + kAvHeaderSize;
  if (chosen.kind == AVRM_AV_IMPLICIT) {
    av->implicit = new (behind) ImplicitVector(size, chosen);
  } else {
    av->handle.elements = reinterpret_cast<avrm_ave_t *>(behind);
  }
  av->handle.size = size;
  av->handle.further = avrankmap::detail::no_further();
  av->instance = instance;
  av->backing_size = backing.size;
  av->backing_mapped = backing.mapped;
  av->codec = static_cast<std::uint8_t>(chosen.codec);

  const std::scoped_lock guard(instance->lock);
  status = instance->process_groups.reserve();
  if (status != AVRM_OK) {
    release_backing(instance->memory, backing);
    return status;
  }
  av->handle.pgid = instance->process_groups.next();
  instance->process_groups.insert(av);
  ++instance->unheld_avs;
  *av_p = &av->handle;
  return AVRM_OK;
}

void avrm_av_release(avrm_av_t *av) noexcept {
  if (av == nullptr) {
    return;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  self->release_by_user();
}

void avrm_av_release_when_unbound(avrm_av_t *av) noexcept {
  if (av == nullptr) {
    return;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  self->release_when_unheld();
}

avrm_status_t avrm_av_hold(avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) noexcept {
  if (instance == nullptr || av_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const std::scoped_lock guard(instance->lock);
  AddressVector *av = nullptr;
  const avrm_status_t status = instance->process_groups.find(pgid, &av);
  if (status == AVRM_OK) {
    av->hold();
    *av_p = &av->handle;
  }
  return status;
}

void avrm_av_drop(avrm_av_t *av) noexcept {
  if (av == nullptr) {
    return;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  self->let_go();
}

avrm_status_t avrm_av_next(const avrm_instance_t *instance, int32_t pgid, int32_t *pgid_p) noexcept {
  if (instance == nullptr || pgid_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  *pgid_p = instance->process_groups.after(pgid);
  return AVRM_OK;
}

avrm_status_t avrm_av_find(const avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) noexcept {
  if (instance == nullptr || av_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  AddressVector *av = nullptr;
  const avrm_status_t status = instance->process_groups.find(pgid, &av);
  if (status == AVRM_OK) {
    *av_p = &av->handle;
  }
  return status;
}

avrm_status_t avrm_av_set(avrm_av_t *av, int32_t lpid, const avrm_ave_t *ave) noexcept {
  return avrm_av_set_range(av, lpid, 1, ave);
}

avrm_status_t avrm_av_set_range(avrm_av_t *av, int32_t first, int32_t count, const avrm_ave_t *aves) noexcept {
  if (av == nullptr || aves == nullptr) {
    return AVRM_ERR_NULL;
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
  const std::scoped_lock guard(self->instance->lock);
  return self->set(first, count, aves);
}

avrm_status_t avrm_av_set_if(avrm_av_t *av, int32_t lpid, uint64_t expected, const avrm_ave_t *ave,
                             uint64_t *found_p) noexcept {
  if (av == nullptr || ave == nullptr || found_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (lpid < 0 || lpid >= av->size) {
    return AVRM_ERR_LPID;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  const std::uint64_t found = self->word(lpid);
  const avrm_status_t status = found == expected ? self->set(lpid, 1, ave) : AVRM_OK;
  if (status == AVRM_OK) {
    *found_p = found;
  }
  return status;
}

avrm_status_t avrm_av_set_user(avrm_av_t *av, void *user, void (*at_end)(void *user)) noexcept {
  if (av == nullptr) {
    return AVRM_ERR_NULL;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  const bool done = self->change_rare_state([=](RareState &rare_state) {
    rare_state.at_end = at_end;
    __atomic_store_n(&rare_state.user, user, __ATOMIC_RELEASE);
    return true;
  });
  return done ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

void *avrm_av_user(const avrm_av_t *av) noexcept {
  return av == nullptr ? nullptr : AddressVector::from_handle(av)->user();
}

avrm_status_t avrm_av_make_table(avrm_av_t *av) noexcept {
  if (av == nullptr) {
    return AVRM_ERR_NULL;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  return self->make_table();
}

avrm_status_t avrm_av_get(const avrm_av_t *av, int32_t lpid, avrm_ave_t *ave_p) noexcept {
  if (av == nullptr || ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (lpid < 0 || lpid >= av->size) {
    return AVRM_ERR_LPID;
  }
  const AddressVector *const self = AddressVector::from_handle(av);
  *ave_p = avrm_i_ave_of(self->word(lpid), self->node(lpid));
  return AVRM_OK;
}

uint64_t avrm_av_bytes(const avrm_av_t *av) noexcept {
  return av != nullptr ? AddressVector::from_handle(av)->bytes() : 0;
}

avrm_status_t avrm_av_describe(const avrm_av_t *av, avrm_av_info_t *info_p) noexcept {
  if (av == nullptr || info_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const AddressVector *const self = AddressVector::from_handle(av);
  const ImplicitVector *const implicit = self->implicit;
  avrm_av_info_t info{};
  info.kind = self->table() != nullptr ? AVRM_AV_TABLE : AVRM_AV_IMPLICIT;
  if (info.kind == AVRM_AV_IMPLICIT) {
    info.filled = implicit->filled();
    info.word_runs = implicit->word_runs();
    info.node_runs = implicit->node_runs();
  }
  info.size = av->size;
  info.bytes = avrm_av_bytes(av);
  *info_p = info;
  return AVRM_OK;
}
