// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program of the installed MPI library: the random sequence of creations with a given
// seed and length.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/device/comm/sequence.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

void must(bool condition, const char *what) {
  if (!condition) {
    std::fprintf(stderr, "MPI: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

struct Mpi {
  struct Comm {
    MPI_Comm handle = MPI_COMM_NULL;
  };

  Comm world() const { return {MPI_COMM_WORLD}; }
  Comm dup(Comm comm) {
    return made([&](MPI_Comm *p) { return MPI_Comm_dup(comm.handle, p); });
  }
  Comm split(Comm comm, int colour, int key) {
    return made(
        [&](MPI_Comm *p) { return MPI_Comm_split(comm.handle, colour == kNoColour ? MPI_UNDEFINED : colour, key, p); });
  }
  Comm create(Comm comm, const Members &members) {
    return with_group(members, [&](MPI_Group group, MPI_Comm *p) { return MPI_Comm_create(comm.handle, group, p); });
  }
  Comm create_group(Comm comm, const Members &members, int tag) {
    return with_group(members,
                      [&](MPI_Group group, MPI_Comm *p) { return MPI_Comm_create_group(comm.handle, group, tag, p); });
  }
  Comm cart(Comm comm, const int *extents, const int *periods) {
    return made([&](MPI_Comm *p) { return MPI_Cart_create(comm.handle, 2, extents, periods, 0, p); });
  }
  Comm cart_sub(Comm comm, const int *remain) {
    return made([&](MPI_Comm *p) { return MPI_Cart_sub(comm.handle, remain, p); });
  }
  Comm intercomm(Comm local, Comm peer, int partner, int tag) {
    return made([&](MPI_Comm *p) { return MPI_Intercomm_create(local.handle, 0, peer.handle, partner, tag, p); });
  }
  Comm merge(Comm inter, bool high) {
    return made([&](MPI_Comm *p) { return MPI_Intercomm_merge(inter.handle, high ? 1 : 0, p); });
  }
  Comm unite(Comm local, Comm peer, int partner, int tag, bool high) {
    const Comm inter = intercomm(local, peer, partner, tag);
    const Comm both = merge(inter, high);
    free(inter);
    return both;
  }
  void free(Comm comm) {
    if (comm.handle != MPI_COMM_NULL) {
      MPI_Comm_free(&comm.handle);
    }
  }
  void check(Comm comm, const Members &members) {
    int self = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    if (!has(members, self)) {
      must(comm.handle == MPI_COMM_NULL, "a communicator of others");
      return;
    }
    must(comm.handle != MPI_COMM_NULL, "no communicator");
    int rank = 0;
    MPI_Comm_rank(comm.handle, &rank);
    must(rank == rank_in(members, self), "another rank");
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(comm.handle, &group);
    check_group(group, members);
  }
  void check_inter(Comm comm, const Members &own, const Members &other) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(comm.handle, &group);
    check_group(group, own);
    MPI_Comm_remote_group(comm.handle, &group);
    check_group(group, other);
  }

private:
  template <typename Make> Comm made(Make make) {
    Comm comm;
    must(make(&comm.handle) == MPI_SUCCESS, "an error");
    return comm;
  }
  template <typename Make> Comm with_group(const Members &members, Make make) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &group);
    const Comm comm = made([&](MPI_Comm *p) { return make(group, p); });
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return comm;
  }
  static void check_group(MPI_Group group, const Members &members) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int size = 0;
    MPI_Group_size(group, &size);
    must(size == static_cast<int>(members.size()), "another size");
    for (int rank = 0; rank < size; ++rank) {
      int process = 0;
      MPI_Group_translate_ranks(group, 1, &rank, world, &process);
      must(process == members[static_cast<std::size_t>(rank)], "another member");
    }
    MPI_Group_free(&world);
    MPI_Group_free(&group);
  }
};

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  alarm(avrankmap::test::kHangsAfterS); // ends a process that hangs
  MPI_Init(&argc, &argv);
  if (argc != 3) {
    return 2;
  }
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  avrankmap::test::Mpi library;
  avrankmap::test::Sequence<avrankmap::test::Mpi> sequence(library, rank, size, std::strtoull(argv[1], nullptr, 10));
  for (int i = std::atoi(argv[2]); i > 0; --i) {
    sequence.step();
  }
  sequence.end();
  MPI_Finalize();
  return 0;
}
