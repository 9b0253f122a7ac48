// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/job_memory/own_device.h"

#include "bench/synthetic/synthetic_boot.h"
#include "device/transports/list.h"
#include "fastpath/handles.h"
#include "rma/window.h"
#include "support/open_device.h"
#include "support/require.h"
#include "support/shared_pages.h"

#include "avrankmap/addresses.h"
#include "avrankmap/hierarchy.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr int kMissing = 77;
constexpr int kTooLarge = 78;
constexpr std::string_view kNull = "null";

/// Memory of a process, as the system counts it.
struct Holdings {
  std::uint64_t resident;
  std::uint64_t address_space;
  std::uint64_t free_heap; ///< which can be used without asking the system
};

/// The number behind a key in a file of /proc; without memory of its own.
std::uint64_t number_in(const char *path, const char *key) {
  char text[4096];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
  close(file);
  require(bytes > 0, path);
  text[bytes] = '\0';
  const char *const found = std::strstr(text, key);
  require(found != nullptr, key);
  return std::strtoull(found + std::strlen(key), nullptr, 10);
}

Holdings holdings() {
  return {number_in("/proc/self/smaps_rollup", "Anonymous:") * 1024, number_in("/proc/self/status", "VmSize:") * 1024,
          mallinfo2().fordblks};
}

/// Takes what a process has of free memory in its heap, so that blocks need fresh pages.
void use_up_heap() {
  malloc_trim(0);
  for (std::size_t bytes = 1 << 16; bytes >= 16; bytes /= 2) {
    for (std::size_t left = mallinfo2().fordblks / bytes; left > 0; --left) {
      void *volatile block = malloc(bytes); // NOLINT: for good
      (void)block;
    }
  }
}

struct Order {
  LargeJob job;
  Connecting connecting;
  const char *transport;
  DeviceUse *use;
};

class Process {
public:
  explicit Process(const Order &order)
      : job_(order.job), in_order_(order.connecting == Connecting::kInOrder), is_null_(order.transport == kNull),
        boot_(job_.processes, job_.per_node) {
    options_.boot = &boot_;
    options_.netmod = "null";
    options_.shmmod = "none";
    if (!is_null_) {
      const Transport &transport = transport_named(order.transport);
      options_.netmod = transport.netmod;
      options_.provider = transport.provider;
    }
    options_.connect = in_order_ ? AVRM_CONNECT_EAGER : AVRM_CONNECT_ON_DEMAND;
    options_.av = in_order_ ? AVRM_DEVICE_AV_IMPLICIT : AVRM_DEVICE_AV_TABLE;
    options_.threads = has_queues();
    comms_.reserve(room());
    hierarchies_.reserve(static_cast<std::size_t>(job_.communicators) + 1);
  }

  avrm_status_t open() { return avrm_device_open(&options_, &device_); }

  void fill() {
    add_addresses();
    avrm_comm_t *const world = avrm_device_world(device_);
    add_beside(world, 1);
    for (int i = 0; i < job_.communicators; ++i) {
      const std::int32_t stride = job_.is_half(i) ? 2 : 1;
      add_beside(add_comm(job_.processes / stride, stride), stride);
    }
    open_queues();
    for (std::int32_t i = 0; i < job_.contacted_peers(); ++i) {
      contact(world, job_.peer(i));
    }
    for (int i = 0; i < job_.windows; ++i) {
      add_window(world, i);
    }
  }

