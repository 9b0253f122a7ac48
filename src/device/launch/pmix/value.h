// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values of a PMIx server, and requests for them.
#ifndef AVRANKMAP_SRC_LAUNCH_PMIX_VALUE_H
#define AVRANKMAP_SRC_LAUNCH_PMIX_VALUE_H

#include <pmix.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "avrankmap/device/boot.h"

namespace avrankmap::detail {

// Owns the result of PMIx_Get.
class PmixValue {
public:
  PmixValue() noexcept = default;
  ~PmixValue() {
    if (value_ != nullptr) {
      PMIX_VALUE_RELEASE(value_);
    }
  }
  PmixValue(const PmixValue &) = delete;
  PmixValue &operator=(const PmixValue &) = delete;

  pmix_status_t get(const pmix_proc_t &proc, const char *key, const pmix_info_t *info, std::size_t count) noexcept {
    return PMIx_Get(&proc, key, info, count, &value_);
  }
  [[nodiscard]] const pmix_value_t &value() const noexcept { return *value_; }
  [[nodiscard]] std::optional<std::uint32_t> number() const noexcept {
    switch (value_->type) {
    case PMIX_UINT32: return value_->data.uint32;
    case PMIX_UINT16: return value_->data.uint16;
    default: return std::nullopt;
    }
  }
  [[nodiscard]] std::optional<std::string_view> text() const noexcept {
    if (value_->type != PMIX_STRING || value_->data.string == nullptr) {
      return std::nullopt;
    }
    return value_->data.string;
  }

private:
  pmix_value_t *value_ = nullptr;
};

// Holds the data of a callback until PMIx calls it. PMIx 4.2 never answers a request that it sends
// when the connection to its server has just ended. Returns what to pass to PMIx; null if memory is
// exhausted.
[[nodiscard]] void *hold_for_callback(std::shared_ptr<void> data) noexcept;
// Call it in the callback, or if PMIx has refused the request.
std::shared_ptr<void> take_held(void *user) noexcept;
// Frees what PMIx has forgotten. Call it after PMIx_Finalize.
void free_forgotten() noexcept;

// A value of bytes: a card and the mark before it.
struct PmixBytes {
  std::size_t bytes = 0;
  char text[1 + AVRM_BOOT_CARD_MAX];

  // Returns PMIX_SUCCESS or PMIX_ERR_BAD_PARAM.
  pmix_status_t take(const pmix_value_t &value) noexcept;
};

// Requests a value from the server of this node.
[[nodiscard]] pmix_status_t get_bytes(const pmix_proc_t &proc, const char *key, const pmix_info_t *info,
                                      std::size_t count, PmixBytes *bytes_p) noexcept;
// As above, but returns PMIX_ERR_TIMEOUT once `limit` has passed. May throw std::bad_alloc.
[[nodiscard]] pmix_status_t get_bytes_in(std::chrono::seconds limit, const pmix_proc_t &proc, const char *key,
                                         const pmix_info_t *info, std::size_t count, PmixBytes *bytes_p);

} // namespace avrankmap::detail

#endif
