# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# The fast path: what it issues, and its instructions, with the flags that users have. They share a
# job with the benchmarks.
avrm_add_device_test(fastpath_tests SOURCES core/fastpath/fastpath_choice_test.cc core/fastpath/fastpath_test.cc
                                            core/layout_test.cc)
# The plain names by value of AVRM_FASTPATH: one file, compiled once for each value.
foreach(build default no_err no_err_single no_err_single_ipo)
  add_library(avrm_fastpath_${build} OBJECT core/fastpath/fastpath_choice.c)
  target_compile_definitions(avrm_fastpath_${build} PRIVATE AVRM_TEST_BUILD=${build} AVRM_TEST_IS_${build}=1)
  target_link_libraries(avrm_fastpath_${build} PRIVATE avrankmap::device)
  target_include_directories(avrm_fastpath_${build} PRIVATE ${PROJECT_SOURCE_DIR})
  avrm_developer_flags(avrm_fastpath_${build})
  target_sources(fastpath_tests PRIVATE $<TARGET_OBJECTS:avrm_fastpath_${build}>)
endforeach()
# The same bodies bound to a netmod, one program for each, as a program has one binding.
foreach(netmod OFI UCX)
  if(AVRM_HAVE_${netmod})
    string(TOLOWER ${netmod} name)
    avrm_add_device_test(
      binding_${name}_tests SOURCES core/fastpath/binding_test.cc core/fastpath/fastpath_messages.cc
                                    core/fastpath/fastpath_windows.cc LIBRARIES avrm_device_bodies
    )
    target_compile_definitions(binding_${name}_tests PRIVATE AVRM_TEST_BOUND_TO_${netmod})
    target_link_libraries(binding_${name}_tests PRIVATE $<IF:$<STREQUAL:${netmod},OFI>,PkgConfig::libfabric,PkgConfig::ucx>)
  endif()
endforeach()
if(TARGET avrm_fastpath)
  avrm_add_device_test(
    fastpath_count_tests SOURCES ../bench/device/fastpath_count_test.cc ../bench/device/fastpath_forms_test.cc
    LIBRARIES avrm_counters avrm_fastpath avrm_fastpath_probes SHARDS 4
  )
endif()
