// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How each launcher is asked for a placement of processes on hosts.
#ifndef AVRANKMAP_TESTS_DEVICE_HOSTS_LAUNCHERS_H
#define AVRANKMAP_TESTS_DEVICE_HOSTS_LAUNCHERS_H

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/hosts.h"

namespace avrankmap::test {

// The host of each rank. Hosts are numbered from 1.
using Placement = std::vector<int>;

inline int hosts_of(const Placement &placement) { return *std::max_element(placement.begin(), placement.end()); }
inline int count_on(const Placement &placement, int host) {
  return static_cast<int>(std::count(placement.begin(), placement.end(), host));
}
inline Placement block(int hosts, int per_host) {
  Placement placement;
  for (int rank = 0; rank < hosts * per_host; ++rank) {
    placement.push_back(rank / per_host + 1);
  }
  return placement;
}
inline Placement cyclic(int hosts, int per_host) {
  Placement placement;
  for (int rank = 0; rank < hosts * per_host; ++rank) {
    placement.push_back(rank % hosts + 1);
  }
  return placement;
}

// "h1:2,h2:2" for separator ':' and counts.
inline std::string hosts_with_counts(const Placement &placement) {
  std::string text;
  for (int host = 1; host <= hosts_of(placement); ++host) {
    text += (host == 1 ? "h" : ",h") + std::to_string(host) + ":" + std::to_string(count_on(placement, host));
  }
  return text;
}
// "h1,h2,h2,h1": the host of each rank.
inline std::string host_of_each(const Placement &placement, char separator) {
  std::string text;
  for (const int host : placement) {
    text += (text.empty() ? "h" : std::string(1, separator) + "h") + std::to_string(host);
  }
  return text;
}

// A launcher, whose path is empty if it was not found at configure time.
struct Launcher {
  const char *name;
  const char *kind; // of boot, that it shall be taken for
  const char *path;
  const char *package;
  bool needs_slurm;
  bool knows_ipv6;
  Words (*words)(const Placement &placement, const std::string &list);
  std::string (*list)(const Placement &placement); // a file that says where each rank goes
  bool (*tells)(const Placement &placement);       // processes their nodes
  const char *survive;                             // option: a death does not end the job
};

inline std::ostream &operator<<(std::ostream &out, const Launcher &launcher) { return out << launcher.name; }

// Open MPI has rank files.
inline std::string rank_file(const Placement &placement) {
  std::string text;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    text += "rank " + std::to_string(rank) + "=h" + std::to_string(placement[rank]) + " slot=0\n";
  }
  return text;
}
inline Words mpirun_placed(const Placement &placement, const std::string &list) {
  Words words = {AVRM_MPIRUN, "--oversubscribe", "-H", hosts_with_counts(placement)};
  if (std::is_sorted(placement.begin(), placement.end())) {
    words.insert(words.end(), {"--bind-to", "none"});
  } else if (placement == cyclic(hosts_of(placement), count_on(placement, 1))) {
    words.insert(words.end(), {"--bind-to", "none", "--map-by", "node"});
  } else {
    words.insert(words.end(), {"-rf", list});
  }
  return words;
}

// Slurm's list has a host per rank.
inline std::string host_list(const Placement &placement) { return host_of_each(placement, '\n') + "\n"; }
inline Words srun_placed(const Placement &placement, const std::string &list, Words words) {
  const int hosts = hosts_of(placement);
  const int each = count_on(placement, 1);
  const bool is_block = placement == block(hosts, each);
  if (is_block || placement == cyclic(hosts, each)) {
    words.insert(words.end(), {is_block ? "--distribution=block" : "--distribution=cyclic",
                               "--nodes=" + std::to_string(hosts), "--ntasks-per-node=" + std::to_string(each)});
    return words;
  }
  words.insert(words.begin(), {"env", "SLURM_HOSTFILE=" + list});
  words.emplace_back("--distribution=arbitrary");
  return words;
}
inline Words srun_pmi2_placed(const Placement &placement, const std::string &list) {
  return srun_placed(placement, list, {AVRM_SRUN_PMI2, "--mpi=pmi2"});
}
inline Words srun_pmix_placed(const Placement &placement, const std::string &list) {
  return srun_placed(placement, list, {AVRM_SRUN_PMIX, "--mpi=pmix"});
}

// Hydra goes through its list of hosts again and again: "h1:1,h2:2" for hosts 1 2 2 1 2 2 and so
// on.
inline std::string hydra_hosts(const Placement &placement) {
  Placement round;
  for (const int host : placement) {
    if (!round.empty() && host < round.back()) {
      break;
    }
    round.push_back(host);
  }
  return hosts_with_counts(round);
}
inline Words hydra_placed(const Placement &placement, const std::string & /*list*/) {
  return {AVRM_HYDRA, "-hosts", hydra_hosts(placement), "-iface", "eth0"};
}

// Which placements a launcher tells the processes correctly.
inline bool any(const Placement & /*placement*/) { return true; }
// Hydra takes each mention of a host for another node.
inline bool rounds_over_hosts(const Placement &placement) {
  Placement round = {1};
  for (std::size_t i = 1; i < placement.size() && placement[i] >= placement[i - 1]; ++i) {
    round.push_back(placement[i]);
  }
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] != round[i % round.size()]) {
      return false;
    }
  }
  return hosts_of(placement) == hosts_of(round);
}

inline constexpr Launcher kLaunchers[] = {
    {"mpirun", "pmix", AVRM_MPIRUN, "openmpi-bin", false, true, mpirun_placed, rank_file, any, "--enable-recovery"},
    {"hydra", "pmi2", AVRM_HYDRA, "hydra", false, false, hydra_placed, host_list, rounds_over_hosts,
     "-disable-auto-cleanup"},
    {"srun", "pmi2", AVRM_SRUN_PMI2, "slurmctld, slurmd, slurm-client", true, true, srun_pmi2_placed, host_list, any,
     "--kill-on-bad-exit=0"},
    {"srun_pmix", "pmix", AVRM_SRUN_PMIX, "slurmctld, slurmd, slurm-client", true, true, srun_pmix_placed, host_list,
     any, "--kill-on-bad-exit=0"},
};

// Why a test on hosts is skipped; empty if it is not.
inline std::string lacks_for(const Launcher &launcher) {
  if (*launcher.path == '\0') {
    return std::string("this machine or build lacks the launcher or its client (Debian and Ubuntu: ") +
           launcher.package + ")";
  }
  return has_hosts() ? "" : kNoHosts;
}

// Runs a program by a launcher on simulated hosts. Returns its exit code.
inline int run_placed(const Launcher &launcher, const Placement &placement, Words host_options, const Words &program,
                      const Words &options = {}, int limit_s = 150) {
  if (launcher.needs_slurm) {
    host_options.emplace_back("--slurm");
  }
  const SharedFile list(launcher.list(placement));
  Words words = on_hosts(hosts_of(placement), host_options, limit_s);
  const Words placed = launcher.words(placement, list.path());
  words.insert(words.end(), placed.begin(), placed.end());
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-n", std::to_string(placement.size())});
  return launch(words, program).front();
}

} // namespace avrankmap::test

#endif
