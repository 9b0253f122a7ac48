// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface that creates windows. With flags, the members agree on a key, and on an address
// if the window is symmetric, before they create their parts. Then they exchange the locations of
// the parts.
#include "base/random.h"
#include "comm_algorithms/channel/collectives.h"
#include "comm_algorithms/context_agreement.h"
#include "comm_algorithms/exchange_window_parts.h"
#include "comm_calls/device_channel.h"
#include "rma/known_parts.h"
#include "rma/network_atomics.h"
#include "rma/window.h"
#include "rma/window_service.h"

namespace avrankmap::detail {

namespace {

constexpr unsigned kFlags = AVRM_WINDOW_EXCHANGE | AVRM_WINDOW_SYMMETRIC | AVRM_WINDOW_NETWORK_ATOMICS;

// Random numbers that the first member generates for all members.
struct Plan {
  std::uint64_t key;
  std::uint64_t address;
};

avrm_status_t draw(Plan *plan) noexcept {
  if (const avrm_status_t status = fill_random(plan, sizeof *plan); status != AVRM_OK) {
    return status;
  }
  // Far from the addresses of programs, stacks, mappings and sanitizer tables with 47-bit
  // addresses.
  constexpr std::uint64_t kFirst = 0x200000000000;
  constexpr std::uint64_t kBytes = 0x200000000000;
  constexpr std::uint64_t kGrain = 1 << 21; // a huge page
  plan->address = kFirst + plan->address % kBytes / kGrain * kGrain;
  return AVRM_OK;
}

// Creates parts with one key and, if `symmetric`, at one address if a few attempts find one.
Task make_parts(Channel &channel, avrm_comm_t *comm, std::uint64_t id, WindowWish wish, bool symmetric,
                avrm_window_t **window_p) noexcept {
  constexpr int kDraws = 4;
  for (int i = symmetric ? 0 : kDraws;; ++i) {
    Plan plan{};
    avrm_status_t status = channel.rank() == 0 ? draw(&plan) : AVRM_OK;
    status = co_await broadcast_outcome(channel, 0, status, &plan);
    if (status != AVRM_OK) {
      co_return status;
    }
    wish.key = plan.key;
    wish.at = i < kDraws ? reinterpret_cast<void *>(static_cast<std::uintptr_t>(plan.address)) : nullptr;
    {
      const DeviceGuard guard(comm->device);
      status = make_window(comm, id, wish, window_p);
    }
    const avrm_status_t worst = co_await agree_on_status(channel, nullptr, status);
    if (worst == AVRM_OK) {
      co_return AVRM_OK;
    }
    if (status == AVRM_OK) {
      const DeviceGuard guard(comm->device);
      discard_window(*window_p);
    }
    if (worst != AVRM_ERR_UNSUPPORTED || i >= kDraws) {
      co_return worst;
    }
  }
}

// Gives a window the table of all parts, which are collected in *all.
Task tell_parts(Channel &channel, avrm_window_t *window, avrm_parts_t *all) noexcept {
  const avrm_device_t *const device = window->device;
  avrm_part_t own{};
  avrm_status_t status = own_part(window, &own);
  status = co_await exchange_window_parts(channel, status, own, all);
  avrm_directory_t parts{};
  if (status == AVRM_OK) {
    status = avrm_directory_create_summary(device->instance, all, &parts);
  }
  status = co_await agree_on_status(channel, nullptr, status);
  if (status != AVRM_OK) {
    avrm_directory_destroy(&parts);
    co_return status;
  }
  avrm_directory_destroy(&window->parts);
  window->parts = parts;
  co_return AVRM_OK;
}

// Agrees on how a window that requests network atomics executes them.
Task choose_atomics(Channel &channel, avrm_window_t *window) noexcept {
  const avrm_status_t mine = takes_network_atomics(window) ? AVRM_OK : AVRM_ERR_UNSUPPORTED;
  const avrm_status_t worst = co_await agree_on_status(channel, nullptr, mine);
  window->network_atomics = worst == AVRM_OK;
  co_return worst == AVRM_ERR_UNSUPPORTED ? AVRM_OK : worst;
}

Task make_known(Channel &channel, avrm_comm_t *comm, std::uint64_t id, WindowWish wish, unsigned flags,
                avrm_parts_t *all, avrm_window_t **window_p) noexcept {
  const bool symmetric = (flags & AVRM_WINDOW_SYMMETRIC) != 0;
  avrm_status_t status = co_await make_parts(channel, comm, id, wish, symmetric, window_p);
  if (status != AVRM_OK) {
    co_return status;
  }
  if ((comm->device->net->capabilities & AVRM_NETMOD_PLAIN_KEYS) != 0) {
    status = co_await tell_parts(channel, *window_p, all);
  }
  if (status == AVRM_OK && (flags & AVRM_WINDOW_NETWORK_ATOMICS) != 0) {
    status = co_await choose_atomics(channel, *window_p);
  }
  if (status != AVRM_OK) {
    const DeviceGuard guard(comm->device);
    discard_window(*window_p);
  }
  co_return status;
}

// Removes a window from the list of windows being created. Requires the device's lock.
void unlist(avrm_device_t *device, const WindowInMaking *making) noexcept {
  WindowInMaking **link = &device->windows->making;
  while (*link != making) {
    link = &(*link)->next;
  }
  *link = making->next;
}

avrm_status_t create(avrm_comm_t *comm, const WindowWish &wish, unsigned flags, avrm_window_t **window_p) noexcept {
  if ((flags & ~kFlags) != 0 || (flags != 0 && (comm->is_inter() || comm->is_internal()))) {
    return AVRM_ERR_OPTION;
  }
  avrm_device_t *const device = comm->device;
  const bool agrees = flags != 0 && device->receives_from_net; // otherwise no message arrives
  WindowInMaking making{};
  avrm_window_t *window = nullptr;
  avrm_status_t status = AVRM_OK;
  {
    const DeviceGuard guard(device);
    making = {next_window_id(comm), device->windows->making};
    device->windows->making = &making;
    if (!agrees) {
      status = make_window(comm, making.id, wish, &window);
    }
  }
  if (agrees) {
    avrm_parts_t all; // too large for a coroutine's frame
    Operation operation(comm);
    DeviceChannel channel(operation, comm->collective, next_tag(comm));
    operation.run(make_known(channel, comm, making.id, wish, flags, &all, &window));
    status = operation.wait();
  }
  const DeviceGuard guard(device);
  unlist(device, &making);
  if (status != AVRM_OK) {
    answer_early_requests(device);
    return status;
  }
  window->narrow_atomics = (flags & AVRM_WINDOW_NETWORK_ATOMICS) != 0;
  open_window(window);
  *window_p = window;
  return AVRM_OK;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_window_create(avrm_comm_t *comm, void *base, size_t bytes, unsigned flags,
                                 avrm_window_t **window_p) noexcept {
  if (comm == nullptr || window_p == nullptr || (base == nullptr && bytes != 0)) {
    return AVRM_ERR_NULL;
  }
  if ((flags & AVRM_WINDOW_SYMMETRIC) != 0) {
    return AVRM_ERR_OPTION;
  }
  return create(comm, {base, bytes, nullptr, 0}, flags, window_p);
}

avrm_status_t avrm_window_allocate(avrm_comm_t *comm, size_t bytes, unsigned flags, void **base_p,
                                   avrm_window_t **window_p) noexcept {
  if (comm == nullptr || base_p == nullptr || window_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const avrm_status_t status = create(comm, {nullptr, bytes, nullptr, 0}, flags, window_p);
  if (status == AVRM_OK) {
    *base_p = (*window_p)->base;
  }
  return status;
}
