// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages and one-sided operations between forked processes: one suite, run over every transport.
#include <cstring>
#include <numeric>

#include "device/job.h"

namespace avrankmap::test {
namespace {

using Buffer = std::vector<unsigned char>;

// What rank `from` sends to rank `to` as its `number`th message.
Buffer content(int from, int to, int number, std::size_t bytes) {
  Buffer buffer(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    buffer[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(from * 31 + to * 17 + number * 3));
  }
  return buffer;
}

void wait(avrm_request_t *request, avrm_outcome_t *outcome = nullptr) {
  AVRM_MUST(avrm_wait(&request, outcome) == AVRM_OK);
}

void send(Process &process, const Buffer &buffer, int dest, int tag) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_isend(process.world, buffer.data(), buffer.size(), dest, tag, &request) == AVRM_OK);
  wait(request);
}

avrm_outcome_t receive(Process &process, Buffer &buffer, int source, int tag) {
  avrm_request_t *request = nullptr;
  avrm_outcome_t outcome{};
  AVRM_MUST(avrm_irecv(process.world, buffer.data(), buffer.size(), source, tag, &request) == AVRM_OK);
  wait(request, &outcome);
  return outcome;
}

class Message : public testing::TestWithParam<Transport> {
protected:
  void run(int size, const Body &body) { run_job(GetParam(), size, body); }
};

TEST_P(Message, EverySizeArrivesIntact) {
  run(2, [](Process &process) {
    const int peer = 1 - process.rank;
    for (const std::size_t bytes :
         {0U, 1U, 7U, 8U, 40U, 41U, 64U, 65U, 4096U, 4097U, 16384U, 65536U, 65537U, 1U << 20}) {
      const Buffer sent = content(process.rank, peer, 0, bytes);
      Buffer received(bytes);
      avrm_request_t *in = nullptr;
      avrm_request_t *out = nullptr;
      AVRM_MUST(avrm_irecv(process.world, received.data(), bytes, peer, 5, &in) == AVRM_OK);
      AVRM_MUST(avrm_isend(process.world, sent.data(), bytes, peer, 5, &out) == AVRM_OK);
      avrm_outcome_t outcome{};
      wait(in, &outcome);
      wait(out);
      AVRM_MUST(outcome.bytes == bytes && outcome.source == peer && outcome.tag == 5);
      AVRM_MUST(received == content(peer, process.rank, 0, bytes));
    }
  });
}

TEST_P(Message, UnexpectedMessagesAreMatchedByTag) {
  run(2, [](Process &process) {
    constexpr int kCount = 32;
    if (process.rank == 0) {
      for (int i = 0; i < kCount; ++i) {
        send(process, content(0, 1, i, 100), 1, i);
      }
    } else {
      for (int i = kCount - 1; i >= 0; --i) {
        Buffer received(100);
        AVRM_MUST(receive(process, received, 0, i).tag == i);
        AVRM_MUST(received == content(0, 1, i, 100));
      }
    }
  });
}

TEST_P(Message, MessagesOfOneSenderKeepTheirOrder) {
  run(2, [](Process &process) {
    constexpr int kCount = 2000;
    for (int i = 0; i < kCount; ++i) {
      if (process.rank == 0) {
        send(process, content(0, 1, i, 16), 1, 3);
      } else {
        Buffer received(16);
        receive(process, received, 0, 3);
        AVRM_MUST(received == content(0, 1, i, 16));
      }
    }
  });
}

TEST_P(Message, AReceiveFromAnybodyTakesEachMessageOnce) {
  run(4, [](Process &process) {
    constexpr int kEach = 50;
    if (process.rank == 0) {
      std::vector<int> count(4);
      for (int i = 0; i < 3 * kEach; ++i) {
        Buffer received(64);
        const avrm_outcome_t outcome = receive(process, received, AVRM_ANY_SOURCE, AVRM_ANY_TAG);
        const auto source = static_cast<std::size_t>(outcome.source);
        AVRM_MUST(outcome.source > 0 && outcome.source < 4 && outcome.tag == count[source]);
        AVRM_MUST(received == content(outcome.source, 0, count[source]++, 64));
      }
    } else {
      for (int i = 0; i < kEach; ++i) {
        send(process, content(process.rank, 0, i, 64), 0, i);
      }
    }
  });
}

