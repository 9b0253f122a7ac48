# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# A Debian package of what `cmake --install` installs: cpack -G DEB in the build folder. It
# needs the development packages of the libraries that the device was built with, since it is
# linked against them.
set(CPACK_PACKAGE_NAME libavrankmap-dev)
set(CPACK_PACKAGE_VENDOR "The avrankmap authors")
set(CPACK_PACKAGE_CONTACT "The avrankmap authors <avrankmap@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF) # archives without their symbols are of no use
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(avrm_debian_packages "")
if(AVRM_BUILD_DEVICE)
  foreach(entry IN ITEMS OFI.libfabric-dev UCX.libucx-dev PMIX.libpmix-dev HWLOC.libhwloc-dev SODIUM.libsodium-dev)
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
set(CPACK_GENERATOR DEB)
include(CPack)
