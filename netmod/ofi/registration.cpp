// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Registers memory as the provider's mode bits require.
#include <new>

#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

avrm_status_t register_memory(Transport &net, const void *base, std::size_t bytes, std::uint64_t access,
                              Fid<fid_mr> *region_p) noexcept {
  fid_mr *raw = nullptr;
  int rc = fi_mr_reg(net.domain.get(), base, bytes, access, 0, net.next_key, 0, &raw, nullptr);
  if (rc != 0) {
    return net.failed_call("fi_mr_reg", -rc);
  }
  ++net.next_key;
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
      if (const avrm_status_t status = register_memory(net, pieces[i].base, pieces[i].bytes, access, &region);
          status != AVRM_OK) {
        return status;
      }
      descriptors[i] = fi_mr_desc(region.get());
    }
  }
  return AVRM_OK;
}

} // namespace avrankmap::detail::ofi
