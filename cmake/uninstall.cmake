# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Usage: cmake -P uninstall.cmake MANIFEST
# Removes the files that an installation has listed in MANIFEST, below DESTDIR if that is set, and
# those of our folders that are then empty. Files that are not there are passed over.
set(manifest ${CMAKE_ARGV3})
if(NOT EXISTS ${manifest})
  message(FATAL_ERROR "There is no ${manifest}: nothing has been installed from this build folder")
endif()
file(STRINGS ${manifest} files)
set(folders "")
foreach(file IN LISTS files)
  set(file "$ENV{DESTDIR}${file}")
  message(STATUS "Removing ${file}")
  file(REMOVE "${file}")
  # All folders of ours have the library's name, or are below one that has.
  cmake_path(GET file PARENT_PATH folder)
  while(folder MATCHES "/avrankmap[^/]*(/|$)")
    list(APPEND folders ${folder})
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()

list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # the inner folders first
foreach(folder IN LISTS folders)
  file(GLOB rest ${folder}/*)
  if(NOT rest)
    file(REMOVE_RECURSE ${folder})
  endif()
endforeach()
