// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/liveness/kill.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>
#include <random>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/event.h"
#include "avrankmap/device/ft.h"
#include "avrankmap/device/probe.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/liveness/recovery.h"

namespace avrankmap::test {

namespace {

using Clock = std::chrono::steady_clock; // of the system, the same in all processes

std::int64_t now() { return Clock::now().time_since_epoch().count(); }

// For loops of operations with the victim, which begin when it still lives.
class Survivor {
public:
  explicit Survivor(KillRecord &kill_record) : kill_record_(kill_record) {}
  // False once the death was reported. No other error may occur.
  bool goes_on(avrm_status_t status) {
    const bool is_death = status == AVRM_ERR_PEER || status == AVRM_ERR_PEER_PENDING;
    if (status != AVRM_OK && !is_death) {
      std::fprintf(stderr, "with a dead process: %s\n", avrm_status_name(status));
    }
    AVRM_MUST(status == AVRM_OK || is_death);
    if (status == AVRM_OK) {
      return true;
    }
    const std::int64_t killed_at = std::atomic_ref(kill_record_.killed_at).load();
    AVRM_MUST(killed_at != 0);
    const std::int64_t passed = now() - killed_at;
    const std::atomic_ref longest(kill_record_.longest);
    for (std::int64_t known = longest.load(); known < passed && !longest.compare_exchange_weak(known, passed);) {
    }
    return false;
  }
  // Waits for an operation that was started with this status.
  bool goes_on(avrm_status_t started, avrm_request_t *request) {
    if (started != AVRM_OK) {
      return goes_on(started);
    }
    avrm_outcome_t outcome{};
    for (bool done = false; !done;) {
      AVRM_MUST(avrm_test(&request, &done, &outcome) == AVRM_OK);
    }
    return goes_on(outcome.status);
  }

private:
  KillRecord &kill_record_;
};

void record_the_kill(KillRecord &kill_record) {
  kill_record.killer = getpid();
  std::atomic_ref(kill_record.killed_at).store(now());
}

// Kills a process after a random time, in which this one makes progress.
void progress_and_kill(Process &process, KillRecord &kill_record, pid_t whom) {
  std::minstd_rand random(kill_record.seed + 1);
  const auto end = Clock::now() + std::chrono::microseconds(random() % 20000);
  while (Clock::now() < end) {
    avrm_progress(process.device);
  }
  record_the_kill(kill_record);
  (void)kill(whom, SIGKILL);
}

void fall(Process &process, KillRecord &kill_record) { progress_and_kill(process, kill_record, getpid()); }

// Scenarios have two forms, which the repetitions take in turn.
bool is_second_form(const KillRecord &kill_record) { return kill_record.seed % 2 != 0; }

// A turn of an event loop: sleeps until the device has something to do.
void sleep_on_descriptor(const Process &process) {
  pollfd readable{-1, POLLIN, 0};
  std::int64_t nanoseconds = 0;
  AVRM_MUST(avrm_device_descriptor(process.device, &readable.fd) == AVRM_OK);
  if (avrm_device_arm(process.device, &nanoseconds) == AVRM_OK) {
    (void)poll(&readable, 1, static_cast<int>(nanoseconds / 1000000));
    avrm_device_disarm(process.device);
  }
}

// From the victim, and from anybody. The second form waits for both at once: by an event loop,
// avrm_waitany or avrm_waitsome, according to the rank.
void in_a_receive(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  gather_at(process, kVictim);
  if (process.rank == kVictim) {
    fall(process, kill_record);
  }
  Survivor survivor(kill_record);
  Buffer in(100);
  avrm_request_t *one = nullptr;
  avrm_request_t *any = nullptr;
  const avrm_status_t first = avrm_irecv(process.world, in.data(), in.size(), kVictim, 7, &one);
  const avrm_status_t second = avrm_irecv(process.world, in.data(), in.size(), AVRM_ANY_SOURCE, 8, &any);
  AVRM_MUST(second == AVRM_OK);
  avrm_request_t *both[] = {one, any};
  avrm_outcome_t outcomes[2] = {};
  if (first != AVRM_OK || !is_second_form(kill_record)) {
    AVRM_MUST(!survivor.goes_on(first, one));
    AVRM_MUST(avrm_wait(&any, nullptr) == AVRM_ERR_PEER_PENDING);
    return;
  }
  if (process.rank % 3 == 0) {
    for (bool done = false; !done;) {
      AVRM_MUST(avrm_testall(2, both, &done, outcomes) == AVRM_OK);
      sleep_on_descriptor(process);
    }
  } else if (process.rank % 3 == 1) {
    for (int i = 0; i < 2; ++i) {
      std::int32_t index = -1;
      avrm_outcome_t outcome{};
      AVRM_MUST(avrm_waitany(2, both, &index, &outcome) != AVRM_OK);
      outcomes[index] = outcome;
    }
  } else {
    for (std::int32_t over = 0, finished = 0; over < 2; over += finished) {
      std::int32_t indices[2] = {};
      avrm_outcome_t some[2] = {};
      AVRM_MUST(avrm_waitsome(2, both, &finished, indices, some) == AVRM_OK);
      AVRM_MUST(finished > 0);
      for (std::int32_t i = 0; i < finished; ++i) {
        outcomes[indices[i]] = some[i];
      }
    }
  }
  AVRM_MUST(!survivor.goes_on(outcomes[0].status));
  AVRM_MUST(outcomes[1].status == AVRM_ERR_PEER_PENDING);
}

// Messages of the victim that rank 0 takes out while it lives: one that comes at once, and one that
// its sender may have to move.
class TakenOut {
public:
  explicit TakenOut(Process &process) {
    for (std::size_t i = 0; i < kMessages; ++i) {
      const int tag = 20 + static_cast<int>(i);
      messages_[i].buffer = content(kVictim, 0, tag, kSizes[i]);
      if (process.rank == kVictim) {
        AVRM_MUST(avrm_isend(process.world, messages_[i].buffer.data(), kSizes[i], 0, tag, &messages_[i].sent) ==
                  AVRM_OK);
      } else if (process.rank == 0) {
        AVRM_MUST(avrm_mprobe(process.world, kVictim, tag, &messages_[i].taken, nullptr) == AVRM_OK);
      }
    }
  }
  // In rank 0, once the victim is known to be dead.
  void receive(Survivor &survivor, bool in_list) {
    for (Message &message : messages_) {
      const Buffer &sent = message.buffer;
      const std::size_t block = in_list ? sent.size() / 4 : sent.size();
      avrm_block_t apart[4] = {};
      for (std::size_t i = 0; i < 4; ++i) {
        apart[i] = {static_cast<std::int64_t>(2 * i * block), block};
      }
      const avrm_blocks_t list{apart, 4};
      Buffer in(2 * sent.size());
      avrm_request_t *request = nullptr;
      AVRM_MUST((in_list ? avrm_imrecv_blocks(&message.taken, in.data(), &list, &request)
                         : avrm_imrecv(&message.taken, in.data(), sent.size(), &request)) == AVRM_OK);
      if (survivor.goes_on(AVRM_OK, request)) {
        for (std::size_t i = 0; i < sent.size(); i += block) {
          AVRM_MUST(std::memcmp(&in[2 * i], &sent[i], block) == 0);
        }
      }
    }
  }

private:
  static constexpr std::size_t kMessages = 2;
  static constexpr std::size_t kSizes[kMessages] = {16, std::size_t{1} << 20};
  struct Message {
    Buffer buffer;
    avrm_request_t *sent = nullptr;
    avrm_message_t *taken = nullptr;
  };
  std::array<Message, kMessages> messages_;
};

// From the victim, and from anybody.
void in_a_probe(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  TakenOut taken(process);
  gather_at(process, kVictim);
  if (process.rank == kVictim) {
    fall(process, kill_record);
  }
  Survivor survivor(kill_record);
  avrm_message_t *message = nullptr;
  if (process.rank == 0) {
    AVRM_MUST(!survivor.goes_on(avrm_mprobe(process.world, kVictim, 7, &message, nullptr)));
    taken.receive(survivor, is_second_form(kill_record));
  } else {
    AVRM_MUST(!survivor.goes_on(avrm_probe(process.world, AVRM_ANY_SOURCE, 7, nullptr)));
  }
  bool found = true;
  AVRM_MUST(avrm_iprobe(process.world, kVictim, 7, &found, nullptr) == AVRM_ERR_PEER && found);
  AVRM_MUST(avrm_iprobe(process.world, AVRM_ANY_SOURCE, 7, &found, nullptr) == AVRM_ERR_PEER_PENDING && found);
  // Another survivor may end meanwhile, which under PMI-2 is a further failure.
  std::int32_t acked = 0;
  avrm_status_t status = AVRM_ERR_PEER_PENDING;
  while (status == AVRM_ERR_PEER_PENDING) {
    const std::int32_t before = acked;
    AVRM_MUST(avrm_comm_ack_failed(process.world, process.size, &acked) == AVRM_OK && acked > before);
    status = avrm_iprobe(process.world, AVRM_ANY_SOURCE, 7, &found, nullptr);
  }
  AVRM_MUST(status == AVRM_OK && !found);
}

// Runs `operation(window, rank, buffer, survivor)` until it returns false.
template <typename Operation>
void with_a_window(Process &process, KillRecord &kill_record, std::size_t bytes, Operation operation,
                   unsigned flags = 0) {
  everyone_exchanges_with_everyone(process);
  avrm_window_t *window = nullptr;
  void *base = nullptr;
  AVRM_MUST(avrm_window_allocate(process.world, bytes, flags, &base, &window) == AVRM_OK);
  Buffer buffer(bytes);
  Survivor survivor(kill_record);
  if (process.rank != kVictim) {
    AVRM_MUST(operation(window, buffer, survivor)); // connects
    AVRM_MUST(avrm_flush(window, kVictim) == AVRM_OK);
  }
  gather_at(process, kVictim);
  if (process.rank == kVictim) {
    fall(process, kill_record);
  }
  while (operation(window, buffer, survivor)) {
  }
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
}

bool put(avrm_window_t *window, const Buffer &buffer, std::size_t bytes, Survivor &survivor) {
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_put(window, buffer.data(), bytes, kVictim, 0, &request);
  return survivor.goes_on(status != AVRM_OK ? status : avrm_wait(&request, nullptr));
}

// Of 8 bytes in one block, or in several, as a layout and as a list.
bool get(avrm_window_t *window, Buffer &buffer, bool in_blocks, Survivor &survivor) {
  avrm_request_t *request = nullptr;
  const avrm_layout_t layout{2, 4, 16};
  const avrm_block_t apart[] = {{20, 6}, {4, 2}};
  const avrm_blocks_t list{apart, 2};
  if (in_blocks) {
    const avrm_status_t status = avrm_get_blocks(window, buffer.data(), &list, kVictim, 0, &list, &request);
    if (!survivor.goes_on(status != AVRM_OK ? status : avrm_wait(&request, nullptr))) {
      return false;
    }
  }
  const avrm_status_t status = in_blocks
                                   ? avrm_get_strided(window, buffer.data(), &layout, kVictim, 0, &layout, &request)
                                   : avrm_get(window, buffer.data(), 8, kVictim, 0, &request);
  return survivor.goes_on(status != AVRM_OK ? status : avrm_wait(&request, nullptr));
}

void in_a_put(Process &process, KillRecord &kill_record) {
  with_a_window(process, kill_record, 64, [](avrm_window_t *window, Buffer &buffer, Survivor &survivor) {
    return put(window, buffer, 8, survivor);
  });
}

void in_a_get(Process &process, KillRecord &kill_record) {
  with_a_window(process, kill_record, 64, [&](avrm_window_t *window, Buffer &buffer, Survivor &survivor) {
    return get(window, buffer, is_second_form(kill_record), survivor);
  });
}

// The second form ends them by a flush.
void in_large_gets(Process &process, KillRecord &kill_record) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  with_a_window(process, kill_record, kBytes, [&](avrm_window_t *window, Buffer &buffer, Survivor &survivor) {
    avrm_request_t *requests[4] = {};
    bool goes_on = true;
    for (avrm_request_t *&request : requests) {
      const avrm_status_t status = avrm_get(window, buffer.data(), kBytes, kVictim, 0, &request);
      goes_on = survivor.goes_on(status) && goes_on;
    }
    if (is_second_form(kill_record)) {
      AVRM_MUST(avrm_flush_local(window, kVictim) == AVRM_OK);
    }
    for (avrm_request_t *&request : requests) {
      AVRM_MUST(!is_second_form(kill_record) || request == nullptr || request->done != 0);
      goes_on = (request == nullptr || survivor.goes_on(AVRM_OK, request)) && goes_on;
    }
    return goes_on;
  });
}

// One element, several, and one whose old value is wanted.
bool operate(avrm_window_t *window, Buffer &buffer, Survivor &survivor) {
  const std::uint64_t ones[] = {1, 1, 1};
  avrm_request_t *request = nullptr;
  for (const std::size_t count : {1, 3}) {
    const avrm_status_t status = avrm_accumulate(window, ones, count, AVRM_UINT64, AVRM_OP_SUM, kVictim, 0, &request);
    if (!survivor.goes_on(status != AVRM_OK ? status : avrm_wait(&request, nullptr))) {
      return false;
    }
  }
  const avrm_status_t status =
      avrm_fetch_and_op(window, ones, buffer.data(), AVRM_UINT64, AVRM_OP_SUM, kVictim, 8, &request);
  return survivor.goes_on(status != AVRM_OK ? status : avrm_wait(&request, nullptr));
}

void in_an_atomic(Process &process, KillRecord &kill_record) { with_a_window(process, kill_record, 64, operate); }

void in_an_atomic_of_the_network(Process &process, KillRecord &kill_record) {
  with_a_window(process, kill_record, 64, operate, AVRM_WINDOW_NETWORK_ATOMICS);
}

void in_a_visible_put(Process &process, KillRecord &kill_record) {
  with_a_window(process, kill_record, 64, [](avrm_window_t *window, Buffer &buffer, Survivor &survivor) {
    avrm_request_t *request = nullptr;
    const avrm_status_t status = avrm_rput(window, buffer.data(), 8, kVictim, 0, &request);
    return survivor.goes_on(status != AVRM_OK ? status : avrm_wait(&request, nullptr));
  });
}

void in_a_flush(Process &process, KillRecord &kill_record) {
  with_a_window(process, kill_record, 64, [](avrm_window_t *window, Buffer &buffer, Survivor &survivor) {
    return survivor.goes_on(avrm_flush(window, kVictim)) && put(window, buffer, 8, survivor) &&
           survivor.goes_on(avrm_flush(window, kVictim));
  });
}

// Nobody receives, and nobody calls progress: in the tcp provider of libfabric 1.17 the victim
// would not return from it before the flood ends (tcpx_progress_rx in prov/tcp/src).
void in_a_flood_of_sends(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  gather_at(process, kVictim);
  const std::atomic_ref ready(kill_record.ready);
  if (process.rank == kVictim) {
    ready = 1;
    usleep(kill_record.seed % 20000);
    record_the_kill(kill_record);
    (void)kill(getpid(), SIGKILL);
  }
  while (ready == 0) {
    avrm_progress(process.device);
  }
  Survivor survivor(kill_record);
  const unsigned char byte = 1;
  for (avrm_status_t status = AVRM_OK; survivor.goes_on(status);) {
    avrm_request_t *request = nullptr;
    status = avrm_isend(process.world, &byte, 1, kVictim, 5, &request);
    status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
  }
}

// The victim never receives: small messages wait in it, and large ones here as well. The second
// form waits for several at once.
void in_a_synchronous_send(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  gather_at(process, kVictim);
  if (process.rank == kVictim) {
    fall(process, kill_record);
  }
  Survivor survivor(kill_record);
  const Buffer buffer = content(process.rank, kVictim, 1, std::size_t{1} << 20);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{20000}, buffer.size()}) {
    avrm_request_t *requests[2] = {};
    avrm_outcome_t outcomes[2] = {};
    const int count = is_second_form(kill_record) ? 2 : 1;
    avrm_status_t status = AVRM_OK;
    for (int i = 0; i < count && status == AVRM_OK; ++i) {
      status = avrm_issend(process.world, buffer.data(), bytes, kVictim, 5, &requests[i]);
    }
    const avrm_status_t first = avrm_waitall(count, requests, outcomes);
    AVRM_MUST(!survivor.goes_on(status != AVRM_OK ? status : first));
    AVRM_MUST(status != AVRM_OK ||
              (outcomes[0].status == AVRM_ERR_PEER && outcomes[count - 1].status == AVRM_ERR_PEER));
  }
}

