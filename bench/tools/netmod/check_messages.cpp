// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of tagged messages.
#include "tools/netmod/checks.h"

#include <cstring>
#include <iterator>

namespace avrankmap::netmod_test {

namespace {

// Match bits as the core makes them: a context, a source and a tag.
std::uint64_t bits(std::uint32_t context, std::int32_t source, std::int32_t tag) {
  return avrm_match_pack(context, source, tag);
}

// A small message goes by tinject, a large one by tsend.
void send_any(Side &side, const Bytes &data, std::uint64_t match) {
  if (data.size() <= side.net->inject_max) {
    side.inject(side.handle(side.peer()), data, match);
  } else {
    (void)side.send(side.handle(side.peer()), data, match);
  }
}

std::vector<std::size_t> sizes_of(const Side &side) {
  const std::size_t inject = side.net->inject_max;
  return {0, 1, 8, inject, inject + 1, 4096, 65536, 1 << 20};
}

} // namespace

void messages_of_every_size(Side &side) {
  // Once with receives that wait, once with messages that do.
  for (const bool receives_first : {true, false}) {
    const std::vector<std::size_t> sizes = sizes_of(side);
    if (side.rank == 1) {
      if (!receives_first) {
        side.until_other([&] { return side.shared.word != 0; });
      }
      std::vector<Operation *> receives;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        receives.push_back(&side.receive(side.handle(0), sizes[i], bits(1, 0, static_cast<std::int32_t>(i))));
      }
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Sentence sentence = sizes[i] <= side.net->inject_max ? Sentence::kInject : Sentence::kSend;
        side.expect_message(*receives[i], content(i, sizes[i]), bits(1, 0, static_cast<std::int32_t>(i)), sentence);
      }
    } else {
      std::vector<Operation *> sends;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::uint64_t match = bits(1, 0, static_cast<std::int32_t>(i));
        if (sizes[i] <= side.net->inject_max) {
          side.inject(side.handle(1), content(i, sizes[i]), match);
        } else {
          sends.push_back(&side.send(side.handle(1), content(i, sizes[i]), match));
        }
      }
      side.shared.word = 1;
      for (Operation *const send : sends) {
        side.await(*send, Sentence::kSend);
        side.expect(send->status == AVRM_OK, Sentence::kSend, "a send did not complete with AVRM_OK");
      }
    }
    side.barrier();
    side.shared.word = 0;
    side.barrier();
  }
}

void match_bits_and_masks(Side &side) {
  const std::uint64_t tags = AVRM_MATCH_TAG_MASK;
  const std::uint64_t sources = AVRM_MATCH_SOURCE_MASK;
  const Bytes one = content(1, 8);
  const Bytes two = content(2, 8);
  const Bytes three = content(3, 8);
  // Every field at its greatest.
  const std::uint64_t last = bits((3U << 21) | 5, (1 << 24) - 1, AVRM_MATCH_MAX_TAG);
  if (side.rank == 0) {
    side.inject(side.handle(1), one, bits(2, 7, 5));
    side.inject(side.handle(1), two, bits(3, 7, 5)); // another context
    side.inject(side.handle(1), three, last);
  } else {
    // None of these fits a message above.
    Operation &wrong_tag = side.receive(side.handle(0), 8, bits(2, 7, 4));
    Operation &wrong_source = side.receive(side.handle(0), 8, bits(2, 6, 5), tags);
    Operation &wrong_context = side.receive(AVRM_ANY_ADDRESS, 8, bits(4, 7, 5), tags | sources);
    Operation *const wrong[] = {&wrong_tag, &wrong_source, &wrong_context};
    const auto expect_match = [&](Operation &receive, const Bytes &expected, std::uint64_t match, Sentence sentence) {
      side.until(
          [&] {
            for (const Operation *const other : wrong) {
              side.expect(!other->is_done, Sentence::kMatch, "a receive took a message whose match bits differ");
            }
            return receive.is_done;
          },
          sentence, "a receive did not take a message that fits");
      side.expect_message(receive, expected, match, sentence);
    };
    expect_match(side.receive(side.handle(0), 8, bits(3, 7, 9), tags), two, bits(3, 7, 5), Sentence::kMatch);
    expect_match(side.receive(AVRM_ANY_ADDRESS, 8, bits(2, 0, 0), tags | sources), one, bits(2, 7, 5),
                 Sentence::kAnyAddress);
    expect_match(side.receive(side.handle(0), 8, last), three, last, Sentence::kMatch);
    for (Operation *const receive : wrong) {
      side.cancel(*receive);
      side.await(*receive, Sentence::kCancel);
      side.expect(receive->status == AVRM_ERR_CANCELLED, Sentence::kCancel,
                  "a cancelled receive without a message completed with another status");
    }
  }
  side.barrier();
}

