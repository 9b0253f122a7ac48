// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators that are revoked while avrm_comm_node creates their internal communicators, just
// before those exist: nothing would revoke them later.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "comm_calls/ft_state.h"
#include "comm_calls/pending.h"
#include "core/device.h"
#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

avrm_status_t make_node(avrm_comm_t *comm) {
  avrm_comm_t *node = nullptr;
  return avrm_comm_node(comm, &node);
}

// Messages that a process has sent through shared memory.
struct Sent {
  std::atomic<int> messages{0};
  std::atomic<int> actives{0};
};
struct SentByBoth {
  Sent by[2];
};

// Counts what this process sends, and lets nothing arrive while `holds` returns true.
class HeldShm {
public:
  HeldShm(avrm_shmmod_t *shm, Sent *sent) : shm_(shm), ops_(*shm->ops) {
    all_ = shm->ops;
    sent_ = sent;
    holds = [] { return false; };
    ops_.send = [](avrm_shmmod_t *self, std::int32_t peer, std::uint64_t match, const void *buffer, std::size_t bytes,
                   avrm_request_t *request) {
      const avrm_status_t status = all_->send(self, peer, match, buffer, bytes, request);
      sent_->messages += status == AVRM_OK ? 1 : 0;
      return status;
    };
    ops_.am_send = [](avrm_shmmod_t *self, std::int32_t peer, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t bytes) {
      const avrm_status_t status = all_->am_send(self, peer, header, header_bytes, payload, bytes);
      sent_->actives += status == AVRM_OK ? 1 : 0;
      return status;
    };
    ops_.progress = [](avrm_shmmod_t *self) { return holds() ? 0 : all_->progress(self); };
    shm_->ops = &ops_;
  }
  ~HeldShm() { shm_->ops = all_; }
  HeldShm(const HeldShm &) = delete;
  HeldShm &operator=(const HeldShm &) = delete;

  inline static std::function<bool()> holds;

private:
  inline static const avrm_shmmod_ops_t *all_ = nullptr;
  inline static Sent *sent_ = nullptr;
  avrm_shmmod_t *shm_;
  avrm_shmmod_ops_t ops_;
};

// Process 1 sends its last message, and then revokes. Both arrive at process 0 together.
TEST(RevokedNode, IsNotMadeIfTheRevocationArrivesWithTheLastMessage) {
  const Shared<SentByBoth> sent;
  run_job(transport_named("posix"), 2, [&](Process &process) {
    process.device->nodes_are_known = false; // as under a launcher that does not tell them
    Sent &own = sent->by[process.rank];
    Sent &others = sent->by[process.partner()];
    avrm_comm_t *const first = dup_of(process.world);
    avrm_comm_t *const second = dup_of(process.world);
    avrm_comm_t *const third = dup_of(process.world);
    AVRM_MUST(make_node(first) == AVRM_OK); // the others share the nodes that it finds
    barrier(process);
    {
      const HeldShm shm(process.device->shm, &own);
      AVRM_MUST(make_node(second) == AVRM_OK);
      const int last = own.messages;
      AVRM_MUST(last == 2); // each message but the first needs one of the other process
      barrier(process);
      own.messages = 0;
      own.actives = 0;
      if (process.rank == 0) {
        HeldShm::holds = [&] { return own.messages == last && others.actives == 0; };
        fence(process);
        AVRM_MUST(make_node(third) == AVRM_ERR_REVOKED);
      } else { // its last message must not arrive before process 0 waits for it
        HeldShm::holds = [&] { return others.messages != last; };
        fence(process);
        AVRM_MUST(make_node(third) == AVRM_OK);
        AVRM_MUST(avrm_comm_revoke(third) == AVRM_OK);
      }
      fence(process);
    }
    AVRM_MUST(is_revoked(third));
    for (avrm_comm_t *const comm : {first, second, third}) {
      release(comm);
    }
    barrier(process);
  });
}

bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && line[name_end + 2] == 'S';
}

// Members that know their nodes send no messages. The caller has seen that the communicator is not
// revoked, and waits for the device's lock.
TEST(RevokedNode, IsNotMadeIfAnotherThreadRevokesMeanwhile) {
  run_job(
      transport_named("posix"), 1,
      [](Process &process) {
        avrm_device_t *const device = process.device;
        AVRM_MUST(device->nodes_are_known);
        avrm_comm_t *const comm = dup_of(process.world);
        detail::FtState *survivors = nullptr;
        AVRM_MUST(device->creations->with_survivors(comm, [&](detail::FtState &state) {
          survivors = &state;
          return AVRM_OK;
        }) == AVRM_OK);
        std::atomic<pid_t> thread{0};
        avrm_status_t status = AVRM_OK;
        std::unique_lock lock(device->lock);
        std::thread caller([&] {
          thread = gettid();
          status = make_node(comm);
        });
        while (thread == 0 || !sleeps(thread)) {
          std::this_thread::yield();
        }
        survivors->revocation().begin(comm);
        lock.unlock();
        caller.join();
        AVRM_MUST(is_revoked(comm));
        AVRM_MUST(status == AVRM_ERR_REVOKED);
        release(comm);
      },
      -1, true);
}

} // namespace
} // namespace avrankmap::test