// With a parent and without one in turns.
void in_a_creation(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  gather_at(process, kVictim);
  avrm_group_t *everyone = nullptr;
  AVRM_MUST(avrm_comm_group(process.world, &everyone) == AVRM_OK);
  Survivor survivor(kill_record);
  const int last = static_cast<int>(kill_record.seed % 40);
  for (int i = 0;; ++i) {
    if (process.rank == kVictim && i == last) {
      fall(process, kill_record);
    }
    avrm_comm_t *comm = nullptr;
    const avrm_status_t status = i % 2 == 0 ? avrm_comm_dup(process.world, &comm)
                                            : avrm_comm_create_from_group(process.device, everyone, "creation", &comm);
    if (process.rank != kVictim && !survivor.goes_on(status)) {
      avrm_group_destroy(everyone);
      return;
    }
    AVRM_MUST(status == AVRM_OK && avrm_comm_free(comm) == AVRM_OK);
  }
}

// At a message that the seed says.
void in_a_recovery(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  const auto last_act = [](void *user) { record_the_kill(*static_cast<KillRecord *>(user)); };
  recover_from_a_death(process, kVictim, kill_record.seed, last_act, &kill_record);
}

// The device is closed after this, as in all scenarios.
void in_a_close(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  gather_at(process, kVictim);
  if (process.rank == kVictim) {
    fall(process, kill_record);
  }
}

} // namespace

