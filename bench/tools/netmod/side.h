// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One process of a check: it calls a netmod as the core does, and watches what the netmod does
// in each call. The first breach of a sentence ends the process.
#ifndef AVRANKMAP_BENCH_TOOLS_NETMOD_SIDE_H
#define AVRANKMAP_BENCH_TOOLS_NETMOD_SIDE_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "avrankmap/device/netmod.h"
#include "tools/netmod/contract.h"

namespace avrankmap::netmod_test {

using Bytes = std::vector<unsigned char>;

constexpr int kSidesMost = 3;
// A process lacked memory or descriptors, which breaks no sentence.
constexpr int kLacking = -1;

// What the processes of a check and the one that started them share. All zeros at first.
struct Shared {
  std::atomic<int> tried[kSentenceCount];
  std::atomic<int> breached; // 1 + the sentence, or kLacking
  char observation[200];
  std::atomic<int> next_check; // the first one that has not passed in all processes
  std::atomic<std::uint64_t> here[kSidesMost];
  std::atomic<std::uint64_t> word; // for the checks
  std::atomic<unsigned> capabilities;
  std::atomic<int> unavailable; // the status with which the netmod could not be opened
  struct {
    std::atomic<std::size_t> bytes;
    unsigned char of[1024];
  } note[kSidesMost]; // an address, or a description of memory
};

class Side;

// An operation with a request. `data` is its buffer; guards before and behind it show writes.
struct Operation {
  avrm_request_t request{}; // first
  Side *side = nullptr;
  Bytes guarded;
  std::size_t size = 0;
  bool is_posted = false;
  bool is_done = false;
  avrm_status_t status = AVRM_OK;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  avrm_piece_t piece{}; // as the netmod is shown it, and only during the call
  Bytes completed;      // the buffer when the request completed

  [[nodiscard]] unsigned char *data();
  [[nodiscard]] bool guards_hold() const;
};

struct Settings {
  const avrm_netmod_ops_t *ops = nullptr;
  std::string provider; // "": the netmod's choice
  double seconds = 10;  // until an operation counts as one that never ends
  std::string check;    // "": all of them
};

class Side {
public:
  Side(const Settings &settings, Shared &shared, int rank, int size);
  ~Side();
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  // Opens the netmod, or a second one of this process, and inserts all processes. False: there is
  // no such provider here.
  bool open();
  void close();

  // Ends the process.
  [[noreturn]] void breach(Sentence sentence, const std::string &observation);
  // The same if the status says that this process lacks memory or descriptors.
  void expect_resources(const char *name, avrm_status_t status);
  void tried(Sentence sentence) { shared.tried[static_cast<std::size_t>(sentence)] = 1; }
  void expect(bool holds, Sentence sentence, const char *observation) {
    if (!holds) {
      breach(sentence, observation);
    }
  }

  [[nodiscard]] int peer() const { return 1 - rank; }
  [[nodiscard]] std::uint64_t handle(int of) const { return handles[static_cast<std::size_t>(of)]; }
  [[nodiscard]] bool has(unsigned capability) const { return (net->capabilities & capability) == capability; }

  int progress();
  // Makes progress until a condition holds. After too long a time the sentence is broken.
  void until(const std::function<bool()> &condition, Sentence sentence, const char *observation);
  // The same for what the other processes do, which end themselves if the netmod is to blame.
  void until_other(const std::function<bool()> &condition);
  // Waits without any progress.
  void sleep_until(const std::function<bool()> &condition);
  void barrier();

