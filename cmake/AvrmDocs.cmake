# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# cmake --build <build folder> --target docs: the contracts of the public headers as HTML and as
# manual pages, which `cmake --install` installs if they are there. A warning is an error.
find_program(AVRM_DOXYGEN doxygen)
find_package(Python3 COMPONENTS Interpreter QUIET)
if(AVRM_DOXYGEN AND Python3_FOUND)
  configure_file(cmake/Doxyfile.in Doxyfile @ONLY)
  set(avrm_man_pages
      ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/man_pages.py docs/xml ${PROJECT_VERSION}
      ${PROJECT_SOURCE_DIR}/include:${PROJECT_BINARY_DIR}/include
  )
  add_custom_target(
    docs
    COMMAND ${CMAKE_COMMAND} -E rm -rf docs
    COMMAND ${AVRM_DOXYGEN} Doxyfile
    COMMAND ${avrm_man_pages} docs/man
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Writing docs/html/index.html and docs/man"
    VERBATIM
  )
else()
  message(STATUS "doxygen or python3 not found: there is no target docs")
endif()
