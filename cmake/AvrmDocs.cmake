# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# cmake --build <build folder> --target docs: the contracts of the public headers as HTML. A
# warning is an error.
find_program(AVRM_DOXYGEN doxygen)
if(AVRM_DOXYGEN)
  configure_file(cmake/Doxyfile.in Doxyfile @ONLY)
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E rm -rf docs
    COMMAND ${AVRM_DOXYGEN} Doxyfile
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Writing docs/html/index.html"
    VERBATIM
  )
endif()
