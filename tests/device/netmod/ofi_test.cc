// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and active messages of the libfabric netmod between two processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ofi/transport.h"
#include "tests/device/netmod/ofi_fixture.h"

namespace avrankmap::test {
namespace {

using detail::ofi::transport_of;

class OfiMessages : public OfiNetmod {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiMessages, testing::ValuesIn(ofi_providers()), kByName);

std::vector<Transport> shared_memory() {
  return transports_of(Suites::kNetmod,
                       [](const Transport &transport) { return std::string_view(transport.name) == "ofi_shm"; });
}
class OfiSharedMemory : public OfiNetmod {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiSharedMemory, testing::ValuesIn(shared_memory()), kByName);

// The memory of a killed process that had the same number is in nobody's way.
TEST_P(OfiSharedMemory, UsesNoAddressTwice) {
  run([](Side &side) {
    Bytes first(512);
    Bytes second(512);
    std::size_t bytes = first.size();
    ASSERT_EQ(side.ops->address(side.net, first.data(), &bytes), AVRM_OK);
    side.barrier();
    side.close();
    ASSERT_EQ(side.open("shm"), AVRM_OK);
    bytes = second.size();
    ASSERT_EQ(side.ops->address(side.net, second.data(), &bytes), AVRM_OK);
    EXPECT_NE(first, second);
  });
}

TEST_P(OfiMessages, InjectedMessagesArriveWhole) {
  run([](Side &side) {
    for (const std::size_t bytes : sizes(side)) {
      if (bytes > side.net->inject_max) {
        continue;
      }
      const auto size = static_cast<unsigned>(bytes);
      Bytes buffer(bytes + 8);
      TestRequest request;
      ASSERT_EQ(side.receive(kMatch, 0, buffer, request), AVRM_OK);
      Bytes content = pattern(bytes, size);
      ASSERT_EQ(side.inject(kMatch, content), AVRM_OK) << side.ops->last_error(side.net);
      std::fill(content.begin(), content.end(), 0); // the buffer is free again
      side.wait(request);
      EXPECT_EQ(request.status, AVRM_OK);
      EXPECT_EQ(request.match, kMatch);
      EXPECT_EQ(request.bytes, bytes);
      buffer.resize(bytes);
      EXPECT_EQ(buffer, pattern(bytes, size));
    }
    side.barrier();
  });
}

TEST_P(OfiMessages, SentMessagesArriveWhole) {
  run([](Side &side) {
    for (const std::size_t bytes : sizes(side)) {
      const auto size = static_cast<unsigned>(bytes);
      Bytes buffer(bytes);
      Bytes content = pattern(bytes, size + static_cast<unsigned>(side.rank));
      TestRequest received;
      TestRequest sent;
      ASSERT_EQ(side.receive(kMatch, 0, buffer, received), AVRM_OK);
      ASSERT_EQ(side.send(kMatch, content, sent), AVRM_OK) << side.ops->last_error(side.net);
      side.wait(received);
      side.wait(sent);
      EXPECT_EQ(sent.status, AVRM_OK);
      EXPECT_EQ(received.status, AVRM_OK);
      EXPECT_EQ(received.bytes, bytes);
      EXPECT_EQ(buffer, pattern(bytes, size + static_cast<unsigned>(1 - side.rank)));
    }
    side.barrier();
  });
}

TEST_P(OfiMessages, MessagesWithoutReceiveWait) {
  run([](Side &side) {
    std::vector<Bytes> contents;
    std::vector<TestRequest> sent(sizes(side).size());
    for (const std::size_t bytes : sizes(side)) {
      contents.push_back(pattern(bytes, static_cast<unsigned>(bytes)));
    }
    if (side.rank == 0) {
      for (std::size_t i = 0; i < contents.size(); ++i) {
        ASSERT_EQ(side.send(kMatch + i, contents[i], sent[i]), AVRM_OK);
      }
    }
    side.barrier();
    if (side.rank == 1) {
      for (int polls = 0; polls < 1000; ++polls) { // lets them arrive
        side.poll();
      }
      for (std::size_t i = contents.size(); i-- > 0;) { // in another order
        Bytes buffer(contents[i].size());
        TestRequest received;
        ASSERT_EQ(side.receive(kMatch + i, 0, buffer, received), AVRM_OK);
        side.wait(received);
        EXPECT_EQ(received.status, AVRM_OK);
        EXPECT_EQ(received.bytes, contents[i].size());
        EXPECT_EQ(buffer, contents[i]);
      }
    } else {
      for (const TestRequest &request : sent) {
        side.wait(request);
        EXPECT_EQ(request.status, AVRM_OK);
      }
    }
    side.barrier();
  });
}

TEST_P(OfiMessages, MessagesDoNotOvertakeOneAnother) {
  run([](Side &side) {
    constexpr unsigned kMessages = 200;
    const auto length = [&side](unsigned i) { return i % 3 == 0 ? side.net->inject_max : i % 3 == 1 ? 3000u : 8u; };
    if (side.rank == 0) {
      std::vector<Bytes> contents;
      std::vector<TestRequest> sent(kMessages);
      for (unsigned i = 0; i < kMessages; ++i) {
        contents.push_back(pattern(length(i), i));
        if (contents[i].size() <= side.net->inject_max) {
          ASSERT_EQ(side.inject(kMatch, contents[i]), AVRM_OK);
        } else {
          ASSERT_EQ(side.send(kMatch, contents[i], sent[i]), AVRM_OK);
        }
      }
      for (unsigned i = 0; i < kMessages; ++i) {
        if (contents[i].size() > side.net->inject_max) {
          side.wait(sent[i]);
        }
      }
      side.barrier();
    } else {
      for (unsigned i = 0; i < kMessages; ++i) {
        Bytes buffer(8192);
        TestRequest received;
        ASSERT_EQ(side.receive(kMatch, 0, buffer, received), AVRM_OK);
        side.wait(received);
        buffer.resize(received.bytes);
        ASSERT_EQ(buffer, pattern(length(i), i)) << "message " << i;
      }
      side.barrier();
    }
  });
}

TEST_P(OfiMessages, ManyReceivesWaitAtOnce) {
  run([](Side &side) {
    constexpr unsigned kReceives = 3000;
    std::vector<Bytes> buffers(kReceives, Bytes(8));
    std::vector<TestRequest> received(kReceives);
    for (unsigned i = 0; i < kReceives; ++i) {
      ASSERT_EQ(side.receive(kMatch, 0, buffers[i], received[i]), AVRM_OK);
    }
    for (unsigned i = 0; i < kReceives; ++i) {
      ASSERT_EQ(side.inject(kMatch, pattern(8, i)), AVRM_OK);
    }
    for (unsigned i = 0; i < kReceives; ++i) {
      side.wait(received[i]);
      ASSERT_EQ(buffers[i], pattern(8, i));
    }
    side.barrier();
  });
}

TEST_P(OfiMessages, TooLongMessagesAreTruncated) {
  run([](Side &side) {
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}, std::size_t{1} << 20}) {
      Bytes content = pattern(bytes, 1);
      TestRequest sent;
      TestRequest received;
      Bytes buffer(bytes / 2);
      if (side.rank == 1) {
        ASSERT_EQ(side.receive(kMatch, 0xff, buffer, received), AVRM_OK);
      }
      side.barrier();
      if (side.rank == 0) {
        ASSERT_EQ(side.send(kMatch + 2, content, sent), AVRM_OK);
        side.wait(sent);
      } else {
        side.wait(received);
        EXPECT_EQ(received.status, AVRM_ERR_TRUNCATED) << bytes;
        EXPECT_GT(received.bytes, buffer.size());
        // Neither this message is lost for others, nor any later one.
        Bytes next(8);
        TestRequest request;
        ASSERT_EQ(side.receive(kMatch + 256, 0, next, request), AVRM_OK);
        side.wait(request);
        EXPECT_EQ(request.status, AVRM_OK);
        EXPECT_EQ(next, pattern(8, 9));
      }
      if (side.rank == 0) {
        ASSERT_EQ(side.inject(kMatch + 256, pattern(8, 9)), AVRM_OK);
      }
      side.barrier();
    }
  });
}