avrm_status_t close_after(Process &process, KillRecord &kill_record) {
  const avrm_status_t status = avrm_device_close(process.device);
  // AVRM_ERR_BOOT: it was the launcher's.
  (void)Survivor(kill_record).goes_on(status == AVRM_ERR_BOOT ? AVRM_ERR_PEER : status);
  return status;
}

void lose_the_launcher(Process &process, KillRecord &kill_record) {
  everyone_exchanges_with_everyone(process);
  gather_at(process, 0);
  Survivor survivor(kill_record);
  if (process.rank == 0) {
    progress_and_kill(process, kill_record, getppid());
  }
  Buffer in(8);
  avrm_request_t *request = nullptr;
  const int source = process.rank == 1 ? AVRM_ANY_SOURCE : (process.rank + 1) % process.size;
  const avrm_status_t status = avrm_irecv(process.world, in.data(), in.size(), source, 7, &request);
  AVRM_MUST(status != AVRM_OK || !survivor.goes_on(status, request) || source == AVRM_ANY_SOURCE);
  // The end of another process that learned of it first may be known before the launcher's.
  while (avrm_boot_failures(process.boot) != static_cast<std::uint32_t>(process.size - 1)) {
    avrm_progress(process.device);
  }
  avrm_comm_t *comm = nullptr;
  AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_ERR_PEER);
  AVRM_MUST(avrm_isend(process.world, in.data(), 1, (process.rank + 1) % process.size, 3, &request) == AVRM_ERR_PEER);
}

