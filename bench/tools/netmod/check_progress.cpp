// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of active messages, probes, sleep and further queues.
#include "tools/netmod/checks.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace avrankmap::netmod_test {

namespace {

const std::uint64_t kTag = avrm_match_pack(20, 0, 1);

Bytes joined(const Bytes &a, const Bytes &b) {
  Bytes both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

Bytes next_active(Side &side, Sentence sentence) {
  side.until([&] { return !side.arrived.empty(); }, sentence, "an active message did not arrive");
  Bytes first = side.arrived.front();
  side.arrived.pop_front();
  return first;
}

} // namespace

void active_messages(Side &side) {
  constexpr std::uint64_t kMessages = 40;
  const auto header = [](std::uint64_t i) { return content(i, 1 + i); };
  const auto payload = [&](std::uint64_t i) {
    return content(i + 100, i % 3 == 0 ? 0 : i % 3 == 1 ? 100 : side.net->am_max - header(i).size());
  };
  if (side.rank == 0) {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      side.active(side.handle(1), header(i), payload(i));
    }
  } else {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      const Bytes message = next_active(side, Sentence::kAmSend);
      const Bytes expected = joined(header(i), payload(i));
      const bool is_later = message != expected && message.size() > header(i).size() && i + 1 < kMessages &&
                            message == joined(header(i + 1), payload(i + 1));
      side.expect(!is_later, Sentence::kAmOrder, "an active message arrived before an earlier one");
      side.expect_content(message, expected, Sentence::kAmSend);
    }
  }
  side.barrier();
}

// Rank 1 answers from on_am, by a handle that it inserts there.
void replies_from_on_am(Side &side) {
  constexpr int kMessages = 5;
  if (side.rank == 1) {
    int answers = 0;
    side.on_active = [&](const Bytes &message) {
      const std::uint64_t back = side.insert(0);
      // Refused answers are dropped: the other process asks again.
      answers += side.try_active(back, message, {}) == AVRM_OK ? 1 : 0;
    };
    side.until_other([&] { return side.shared.word == 1; });
    side.on_active = nullptr;
    side.arrived.clear();
    side.expect(answers != 0, Sentence::kFromOnAm, "am_send never accepted a message within on_am");
  } else {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      side.active(side.handle(1), content(i, 16), {});
      for (int waits = 0; side.arrived.empty() && waits < 2000; ++waits) {
        side.progress();
        usleep(50);
      }
      if (!side.arrived.empty()) {
        side.expect_content(side.arrived.front(), content(i, 16), Sentence::kFromOnAm);
        side.arrived.pop_front();
      }
    }
    side.shared.word = 1;
  }
  side.barrier();
  side.arrived.clear();
  side.shared.word = 0;
  side.barrier();
}

void untaken_messages(Side &side) {
  constexpr std::uint64_t kMessages = 20;
  const auto header = [](std::uint64_t i) { return content(i, 16); };
  const auto payload = [](std::uint64_t i) { return content(i + 100, i % 3 * 400); };
  if (side.rank == 0) {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      side.active(side.handle(1), header(i), payload(i));
    }
  } else {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      side.refusals = 1 + static_cast<int>(i % 5);
      side.expect_content(next_active(side, Sentence::kOffered), joined(header(i), payload(i)), Sentence::kOffered);
    }
    side.expect(side.arrived.empty(), Sentence::kOffered, "an active message arrived twice");
  }
  side.barrier();
}

// Of a netmod that delivers nothing: it takes messages all the same.
void lost_messages(Side &side) {
  side.inject(side.handle(side.peer()), content(1, 8), kTag);
  Operation &send = side.send(side.handle(side.peer()), content(2, 5000), kTag);
  side.await(send, Sentence::kSend);
  Operation &receive = side.receive(side.handle(side.peer()), 8, kTag);
  side.progress();
  side.expect(!receive.is_done, Sentence::kMatch, "a receive completed without a message");
  side.cancel(receive);
  side.await(receive, Sentence::kCancel);
  side.expect(receive.status == AVRM_ERR_CANCELLED, Sentence::kCancel,
              "a cancelled receive completed with another status");
  side.barrier();
}

void sleep_and_wake(Side &side) {
  int before = -1;
  for (int round = 0; round < 5; ++round) {
    if (side.rank == 1) {
      Operation &receive = side.receive(side.handle(0), 8, kTag);
      side.shared.word = static_cast<std::uint64_t>(2 * round + 1); // rank 0 may send
      bool has_slept = false;
      for (int looks = 0; !receive.is_done && looks < 100000; ++looks) {
        if (side.progress() != 0 || receive.is_done) {
          continue;
        }
        int descriptor = -1;
        const avrm_status_t status = side.settings.ops->arm(side.net, &descriptor);
        side.expect(status == AVRM_OK || status == AVRM_ERR_AGAIN || status == AVRM_ERR_UNSUPPORTED, Sentence::kArm,
                    "arm returned a status that it has not");
        if (status != AVRM_OK) {
          continue;
        }
        side.expect(before == -1 || descriptor == before, Sentence::kArm, "the descriptor changed");
        before = descriptor;
        side.shared.word = static_cast<std::uint64_t>(2 * round + 2); // and wakes this process
        pollfd wanted{descriptor, POLLIN, 0};
        const int milliseconds = static_cast<int>(side.settings.seconds * 500) + 1;
        side.expect(poll(&wanted, 1, milliseconds) == 1, Sentence::kArm,
                    "the descriptor did not become readable when a message came");
        has_slept = true;
      }
      (void)has_slept;
      side.expect_message(receive, content(static_cast<std::uint64_t>(round), 8), kTag, Sentence::kArm);
      side.shared.word = 0;
    } else {
      for (int waits = 0; side.shared.word != static_cast<std::uint64_t>(2 * round + 2) && waits < 20; ++waits) {
        side.progress();
        usleep(1000); // without arm's AVRM_OK it is sent after a while
      }
      usleep(500); // by now the other process sleeps
      side.inject(side.handle(1), content(static_cast<std::uint64_t>(round), 8), kTag);
    }
    side.barrier();
  }
}