void order_of_messages(Side &side) {
  constexpr int kMessages = 60;
  const std::size_t sizes[] = {8, 5000, side.net->inject_max, 100000, 0, side.net->inject_max + 1};
  const auto size_of = [&](int i) { return sizes[static_cast<std::size_t>(i) % std::size(sizes)]; };
  for (const bool receives_first : {true, false}) {
    if (side.rank == 0) {
      if (receives_first) {
        side.until_other([&] { return side.shared.word != 0; });
      }
      for (int i = 0; i < kMessages; ++i) {
        send_any(side, content(static_cast<std::uint64_t>(i), size_of(i)), bits(6, 0, i % 7));
      }
      side.shared.word = 2;
    } else {
      if (!receives_first) {
        side.until_other([&] { return side.shared.word == 2; });
      }
      std::vector<Operation *> receives;
      for (int i = 0; i < kMessages; ++i) {
        receives.push_back(&side.receive(side.handle(0), 100000, bits(6, 0, 0), AVRM_MATCH_TAG_MASK));
      }
      side.shared.word = 1;
      for (int i = 0; i < kMessages; ++i) {
        Operation &receive = *receives[static_cast<std::size_t>(i)];
        side.await(receive, Sentence::kOrder);
        side.expect(avrm_match_tag(receive.match) == i % 7, Sentence::kOrder,
                    "a message was matched before an earlier one");
        side.expect_message(receive, content(static_cast<std::uint64_t>(i), size_of(i)), bits(6, 0, i % 7),
                            Sentence::kOrder);
      }
    }
    side.barrier();
    side.shared.word = 0;
    side.barrier();
  }
}

void first_receive_that_fits(Side &side) {
  if (side.rank == 1) {
    Operation &any = side.receive(AVRM_ANY_ADDRESS, 8, bits(7, 0, 0), AVRM_MATCH_TAG_MASK | AVRM_MATCH_SOURCE_MASK);
    Operation &exact = side.receive(side.handle(0), 8, bits(7, 0, 3));
    Operation &later = side.receive(side.handle(0), 8, bits(7, 0, 0), AVRM_MATCH_TAG_MASK);
    side.barrier();
    side.expect_message(any, content(1, 8), bits(7, 0, 3), Sentence::kFirstReceive);
    side.expect_message(exact, content(2, 8), bits(7, 0, 3), Sentence::kFirstReceive);
    side.expect_message(later, content(3, 8), bits(7, 0, 3), Sentence::kFirstReceive);
  } else {
    side.barrier();
    for (const std::uint64_t i : {1, 2, 3}) {
      side.inject(side.handle(1), content(i, 8), bits(7, 0, 3));
    }
  }
  side.barrier();
}

// A later message has arrived when the receive is posted, so the earlier one has as well.
void synchronous_messages(Side &side) {
  std::int32_t tag = 0;
  for (const std::size_t bytes : sizes_of(side)) {
    for (const std::size_t room : {bytes, bytes / 2}) {
      ++tag;
      if (side.rank == 0) {
        Operation &send = side.send_sync(side.handle(1), content(bytes, bytes), bits(13, 0, tag));
        side.inject(side.handle(1), content(1, 8), bits(13, 0, 0));
        side.barrier();
        for (int i = 0; i < 100; ++i) {
          side.progress();
        }
        side.expect(!send.is_done, Sentence::kSendSync, "the request completed before a receive was posted");
        side.barrier();
        side.await(send, Sentence::kSendSync);
        side.expect(send.status == AVRM_OK, Sentence::kSendSync, "a send did not complete with AVRM_OK");
      } else {
        side.expect_message(side.receive(side.handle(0), 8, bits(13, 0, 0)), content(1, 8), bits(13, 0, 0),
                            Sentence::kInject);
        side.barrier();
        side.barrier();
        Operation &receive = side.receive(side.handle(0), room, bits(13, 0, tag));
        if (room == bytes) {
          side.expect_message(receive, content(bytes, bytes), bits(13, 0, tag), Sentence::kSendSync);
        } else {
          side.await(receive, Sentence::kTruncated);
        }
      }
      side.barrier();
    }
  }
}

