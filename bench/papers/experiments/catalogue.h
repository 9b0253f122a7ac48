// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every table and figure of the papers, in their order.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_CATALOGUE_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_CATALOGUE_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

const std::vector<Experiment> &catalogue();

/// Null if no experiment has this name.
const Experiment *find_experiment(const std::string &id);

// The experiments by source. Without the device (AVRM_HAVE_DEVICE) those that need it have a reason
// instead of a function.

// bytes_per_process.cpp
Result run_bytes_per_process(Context &context);

// rankmap_tables.cpp
Result run_mapping_models(Context &context);
Result run_walker_figure(Context &context);
Result run_child_models(Context &context);
Result run_instruction_counts(Context &context);
Result run_cache_misses(Context &context);

// rankmap_memory.cpp
Result run_split_memory(Context &context);
Result run_dup_memory(Context &context);
Result run_split_inter_memory(Context &context);
Result run_dup_inter_memory(Context &context);
Result run_reordered_memory(Context &context);
Result run_dynamic_memory(Context &context);
Result run_nek_memory(Context &context);
Result run_miniapps_memory(Context &context);
Result run_miniapps_growth(Context &context);

// rankmap_listings.cpp
Result run_vc_vcrt_listing(Context &context);
Result run_switch_direct_listing(Context &context);
Result run_switch_stride_listing(Context &context);
Result run_hybrid_direct_listing(Context &context);
Result run_hybrid_stride_listing(Context &context);
Result run_goto_direct_listing(Context &context);
Result run_goto_stride_listing(Context &context);

// rankmap_rates.cpp
Result run_issue_rates(Context &context);
Result run_generations(Context &context);
Result run_dispatch_rates(Context &context);
#if AVRM_HAVE_DEVICE
Result run_real_dispatch_rates(Context &context);
#endif

// creation_times.cpp
Result run_creation_on_mira(Context &context);
Result run_creation_on_blues(Context &context);

// cartesian.cpp
Result run_rectangle_examples(Context &context);
Result run_torus_memory(Context &context);
Result run_near_neighbours(Context &context);
Result run_multi_hop(Context &context);
Result run_fft(Context &context);
Result run_amg(Context &context);

#if AVRM_HAVE_DEVICE
// whole_device.cpp
Result run_whole_device(Context &context);
Result run_whole_device_rate(Context &context);

// slow_mpi.cpp
Result run_breakdown(Context &context);
Result run_build_counts(Context &context);
Result run_ofi_rates(Context &context);
Result run_ucx_rates(Context &context);
Result run_fast_network_rates(Context &context);
Result run_proposals(Context &context);

// applications.cpp
Result run_mass_inversion(Context &context);
Result run_lennard_jones(Context &context);

// ping_pong.cpp
Result run_ping_pong(Context &context);

// noncollective.cpp
Result run_group_creation(Context &context);

// markov_chains.cpp
Result run_chain_scaling(Context &context);
Result run_chain_regroupings(Context &context);
#endif

} // namespace avrankmap::bench

#endif
