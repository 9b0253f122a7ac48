// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The transports that are measured, and by what. A transport that this machine or this build lacks
// is left out when it is met, with a note.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_LIST_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_LIST_H

#include "avrankmap/device/device.h"

#include <stdexcept>
#include <string_view>

namespace avrankmap::bench {

/// The interface of a transport without us, which is measured for comparison.
enum class Bare { kNone, kOfi, kUcx };

/// Measurements that a transport can be part of.
enum Study : unsigned {
  kInRates = 1,    ///< message rates and latencies: transports.h
  kInFastpath = 2, ///< every build and proposal of the fast path: fastpath/networks.h
  kInModes = 4,    ///< rates by the mode of the communicator: processes/put_rates.h
  kInPingPong = 8, ///< translation caches: cached_latency.h
  /// Jobs that connect, of which the first transport that is there: creation/creation_ops.h.
  kInJobs = 16,
};

struct Transport {
  const char *name; ///< "ofi:<provider>", "ucx:<transports>", "posix"
  const char *netmod;
  const char *provider; ///< null: the netmod needs none
  const char *shmmod;
  Bare bare;
  bool shared_memory;
  unsigned studies;
};

inline constexpr Transport kTransports[] = {
    {"ucx:tcp", "ucx", "tcp,self", "none", Bare::kUcx, false, kInRates | kInFastpath | kInModes | kInJobs},
    {"ofi:tcp;ofi_rxm", "ofi", "tcp;ofi_rxm", "none", Bare::kOfi, false,
     kInRates | kInFastpath | kInModes | kInPingPong | kInJobs},
    {"ofi:net;ofi_rxm", "ofi", "net;ofi_rxm", "none", Bare::kOfi, false, kInRates},
    // Shared memory: UCX's own, then ours, alone and with a network to be polled alongside it.
    {"ucx:posix,cma", "ucx", "posix,self,cma", "none", Bare::kUcx, true, kInRates | kInFastpath | kInPingPong},
    {"posix", "null", nullptr, "posix", Bare::kNone, true, kInRates},
    {"posix with ofi:tcp;ofi_rxm", "ofi", "tcp;ofi_rxm", "posix", Bare::kNone, true, kInRates},
};

/// The transport of that name. Throws std::invalid_argument if there is none.
constexpr const Transport &transport_named(std::string_view name) {
  for (const Transport &transport : kTransports) {
    if (transport.name == name) {
      return transport;
    }
  }
  throw std::invalid_argument("no such transport");
}

/// Options of a device over the transport.
inline avrm_device_options_t options_of(avrm_boot_t *boot, const Transport &transport) {
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = transport.netmod;
  options.provider = transport.provider;
  options.shmmod = transport.shmmod;
  return options;
}

} // namespace avrankmap::bench

#endif
