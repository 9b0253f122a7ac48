# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Options and flags for those who work on avrankmap itself. They exist only when this is the
# top-level project, and never reach a consumer: they are applied target by target as PRIVATE, so
# nothing enters the exported targets, and whoever builds us as a subdirectory gets no warning
# flags, no tests and no benchmarks.
if(PROJECT_IS_TOP_LEVEL)
  option(AVRM_WERROR "Treat warnings as errors" ON)
  set(avrm_build_tests ON)
  if(BUILD_SHARED_LIBS)
    set(avrm_build_tests OFF)
  endif()
  option(AVRM_BUILD_TESTS "Build the tests" ${avrm_build_tests})
  option(AVRM_BUILD_BENCH "Build the benchmarks" OFF)
  option(AVRM_COUNT_INSTRUCTIONS "Count instructions in the tests, without sanitizers" ON)
  option(AVRM_BUILD_PAPERS "Build the experiments of the papers (bench/paper); needs AVRM_BUILD_BENCH" OFF)
  option(AVRM_CHECK_BENCH "Do not optimise benchmarks, tools and papers: for tests, not to measure" OFF)
  option(AVRM_BUILD_TOOLS "Build and install avrm-plan and avrm-survey (bench/tools)" OFF)
  option(AVRM_SHARE_TESTS "A few tests of ctest share those of each program: quicker, where all of them are run" ON)
  option(AVRM_COVERAGE "Programs of the tests count what they reach, in forked processes too (profiles/coverage.cmake)" OFF)
  option(AVRM_PRECOMPILE "Precompile headers of the standard library for the sources of the library" OFF)
  set(AVRM_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize: address,undefined or thread")
  set_property(CACHE AVRM_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")
endif()

# Where the headers of the library that users do not see lie.
set(avrm_internal_folders ${PROJECT_SOURCE_DIR}/src/component ${PROJECT_SOURCE_DIR}/src/device)

# Applies the developer flags to one of our own targets.
function(avrm_developer_flags target)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic)
  # Valgrind 3.19 gives up on the DWARF 5 that clang writes.
  target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:Clang>:-fdebug-default-version=4>)
  # Gcc 12 warns of coroutines without optimisation, wrongly.
  target_compile_options(
    ${target} PRIVATE $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Debug>>:-Wno-mismatched-new-delete>
  )
  if(AVRM_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(AVRM_SANITIZE)
    # Without -fno-sanitize-recover undefined behaviour is only printed, and a test
    # would still pass.
    target_compile_options(
      ${target} PRIVATE -fsanitize=${AVRM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    target_link_options(${target} PRIVATE -fsanitize=${AVRM_SANITIZE})
    # Clang 14 puts what this check needs where a coroutine's parts cannot refer to it ("difference
    # across sections").
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>)
    # Callers in C may pass any number where an enumeration is due, which is refused.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=enum>)
    # The instrumentation makes gcc take initialised variables for uninitialised ones (gcc's
    # manual, -fsanitize).
    target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# avrm_embedded_library(<target>)
# One of our own archives, which end up in a shared object: position independent, nothing
# visible, C++20. In a shared library of ours a version script hides all that is not public
# (AvrmShared.cmake), and no program may replace our functions.
function(avrm_embedded_library target)
  set_target_properties(
    ${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
  )
  if(BUILD_SHARED_LIBS)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  else()
    set_target_properties(
      ${target} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    )
  endif()
  avrm_developer_flags(${target})
  if(AVRM_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/src/component/base/standard_headers.h>)
  endif()
endfunction()

# avrm_add_transport(<kind> <name> SOURCES <file>... [LIBRARIES <target>...]) A transport as an
# archive avrm_<kind>_<name>, whose objects the device takes in. Its headers are included as
# "<name>/x.h". It sees the public headers and the folders base only (tests/structure.sh checks
# that).
function(avrm_add_transport kind name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBRARIES")
  set(target avrm_${kind}_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/${kind} PRIVATE ${avrm_internal_folders})
  target_link_libraries(${target} PUBLIC avrankmap::avrankmap PRIVATE ${arg_LIBRARIES})
  avrm_embedded_library(${target})
endfunction()

# Makes a library or program of tests and bench ours: C++20 or C11 without extensions, developer
# flags, linked with avrankmap. It sees the internals of src/ and names files from the top of the
# project ("tests/headers/x.h").
function(avrm_own_target target)
  set_target_properties(
    ${target}
    PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
  )
  target_include_directories(${target} PRIVATE ${avrm_internal_folders} ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC avrankmap::avrankmap ${ARGN})
  avrm_developer_flags(${target})
endfunction()

# avrm_add_library(<name> SOURCES <file>... [LIBRARIES <target>...]) Code that several programs
# of bench share. Its headers are included relative to that folder.
function(avrm_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/bench)
  avrm_own_target(${name} ${arg_LIBRARIES})
endfunction()

# avrm_add_executable(<name> SOURCES <file>... [LIBRARIES <target>...])
function(avrm_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  avrm_own_target(${name} ${arg_LIBRARIES})
  if(AVRM_COVERAGE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/coverage_exit.c)
    set_source_files_properties(
      ${PROJECT_SOURCE_DIR}/tests/support/coverage_exit.c PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    )
    target_link_options(${name} PRIVATE LINKER:--wrap=_exit,--wrap=_Exit)
  endif()
endfunction()

# avrm_do_not_optimise() What this folder builds from here on compiles in half of the time. For tests
# that mostly wait, or whose subject is in the library.
function(avrm_do_not_optimise)
  add_compile_options(-O0 $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-mismatched-new-delete>)
endfunction()

# avrm_precompile(<header> <target>...) C++ files of the targets see what the header includes. It is
# compiled once for all targets of folders with the same flags.
function(avrm_precompile header)
  get_directory_property(flags COMPILE_OPTIONS)
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.c$")
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    get_property(first GLOBAL PROPERTY "avrm_precompiled ${header} ${flags}")
    if(first)
      target_precompile_headers(${target} REUSE_FROM ${first})
    else()
      target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${header})
      set_property(GLOBAL PROPERTY "avrm_precompiled ${header} ${flags}" ${target})
    endif()
  endforeach()
endfunction()

# avrm_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABEL <label>] [SHARDS <number>])
# A GoogleTest program; each of its tests becomes a test of ctest with the label: unit (the default)
# or slow. One label, because gtest_discover_tests() cannot hand on a list. Most tests take less
# time than their program takes to start, above all with a sanitizer or libfabric: with
# AVRM_SHARE_TESTS, SHARDS tests of ctest share them (3 if it does not say; none with 0), and the
# variable GTEST_FILTER chooses among them. Needs find_package(GTest) and include(GoogleTest).
function(avrm_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;SHARDS" "SOURCES;LIBRARIES")
  avrm_add_executable(${name} SOURCES ${arg_SOURCES} LIBRARIES GTest::gtest_main ${arg_LIBRARIES})
  # GoogleTest's header and the standard library's are half of what a test takes to compile.
  avrm_precompile(tests/support/test_headers.h ${name})

  if(NOT DEFINED arg_SHARDS)
    set(arg_SHARDS 3)
  endif()
  set(properties LABELS unit TIMEOUT 600)
  if(arg_LABEL STREQUAL "slow")
    set(properties LABELS slow TIMEOUT 3600)
  endif()
  if(AVRM_TEST_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT ${AVRM_TEST_ENVIRONMENT})
  endif()
  if(AVRM_SHARE_TESTS AND arg_SHARDS)
    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${name}.${shard} COMMAND ${name})
      set_tests_properties(${name}.${shard} PROPERTIES ${properties} TIMEOUT 1800)
      set_property(
        TEST ${name}.${shard} APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${shard}
      )
    endforeach()
    return()
  endif()
  gtest_discover_tests(
    ${name}
    NO_PRETTY_VALUES
    # Listing the tests takes milliseconds, but a loaded machine or a sanitizer must not
    # fail the build.
    DISCOVERY_TIMEOUT 120
    PROPERTIES ${properties}
  )
endfunction()
