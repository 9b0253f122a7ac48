! SPDX-FileCopyrightText: 2026 The avrankmap authors
! SPDX-License-Identifier: BSD-3-Clause
! An MPI program in Fortran 2008 to be surveyed: without error codes, which are optional there.
program surveyed
  use mpi_f08
  implicit none
  integer :: rank, size, total, level
  type(MPI_Comm) :: dup, split, cart, row
  integer :: extents(2)
  logical :: periods(2), remain(2)
  call MPI_Init_thread(MPI_THREAD_SINGLE, level)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup)
  call MPI_Comm_split(dup, mod(rank, 2), -rank, split)
  extents = (/ size, 1 /)
  periods = .false.
  remain = (/ .true., .false. /)
  call MPI_Cart_create(dup, 2, extents, periods, .false., cart)
  call MPI_Cart_sub(cart, remain, row)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, row)
  if (rank == 0) print '(a,i0)', 'sum ', total
  call MPI_Comm_free(split)
  call MPI_Comm_free(row)
  call MPI_Comm_free(cart)
  call MPI_Comm_free(dup)
  call MPI_Finalize()
end program surveyed