void truncation(Side &side) {
  const std::size_t sizes[] = {8, 3000, 200000};
  for (const bool receives_first : {true, false}) {
    for (const std::size_t bytes : sizes) {
      if (side.rank == 0) {
        if (receives_first) {
          side.barrier();
        }
        send_any(side, content(bytes, bytes), bits(8, 0, 1));
        if (!receives_first) {
          side.barrier();
        }
      } else {
        if (!receives_first) {
          side.barrier();
        }
        Operation &receive = side.receive(side.handle(0), bytes / 2, bits(8, 0, 1));
        if (receives_first) {
          side.barrier();
        }
        side.await(receive, Sentence::kTruncated);
        side.expect(receive.status == AVRM_ERR_TRUNCATED, Sentence::kTruncated,
                    "a receive of a longer message completed with another status");
        side.expect(receive.guards_hold(), Sentence::kTruncated, "bytes outside the buffer were written");
        side.expect(receive.bytes == bytes && receive.match == bits(8, 0, 1), Sentence::kMatchAndBytes,
                    "a truncated receive has not the length and match bits of its message");
      }
      side.barrier();
    }
  }
}

void cancelled_receives(Side &side) {
  Operation *late = nullptr;
  if (side.rank == 1) {
    Operation &receive = side.receive(side.handle(0), 8, bits(9, 0, 1));
    side.cancel(receive);
    if (!receive.is_done) {
      side.cancel(receive); // once more
    }
    side.await(receive, Sentence::kCancelTwice);
    side.expect(receive.status == AVRM_ERR_CANCELLED, Sentence::kCancel,
                "a cancelled receive without a message completed with another status");
    late = &side.receive(side.handle(0), 100000, bits(9, 0, 1));
  }
  side.barrier();
  if (side.rank == 0) {
    send_any(side, content(4, 100000), bits(9, 0, 1));
  } else {
    // A message may be on its way: then it is either this receive's or the next one's.
    side.progress();
    if (!late->is_done) {
      side.cancel(*late);
    }
    side.await(*late, Sentence::kCancelTwice);
    if (late->status == AVRM_ERR_CANCELLED) {
      late = &side.receive(side.handle(0), 100000, bits(9, 0, 1));
    }
    side.expect_message(*late, content(4, 100000), bits(9, 0, 1), Sentence::kCancel);
  }
  side.barrier();
}

// The sender fills its buffer as soon as the request completes, when nobody has received yet.
void freed_buffers(Side &side) {
  const std::size_t sizes[] = {side.net->inject_max + 1, 20000, 300000};
  for (const std::size_t bytes : sizes) {
    if (side.rank == 0) {
      Operation &send = side.send(side.handle(1), content(bytes, bytes), bits(10, 0, 1));
      const auto overwrite = [&] {
        std::memset(send.data(), kCompleted, send.size);
        send.completed.assign(send.size, kCompleted);
      };
      for (int i = 0; i < 200 && !send.is_done; ++i) { // some wait for the receiver
        side.progress();
      }
      if (send.is_done) {
        overwrite();
      }
      side.shared.word = 1;
      side.await(send, Sentence::kSend);
      overwrite();
    } else {
      side.until_other([&] { return side.shared.word == 1; });
      side.expect_message(side.receive(side.handle(0), bytes, bits(10, 0, 1)), content(bytes, bytes), bits(10, 0, 1),
                          Sentence::kSend);
    }
    side.barrier();
    side.shared.word = 0;
    side.barrier();
  }
}

