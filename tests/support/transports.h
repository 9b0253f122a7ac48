// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every combination of netmod, provider and shmmod that the tests run over, each listed once. A
// suite selects rows by their properties, so that a new row is in all suites that it belongs to. A
// test skips visibly where this machine or build lacks the transport.
#ifndef AVRANKMAP_TESTS_SUPPORT_TRANSPORTS_H
#define AVRANKMAP_TESTS_SUPPORT_TRANSPORTS_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "avrankmap/device/device.h"
#include "avrankmap/device/topo.h"

namespace avrankmap::test {

// The suites that take a row, each with those before it.
enum class Suites {
  kNetmod, // of the netmod itself (tests/netmod)
  kDevice, // of the device (tests/device)
  kAll,    // of what is above it: communicators, dynamic processes, faults, jobs of a launcher
};

struct Transport {
  const char *name;
  const char *netmod;
  const char *provider; // null for none, where the netmod carries no messages
  const char *shmmod;
  int per_node; // processes on a node of a forked job; 0 for all
  Suites suites;
  // Addresses are numbers in the order of insertion, as implicit AVs need them.
  bool numbers_peers = false;
  int at_a_death = 3; // processes of a job in which one is killed
  avrm_connect_policy_t connect = AVRM_CONNECT_ON_DEMAND;
  avrm_device_av_t av = AVRM_DEVICE_AV_AUTO;
  const avrm_netmod_ops *(*netmod_ops)() = nullptr; // of a netmod that is not of the build
};

inline constexpr Transport kTransports[] = {
    {"posix", "null", nullptr, "posix", 0, Suites::kAll},
    {"ofi_tcp", "ofi", "tcp;ofi_rxm", "none", 1, Suites::kAll, true},
    {"ofi_net", "ofi", "net", "none", 1, Suites::kDevice, true},
    {"ofi_sockets", "ofi", "sockets", "none", 1, Suites::kDevice, true},
    // Refused before libfabric 1.19. With three processes, survivors of a death may hang in 1.17.
    {"ofi_shm", "ofi", "shm", "none", 0, Suites::kDevice, false, 2},
    {"ofi_tcp_and_posix", "ofi", "tcp;ofi_rxm", "posix", 2, Suites::kAll, true},
    {"ucx_tcp", "ucx", "tcp,self", "none", 1, Suites::kAll},
    {"ucx_shm", "ucx", "posix,self,cma", "none", 0, Suites::kDevice},
    {"ucx_sysv", "ucx", "sysv,self,cma", "none", 0, Suites::kNetmod},
    {"ucx_all", "ucx", "all", "none", 0, Suites::kNetmod},
    {"ucx_tcp_and_posix", "ucx", "tcp,self", "posix", 2, Suites::kAll},
};

// Messages over this one are lost.
inline constexpr Transport kNull{"null", "null", nullptr, "none", 1, Suites::kDevice};

inline std::ostream &operator<<(std::ostream &out, const Transport &transport) { return out << transport.name; }

// Properties to select rows by.
inline bool is_any(const Transport & /*transport*/) { return true; }
inline bool has_network(const Transport &transport) { return transport.provider != nullptr; }
inline bool has_shared_memory(const Transport &transport) { return std::string_view(transport.shmmod) != "none"; }
inline bool has_both(const Transport &transport) { return has_network(transport) && has_shared_memory(transport); }
inline bool has_one(const Transport &transport) { return !has_both(transport); }
inline bool is_network_alone(const Transport &transport) { return !has_shared_memory(transport); }
inline bool is_ofi(const Transport &transport) { return std::string_view(transport.netmod) == "ofi"; }
inline bool is_ucx(const Transport &transport) { return std::string_view(transport.netmod) == "ucx"; }
inline bool numbers_peers(const Transport &transport) { return transport.numbers_peers; }

// UCX 1.13 ends the process by an assertion of its own when a peer dies while the two are
// being connected.
inline bool survives_early_death(const Transport &transport) { return !is_ucx(transport); }

// The rows of these suites that have a property.
inline std::vector<Transport> transports_of(Suites suites,
                                            const std::function<bool(const Transport &)> &wanted = is_any) {
  std::vector<Transport> selected;
  for (const Transport &transport : kTransports) {
    if (transport.suites >= suites && wanted(transport)) {
      selected.push_back(transport);
    }
  }
  return selected;
}

// The row of that name.
inline const Transport &transport_named(std::string_view name) {
  for (const Transport &transport : kTransports) {
    if (transport.name == name) {
      return transport;
    }
  }
  throw std::out_of_range(std::string("no transport ").append(name));
}

// Names the instances of a parameterised test by their parameters' names.
inline constexpr auto kByName = [](const auto &info) { return std::string(info.param.name); };

inline avrm_device_options_t options_over(const Transport &transport, avrm_boot_t *boot,
                                          const avrm_allocator_t *allocator = nullptr) {
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = transport.netmod;
  options.provider = transport.provider;
  options.shmmod = transport.shmmod;
  options.allocator = allocator;
  options.connect = transport.connect;
  options.av = transport.av;
  options.netmod_ops = transport.netmod_ops != nullptr ? transport.netmod_ops() : nullptr;
  return options;
}

// Exit code of a process whose machine or build lacks the transport.
inline constexpr int kSkipped = 77;

// Whether a device that could not be opened means that. Then the process exits with kSkipped.
inline bool means_lacking(avrm_status_t opened) { return opened == AVRM_ERR_UNSUPPORTED || opened == AVRM_ERR_OPTION; }

// False in builds without hwloc.
inline bool has_topologies() {
  avrm_topo_t *topo = nullptr;
  if (avrm_topo_open("core:1 pu:1", &topo) == AVRM_ERR_UNSUPPORTED) {
    return false;
  }
  avrm_topo_close(topo);
  return true;
}

// Whether a process of a job has. The others of the job may have been killed then.
inline bool any_skipped(std::span<const std::int32_t> codes) {
  return std::find(codes.begin(), codes.end(), kSkipped) != codes.end();
}

// Why a test is skipped: GTEST_SKIP() << lacks(transport).
inline std::string lacks(const Transport &transport) {
  return std::string("this machine or build lacks ") + transport.name;
}

} // namespace avrankmap::test

#endif
