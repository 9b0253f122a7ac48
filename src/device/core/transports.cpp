// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/transports.h"

#include <string_view>

#include "transport_list.h"

namespace avrankmap::detail {

namespace {

template <typename Ops> const Ops *find(const Ops *const *list, const char *name) noexcept {
  for (; *list != nullptr; ++list) {
    if (name == nullptr || std::string_view((*list)->name) == name) {
      return *list;
    }
  }
  return nullptr;
}

} // namespace

const avrm_netmod_ops_t *find_netmod(const char *name) noexcept {
#define AVRM_ENTRY(transport) avrm_netmod_##transport(),
  const avrm_netmod_ops_t *const list[] = {AVRM_NETMODS(AVRM_ENTRY) nullptr};
#undef AVRM_ENTRY
  return find(list, name);
}

const avrm_shmmod_ops_t *find_shmmod(const char *name) noexcept {
#define AVRM_ENTRY(transport) avrm_shmmod_##transport(),
  const avrm_shmmod_ops_t *const list[] = {AVRM_SHMMODS(AVRM_ENTRY) nullptr};
#undef AVRM_ENTRY
  return find(list, name);
}

#define AVRM_NAME(transport) ", " #transport
const char *netmod_names() noexcept { return &(AVRM_NETMODS(AVRM_NAME) "")[2]; }
const char *shmmod_names() noexcept { return &(AVRM_SHMMODS(AVRM_NAME) ", none")[2]; }
#undef AVRM_NAME

} // namespace avrankmap::detail