void messages_to_itself(Side &side) {
  const std::uint64_t again = side.insert(side.rank); // another handle of this process
  for (const std::uint64_t to : {side.handle(side.rank), again}) {
    side.inject(to, content(1, 8), bits(11, side.rank, 1));
    Operation &send = side.send(to, content(2, 50000), bits(11, side.rank, 2));
    side.expect_message(side.receive(to, 8, bits(11, side.rank, 1)), content(1, 8), bits(11, side.rank, 1),
                        Sentence::kInsertTwice);
    side.expect_message(side.receive(to, 50000, bits(11, side.rank, 2)), content(2, 50000), bits(11, side.rank, 2),
                        Sentence::kInsertTwice);
    side.await(send, Sentence::kInsertTwice);
  }
  side.settings.ops->remove(side.net, again);
  side.barrier();
}

// Two processes in one call, with addresses further apart than they are long, as in a device.
void peers_inserted_together(Side &side) {
  const std::size_t bytes = side.shared.note[0].bytes;
  if (bytes == side.shared.note[1].bytes) { // others are inserted by separate calls
    constexpr std::size_t kApart = 40;
    const std::size_t pitch = bytes + kApart;
    Bytes addresses(2 * pitch, kReturned);
    for (std::size_t of : {0, 1}) {
      std::memcpy(addresses.data() + of * pitch, side.shared.note[of].of, bytes);
    }
    std::uint64_t both[2] = {UINT64_MAX, UINT64_MAX};
    const avrm_status_t status = side.settings.ops->insert(side.net, 2, addresses.data(), pitch, bytes, both);
    side.expect_resources("insert", status);
    side.expect(status == AVRM_OK, Sentence::kInsert, "insert of two peers failed");
    for (std::size_t of : {0, 1}) {
      avrm_status_t sent = AVRM_ERR_AGAIN;
      side.until(
          [&] {
            sent = side.try_inject(both[of], content(static_cast<std::uint64_t>(side.rank), 8), bits(14, side.rank, 1));
            return sent != AVRM_ERR_AGAIN;
          },
          Sentence::kAccepts, "AVRM_ERR_AGAIN for ever");
      side.expect_resources("tinject", sent);
      side.expect(sent == AVRM_OK, Sentence::kInsert, "a peer that was inserted with another one was not reached");
    }
    for (int from : {0, 1}) {
      const Bytes expected = content(static_cast<std::uint64_t>(from), 8);
      side.expect_message(side.receive(AVRM_ANY_ADDRESS, 8, bits(14, from, 1)), expected, bits(14, from, 1),
                          Sentence::kInsert);
    }
    side.barrier();
    for (const std::uint64_t handle : both) {
      side.settings.ops->remove(side.net, handle);
    }
  }
  side.barrier();
}

// Rank 1 makes no progress until rank 0 was refused, and then receives all that was accepted.
void peer_that_does_nothing(Side &side) {
  constexpr std::uint64_t kMost = 2000000;
  const Bytes data = content(1, side.net->inject_max < 256 ? side.net->inject_max : 256);
  if (side.rank == 0) {
    std::uint64_t accepted = 0;
    avrm_status_t status = AVRM_OK;
    // Refused many times, with progress in between.
    for (int refusals = 0; refusals < 1000 && accepted < kMost;) {
      status = side.try_inject(side.handle(1), data, bits(12, 0, 1));
      accepted += status == AVRM_OK ? 1 : 0;
      refusals += status == AVRM_OK ? 0 : 1;
      if (status != AVRM_OK) {
        side.progress();
      }
    }
    side.expect(accepted < kMost, Sentence::kRefuses, "two million messages were accepted");
    side.shared.word = accepted + 1;
  } else {
    side.sleep_until([&] { return side.shared.word != 0; });
    for (std::uint64_t left = side.shared.word - 1; left != 0; --left) {
      side.expect_message(side.receive(side.handle(0), data.size(), bits(12, 0, 1)), data, bits(12, 0, 1),
                          Sentence::kInject);
      side.settle();
    }
  }
  side.barrier();
  side.shared.word = 0;
  side.barrier();
}

} // namespace avrankmap::netmod_test