TEST_P(Message, AProcessCanSendToItself) {
  run(2, [](Process &process) {
    send(process, content(process.rank, process.rank, 0, 1000), process.rank, 1);
    Buffer received(1000);
    AVRM_MUST(receive(process, received, process.rank, 1).source == process.rank);
    AVRM_MUST(received == content(process.rank, process.rank, 0, 1000));
  });
}

TEST_P(Message, AMessageThatIsTooLongIsTruncated) {
  run(2, [](Process &process) {
    for (const std::size_t bytes : {100U, 1U << 20}) {
      if (process.rank == 0) {
        send(process, content(0, 1, 0, bytes), 1, 1);
      } else {
        Buffer received(10);
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_irecv(process.world, received.data(), received.size(), 0, 1, &request) == AVRM_OK);
        const avrm_status_t status = avrm_wait(&request, nullptr);
        if (status != AVRM_ERR_TRUNCATED)
          std::fprintf(stderr, "status %s\n", avrm_status_name(status));
        AVRM_MUST(status == AVRM_ERR_TRUNCATED);
      }
    }
  });
}

TEST_P(Message, AReceiveCanBeCancelled) {
  run(2, [](Process &process) {
    Buffer buffer(8);
    for (const int source : {1 - process.rank, AVRM_ANY_SOURCE}) {
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_irecv(process.world, buffer.data(), 8, source, 9, &request) == AVRM_OK);
      AVRM_MUST(avrm_cancel(request) == AVRM_OK);
      AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED);
    }
  });
}

TEST_P(Message, StridedDataArriveStrided) {
  run(2, [](Process &process) {
    constexpr std::size_t kBlocks = 33;
    const avrm_layout_t layout{24, kBlocks, 40};
    Buffer memory(kBlocks * 40);
    avrm_request_t *request = nullptr;
    if (process.rank == 0) {
      std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(0));
      AVRM_MUST(avrm_isend_strided(process.world, memory.data(), &layout, 1, 2, &request) == AVRM_OK);
      wait(request);
    } else {
      AVRM_MUST(avrm_irecv_strided(process.world, memory.data(), &layout, 0, 2, &request) == AVRM_OK);
      wait(request);
      for (std::size_t i = 0; i < memory.size(); ++i) {
        const bool inside = i % 40 < 24;
        AVRM_MUST(memory[i] == (inside ? static_cast<unsigned char>(i) : 0));
      }
    }
  });
}

TEST_P(Message, EveryoneExchangesWithEveryone) {
  run(8, [](Process &process) {
    constexpr std::size_t kBytes = 3000;
    std::vector<Buffer> in(8, Buffer(kBytes));
    std::vector<Buffer> out;
    std::vector<avrm_request_t *> requests(16);
    for (int peer = 0; peer < 8; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      out.push_back(content(process.rank, peer, 1, kBytes));
      AVRM_MUST(avrm_irecv(process.world, in[at].data(), kBytes, peer, 4, &requests[at]) == AVRM_OK);
    }
    for (int peer = 0; peer < 8; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      AVRM_MUST(avrm_isend(process.world, out[at].data(), kBytes, peer, 4, &requests[8 + at]) == AVRM_OK);
    }
    for (avrm_request_t *const request : requests) {
      wait(request);
    }
    for (int peer = 0; peer < 8; ++peer) {
      AVRM_MUST(in[static_cast<std::size_t>(peer)] == content(peer, process.rank, 1, kBytes));
    }
  });
}

// Waits until every process has come here, and serves the others meanwhile.
void barrier(Process &process, int tag) {
  const Buffer nothing;
  Buffer in;
  if (process.rank == 0) {
    for (int peer = 1; peer < process.size; ++peer) {
      receive(process, in, peer, tag);
    }
    for (int peer = 1; peer < process.size; ++peer) {
      send(process, nothing, peer, tag);
    }
  } else {
    send(process, nothing, 0, tag);
    receive(process, in, 0, tag);
  }
}

