# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# What the device can use of this system. A library that is missing disables its part: AVRM_HAVE_OFI, AVRM_HAVE_UCX,
# AVRM_HAVE_PMIX, AVRM_HAVE_HWLOC and AVRM_HAVE_POSIX are 1 or 0, and the targets are PkgConfig::libfabric,
# PkgConfig::ucx, PkgConfig::pmix and PkgConfig::hwloc.
find_package(PkgConfig)
find_package(Threads REQUIRED)

# avrm_find_transport(<variable> <pkg-config module> <Debian package> <consequence>)
macro(avrm_find_transport variable module package consequence)
  set(${variable} 0)
  if(PkgConfig_FOUND)
    pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
  endif()
  if(${module}_FOUND)
    set(${variable} 1)
    message(STATUS "Device: found ${module} ${${module}_VERSION}")
  else()
    message(WARNING "Device: ${module} not found by pkg-config: ${consequence} (Debian and Ubuntu: ${package})")
  endif()
endmacro()

avrm_find_transport(AVRM_HAVE_OFI libfabric libfabric-dev "the ofi netmod is not built")
avrm_find_transport(AVRM_HAVE_UCX ucx libucx-dev "the ucx netmod is not built")
avrm_find_transport(AVRM_HAVE_PMIX pmix libpmix-dev "jobs can be launched by forking only")
avrm_find_transport(AVRM_HAVE_HWLOC hwloc libhwloc-dev "topologies cannot be opened")
set(AVRM_HAVE_POSIX 0)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(AVRM_HAVE_POSIX 1)
endif()
