// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The checks: what two or three processes do to try some sentences of the contract.
#ifndef AVRANKMAP_BENCH_TOOLS_NETMOD_CHECKS_H
#define AVRANKMAP_BENCH_TOOLS_NETMOD_CHECKS_H

#include <span>

#include "tools/netmod/side.h"

namespace avrankmap::netmod_test {

// Which processes it needs.
enum class Stage {
  kTogether, // two, and the netmod that the check before has used
  kAlone,    // two of its own: it closes the netmod
  kDeath     // three of its own, the last of which dies
};

struct Check {
  const char *name;
  Stage stage;
  unsigned capabilities; // without which it is left out
  // Null: always. Whether the netmod has the operations.
  bool (*applies)(const avrm_netmod_ops_t &ops);
  void (*body)(Side &side);
  std::span<const Sentence> sentences; // that hold if it passes
};

// In the order in which they run.
[[nodiscard]] std::span<const Check> all_checks();

// By subject.
void messages_of_every_size(Side &side);
void match_bits_and_masks(Side &side);
void order_of_messages(Side &side);
void first_receive_that_fits(Side &side);
void synchronous_messages(Side &side);
void truncation(Side &side);
void cancelled_receives(Side &side);
void freed_buffers(Side &side);
void messages_to_itself(Side &side);
void peers_inserted_together(Side &side);
void peer_that_does_nothing(Side &side);
void active_messages(Side &side);
void replies_from_on_am(Side &side);
void untaken_messages(Side &side);
void lost_messages(Side &side);
void sleep_and_wake(Side &side);
void probes(Side &side);
void work_queues(Side &side);
void removed_peers(Side &side);
void windows(Side &side);
void small_puts(Side &side);
void atomics(Side &side);
void atomics_on_elements(Side &side);
void closing_with_pending_requests(Side &side);
void closing_after_messages(Side &side);
void failed_peer(Side &side);

} // namespace avrankmap::netmod_test

#endif