void put_get_and_strided(Process &process, bool allocate) {
  constexpr std::size_t kPart = 100000;
  const auto bytes = static_cast<std::size_t>(process.size) * kPart;
  Buffer own(bytes);
  void *base = own.data();
  avrm_window_t *window = nullptr;
  if (allocate) {
    AVRM_MUST(avrm_window_allocate(process.world, bytes, &base, &window) == AVRM_OK);
  } else {
    AVRM_MUST(avrm_window_create(process.world, base, bytes, &window) == AVRM_OK);
  }
  const auto part = static_cast<std::uint64_t>(process.rank) * kPart;
  avrm_request_t *request = nullptr;
  for (int target = 0; target < process.size; ++target) {
    const Buffer data = content(process.rank, target, 0, kPart);
    AVRM_MUST(avrm_put(window, data.data(), kPart, target, part, &request) == AVRM_OK);
    wait(request);
    Buffer back(kPart);
    AVRM_MUST(avrm_flush(window, target) == AVRM_OK);
    AVRM_MUST(avrm_get(window, back.data(), kPart, target, part, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(back == data);
  }
  barrier(process, 20);
  for (int source = 0; source < process.size; ++source) {
    const Buffer expected = content(source, process.rank, 0, kPart);
    AVRM_MUST(std::memcmp(static_cast<unsigned char *>(base) + static_cast<std::size_t>(source) * kPart,
                          expected.data(), kPart) == 0);
  }
  barrier(process, 21);
  // 10 blocks of 100 bytes, 300 apart there, close together here.
  const Buffer data = content(process.rank, 0, 9, 1000);
  const avrm_layout_t here{1000, 1, 1000};
  const avrm_layout_t there{100, 10, 300};
  const int next = (process.rank + 1) % process.size;
  AVRM_MUST(avrm_put_strided(window, data.data(), &here, next, part, &there, &request) == AVRM_OK);
  wait(request);
  AVRM_MUST(avrm_flush_all(window) == AVRM_OK);
  barrier(process, 22);
  const int previous = (process.rank + process.size - 1) % process.size;
  const Buffer expected = content(previous, 0, 9, 1000);
  for (std::size_t block = 0; block < 10; ++block) {
    AVRM_MUST(std::memcmp(static_cast<unsigned char *>(base) + static_cast<std::size_t>(previous) * kPart + block * 300,
                          expected.data() + block * 100, 100) == 0);
  }
  AVRM_MUST(avrm_put(window, data.data(), 1000, next, bytes - 999, &request) == AVRM_ERR_SIZE);
  barrier(process, 23);
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
}

TEST_P(Message, WindowsOfOwnMemoryTakePutsAndGets) {
  run(3, [](Process &process) { put_get_and_strided(process, false); });
}

TEST_P(Message, WindowsOfAllocatedMemoryTakePutsAndGets) {
  run(3, [](Process &process) { put_get_and_strided(process, true); });
}

TEST_P(Message, CommunicatorsDoNotMixTheirMessages) {
  run(2, [](Process &process) {
    avrm_rankmap_t *map = nullptr;
    AVRM_MUST(avrm_rankmap_create_child_regular(avrm_comm_map(process.world), 2, 1, -1, 1, 0, &map) == AVRM_OK);
    avrm_comm_t *reversed = nullptr;
    AVRM_MUST(avrm_comm_create(process.device, map, 1 - process.rank, 7, &reversed) == AVRM_OK);
    Process other = process;
    other.world = reversed;
    const int peer = 1 - process.rank;
    send(process, content(process.rank, peer, 1, 50), peer, 1);
    send(other, content(process.rank, peer, 2, 50), process.rank, 1); // the peer has our rank there
    Buffer received(50);
    receive(other, received, process.rank, 1);
    AVRM_MUST(received == content(peer, process.rank, 2, 50));
    receive(process, received, peer, 1);
    AVRM_MUST(received == content(peer, process.rank, 1, 50));
    AVRM_MUST(avrm_comm_free(reversed) == AVRM_OK);
  });
}

constexpr Transport kTransports[] = {
    {"posix", "null", nullptr, "posix", 0},
    {"ofi_tcp", "ofi", "tcp;ofi_rxm", "none", 1},
    {"ofi_net", "ofi", "net", "none", 1},
    {"ofi_sockets", "ofi", "sockets", "none", 1},
    {"ofi_tcp_and_posix", "ofi", "tcp;ofi_rxm", "posix", 2},
    {"ucx_tcp", "ucx", "tcp,self", "none", 1},
    {"ucx_tcp_and_posix", "ucx", "tcp,self", "posix", 2},
};

INSTANTIATE_TEST_SUITE_P(Over, Message, testing::ValuesIn(kTransports),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
