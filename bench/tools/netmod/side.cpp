// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/netmod/side.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "avrankmap/ave.h"
#include "core/peers/card.h"
#include "core/transport_table.h"

namespace avrankmap::netmod_test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kGuard = 64;
constexpr unsigned char kUntouched = 0xc7;

Shared *watched = nullptr;
double watched_seconds = 0;

// Only the first of them is kept.
void note(Shared &shared, std::atomic<int> &what, int value, const char *observation) {
  int none = 0;
  if (what.compare_exchange_strong(none, value)) {
    std::snprintf(shared.observation, sizeof shared.observation, "%s", observation);
  }
}

void note_breach(Shared &shared, Sentence sentence, const char *observation) {
  note(shared, shared.breached, 1 + static_cast<int>(sentence), observation);
}

void on_alarm(int) {
  note_breach(*watched, Sentence::kBlocks, "a call did not return");
  _exit(3);
}

// A call that takes longer than this blocks: the other processes wait for longer.
void restart_watch() {
  const double seconds = 0.8 * watched_seconds;
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void poison(void *data, std::size_t bytes) { std::memset(data, kReturned, bytes); }

} // namespace

void watch_calls(Shared &shared, double seconds) {
  watched = &shared;
  watched_seconds = seconds;
  signal(SIGALRM, on_alarm);
  restart_watch();
}

Bytes content(std::uint64_t number, std::size_t bytes) {
  Bytes out(bytes);
  std::uint64_t x = number * 0x9e3779b97f4a7c15 + 1;
  for (std::size_t i = 0; i < bytes; ++i) {
    x = x * 6364136223846793005 + 1442695040888963407;
    out[i] = static_cast<unsigned char>(x >> 56);
  }
  return out;
}

unsigned char *Operation::data() { return guarded.data() + kGuard; }

bool Operation::guards_hold() const {
  const auto whole = [](unsigned char byte) { return byte == kUntouched; };
  return std::all_of(guarded.begin(), guarded.begin() + kGuard, whole) &&
         std::all_of(guarded.end() - kGuard, guarded.end(), whole);
}

Bytes received(Operation &operation) {
  const std::size_t bytes = std::min<std::size_t>(operation.bytes, operation.size);
  return {operation.data(), operation.data() + bytes};
}

void publish(Side &side, const void *data, std::size_t bytes) {
  auto &note = side.shared.note[side.rank];
  std::memcpy(note.of, data, bytes);
  note.bytes = bytes;
}

Side::Side(const Settings &its_settings, Shared &its_shared, int its_rank, int its_size)
    : settings(its_settings), shared(its_shared), rank(its_rank), size(its_size) {}

Side::~Side() = default;

void Side::breach(Sentence sentence, const std::string &observation) {
  note_breach(shared, sentence, observation.c_str());
  _exit(3);
}

void Side::expect_resources(const char *name, avrm_status_t status) {
  if (status == AVRM_ERR_SYSTEM || status == AVRM_ERR_NO_MEMORY) {
    const char *const reason = settings.ops->last_error(net);
    const std::string text = fmt::format("{}: {}: {}", name, avrm_status_name(status), reason != nullptr ? reason : "");
    note(shared, shared.breached, kLacking, text.c_str());
    _exit(3);
  }
}

void Side::check_status(const char *name, avrm_status_t status, std::initializer_list<avrm_status_t> allowed) {
  const bool is_usual = status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_SYSTEM || status == AVRM_ERR_TRANSPORT;
  if (!is_usual && std::find(allowed.begin(), allowed.end(), status) == allowed.end()) {
    breach(Sentence::kStatuses, fmt::format("{} returned {}", name, avrm_status_name(status)));
  }
}

