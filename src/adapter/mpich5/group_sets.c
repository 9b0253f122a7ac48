// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/mpi/group/group_impl.c: set operations, and queries based on them. None visits ranks
// one by one unless a group has no pattern.
#include <mpidimpl.h>

// These values are set when avrankmap is configured, so ranks need no conversion. Results of
// comparisons (MPI_IDENT) do.
static_assert(AVRM_UNDEFINED == MPI_UNDEFINED && AVRM_PROC_NULL == MPI_PROC_NULL,
              "configure avrankmap with the values of this MPI");
static_assert(sizeof(avrm_range_t) == sizeof(int[3]), "a range is a triplet of MPI_Group_range_incl");

static const avrm_group_t *of(const MPIR_Group *group, avrm_rankmap_t *place) {
  return avrm_group_view(MPIR_Group_map(group, place));
}

int MPIR_Group_lpid_to_rank(MPIR_Group *group, MPIR_Lpid lpid) {
  avrm_rankmap_t place;
  const avrm_gpid_t process = {MPIR_LPID_WORLD_INDEX(lpid), MPIR_LPID_WORLD_RANK(lpid)};
  int32_t rank = MPI_UNDEFINED;
  if (avrm_group_rank(of(group, &place), process, &rank) == AVRM_OK) {
    return rank;
  }
  // There is no memory for the inverse of a table, and the caller expects a rank, not an error.
  rank = 0;
  while (rank < group->size && MPIR_Group_rank_to_lpid(group, rank) != lpid) {
    ++rank;
  }
  return rank < group->size ? rank : MPI_UNDEFINED;
}

int MPIR_Group_check_subset(MPIR_Group *group_ptr, MPIR_Comm *comm_ptr) {
  avrm_rankmap_t place1;
  avrm_rankmap_t place2;
  avrm_group_t *outside = NULL;
  const avrm_status_t status =
      avrm_group_difference(of(group_ptr, &place1), of(comm_ptr->local_group, &place2), &outside);
  if (status != AVRM_OK) {
    return MPIR_AVRM_ERROR(status);
  }
  int mpi_errno = MPI_SUCCESS;
  avrm_gpid_t first; // first process outside, in the group's order
  if (avrm_group_gpid(outside, 0, &first) == AVRM_OK) {
    const int rank = MPIR_Group_lpid_to_rank(group_ptr, MPIR_LPID_FROM(first.pgid, first.lpid));
    MPIR_ERR_SET1(mpi_errno, MPI_ERR_GROUP, "**groupnotincomm", "**groupnotincomm %d", rank);
  }
  avrm_group_destroy(outside);
  return mpi_errno;
}

static uint64_t mix(uint64_t hash, uint32_t part) {
  hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

unsigned MPIR_Group_hash(MPIR_Group *group) {
  enum { FEW_RUNS = 32 };
  avrm_rankmap_t place;
  const avrm_rankmap_t *const map = MPIR_Group_map(group, &place);
  avrm_run_t runs[FEW_RUNS];
  size_t count = 0;
  uint64_t hash = (uint64_t)group->size;
  (void)avrm_rankmap_runs(map, FEW_RUNS, runs, &count); // fails only without a map
  for (size_t i = 0; count <= FEW_RUNS && i < count; ++i) {
    hash = mix(mix(hash, (uint32_t)runs[i].count), (uint32_t)runs[i].pgid);
    hash = mix(mix(hash, (uint32_t)runs[i].lpid), runs[i].count == 1 ? 0 : (uint32_t)runs[i].stride);
  }
  for (int32_t rank = 0; count > FEW_RUNS && rank < group->size; ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
    hash = mix(mix(hash, (uint32_t)process.pgid), (uint32_t)process.lpid);
  }
  return (unsigned)hash;
}

int MPIR_Group_compare_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, int *result) {
  avrm_rankmap_t place1;
  avrm_rankmap_t place2;
  avrm_comparison_t comparison = AVRM_UNEQUAL;
  const avrm_status_t status = avrm_group_compare(of(group_ptr1, &place1), of(group_ptr2, &place2), &comparison);
  if (status == AVRM_OK) {
    *result = comparison == AVRM_IDENT ? MPI_IDENT : comparison == AVRM_SIMILAR ? MPI_SIMILAR : MPI_UNEQUAL;
  }
  return MPIR_AVRM_ERROR(status);
}

