// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Through which work queue operations of a window and synchronous messages reach the network, by
// the calls that the netmods get. Where queues hand out the same handles, the data alone would not
// tell.
#include <algorithm>
#include <array>
#include <list>
#include <utility>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/fastpath.h"
#include "avrankmap/device/ft.h"
#include "core/progress/queue.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

// Counts the one-sided operations and the messages that each netmod of a device gets: its own, and
// its queues.
class Posts {
public:
  explicit Posts(avrm_device_t *device) {
    count(device->net);
    for (const detail::Queue *queue = device->queues; queue != nullptr; queue = queue->next) {
      count(queue->net);
    }
  }
  Posts(const Posts &) = delete;
  Posts &operator=(const Posts &) = delete;
  ~Posts() {
    for (const Counted &counted : netmods) {
      counted.net->ops = counted.ops;
    }
    netmods.clear();
  }

  // Since it was asked last.
  [[nodiscard]] static int through(const avrm_netmod_t *net) { return std::exchange(find(net).posts, 0); }

private:
  struct Counted {
    avrm_netmod_t *net;
    const avrm_netmod_ops_t *ops; // its own
    avrm_netmod_ops_t counting;
    int posts;
  };

  template <auto operation> struct Counting;
  template <typename... Arguments,
            avrm_status_t (*avrm_netmod_ops_t::*operation)(avrm_netmod_t *netmod, Arguments... arguments)>
  struct Counting<operation> {
    static avrm_status_t call(avrm_netmod_t *net, Arguments... arguments) {
      Counted &counted = find(net);
      ++counted.posts;
      return (counted.ops->*operation)(net, arguments...);
    }
  };

  static void count(avrm_netmod_t *net) {
    Counted &counted = netmods.emplace_back(Counted{net, net->ops, *net->ops, 0});
    counted.counting.put = Counting<&avrm_netmod_ops_t::put>::call;
    counted.counting.get = Counting<&avrm_netmod_ops_t::get>::call;
    counted.counting.flush = Counting<&avrm_netmod_ops_t::flush>::call;
    counted.counting.atomic = Counting<&avrm_netmod_ops_t::atomic>::call;
    counted.counting.tinject = Counting<&avrm_netmod_ops_t::tinject>::call;
    counted.counting.tsend = Counting<&avrm_netmod_ops_t::tsend>::call;
    counted.counting.tsend_sync = Counting<&avrm_netmod_ops_t::tsend_sync>::call;
    net->ops = &counted.counting;
  }
  static Counted &find(const avrm_netmod_t *net) {
    const auto found =
        std::find_if(netmods.begin(), netmods.end(), [net](const Counted &counted) { return counted.net == net; });
    AVRM_MUST(found != netmods.end());
    return *found;
  }

  static inline std::list<Counted> netmods;
};

// A window of a communicator with a queue of its own, whose members' parts are known.
class QueueWindow {
public:
  explicit QueueWindow(Process &process) : next_((process.rank + 1) % process.size) {
    AVRM_MUST(avrm_fp_open(process.device, 2, &fp_) == AVRM_OK && avrm_fp_queues(fp_) == 2);
    AVRM_MUST(avrm_comm_dup(process.world, &comm_) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_create(fp_, comm_, &handle_) == AVRM_OK && comm_->queue != nullptr);
    AVRM_MUST(avrm_window_create(comm_, memory_.data(), sizeof memory_, AVRM_WINDOW_NETWORK_ATOMICS, &window_) ==
              AVRM_OK);
    AVRM_MUST(avrm_window_has_network_atomics(window_));
    call(avrm_put, out_.data(), 8U);
  }
  QueueWindow(const QueueWindow &) = delete;
  QueueWindow &operator=(const QueueWindow &) = delete;
  void free() {
    AVRM_MUST(avrm_window_free(window_) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_free(handle_) == AVRM_OK);
    AVRM_MUST(avrm_comm_free(comm_) == AVRM_OK);
    AVRM_MUST(avrm_fp_close(fp_) == AVRM_OK);
  }

  [[nodiscard]] const avrm_netmod_t *queue() const { return comm_->queue->net; }

