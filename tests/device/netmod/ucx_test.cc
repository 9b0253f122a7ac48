// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The UCX netmod on its own: messages, active messages, puts and gets.
#include "netmod/ucx/ucx.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "ucx_pair.h"

namespace avrankmap::test {

namespace {

class Ucx : public UcxPair {};

std::vector<std::size_t> all_sizes(Side &side) {
  return {0, 1, 8, 64, side.net->inject_max, side.net->inject_max + 1, 256, 283, 284, 285, 4096, 65536, 65537, 1048576};
}

void expect_message(const TestRequest &request, std::uint64_t match, const std::vector<unsigned char> &buffer,
                    const std::vector<unsigned char> &sent) {
  EXPECT_EQ(request.status, AVRM_OK) << sent.size();
  EXPECT_EQ(request.match, match);
  EXPECT_EQ(request.bytes, sent.size());
  EXPECT_EQ(request.completions, 1);
  EXPECT_TRUE(buffer == sent) << sent.size();
}

TEST_P(Ucx, SentMessagesArriveIntact) {
  run(
      [](Side &side) {
        side.barrier(); // receives are posted
        std::uint64_t match = 0;
        for (const std::size_t size : all_sizes(side)) {
          const std::vector<unsigned char> data = pattern(size, ++match);
          TestRequest request;
          ASSERT_EQ(side.send(match, data.data(), size, &request), AVRM_OK);
          side.wait(request);
          EXPECT_EQ(request.status, AVRM_OK);
          EXPECT_EQ(request.bytes, size);
        }
        side.barrier();
      },
      [](Side &side) {
        const std::vector<std::size_t> sizes = all_sizes(side);
        std::vector<TestRequest> requests(sizes.size());
        std::vector<std::vector<unsigned char>> buffers(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          buffers[i].resize(sizes[i]);
          ASSERT_EQ(side.post_receive(i + 1, 0, buffers[i].data(), sizes[i], &requests[i]), AVRM_OK);
        }
        side.barrier();
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          side.wait(requests[i]);
          expect_message(requests[i], i + 1, buffers[i], pattern(sizes[i], i + 1));
        }
        side.barrier();
      });
}

TEST_P(Ucx, UnexpectedMessagesArriveIntact) {
  run(
      [](Side &side) {
        const std::vector<std::size_t> sizes = all_sizes(side);
        std::vector<TestRequest> requests(sizes.size());
        std::vector<std::vector<unsigned char>> data(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          data[i] = pattern(sizes[i], i + 1);
          ASSERT_EQ(side.send(i + 1, data[i].data(), sizes[i], &requests[i]), AVRM_OK);
        }
        side.barrier(); // all are under way
        for (TestRequest &request : requests) {
          side.wait(request);
          EXPECT_EQ(request.status, AVRM_OK);
        }
        side.barrier();
      },
      [](Side &side) {
        side.barrier();
        const std::vector<std::size_t> sizes = all_sizes(side);
        for (std::size_t i = sizes.size(); i-- > 0;) {
          std::vector<unsigned char> buffer(sizes[i]);
          TestRequest request;
          ASSERT_EQ(side.post_receive(i + 1, 0, buffer.data(), sizes[i], &request), AVRM_OK);
          side.wait(request);
          expect_message(request, i + 1, buffer, pattern(sizes[i], i + 1));
        }
        side.barrier();
      });
}

TEST_P(Ucx, InjectedMessagesLeaveTheBufferFree) {
  run(
      [](Side &side) {
        for (std::size_t size = 0; size <= side.net->inject_max; ++size) {
          std::vector<unsigned char> data = pattern(size, size);
          ASSERT_EQ(side.inject(size, data.data(), size), AVRM_OK);
          std::fill(data.begin(), data.end(), static_cast<unsigned char>(0xee));
        }
        side.barrier();
      },
      [](Side &side) {
        for (std::size_t size = 0; size <= side.net->inject_max; ++size) {
          std::vector<unsigned char> buffer(size);
          TestRequest request;
          ASSERT_EQ(side.post_receive(size, 0, buffer.data(), size, &request), AVRM_OK);
          side.wait(request);
          expect_message(request, size, buffer, pattern(size, size));
        }
        side.barrier();
      });
}

TEST_P(Ucx, InjectionPushesBackAndLosesNothing) {
  // The receiver makes no progress until the sender's call is refused.
  static constexpr std::uint64_t kMany = 400000;
  run(
      [](Side &side) {
        std::uint64_t sent = 0;
        while (sent < kMany) {
          std::uint64_t data[16] = {sent};
          const avrm_status_t status = side.ops->tinject(side.net, data, sizeof data, side.peer, 5);
          if (status == AVRM_ERR_AGAIN) {
            break;
          }
          ASSERT_EQ(status, AVRM_OK);
          ++sent;
        }
        EXPECT_LT(sent, kMany);
        side.send_out(&sent, sizeof sent);
        side.barrier();
      },
      [](Side &side) {
        const std::vector<unsigned char> told = side.receive_idle();
        std::uint64_t sent = 0;
        ASSERT_EQ(told.size(), sizeof sent);
        std::memcpy(&sent, told.data(), sizeof sent);
        std::uint64_t in_order = 0;
        for (std::uint64_t i = 0; i < sent; ++i) {
          std::uint64_t data[16] = {};
          TestRequest request;
          ASSERT_EQ(side.post_receive(5, 0, data, sizeof data, &request), AVRM_OK);
          side.wait(request);
          in_order += data[0] == i ? 1 : 0;
        }
        EXPECT_EQ(in_order, sent);
        side.barrier();
      });
}

TEST_P(Ucx, MessagesOfMixedSizesStayInOrder) {
  static constexpr std::size_t kMessages = 300;
  static const auto size_of = [](std::size_t i) { return i % 7 == 0 ? std::size_t{100000} : i % 3 * 900 + 8; };
  run(
      [](Side &side) {
        std::vector<TestRequest> requests(kMessages);
        std::vector<std::vector<unsigned char>> data(kMessages);
        for (std::size_t i = 0; i < kMessages; ++i) {
          data[i] = pattern(size_of(i), i);
          if (size_of(i) <= side.net->inject_max) {
            ASSERT_EQ(side.inject(9, data[i].data(), data[i].size()), AVRM_OK);
            requests[i].completions = 1;
          } else {
            ASSERT_EQ(side.send(9, data[i].data(), data[i].size(), &requests[i]), AVRM_OK);
          }
        }
        std::for_each(requests.begin(), requests.end(), [&](const TestRequest &request) { side.wait(request); });
        side.barrier();
      },
      [](Side &side) {
        for (std::size_t i = 0; i < kMessages; ++i) {
          std::vector<unsigned char> buffer(size_of(i));
          TestRequest request;
          ASSERT_EQ(side.post_receive(9, 0, buffer.data(), buffer.size(), &request), AVRM_OK);
          side.wait(request);
          expect_message(request, 9, buffer, pattern(size_of(i), i));
        }
        side.barrier();
      });
}

// Receives messages of several sizes into buffers that are one byte shorter.
void expect_truncation(Side &side, bool posted_first) {
  for (const std::size_t size : {std::size_t{2}, side.net->inject_max + 1, std::size_t{65536}, std::size_t{1048576}}) {
    if (!posted_first) {
      side.barrier();
    }
    std::vector<unsigned char> buffer(size, 0);
    TestRequest request;
    ASSERT_EQ(side.post_receive(size, 0, buffer.data(), size - 1, &request), AVRM_OK);
    if (posted_first) {
      side.barrier();
    }
    side.wait(request);
    EXPECT_EQ(request.status, AVRM_ERR_TRUNCATED) << size;
    EXPECT_EQ(request.match, size);
    EXPECT_EQ(request.bytes, size);
    EXPECT_EQ(buffer.back(), 0) << size;
  }
  side.barrier();
}

void send_for_truncation(Side &side, bool posted_first) {
  for (const std::size_t size : {std::size_t{2}, side.net->inject_max + 1, std::size_t{65536}, std::size_t{1048576}}) {
    const std::vector<unsigned char> data(size, 0xff);
    if (posted_first) {
      side.barrier();
    }
    TestRequest request;
    ASSERT_EQ(side.send(size, data.data(), size, &request), AVRM_OK);
    if (!posted_first) {
      side.barrier();
    }
    side.wait(request);
    EXPECT_EQ(request.status, AVRM_OK) << size;
  }
  side.barrier();
}

TEST_P(Ucx, AnExpectedMessageThatIsTooLongIsTruncated) {
  run([](Side &side) { send_for_truncation(side, true); }, [](Side &side) { expect_truncation(side, true); });
}

TEST_P(Ucx, AnUnexpectedMessageThatIsTooLongIsTruncated) {
  run([](Side &side) { send_for_truncation(side, false); }, [](Side &side) { expect_truncation(side, false); });
}

TEST_P(Ucx, ACancelledReceiveTakesNoMessage) {
  run(
      [](Side &side) {
        side.barrier(); // cancelled
        ASSERT_EQ(side.inject(3, "a", 1), AVRM_OK);
        side.barrier();
      },
      [](Side &side) {
        char first = 0;
        char second = 0;
        TestRequest cancelled;
        TestRequest request;
        ASSERT_EQ(side.post_receive(3, 0, &first, 1, &cancelled), AVRM_OK);
        side.ops->cancel(side.net, &cancelled);
        side.wait(cancelled);
        EXPECT_EQ(cancelled.status, AVRM_ERR_CANCELLED);
        side.barrier();
        ASSERT_EQ(side.post_receive(3, 0, &second, 1, &request), AVRM_OK);
        side.wait(request);
        EXPECT_EQ(first, 0);
        EXPECT_EQ(second, 'a');
        EXPECT_EQ(cancelled.completions, 1);
        side.barrier();
      });
}

TEST_P(Ucx, IgnoredBitsMatchAnything) {
  run(
      [](Side &side) {
        ASSERT_EQ(side.inject(avrm_match_pack(7, 2, 11), "x", 1), AVRM_OK); // another context
        ASSERT_EQ(side.inject(avrm_match_pack(6, 2, 11), "y", 1), AVRM_OK);
        side.barrier();
      },
      [](Side &side) {
        char data = 0;
        TestRequest request;
        ASSERT_EQ(side.post_receive(avrm_match_pack(6, 0, 0), AVRM_MATCH_SOURCE_MASK | AVRM_MATCH_TAG_MASK, &data, 1,
                                    &request),
                  AVRM_OK);
        side.wait(request);
        EXPECT_EQ(data, 'y');
        EXPECT_EQ(request.match, avrm_match_pack(6, 2, 11));
        side.barrier();
      });
}

// Cuts `buffer` into `count` pieces of unequal length.
std::vector<avrm_piece_t> cut(std::vector<unsigned char> &buffer, std::size_t count) {
  std::vector<avrm_piece_t> pieces;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t end = i == count ? buffer.size() : buffer.size() * i * i / (count * count);
    pieces.push_back({buffer.data() + begin, end - begin});
    begin = end;
  }
  return pieces;
}