TEST_P(OfiMessages, TooLongMessagesAreTruncatedByLaterReceivesToo) {
  run([](Side &side) {
    for (const std::size_t bytes : {std::size_t{32}, std::size_t{5000}, std::size_t{1} << 20}) {
      Bytes content = pattern(bytes, 1);
      TestRequest sent;
      if (side.rank == 0) {
        ASSERT_EQ(side.send(kMatch, content, sent), AVRM_OK);
      }
      side.barrier();
      for (int polls = 0; polls < 1000; ++polls) {
        side.poll();
      }
      if (side.rank == 0) {
        side.wait(sent);
      } else {
        Bytes buffer(bytes - 1);
        TestRequest received;
        ASSERT_EQ(side.receive(kMatch, 0, buffer, received), AVRM_OK);
        side.wait(received);
        EXPECT_EQ(received.status, AVRM_ERR_TRUNCATED) << bytes;
        EXPECT_EQ(received.match, kMatch);
        EXPECT_TRUE(std::equal(buffer.begin(), buffer.end(), content.begin()));
      }
      side.barrier();
    }
  });
}

TEST_P(OfiMessages, ReceivesBeyondTheProvidersQueueCanBeCancelled) {
  run([](Side &side) {
    constexpr unsigned kReceives = 3000;
    Bytes buffer(8);
    std::vector<TestRequest> received(kReceives);
    for (TestRequest &request : received) {
      ASSERT_EQ(side.receive(kMatch, 0, buffer, request), AVRM_OK);
    }
    for (std::size_t i = kReceives; i-- > 0;) {
      side.ops->cancel(side.net, &received[i]);
    }
    for (const TestRequest &request : received) {
      side.wait(request);
      ASSERT_EQ(request.status, AVRM_ERR_CANCELLED);
    }
    side.barrier();
  });
}