  // To the next process, from the previous one. Of 40,000 bytes as well.
  void send_synchronously() {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{40000}}) {
      const Buffer sent = content(comm_->rank, next_, 1, bytes);
      Buffer received(bytes);
      avrm_request_t *in = nullptr;
      avrm_request_t *out = nullptr;
      AVRM_MUST(avrm_irecv(comm_, received.data(), bytes, AVRM_ANY_SOURCE, 1, &in) == AVRM_OK);
      AVRM_MUST(avrm_issend(comm_, sent.data(), bytes, next_, 1, &out) == AVRM_OK);
      avrm_outcome_t outcome{};
      wait(in, &outcome);
      wait(out);
      AVRM_MUST(received == content(outcome.source, comm_->rank, 1, bytes));
    }
  }

  // Each operation on the next process's part, which is over when this returns.
  void put() { call(avrm_put, out_.data(), 24U); }
  void put_visibly() { call(avrm_rput, out_.data(), 24U); }
  void get() { call(avrm_get, in_.data(), 24U); }
  void flush() { AVRM_MUST(avrm_flush(window_, next_) == AVRM_OK); }
  void accumulate_one() { call(avrm_accumulate, out_.data(), 1U, AVRM_UINT64, AVRM_OP_SUM); }
  void accumulate_several() { call(avrm_accumulate, out_.data(), 3U, AVRM_UINT64, AVRM_OP_SUM); }
  void fetch_and_add() { call(avrm_fetch_and_op, out_.data(), in_.data(), AVRM_UINT64, AVRM_OP_SUM); }
  void compare_and_swap() { call(avrm_compare_and_swap, out_.data(), &out_[1], in_.data(), AVRM_UINT64); }

private:
  template <typename Operation, typename... Arguments> void call(Operation operation, Arguments... arguments) {
    avrm_request_t *request = nullptr;
    AVRM_MUST(operation(window_, arguments..., next_, 0, &request) == AVRM_OK);
    wait(request);
  }

  int next_;
  std::array<std::uint64_t, 3> memory_{};
  std::array<std::uint64_t, 3> out_{1, 2, 3};
  std::array<std::uint64_t, 3> in_{};
  avrm_fp_t *fp_ = nullptr;
  avrm_comm_t *comm_ = nullptr;
  avrm_fp_comm_t *handle_ = nullptr;
  avrm_window_t *window_ = nullptr;
};

class QueuePosts : public testing::TestWithParam<Transport> {};

TEST_P(QueuePosts, OperationsAndMessagesGoThroughTheQueueOfTheirCommunicator) {
  ASSERT_EQ(setenv("AVRM_UCX_NO_RMA", "0", 1), 0); // the processes inherit it
  run_job(
      GetParam(), 2,
      [](Process &process) {
        QueueWindow window(process);
        {
          const Posts posts(process.device);
          for (const auto operation :
               {&QueueWindow::put, &QueueWindow::put_visibly, &QueueWindow::get, &QueueWindow::flush,
                &QueueWindow::accumulate_one, &QueueWindow::accumulate_several, &QueueWindow::fetch_and_add,
                &QueueWindow::compare_and_swap}) {
            (window.*operation)();
            AVRM_MUST(Posts::through(window.queue()) != 0);
            AVRM_MUST(Posts::through(process.device->net) == 0);
          }
        }
        barrier(process);
        {
          const Posts posts(process.device);
          window.send_synchronously();
          AVRM_MUST(Posts::through(window.queue()) == 2);
          AVRM_MUST(Posts::through(process.device->net) == 0); // active messages are not counted
        }
        barrier(process);
        window.free();
      },
      -1, true);
  ASSERT_EQ(unsetenv("AVRM_UCX_NO_RMA"), 0);
}

// The first process is connected in the queue; the revoked map must not lead to it.
TEST_P(QueuePosts, ARevokedCommunicatorSendsNothingThroughItsQueue) {
  run_job(
      GetParam(), 3,
      [](Process &process) {
        avrm_fp_t *fp = nullptr;
        avrm_comm_t *comm = nullptr;
        avrm_fp_comm_t *handle = nullptr;
        avrm_request_t *request = nullptr;
        std::uint64_t value = 7;
        AVRM_MUST(avrm_fp_open(process.device, 2, &fp) == AVRM_OK && avrm_fp_queues(fp) == 2);
        AVRM_MUST(avrm_comm_dup(process.world, &comm) == AVRM_OK);
        AVRM_MUST(avrm_fp_comm_create(fp, comm, &handle) == AVRM_OK && comm->queue != nullptr);
        if (process.rank == 1) {
          AVRM_MUST(avrm_fp_isend(&value, 1, AVRM_UINT64, 0, 1, handle, &request) == AVRM_OK);
          wait(request);
        } else if (process.rank == 0) {
          AVRM_MUST(avrm_irecv(comm, &value, sizeof value, 1, 1, &request) == AVRM_OK);
          wait(request);
        }
        barrier(process);
        if (process.rank == 1) {
          AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
          for (int dest = 0; dest < process.size; ++dest) {
            AVRM_MUST(avrm_fp_isend(&value, 1, AVRM_UINT64, dest, 1, handle, &request) == AVRM_ERR_REVOKED);
          }
        }
        barrier(process);
        AVRM_MUST(avrm_fp_comm_free(handle) == AVRM_OK);
        AVRM_MUST(avrm_comm_free(comm) == AVRM_OK);
        AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
      },
      -1, true);
}

// Near processes are reached without a queue.
INSTANTIATE_TEST_SUITE_P(Over, QueuePosts, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)), kByName);

} // namespace
} // namespace avrankmap::test
