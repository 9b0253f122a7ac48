# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# What `cmake --install` installs, and the CMake package, which also works straight from the build
# tree (-Davrankmap_DIR=<build folder>).
include(CMakePackageConfigHelpers)

set(avrm_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/avrankmap)

install(TARGETS avrankmap EXPORT avrankmap-targets DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(avrm_left_out "")
set(avrm_pc_transports "")
# What a program that links the device needs as well.
set(avrm_linked_modules "")
if(AVRM_BUILD_DEVICE)
  # An export of its own: who wants the component alone need not have the device's libraries.
  install(TARGETS avrankmap_device EXPORT avrankmap-device-targets DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(NOT BUILD_SHARED_LIBS)
    set(avrm_linked_modules ${avrm_device_modules})
  endif()
  foreach(module IN LISTS avrm_linked_modules)
    list(APPEND avrm_pc_transports ${${module}_LDFLAGS})
  endforeach()
  if(AVRM_HAVE_PMI2)
    cmake_path(GET AVRM_PMI2_LIBRARY PARENT_PATH avrm_pmi2_folder)
    if(NOT avrm_pmi2_folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND avrm_pc_transports -L${avrm_pmi2_folder})
    endif()
    list(APPEND avrm_pc_transports -lpmi2)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/AvrmPmi2.cmake ${PROJECT_BINARY_DIR}/AvrmPmi2.cmake COPYONLY)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/AvrmPmi2.cmake DESTINATION ${avrm_cmake_dir})
  endif()
  list(JOIN avrm_pc_transports " " avrm_pc_transports)
else()
  set(avrm_left_out PATTERN device.h EXCLUDE PATTERN device EXCLUDE)
endif()
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/avrankmap ${PROJECT_BINARY_DIR}/include/avrankmap
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" ${avrm_left_out}
)

# What find_package can be asked for.
set(avrm_components "")
if(AVRM_BUILD_DEVICE)
  list(TRANSFORM avrm_transports REPLACE "^.*/" "" OUTPUT_VARIABLE avrm_components)
  list(PREPEND avrm_components device)
  foreach(name IN ITEMS PMIX PMI2 HWLOC SODIUM)
    if(AVRM_HAVE_${name})
      string(TOLOWER ${name} component)
      list(APPEND avrm_components ${component})
    endif()
  endforeach()
endif()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/avrankmap-config.cmake.in ${PROJECT_BINARY_DIR}/avrankmap-config.cmake
  INSTALL_DESTINATION ${avrm_cmake_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO
)
# Inline functions bake the layout of our structures into the consumer, so before 1.0 a new minor
# version may not stand in for an older one.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/avrankmap-config-version.cmake COMPATIBILITY SameMinorVersion
)
install(
  FILES ${PROJECT_BINARY_DIR}/avrankmap-config.cmake ${PROJECT_BINARY_DIR}/avrankmap-config-version.cmake
  DESTINATION ${avrm_cmake_dir}
)
install(EXPORT avrankmap-targets NAMESPACE avrankmap:: DESTINATION ${avrm_cmake_dir})
export(EXPORT avrankmap-targets NAMESPACE avrankmap:: FILE ${PROJECT_BINARY_DIR}/avrankmap-targets.cmake)
if(AVRM_BUILD_DEVICE)
  install(EXPORT avrankmap-device-targets NAMESPACE avrankmap:: DESTINATION ${avrm_cmake_dir})
  export(
    EXPORT avrankmap-device-targets NAMESPACE avrankmap:: FILE ${PROJECT_BINARY_DIR}/avrankmap-device-targets.cmake
  )
endif()

# avrankmap.pc: an absolute folder is used as it is; a relative one is joined to a prefix that
# pkg-config derives from where it found the file, so that the installed tree can be moved.
# cmake_path(APPEND) does the joining.
cmake_path(APPEND avrm_pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND avrm_pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(avrm_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH avrm_pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(avrm_pc_prefix "\${pcfiledir}/${avrm_pc_up}")
  string(REGEX REPLACE "/$" "" avrm_pc_prefix "${avrm_pc_prefix}")
endif()
set(avrm_pc_files avrankmap.pc)
if(AVRM_BUILD_DEVICE)
  list(APPEND avrm_pc_files avrankmap-device.pc)
endif()
foreach(file IN LISTS avrm_pc_files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The examples, with a Makefile for users.
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/tests/tour/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  PATTERN CMakeLists.txt EXCLUDE PATTERN launch_test.cc EXCLUDE
)

# The target docs makes them.
install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

# Removes what this build folder has installed last. CMake has no such target.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(
    uninstall COMMAND ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake ${PROJECT_BINARY_DIR}/install_manifest.txt
    VERBATIM
  )
endif()