bool Side::open() {
  config_ = std::make_unique<avrm_netmod_config_t>();
  avrm_netmod_config_t *const config = config_.get();
  std::string provider = settings.provider;
  config->provider = provider.empty() ? nullptr : provider.c_str();
  config->local_only = true;
  config->may_sleep = true;
  config->atomics = AVRM_NETMOD_ATOMICS_ANY;
  config->expected_peers = size;
  config->user = this;
  config->on_am = [](void *user, const void *data, std::size_t bytes) {
    Side &side = *static_cast<Side *>(user);
    side.expect(side.in_progress_, Sentence::kCallbacks, "on_am was called outside progress");
    if (side.refusals != 0) {
      --side.refusals;
      return false;
    }
    ++side.completions;
    const auto *const from = static_cast<const unsigned char *>(data);
    side.arrived.emplace_back(from, from + bytes);
    if (side.on_active) {
      side.on_active(side.arrived.back());
    }
    return true;
  };
  config->on_lost = [](void *user, const avrm_netmod_t *, std::uint64_t) {
    Side &side = *static_cast<Side *>(user);
    side.expect(side.in_progress_, Sentence::kCallbacks, "on_lost was called outside progress");
  };
  const avrm_status_t status = settings.ops->open(config, &net);
  if (status != AVRM_OK) {
    const char *const reason = settings.ops->last_error(nullptr);
    note(shared, shared.unavailable, status, reason != nullptr ? reason : "");
    return false;
  }
  // Whoever looks at it later calls these.
  config->on_am = [](void *, const void *, std::size_t) -> bool {
    note_breach(*watched, Sentence::kReads, "on_am was read from the configuration after open");
    _exit(3);
  };
  config->on_lost = nullptr;
  config->provider = nullptr;
  poison(provider.data(), provider.size());

  net->ops = settings.ops; // as the core does
  shared.capabilities = net->capabilities;
  const detail::TableVerdict verdict = detail::check_open_netmod(*net);
  expect(net->inject_max >= AVRM_NETMOD_INJECT_MIN, Sentence::kInjectMin, "inject_max is too small");
  expect(net->am_max >= AVRM_NETMOD_AM_MIN, Sentence::kAmMin, "am_max is too small");
  expect(verdict.status == AVRM_OK, Sentence::kTable, verdict.text);
  expect(settings.ops->describe(net) != nullptr && settings.ops->last_error(net) != nullptr &&
             settings.ops->last_error(nullptr) != nullptr,
         Sentence::kTexts, "a text is null");

  constexpr std::size_t kRoom = detail::Card::kRoom;
  unsigned char address[kRoom + kGuard];
  std::memset(address, kUntouched, sizeof address);
  std::size_t bytes = kRoom;
  const avrm_status_t written = settings.ops->address(net, address, &bytes);
  expect_resources("address", written);
  if (written != AVRM_OK || bytes > kRoom) {
    breach(Sentence::kAddress, fmt::format("address returned {} and a length of {} bytes, with room for {}",
                                           avrm_status_name(written), bytes, kRoom));
  }
  for (std::size_t i = bytes; i < sizeof address; ++i) {
    expect(address[i] == kUntouched, Sentence::kAddress, "address wrote behind the length that it returned");
  }
  publish(*this, address, bytes);
  barrier();
  handles.clear();
  for (int of = 0; of < size; ++of) {
    handles.push_back(insert(of));
  }
  barrier();
  for (const Sentence sentence :
       {Sentence::kInjectMin, Sentence::kAmMin, Sentence::kTable, Sentence::kTexts, Sentence::kAddress}) {
    tried(sentence);
  }
  return true;
}

void Side::close() {
  within([&] { settings.ops->close(net); });
  net = nullptr;
}

std::uint64_t Side::insert(int of) {
  const auto &note = shared.note[of];
  std::uint64_t handle = UINT64_MAX;
  const Bytes own(note.of, note.of + note.bytes);
  Bytes copy = own;
  const avrm_status_t status = settings.ops->insert(net, 1, copy.data(), copy.size(), copy.size(), &handle);
  check_status("insert", status, {AVRM_OK});
  expect_resources("insert", status);
  expect(status == AVRM_OK, Sentence::kInsertTwice, "insert failed");
  poison(copy.data(), copy.size());
  avrm_ave_t ave{};
  expect(avrm_ave_pack(settings.ops->codec, handle, 0, &ave) == AVRM_OK, Sentence::kHandles,
         "a handle is no number that the codec packs");
  return handle;
}

int Side::progress() {
  completions = 0;
  restart_watch();
  in_progress_ = true;
  const int events = settings.ops->progress(net);
  in_progress_ = false;
  if (events < 1 && completions != 0) {
    breach(Sentence::kEvents,
           fmt::format("progress returned {}, with {} completions and active messages", events, completions));
  }
  return events;
}

void Side::wait(const std::function<bool()> &condition, double seconds, Sentence sentence, const char *observation) {
  const Clock::time_point start = Clock::now();
  restart_watch();
  for (int idle = 0; !condition();) {
    const int events = net != nullptr ? progress() : 0;
    idle = events != 0 ? 0 : idle + 1;
    if (idle > 200) {
      restart_watch();
      usleep(idle > 1000 ? 1000 : 50);
    }
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) {
      breach(sentence, observation);
    }
  }
  restart_watch();
}

void Side::until(const std::function<bool()> &condition, Sentence sentence, const char *observation) {
  wait(condition, settings.seconds, sentence, observation);
}

void Side::until_other(const std::function<bool()> &condition) {
  wait(condition, 3 * settings.seconds, Sentence::kBlocks, "the other process did not go on");
}

