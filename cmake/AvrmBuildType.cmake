# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Release, when nothing else is asked for, is -O2 -g -DNDEBUG rather than CMake's -O3 -DNDEBUG: -O2
# is what MPI libraries are built with (Autoconf's default), so it is the level at which the
# instruction counts of the inline paths must hold, and debug information costs nothing at run time
# but lets callgrind and objdump name the source line.
foreach(lang IN ITEMS C CXX)
  if(NOT DEFINED CMAKE_${lang}_FLAGS_RELEASE)
    set(CMAKE_${lang}_FLAGS_RELEASE "-O2 -g -DNDEBUG" CACHE STRING "Flags for ${lang} in a Release build")
  endif()
endforeach()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