  void describe(DeviceUse *use) const {
    const avrm_av_t *const av = device_->world_av;
    if (av->elements != nullptr) {
      use->av = avrm_av_bytes(av);
      use->av_touched = contacted_pages(av) * page();
    }
    use->hierarchies = hierarchies_.size() * sizeof(avrm_hierarchy_t);
    for (int kind = 0; kind < AVRM_MEM_TOTAL; ++kind) {
      avrm_mem_usage_t usage{};
      require(avrm_instance_mem_usage(device_->instance, static_cast<avrm_mem_kind_t>(kind), &usage));
      use->kinds[kind] = usage.live_bytes;
    }
  }

private:
  static std::uint64_t page() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }
  [[nodiscard]] std::size_t room() const { return 3 * (static_cast<std::size_t>(job_.communicators) + 1); }

  /// Handles of the fast path turn an implicit AV into a table, and an endpoint of ofi_rxm takes 70
  /// MiB: elsewhere a rule gives the further addresses.
  [[nodiscard]] bool has_queues() const { return is_null_ && !in_order_; }

  void add_addresses() {
    if (!has_queues()) {
      const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, job_.processes, 0, 0};
      require(avrm_addresses_declare(device_->world_av, job_.addresses, &rule));
    }
  }

  /// A communicator of every stride-th process, this one first. Its members need not agree, as
  /// nobody else is there.
  avrm_comm_t *add_comm(std::int32_t size, std::int32_t stride) {
    avrm_rankmap_t map{};
    require(avrm_rankmap_create_stride(device_->instance, device_->world_av->pgid, size, 0, stride, &map));
    avrm_comm_t *comm = nullptr;
    require(avrm_comm_create_local(device_, &map, 0, static_cast<std::uint32_t>(comms_.size()) + 1, &comm));
    comms_.push_back(comm);
    return comm;
  }

  /// A library's further state for a communicator of every stride-th process.
  void add_beside(const avrm_comm_t *comm, std::int32_t stride) {
    add_comm((job_.on_node() - 1) / stride + 1, stride);
    add_comm(job_.nodes(), job_.per_node);
    // With connection on demand the nodes of those that were not contacted are not in the AV.
    avrm_hierarchy_t nodes{};
    require(in_order_ ? avrm_hierarchy_create(comm->map, &nodes)
                      : avrm_hierarchy_create_layout(comm->map, job_.nodes(), job_.per_node, &nodes));
    hierarchies_.push_back(nodes);
  }

  void open_queues() {
    if (!has_queues()) {
      return;
    }
    require(avrm_fp_open(device_, job_.addresses - 1, &fp_));
    for (int i = 1; i < job_.addresses; ++i) {
      avrm_fp_comm_t *handle = nullptr;
      require(avrm_fp_comm_create(fp_, duplicate(i), &handle));
      handles_.push_back(handle);
    }
  }
  /// Behind the world's own two come threes: a communicator and the two that come with it.
  [[nodiscard]] avrm_comm_t *duplicate(int i) const { return comms_[static_cast<std::size_t>(3 * i - 1)]; }

  /// First contact, over each queue.
  void contact(avrm_comm_t *world, std::int32_t peer) const {
    avrm_request_t *request = nullptr;
    require(avrm_irecv(world, nullptr, 0, peer, 0, &request));
    require(avrm_cancel(request));
    require(avrm_wait(&request, nullptr) == AVRM_ERR_CANCELLED, "a receive is not cancelled");
    for (const avrm_fp_comm_t *const handle : handles_) {
      require(avrm_isend(handle->comm, nullptr, 0, peer, 0, &request));
      require(avrm_wait(&request, nullptr));
    }
  }

  void add_window(avrm_comm_t *world, int i) {
    avrm_window_t *window = nullptr;
    if (handles_.empty()) {
      require(avrm_window_create(world, part_, sizeof part_, 0, &window));
    } else {
      avrm_fp_window_t *handle = nullptr;
      avrm_fp_comm_t *const comm = handles_[static_cast<std::size_t>(i) % handles_.size()];
      require(avrm_fp_window_create(comm, part_, sizeof part_, 1, 0, &handle));
      window = handle->cold->window;
    }
    if (is_null_) { // as with a network whose keys differ, where targets answer
      avrm_directory_destroy(&window->parts);
      require(avrm_directory_create(device_->instance, job_.processes, &window->parts));
    }
    for (std::int32_t k = 0; k < job_.contacted_peers(); ++k) {
      const avrm_part_t part{random_(), random_(), sizeof part_, 1};
      require(avrm_directory_learn(&window->parts, job_.peer(k), &part));
    }
  }

  [[nodiscard]] std::uint64_t contacted_pages(const avrm_av_t *av) const {
    std::unordered_set<std::uintptr_t> pages;
    for (std::int32_t i = 0; i < job_.contacted_peers(); ++i) {
      const auto first = reinterpret_cast<std::uintptr_t>(av->elements + job_.peer(i));
      pages.insert(first / page());
      pages.insert((first + sizeof(avrm_ave_t) - 1) / page());
    }
    return pages.size();
  }

  LargeJob job_;
  bool in_order_;
  bool is_null_;
  SyntheticBoot boot_;
  avrm_device_options_t options_{};
  avrm_device_t *device_ = nullptr;
  avrm_fp_t *fp_ = nullptr;
  std::vector<avrm_comm_t *> comms_;
  std::vector<avrm_hierarchy_t> hierarchies_;
  std::vector<avrm_fp_comm_t *> handles_;
  std::mt19937_64 random_;
  unsigned char part_[4096] = {};
};

/// The body of a process of its own. It ends without closing the device: nobody would answer.
int run_process(avrm_boot_t * /*boot*/, void *user) {
  const Order &order = *static_cast<const Order *>(user);
  try {
    Process process(order);
    use_up_heap();
    const Holdings before = holdings();
    const auto start = std::chrono::steady_clock::now();
    const avrm_status_t status = process.open();
    if (status != AVRM_OK) {
      return status == AVRM_ERR_LIMIT ? kTooLarge : lacks_transport(status) ? kMissing : 1;
    }
    order.use->open_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    process.fill();
    const Holdings after = holdings();
    order.use->resident = after.resident - before.resident;
    order.use->address_space = after.address_space - before.address_space +
                               (before.free_heap > after.free_heap ? before.free_heap - after.free_heap : 0);
    process.describe(order.use);
  } catch (const std::exception &) {
    return 1;
  }
  return 0;
}

} // namespace

DeviceOutcome measure_device(const LargeJob &job, Connecting connecting, const char *transport, DeviceUse *use_p) {
  const SharedPages<DeviceUse> use;
  Order order{job, connecting, transport, use.get()};
  avrm_fork_options_t fork{};
  fork.size = 1;
  fork.timeout_ms = 300000;
  std::int32_t code = 0;
  if (avrm_boot_fork_run(&fork, run_process, &order, &code) != AVRM_OK) {
    return DeviceOutcome::kFailed;
  }
  *use_p = *use.get();
  return code == 0           ? DeviceOutcome::kMeasured
         : code == kMissing  ? DeviceOutcome::kMissing
         : code == kTooLarge ? DeviceOutcome::kTooLarge
                             : DeviceOutcome::kFailed;
}

} // namespace avrankmap::bench
