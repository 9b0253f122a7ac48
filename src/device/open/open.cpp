// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Opening and closing a device.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "base/coarse_clock.h"
#include "base/deadline.h"
#include "base/environment.h"
#include "base/open_error.h"
#include "base/random.h"
#include "base/standard_streams.h"
#include "comm_algorithms/channel/collectives.h"
#include "comm_calls/device_channel.h"
#include "comm_calls/free_consensus.h"
#include "comm_calls/node_comms.h"
#include "core/job_secret_exchange.h"
#include "core/peers/card.h"
#include "core/peers/connect.h"
#include "core/peers/relay.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "core/progress/queue.h"
#include "core/report.h"
#include "core/synchronous_acks.h"
#include "core/transport_table.h"
#include "core/transports.h"
#include "dynamic/launches.h"
#include "dynamic/link.h"
#include "dynamic/open_ports.h"
#include "fastpath/handles.h"
#include "launch/boot.h"
#include "launch/launcher_choice.h"
#include "liveness/ring/watch_ring.h"
#include "open/whole.h"
#include "p2p/receive.h"
#include "rma/window_service.h"

namespace avrankmap::detail {

namespace {

bool dispatch_active(avrm_device_t *device, const ActiveHeader &header, const void *payload,
                     std::size_t bytes) noexcept {
  switch (header.type) {
  case ActiveType::kDeath: on_passed_notice(device, header); return true;
  case ActiveType::kDeaths: device->failure_detector.hear(device, header); return true;
  case ActiveType::kRevoke: device->creations->on_revoke(device, header); return true;
  case ActiveType::kMatched: on_matched(device, header); return true;
  case ActiveType::kDiscard: device->creations->discarder().on_request(header); return true;
  case ActiveType::kFreeConsensus: device->creations->on_free_consensus(device, header, payload, bytes); return true;
  default: return handle_active(device, header, payload, bytes);
  }
}

bool dispatch_rejected(avrm_device_t *device, const ActiveHeader &header, bool only_extends) noexcept {
  const bool is_about_comm = header.type == ActiveType::kRevoke || header.type == ActiveType::kFreeConsensus;
  return is_about_comm ? reject_query(device, header, only_extends) : reject_active(device, header, only_extends);
}

void serve(avrm_device_t *device) noexcept {
  serve_links(device);
  serve_launches(device);
  send_acknowledgements(device);
  if (device->windows->owes_answers) {
    answer_early_requests(device);
  }
}

int serve_creations(avrm_device_t *device) noexcept { return device->creations->serve(device); }

void on_failures(avrm_device_t *device) noexcept {
  tell_links(device);
  fail_receives(device);
  device->creations->on_failures(device);
  fail_one_sided(device);
  fail_acknowledged(device);
}

bool on_discard(avrm_comm_t *comm) noexcept {
  const bool keeps_context = comm->device->creations->on_discard(comm);
  drop_nodes(comm);
  return keeps_context;
}

constexpr Upcalls kUpcalls{on_shm_message,  dispatch_active, dispatch_rejected, serve,
                           serve_creations, poll_watch_ring, on_failures,       on_world_forgotten,
                           extend_links,    revoke_handles,  on_discard};

// Destroys a device that may be only partly constructed.
void destroy(avrm_device_t *device) noexcept {
  if (device->world != nullptr) {
    free_comm(device->world);
  }
  forget_all_worlds(device);
  drop_links(device);
  close_watch_ring(device);
  close_ports(device);
  drop_launches(device);
  avrm_av_release(device->world_av);
  device->world_av = nullptr; // ignores connections that break while transports close
  close_queues(device);
  if (device->shm != nullptr) {
    device->shm->ops->close(device->shm);
  }
  if (device->net != nullptr) {
    device->net->ops->close(device->net);
  }
  drop_early_requests(device);
  avrm_instance_t *const instance = device->instance;
  Memory &memory = instance->memory;
  auto *const whole = static_cast<WholeDevice *>(device);
  whole->~WholeDevice();
  memory.release(whole, sizeof *whole, alignof(WholeDevice), AVRM_MEM_COMM);
  (void)avrm_instance_destroy(instance);
}

struct DeviceDeleter {
  void operator()(avrm_device_t *device) const noexcept { destroy(device); }
};
using DeviceOwner = std::unique_ptr<avrm_device_t, DeviceDeleter>;

const char *choice(const char *asked, env::Variable variable) noexcept {
  return asked != nullptr ? asked : env::word(variable);
}

avrm_status_t refuse(avrm_device_t *device, const TableVerdict &verdict) noexcept {
  report(device, verdict.status, verdict.text);
  return verdict.status;
}

// Finds the operations of a transport by name: the caller's or those of this build. Writes null if
// no name was given and there is none.
template <typename Ops>
avrm_status_t choose_ops(avrm_device_t *device, const char *kind, const char *name, const Ops *given,
                         const Ops *(*find)(const char *name), const char *names, const Ops **ops_p) noexcept {
  TableVerdict verdict;
  if (given != nullptr) {
    verdict = check_table(*given);
    if (verdict.status == AVRM_OK && find(given->name) != nullptr) {
      verdict.status = AVRM_ERR_OPTION;
      (void)std::snprintf(verdict.text, sizeof verdict.text, "the name of the caller's %s, %.48s, is taken", kind,
                          given->name);
    }
    if (verdict.status != AVRM_OK) {
      return refuse(device, verdict);
    }
  }
  const bool is_given = given != nullptr && (name == nullptr || std::strcmp(name, given->name) == 0);
  *ops_p = is_given ? given : find(name);
  if (*ops_p == nullptr && name != nullptr) {
    verdict.status = AVRM_ERR_OPTION;
    (void)std::snprintf(verdict.text, sizeof verdict.text, "there is no %s \"%.48s\" in this build, which has: %s",
                        kind, name, names);
    return refuse(device, verdict);
  }
  return AVRM_OK;
}

// The default spin time, within which most messages of a busy program arrive.
constexpr std::int32_t kSpinUs = 1000;

avrm_status_t choose_interface(avrm_device_t *device, const avrm_device_options_t &options) noexcept {
  const char *const name = choice(options.port_interface, env::kPortInterface);
  const std::size_t length = name == nullptr ? 0 : std::strlen(name);
  if (length >= sizeof device->dynamic->interface) {
    report(device, AVRM_ERR_OPTION, "the name of the interface for ports is too long");
    return AVRM_ERR_OPTION;
  }
  std::copy_n(name, length, device->dynamic->interface);
  return AVRM_OK;
}

avrm_status_t open_shmmod(avrm_device_t *device, const avrm_device_options_t &options) noexcept {
  const char *const name = choice(options.shmmod, env::kShmmod);
  if (name != nullptr && std::strcmp(name, "none") == 0) {
    return AVRM_OK;
  }
  const avrm_shmmod_ops_t *own = nullptr;
  const avrm_status_t chosen =
      choose_ops(device, "shmmod", name, options.shmmod_ops, find_shmmod, shmmod_names(), &own);
  if (chosen != AVRM_OK || own == nullptr) {
    return chosen;
  }
  const avrm_shmmod_ops_t *const ops = whole_table(own, &device->shm_ops);
  avrm_shmmod_config_t config{};
  config.local_rank = avrm_boot_local_rank(device->boot);
  config.local_size = avrm_boot_local_size(device->boot);
  config.on_message = on_shm_message;
  config.on_am = on_active;
  config.user = device;
  offer_relay(device, &config);
  clear_open_error();
  const avrm_status_t status = ops->open(&config, &device->shm);
  if (status == AVRM_OK && ops != own) {
    device->shm->ops = ops;
  }
  const bool is_lacking = status == AVRM_ERR_UNSUPPORTED && device->receives_from_net;
  if (is_lacking || (status != AVRM_OK && *open_error() != '\0')) {
    char text[320];
    (void)std::snprintf(text, sizeof text, "this process cannot share memory with others%s%s%s",
                        *open_error() != '\0' ? ": " : "", open_error(),
                        is_lacking ? "; the network is used alone" : "");
    report(device, status, text);
  }
  return is_lacking ? AVRM_OK : status;
}

// Returns the number of pause instructions that take this long, from 1 to kMost. Their duration
// differs between processors by a factor of ten.
std::uint32_t relax_count_in(std::uint32_t nanoseconds) noexcept {
  constexpr std::int64_t kTried = 256;
  constexpr std::int64_t kMost = 32;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (std::int64_t i = 0; i < kTried; ++i) {
    cpu_relax();
  }
  const std::int64_t taken = std::chrono::nanoseconds(Clock::now() - start).count();
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(nanoseconds * kTried / std::max<std::int64_t>(taken, 1), 1, kMost));
}

// Returns ticks per microsecond, measured while a function runs, which takes some microseconds or
// more.
template <typename Function> std::uint64_t ticks_per_us_in(Function function) noexcept {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::uint64_t first = ticks();
  function();
  const std::uint64_t passed = ticks() - first;
  const std::int64_t taken = std::chrono::nanoseconds(Clock::now() - start).count();
  return passed * 1000 / static_cast<std::uint64_t>(std::max<std::int64_t>(taken, 1));
}

avrm_status_t choose_atomics(avrm_device_t *device, avrm_netmod_atomics_t *atomics_p) noexcept {
  constexpr avrm_netmod_atomics_t kWishes[] = {AVRM_NETMOD_ATOMICS_OWN, AVRM_NETMOD_ATOMICS_ANY,
                                               AVRM_NETMOD_ATOMICS_NONE};
  static_assert(std::string_view(env::row(env::kAtomics).values) == "network, processor");
  int choice = 0;
  const avrm_status_t status = choose(device, env::kAtomics, &choice);
  *atomics_p = kWishes[choice];
  return status;
}

avrm_status_t open_netmod(avrm_device_t *device, const avrm_device_options_t &options) noexcept {
  const char *const name = choice(options.netmod, env::kNetmod);
  const avrm_netmod_ops_t *own = nullptr; // with no name, at least the null netmod is found
  if (const avrm_status_t status =
          choose_ops(device, "netmod", name, options.netmod_ops, find_netmod, netmod_names(), &own);
      status != AVRM_OK) {
    return status;
  }
  const avrm_netmod_ops_t *const ops = whole_table(own, &device->net_ops);
  avrm_netmod_config_t config{};
  config.provider = options.provider;
  device->local_only = device->boot->is_local();
  config.local_only = device->local_only;
  config.may_sleep = device->blocking_wait.may_sleep();
  if (const avrm_status_t status = choose_atomics(device, &config.atomics); status != AVRM_OK) {
    return status;
  }
  config.expected_peers = device->size;
  const avrm_allocator_t allocator = device->instance->memory.hooks();
  config.allocator = &allocator;
  config.on_am = on_active;
  config.on_lost = on_lost;
  config.user = device;
  const avrm_status_t status = ops->open(&config, &device->net);
  if (status != AVRM_OK) {
    report(device, status, ops->last_error(nullptr));
    return status;
  }
  device->net->ops = ops;
  device->net->user = device;
  device->codec = ops->codec;
  device->receives_from_net = (device->net->capabilities & AVRM_NETMOD_DELIVERS) != 0;
  device->ignored_on_net = (device->net->capabilities & AVRM_NETMOD_SYNC) != 0 ? 0 : AVRM_MATCH_SYNC;
  const TableVerdict verdict = check_open_netmod(*device->net);
  return verdict.status == AVRM_OK ? AVRM_OK : refuse(device, verdict);
}

avrm_status_t publish_card(avrm_device_t *device) noexcept {
  Card card;
  if (fill_random(&card.name, sizeof card.name) != AVRM_OK) {
    report(device, AVRM_ERR_SYSTEM, open_error());
    return AVRM_ERR_SYSTEM;
  }
  card.node = device->node;
  card.pid = device->process.pid;
  card.space = device->process.space;
  card.start = device->process.start;
  card.local_rank = avrm_boot_local_rank(device->boot);
  std::size_t room = Card::kRoom;
  avrm_status_t status = device->net->ops->address(device->net, card.bytes, &room);
  if (status != AVRM_OK) {
    return status;
  }
  card.net_bytes = static_cast<std::uint32_t>(room);
  if (device->shm != nullptr) {
    room = Card::kRoom - card.net_bytes;
    status = device->shm->ops->card(device->shm, card.bytes + card.net_bytes, &room);
    if (status != AVRM_OK) {
      return status;
    }
    card.shm_bytes = static_cast<std::uint32_t>(room);
  }
  status = device->rank == 0 ? publish_secret(device->boot) : AVRM_OK;
  return status != AVRM_OK ? status : avrm_boot_publish(device->boot, 0, &card, card.size());
}

// Chooses the kind of the world's address vector. With eager connection, addresses are inserted in
// order, so that libfabric's addresses are the lpids themselves; UCX's are addresses of endpoints
// in memory.
avrm_status_t choose_kind(avrm_device_t *device, const avrm_device_options_t &wishes, avrm_av_kind_t *kind_p) noexcept {
  int wish = AVRM_DEVICE_AV_AUTO; // a caller's number may be outside the enumeration
  static_assert(sizeof wish == sizeof wishes.av);
  std::memcpy(&wish, &wishes.av, sizeof wish);
  if (wish < AVRM_DEVICE_AV_AUTO || wish > AVRM_DEVICE_AV_IMPLICIT) {
    report(device, AVRM_ERR_OPTION, "av is no kind of address vector");
    return AVRM_ERR_OPTION;
  }
  if (wish == AVRM_DEVICE_AV_AUTO) {
    // The positions of the variable's values are the enumerators.
    static_assert(std::string_view(env::row(env::kAv).values) == "table, implicit");
    static_assert(AVRM_DEVICE_AV_AUTO == 0 && AVRM_DEVICE_AV_TABLE == 1 && AVRM_DEVICE_AV_IMPLICIT == 2);
    if (const avrm_status_t status = choose(device, env::kAv, &wish); status != AVRM_OK) {
      return status;
    }
  }
  const bool in_order = wishes.connect == AVRM_CONNECT_EAGER && device->codec == AVRM_CODEC_OFI;
  const bool implicit = wish == AVRM_DEVICE_AV_IMPLICIT || (wish == AVRM_DEVICE_AV_AUTO && in_order);
  *kind_p = implicit ? AVRM_AV_IMPLICIT : AVRM_AV_TABLE;
  return AVRM_OK;
}

avrm_status_t make_av(avrm_device_t *device, const avrm_device_options_t &wishes) noexcept {
  avrm_av_options_t options{};
  options.codec = device->codec;
  const avrm_status_t chosen = choose_kind(device, wishes, &options.kind);
  if (chosen != AVRM_OK) {
    return chosen;
  }
  // An implicit AV would fail to bind memory later, when it becomes a table.
  const bool may_bind = options.kind == AVRM_AV_TABLE && wishes.allocator == nullptr;
  if (wishes.topo != nullptr && may_bind && avrm_topo_bind_av(wishes.topo, &options) == AVRM_OK) {
    const avrm_status_t status = avrm_av_create(device->instance, device->size, &options, &device->world_av);
    if (status != AVRM_ERR_UNSUPPORTED) {
      return status;
    }
    options.bind_numa = false; // containers may forbid it
  }
  return avrm_av_create(device->instance, device->size, &options, &device->world_av);
}

// Declares the nodes that the launcher makes known to all processes, so that they need not be
// exchanged.
avrm_status_t declare_nodes(avrm_device_t *device) noexcept {
  const Place &place = device->boot->place();
  const std::span<const avrm_node_run_t> runs = device->boot->node_runs();
  if (!runs.empty()) {
    const avrm_status_t status =
        avrm_av_declare_nodes(device->world_av, static_cast<std::int32_t>(runs.size()), runs.data());
    device->nodes_are_known = status == AVRM_OK;
    return status;
  }
  if (place.block == 0 || place.node > INT32_MAX) {
    return AVRM_OK;
  }
  const avrm_node_run_t run{0, static_cast<std::int32_t>(place.node) - place.rank / place.block, place.block,
                            (place.size - 1) / place.block + 1};
  const avrm_status_t status = avrm_av_declare_nodes(device->world_av, 1, &run);
  device->nodes_are_known = status == AVRM_OK;
  return status;
}

avrm_status_t make_world(avrm_device_t *device, const avrm_device_options_t &options) noexcept {
  avrm_status_t status = make_av(device, options);
  if (status == AVRM_OK) {
    status = declare_nodes(device);
  }
  if (status != AVRM_OK) {
    return status;
  }
  MapOwner map = new_regular_map(device->instance, device->world_av->pgid, {device->size, 0, 1, 1});
  MapOwner none;
  status = new_comm(device, &map, &none, device->rank, &device->world);
  if (status != AVRM_OK) {
    return status;
  }
  status = device->contexts.take(0);
  if (status != AVRM_OK) {
    (void)discard_comm(device->world);
    device->world = nullptr;
    return status;
  }
  open_comm(device->world, 0);
  return AVRM_OK;
}

avrm_status_t choose_spin_time(avrm_device_t *device, const avrm_device_options_t &options) noexcept {
  std::int32_t spin_us = options.spin_us == 0 ? kSpinUs : options.spin_us;
  if (options.spin_us == 0 && env::number(env::kSpinUs, AVRM_SPIN_FOREVER, &spin_us) != AVRM_OK) {
    return refuse_variable(device, env::kSpinUs);
  }
  if (spin_us < AVRM_SPIN_FOREVER) {
    report(device, AVRM_ERR_OPTION, "spin_us is below AVRM_SPIN_FOREVER");
    return AVRM_ERR_OPTION;
  }
  device->blocking_wait.set_spin_time(spin_us);
  return AVRM_OK;
}

// Executes the opening fence, before which no process detects deaths.
avrm_status_t meet_first(avrm_device_t *device) noexcept {
  avrm_status_t status = device->boot->fence_start();
  if (status == AVRM_OK) {
    status = device->boot->fence_wait(deadline_after(device->boot->open_limit));
  }
  if (status == AVRM_ERR_TIMEOUT) {
    report(device, status, kLateText);
  }
  return status;
}

avrm_status_t open(avrm_device_t *device, const avrm_device_options_t &options) noexcept {
  device->boot = options.boot;
  device->rank = avrm_boot_rank(options.boot);
  device->size = avrm_boot_size(options.boot);
  device->node = avrm_boot_node(options.boot);
  device->match_bits = MatchBits(device->size);
  device->contexts.limit(device->match_bits.most_context());
  device->process = own_process();
  device->threads = options.threads;
  device->on_error = options.on_error;
  device->user = options.user;
  avrm_status_t status = choose_interface(device, options);
  if (status == AVRM_OK) {
    status = choose_spin_time(device, options);
  }
  const std::uint64_t ticks_per_us = ticks_per_us_in([&] {
    if (status == AVRM_OK) {
      status = open_netmod(device, options);
    }
    if (status == AVRM_OK) {
      status = open_shmmod(device, options);
    }
  });
  device->blocking_wait.measure(ticks_per_us);
  if (device->blocking_wait.may_sleep()) {
    (void)device->blocking_wait.open(); // now, so that waits need no descriptors
  }
  if (device->shm != nullptr && device->receives_from_net) {
    device->pace.start(ticks_per_us);
  }
  if (status == AVRM_OK && device->shm == nullptr && !device->threads && device->net->poll_pause_ns != 0) {
    device->poll_pause_ns = device->net->poll_pause_ns;
    device->relax_count = relax_count_in(device->poll_pause_ns / 60);
  }
  if (status == AVRM_OK) {
    status = make_world(device, options);
  }
  if (status == AVRM_OK) {
    status = open_watch_ring(device);
  }
  if (status == AVRM_OK) {
    status = publish_card(device);
  }
  if (status != AVRM_OK) {
    return status;
  }
  (void)std::snprintf(device->description, sizeof device->description, "%s (%s) + %s", device->net->ops->name,
                      device->net->ops->describe(device->net),
                      device->shm != nullptr ? device->shm->ops->name : "none");
  status = meet_first(device);
  if (status == AVRM_OK && options.connect == AVRM_CONNECT_EAGER) {
    status = connect_all(device);
    if (status == AVRM_OK) {
      status = rebind(device->world); // the addresses are known now
      // All processes have seen the same cards.
      device->nodes_are_known = device->nodes_are_known || device->world_av->elements == nullptr;
    }
  }
  return status;
}

// Returns when all processes have called this, or one has died.
avrm_status_t barrier_of_all(avrm_device_t *device) noexcept {
  Operation operation(device->world);
  DeviceChannel channel(operation, device->world->collective, next_tag(device->world));
  operation.run(barrier(channel));
  return operation.wait();
}

// Waits until all processes are closing, and makes progress meanwhile: their last operations, and
// this process's last messages, may need it.
avrm_status_t fence_with_progress(avrm_device_t *device) noexcept {
  bool done = false;
  avrm_status_t status = AVRM_OK;
  if (device->boot->fence_delays_fetch() && device->size > 1) {
    status = barrier_of_all(device); // while every peer can still be connected
  }
  {
    const DeviceGuard guard(device);
    device->failure_detector.close(device);
  }
  status = status == AVRM_OK ? avrm_boot_fence_start(device->boot) : status;
  Backoff backoff(device, Sleep::kFree, true);
  while (status == AVRM_OK && !done) {
    backoff.after(avrm_progress(device));
    status = avrm_boot_fence_test(device->boot, &done);
  }
  return status;
}

// After a fence that failed, live processes may still wait for messages that no transport has
// accepted yet.
void send_deferred(avrm_device_t *device) noexcept {
  constexpr std::int64_t kLongest = 1000 * kMillisecond;
  const std::int64_t end = coarse_now() + kLongest;
  const auto has_some = [device] {
    const DeviceGuard guard(device);
    return !device->deferred.empty();
  };
  Backoff backoff(device, Sleep::kFree, true);
  while (has_some() && coarse_now() < end) {
    backoff.after(avrm_progress(device));
  }
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_i_device_open(const avrm_device_options_t *options, avrm_device_t **device_p,
                                 std::uint64_t headers) noexcept {
  clear_open_error();
  if (headers != AVRM_I_HEADERS) { // before anything else: the layout of the options may differ
    return AVRM_ERR_VERSION;
  }
  if (options == nullptr || device_p == nullptr || options->boot == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (fill_standard_streams() != AVRM_OK) {
    return AVRM_ERR_SYSTEM;
  }
  const avrm_instance_options_t component{options->allocator, options->strict, AVRM_COST_BALANCED, false};
  avrm_instance_t *instance = nullptr;
  avrm_status_t status = avrm_instance_create(&component, &instance);
  if (status != AVRM_OK) {
    return status;
  }
  void *const block = instance->memory.allocate(sizeof(WholeDevice), alignof(WholeDevice), AVRM_MEM_COMM);
  if (block == nullptr) {
    (void)avrm_instance_destroy(instance);
    return AVRM_ERR_NO_MEMORY;
  }
  DeviceOwner device(new (block) WholeDevice(instance, kUpcalls));
  status = open(device.get(), *options);
  device->is_opening = false;
  if (status == AVRM_OK) {
    *device_p = device.release();
  }
  return status;
}

avrm_status_t avrm_device_close(avrm_device_t *device) noexcept {
  if (device == nullptr) {
    return AVRM_OK;
  }
  if (device->comms.count() != 1 || device->windows->all.count() != 0 || device->world->users != 0 ||
      device->world->collective->users != 0 || device->creations->has_pending()) {
    return AVRM_ERR_BUSY;
  }
  const avrm_status_t status = fence_with_progress(device);
  if (status != AVRM_OK) {
    send_deferred(device);
  }
  device->creations->end_survivors(device);
  destroy(device);
  return status;
}

avrm_comm_t *avrm_device_world(avrm_device_t *device) noexcept { return device->world; }
avrm_instance_t *avrm_device_instance(avrm_device_t *device) noexcept { return device->instance; }
const char *avrm_device_describe(const avrm_device_t *device) noexcept { return device->description; }
const char *avrm_device_open_error(void) noexcept { return open_error(); }