TEST_P(Ucx, MessagesAreGatheredAndScattered) {
  static constexpr std::size_t kSizes[] = {100, 5000, 500000};
  run(
      [](Side &side) {
        for (const std::size_t size : kSizes) {
          std::vector<unsigned char> data = pattern(size, size);
          const std::vector<avrm_piece_t> pieces = cut(data, side.net->pieces_max);
          TestRequest request;
          ASSERT_EQ(side.insist([&] {
            return side.ops->tsend(side.net, side.peer, size, pieces.data(), pieces.size(), &request);
          }),
                    AVRM_OK);
          side.wait(request);
          EXPECT_EQ(request.status, AVRM_OK);
          EXPECT_EQ(request.bytes, size);
        }
        side.barrier();
      },
      [](Side &side) {
        for (const std::size_t size : kSizes) {
          std::vector<unsigned char> buffer(size);
          const std::vector<avrm_piece_t> pieces = cut(buffer, 3);
          TestRequest request;
          ASSERT_EQ(side.insist([&] {
            return side.ops->trecv(side.net, AVRM_ANY_ADDRESS, size, 0, pieces.data(), pieces.size(), &request);
          }),
                    AVRM_OK);
          side.wait(request);
          expect_message(request, size, buffer, pattern(size, size));
        }
        side.barrier();
      });
}