void Side::sleep_until(const std::function<bool()> &condition) {
  while (!condition()) {
    restart_watch();
    usleep(200);
  }
}

void Side::barrier() {
  const std::uint64_t number = ++barriers_;
  shared.here[rank] = number;
  until_other([&] {
    for (int of = 0; of < size; ++of) {
      if (shared.here[of] < number) {
        return false;
      }
    }
    return true;
  });
}

void Side::repeat(const char *name, const std::function<avrm_status_t()> &call) {
  avrm_status_t status = AVRM_ERR_AGAIN;
  // The other process may wait for what is not accepted, and must not be the first to give up.
  wait(
      [&] {
        status = call();
        return status != AVRM_ERR_AGAIN;
      },
      settings.seconds / 2, Sentence::kAccepts, "AVRM_ERR_AGAIN for ever");
  expect_resources(name, status);
  if (status != AVRM_OK) {
    breach(Sentence::kStatuses,
           fmt::format("{} returned {}: {}", name, avrm_status_name(status), settings.ops->last_error(net)));
  }
}

void Side::give_back(Bytes buffer) {
  poison(buffer.data(), buffer.size());
  returned_.push_back(std::move(buffer));
  if (returned_.size() > 100) {
    returned_.pop_front();
  }
}

avrm_status_t Side::try_inject(std::uint64_t to, const Bytes &data, std::uint64_t match) {
  Bytes copy = data;
  const int before = completions;
  restart_watch();
  const avrm_status_t status = settings.ops->tinject(net, copy.data(), copy.size(), to, match);
  give_back(std::move(copy));
  expect(completions == before, Sentence::kInject, "a request completed within tinject");
  check_status("tinject", status, {AVRM_OK, AVRM_ERR_AGAIN, AVRM_ERR_PEER});
  return status;
}

void Side::inject(std::uint64_t to, const Bytes &data, std::uint64_t match) {
  repeat("tinject", [&] { return try_inject(to, data, match); });
}

avrm_status_t Side::try_active(std::uint64_t to, const Bytes &header, const Bytes &payload) {
  Bytes copy = header;
  Bytes more = payload;
  const avrm_status_t status = settings.ops->am_send(net, to, copy.data(), copy.size(), more.data(), more.size());
  give_back(std::move(copy));
  give_back(std::move(more));
  check_status("am_send", status, {AVRM_OK, AVRM_ERR_AGAIN, AVRM_ERR_PEER, AVRM_ERR_UNSUPPORTED});
  return status;
}

void Side::active(std::uint64_t to, const Bytes &header, const Bytes &payload) {
  repeat("am_send", [&] { return try_active(to, header, payload); });
}

void Side::complete(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
  auto &operation = *reinterpret_cast<Operation *>(request);
  Side &side = *operation.side;
  side.expect(!operation.is_done, Sentence::kOnce, "a request completed twice");
  if (!operation.is_posted) {
    side.expect(side.posting_ == &operation, Sentence::kError, "a request completed that was never accepted");
  } else {
    side.expect(side.in_progress_ || side.in_ending_, Sentence::kWithin,
                "a request completed within a function that did not post it");
  }
  const bool is_legal = status == AVRM_OK || status == AVRM_ERR_TRUNCATED || status == AVRM_ERR_CANCELLED ||
                        status == AVRM_ERR_PEER || status == AVRM_ERR_TRANSPORT || status == AVRM_ERR_SYSTEM;
  side.expect(is_legal, Sentence::kOnce, "a request completed with a status that requests do not have");
  operation.is_done = true;
  operation.status = status;
  operation.match = match;
  operation.bytes = bytes;
  operation.completed.assign(operation.data(), operation.data() + operation.size);
  side.completions += side.in_progress_ ? 1 : 0;
  poison(request->scratch, sizeof request->scratch);
  request->op = nullptr;
}

Operation &Side::new_operation(std::size_t bytes) {
  operations_.push_back(std::make_unique<Operation>());
  Operation &operation = *operations_.back();
  operation.side = this;
  operation.size = bytes;
  operation.guarded.assign(bytes + 2 * kGuard, kUntouched);
  operation.request.complete = complete;
  return operation;
}

avrm_status_t Side::try_post(const char *name, Operation &operation, const Post &call) {
  poison(operation.request.scratch, sizeof operation.request.scratch);
  posting_ = &operation;
  const avrm_status_t status = call(operation);
  posting_ = nullptr;
  check_status(name, status, {AVRM_OK, AVRM_ERR_AGAIN, AVRM_ERR_PEER});
  if (status == AVRM_OK) {
    operation.is_posted = true;
  } else {
    expect(!operation.is_done, Sentence::kError, "an operation was refused, and its request completed");
  }
  return status;
}