TEST_P(OfiMessages, CancelledReceivesEnd) {
  run([](Side &side) {
    Bytes buffer(8);
    TestRequest first;
    TestRequest second;
    ASSERT_EQ(side.receive(kMatch, 0, buffer, first), AVRM_OK);
    ASSERT_EQ(side.receive(kMatch, 0, buffer, second), AVRM_OK);
    side.ops->cancel(side.net, &first);
    side.wait(first);
    EXPECT_EQ(first.status, AVRM_ERR_CANCELLED);
    side.barrier();
    ASSERT_EQ(side.inject(kMatch, pattern(8, 3)), AVRM_OK);
    side.wait(second);
    EXPECT_EQ(second.status, AVRM_OK);
    EXPECT_EQ(buffer, pattern(8, 3));
    side.barrier();
  });
}

TEST_P(OfiMessages, IgnoredBitsMatchAndAreReported) {
  run([](Side &side) {
    const std::uint64_t sent = avrm_match_pack(5, side.rank, 77);
    const std::uint64_t expected = avrm_match_pack(5, 1 - side.rank, 77);
    Bytes buffer(8);
    TestRequest received;
    TestRequest other;
    ASSERT_EQ(side.receive(avrm_match_pack(6, 0, 0), AVRM_MATCH_SOURCE_MASK | AVRM_MATCH_TAG_MASK, buffer, other),
              AVRM_OK);
    ASSERT_EQ(side.receive(avrm_match_pack(5, 0, 0), AVRM_MATCH_SOURCE_MASK | AVRM_MATCH_TAG_MASK, buffer, received),
              AVRM_OK);
    ASSERT_EQ(side.inject(sent, pattern(8, 1)), AVRM_OK);
    side.wait(received);
    EXPECT_EQ(received.match, expected);
    EXPECT_EQ(other.completions, 0);
    side.ops->cancel(side.net, &other);
    side.wait(other);
    side.barrier();
  });
}

TEST_P(OfiMessages, ContextsBeyondTheTagFormatAreRefused) {
  run([](Side &side) {
    const std::uint64_t match = avrm_match_pack(AVRM_MATCH_MAX_CONTEXT, side.rank, 1);
    const std::uint64_t theirs = avrm_match_pack(AVRM_MATCH_MAX_CONTEXT, 1 - side.rank, 1);
    Bytes buffer(8);
    TestRequest received;
    if (transport_of(side.net).provider.tag_mask != ~std::uint64_t{0}) {
      EXPECT_EQ(side.inject(match, buffer), AVRM_ERR_LIMIT);
      EXPECT_EQ(side.send(match, buffer, received), AVRM_ERR_LIMIT);
      EXPECT_EQ(side.receive(match, 0, buffer, received), AVRM_ERR_LIMIT);
    } else {
      ASSERT_EQ(side.receive(theirs, 0, buffer, received), AVRM_OK);
      ASSERT_EQ(side.inject(match, pattern(8, 1)), AVRM_OK);
      side.wait(received);
      EXPECT_EQ(received.match, theirs);
    }
    side.barrier();
  });
}

// A provider without FI_MATCH_COMPLETE stands for one that has it.
struct Asked {
  fi_ops_tagged *original;
  fi_ops_tagged changed;
  std::uint64_t flags;
};
Asked asked;

TEST_P(OfiMessages, SynchronousMessagesAskForTheMatch) {
  run([](Side &side) {
    fid_ep *const endpoint = transport_of(side.net).ep;
    asked = {endpoint->tagged, *endpoint->tagged, 0};
    asked.changed.sendmsg = [](fid_ep *ep, const fi_msg_tagged *message, std::uint64_t flags) {
      asked.flags = flags;
      return asked.original->sendmsg(ep, message, flags & ~FI_MATCH_COMPLETE);
    };
    endpoint->tagged = &asked.changed;
    EXPECT_EQ((side.net->capabilities & AVRM_NETMOD_SYNC) != 0, transport_of(side.net).provider.reports_matches);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{10}, std::size_t{70000}}) {
      Bytes out = pattern(bytes, static_cast<unsigned>(side.rank));
      Bytes in(bytes);
      TestRequest sent;
      TestRequest received;
      const avrm_piece_t pieces[] = {{out.data(), bytes / 2}, {out.data() + bytes / 2, bytes - bytes / 2}};
      const std::size_t count = bytes == 0 ? 0 : 2;
      ASSERT_EQ(side.receive(kMatch, 0, in, received), AVRM_OK);
      ASSERT_EQ(side.insist([&] { return side.ops->tsend_sync(side.net, side.peer, kMatch, pieces, count, &sent); }),
                AVRM_OK);
      side.wait(received);
      side.wait(sent);
      EXPECT_EQ(asked.flags, FI_COMPLETION | FI_MATCH_COMPLETE);
      EXPECT_EQ(sent.status, AVRM_OK);
      EXPECT_EQ(in, pattern(bytes, static_cast<unsigned>(1 - side.rank)));
    }
    endpoint->tagged = asked.original;
    side.barrier();
  });
}

