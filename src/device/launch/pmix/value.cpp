// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix/value.h"

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/deadline.h"

namespace avrankmap::detail {

pmix_status_t PmixBytes::take(const pmix_value_t &value) noexcept {
  if (value.type != PMIX_BYTE_OBJECT || value.data.bo.size > sizeof text) {
    return PMIX_ERR_BAD_PARAM;
  }
  bytes = value.data.bo.size;
  if (bytes != 0) {
    std::memcpy(text, value.data.bo.bytes, bytes);
  }
  return PMIX_SUCCESS;
}

pmix_status_t get_bytes(const pmix_proc_t &proc, const char *key, const pmix_info_t *info, std::size_t count,
                        PmixBytes *bytes_p) noexcept {
  PmixValue value;
  const pmix_status_t status = value.get(proc, key, info, count);
  return status == PMIX_SUCCESS ? bytes_p->take(value.value()) : status;
}

namespace {

struct Held {
  std::shared_ptr<void> data;
  Held *next;
};
std::mutex held_lock;
Held *first_held = nullptr;

// Reference-counted, because the server may still answer an abandoned request.
struct Answer {
  std::mutex lock;
  std::condition_variable changed;
  std::optional<pmix_status_t> status;
  PmixBytes bytes;
};

// Runs on PMIx's own thread.
// NOLINTNEXTLINE(readability-non-const-parameter): PMIx's type
void on_value(pmix_status_t status, pmix_value_t *value, void *user) {
  const auto answer = std::static_pointer_cast<Answer>(take_held(user));
  {
    const std::lock_guard guard(answer->lock);
    answer->status = status == PMIX_SUCCESS ? answer->bytes.take(*value) : status;
  }
  answer->changed.notify_all();
}

} // namespace

void *hold_for_callback(std::shared_ptr<void> data) noexcept {
  const std::lock_guard guard(held_lock);
  auto *const held = new (std::nothrow) Held{std::move(data), first_held};
  first_held = held == nullptr ? first_held : held;
  return held;
}

std::shared_ptr<void> take_held(void *user) noexcept {
  const std::lock_guard guard(held_lock);
  Held **at = &first_held;
  while (*at != user) {
    at = &(*at)->next;
  }
  const std::unique_ptr<Held> held(std::exchange(*at, (*at)->next));
  return std::move(held->data);
}

void free_forgotten() noexcept {
  const std::lock_guard guard(held_lock);
  while (first_held != nullptr && PMIx_Initialized() == 0) {
    const std::unique_ptr<Held> held(std::exchange(first_held, first_held->next));
  }
}

pmix_status_t get_bytes_in(std::chrono::seconds limit, const pmix_proc_t &proc, const char *key,
                           const pmix_info_t *info, std::size_t count, PmixBytes *bytes_p) {
  // PMIx 4.2 never frees a value that PMIx_Get_nb finds, and most are found without the server.
  const bool yes = true;
  pmix_info_t optional = {};
  PMIX_INFO_LOAD(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  if (get_bytes(proc, key, &optional, 1, bytes_p) == PMIX_SUCCESS) {
    return PMIX_SUCCESS;
  }
  const auto answer = std::make_shared<Answer>();
  void *const user = hold_for_callback(answer);
  if (user == nullptr) {
    return PMIX_ERR_NOMEM;
  }
  if (const pmix_status_t status = PMIx_Get_nb(&proc, key, info, count, &on_value, user); status != PMIX_SUCCESS) {
    (void)take_held(user);
    return status;
  }
  std::unique_lock guard(answer->lock);
  if (!wait_until(answer->changed, guard, deadline_after(limit), [&] { return answer->status.has_value(); })) {
    return PMIX_ERR_TIMEOUT;
  }
  *bytes_p = answer->bytes;
  return *answer->status;
}

} // namespace avrankmap::detail
