# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# The libraries that the device can use, and its transports: this list is the only one. A library
# that is missing disables its part, with a warning. A transport NAME of a KIND (netmod or shmmod)
# lies in <KIND>/<NAME>/, whose <NAME>.h declares avrm_<KIND>_<NAME>(), which returns its
# operations. AVRM_HAVE_<NAME> and AVRM_HAVE_<library> are 1 or 0; a library that was found is
# PkgConfig::<module>.
find_package(PkgConfig)
find_package(Threads REQUIRED)

# avrm_find_library(<name> <pkg-config module> <Debian package> <consequence>)
macro(avrm_find_library name module package consequence)
  set(AVRM_HAVE_${name} 0)
  if(PkgConfig_FOUND)
    pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
  endif()
  if(${module}_FOUND)
    set(AVRM_HAVE_${name} 1)
    message(STATUS "Device: found ${module} ${${module}_VERSION}")
    list(APPEND avrm_device_modules ${module})
  else()
    message(WARNING "Device: ${module} not found by pkg-config: ${consequence} (Debian and Ubuntu: ${package})")
  endif()
endmacro()

# avrm_transport(<kind> <name>): one that this build has. The device prefers those that
# are listed first.
macro(avrm_transport kind name)
  # What binds the fast path to a netmod is installed, as avrankmap/netmod/<name>/<file>.
  file(GLOB avrm_binding_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${kind}/${name}/*_fast.h
       ${PROJECT_SOURCE_DIR}/${kind}/${name}/*_net.h
  )
  foreach(header IN LISTS avrm_binding_headers)
    cmake_path(GET header FILENAME file)
    configure_file(${header} ${PROJECT_BINARY_DIR}/include/avrankmap/${kind}/${name}/${file} COPYONLY)
  endforeach()
  list(APPEND avrm_transports ${kind}/${name})
  string(APPEND avrm_transport_includes "#include \"${kind}/${name}/${name}.h\"\n")
  string(APPEND avrm_${kind}_list " X(${name})")
endmacro()

set(avrm_device_modules "")
set(avrm_transports "")
set(avrm_transport_includes "")
set(avrm_netmod_list "")
set(avrm_shmmod_list "")

avrm_find_library(PMIX pmix libpmix-dev "jobs can be launched by forking only")
include(${CMAKE_CURRENT_LIST_DIR}/AvrmPmi2.cmake)
set(AVRM_HAVE_PMI2 0)
if(TARGET avrankmap_pmi2)
  set(AVRM_HAVE_PMI2 1)
  message(STATUS "Device: found pmi2 (${AVRM_PMI2_LIBRARY})")
else()
  message(
    WARNING "Device: pmi2 not found (AVRM_PMI2_LIBRARY, AVRM_PMI2_INCLUDE_DIR): jobs of mpiexec.hydra and "
            "srun --mpi=pmi2 cannot be joined (Debian and Ubuntu: libpmi2-0-dev)"
  )
endif()
avrm_find_library(SODIUM libsodium libsodium-dev "ports and spawning are not available")
avrm_find_library(HWLOC hwloc libhwloc-dev "topologies cannot be opened")

avrm_find_library(OFI libfabric libfabric-dev "the ofi netmod is not built")
if(AVRM_HAVE_OFI)
  avrm_transport(netmod ofi)
endif()
avrm_find_library(UCX ucx libucx-dev "the ucx netmod is not built")
if(AVRM_HAVE_UCX)
  avrm_transport(netmod ucx)
endif()
avrm_transport(netmod null)
set(AVRM_HAVE_POSIX 0)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(AVRM_HAVE_POSIX 1)
  avrm_transport(shmmod posix)
endif()

# What the registry of transports includes.
configure_file(cmake/transport_list.h.in ${PROJECT_BINARY_DIR}/generated/transport_list.h @ONLY)
