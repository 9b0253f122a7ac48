# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# avrm_shared_library(<target> <version script>)
# Makes a library of ours a shared one, if BUILD_SHARED_LIBS says so. Until 1.0 minor versions may
# change the ABI, so both numbers are in the SONAME.
function(avrm_shared_library target script)
  if(NOT BUILD_SHARED_LIBS)
    return()
  endif()
  set_target_properties(
    ${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                         INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${script}
  )
  target_link_options(${target} PRIVATE LINKER:--version-script=${script},-z,defs)
endfunction()
