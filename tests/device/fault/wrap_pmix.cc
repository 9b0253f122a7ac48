// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PMIx without a server: the job's values are kept here, whoever put them. The server
// spawns nothing, but may claim that it does.
#include <pmix.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/device/fault/launcher_traffic.h"
#include "tests/device/fault/pmix_server.h"

using namespace avrankmap::test;

namespace {

std::map<std::string, std::string> values; // of bytes
std::vector<std::pair<pmix_value_cbfunc_t, void *>> delayed;

} // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl51-cpp): the linker's names
extern "C" {
pmix_status_t __wrap_PMIx_Init(pmix_proc_t *self, pmix_info_t *info, size_t count);
pmix_status_t __wrap_PMIx_Init(pmix_proc_t *self, pmix_info_t * /*info*/, size_t /*count*/) {
  if (fails("PMIx_Init")) {
    return PMIX_ERR_UNREACH;
  }
  PMIX_LOAD_PROCID(self, "test", 0);
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Finalize(const pmix_info_t *info, size_t count);
pmix_status_t __wrap_PMIx_Finalize(const pmix_info_t * /*info*/, size_t /*count*/) {
  for (const auto &[done, user] : delayed) {
    done(PMIX_ERR_TIMEOUT, nullptr, user);
  }
  delayed.clear();
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Get(const pmix_proc_t *proc, const char *key, const pmix_info_t *info, size_t count,
                              pmix_value_t **value);
pmix_status_t __wrap_PMIx_Get(const pmix_proc_t * /*proc*/, const char *key, const pmix_info_t * /*info*/,
                              size_t /*count*/, pmix_value_t **value) {
  if (fails("PMIx_Get")) {
    return PMIX_ERR_BAD_PARAM;
  }
  const Outside outside;
  const std::string name = key;
  const auto found = values.find(name);
  if (found == values.end() && name != PMIX_JOB_SIZE && name != PMIX_LOCAL_PEERS && name != PMIX_NODEID) {
    return PMIX_ERR_NOT_FOUND;
  }
  PMIX_VALUE_CREATE(*value, 1);
  if (found != values.end()) {
    launcher_traffic.add(name.size(), found->second.size());
    pmix_byte_object_t bytes{found->second.data(), found->second.size()};
    PMIX_VALUE_LOAD(*value, &bytes, PMIX_BYTE_OBJECT);
  } else if (name == PMIX_LOCAL_PEERS) {
    launcher_traffic.add(name.size(), pmix_local_peers.size());
    PMIX_VALUE_LOAD(*value, pmix_local_peers.c_str(), PMIX_STRING);
  } else {
    launcher_traffic.add(name.size(), sizeof(std::uint32_t));
    const std::uint32_t number = name == PMIX_JOB_SIZE ? pmix_size : 0;
    PMIX_VALUE_LOAD(*value, &number, PMIX_UINT32);
  }
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Get_nb(const pmix_proc_t *proc, const char *key, const pmix_info_t *info, size_t count,
                                 pmix_value_cbfunc_t done, void *user);
pmix_status_t __wrap_PMIx_Get_nb(const pmix_proc_t *proc, const char *key, const pmix_info_t *info, size_t count,
                                 pmix_value_cbfunc_t done, void *user) {
  if (delays_pmix_gets) {
    delayed.emplace_back(done, user);
    return PMIX_SUCCESS;
  }
  pmix_value_t *value = nullptr;
  const pmix_status_t status = __wrap_PMIx_Get(proc, key, info, count, &value);
  if (status == PMIX_SUCCESS || status == PMIX_ERR_NOT_FOUND) {
    done(status, value, user);
    const Outside outside;
    if (value != nullptr) {
      PMIX_VALUE_RELEASE(value);
    }
    return PMIX_SUCCESS;
  }
  return status;
}

pmix_status_t __wrap_PMIx_Put(pmix_scope_t scope, const char *key, pmix_value_t *value);
pmix_status_t __wrap_PMIx_Put(pmix_scope_t /*scope*/, const char *key, pmix_value_t *value) {
  if (fails("PMIx_Put")) {
    return PMIX_ERR_NOMEM;
  }
  const Outside outside;
  const bool is_card = value->type == PMIX_BYTE_OBJECT;
  launcher_traffic.add(std::string(key).size() + (is_card ? value->data.bo.size : sizeof(bool)), 0);
  if (is_card) {
    values[key].assign(value->data.bo.bytes, value->data.bo.size);
  }
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Commit();
pmix_status_t __wrap_PMIx_Commit() { return fails("PMIx_Commit") ? PMIX_ERR_UNREACH : PMIX_SUCCESS; }

pmix_status_t __wrap_PMIx_Fence_nb(const pmix_proc_t *procs, size_t proc_count, const pmix_info_t *info, size_t count,
                                   pmix_op_cbfunc_t done, void *user);
pmix_status_t __wrap_PMIx_Fence_nb(const pmix_proc_t * /*procs*/, size_t /*proc_count*/, const pmix_info_t * /*info*/,
                                   size_t /*count*/, pmix_op_cbfunc_t done, void *user) {
  if (fails("PMIx_Fence_nb")) {
    return PMIX_ERR_UNREACH;
  }
  launcher_traffic.add(0, 0);
  done(fails("fence") ? PMIX_ERR_LOST_CONNECTION : PMIX_SUCCESS, user);
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Register_event_handler(pmix_status_t *codes, size_t code_count, pmix_info_t *info,
                                                 size_t count, pmix_notification_fn_t handler,
                                                 pmix_hdlr_reg_cbfunc_t done, void *user);
pmix_status_t __wrap_PMIx_Register_event_handler(pmix_status_t * /*codes*/, size_t /*code_count*/,
                                                 pmix_info_t * /*info*/, size_t /*count*/,
                                                 pmix_notification_fn_t /*handler*/, pmix_hdlr_reg_cbfunc_t /*done*/,
                                                 void * /*user*/) {
  return fails("PMIx_Register_event_handler") ? PMIX_ERR_NOT_SUPPORTED : 1;
}

pmix_status_t __wrap_PMIx_Deregister_event_handler(size_t handler, pmix_op_cbfunc_t done, void *user);
pmix_status_t __wrap_PMIx_Deregister_event_handler(size_t /*handler*/, pmix_op_cbfunc_t /*done*/, void * /*user*/) {
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Spawn_nb(const pmix_info_t *info, size_t count, const pmix_app_t *apps, size_t app_count,
                                   pmix_spawn_cbfunc_t done, void *user);
// Refused by the call, or by the server's answer.
pmix_status_t __wrap_PMIx_Spawn_nb(const pmix_info_t * /*info*/, size_t /*count*/, const pmix_app_t * /*apps*/,
                                   size_t /*app_count*/, pmix_spawn_cbfunc_t done, void *user) {
  if (fails("PMIx_Spawn_nb")) {
    return PMIX_ERR_NOT_SUPPORTED;
  }
  char job[] = "spawned";
  done(starts_pmix_jobs ? PMIX_SUCCESS : PMIX_ERR_JOB_FAILED_TO_MAP, starts_pmix_jobs ? job : nullptr, user);
  return PMIX_SUCCESS;
}

pmix_status_t __wrap_PMIx_Query_info(pmix_query_t *queries, size_t query_count, pmix_info_t **results, size_t *count);
pmix_status_t __wrap_PMIx_Query_info(pmix_query_t * /*queries*/, size_t /*query_count*/, pmix_info_t **results,
                                     size_t *count) {
  if (pmix_processes.empty()) {
    return PMIX_ERR_NOT_SUPPORTED;
  }
  const Outside outside;
  PMIX_INFO_CREATE(*results, 1);
  *count = 1;
  pmix_value_t &table = (*results)->value;
  table.type = PMIX_DATA_ARRAY;
  PMIX_DATA_ARRAY_CREATE(table.data.darray, pmix_processes.size(), PMIX_PROC_INFO);
  auto *row = static_cast<pmix_proc_info_t *>(table.data.darray->array);
  for (const PmixProcess &process : pmix_processes) {
    row->proc.rank = process.rank;
    row->state = process.has_died ? PMIX_PROC_STATE_ABORTED : PMIX_PROC_STATE_RUNNING;
    ++row;
  }
  return PMIX_SUCCESS;
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl51-cpp)
