// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/transport_table.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "avrankmap/device/binding.h"

namespace avrankmap::detail {

namespace {

struct Operation {
  const char *name;
  std::size_t place;         // in the table
  unsigned capabilities = 0; // any of these requires it; 0: always required
};

#define AVRM_OPERATION(operation) #operation, offsetof(avrm_netmod_ops_t, operation)
constexpr Operation kNetmodRequires[] = {
    {AVRM_OPERATION(open)},     {AVRM_OPERATION(close)},       {AVRM_OPERATION(last_error)}, {AVRM_OPERATION(describe)},
    {AVRM_OPERATION(address)},  {AVRM_OPERATION(insert)},      {AVRM_OPERATION(remove)},     {AVRM_OPERATION(tinject)},
    {AVRM_OPERATION(tsend)},    {AVRM_OPERATION(trecv)},       {AVRM_OPERATION(cancel)},     {AVRM_OPERATION(am_send)},
    {AVRM_OPERATION(progress)}, {AVRM_OPERATION(peer_failed)},
};
constexpr unsigned kPutOrGet = AVRM_NETMOD_PUT | AVRM_NETMOD_GET;
constexpr Operation kCapabilitiesRequire[] = {
    {AVRM_OPERATION(memory_register), kPutOrGet}, {AVRM_OPERATION(memory_release), kPutOrGet},
    {AVRM_OPERATION(memory_describe), kPutOrGet}, {AVRM_OPERATION(key_open), kPutOrGet},
    {AVRM_OPERATION(key_close), kPutOrGet},       {AVRM_OPERATION(memory_values), AVRM_NETMOD_PLAIN_KEYS},
    {AVRM_OPERATION(put), AVRM_NETMOD_PUT},       {AVRM_OPERATION(flush), AVRM_NETMOD_PUT},
    {AVRM_OPERATION(get), AVRM_NETMOD_GET},       {AVRM_OPERATION(put_inject), AVRM_NETMOD_PUT_INJECT},
    {AVRM_OPERATION(atomic), AVRM_NETMOD_ATOMIC}, {AVRM_OPERATION(tsend_sync), AVRM_NETMOD_SYNC},
};
constexpr Operation kProbe{AVRM_OPERATION(tprobe)};
constexpr Operation kReceiveClaimed{AVRM_OPERATION(trecv_claimed)};
#undef AVRM_OPERATION
#define AVRM_OPERATION(operation) #operation, offsetof(avrm_shmmod_ops_t, operation)
constexpr Operation kShmmodRequires[] = {
    {AVRM_OPERATION(open)},           {AVRM_OPERATION(close)},
    {AVRM_OPERATION(card)},           {AVRM_OPERATION(connect)},
    {AVRM_OPERATION(send)},           {AVRM_OPERATION(take)},
    {AVRM_OPERATION(am_send)},        {AVRM_OPERATION(memory_allocate)},
    {AVRM_OPERATION(memory_release)}, {AVRM_OPERATION(memory_describe)},
    {AVRM_OPERATION(memory_map)},     {AVRM_OPERATION(progress)},
    {AVRM_OPERATION(peer_failed)},
};
#undef AVRM_OPERATION

// Required operations come before this offset.
constexpr std::size_t kNetmodLeast = offsetof(avrm_netmod_ops_t, tprobe);
constexpr std::size_t kShmmodLeast = offsetof(avrm_shmmod_ops_t, arm);

bool has(const void *table, const Operation &operation) noexcept {
  void (*function)() = nullptr;
  std::memcpy(&function, static_cast<const char *>(table) + operation.place, sizeof function);
  return function != nullptr;
}

template <typename... Arguments>
TableVerdict refuse(avrm_status_t status, const char *format, Arguments... arguments) noexcept {
  TableVerdict verdict{status};
  (void)std::snprintf(verdict.text, sizeof verdict.text, format, arguments...);
  return verdict;
}

template <typename Ops, std::size_t count>
TableVerdict check(const Ops &ops, const char *kind, std::size_t least, std::uint32_t version,
                   const Operation (&required)[count]) noexcept {
  if (ops.version != version) {
    return refuse(AVRM_ERR_VERSION, "the table of the %s has version %u, this library %u", kind, ops.version, version);
  }
  if (ops.bytes < least || ops.bytes > sizeof(Ops)) {
    return refuse(AVRM_ERR_VERSION, "the table of the %s has %zu bytes: this library takes %zu to %zu", kind, ops.bytes,
                  least, sizeof(Ops));
  }
  if (ops.name == nullptr) {
    return refuse(AVRM_ERR_OPTION, "the %s has no name", kind);
  }
  for (const Operation &operation : required) {
    if (!has(&ops, operation)) {
      return refuse(AVRM_ERR_OPTION, "the %s \"%.48s\" lacks the operation %s", kind, ops.name, operation.name);
    }
  }
  return {};
}

} // namespace

TableVerdict check_table(const avrm_netmod_ops_t &ops) noexcept {
  return check(ops, "netmod", kNetmodLeast, AVRM_NETMOD_VERSION, kNetmodRequires);
}

TableVerdict check_table(const avrm_shmmod_ops_t &ops) noexcept {
  return check(ops, "shmmod", kShmmodLeast, AVRM_SHMMOD_VERSION, kShmmodRequires);
}

TableVerdict check_open_netmod(const avrm_netmod_t &net) noexcept {
  const char *const name = net.ops->name;
  const unsigned capabilities = net.capabilities;
  if (net.inject_max < AVRM_NETMOD_INJECT_MIN || net.am_max < AVRM_NETMOD_AM_MIN || net.pieces_max < 1) {
    return refuse(AVRM_ERR_OPTION, "the netmod \"%.48s\" has an inject_max, am_max or pieces_max that is too small",
                  name);
  }
  if ((capabilities & (AVRM_NETMOD_PUT_INJECT | AVRM_NETMOD_ATOMIC)) != 0 && (capabilities & AVRM_NETMOD_PUT) == 0) {
    return refuse(AVRM_ERR_OPTION, "the netmod \"%.48s\" has a capability that requires AVRM_NETMOD_PUT", name);
  }
  if ((capabilities & (AVRM_NETMOD_PUT | AVRM_NETMOD_DELIVERS | AVRM_NETMOD_PLAIN_KEYS)) == AVRM_NETMOD_PUT) {
    return refuse(AVRM_ERR_OPTION, "the netmod \"%.48s\" delivers nothing, and has no AVRM_NETMOD_PLAIN_KEYS", name);
  }
  if (has(net.ops, kProbe) != has(net.ops, kReceiveClaimed)) {
    return refuse(AVRM_ERR_OPTION, "the netmod \"%.48s\" has only one of tprobe and trecv_claimed", name);
  }
  for (const Operation &operation : kCapabilitiesRequire) {
    if ((capabilities & operation.capabilities) != 0 && !has(net.ops, operation)) {
      return refuse(AVRM_ERR_OPTION, "the netmod \"%.48s\" lacks the operation %s of its capabilities", name,
                    operation.name);
    }
  }
  return {};
}

const avrm_netmod_ops_t *whole_table(const avrm_netmod_ops_t *ops, avrm_netmod_ops_t *copy) noexcept {
  if (ops->bytes == sizeof *copy && ops->fp_tinject != nullptr && ops->fp_put_inject != nullptr) {
    return ops;
  }
  *copy = {};
  std::memcpy(copy, ops, ops->bytes);
  copy->bytes = sizeof *copy;
  copy->fp_tinject = copy->fp_tinject != nullptr ? copy->fp_tinject : avrm_i_fp_tinject;
  copy->fp_put_inject = copy->fp_put_inject != nullptr ? copy->fp_put_inject : avrm_i_fp_put_inject;
  return copy;
}

const avrm_shmmod_ops_t *whole_table(const avrm_shmmod_ops_t *ops, avrm_shmmod_ops_t *copy) noexcept {
  if (ops->bytes == sizeof *copy) {
    return ops;
  }
  *copy = {};
  std::memcpy(copy, ops, ops->bytes);
  copy->bytes = sizeof *copy;
  return copy;
}

} // namespace avrankmap::detail
