// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/address_vector.h"

#include <cstring>
#include <new>

#include "av/instance.h"
#include "av/publish.h"

namespace avrankmap::detail {

void AddressVector::let_go() noexcept {
  if (--holders == 0 && released) {
    end();
  }
}

void AddressVector::release_by_user() noexcept {
  instance->directory.retire(handle.pgid);
  released = true;
  if (holders == 0) {
    end();
  }
}

void AddressVector::end() noexcept {
  instance->directory.recycle(handle.pgid);
  const Backing mine = backing; // the AV lives in its own backing
  release_backing(instance->memory, mine);
}

namespace {

// A C caller can put any number into an enum, which C++ does not let one look at; so look at it as a number.
template <typename Enum> int number_in(const Enum &value) noexcept {
  int number = 0;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

avrm_status_t check(const avrm_instance_t *instance, const avrm_av_options_t &options) noexcept {
  const int codec = number_in(options.codec);
  const int pages = number_in(options.pages);
  const bool codec_known = codec == AVRM_CODEC_OFI || codec == AVRM_CODEC_UCX;
  const bool pages_known =
      pages == AVRM_AV_PAGES_DEFAULT || pages == AVRM_AV_PAGES_TRANSPARENT || pages == AVRM_AV_PAGES_HUGE;
  const bool own_pages = pages != AVRM_AV_PAGES_DEFAULT || options.bind_numa;
  if (!codec_known || !pages_known || (own_pages && !instance->memory.is_default())) {
    return AVRM_ERR_OPTION;
  }
  return AVRM_OK;
}

} // namespace

} // namespace avrankmap::detail

using avrankmap::detail::AddressVector;
using avrankmap::detail::Backing;
using avrankmap::detail::kAvHeaderSize;

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
  const std::size_t bytes = kAvHeaderSize + static_cast<std::size_t>(size) * sizeof(avrm_ave_t);
  Backing backing;
  status = allocate_backing(instance->memory, bytes, chosen, &backing);
  if (status != AVRM_OK) {
    return status;
  }
  auto *const av = new (backing.block) AddressVector;
  av->handle.elements = reinterpret_cast<avrm_ave_t *>(static_cast<unsigned char *>(backing.block) + kAvHeaderSize);
  av->handle.size = size;
  av->instance = instance;
  av->backing = backing;
  av->codec = chosen.codec;

  const std::scoped_lock guard(instance->lock);
  status = instance->directory.reserve();
  if (status != AVRM_OK) {
    release_backing(instance->memory, backing);
    return status;
  }
  av->handle.pgid = instance->directory.next();
  instance->directory.insert(av);
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

avrm_status_t avrm_av_find(const avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) noexcept {
  if (instance == nullptr || av_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  AddressVector *av = nullptr;
  const avrm_status_t status = instance->directory.find(pgid, &av);
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
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  avrankmap::detail::publish(self->codec, av->elements + first, aves, count);
  return AVRM_OK;
}

avrm_status_t avrm_av_get(const avrm_av_t *av, int32_t lpid, avrm_ave_t *ave_p) noexcept {
  if (av == nullptr || ave_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (lpid < 0 || lpid >= av->size) {
    return AVRM_ERR_LPID;
  }
  const avrm_ave_t *const element = avrm_av_ave(av, lpid);
  const std::uint64_t word = avrm_ave_word(element);
  avrm_ave_t copy;
  __builtin_memcpy(copy.w, &word, sizeof word);
  copy.w[2] = avrm_ave_node(element);
  *ave_p = copy;
  return AVRM_OK;
}

uint64_t avrm_av_bytes(const avrm_av_t *av) noexcept {
  return av == nullptr ? 0 : AddressVector::from_handle(av)->backing.size;
}
