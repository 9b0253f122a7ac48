// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/port_name.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace avrankmap::detail {

namespace {

constexpr std::string_view kPrefix = "avrm2/";
constexpr std::size_t kSecretDigits = 32;

// Accepts lower-case hexadecimal digits only, as they are printed.
bool parse_secret(std::string_view text, Secret *secret_p) noexcept {
  for (const char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      return false;
    }
  }
  const char *const middle = text.data() + kSecretDigits / 2;
  (void)std::from_chars(text.data(), middle, secret_p->words[0], 16);
  (void)std::from_chars(middle, text.data() + kSecretDigits, secret_p->words[1], 16);
  return true;
}

bool parse_address(std::string_view text, IpAddress *address_p) noexcept {
  char exact[INET6_ADDRSTRLEN] = {};
  if (text.size() >= sizeof exact) {
    return false;
  }
  std::memcpy(exact, text.data(), text.size());
  address_p->is_v6 = text.find(':') != std::string_view::npos;
  return inet_pton(address_p->family(), exact, &address_p->bytes) == 1;
}

} // namespace

IpAddress IpAddress::of(const sockaddr *where) noexcept {
  IpAddress address;
  address.is_v6 = where->sa_family == AF_INET6;
  if (address.is_v6) {
    std::memcpy(&address.bytes, reinterpret_cast<const char *>(where) + offsetof(sockaddr_in6, sin6_addr),
                sizeof(in6_addr));
  } else {
    std::memcpy(&address.bytes, reinterpret_cast<const char *>(where) + offsetof(sockaddr_in, sin_addr),
                sizeof(in_addr));
  }
  return address;
}

IpAddress IpAddress::loopback() noexcept {
  IpAddress address;
  const in_addr_t loopback = htonl(INADDR_LOOPBACK);
  std::memcpy(&address.bytes, &loopback, sizeof loopback);
  return address;
}

socklen_t IpAddress::with_port(std::uint16_t number, sockaddr_storage *where_p) const noexcept {
  *where_p = {};
  if (is_v6) {
    auto *const where = reinterpret_cast<sockaddr_in6 *>(where_p);
    where->sin6_family = AF_INET6;
    where->sin6_addr = bytes;
    where->sin6_port = htons(number);
    return sizeof *where;
  }
  auto *const where = reinterpret_cast<sockaddr_in *>(where_p);
  where->sin_family = AF_INET;
  std::memcpy(&where->sin_addr, &bytes, sizeof where->sin_addr);
  where->sin_port = htons(number);
  return sizeof *where;
}

avrm_status_t PortName::parse(const char *text) noexcept {
  std::string_view rest(text, strnlen(text, AVRM_PORT_MAX));
  *this = {};
  if (rest.size() == AVRM_PORT_MAX || !rest.starts_with(kPrefix)) {
    return AVRM_ERR_PORT;
  }
  rest.remove_prefix(kPrefix.size());
  if (rest.size() <= kSecretDigits || rest[kSecretDigits] != '/' ||
      !parse_secret(rest.substr(0, kSecretDigits), &secret)) {
    return AVRM_ERR_PORT;
  }
  rest.remove_prefix(kSecretDigits + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number == 0 || end == rest.data() + rest.size() || *end != '/') {
    return AVRM_ERR_PORT;
  }
  rest.remove_prefix(static_cast<std::size_t>(end + 1 - rest.data()));
  for (bool more = true; more;) {
    const std::size_t length = std::min(rest.find(','), rest.size());
    if (count == kMostAddresses || !parse_address(rest.substr(0, length), &addresses[count])) {
      return AVRM_ERR_PORT;
    }
    ++count;
    more = length != rest.size();
    rest.remove_prefix(more ? length + 1 : length);
  }
  return AVRM_OK;
}

void PortName::print(char (&text)[AVRM_PORT_MAX]) const noexcept {
  auto used = static_cast<std::size_t>(
      std::snprintf(text, sizeof text, "avrm2/%016llx%016llx/%u/", static_cast<unsigned long long>(secret.words[0]),
                    static_cast<unsigned long long>(secret.words[1]), unsigned{number}));
  for (int i = 0; i < count; ++i) {
    char address[INET6_ADDRSTRLEN] = {};
    (void)inet_ntop(addresses[i].family(), &addresses[i].bytes, address, sizeof address);
    const std::size_t length = std::strlen(address) + (i == 0 ? 0 : 1);
    if (used + length >= sizeof text) {
      return;
    }
    (void)std::snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? "" : ",", address);
    used += length;
  }
}

std::uint32_t PortName::seed() const noexcept {
  const Digest digest = keyed_hash(secret, "seed", 4);
  std::uint32_t seed = 0;
  std::memcpy(&seed, digest.bytes, sizeof seed);
  return seed;
}

} // namespace avrankmap::detail
