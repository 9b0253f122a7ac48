// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PMI-2 without a launcher: a job of this process, whose values are kept here.
#include <pmi2.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/device/fault/launcher_traffic.h"
#include "tests/device/fault/pmi2_server.h"

using namespace avrankmap::test;

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl51-cpp): the linker's names
extern "C" {
int __wrap_PMI2_Init(int *spawned, int *size, int *rank, int *number);
int __wrap_PMI2_Init(int *spawned, int *size, int *rank, int *number) {
  if (fails("PMI2_Init")) {
    return PMI2_FAIL;
  }
  launcher_traffic.add(0, 0);
  *spawned = pmi2_is_spawned;
  *size = pmi2_size;
  *rank = pmi2_rank;
  *number = 0;
  return PMI2_SUCCESS;
}

int __wrap_PMI2_Finalize();
int __wrap_PMI2_Finalize() {
  ++pmi2_finalizes;
  return fails("PMI2_Finalize") ? PMI2_FAIL : PMI2_SUCCESS;
}

int __wrap_PMI2_Job_GetId(char *job, int room);
int __wrap_PMI2_Job_GetId(char *job, int room) {
  if (fails("PMI2_Job_GetId")) {
    return PMI2_ERR_OTHER;
  }
  launcher_traffic.add(0, 4);
  (void)std::snprintf(job, static_cast<std::size_t>(room), "test");
  return PMI2_SUCCESS;
}

int __wrap_PMI2_Info_GetJobAttr(const char *name, char *value, int room, int *found);
int __wrap_PMI2_Info_GetJobAttr(const char *name, char *value, int room, int *found) {
  if (fails("PMI2_Info_GetJobAttr")) {
    return PMI2_ERR_OTHER;
  }
  launcher_traffic.add(std::strlen(name), pmi2_mapping != nullptr ? std::strlen(pmi2_mapping) : 0);
  *found = pmi2_mapping != nullptr ? 1 : 0;
  if (pmi2_mapping != nullptr) {
    (void)std::snprintf(value, static_cast<std::size_t>(room), "%s", pmi2_mapping);
  }
  return PMI2_SUCCESS;
}

// This launcher spawns nothing.
int __wrap_PMI2_Job_Spawn(int count, const char *commands[], int word_counts[], const char **words[], const int sizes[],
                          const int info_counts[], const MPID_Info *infos[], int preput_count,
                          const MPID_Info *preput[], char *job, int room, int errors[]);
int __wrap_PMI2_Job_Spawn(int /*count*/, const char * /*commands*/[], int /*word_counts*/[], const char ** /*words*/[],
                          const int /*sizes*/[], const int /*info_counts*/[], const MPID_Info * /*infos*/[],
                          int /*preput_count*/, const MPID_Info * /*preput*/[], char * /*job*/, int /*room*/,
                          int /*errors*/[]) {
  ++pmi2_spawns;
  return PMI2_ERR_OTHER;
}

int __wrap_PMI2_KVS_Put(const char *key, const char *value);
int __wrap_PMI2_KVS_Put(const char *key, const char *value) {
  if (fails("PMI2_KVS_Put")) {
    return PMI2_ERR_OTHER;
  }
  const Outside outside;
  launcher_traffic.add(std::strlen(key) + std::strlen(value), 0);
  pmi2_values().emplace(key, value);
  return PMI2_SUCCESS;
}

int __wrap_PMI2_KVS_Fence();
int __wrap_PMI2_KVS_Fence() {
  if (fails("PMI2_KVS_Fence")) {
    return PMI2_ERR_OTHER;
  }
  if (refused_pmi2_fences != 0) {
    --refused_pmi2_fences;
    return PMI2_ERR_OTHER;
  }
  launcher_traffic.add(0, 0);
  while (holds_pmi2_fences) {
    is_pmi2_fence_held = true;
    usleep(1000);
  }
  is_pmi2_fence_held = false;
  return PMI2_SUCCESS;
}

int __wrap_PMI2_KVS_Get(const char *job, int rank, const char *key, char *value, int room, int *length);
int __wrap_PMI2_KVS_Get(const char * /*job*/, int /*rank*/, const char *key, char *value, int room, int *length) {
  if (fails("PMI2_KVS_Get")) {
    return PMI2_ERR_OTHER;
  }
  const Outside outside;
  const auto found = pmi2_values().find(key);
  launcher_traffic.add(std::strlen(key), found == pmi2_values().end() ? 0 : found->second.size());
  if (found == pmi2_values().end()) {
    return PMI2_ERR_OTHER;
  }
  (void)std::snprintf(value, static_cast<std::size_t>(room), "%s", found->second.c_str());
  const int bytes = static_cast<int>(found->second.size());
  *length = bytes < room ? bytes : -bytes;
  return PMI2_SUCCESS;
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl51-cpp)
