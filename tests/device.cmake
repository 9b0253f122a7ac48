# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# The tests of the device and its parts, over the transports of this build.

# What all of their programs have.
add_library(avrm_device_tests OBJECT support/before_forking.cc support/third_party_leaks.cc)
avrm_own_target(avrm_device_tests avrankmap::device $<TARGET_NAME_IF_EXISTS:PkgConfig::libfabric>)
target_compile_definitions(avrm_device_tests PRIVATE AVRM_TEST_LIBFABRIC=$<BOOL:${AVRM_HAVE_OFI}>)

# avrm_add_device_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABEL <label>])
# Tests also see the internals of netmod/ and shmmod/.
function(avrm_add_device_test name)
  avrm_add_test(${name} ${ARGN} LIBRARIES avrm_device_tests)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/netmod ${PROJECT_SOURCE_DIR}/shmmod)
endfunction()

if(AVRM_SANITIZE MATCHES "thread")
  include(device_threads.cmake)
  return()
endif()

# The table of environment variables: its readers, and the page that is made from it.
avrm_add_device_test(environment_tests SOURCES base/environment_test.cc)
avrm_add_executable(environment_page SOURCES base/environment_page.cc LIBRARIES avrankmap::device)
add_test(
  NAME environment.page COMMAND ${BASH_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/base/environment.sh
                                $<TARGET_FILE:environment_page>
)
set_tests_properties(environment.page PROPERTIES LABELS compile)

avrm_add_device_test(
  boot_tests SOURCES boot/book_test.cc boot/cards_test.cc boot/failures_test.cc boot/faults_test.cc
                     boot/launcher_test.cc boot/spawned_test.cc
)
avrm_add_device_test(
  device_tests SOURCES device/apart_test.cc device/atomics.cc device/atomics_threads_test.cc
                       device/cancel_test.cc device/cancels.cc device/completion.cc
                       device/fastpath/fastpath_messages.cc device/fastpath/fastpath_threads_test.cc
                       device/fastpath/fastpath_windows.cc device/deaths/fault_test.cc device/implicit_test.cc
                       device/memory_test.cc device/messages.cc device/network_atomics_test.cc device/pace_test.cc
                       device/probe_threads_test.cc device/probes.cc device/queue_posts_test.cc
                       device/request_sets.cc device/traffic.cc device/transport_test.cc device/deaths/unattachable_test.cc device/windows.cc
)
# Jobs of any size, of which one process exists.
avrm_add_device_test(size_tests SOURCES device/match_bits_test.cc device/size_test.cc LIBRARIES avrm_synthetic)
target_compile_definitions(size_tests PRIVATE AVRM_WITH_COUNTERS=$<BOOL:${AVRM_BUILD_BENCH}>)
target_link_libraries(size_tests PRIVATE $<TARGET_NAME_IF_EXISTS:avrm_counters>)
avrm_add_device_test(kill_tests SOURCES device/deaths/kill.cc device/deaths/kill_test.cc device/refusals_test.cc
                                        device/traffic.cc)
avrm_add_device_test(
  sleep_tests SOURCES device/atomics.cc device/cancels.cc device/completion.cc device/event_loop_test.cc
                      device/messages.cc device/probes.cc device/request_sets.cc device/sleep_test.cc device/traffic.cc
                      device/windows.cc
)
avrm_add_device_test(topo_tests SOURCES topo/topo_test.cc)
if(AVRM_HAVE_POSIX)
  avrm_add_device_test(
    posix_tests SOURCES shmmod/doorbell_test.cc shmmod/posix_copy_test.cc shmmod/posix_table_test.cc
                        shmmod/posix_test.cc shmmod/relay_test.cc shmmod/ring_test.cc shmmod/share_test.cc
                        shmmod/ways_test.cc
  )
endif()
if(AVRM_HAVE_OFI)
  avrm_add_device_test(
    ofi_tests SOURCES netmod/ofi_fault_test.cc netmod/ofi_flow_test.cc netmod/ofi_memory_test.cc
                      netmod/ofi_rma_test.cc netmod/ofi_test.cc
  )
  target_link_libraries(ofi_tests PRIVATE PkgConfig::libfabric)
endif()
if(AVRM_HAVE_UCX)
  avrm_add_device_test(ucx_tests SOURCES netmod/ucx_fault_test.cc netmod/ucx_open_test.cc netmod/ucx_queue_test.cc
                                         netmod/ucx_test.cc)
  target_link_libraries(ucx_tests PRIVATE PkgConfig::ucx)
endif()

find_program(AVRM_MPIRUN NAMES mpirun.openmpi)
if(NOT AVRM_MPIRUN)
  message(STATUS "mpirun.openmpi not found: the tests under a PMIx launcher are skipped")
endif()

# Creation of communicators, compared with an MPI library's, whose programs need no sanitizer.
avrm_add_device_test(
  comm_tests SOURCES comm/survival/acknowledge_test.cc comm/survival/after_deaths_test.cc comm/comm_fault_test.cc
                     comm/comm_test.cc comm/survival/consensus_test.cc comm/contexts_test.cc comm/crowds_test.cc
                     comm/survival/ft_test.cc comm/grid_test.cc comm/exchange_parts_test.cc
                     comm/find_hierarchy_test.cc comm/survival/many_deaths_test.cc comm/map_message_test.cc
                     comm/random_creation_test.cc comm/survival/recovery_test.cc comm/survival/revoke_test.cc
                     comm/survival/shrink_test.cc comm/simulator_test.cc comm/survival/spreading_test.cc
                     comm/survival/stencil_test.cc
                     comm/survival/two_groups_ft_test.cc
  LIBRARIES avrm_synthetic
)
target_compile_definitions(comm_tests PRIVATE AVRM_MPIRUN="$<$<BOOL:${AVRM_MPIRUN}>:${AVRM_MPIRUN}>")
if(NOT AVRM_SANITIZE)
  find_package(MPI COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  avrm_add_executable(mpi_sequence SOURCES comm/mpi_sequence.cc LIBRARIES MPI::MPI_CXX)
  target_compile_definitions(comm_tests PRIVATE AVRM_MPI_SEQUENCE="$<TARGET_FILE:mpi_sequence>")
  add_dependencies(comm_tests mpi_sequence)
else()
  message(STATUS "Creation is not compared with that of an MPI library (Debian and Ubuntu: libopenmpi-dev)")
  target_compile_definitions(comm_tests PRIVATE AVRM_MPI_SEQUENCE="")
endif()

# Strangers, and members that lie.
set(hostile_sources device/traffic.cc hostile/letters_test.cc hostile/ports_test.cc hostile/sockets_test.cc
                    hostile/watchers_test.cc hostile/windows_test.cc)
if(AVRM_HAVE_POSIX)
  list(APPEND hostile_sources hostile/rings_test.cc)
endif()
avrm_add_device_test(hostile_tests SOURCES ${hostile_sources} LIBRARIES avrm_synthetic)

# Low limits of a process: descriptors, sizes of files, address space, /dev/shm.
avrm_add_device_test(limits_tests SOURCES limits/ports_test.cc limits/ring_test.cc)

# Processes that watch one another.
avrm_add_device_test(ring_tests SOURCES ring/ring_test.cc ring/silent_node_test.cc ring/wards_test.cc)
target_link_options(ring_tests PRIVATE LINKER:--wrap=setsockopt)

avrm_add_device_test(dynamic_tests SOURCES dynamic/dynamic_fault_test.cc dynamic/dynamic_test.cc
                                           dynamic/survivors_test.cc)

# A program that its tests spawn.
avrm_add_executable(
  spawned_job SOURCES dynamic/spawned_job.cc LIBRARIES avrm_device_tests
)
avrm_add_device_test(spawn_tests SOURCES dynamic/spawn_test.cc)
target_compile_definitions(spawn_tests PRIVATE AVRM_SPAWNED_JOB="$<TARGET_FILE:spawned_job>")
add_dependencies(spawn_tests spawned_job)

# Jobs under a PMIx launcher.
if(AVRM_HAVE_PMIX)
  avrm_add_executable(
    pmix_job SOURCES boot/pmix_job.cc LIBRARIES avrm_device_tests PkgConfig::pmix
  )
  avrm_add_device_test(pmix_tests SOURCES boot/pmix_test.cc)
  avrm_add_executable(
    device_job SOURCES device/atomics.cc device/cancels.cc device/completion.cc device/device_job.cc
                       device/fastpath/fastpath_messages.cc device/fastpath/fastpath_windows.cc device/messages.cc
                       device/probes.cc device/request_sets.cc device/traffic.cc device/windows.cc
    LIBRARIES avrm_device_tests
  )
  avrm_add_device_test(launch_tests SOURCES device/launch_test.cc)
  target_compile_definitions(
    pmix_tests PRIVATE AVRM_MPIRUN="$<$<BOOL:${AVRM_MPIRUN}>:${AVRM_MPIRUN}>" AVRM_PMIX_JOB="$<TARGET_FILE:pmix_job>"
  )
  target_compile_definitions(
    launch_tests
    PRIVATE AVRM_MPIRUN="$<$<BOOL:${AVRM_MPIRUN}>:${AVRM_MPIRUN}>" AVRM_DEVICE_JOB="$<TARGET_FILE:device_job>"
            AVRM_HOSTS="${CMAKE_CURRENT_SOURCE_DIR}/device/hosts.sh"
  )
  add_dependencies(pmix_tests pmix_job)
  add_dependencies(launch_tests device_job)
  avrm_add_executable(
    kill_job SOURCES device/deaths/kill.cc device/deaths/kill_job.cc device/traffic.cc
    LIBRARIES avrm_device_tests
  )
  avrm_add_device_test(kill_launch_tests SOURCES device/deaths/kill.cc device/deaths/kill_launch_test.cc
                                                 device/traffic.cc)
  target_compile_definitions(
    kill_launch_tests
    PRIVATE AVRM_MPIRUN="$<$<BOOL:${AVRM_MPIRUN}>:${AVRM_MPIRUN}>" AVRM_KILL_JOB="$<TARGET_FILE:kill_job>"
            AVRM_HOSTS="${CMAKE_CURRENT_SOURCE_DIR}/device/hosts.sh"
  )
  add_dependencies(kill_launch_tests kill_job)
  avrm_add_executable(
    meeting_job SOURCES dynamic/meeting_job.cc LIBRARIES avrm_device_tests
  )
  avrm_add_device_test(meeting_tests SOURCES dynamic/meeting_test.cc)
  target_compile_definitions(
    meeting_tests PRIVATE AVRM_MPIRUN="$<$<BOOL:${AVRM_MPIRUN}>:${AVRM_MPIRUN}>"
                          AVRM_MEETING_JOB="$<TARGET_FILE:meeting_job>"
                          AVRM_SPAWNED_JOB="$<TARGET_FILE:spawned_job>"
  )
  add_dependencies(meeting_tests meeting_job spawned_job)
endif()

# Programs as users of the device write them. Without PMIx those under mpirun are skipped.
set(client_programs clients/halo.cc clients/matching.cc clients/mixed_sizes.cc clients/random_access.cc)
avrm_add_executable(
  client_job SOURCES clients/client_job.cc ${client_programs} LIBRARIES avrm_device_tests
)
avrm_add_device_test(clients_tests SOURCES clients/clients_test.cc ${client_programs})
target_compile_definitions(
  clients_tests PRIVATE AVRM_MPIRUN="$<$<AND:$<BOOL:${AVRM_MPIRUN}>,$<BOOL:${AVRM_HAVE_PMIX}>>:${AVRM_MPIRUN}>"
                        AVRM_CLIENT_JOB="$<TARGET_FILE:client_job>"
)
add_dependencies(clients_tests client_job)

include(tour.cmake)

# The fast path: what it issues, and its instructions. They share a job with the benchmarks.
avrm_add_device_test(fastpath_tests SOURCES device/fastpath/fastpath_choice_test.cc device/fastpath/fastpath_test.cc
                                            device/layout_test.cc)
# The plain names by value of AVRM_FASTPATH: one file, compiled once for each value.
foreach(build default no_err no_err_single no_err_single_ipo)
  add_library(avrm_fastpath_${build} OBJECT device/fastpath/fastpath_choice.c)
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
      binding_${name}_tests SOURCES device/fastpath/binding_test.cc device/fastpath/fastpath_messages.cc
                                    device/fastpath/fastpath_windows.cc device/messages.cc device/traffic.cc
    )
    target_compile_definitions(binding_${name}_tests PRIVATE AVRM_TEST_BOUND_TO_${netmod})
    target_link_libraries(binding_${name}_tests PRIVATE $<IF:$<STREQUAL:${netmod},OFI>,PkgConfig::libfabric,PkgConfig::ucx>)
  endif()
endforeach()
if(AVRM_BUILD_BENCH)
  set(shards 4)
  if(AVRM_SANITIZE) # tests/run.sh leaves a part out
    set(shards 0)
  endif()
  avrm_add_device_test(
    fastpath_count_tests SOURCES bench/device/fastpath_count_test.cc bench/device/fastpath_forms_test.cc
    LIBRARIES avrm_counters avrm_fastpath avrm_fastpath_probes SHARDS ${shards}
  )
endif()

# Calls to the system, libfabric, UCX and PMIx that fail in turn: the linker replaces them by
# functions of the tests (tests/fault/faults.h). Left out with the thread sanitizer, since each
# has one thread.
if(NOT AVRM_SANITIZE MATCHES "thread")
  set(wrapped memfd_create ftruncate fstat stat fork socketpair socket bind listen accept4 connect getsockopt getifaddrs
              send recv getsockname poll ppoll getrandom process_vm_readv mmap calloc strdup fcntl open fopen syscall
  )
  set(fault_sources fault/faults.cc fault/wrap_system.cc)
  if(AVRM_HAVE_OFI)
    list(APPEND wrapped fi_getinfo fi_dupinfo fi_fabric)
    list(APPEND fault_sources fault/wrap_ofi.cc)
  endif()
  if(AVRM_HAVE_UCX)
    list(APPEND fault_sources fault/wrap_ucx.cc)
    list(APPEND wrapped ucp_config_read ucp_config_modify ucp_init_version ucp_worker_create ucp_worker_destroy ucp_worker_progress ucp_worker_set_am_recv_handler
         ucp_worker_get_address ucp_ep_create ucp_mem_map ucp_rkey_pack ucp_ep_rkey_unpack ucp_tag_send_nbx ucp_tag_recv_nbx
         ucp_am_send_nbx ucp_put_nbx ucp_get_nbx ucp_atomic_op_nbx ucp_ep_close_nbx ucp_ep_flush_nbx ucp_worker_flush_nbx
    )
  endif()
  if(AVRM_HAVE_PMIX)
    list(APPEND fault_sources fault/wrap_pmix.cc)
    list(APPEND wrapped PMIx_Init PMIx_Finalize PMIx_Get PMIx_Put PMIx_Commit PMIx_Fence_nb PMIx_Register_event_handler
         PMIx_Deregister_event_handler PMIx_Spawn_nb
    )
  endif()
  list(TRANSFORM wrapped PREPEND "LINKER:--wrap=")
  set(fault_libraries $<TARGET_NAME_IF_EXISTS:PkgConfig::libfabric> $<TARGET_NAME_IF_EXISTS:PkgConfig::ucx>
                      $<TARGET_NAME_IF_EXISTS:PkgConfig::pmix>
  )
  avrm_add_executable(
    faulty_child SOURCES fault/faulty_child.cc ${fault_sources}
    LIBRARIES avrm_device_tests ${fault_libraries}
  )
  target_link_options(faulty_child PRIVATE ${wrapped})
  avrm_add_device_test(
    fault_tests SOURCES fault/attach_calls_test.cc fault/boot_calls_test.cc fault/creation_calls_test.cc
                        fault/device_calls_test.cc fault/late_calls_test.cc fault/meeting_calls_test.cc
                        fault/netmod_calls_test.cc fault/refused_calls_test.cc fault/ring_calls_test.cc
                        fault/spawn_calls_test.cc ${fault_sources}
  )
  target_compile_definitions(
    fault_tests PRIVATE AVRM_TEST_OFI=$<BOOL:${AVRM_HAVE_OFI}> AVRM_TEST_UCX=$<BOOL:${AVRM_HAVE_UCX}>
                        AVRM_TEST_PMIX=$<BOOL:${AVRM_HAVE_PMIX}> AVRM_FAULTY_CHILD="$<TARGET_FILE:faulty_child>"
  )
  target_link_libraries(fault_tests PRIVATE ${fault_libraries})
  target_link_options(fault_tests PRIVATE ${wrapped})
  add_dependencies(fault_tests faulty_child)
endif()