void probes(Side &side) {
  const avrm_netmod_ops_t &ops = *side.settings.ops;
  if (side.rank == 0) {
    side.inject(side.handle(1), content(1, 8), kTag);
    (void)side.send(side.handle(1), content(2, 5000), kTag);
    side.barrier();
    return;
  }
  avrm_netmod_message_t message{};
  bool is_found = false;
  const auto look = [&](std::uint64_t match, bool claims) {
    avrm_status_t status = AVRM_ERR_AGAIN;
    is_found = false;
    side.until(
        [&] {
          const int before = side.completions;
          status = ops.tprobe(side.net, match, 0, claims, &is_found, &message);
          side.expect(side.completions == before, Sentence::kProbeProgress, "something completed within tprobe");
          return status != AVRM_ERR_AGAIN;
        },
        Sentence::kAccepts, "tprobe returned AVRM_ERR_AGAIN for ever");
    return status;
  };
  const auto look_until_found = [&](bool claims) {
    avrm_status_t status = AVRM_OK;
    side.until([&] { return (status = look(kTag, claims)) != AVRM_OK || is_found; }, Sentence::kProbe,
               "a message was not found");
    return status;
  };
  if (look_until_found(false) == AVRM_ERR_UNSUPPORTED) {
    side.expect_message(side.receive(side.handle(0), 8, kTag), content(1, 8), kTag, Sentence::kMatch);
    side.expect_message(side.receive(side.handle(0), 5000, kTag), content(2, 5000), kTag, Sentence::kMatch);
    side.barrier();
    return;
  }
  side.expect(message.match == kTag && message.bytes == 8, Sentence::kProbe, "another message was found");
  side.expect(look(kTag + 1, false) == AVRM_OK && !is_found, Sentence::kProbe, "a message was found that is not there");
  (void)look_until_found(true);
  side.expect(message.bytes == 8, Sentence::kProbe, "the first message was not found again");
  const avrm_netmod_message_t claimed = message;
  (void)look_until_found(false);
  side.expect(message.bytes == 5000, Sentence::kClaim, "a claimed message was found again");
  Operation &second = side.receive(side.handle(0), 5000, kTag);
  side.expect_message(second, content(2, 5000), kTag, Sentence::kClaim);
  Operation &first = side.post("trecv_claimed", 8, [&](Operation &one) {
    one.piece = {one.data(), one.size};
    return ops.trecv_claimed(side.net, side.handle(0), &claimed, &one.piece, 1, &one.request);
  });
  side.expect_message(first, content(1, 8), kTag, Sentence::kTrecvClaimed);
  for (const Sentence sentence :
       {Sentence::kProbe, Sentence::kProbeProgress, Sentence::kClaim, Sentence::kTrecvClaimed}) {
    side.tried(sentence);
  }
  side.barrier();
}

void work_queues(Side &side) {
  const avrm_netmod_ops_t &ops = *side.settings.ops;
  avrm_netmod_t *queue = nullptr;
  if (side.rank == 0) {
    const avrm_status_t status = ops.open_queue(side.net, &queue);
    side.expect_resources("open_queue", status);
    side.expect(status == AVRM_OK || status == AVRM_ERR_UNSUPPORTED, Sentence::kQueue, "open_queue failed");
    side.shared.word = status == AVRM_OK ? 1 : 2;
    if (status == AVRM_OK) {
      queue->ops = &ops; // as the core does
    }
  }
  side.barrier();
  const bool has_queue = side.shared.word == 1;
  side.barrier();
  side.shared.word = 0; // as the next check expects it
  side.barrier();
  if (!has_queue) {
    return;
  }
  if (side.rank == 1) {
    side.expect_message(side.receive(side.handle(0), 8, kTag), content(7, 8), kTag, Sentence::kQueue);
  } else {
    avrm_netmod_t *const first = side.net;
    side.net = queue;
    const std::uint64_t handle = side.insert(1);
    side.inject(handle, content(7, 8), kTag);
    side.net = first;
    for (int i = 0; i < 100; ++i) {
      side.net = queue;
      side.progress();
      side.net = first;
      side.progress();
    }
    ops.close(queue);
  }
  side.tried(Sentence::kQueue);
  side.barrier();
}

} // namespace avrankmap::netmod_test
