// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/device/topo.h"

#include "base/fnv.h"

#include <hwloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

struct avrm_topo {
  avrm_topo() = default;
  avrm_topo(const avrm_topo &) = delete;
  avrm_topo &operator=(const avrm_topo &) = delete;
  ~avrm_topo() {
    if (hwloc != nullptr) {
      hwloc_topology_destroy(hwloc);
    }
  }

  hwloc_topology_t hwloc = nullptr;
  std::uint32_t machine = 0;
};

namespace avrankmap::detail {

namespace {

struct BitmapFreer {
  void operator()(hwloc_bitmap_s *bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFreer>;

// Hashes the host's name and, for the topology of this machine, the kernel's boot id, because
// several hosts may have the same name. Returns AVRM_ERR_SYSTEM if the id cannot be read for lack
// of descriptors or memory, because a hash without it would denote another machine.
avrm_status_t learn_machine(hwloc_topology_t topology, std::uint32_t *machine_p) noexcept {
  const char *const name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "HostName");
  if (name == nullptr) {
    return AVRM_OK;
  }
  char boot_id[64] = "";
  if (hwloc_topology_is_thissystem(topology) != 0) {
    if (std::FILE *const file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
      (void)!std::fgets(boot_id, sizeof boot_id, file);
      (void)std::fclose(file);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
      return AVRM_ERR_SYSTEM;
    }
  }
  *machine_p = fnv_32(boot_id, fnv_32(name));
  return AVRM_OK;
}

bool type_of(avrm_domain_t domain, hwloc_obj_type_t *type_p) noexcept {
  switch (domain) {
  case AVRM_DOMAIN_L3: *type_p = HWLOC_OBJ_L3CACHE; return true;
  case AVRM_DOMAIN_NUMA: *type_p = HWLOC_OBJ_NUMANODE; return true;
  case AVRM_DOMAIN_PACKAGE: *type_p = HWLOC_OBJ_PACKAGE; return true;
  case AVRM_DOMAIN_MACHINE: *type_p = HWLOC_OBJ_MACHINE; return true;
  }
  return false; // a C caller can put any number into an enum
}

// Returns the first object of this type that contains all of these CPUs; null if there is none. If
// several NUMA nodes are local to the same CPUs, hwloc lists the one of ordinary memory first.
hwloc_obj_t holder(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus) noexcept {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
    if (hwloc_bitmap_isincluded(cpus, object->cpuset) != 0) {
      return object;
    }
  }
  return nullptr;
}

std::int32_t index_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus) noexcept {
  const hwloc_obj_t object = holder(topology, type, cpus);
  return object != nullptr ? static_cast<std::int32_t>(object->logical_index) : AVRM_TOPO_SPREAD;
}

avrm_locality_t locality_of(const avrm_topo_t *topo, hwloc_const_cpuset_t cpus) noexcept {
  return {topo->machine, index_of(topo->hwloc, HWLOC_OBJ_PACKAGE, cpus),
          index_of(topo->hwloc, HWLOC_OBJ_NUMANODE, cpus), index_of(topo->hwloc, HWLOC_OBJ_L3CACHE, cpus)};
}

// Parses the name of a type of object that contains CPUs. Returns false for any other text.
bool type_of(const char *kind, hwloc_obj_type_t *type_p) noexcept {
  constexpr char kScheme[] = "hwloc://";
  const std::size_t prefix = sizeof kScheme - 1;
  const char *const name = std::strncmp(kind, kScheme, prefix) == 0 ? kind + prefix : kind;
  return hwloc_type_sscanf(name, type_p, nullptr, 0) == 0 &&
         (hwloc_obj_type_is_normal(*type_p) != 0 || *type_p == HWLOC_OBJ_NUMANODE);
}

// Makes a set of the CPUs with these system numbers.
avrm_status_t cpus_of_numbers(const avrm_topo_t *topo, const uint32_t *cpus, size_t count, Bitmap *set_p) noexcept {
  if (count == 0) {
    return AVRM_ERR_SIZE;
  }
  Bitmap set(hwloc_bitmap_alloc());
  if (set == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (size_t i = 0; i < count; ++i) {
    if (hwloc_get_pu_obj_by_os_index(topo->hwloc, cpus[i]) == nullptr) {
      return AVRM_ERR_OPTION;
    }
    if (hwloc_bitmap_set(set.get(), cpus[i]) != 0) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  *set_p = std::move(set);
  return AVRM_OK;
}

// Makes a set of the CPUs that a process of this machine may run on and that the topology contains.
avrm_status_t cpus_of_process(const avrm_topo_t *topo, std::int32_t pid, Bitmap *cpus_p) noexcept {
  if (!avrm_topo_is_this_machine(topo)) {
    return AVRM_ERR_UNSUPPORTED;
  }
  Bitmap cpus(hwloc_bitmap_alloc());
  if (cpus == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const int rc = pid == 0 ? hwloc_get_cpubind(topo->hwloc, cpus.get(), HWLOC_CPUBIND_PROCESS)
                          : hwloc_get_proc_cpubind(topo->hwloc, pid, cpus.get(), HWLOC_CPUBIND_PROCESS);
  if (rc != 0) {
    return AVRM_ERR_SYSTEM;
  }
  hwloc_bitmap_and(cpus.get(), cpus.get(), hwloc_topology_get_topology_cpuset(topo->hwloc));
  if (hwloc_bitmap_iszero(cpus.get()) != 0) {
    return AVRM_ERR_SYSTEM;
  }
  *cpus_p = std::move(cpus);
  return AVRM_OK;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_topo_open(const char *description, avrm_topo_t **topo_p) noexcept {
  if (topo_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  std::unique_ptr<avrm_topo> topo(new (std::nothrow) avrm_topo);
  if (topo == nullptr || hwloc_topology_init(&topo->hwloc) != 0) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (description != nullptr && hwloc_topology_set_synthetic(topo->hwloc, description) != 0) {
    return errno == ENOMEM ? AVRM_ERR_NO_MEMORY : AVRM_ERR_OPTION;
  }
  if (hwloc_topology_load(topo->hwloc) != 0) {
    return errno == ENOMEM ? AVRM_ERR_NO_MEMORY : AVRM_ERR_SYSTEM;
  }
  const avrm_status_t status = learn_machine(topo->hwloc, &topo->machine);
  if (status == AVRM_OK) {
    *topo_p = topo.release();
  }
  return status;
}

void avrm_topo_close(avrm_topo_t *topo) noexcept { delete topo; }

bool avrm_topo_is_this_machine(const avrm_topo_t *topo) noexcept {
  return topo != nullptr && hwloc_topology_is_thissystem(topo->hwloc) != 0;
}

uint32_t avrm_topo_machine(const avrm_topo_t *topo) noexcept { return topo != nullptr ? topo->machine : 0; }

int32_t avrm_topo_count(const avrm_topo_t *topo, avrm_domain_t domain) noexcept {
  hwloc_obj_type_t type = HWLOC_OBJ_MACHINE;
  if (topo == nullptr || !type_of(domain, &type)) {
    return 0;
  }
  return hwloc_get_nbobjs_by_type(topo->hwloc, type);
}

avrm_status_t avrm_topo_cpus(const avrm_topo_t *topo, const uint32_t *cpus, size_t count,
                             avrm_locality_t *locality_p) noexcept {
  if (topo == nullptr || cpus == nullptr || locality_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  Bitmap set;
  const avrm_status_t status = cpus_of_numbers(topo, cpus, count, &set);
  if (status == AVRM_OK) {
    *locality_p = locality_of(topo, set.get());
  }
  return status;
}

avrm_status_t avrm_topo_object_of_cpus(const avrm_topo_t *topo, const char *kind, const uint32_t *cpus, size_t count,
                                       int32_t *index_p) noexcept {
  if (topo == nullptr || kind == nullptr || cpus == nullptr || index_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  hwloc_obj_type_t type = HWLOC_OBJ_MACHINE;
  if (!type_of(kind, &type)) {
    return AVRM_ERR_OPTION;
  }
  Bitmap set;
  const avrm_status_t status = cpus_of_numbers(topo, cpus, count, &set);
  if (status == AVRM_OK) {
    *index_p = index_of(topo->hwloc, type, set.get());
  }
  return status;
}

avrm_status_t avrm_topo_object_of_process(const avrm_topo_t *topo, const char *kind, int32_t pid,
                                          int32_t *index_p) noexcept {
  if (topo == nullptr || kind == nullptr || index_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  hwloc_obj_type_t type = HWLOC_OBJ_MACHINE;
  if (!type_of(kind, &type)) {
    return AVRM_ERR_OPTION;
  }
  Bitmap cpus;
  const avrm_status_t status = cpus_of_process(topo, pid, &cpus);
  if (status == AVRM_OK) {
    *index_p = index_of(topo->hwloc, type, cpus.get());
  }
  return status;
}

avrm_status_t avrm_topo_process(const avrm_topo_t *topo, int32_t pid, avrm_locality_t *locality_p) noexcept {
  if (topo == nullptr || locality_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  Bitmap cpus;
  const avrm_status_t status = cpus_of_process(topo, pid, &cpus);
  if (status == AVRM_OK) {
    *locality_p = locality_of(topo, cpus.get());
  }
  return status;
}

avrm_status_t avrm_topo_bind_av(const avrm_topo_t *topo, avrm_av_options_t *options) noexcept {
  if (topo == nullptr || options == nullptr) {
    return AVRM_ERR_NULL;
  }
  Bitmap cpus;
  if (const avrm_status_t status = cpus_of_process(topo, 0, &cpus); status != AVRM_OK) {
    return status;
  }
  const hwloc_obj_t node = holder(topo->hwloc, HWLOC_OBJ_NUMANODE, cpus.get());
  if (node == nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  options->numa_node = node->os_index;
  options->bind_numa = true;
  return AVRM_OK;
}
