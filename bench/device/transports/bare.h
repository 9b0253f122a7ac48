// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bare interface of a transport, whichever it is.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_BARE_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_BARE_H

#include "device/transports/device_channel.h"
#include "device/transports/list.h"
#if AVRM_HAVE_OFI
#include "device/transports/ofi_channel.h"
#endif
#if AVRM_HAVE_UCX
#include "device/transports/ucx_channel.h"
#endif

#include <memory>

namespace avrankmap::bench {

/// Calls use(open), where open(boot, largest) returns a std::unique_ptr to a channel over the bare
/// interface of the transport, for messages and puts of up to `largest` bytes. Throws
/// TransportMissing if this build has no such interface.
template <class Use> void with_bare_channel(const Transport &transport, Use use) {
#if AVRM_HAVE_OFI
  if (transport.bare == Bare::kOfi) {
    use([&](avrm_boot_t *boot, std::size_t largest) {
      return std::make_unique<OfiChannel>(boot, transport.provider, largest);
    });
    return;
  }
#endif
#if AVRM_HAVE_UCX
  if (transport.bare == Bare::kUcx) {
    use([](avrm_boot_t *boot, std::size_t largest) { return std::make_unique<UcxChannel>(boot, largest); });
    return;
  }
#endif
  throw TransportMissing(std::string(transport.name) + " has no bare interface");
}

/// How the bare interface's addresses are kept in an AVE.
constexpr avrm_codec_t codec_of(const Transport &transport) {
  return transport.bare == Bare::kUcx ? AVRM_CODEC_UCX : AVRM_CODEC_OFI;
}

} // namespace avrankmap::bench

#endif
