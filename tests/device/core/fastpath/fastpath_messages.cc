// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <deque>

#include "tests/device/core/fastpath/fastpath_process.h"

namespace avrankmap::test {

namespace {

void receive_into(Fastpath &fast, Buffer &buffer, int source, int tag, avrm_outcome_t *outcome) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_fp_irecv(buffer.data(), static_cast<std::int32_t>(buffer.size()), AVRM_BYTE, source, tag, fast.comm,
                          &request) == AVRM_OK);
  wait(request, outcome);
}

// Sends `out` to the partner and receives from it, first in one order, then in the other.
void exchange(Fastpath &fast, IsendFn isend, const Buffer &out, int number) {
  const int peer = fast.process.partner();
  Buffer in(out.size());
  avrm_request_t *sent = nullptr;
  avrm_request_t *received = nullptr;
  avrm_outcome_t outcome{};
  const auto count = static_cast<std::int32_t>(out.size());
  const auto post = [&] {
    AVRM_MUST(avrm_fp_irecv(in.data(), count, AVRM_BYTE, fast.rank_of(peer), number, fast.comm, &received) == AVRM_OK);
  };
  if (number % 2 == 0) {
    post();
  }
  AVRM_MUST(isend(out.data(), count, AVRM_BYTE, fast.rank_of(peer), number, fast.comm, &sent) == AVRM_OK);
  if (number % 2 == 1) {
    post();
  }
  wait(received, &outcome);
  wait(sent);
  AVRM_MUST(outcome.source == fast.rank_of(peer) && outcome.tag == number && outcome.bytes == out.size());
  AVRM_MUST(in == content(peer, fast.process.rank, number, in.size()));
}

// Elements of a datatype with gaps arrive in its blocks; the gaps are not touched.
void exchange_vectors(Fastpath &fast, IsendFn isend) {
  using Array = std::array<std::int16_t, 18>; // four blocks of three elements, five apart
  const int peer = fast.rank_of(fast.process.partner());
  avrm_instance_t *const instance = avrm_device_instance(fast.process.device);
  avrm_datatype_t type = AVRM_DATATYPE_NULL;
  AVRM_MUST(avrm_type_vector(instance, 4, 3, 5, AVRM_INT16, &type) == AVRM_OK);
  Array out;
  Array in;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::int16_t>(100 + i);
  }
  in.fill(-1);
  avrm_request_t *sent = nullptr;
  avrm_request_t *received = nullptr;
  // Not committed.
  AVRM_MUST(isend(out.data(), 1, type, peer, 4, fast.comm, &sent) == AVRM_ERR_DATATYPE);
  AVRM_MUST(avrm_type_commit(type) == AVRM_OK);
  AVRM_MUST(isend(out.data(), 2, type, peer, 4, fast.comm, &sent) == AVRM_ERR_UNSUPPORTED);
  AVRM_MUST(avrm_fp_irecv(in.data(), 1, type, peer, 4, fast.comm, &received) == AVRM_OK);
  AVRM_MUST(isend(out.data(), 1, type, peer, 4, fast.comm, &sent) == AVRM_OK);
  AVRM_MUST(avrm_type_free(&type) == AVRM_OK); // pending operations are not affected
  wait(received);
  wait(sent);
  for (std::size_t i = 0; i < in.size(); ++i) {
    AVRM_MUST(in[i] == (i % 5 < 3 ? out[i] : -1));
  }
}

void send_to_nobody(Fastpath &fast, IsendFn isend) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(isend("", 1, AVRM_BYTE, AVRM_PROC_NULL, 4, fast.comm, &request) == AVRM_OK);
  wait(request);
  AVRM_MUST(avrm_fp_irecv(nullptr, 0, AVRM_BYTE, AVRM_PROC_NULL, AVRM_ANY_TAG, fast.comm, &request) == AVRM_OK);
  wait(request);
}

