// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ways to create a communicator.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_MADE_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_MADE_H

// X(name, label)
#define AVRM_SURVEY_MADE_LIST(X)                                                                                       \
  X(kPredefined, "predefined")     /* MPI_COMM_WORLD, MPI_COMM_SELF */                                                 \
  X(kDup, "dup")                   /* MPI_Comm_dup, _dup_with_info, _idup, _idup_with_info */                          \
  X(kSplit, "split")               /* MPI_Comm_split */                                                                \
  X(kSplitType, "split_type")      /* MPI_Comm_split_type */                                                           \
  X(kCreate, "create")             /* MPI_Comm_create, _create_group, _create_from_group */                            \
  X(kCart, "cart")                 /* MPI_Cart_create */                                                               \
  X(kCartSub, "cart_sub")          /* MPI_Cart_sub */                                                                  \
  X(kGraph, "graph")               /* MPI_Graph_create, MPI_Dist_graph_create, _adjacent */                            \
  X(kIntercomm, "intercomm")       /* MPI_Intercomm_create, _create_from_groups */                                     \
  X(kMerge, "merge")               /* MPI_Intercomm_merge */                                                           \
  X(kDynamic, "dynamic processes") /* MPI_Comm_spawn, _accept, _connect, _join, _get_parent */                         \
  X(kFirstSeen, "met")             /* first seen in use: created by a call that is not watched */

namespace avrankmap::survey {

enum class Made {
#define AVRM_SURVEY_ENUM(name, label) name,
  AVRM_SURVEY_MADE_LIST(AVRM_SURVEY_ENUM)
#undef AVRM_SURVEY_ENUM
};

constexpr const char *label(Made made) {
  switch (made) {
#define AVRM_SURVEY_LABEL(name, label)                                                                                 \
  case Made::name: return label;
    AVRM_SURVEY_MADE_LIST(AVRM_SURVEY_LABEL)
#undef AVRM_SURVEY_LABEL
  }
  return "?";
}

} // namespace avrankmap::survey

#endif
