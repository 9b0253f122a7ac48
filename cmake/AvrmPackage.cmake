# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# In the build folder: cpack -G DEB makes a Debian package of what `cmake --install` installs, and
# the target package_source a tarball of the sources.
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_VENDOR "The avrankmap authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")

# The tarball has the files of the repository, and no build folder.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME avrankmap-${PROJECT_VERSION})
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" avrm_top "${PROJECT_SOURCE_DIR}")
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" avrm_build "${PROJECT_BINARY_DIR}")
set(CPACK_SOURCE_IGNORE_FILES
    "^${avrm_build}/" "^${avrm_top}/(build|paper-results)/" "^${avrm_top}/\\.git(/|$)" "\\.(btr|orig|rej|swp)$" "~$"
)

# The Debian package needs the development packages of the libraries that the device was built with,
# since it is linked against them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libavrankmap-dev)
set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR} <maintainers@avrankmap.invalid>"
    CACHE STRING "Maintainer of the packages, as \"Name <address>\""
)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(avrm_debian_packages "")
if(AVRM_BUILD_DEVICE)
  foreach(entry IN ITEMS OFI.libfabric-dev UCX.libucx-dev PMIX.libpmix-dev
                       PMI2.libpmi2-0-dev HWLOC.libhwloc-dev SODIUM.libsodium-dev)
    cmake_path(GET entry STEM name)
    string(REGEX REPLACE "^[A-Z]+\\." "" package ${entry})
    if(AVRM_HAVE_${name})
      list(APPEND avrm_debian_packages ${package})
    endif()
  endforeach()
endif()
if(AVRM_BUILD_TOOLS)
  list(APPEND avrm_debian_packages libfmt-dev)
endif()
list(JOIN avrm_debian_packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)

# CPack strips programs and shared libraries. Of archives only the debugging symbols may go, and
# CPack leaves them alone.
set(CPACK_STRIP_FILES ON)
set(CPACK_AVRANKMAP_STRIP "${CMAKE_STRIP}")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/strip_archives.cmake")

# /usr/share/doc/<package>/copyright, where Debian has the license of each package.
configure_file(${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_BINARY_DIR}/debian/copyright COPYONLY)
set(CPACK_INSTALLED_DIRECTORIES "${PROJECT_BINARY_DIR}/debian" usr/share/doc/${CPACK_PACKAGE_NAME})
include(CPack)
