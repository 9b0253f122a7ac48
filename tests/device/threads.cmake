# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# The tests of the device for the thread sanitizer, which sees nothing where processes have one
# thread each: the files that start threads, under the names that CMakeLists.txt gives their
# programs.

avrm_add_device_test(launcher_tests SOURCES launch/cards_test.cc)
avrm_add_device_test(
  device_tests SOURCES core/atomics_threads_test.cc core/first_access_threads_test.cc
                       core/fastpath/fastpath_threads_test.cc
                       liveness/killed_peer_test.cc core/probe_threads_test.cc
  LIBRARIES avrm_device_bodies
)
avrm_add_device_test(
  sleep_tests SOURCES core/event_loop_test.cc core/sleep_test.cc LIBRARIES avrm_device_bodies
)
avrm_add_device_test(fastpath_tests SOURCES core/fastpath/fastpath_test.cc)
avrm_add_device_test(comm_tests SOURCES comm/ft/ft_threads_test.cc comm/many_comms_test.cc comm/no_parent_test.cc
                       LIBRARIES avrm_synthetic)
avrm_add_device_test(dynamic_tests SOURCES dynamic/dynamic_test.cc)
if(AVRM_HAVE_POSIX)
  avrm_add_device_test(posix_tests SOURCES shmmod/doorbell_test.cc shmmod/ring_test.cc shmmod/copy_claims_test.cc)
endif()

# Under launchers: PMIx has a thread that calls the boot, and a fence of PMI-2 is a thread.
if(AVRM_HAVE_PMIX)
  avrm_add_executable(pmix_job SOURCES launch/pmix_job.cc LIBRARIES avrm_device_tests PkgConfig::pmix)
  avrm_add_device_test(pmix_tests SOURCES launch/pmix_test.cc)
  target_compile_definitions(
    pmix_tests PRIVATE AVRM_MPIRUN="$<$<BOOL:${AVRM_MPIRUN}>:${AVRM_MPIRUN}>" AVRM_PMIX_JOB="$<TARGET_FILE:pmix_job>"
                       AVRM_HOSTS="${AVRM_HOSTS}"
  )
  add_dependencies(pmix_tests pmix_job)
endif()
if(AVRM_HAVE_PMI2)
  avrm_add_executable(pmi2_job SOURCES launch/pmi2_job.cc LIBRARIES avrm_device_tests)
  avrm_add_device_test(pmi2_tests SOURCES launch/pmi2_test.cc)
  target_compile_definitions(
    pmi2_tests PRIVATE AVRM_HYDRA="$<$<BOOL:${AVRM_HYDRA}>:${AVRM_HYDRA}>" AVRM_PMI2_JOB="$<TARGET_FILE:pmi2_job>"
  )
  add_dependencies(pmi2_tests pmi2_job)
endif()
