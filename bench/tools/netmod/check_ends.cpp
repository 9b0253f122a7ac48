// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of peers that go and of closing.
#include "tools/netmod/checks.h"

#include <signal.h>
#include <unistd.h>

#include <string>

namespace avrankmap::netmod_test {

namespace {

const std::uint64_t kTag = avrm_match_pack(30, 0, 1);
const std::uint64_t kOther = avrm_match_pack(30, 0, 2);
// More than a network keeps for a process that does not read.
constexpr std::size_t kLarge = 4 << 20;

void expect_end(Side &side, Operation &operation, Sentence sentence, std::initializer_list<avrm_status_t> allowed) {
  side.await(operation, sentence);
  for (const avrm_status_t status : allowed) {
    if (operation.status == status) {
      return;
    }
  }
  side.breach(sentence, std::string("a request completed with ") + avrm_status_name(operation.status));
}

void expect_refusal(Side &side, const char *name, avrm_status_t status) {
  if (status != AVRM_ERR_PEER) {
    side.breach(Sentence::kPeerFailed, std::string(name) + " to a failed peer returned " + avrm_status_name(status));
  }
}

} // namespace

// Another handle of the peer goes with a send that may be pending; the first one goes on.
void removed_peers(Side &side) {
  if (side.rank == 0) {
    const std::uint64_t other = side.insert(1);
    Operation &send = side.send(other, content(1, kLarge), kOther);
    side.within([&] { side.settings.ops->remove(side.net, other); });
    expect_end(side, send, Sentence::kRemove, {AVRM_OK, AVRM_ERR_CANCELLED, AVRM_ERR_PEER});
    side.inject(side.handle(1), content(2, 8), kTag);
  } else {
    side.expect_message(side.receive(side.handle(0), 8, kTag), content(2, 8), kTag, Sentence::kRemove);
  }
  side.barrier();
}

void closing_with_pending_requests(Side &side) {
  Operation &receive = side.receive(side.handle(side.peer()), 8, kTag);
  Operation &other = side.receive(AVRM_ANY_ADDRESS, 8, kOther);
  side.barrier();
  side.close();
  for (Operation *const pending : {&receive, &other}) {
    side.expect(pending->is_done, Sentence::kCloseCancels, "a pending request did not complete");
    side.expect(pending->status == AVRM_ERR_CANCELLED, Sentence::kCloseCancels,
                "a pending request completed with another status");
  }
}

// Rank 0 sends, closes and is gone before rank 1 looks.
void closing_after_messages(Side &side) {
  if (side.rank == 0) {
    side.inject(side.handle(1), content(1, 8), kTag);
    Operation &send = side.send(side.handle(1), content(2, side.net->inject_max + 1), kTag);
    side.active(side.handle(1), content(3, 100), {});
    for (int i = 0; i < 100 && !send.is_done; ++i) {
      side.progress();
    }
    const bool is_sent = send.is_done && send.status == AVRM_OK;
    side.close();
    side.shared.word = is_sent ? 2 : 1;
    return;
  }
  for (int waits = 0; side.shared.word == 0 && waits < 100000; ++waits) {
    usleep(100);
    if (waits % 8 == 7) {
      side.progress(); // closing may need it
    }
  }
  side.expect_message(side.receive(side.handle(0), 8, kTag), content(1, 8), kTag, Sentence::kCloseDelivers);
  if (side.shared.word == 2) {
    const std::size_t bytes = side.net->inject_max + 1;
    side.expect_message(side.receive(side.handle(0), bytes, kTag), content(2, bytes), kTag, Sentence::kCloseDelivers);
  }
  side.until([&] { return !side.arrived.empty(); }, Sentence::kCloseDelivers, "an active message did not arrive");
  side.expect_content(side.arrived.front(), content(3, 100), Sentence::kCloseDelivers);
  side.close();
}

// Rank 2 dies with a message of its own under way, and with receives that nobody completes.
void failed_peer(Side &side) {
  constexpr int kVictim = 2;
  if (side.rank == kVictim) {
    side.inject(side.handle(0), content(1, 8), kTag);
    for (int i = 0; i < 50; ++i) {
      side.progress();
    }
    side.shared.word = 1;
    while (side.shared.word != 2) {
      side.progress();
      usleep(50);
    }
    (void)kill(getpid(), SIGKILL);
  }
  if (side.rank == 1) {
    side.until_other([&] { return side.shared.word == 4; });
    side.expect_message(side.receive(side.handle(0), 8, kOther), content(2, 8), kOther, Sentence::kPeerFailed);
    side.shared.word = 5;
    return;
  }
  const std::uint64_t victim = side.handle(kVictim);
  side.until_other([&] { return side.shared.word == 1; });
  for (int i = 0; i < 20; ++i) { // its message arrives
    side.progress();
    usleep(200);
  }
  Operation &send = side.send(victim, content(3, kLarge), kOther);
  Operation &receive = side.receive(victim, 8, kOther);
  side.shared.word = 2;
  usleep(20000); // it is dead: nothing was told
  for (int i = 0; i < 20; ++i) {
    side.progress();
  }
  for (int times = 0; times < 2; ++times) {
    side.within([&] { side.settings.ops->peer_failed(side.net, victim); });
  }
  expect_end(side, send, Sentence::kPeerFailed, {AVRM_OK, AVRM_ERR_PEER});
  expect_refusal(side, "tinject", side.try_inject(victim, content(4, 8), kTag));
  Operation *refused = nullptr;
  expect_refusal(side, "tsend", side.try_send(victim, content(5, kLarge), kTag, &refused));
  expect_refusal(side, "am_send", side.try_active(victim, content(6, 8), {}));
  if (!receive.is_done) {
    side.cancel(receive);
  }
  expect_end(side, receive, Sentence::kCancel, {AVRM_ERR_CANCELLED, AVRM_ERR_PEER});
  side.expect_message(side.receive(victim, 8, kTag), content(1, 8), kTag, Sentence::kReceivesAfter);
  side.inject(side.handle(1), content(2, 8), kOther);
  side.shared.word = 4;
  side.until_other([&] { return side.shared.word == 5; });
}

} // namespace avrankmap::netmod_test
