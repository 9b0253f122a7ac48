# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Run by CPack on the files of a package: removes the debugging symbols from the archives, as
# Debian's dh_strip does.
file(GLOB_RECURSE archives "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.a")
if(archives AND CPACK_AVRANKMAP_STRIP)
  execute_process(
    COMMAND ${CPACK_AVRANKMAP_STRIP} --strip-debug --remove-section=.comment --enable-deterministic-archives ${archives}
    COMMAND_ERROR_IS_FATAL ANY
  )
endif()