TEST_P(OfiMessages, PiecesAreGatheredAndScattered) {
  run([](Side &side) {
    ASSERT_GE(side.net->pieces_max, 2u);
    for (const std::size_t bytes : {5u, 700u, 50000u}) {
      exchange_pieces(side, bytes);
    }
    TestRequest request;
    const std::vector<avrm_piece_t> pieces(side.net->pieces_max + 1);
    EXPECT_EQ(side.ops->tsend(side.net, side.peer, kMatch, pieces.data(), pieces.size(), &request), AVRM_ERR_SIZE);
    EXPECT_EQ(side.ops->trecv(side.net, side.peer, kMatch, 0, pieces.data(), pieces.size(), &request), AVRM_ERR_SIZE);
    side.barrier();
  });
}

TEST_P(OfiMessages, ActiveMessagesArriveInOrder) {
  run([](Side &side) {
    const auto length = [&side](unsigned i) { return i % 4 == 0 ? side.net->am_max - 16 : std::size_t{i % 4} * 150; };
    constexpr unsigned kMessages = 150;
    for (unsigned i = 0; i < kMessages; ++i) {
      ASSERT_EQ(side.am(pattern(16, i), pattern(length(i), i + 1)), AVRM_OK) << side.ops->last_error(side.net);
    }
    while (side.arrived.size() < kMessages) {
      side.poll();
    }
    for (unsigned i = 0; i < kMessages; ++i) {
      Bytes expected = pattern(16, i);
      const Bytes payload = pattern(length(i), i + 1);
      expected.insert(expected.end(), payload.begin(), payload.end());
      ASSERT_EQ(side.arrived[i], expected) << "message " << i;
    }
    EXPECT_EQ(side.am(Bytes(16), Bytes(side.net->am_max - 15)), AVRM_ERR_SIZE);
    side.barrier();
  });
}

TEST_P(OfiMessages, HandlersOfActiveMessagesMaySend) {
  run([](Side &side) {
    constexpr unsigned kRounds = 60;
    unsigned handled = 0;
    // Grows by one byte with every round, from injected to not injected.
    side.on_am = [&](const Bytes &message) {
      ++handled;
      const Bytes copy = message;
      if (copy.size() < kRounds * 10) {
        EXPECT_EQ(side.am(copy, Bytes(10)), AVRM_OK);
      }
    };
    if (side.rank == 0) {
      ASSERT_EQ(side.am(Bytes(10), {}), AVRM_OK);
    }
    while (handled < kRounds / 2) {
      side.poll();
    }
    side.barrier();
    EXPECT_EQ(handled, kRounds / 2);
  });
}

TEST_P(OfiMessages, ActiveMessagesArePushedBackWhenBuffersRunOut) {
  run([](Side &side) {
    const Bytes header(16);
    // Above what is injected without a buffer, in whatever size the provider has for them.
    const Bytes payload = pattern(std::min<std::size_t>(8000, side.net->am_max - header.size()), 1);
    if (side.rank == 0) {
      avrm_status_t status = side.am(header, payload); // waits for the connection
      unsigned taken = 0;
      for (; status == AVRM_OK; ++taken) {
        ASSERT_LE(taken, 100000u);
        status = side.ops->am_send(side.net, side.peer, header.data(), header.size(), payload.data(), payload.size());
      }
      EXPECT_EQ(AVRM_ERR_AGAIN, status);
      EXPECT_LE(taken, detail::ofi::ActiveBuffers::kSends + 1); // nobody reads completions here
      side.exchange(Bytes(taken));
    } else {
      const std::size_t taken = side.exchange({}).size();
      while (side.arrived.size() < taken) {
        side.poll();
      }
      EXPECT_TRUE(std::all_of(side.arrived.begin(), side.arrived.end(), [&payload](const Bytes &message) {
        return Bytes(message.begin() + 16, message.end()) == payload;
      }));
    }
    side.barrier();
  });
}

} // namespace
} // namespace avrankmap::test
