! SPDX-FileCopyrightText: 2026 The avrankmap authors
! SPDX-License-Identifier: BSD-3-Clause
! An MPI program in Fortran to be surveyed.
program surveyed
  use mpi
  implicit none
  integer :: error, rank, size, total, level, dup, split, cart, row
  integer :: extents(2)
  logical :: periods(2), remain(2)
  call MPI_Init_thread(MPI_THREAD_SINGLE, level, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, error)
  call MPI_Comm_split(dup, mod(rank, 2), -rank, split, error)
  extents = (/ size, 1 /)
  periods = .false.
  remain = (/ .true., .false. /)
  call MPI_Cart_create(dup, 2, extents, periods, .false., cart, error)
  call MPI_Cart_sub(cart, remain, row, error)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, row, error)
  if (rank == 0) print '(a,i0)', 'sum ', total
  call MPI_Comm_free(split, error)
  call MPI_Comm_free(row, error)
  call MPI_Comm_free(cart, error)
  call MPI_Comm_free(dup, error)
  call MPI_Finalize(error)
end program surveyed
