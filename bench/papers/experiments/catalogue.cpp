// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/experiments/catalogue.h"

#include <algorithm>

namespace avrankmap::bench {
namespace {

constexpr bool kNotPinned = false;

/// A table or figure that is not run.
Experiment without(const char *id, const char *title, const char *reason) { return {id, title, nullptr, reason}; }

/// One that yields the same numbers each time.
Experiment exact(const char *id, const char *title, Result (*run)(Context &context)) {
  return {id, title, run, {}, true, true};
}

#if AVRM_HAVE_DEVICE
#define AVRM_BENCH_EXACT_DEVICE_EXPERIMENT(id, title, run)                                                             \
  { id, title, run, {}, kNotPinned, true }
#define AVRM_BENCH_DEVICE_EXPERIMENT(id, title, run)                                                                   \
  { id, title, run, {}, kNotPinned }
#else
#define AVRM_BENCH_DEVICE_EXPERIMENT(id, title, run) without(id, title, "the device was not built (AVRM_BUILD_DEVICE)")
#define AVRM_BENCH_EXACT_DEVICE_EXPERIMENT AVRM_BENCH_DEVICE_EXPERIMENT
#endif

} // namespace

const std::vector<Experiment> &catalogue() {
  static const std::vector<Experiment> all{
      exact("bytes-per-process", "Memory of one process, by the number of processes", run_bytes_per_process),
      AVRM_BENCH_EXACT_DEVICE_EXPERIMENT("whole-device", "Memory of a whole device, by the number of processes",
                                         run_whole_device),
      AVRM_BENCH_DEVICE_EXPERIMENT("whole-device-rate", "Puts to random ranks, by the number of processes",
                                   run_whole_device_rate),
      exact("000/table1", "Mapping models for communicators of applications", run_mapping_models),
      exact("000/table2", "Model of a child by the models of its parent and of the indirect mapping array",
            run_child_models),
      exact("000/table3", "Instructions of the translation (table AV)", run_instruction_counts),
      exact("000/table4", "Cache misses of 8 million puts (table AV)", run_cache_misses),
      {"000/table5", "Issue rates by model, on a network and without one (table AV)", run_issue_rates, {}, kNotPinned},
      exact("000/figure1", "An LSMS walker and its node roots", run_walker_figure),
      without("000/figure2", "Scheme of the translation", "a drawing; nothing is measured"),
      exact("000/figure3", "Instructions: VC-VCRT (table AV)", run_vc_vcrt_listing),
      exact("000/figure4", "Instructions: direct, switch (table AV)", run_switch_direct_listing),
      exact("000/figure5", "Instructions: stride, switch (table AV)", run_switch_stride_listing),
      exact("000/figure6", "Instructions: direct, hybrid (table AV)", run_hybrid_direct_listing),
      exact("000/figure7", "Instructions: stride, hybrid (table AV)", run_hybrid_stride_listing),
      exact("000/figure8", "Instructions: direct, goto (table AV)", run_goto_direct_listing),
      exact("000/figure9", "Memory of split communicators (table and implicit AV)", run_split_memory),
      exact("000/figure10", "Memory of duplicate communicators (table and implicit AV)", run_dup_memory),
      exact("000/figure11", "Memory of split intercommunicators (table and implicit AV)", run_split_inter_memory),
      exact("000/figure12", "Memory of duplicate intercommunicators (table and implicit AV)", run_dup_inter_memory),
      exact("000/figure13", "Memory of communicators in random order (table and implicit AV)", run_reordered_memory),
      exact("000/figure14", "Memory of communicators with dynamic processes (table and implicit AV)",
            run_dynamic_memory),
      {"000/figure15", "Creation time on Mira (table and implicit AV)", run_creation_on_mira, {}, kNotPinned},
      {"000/figure16",
       "Creation time on Blues, with dynamic processes (table and implicit AV)",
       run_creation_on_blues,
       {},
       kNotPinned},
      exact("000/figure17", "Memory of Nek5000's communicators (table and implicit AV)", run_nek_memory),
      exact("000/figure18", "Memory of miniapps' communicators (table and implicit AV)", run_miniapps_memory),
      {"000/figure19", "Issue rate by generation of split communicators (table AV)", run_generations},
      without("001/table1", "Mapping models", "the same as 000/table1"),
      without("001/table2", "Models of children", "the same as 000/table2"),
      without("001/table3", "Instructions",
              "the same as 000/table3; its text says 15 instructions for goto's call, the published one 17"),
      without("001/table4", "Cache misses on Blues", "a part of 000/table4"),
      without("001/table5", "Cache misses on Mira",
              "a part of 000/table4; there is no Blue Gene/Q here, and its counters are not simulated"),
      {"001/table6", "Issue rates without a network, switch and hybrid (table AV)", run_dispatch_rates},
      AVRM_BENCH_DEVICE_EXPERIMENT("001/table7", "Issue rates on a network, switch and hybrid (table AV)",
                                   run_real_dispatch_rates),
      without("001/figure1", "Scheme of the translation", "a drawing; nothing is measured"),
      without("001/figure2", "Instructions: VC-VCRT", "the same as 000/figure3"),
      without("001/figure3", "Instructions: direct, switch", "the same as 000/figure4"),
      without("001/figure4", "Instructions: direct, hybrid", "the same as 000/figure6"),
      without("001/figure5", "Instructions: direct, goto", "the same as 000/figure8"),
      without("001/figure6", "Instructions: stride, switch", "the same as 000/figure5"),
      without("001/figure7", "Instructions: stride, hybrid", "the same as 000/figure7"),
      exact("001/figure8", "Instructions: stride, goto (table AV)", run_goto_stride_listing),
      without("001/figure9", "Memory of split communicators", "the same as 000/figure9"),
      without("001/figure10", "Memory of duplicate communicators", "the same as 000/figure10"),
      without("001/figure11", "Memory of split intercommunicators", "the same as 000/figure11"),
      without("001/figure12", "Memory of duplicate intercommunicators", "the same as 000/figure12"),
      without("001/figure13", "Memory of communicators in random order",
              "the same as 000/figure13, whose parts (b) and (c) are this text's"),
      without("001/figure14", "Memory with dynamic processes", "the same as 000/figure14"),
      without("001/figure15", "Creation time on Mira", "the same as 000/figure15, with the numbers of this text"),
      without("001/figure16", "Creation time on Blues", "the same as 000/figure16, with the numbers of this text"),
      exact("001/figure17", "Maps of miniapps by number of processes (table and implicit AV)", run_miniapps_growth),
      without("001/figure18", "Memory of Nek5000's communicators", "the same as 000/figure17"),
      without("001/figure19", "Issue rate by generation", "the same as 000/figure19"),
      {"002/table1", "3-D FFT: communication with and without caches", run_fft, {}, kNotPinned},
      {"002/table2", "AMG: figure of merit with and without caches", run_amg, {}, kNotPinned},
      without("002/figure1", "The mapping function",
              "source code; it is executed in the figures and tables that follow"),
      exact("002/figure2", "Communicators that are parts of a world rectangle", run_rectangle_examples),
      exact("002/figure3", "Memory of communicators that split a torus", run_torus_memory),
      AVRM_BENCH_DEVICE_EXPERIMENT("002/figure4", "Ping-pong latency with the caches", run_ping_pong),
      {"002/figure5", "Caches in the near-neighbour exchange", run_near_neighbours, {}, kNotPinned},
      {"002/figure6", "Caches in the multi-hop exchange", run_multi_hop, {}, kNotPinned},
      AVRM_BENCH_EXACT_DEVICE_EXPERIMENT("003/table1", "Instructions by purpose (table AV)", run_breakdown),
      without("003/figure1", "Layers of MPICH", "a drawing; nothing is measured"),
      AVRM_BENCH_EXACT_DEVICE_EXPERIMENT("003/figure2", "Instructions by build (table AV)", run_build_counts),
      AVRM_BENCH_DEVICE_EXPERIMENT("003/figure3", "Message rates over libfabric (table AV)", run_ofi_rates),
      AVRM_BENCH_DEVICE_EXPERIMENT("003/figure4", "Message rates over UCX (table AV)", run_ucx_rates),
      AVRM_BENCH_DEVICE_EXPERIMENT("003/figure5", "Message rates without a network (table AV)", run_fast_network_rates),
      AVRM_BENCH_DEVICE_EXPERIMENT("003/figure6", "Proposals for the standard, without a network (table AV)",
                                   run_proposals),
      AVRM_BENCH_DEVICE_EXPERIMENT("003/figure7", "Inversion of a mass matrix, after Nek5000 on Cetus (table AV)",
                                   run_mass_inversion),
      AVRM_BENCH_DEVICE_EXPERIMENT("003/figure8", "Strong scaling of Lennard-Jones atoms, after LAMMPS (table AV)",
                                   run_lennard_jones),
      AVRM_BENCH_DEVICE_EXPERIMENT("004/table1", "Regroupings in the Markov chain Monte Carlo kernel",
                                   run_chain_regroupings),
      AVRM_BENCH_DEVICE_EXPERIMENT("004/figure1", "Creation of a group by its members and by the parent",
                                   run_group_creation),
      AVRM_BENCH_DEVICE_EXPERIMENT("004/figure2", "Weak scaling of the Markov chain Monte Carlo kernel",
                                   run_chain_scaling),
  };
  return all;
}

const Experiment *find_experiment(const std::string &id) {
  const auto &all = catalogue();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Experiment &experiment) { return experiment.id == id; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace avrankmap::bench
