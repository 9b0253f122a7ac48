# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# The survey of live programs: its core without MPI, and programs of each MPI that is there, run
# with and without it.
avrm_add_test(survey_core_tests SOURCES survey/books_test.cc survey/exhaustion_test.cc survey/reports_test.cc
              LIBRARIES avrm_survey_core
)

# survey_program(<target> <compiler> <source> [FLAG]...): compiled by the MPI's own
# compiler command.
function(survey_program target compiler source)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${target})
  # Fortran compilers leave module files in the current folder.
  file(MAKE_DIRECTORY ${program}.dir)
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${compiler} -o ${program} ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${ARGN}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    WORKING_DIRECTORY ${program}.dir
    VERBATIM
  )
  add_custom_target(${target}_built ALL DEPENDS ${program})
endfunction()

avrm_add_test(survey_preload_tests SOURCES survey/preload_test.cc LIBRARIES avrm_survey_core)
find_program(AVRM_GFORTRAN NAMES gfortran)
mark_as_advanced(AVRM_GFORTRAN)
foreach(mpi IN ITEMS mpich openmpi)
  string(TOUPPER ${mpi} upper)
  set(definitions "")
  find_program(AVRM_MPIRUN_${mpi} NAMES mpirun.${mpi})
  mark_as_advanced(AVRM_MPIRUN_${mpi})
  if(TARGET avrm_survey_${mpi} AND AVRM_MPIRUN_${mpi})
    survey_program(survey_${mpi}_c ${AVRM_MPICC_${mpi}} survey/program.c -pthread)
    list(APPEND definitions AVRM_${upper}_RUN="${AVRM_MPIRUN_${mpi}}"
         AVRM_${upper}_LIBRARY="$<TARGET_FILE:avrm_survey_${mpi}>"
         AVRM_${upper}_C="${CMAKE_CURRENT_BINARY_DIR}/survey_${mpi}_c"
    )
    add_dependencies(survey_preload_tests avrm_survey_${mpi} survey_${mpi}_c_built)
    find_program(AVRM_MPIFORT_${mpi} NAMES mpifort.${mpi})
    mark_as_advanced(AVRM_MPIFORT_${mpi})
    if(AVRM_MPIFORT_${mpi} AND AVRM_GFORTRAN)
      survey_program(survey_${mpi}_f ${AVRM_MPIFORT_${mpi}} survey/program.f90)
      survey_program(survey_${mpi}_f08 ${AVRM_MPIFORT_${mpi}} survey/program_f08.f90)
      list(APPEND definitions AVRM_${upper}_F="${CMAKE_CURRENT_BINARY_DIR}/survey_${mpi}_f"
           AVRM_${upper}_F08="${CMAKE_CURRENT_BINARY_DIR}/survey_${mpi}_f08"
      )
      add_dependencies(survey_preload_tests survey_${mpi}_f_built survey_${mpi}_f08_built)
    else()
      message(STATUS "gfortran or mpifort.${mpi} not found: surveys of Fortran programs are skipped")
      list(APPEND definitions AVRM_${upper}_F="" AVRM_${upper}_F08="")
    endif()
  else()
    message(STATUS "mpirun.${mpi} or its compiler not found: surveys of its programs are skipped")
    foreach(name IN ITEMS RUN LIBRARY C F F08)
      list(APPEND definitions AVRM_${upper}_${name}="")
    endforeach()
  endif()
  target_compile_definitions(survey_preload_tests PRIVATE ${definitions})
endforeach()

# A program of something that only looks like an MPI library.
foreach(kind IN ITEMS old new)
  add_library(survey_fake_${kind} SHARED survey/fake_mpi.c)
  avrm_developer_flags(survey_fake_${kind})
  add_executable(survey_fake_program_${kind} survey/fake_program.c)
  avrm_developer_flags(survey_fake_program_${kind})
  target_link_libraries(survey_fake_program_${kind} PRIVATE survey_fake_${kind})
  string(TOUPPER ${kind} upper)
  target_compile_definitions(
    survey_preload_tests PRIVATE AVRM_FAKE_${upper}_PROGRAM="$<TARGET_FILE:survey_fake_program_${kind}>"
  )
  add_dependencies(survey_preload_tests survey_fake_program_${kind})
endforeach()
target_compile_definitions(survey_fake_old PRIVATE AVRM_FAKE_OLD)