  // Calls of the netmod. Those that may return AVRM_ERR_AGAIN are repeated.
  avrm_status_t try_inject(std::uint64_t to, const Bytes &data, std::uint64_t match);
  void inject(std::uint64_t to, const Bytes &data, std::uint64_t match);
  Operation &send(std::uint64_t to, const Bytes &data, std::uint64_t match);
  Operation &send_sync(std::uint64_t to, const Bytes &data, std::uint64_t match);
  avrm_status_t try_send(std::uint64_t to, const Bytes &data, std::uint64_t match, Operation **operation_p);
  Operation &receive(std::uint64_t from, std::size_t bytes, std::uint64_t match, std::uint64_t ignore = 0);
  avrm_status_t try_active(std::uint64_t to, const Bytes &header, const Bytes &payload);
  void active(std::uint64_t to, const Bytes &header, const Bytes &payload);
  void cancel(Operation &operation);
  std::uint64_t insert(int of);
  void await(Operation &operation, Sentence sentence);
  // What has arrived must be this. Names the breach if the bytes are those that the netmod had no
  // right to read any more.
  void expect_content(const Bytes &found, const Bytes &expected, Sentence sentence);
  // Waits for a receive, which must end with AVRM_OK and these bytes.
  void expect_message(Operation &receive, const Bytes &expected, std::uint64_t match, Sentence sentence);
  // Looks at all operations again: nothing touches their buffers any more. Frees them.
  void settle();
  // Posts an operation whose buffer has `bytes` bytes until the netmod accepts it.
  using Post = std::function<avrm_status_t(Operation &operation)>;
  Operation &post(const char *name, std::size_t bytes, const Post &call);
  avrm_status_t try_post(const char *name, Operation &operation, const Post &call);
  Operation &new_operation(std::size_t bytes);

  // Runs a call within which requests may complete.
  template <typename Call> auto within(Call call) {
    in_ending_ = true;
    struct Restore {
      bool &flag;
      ~Restore() { flag = false; }
    } restore{in_ending_};
    return call();
  }

  const Settings &settings;
  Shared &shared;
  const int rank;
  const int size;
  avrm_netmod_t *net = nullptr;
  std::vector<std::uint64_t> handles; // of all processes
  std::deque<Bytes> arrived;          // active messages
  std::function<void(const Bytes &)> on_active;
  int refusals = 0; // number of times that on_am does not take a message
  int completions = 0;

private:
  using Send = avrm_status_t (*)(avrm_netmod_t *net, std::uint64_t to, std::uint64_t match, const avrm_piece_t *pieces,
                                 std::size_t count, avrm_request_t *request);
  Operation &send_by(Send call, const char *name, std::uint64_t to, const Bytes &data, std::uint64_t match);
  void wait(const std::function<bool()> &condition, double seconds, Sentence sentence, const char *observation);
  static void complete(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes);
  void check_status(const char *name, avrm_status_t status, std::initializer_list<avrm_status_t> allowed);
  void show_decoy(Operation &operation);
  void give_back(Bytes buffer);
  void repeat(const char *name, const std::function<avrm_status_t()> &call);

  std::vector<std::unique_ptr<Operation>> operations_;
  bool in_progress_ = false;
  bool in_ending_ = false; // in cancel, remove, peer_failed or close
  Operation *posting_ = nullptr;
  Bytes decoy_;
  std::deque<Bytes> returned_; // buffers of calls that have returned, which the netmod may not read
  std::unique_ptr<avrm_netmod_config_t> config_;
  std::uint64_t barriers_ = 0;
};

// What buffers are filled with that the netmod may not look at any more.
constexpr unsigned char kReturned = 0xdd;  // the call has returned
constexpr unsigned char kDecoy = 0xee;     // where an array of pieces points afterwards
constexpr unsigned char kCompleted = 0xbb; // the request has completed

// Content of a message by a number, each byte of which depends on it and on its place.
[[nodiscard]] Bytes content(std::uint64_t number, std::size_t bytes);
[[nodiscard]] Bytes received(Operation &operation);

// What a description of this process shows to the others, at the next barrier.
void publish(Side &side, const void *data, std::size_t bytes);

// Ends the process as a breach of "Nothing blocks" if a call does not return.
void watch_calls(Shared &shared, double seconds);

} // namespace avrankmap::netmod_test

#endif