int MPIR_Group_translate_ranks_impl(MPIR_Group *gp1, int n, const int ranks1[], MPIR_Group *gp2, int ranks2[]) {
  avrm_rankmap_t place1;
  avrm_rankmap_t place2;
  if (n < 0) {
    return MPIR_AVRM_ERROR(AVRM_ERR_SIZE);
  }
  return MPIR_AVRM_ERROR(avrm_group_translate_ranks(of(gp1, &place1), (size_t)n, ranks1, of(gp2, &place2), ranks2));
}

// Creates the result of an operation on a group, whose session the new group shares. `rank` is the
// rank of this process in the result.
static int result_of(avrm_status_t status, avrm_group_t *processes, int rank, const MPIR_Group *group,
                     MPIR_Group **new_group_ptr) {
  if (status != AVRM_OK) {
    avrm_group_destroy(processes);
    return MPIR_AVRM_ERROR(status);
  }
  return MPIR_Group_create(processes, rank, group->session_ptr, new_group_ptr);
}

// Looks up the rank of this process in a result for which there is no formula. Builds the inverse
// of a table.
static avrm_status_t find_self(const avrm_group_t *processes, int *rank) {
  const avrm_gpid_t self = {0, MPIR_Process.rank};
  return avrm_group_rank(processes, self, rank);
}

// Returns the index of a rank among the ranks of ranges, which is its rank in the group that
// avrm_group_range_incl creates from them.
static int index_in(int rank, int n, int ranges[][3]) {
  int64_t before = 0;
  for (int i = 0; i < n; ++i) {
    const int64_t first = ranges[i][0];
    const int64_t stride = ranges[i][2];
    const int64_t last = (ranges[i][1] - first) / stride;
    const int64_t place = (rank - first) / stride;
    if (place >= 0 && place <= last && first + place * stride == rank) {
      return (int)(before + place);
    }
    before += last + 1;
  }
  return MPI_UNDEFINED;
}

// Returns the number of ranks of a range that are below `rank`.
static int64_t below(int rank, const int range[3]) {
  const int64_t stride = range[2];
  const int64_t last = range[0] + (range[1] - (int64_t)range[0]) / stride * stride;
  const int64_t low = stride > 0 ? range[0] : last;
  const int64_t high = stride > 0 ? last : range[0];
  const int64_t step = stride > 0 ? stride : -stride;
  if (rank <= low) {
    return 0;
  }
  return ((rank <= high ? rank - 1 : high) - low) / step + 1;
}

int MPIR_Group_excl_impl(MPIR_Group *group_ptr, int n, const int ranks[], MPIR_Group **new_group_ptr) {
  avrm_rankmap_t place;
  avrm_group_t *result = NULL;
  const avrm_status_t status = avrm_group_excl(of(group_ptr, &place), n, ranks, &result);
  int rank = group_ptr->rank;
  for (int i = 0; i < n && group_ptr->rank != MPI_UNDEFINED; ++i) {
    if (ranks[i] == group_ptr->rank) {
      rank = MPI_UNDEFINED;
      break;
    }
    rank -= ranks[i] < group_ptr->rank ? 1 : 0;
  }
  return result_of(status, result, rank, group_ptr, new_group_ptr);
}

static bool are_all_ranks(const MPIR_Group *group, int n, const int ranks[]) {
  int rank = 0;
  while (rank < n && ranks[rank] == rank) {
    ++rank;
  }
  return rank == n && n == group->size;
}

int MPIR_Group_incl_impl(MPIR_Group *group_ptr, int n, const int ranks[], MPIR_Group **new_group_ptr) {
  avrm_rankmap_t place;
  if (are_all_ranks(group_ptr, n, ranks)) {
    MPIR_Group_add_ref(group_ptr);
    *new_group_ptr = group_ptr;
    return MPI_SUCCESS;
  }
  avrm_group_t *result = NULL;
  const avrm_status_t status = avrm_group_incl(of(group_ptr, &place), n, ranks, &result);
  int rank = 0;
  while (rank < n && ranks[rank] != group_ptr->rank) {
    ++rank;
  }
  return result_of(status, result, rank < n ? rank : MPI_UNDEFINED, group_ptr, new_group_ptr);
}

