// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Registers memory as the provider's mode bits require. If the provider lets the netmod choose
// keys, it uses the caller's, which cannot be guessed, or random ones: anyone who knows the key of
// exposed memory and reaches the provider's port can write there.
#include <new>

#include "base/random.h"
#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

// Returns the key, or a random one if it is 0; 0 if the system provides no random bits.
std::uint64_t drawn(std::uint64_t key) noexcept {
  if (key == 0 && fill_random(&key, sizeof key) != AVRM_OK) {
    return 0;
  }
  return key;
}

} // namespace

std::uint64_t key_within(std::uint64_t key, std::size_t key_bytes) noexcept {
  return key_bytes >= sizeof key ? key : key & ((std::uint64_t{1} << 8 * key_bytes) - 1);
}

avrm_status_t register_memory(Transport &net, const void *base, std::size_t bytes, std::uint64_t access,
                              std::uint64_t key, Fid<fid_mr> *region_p) noexcept {
  constexpr int kDraws = 16; // short keys may be in use already
  const bool chooses = !net.provider.wants(FI_MR_PROV_KEY);
  fid_mr *raw = nullptr;
  int rc = -FI_ENOKEY;
  for (int i = 0; i < kDraws && rc == -FI_ENOKEY; ++i) {
    key = chooses ? drawn(i == 0 ? key : 0) : 0;
    if (chooses && key == 0) {
      return AVRM_ERR_SYSTEM;
    }
    rc = fi_mr_reg(net.domain.get(), base, bytes, access, 0,
                   key_within(key, net.provider.info->domain_attr->mr_key_size), 0, &raw, nullptr);
  }
  if (rc != 0) {
    return net.failed_call("fi_mr_reg", -rc);
  }
  Fid<fid_mr> region(raw);
  if (net.provider.wants(FI_MR_ENDPOINT)) {
    rc = fi_mr_bind(raw, &net.endpoint->fid, 0);
    rc = rc == 0 ? fi_mr_enable(raw) : rc;
    if (rc != 0) {
      return net.failed_call("fi_mr_enable", -rc);
    }
  }
  *region_p = std::move(region);
  return AVRM_OK;
}

avrm_status_t describe_local(Transport &net, Op *op, const avrm_piece_t *pieces, std::size_t count,
                             std::uint64_t access, void **descriptors) noexcept {
  op->local = new (std::nothrow) LocalMemory;
  if (op->local == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::size_t i = 0; i < count; ++i) {
    descriptors[i] = nullptr;
    if (pieces[i].bytes != 0) {
      Fid<fid_mr> &region = op->local->regions[i];
      if (const avrm_status_t status = register_memory(net, pieces[i].base, pieces[i].bytes, access, 0, &region);
          status != AVRM_OK) {
        return status;
      }
      descriptors[i] = fi_mr_desc(region.get());
    }
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail::ofi