TEST_P(Ucx, HandlersOfActiveMessagesMaySend) {
  static constexpr std::size_t kMessages = 1000;
  run(
      [](Side &side) {
        for (std::size_t i = 0; i < kMessages; ++i) {
          ASSERT_EQ(side.message("header ", std::to_string(i)), AVRM_OK);
        }
        while (side.messages.size() < kMessages) {
          side.progress();
        }
        // In any order: a handler that makes progress while it sends may let the next
        // message overtake.
        std::multiset<std::string> expected;
        for (std::size_t i = 0; i < kMessages; ++i) {
          expected.insert("answer to header " + std::to_string(i));
        }
        EXPECT_EQ(std::multiset<std::string>(side.messages.begin(), side.messages.end()), expected);
        side.barrier();
      },
      [](Side &side) {
        side.on_message = [&](const std::string &text) {
          EXPECT_EQ(side.message("answer to ", text), AVRM_OK); // makes progress if it must
        };
        side.barrier();
      });
}

TEST_P(Ucx, ActiveMessagesTakeUpToTheirLimit) {
  run(
      [](Side &side) {
        const std::string header(64, 'h');
        const std::string payload(side.net->am_max - header.size(), 'p');
        ASSERT_EQ(side.message(header, payload), AVRM_OK);
        ASSERT_EQ(side.message("", ""), AVRM_OK);
        EXPECT_EQ(side.message(header, payload + "p"), AVRM_ERR_SIZE);
        side.barrier();
      },
      [](Side &side) {
        while (side.messages.size() < 2) {
          side.progress();
        }
        EXPECT_EQ(side.messages[0], std::string(64, 'h') + std::string(side.net->am_max - 64, 'p'));
        EXPECT_EQ(side.messages[1], "");
        side.barrier();
      });
}