int MPIR_Group_range_excl_impl(MPIR_Group *group_ptr, int n, int ranges[][3], MPIR_Group **new_group_ptr) {
  avrm_rankmap_t place;
  avrm_group_t *result = NULL;
  const avrm_status_t status =
      avrm_group_range_excl(of(group_ptr, &place), n, (const avrm_range_t *)(void *)ranges, &result);
  int rank = group_ptr->rank;
  if (status == AVRM_OK && rank != MPI_UNDEFINED) {
    int64_t left_out = 0;
    for (int i = 0; i < n; ++i) {
      left_out += below(rank, ranges[i]);
    }
    rank = index_in(rank, n, ranges) == MPI_UNDEFINED ? (int)(rank - left_out) : MPI_UNDEFINED;
  }
  return result_of(status, result, rank, group_ptr, new_group_ptr);
}

int MPIR_Group_range_incl_impl(MPIR_Group *group_ptr, int n, int ranges[][3], MPIR_Group **new_group_ptr) {
  avrm_rankmap_t place;
  avrm_group_t *result = NULL;
  const avrm_status_t status =
      avrm_group_range_incl(of(group_ptr, &place), n, (const avrm_range_t *)(void *)ranges, &result);
  const int has_rank = status == AVRM_OK && group_ptr->rank != MPI_UNDEFINED;
  return result_of(status, result, has_rank ? index_in(group_ptr->rank, n, ranges) : MPI_UNDEFINED, group_ptr,
                   new_group_ptr);
}

typedef avrm_status_t (*set_operation_t)(const avrm_group_t *, const avrm_group_t *, avrm_group_t **);

// The empty group belongs to no session, so it goes with any group.
static int check_sessions(const MPIR_Group *left, const MPIR_Group *right) {
  int mpi_errno = MPI_SUCCESS;
  if (left->size != 0 && right->size != 0 && left->session_ptr != right->session_ptr) {
    MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**session_mixed");
  }
  return mpi_errno;
}

// Looks up this process in the result if `has_self`; otherwise its rank is `rank`.
static int combine(set_operation_t operation, const MPIR_Group *left, const MPIR_Group *right, int rank, bool has_self,
                   MPIR_Group **new_group_ptr) {
  const int mpi_errno = check_sessions(left, right);
  if (mpi_errno != MPI_SUCCESS) {
    return mpi_errno;
  }
  avrm_rankmap_t place1;
  avrm_rankmap_t place2;
  avrm_group_t *result = NULL;
  avrm_status_t status = operation(of(left, &place1), of(right, &place2), &result);
  if (status == AVRM_OK && has_self) {
    status = find_self(result, &rank);
  }
  return result_of(status, result, rank, left->size != 0 ? left : right, new_group_ptr);
}

int MPIR_Group_difference_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr) {
  const bool has_self = group_ptr1->rank != MPI_UNDEFINED && group_ptr2->rank == MPI_UNDEFINED;
  return combine(avrm_group_difference, group_ptr1, group_ptr2, MPI_UNDEFINED, has_self, new_group_ptr);
}

int MPIR_Group_intersection_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr) {
  const bool has_self = group_ptr1->rank != MPI_UNDEFINED && group_ptr2->rank != MPI_UNDEFINED;
  return combine(avrm_group_intersection, group_ptr1, group_ptr2, MPI_UNDEFINED, has_self, new_group_ptr);
}

int MPIR_Group_union_impl(MPIR_Group *group_ptr1, MPIR_Group *group_ptr2, MPIR_Group **new_group_ptr) {
  // Group 1 comes first.
  const bool has_self = group_ptr1->rank == MPI_UNDEFINED && group_ptr2->rank != MPI_UNDEFINED;
  return combine(avrm_group_union, group_ptr1, group_ptr2, group_ptr1->rank, has_self, new_group_ptr);
}
