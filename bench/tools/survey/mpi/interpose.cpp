// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wrappers of the MPI functions that create or free communicators or end MPI: for C, for Fortran's
// mpif.h and mpi module (mpi_x_), and for its mpi_f08 module (mpi_x_f08_). All are needed: MPICH's
// Fortran functions, and some of Open MPI's, call the C functions under their profiling names. A
// Fortran function that calls a watched one is counted once.
//
// Arguments are passed on as words. mpi.h is not included because it declares other types.
#include "tools/survey/mpi/resolve.h"
#include "tools/survey/mpi/watch.h"

#include <atomic>
#include <cstddef>

#define AVRM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using avrankmap::survey::Language;
using avrankmap::survey::Made;
using avrankmap::survey::Word;

/// A function of the MPI library, looked up once.
template <class F> F *next(std::atomic<void *> &known, const char *name) {
  void *function = known.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = avrankmap::survey::resolve(name);
    known.store(function, std::memory_order_relaxed);
  }
  return reinterpret_cast<F *>(function);
}

/// The error code of a Fortran call. Fortran 2008 may omit the argument; then an own variable has
/// it.
class FortranError {
public:
  explicit FortranError(Word where) : where_(where != 0 ? reinterpret_cast<int *>(where) : &own_) {}
  [[nodiscard]] Word word() const { return reinterpret_cast<Word>(where_); }
  [[nodiscard]] bool success() const { return *where_ == 0; }
  void set(int code) { *where_ = code; }

private:
  int own_ = 0;
  int *where_;
};

} // namespace

// Parameters and arguments by their number.
#define AVRM_P1 Word a0
#define AVRM_P2 AVRM_P1, Word a1
#define AVRM_P3 AVRM_P2, Word a2
#define AVRM_P4 AVRM_P3, Word a3
#define AVRM_P5 AVRM_P4, Word a4
#define AVRM_P6 AVRM_P5, Word a5
#define AVRM_P7 AVRM_P6, Word a6
#define AVRM_P8 AVRM_P7, Word a7
#define AVRM_P9 AVRM_P8, Word a8
#define AVRM_P10 AVRM_P9, Word a9
#define AVRM_A1 a0
#define AVRM_A2 AVRM_A1, a1
#define AVRM_A3 AVRM_A2, a2
#define AVRM_A4 AVRM_A3, a3
#define AVRM_A5 AVRM_A4, a4
#define AVRM_A6 AVRM_A5, a5
#define AVRM_A7 AVRM_A6, a6
#define AVRM_A8 AVRM_A7, a7
#define AVRM_A9 AVRM_A8, a8
#define AVRM_A10 AVRM_A9, a9
// Lengths of strings, which Fortran passes after all other arguments.
#define AVRM_LENGTH_P0
#define AVRM_LENGTH_P1 , Word b0
#define AVRM_LENGTH_P2 , Word b0, Word b1
#define AVRM_LENGTH_A0
#define AVRM_LENGTH_A1 , b0
#define AVRM_LENGTH_A2 , b0, b1

