// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for any launcher: compares what the device knows of the nodes with what the launcher
// was asked for. Usage: placement_job TRANSPORT KIND HOSTS [unmapped], where KIND is that of the
// boot, and HOSTS has the host of each rank, as in h1,h2,h1. `unmapped`: the launcher does not tell
// the nodes by PMI-2.
#include <unistd.h>

#include <map>
#include <sstream>
#include <string>

#include "core/peers/connect.h"
#include "tests/device/comm/members.h"
#include "tests/device/core/launched.h"
#include "tests/device/launch/hidden_mapping.h"

namespace avrankmap::test {
namespace {

using Hosts = std::vector<std::string>;

Hosts parse(const char *text) {
  Hosts hosts;
  std::istringstream in(text);
  for (std::string host; std::getline(in, host, ',');) {
    hosts.push_back(host);
  }
  return hosts;
}

// The members on each host, in order of rank; hosts in order of their lowest ranks.
std::vector<Members> members_by_host(const Members &members, const Hosts &hosts) {
  std::vector<Members> nodes;
  std::map<std::string, std::size_t> number_of;
  for (const int lpid : members) {
    const auto [found, is_new] = number_of.emplace(hosts[static_cast<std::size_t>(lpid)], nodes.size());
    if (is_new) {
      nodes.emplace_back();
    }
    nodes[found->second].push_back(lpid);
  }
  return nodes;
}

void check_boot(const Process &process, const Hosts &hosts) {
  char name[256] = {};
  AVRM_MUST(gethostname(name, sizeof name - 1) == 0);
  AVRM_MUST(name == hosts[static_cast<std::size_t>(process.rank)]); // else this test is wrong
  const std::string own = name;
  int lower = 0;
  int all = 0;
  for (int rank = 0; rank < process.size; ++rank) {
    const bool is_here = hosts[static_cast<std::size_t>(rank)] == own;
    lower += is_here && rank < process.rank ? 1 : 0;
    all += is_here ? 1 : 0;
  }
  AVRM_MUST(avrm_boot_local_rank(process.boot) == lower);
  AVRM_MUST(avrm_boot_local_size(process.boot) == all);
}

// Node ids are equal on a host, and different on different ones.
void check_node_ids(Process &process, const Hosts &hosts) {
  const std::uint32_t own = avrm_boot_node(process.boot);
  std::vector<std::uint32_t> ids(hosts.size());
  std::vector<avrm_request_t *> receives(hosts.size());
  for (int peer = 0; peer < process.size; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    AVRM_MUST(avrm_irecv(process.world, &ids[at], sizeof ids[at], peer, 7, &receives[at]) == AVRM_OK);
  }
  Buffer out(sizeof own);
  std::memcpy(out.data(), &own, sizeof own);
  for (int peer = 0; peer < process.size; ++peer) {
    send(process, out, peer, 7);
  }
  for (avrm_request_t *const request : receives) {
    wait(request);
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::size_t k = 0; k < hosts.size(); ++k) {
      AVRM_MUST((ids[i] == ids[k]) == (hosts[i] == hosts[k]));
    }
  }
}

// Messages to other hosts, and only these, go by the network.
void check_routes(const Process &process, const Hosts &hosts) {
  for (int peer = 0; peer < process.size; ++peer) {
    detail::Route route{};
    AVRM_MUST(detail::route_to(process.world, detail::peer_of(process.world, peer), &route) == AVRM_OK);
    const bool is_here = hosts[static_cast<std::size_t>(peer)] == hosts[static_cast<std::size_t>(process.rank)];
    AVRM_MUST((route.kind == detail::Route::kNet) == !is_here);
  }
}

void check_hierarchy(avrm_comm_t *comm, const Members &members, const std::vector<Members> &nodes) {
  const avrm_hierarchy_t *hierarchy = nullptr;
  AVRM_MUST(avrm_comm_hierarchy(comm, &hierarchy) == AVRM_OK);
  AVRM_MUST(avrm_hierarchy_size(hierarchy) == static_cast<int>(members.size()));
  AVRM_MUST(avrm_hierarchy_nodes(hierarchy) == static_cast<int>(nodes.size()));
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    const Members &here = nodes[static_cast<std::size_t>(node)];
    AVRM_MUST(avrm_hierarchy_node_size(hierarchy, node) == static_cast<int>(here.size()));
    AVRM_MUST(avrm_hierarchy_leader(hierarchy, node) == rank_in(members, here.front()));
    for (int local = 0; local < static_cast<int>(here.size()); ++local) {
      const int rank = rank_in(members, here[static_cast<std::size_t>(local)]);
      AVRM_MUST(avrm_hierarchy_node(hierarchy, rank) == node);
      AVRM_MUST(avrm_hierarchy_local(hierarchy, rank) == local);
      AVRM_MUST(avrm_hierarchy_rank(hierarchy, node, local) == rank);
    }
  }
}