void send_wrongly(Fastpath &fast) {
  avrm_request_t *request = nullptr;
  avrm_fp_comm_t *const comm = fast.comm;
  AVRM_MUST(avrm_fp_isend_default("", 1, AVRM_BYTE, fast.size, 4, comm, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_fp_isend_default("", 1, AVRM_BYTE, -1, 4, comm, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_fp_isend_default("", -1, AVRM_BYTE, 0, 4, comm, &request) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_fp_isend_default(nullptr, 1, AVRM_BYTE, 0, 4, comm, &request) == AVRM_ERR_BUFFER);
  AVRM_MUST(avrm_fp_isend_default("", 1, AVRM_DATATYPE_NULL, 0, 4, comm, &request) == AVRM_ERR_DATATYPE);
  AVRM_MUST(avrm_fp_isend_default("", 1, AVRM_BYTE, 0, -1, comm, &request) == AVRM_ERR_TAG);
  AVRM_MUST(avrm_fp_isend_default("", 1, AVRM_BYTE, 0, 4, nullptr, &request) == AVRM_ERR_COMM);
  AVRM_MUST(avrm_fp_isend_default("", 1, AVRM_BYTE, 0, 4, comm, nullptr) == AVRM_ERR_REQUEST);
  AVRM_MUST(request == nullptr);
}

// One way to send a message that is matched as usual.
using SendFn = avrm_request_t *(*)(Fastpath &fast, const Buffer &buffer, int dest, int tag);
template <std::size_t kBuild> avrm_request_t *send_by(Fastpath &fast, const Buffer &buffer, int dest, int tag) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(kFastpathBuilds[kBuild].isend(buffer.data(), static_cast<std::int32_t>(buffer.size()), AVRM_BYTE,
                                          fast.rank_of(dest), tag, fast.comm, &request) == AVRM_OK);
  return request;
}
constexpr SendFn kWays[] = {
    send_by<0>,
    send_by<1>,
    send_by<2>,
    send_by<3>,
    send_by<4>,
    [](Fastpath &fast, const Buffer &buffer, int dest, int tag) {
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_fp_isend_global(buffer.data(), static_cast<std::int32_t>(buffer.size()), AVRM_BYTE, dest, tag,
                                     fast.comm, &request) == AVRM_OK);
      return request;
    },
    [](Fastpath &fast, const Buffer &buffer, int dest, int tag) {
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_fp_isend_npn(buffer.data(), static_cast<std::int32_t>(buffer.size()), AVRM_BYTE,
                                  fast.rank_of(dest), tag, fast.comm, &request) == AVRM_OK);
      return request;
    },
    [](Fastpath &fast, const Buffer &buffer, int dest, int tag) -> avrm_request_t * {
      AVRM_MUST(avrm_fp_isend_noreq(buffer.data(), static_cast<std::int32_t>(buffer.size()), AVRM_BYTE,
                                    fast.rank_of(dest), tag, fast.comm) == AVRM_OK);
      return nullptr;
    },
};

void exchange_messages_of_every_build(Process &process) {
  Fastpath fast(process);
  send_wrongly(fast);
  if (!process.has_partner()) {
    return;
  }
  int number = 0;
  for (const FastpathBuild &build : kFastpathBuilds) {
    send_to_nobody(fast, build.isend);
    for (const std::size_t bytes : {0, 1, 8, 9, 64, 65, 128, 129, 255, 256, 1256, 1257, 4096, 4097, 70000}) {
      exchange(fast, build.isend, content(process.rank, process.partner(), number, bytes), number);
      ++number;
    }
    exchange_vectors(fast, build.isend);
  }
}

// Small and large messages of all builds and proposals, with one tag, in the order in which
// they were sent.
void send_many_under_one_tag(Process &process) {
  constexpr int kEach = 120;
  constexpr std::size_t kSizes[] = {1, 8, 3000, 4, 100, 20000, 2};
  Fastpath fast(process);
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  const auto size_of = [&](int i) { return kSizes[static_cast<std::size_t>(i) % std::size(kSizes)]; };
  std::vector<Buffer> out;
  std::vector<avrm_request_t *> requests;
  for (int i = 0; i < kEach; ++i) {
    out.push_back(content(process.rank, next, i, size_of(i)));
    requests.push_back(kWays[static_cast<std::size_t>(i) % std::size(kWays)](fast, out.back(), next, 6));
  }
  for (int i = 0; i < kEach; ++i) {
    Buffer in(20000);
    avrm_outcome_t outcome{};
    receive_into(fast, in, fast.rank_of(previous), 6, &outcome);
    AVRM_MUST(outcome.bytes == size_of(i));
    in.resize(outcome.bytes);
    AVRM_MUST(in == content(previous, process.rank, i, in.size()));
  }
  for (avrm_request_t *const request : requests) {
    wait(request); // null: it had none
  }
  AVRM_MUST(avrm_fp_comm_waitall(fast.comm) == AVRM_OK);
}

} // namespace

