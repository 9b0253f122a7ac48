# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Release, the default type, is -O2 -DNDEBUG rather than CMake's -O3 -DNDEBUG: MPI libraries are built
# with -O2 (Autoconf's default), so the instruction counts of the inline paths must hold there.
# RelWithDebInfo generates the same code with debug information, and takes half as long again.
foreach(lang IN ITEMS C CXX)
  if(NOT DEFINED CMAKE_${lang}_FLAGS_RELEASE)
    set(CMAKE_${lang}_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "Flags for ${lang} in a Release build")
  endif()
endforeach()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
