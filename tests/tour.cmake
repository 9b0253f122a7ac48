# The tour: examples that headers and pages quote. Those of the component run once, those of the
# device over shared memory and over networks.
set(tour_over_posix AVRM_NETMOD=null AVRM_SHMMOD=posix)
set(tour_over_ofi AVRM_NETMOD=ofi AVRM_SHMMOD=none "FI_PROVIDER=tcp\\;ofi_rxm")
set(tour_over_ucx AVRM_NETMOD=ucx AVRM_SHMMOD=none UCX_TLS=tcp,self)

function(avrm_add_tour example)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OVER;LIBRARIES")
  avrm_add_executable(
    tour_${example} SOURCES tour/${example}.c LIBRARIES avrm_device_tests ${arg_LIBRARIES}
  )
  set(over ${arg_OVER})
  if(NOT over)
    set(over -)
  endif()
  foreach(transport IN LISTS over)
    string(REPLACE ".-" "" test tour.${example}.${transport})
    add_test(NAME ${test} COMMAND tour_${example})
    set_tests_properties(
      ${test} PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 300
                         ENVIRONMENT "${tour_over_${transport}};${AVRM_TEST_ENVIRONMENT}"
    )
  endforeach()
endfunction()

foreach(example address_vectors component instances rankmaps)
  avrm_add_tour(${example})
endforeach()
foreach(
  example
  atomics
  communicators
  datatypes
  event_loop
  fastpath
  job
  messages
  parts
  probes
  requests
  survivors
  topology
  windows
)
  avrm_add_tour(${example} OVER posix ofi ucx)
endforeach()
foreach(example ports spawn) # need a netmod that delivers
  avrm_add_tour(${example} OVER ofi ucx)
endforeach()
if(AVRM_HAVE_OFI)
  avrm_add_tour(bound OVER ofi LIBRARIES PkgConfig::libfabric)
  # As installed.
  set(installed ${CMAKE_CURRENT_BINARY_DIR}/installed)
  file(MAKE_DIRECTORY ${installed}/avrankmap)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/netmod ${installed}/avrankmap/netmod SYMBOLIC)
  target_include_directories(tour_bound PRIVATE ${installed})
endif()

# Examples as jobs of a launcher.
avrm_add_device_test(tour_tests SOURCES tour/launch_test.cc)
target_compile_definitions(
  tour_tests PRIVATE AVRM_MPIRUN="$<$<AND:$<BOOL:${AVRM_MPIRUN}>,$<BOOL:${AVRM_HAVE_PMIX}>>:${AVRM_MPIRUN}>"
                     AVRM_TOUR="$<TARGET_FILE_DIR:tour_spawn>"
)
add_dependencies(tour_tests tour_job tour_spawn)