void lose_a_host(Process &process, KillRecord &kill_record) {
  constexpr int kFirst = 2; // of the other host
  const std::atomic_ref ready(kill_record.ready);
  constexpr int kLooks = 20; // each takes some milliseconds
  const auto progress_until = [&](const auto &is_over) {
    while (!is_over()) {
      avrm_progress(process.device);
      usleep(50);
    }
  };
  for (int look = 1; look <= kLooks; ++look) { // in step, until they watch one another
    const auto end = Clock::now() + std::chrono::milliseconds(12);
    progress_until([&] { return Clock::now() >= end; });
    ++ready;
    progress_until([&] { return ready >= look * process.size; });
  }
  if (process.rank < kFirst) {
    fall(process, kill_record);
  }
  Survivor survivor(kill_record);
  for (int victim = 0; victim < kFirst; ++victim) {
    progress_until(
        [&] { return !survivor.goes_on(avrm_boot_has_failed(process.boot, victim) ? AVRM_ERR_PEER : AVRM_OK); });
  }
  avrm_comm_t *survivors = nullptr;
  AVRM_MUST(avrm_comm_shrink(process.world, &survivors) == AVRM_OK);
  AVRM_MUST(avrm_comm_size(survivors) == process.size - kFirst);
  AVRM_MUST(avrm_barrier(survivors) == AVRM_OK);
  AVRM_MUST(avrm_comm_free(survivors) == AVRM_OK);
}

const Scenario kScenarios[] = {
    {"InAReceive", in_a_receive},
    {"InAProbe", in_a_probe},
    {"InAPut", in_a_put},
    {"InAGet", in_a_get},
    {"InAnAtomic", in_an_atomic},
    {"InAVisiblePut", in_a_visible_put},
    {"InAnAtomicOfTheNetwork", in_an_atomic_of_the_network},
    {"InLargeGets", in_large_gets},
    {"InAFlush", in_a_flush},
    {"InAFloodOfSends", in_a_flood_of_sends},
    {"InASynchronousSend", in_a_synchronous_send},
    {"InACreation", in_a_creation},
    {"InARecovery", in_a_recovery},
    {"InAClose", in_a_close},
};
const std::size_t kScenarioCount = std::size(kScenarios);

const Scenario &scenario_named(const char *name) {
  const auto *const found = std::find_if(std::begin(kScenarios), std::end(kScenarios), [=](const Scenario &scenario) {
    return std::strcmp(scenario.name, name) == 0;
  });
  AVRM_MUST(found != std::end(kScenarios));
  return *found;
}

} // namespace avrankmap::test
