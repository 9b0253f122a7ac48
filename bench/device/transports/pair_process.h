// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of a measurement, two or more: forked, each on a CPU of its own as long as there
// are enough of them, and what they tell.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_PAIR_PROCESS_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_PAIR_PROCESS_H

#include "device/transports/device_channel.h"
#include "device/transports/list.h"
#include "device/transports/timing_loops.h"
#include "support/log.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace avrankmap::bench {

namespace pair {

constexpr int kMissing = 77; ///< exit code: this machine lacks the transport

/// Pins this process, and gives UCX the environment in which the bare context and ours are alike.
/// With more processes than CPUs, those with neighbouring ranks share one.
void prepare(const Transport &transport, int rank, int size);

/// Forks so many processes that run run(boot, user). False, after a note, unless all end well.
bool fork_all(const std::string &what, int size, int (*run)(avrm_boot_t *boot, void *user), void *user,
              const Log &note);

} // namespace pair

/// Runs body(boot, state) in so many processes, State being what holds their channels: it outlives
/// an exception, since closing a channel needs the other process, which may be somewhere else.
/// `what` and `transport` name the measurement in the note that is left if it does not come about.
template <class State, class Body>
bool run_processes(const char *what, const Transport &transport, int size, const Log &note, const Body &body) {
  struct Job {
    const char *what;
    const Transport &transport;
    const Body &body;
  };
  const Job job{what, transport, body};
  const auto run = [](avrm_boot_t *boot, void *user) -> int {
    const Job &own = *static_cast<const Job *>(user);
    pair::prepare(own.transport, avrm_boot_rank(boot), avrm_boot_size(boot));
    State state;
    try {
      own.body(boot, state);
    } catch (const TransportMissing &) {
      std::_Exit(pair::kMissing);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s, %s: %s\n", own.what, own.transport.name, error.what());
      std::_Exit(1);
    }
    return 0;
  };
  return pair::fork_all(std::string(what) + ", " + transport.name, size, run,
                        const_cast<void *>(static_cast<const void *>(&job)), note);
}

template <class State, class Body>
bool run_pair(const char *what, const Transport &transport, const Log &note, const Body &body) {
  return run_processes<State>(what, transport, 2, note, body);
}

/// Windows or operations that last as long as a measurement should. Both processes call it.
std::uint64_t choose_count(PairControl &control, Subject &subject, const TransportCase &which, int rank, double wanted);

} // namespace avrankmap::bench

#endif