// Defines name(parameters): executes `before`, calls the function of the MPI library, and executes
// `after` if that succeeded. For Fortran also under the names that compilers other than gfortran
// use.
#define AVRM_C(name, n, before, after)                                                                                 \
  AVRM_EXPORT int name(AVRM_P##n) {                                                                                    \
    static std::atomic<void *> known;                                                                                  \
    auto *const call = next<int(AVRM_P##n)>(known, #name);                                                             \
    if (call == nullptr) {                                                                                             \
      return avrankmap::survey::watch_missing(#name);                                                                  \
    }                                                                                                                  \
    before;                                                                                                            \
    const int code = call(AVRM_A##n);                                                                                  \
    if (code == 0) {                                                                                                   \
      after;                                                                                                           \
    }                                                                                                                  \
    return code;                                                                                                       \
  }
#define AVRM_FORTRAN(name, n, lengths, before, after)                                                                  \
  AVRM_EXPORT void name(AVRM_P##n, Word where AVRM_LENGTH_P##lengths) {                                                \
    static std::atomic<void *> known;                                                                                  \
    auto *const call = next<void(AVRM_P##n, Word AVRM_LENGTH_P##lengths)>(known, #name);                               \
    FortranError error(where);                                                                                         \
    if (call == nullptr) {                                                                                             \
      error.set(avrankmap::survey::watch_missing(#name));                                                              \
      return;                                                                                                          \
    }                                                                                                                  \
    before;                                                                                                            \
    call(AVRM_A##n, error.word() AVRM_LENGTH_A##lengths);                                                              \
    if (error.success()) {                                                                                             \
      after;                                                                                                           \
    }                                                                                                                  \
  }
#define AVRM_ALIAS(other, name, n, lengths)                                                                            \
  AVRM_EXPORT void other(AVRM_P##n, Word where AVRM_LENGTH_P##lengths) __attribute__((alias(#name)));
#define AVRM_FORTRAN_NAMES(lower, upper, n, lengths, before, after)                                                    \
  AVRM_FORTRAN(mpi_##lower##_, n, lengths, before, after)                                                              \
  AVRM_FORTRAN(mpi_##lower##_f08_, n, lengths, before, after)                                                          \
  AVRM_ALIAS(mpi_##lower, mpi_##lower##_, n, lengths)                                                                  \
  AVRM_ALIAS(mpi_##lower##__, mpi_##lower##_, n, lengths)                                                              \
  AVRM_ALIAS(MPI_##upper, mpi_##lower##_, n, lengths)

#define AVRM_ALL(camel, lower, upper, n, lengths, before_c, after_c, before_fortran, after_fortran)                    \
  AVRM_C(MPI_##camel, n, before_c, after_c)                                                                            \
  AVRM_FORTRAN_NAMES(lower, upper, n, lengths, before_fortran, after_fortran)

#define AVRM_NOTHING static_cast<void>(0)
#define AVRM_TELL(how, camel, made, language, parent, result)                                                          \
  avrankmap::survey::how({"MPI_" #camel, Made::made, Language::language, parent, result})
#define AVRM_MAKES(camel, lower, upper, n, lengths, made, parent, result)                                              \
  AVRM_ALL(camel, lower, upper, n, lengths, AVRM_NOTHING, AVRM_TELL(watch_made, camel, made, kC, parent, result),      \
           AVRM_NOTHING, AVRM_TELL(watch_made, camel, made, kFortran, parent, result))
#define AVRM_IDUPS(camel, lower, upper, n, parent, result)                                                             \
  AVRM_ALL(camel, lower, upper, n, 0, AVRM_NOTHING, AVRM_TELL(watch_idup, camel, kDup, kC, parent, result),            \
           AVRM_NOTHING, AVRM_TELL(watch_idup, camel, kDup, kFortran, parent, result))
#define AVRM_FREES(camel, lower, upper)                                                                                \
  AVRM_ALL(camel, lower, upper, 1, 0, avrankmap::survey::watch_free(Language::kC, a0), AVRM_NOTHING,                   \
           avrankmap::survey::watch_free(Language::kFortran, a0), AVRM_NOTHING)

AVRM_MAKES(Comm_dup, comm_dup, COMM_DUP, 2, 0, kDup, a0, a1)
AVRM_MAKES(Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO, 3, 0, kDup, a0, a2)
AVRM_IDUPS(Comm_idup, comm_idup, COMM_IDUP, 3, a0, a1)
AVRM_IDUPS(Comm_idup_with_info, comm_idup_with_info, COMM_IDUP_WITH_INFO, 4, a0, a2)
AVRM_MAKES(Comm_split, comm_split, COMM_SPLIT, 4, 0, kSplit, a0, a3)
AVRM_MAKES(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE, 5, 0, kSplitType, a0, a4)
AVRM_MAKES(Comm_create, comm_create, COMM_CREATE, 3, 0, kCreate, a0, a2)
AVRM_MAKES(Comm_create_group, comm_create_group, COMM_CREATE_GROUP, 4, 0, kCreate, a0, a3)
AVRM_MAKES(Comm_create_from_group, comm_create_from_group, COMM_CREATE_FROM_GROUP, 5, 1, kCreate, 0, a4)
AVRM_MAKES(Cart_create, cart_create, CART_CREATE, 6, 0, kCart, a0, a5)
AVRM_MAKES(Cart_sub, cart_sub, CART_SUB, 3, 0, kCartSub, a0, a2)
AVRM_MAKES(Graph_create, graph_create, GRAPH_CREATE, 6, 0, kGraph, a0, a5)
AVRM_MAKES(Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE, 9, 0, kGraph, a0, a8)
AVRM_MAKES(Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, 10, 0, kGraph, a0, a9)
AVRM_MAKES(Intercomm_create, intercomm_create, INTERCOMM_CREATE, 6, 0, kIntercomm, a0, a5)
AVRM_MAKES(Intercomm_create_from_groups, intercomm_create_from_groups, INTERCOMM_CREATE_FROM_GROUPS, 8, 1, kIntercomm,
           0, a7)
AVRM_MAKES(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE, 3, 0, kMerge, a0, a2)
AVRM_MAKES(Comm_spawn, comm_spawn, COMM_SPAWN, 8, 2, kDynamic, a5, a6)
AVRM_MAKES(Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE, 9, 2, kDynamic, a6, a7)
AVRM_MAKES(Comm_accept, comm_accept, COMM_ACCEPT, 5, 1, kDynamic, a3, a4)
AVRM_MAKES(Comm_connect, comm_connect, COMM_CONNECT, 5, 1, kDynamic, a3, a4)
AVRM_MAKES(Comm_join, comm_join, COMM_JOIN, 2, 0, kDynamic, 0, a1)
AVRM_MAKES(Comm_get_parent, comm_get_parent, COMM_GET_PARENT, 1, 0, kDynamic, 0, a0)

AVRM_FREES(Comm_free, comm_free, COMM_FREE)
AVRM_FREES(Comm_disconnect, comm_disconnect, COMM_DISCONNECT)

AVRM_C(MPI_Init, 2, AVRM_NOTHING, avrankmap::survey::watch_init())
// In Fortran, MPI_Init_thread has no argc and argv.
AVRM_C(MPI_Init_thread, 4, AVRM_NOTHING, avrankmap::survey::watch_init())
AVRM_FORTRAN_NAMES(init_thread, INIT_THREAD, 2, 0, AVRM_NOTHING, avrankmap::survey::watch_init())
AVRM_C(MPI_Abort, 2, avrankmap::survey::watch_end("MPI_Abort"), AVRM_NOTHING)
AVRM_FORTRAN_NAMES(abort, ABORT, 2, 0, avrankmap::survey::watch_end("MPI_Abort"), AVRM_NOTHING)

// MPI_Init and MPI_Finalize: their Fortran forms have the error code as only argument.
#define AVRM_FORTRAN_ALONE(name, before, after)                                                                        \
  AVRM_EXPORT void name(Word where) {                                                                                  \
    static std::atomic<void *> known;                                                                                  \
    auto *const call = next<void(Word)>(known, #name);                                                                 \
    FortranError error(where);                                                                                         \
    if (call == nullptr) {                                                                                             \
      error.set(avrankmap::survey::watch_missing(#name));                                                              \
      return;                                                                                                          \
    }                                                                                                                  \
    before;                                                                                                            \
    call(error.word());                                                                                                \
    if (error.success()) {                                                                                             \
      after;                                                                                                           \
    }                                                                                                                  \
  }
#define AVRM_ALIAS_ALONE(other, name) AVRM_EXPORT void other(Word where) __attribute__((alias(#name)));
#define AVRM_FORTRAN_ALONE_NAMES(lower, upper, before, after)                                                          \
  AVRM_FORTRAN_ALONE(mpi_##lower##_, before, after)                                                                    \
  AVRM_FORTRAN_ALONE(mpi_##lower##_f08_, before, after)                                                                \
  AVRM_ALIAS_ALONE(mpi_##lower, mpi_##lower##_)                                                                        \
  AVRM_ALIAS_ALONE(mpi_##lower##__, mpi_##lower##_)                                                                    \
  AVRM_ALIAS_ALONE(MPI_##upper, mpi_##lower##_)

AVRM_FORTRAN_ALONE_NAMES(init, INIT, AVRM_NOTHING, avrankmap::survey::watch_init())
AVRM_FORTRAN_ALONE_NAMES(finalize, FINALIZE, avrankmap::survey::watch_end("MPI_Finalize"), AVRM_NOTHING)

AVRM_EXPORT int MPI_Finalize() {
  static std::atomic<void *> known;
  auto *const call = next<int()>(known, "MPI_Finalize");
  if (call == nullptr) {
    return avrankmap::survey::watch_missing("MPI_Finalize");
  }
  avrankmap::survey::watch_end("MPI_Finalize");
  return call();
}