void fastpath_messages_arrive_intact_and_in_order(Process &process) {
  exchange_messages_of_every_build(process);
  send_many_under_one_tag(process);
}

// Everybody sends to everybody, by all builds. The receives accept any source and tag.
void fastpath_messages_satisfy_receives_from_anybody(Process &process) {
  constexpr int kEach = static_cast<int>(std::size(kWays));
  Fastpath fast(process);
  std::vector<Buffer> out;
  std::vector<avrm_request_t *> requests;
  for (int dest = 0; dest < process.size; ++dest) {
    for (int i = 0; i < kEach; ++i) {
      out.push_back(content(process.rank, dest, i, i % 2 == 0 ? 8 : 5000));
      requests.push_back(kWays[static_cast<std::size_t>(i)](fast, out.back(), dest, i));
    }
  }
  std::vector<int> seen(static_cast<std::size_t>(process.size));
  for (int i = 0; i < kEach * process.size; ++i) {
    Buffer in(5000);
    avrm_outcome_t outcome{};
    receive_into(fast, in, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &outcome);
    const int source = fast.rank_of(outcome.source);
    AVRM_MUST(source >= 0 && source < process.size);
    AVRM_MUST(outcome.tag == seen[static_cast<std::size_t>(source)]++); // in order, of one sender
    in.resize(outcome.bytes);
    AVRM_MUST(in == content(source, process.rank, outcome.tag, outcome.tag % 2 == 0 ? 8 : 5000));
  }
  for (avrm_request_t *const request : requests) {
    wait(request);
  }
  AVRM_MUST(avrm_fp_comm_waitall(fast.comm) == AVRM_OK);
}

// Messages without request or matching, alone and with all proposals together, are received in
// order of arrival. Messages of other communicators stay queued.
void fastpath_messages_without_matching_come_as_they_are_sent(Process &process) {
  constexpr int kEach = 30;
  Fastpath fast(process);
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  const Buffer other = content(process.rank, next, 1000, 12);
  send(process, other, next, 7); // in the world: none of the other messages matches it
  const auto size_of = [](int i) { return static_cast<std::size_t>(i % 5 == 4 ? 9000 : 8); };
  std::vector<Buffer> out;
  std::vector<avrm_request_t *> requests;
  for (int i = 0; i < kEach; ++i) {
    out.push_back(content(process.rank, next, i, size_of(i)));
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_fp_isend_nomatch(out.back().data(), static_cast<std::int32_t>(out.back().size()), AVRM_BYTE,
                                    fast.rank_of(next), fast.comm, &request) == AVRM_OK);
    requests.push_back(request);
  }
  for (int i = kEach; i < 2 * kEach; ++i) {
    out.push_back(content(process.rank, next, i, size_of(i)));
    AVRM_MUST(avrm_fp_isend_all_opts(out.back().data(), static_cast<std::int32_t>(out.back().size()), AVRM_BYTE, next,
                                     fast.comm) == AVRM_OK);
  }
  for (int i = 0; i < 2 * kEach; ++i) {
    Buffer in(size_of(i));
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_fp_irecv_nomatch(in.data(), static_cast<std::int32_t>(in.size()), AVRM_BYTE, fast.comm, &request) ==
              AVRM_OK);
    wait(request);
    AVRM_MUST(in == content(previous, process.rank, i, in.size()));
  }
  for (avrm_request_t *const request : requests) {
    wait(request);
  }
  AVRM_MUST(avrm_fp_comm_waitall(fast.comm) == AVRM_OK);
  Buffer in(other.size());
  receive(process, in, previous, 7);
  AVRM_MUST(in == content(previous, process.rank, 1000, in.size()));
  // A predefined handle.
  AVRM_MUST(avrm_fp_isend_all_opts(other.data(), 12, AVRM_BYTE, next, AVRM_COMM_1) == AVRM_OK);
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_fp_irecv_nomatch(in.data(), 12, AVRM_BYTE, AVRM_COMM_1, &request) == AVRM_OK);
  wait(request);
  AVRM_MUST(in == content(previous, process.rank, 1000, in.size()));
  AVRM_MUST(avrm_fp_comm_waitall(AVRM_COMM_1) == AVRM_OK);
}

} // namespace avrankmap::test