TEST_P(Ucx, FlushedPutsAreVisible) {
  static constexpr std::size_t kBytes = 1 << 20;
  run(
      [](Side &side) {
        const Opened theirs = open_key(side);
        const std::vector<unsigned char> data = pattern(kBytes, 1);
        std::vector<TestRequest> puts(16);
        const std::size_t part = kBytes / puts.size();
        for (std::size_t i = 0; i < puts.size(); ++i) {
          ASSERT_EQ(side.insist([&] {
            return side.ops->put(side.net, side.peer, theirs.remote + i * part, theirs.key, data.data() + i * part,
                                 part, &puts[i]);
          }),
                    AVRM_OK);
        }
        TestRequest flush;
        ASSERT_EQ(side.insist([&] { return side.ops->flush(side.net, side.peer, &flush); }), AVRM_OK);
        side.wait(flush);
        EXPECT_EQ(flush.status, AVRM_OK);
        for (const TestRequest &put : puts) {
          side.wait(put);
          EXPECT_EQ(put.status, AVRM_OK);
        }
        side.ops->key_close(side.net, theirs.key);
        side.barrier();
        side.barrier();
      },
      [](Side &side) {
        std::vector<unsigned char> window(kBytes);
        avrm_netmod_memory_t *const memory = expose(side, window);
        side.barrier(); // the other one has flushed
        EXPECT_TRUE(window == pattern(kBytes, 1));
        side.barrier();
        side.ops->memory_release(side.net, memory);
      });
}

TEST_P(Ucx, GetsFetchTheTargetsMemory) {
  static constexpr std::size_t kBytes = 1 << 20;
  run(
      [](Side &side) {
        const Opened theirs = open_key(side);
        const std::vector<unsigned char> expected = pattern(kBytes, 2);
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, kBytes - 5}) {
          std::vector<unsigned char> buffer(size);
          TestRequest get;
          ASSERT_EQ(side.insist([&] {
            return side.ops->get(side.net, side.peer, theirs.remote + 5, theirs.key, buffer.data(), size, &get);
          }),
                    AVRM_OK);
          side.wait(get);
          EXPECT_EQ(get.status, AVRM_OK);
          EXPECT_EQ(get.bytes, size);
          EXPECT_TRUE(std::equal(buffer.begin(), buffer.end(), expected.begin() + 5)) << size;
        }
        side.ops->key_close(side.net, theirs.key);
        side.barrier();
      },
      [](Side &side) {
        std::vector<unsigned char> window = pattern(kBytes, 2);
        avrm_netmod_memory_t *const memory = expose(side, window);
        side.barrier();
        side.ops->memory_release(side.net, memory);
      });
}

TEST_P(Ucx, MemoryOfNoBytesCanBeDescribed) {
  run(
      [](Side &side) {
        const Opened theirs = open_key(side);
        TestRequest put;
        EXPECT_EQ(side.ops->put(side.net, side.peer, theirs.remote, theirs.key, nullptr, 0, &put), AVRM_OK);
        EXPECT_EQ(put.status, AVRM_OK);
        side.ops->key_close(side.net, theirs.key);
        side.barrier();
      },
      [](Side &side) {
        std::vector<unsigned char> window;
        avrm_netmod_memory_t *const memory = expose(side, window);
        side.barrier();
        side.ops->memory_release(side.net, memory);
      });
}

INSTANTIATE_TEST_SUITE_P(Transports, Ucx, testing::ValuesIn(ucx_transports()), kByName);

} // namespace

} // namespace avrankmap::test
