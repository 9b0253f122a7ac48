// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Providers that register memory in another way than those of this machine, simulated in front of
// one of them: it chooses the keys (FI_MR_PROV_KEY), memory must be bound to its endpoint and
// enabled (FI_MR_ENDPOINT), or keys are short. What such a provider would refuse is refused.
#ifndef AVRANKMAP_TESTS_NETMOD_OFI_REGISTRAR_H
#define AVRANKMAP_TESTS_NETMOD_OFI_REGISTRAR_H

#include <map>

#include "ofi/transport.h"

namespace avrankmap::test {

class Registrar {
public:
  Registrar(avrm_netmod_t *netmod, int mode, std::size_t key_bytes)
      : net_(detail::ofi::transport_of(netmod)), real_(net_.domain->mr), ops_(*real_), mode_(mode),
        key_bytes_(key_bytes) {
    fi_domain_attr *const domain = net_.provider.info->domain_attr;
    domain->mr_mode |= mode;
    domain->mr_key_size = key_bytes;
    ops_.reg = [](auto... arguments) { return current->reg(arguments...); };
    net_.domain->mr = &ops_;
    current = this;
  }
  Registrar(const Registrar &) = delete;
  Registrar &operator=(const Registrar &) = delete;
  ~Registrar() {
    net_.domain->mr = real_;
    current = nullptr;
  }

  std::uint64_t last_key = 0; // that the provider chose
  int registered = 0;
  int bound = 0; // to the netmod's endpoint
  int enabled = 0;
  bool refuses_to_bind = false;

private:
  static inline Registrar *current = nullptr;

  struct Region {
    fi_ops *real;
    fi_ops ops;
    bool bound = false;
  };

  int reg(fid *domain, const void *base, std::size_t bytes, std::uint64_t access, std::uint64_t offset,
          std::uint64_t key, std::uint64_t flags, fid_mr **region_p, void *context) {
    if ((mode_ & FI_MR_PROV_KEY) != 0) {
      if (key != 0) {
        return -FI_EINVAL;
      }
      key = last_key = 0x5000 + static_cast<std::uint64_t>(registered);
    } else if (key_bytes_ < sizeof key && key >> 8 * key_bytes_ != 0) {
      return -FI_EKEYREJECTED;
    }
    const int rc = real_->reg(domain, base, bytes, access, offset, key, flags, region_p, context);
    if (rc == 0) {
      ++registered;
      if ((mode_ & FI_MR_ENDPOINT) != 0) {
        watch(&(*region_p)->fid);
      }
    }
    return rc;
  }

  void watch(fid *region) {
    Region &watched = regions_[region];
    watched = {region->ops, *region->ops};
    watched.ops.bind = [](fid *of, fid *to, std::uint64_t) { return current->bind(of, to); };
    watched.ops.control = [](fid *of, int command, void *) { return current->control(of, command); };
    watched.ops.close = [](fid *of) { return current->close(of); };
    region->ops = &watched.ops;
  }
  int bind(fid *region, const fid *to) {
    if (refuses_to_bind) {
      return -FI_ENOMEM;
    }
    regions_[region].bound = to == &net_.endpoint->fid;
    bound += regions_[region].bound ? 1 : 0;
    return 0;
  }
  int control(fid *region, int command) {
    if (command != FI_ENABLE || !regions_[region].bound) {
      return -FI_EINVAL;
    }
    ++enabled;
    return 0;
  }
  int close(fid *region) {
    region->ops = regions_[region].real;
    regions_.erase(region);
    return fi_close(region);
  }

  detail::ofi::Transport &net_;
  fi_ops_mr *real_;
  fi_ops_mr ops_;
  int mode_;
  std::size_t key_bytes_;
  std::map<fid *, Region> regions_; // whose places do not change
};

} // namespace avrankmap::test

#endif