Operation &Side::post(const char *name, std::size_t bytes, const Post &call) {
  Operation &operation = new_operation(bytes);
  repeat(name, [&] { return try_post(name, operation, call); });
  return operation;
}

// A netmod that looks at an array of pieces later finds another one.
void Side::show_decoy(Operation &operation) {
  if (decoy_.size() < operation.size) {
    decoy_.assign(operation.size, kDecoy); // earlier ones have no room: they may be found as that
  }
  operation.piece = {decoy_.data(), operation.size};
}

avrm_status_t Side::try_send(std::uint64_t to, const Bytes &data, std::uint64_t match, Operation **operation_p) {
  Operation &operation = new_operation(data.size());
  std::copy(data.begin(), data.end(), operation.data());
  *operation_p = &operation;
  return try_post("tsend", operation, [&](Operation &one) {
    one.piece = {one.data(), one.size};
    const avrm_status_t status = settings.ops->tsend(net, to, match, &one.piece, 1, &one.request);
    show_decoy(one);
    return status;
  });
}

Operation &Side::send_by(Send call, const char *name, std::uint64_t to, const Bytes &data, std::uint64_t match) {
  Operation &operation = new_operation(data.size());
  std::copy(data.begin(), data.end(), operation.data());
  repeat(name, [&] {
    return try_post(name, operation, [&](Operation &one) {
      one.piece = {one.data(), one.size};
      const avrm_status_t status = call(net, to, match, &one.piece, 1, &one.request);
      show_decoy(one);
      return status;
    });
  });
  return operation;
}

Operation &Side::send(std::uint64_t to, const Bytes &data, std::uint64_t match) {
  return send_by(settings.ops->tsend, "tsend", to, data, match);
}

Operation &Side::send_sync(std::uint64_t to, const Bytes &data, std::uint64_t match) {
  return send_by(settings.ops->tsend_sync, "tsend_sync", to, data, match);
}

Operation &Side::receive(std::uint64_t from, std::size_t bytes, std::uint64_t match, std::uint64_t ignore) {
  return post("trecv", bytes, [&](Operation &one) {
    one.piece = {one.data(), one.size};
    const avrm_status_t status = settings.ops->trecv(net, from, match, ignore, &one.piece, 1, &one.request);
    show_decoy(one);
    return status;
  });
}

void Side::cancel(Operation &operation) {
  within([&] { settings.ops->cancel(net, &operation.request); });
}

void Side::await(Operation &operation, Sentence sentence) {
  until([&] { return operation.is_done; }, sentence, "a request did not complete");
}

void Side::expect_content(const Bytes &found, const Bytes &expected, Sentence sentence) {
  if (found == expected) {
    return;
  }
  const auto has_many = [&](unsigned char of) {
    return 8 * static_cast<std::size_t>(std::count(found.begin(), found.end(), of)) > found.size();
  };
  if (has_many(kReturned)) {
    breach(Sentence::kReads, "the bytes are those of the buffer after the call");
  }
  if (has_many(kDecoy)) {
    breach(Sentence::kReads, "the array of pieces was read after the call");
  }
  if (has_many(kCompleted)) {
    breach(Sentence::kOwns, "a request completed, and the buffer was still read afterwards");
  }
  breach(sentence,
         fmt::format("{} bytes arrived that are not the {} bytes that were sent", found.size(), expected.size()));
}

void Side::expect_message(Operation &receive, const Bytes &expected, std::uint64_t match, Sentence sentence) {
  await(receive, sentence);
  expect_resources("a receive", receive.status);
  if (receive.status != AVRM_OK) {
    breach(sentence, fmt::format("a receive completed with {}", avrm_status_name(receive.status)));
  }
  expect(receive.bytes == expected.size(), Sentence::kMatchAndBytes, "a receive has another length than its message");
  expect(receive.match == match, Sentence::kMatchAndBytes, "a receive has other match bits than its message");
  expect(receive.guards_hold(), Sentence::kTruncated, "bytes outside the buffer were written");
  expect_content(received(receive), expected, sentence);
}

void Side::settle() {
  for (int i = 0; net != nullptr && i < 3; ++i) {
    progress(); // within which buffers might be touched
  }
  for (const auto &operation : operations_) {
    if (operation->is_done) { // the others stay
      expect(Bytes(operation->data(), operation->data() + operation->size) == operation->completed, Sentence::kOwns,
             "a buffer was written after its request had completed");
      expect(operation->guards_hold(), Sentence::kTruncated, "bytes outside the buffer were written");
    }
  }
  if (operations_.size() > 1000) {
    std::erase_if(operations_, [](const auto &operation) { return operation->is_done; });
  }
}

} // namespace avrankmap::netmod_test
