# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause

# Constants that an MPI library has values of its own for, so that ranks pass between it and
# avrankmap as they are. The defaults are Open MPI's and those of MPI's standard ABI; MPICH has
# AVRM_PROC_NULL=-1. version.h has them, and the layout check covers them.
set(AVRM_PROC_NULL -2 CACHE STRING "The rank of no process (MPI_PROC_NULL), -32768 .. -1")
set(AVRM_UNDEFINED -32766 CACHE STRING "The rank of a process that is not a member (MPI_UNDEFINED), -32768 .. -1")
mark_as_advanced(AVRM_PROC_NULL AVRM_UNDEFINED)

foreach(constant IN ITEMS AVRM_PROC_NULL AVRM_UNDEFINED)
  if(NOT ${constant} MATCHES "^-[1-9][0-9]*$" OR ${constant} LESS -32768)
    message(FATAL_ERROR "${constant} is ${${constant}}, which is not a number from -32768 to -1")
  endif()
endforeach()
if(AVRM_PROC_NULL EQUAL AVRM_UNDEFINED)
  message(FATAL_ERROR "AVRM_PROC_NULL and AVRM_UNDEFINED are both ${AVRM_PROC_NULL}")
endif()