void check_inner(const Process &process, avrm_comm_t *inner, const Members &members) {
  AVRM_MUST((inner != nullptr) == has(members, process.rank));
  if (inner != nullptr) {
    AVRM_MUST(avrm_comm_rank(inner) == rank_in(members, process.rank));
    check_map(avrm_comm_map(inner), members);
    check_messages(inner, process.rank, members);
  }
}

void check_nodes(const Process &process, avrm_comm_t *comm, const Members &members, const Hosts &hosts) {
  const std::vector<Members> nodes = members_by_host(members, hosts);
  check_hierarchy(comm, members, nodes);
  Members roots;
  for (const Members &node : nodes) {
    roots.push_back(node.front());
    if (has(node, process.rank)) {
      avrm_comm_t *inner = nullptr;
      AVRM_MUST(avrm_comm_node(comm, &inner) == AVRM_OK);
      check_inner(process, inner, node);
    }
  }
  avrm_comm_t *outer = nullptr;
  AVRM_MUST(avrm_comm_node_roots(comm, &outer) == AVRM_OK);
  check_inner(process, outer, roots);
}

// Of the members of every colour, in reverse order.
void check_split(const Process &process, int colours, const Hosts &hosts) {
  avrm_comm_t *part = nullptr;
  AVRM_MUST(avrm_comm_split(process.world, process.rank % colours, -process.rank, &part) == AVRM_OK);
  Members members;
  for (int rank = process.size - 1; rank >= 0; --rank) {
    if (rank % colours == process.rank % colours) {
      members.push_back(rank);
    }
  }
  check_nodes(process, part, members, hosts);
  release(part);
}

void check_split_by_node(const Process &process, const Hosts &hosts) {
  avrm_comm_t *node = nullptr;
  AVRM_MUST(avrm_comm_split_type(process.world, AVRM_COMM_NODE, 0, &node) == AVRM_OK);
  for (const Members &members : members_by_host(everyone(process), hosts)) {
    if (has(members, process.rank)) {
      check_inner(process, node, members);
    }
  }
  release(node);
}

int run(const Transport &transport, const char *kind, const Hosts &hosts) {
  std::optional<Process> process = open_launched(transport, true, kind);
  if (!process) {
    return kSkipped;
  }
  AVRM_MUST(process->size == static_cast<int>(hosts.size()));
  check_boot(*process, hosts);
  check_node_ids(*process, hosts);
  if (has_shared_memory(transport)) {
    check_routes(*process, hosts);
  }
  check_nodes(*process, process->world, everyone(*process), hosts);
  check_split(*process, 1, hosts);
  check_split(*process, 2, hosts);
  check_split_by_node(*process, hosts);
  barrier(*process);
  close_launched(*process);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  using namespace avrankmap::test;
  alarm(kHangsAfterS); // ends a process that hangs
  hides_mapping = argc == 5 && std::strcmp(argv[4], "unmapped") == 0;
  return argc >= 4 ? run(launched_transport(argv[1]), argv[2], parse(argv[3])) : 2;
}
