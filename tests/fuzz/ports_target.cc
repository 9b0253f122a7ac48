// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data from processes of other worlds that are not known yet: names of ports, greetings at a port,
// groups, whole connections over a link, notices of failures; and a damaged key-value store.
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "bench/synthetic/synthetic_boot.h"
#include "comm_calls/group_message.h"
#include "comm_calls/group_message_wire.h"
#include "core/peers/connect.h"
#include "dynamic/connect_groups.h"
#include "dynamic/handshake.h"
#include "dynamic/link.h"
#include "dynamic/link_channel.h"
#include "dynamic/port.h"
#include "dynamic/state.h"
#include "launch/key_value_store.h"
#include "tests/fuzz/input.h"

namespace {

using namespace avrankmap::detail;
using avrankmap::fuzz::Input;
using Bytes = std::vector<std::uint8_t>;

void append(Bytes &to, const void *from, std::size_t bytes) {
  const auto *const first = static_cast<const std::uint8_t *>(from);
  to.insert(to.end(), first, first + bytes);
}
template <typename T> void append(Bytes &to, const T &value) { append(to, &value, sizeof value); }

// Port names.

void check_name(const Bytes &text) {
  // Of exactly this size, for the sanitizer.
  const auto exact = std::make_unique<char[]>(text.size() + 1);
  std::copy(text.begin(), text.end(), exact.get());
  PortName name;
  if (name.parse(exact.get()) != AVRM_OK) {
    return;
  }
  AVRM_MUST(name.number != 0 && name.count >= 1 && name.count <= PortName::kMostAddresses);
  char printed[AVRM_PORT_MAX];
  name.print(printed);
  PortName again;
  AVRM_MUST(again.parse(printed) == AVRM_OK && again.number == name.number && again.count == name.count);
  AVRM_MUST(name.secret == again.secret);
  for (int i = 0; i < name.count; ++i) {
    AVRM_MUST(name.addresses[i].is_v6 == again.addresses[i].is_v6);
    AVRM_MUST(std::memcmp(&name.addresses[i].bytes, &again.addresses[i].bytes, sizeof(in6_addr)) == 0);
  }
}

void port_name(Input &input) {
  if (input.below(2) == 0) {
    return check_name(input.bytes(2 * AVRM_PORT_MAX));
  }
  // A valid one, with changes.
  PortName name;
  name.secret = {{input.edgy(), input.edgy()}};
  name.number = static_cast<std::uint16_t>(input.edgy());
  name.count = input.between(0, PortName::kMostAddresses);
  for (int i = 0; i < name.count; ++i) {
    const std::uint64_t words[] = {input.edgy(), input.edgy()};
    name.addresses[i].is_v6 = input.below(2) == 1;
    std::memcpy(&name.addresses[i].bytes, words, name.addresses[i].is_v6 ? 16 : 4);
  }
  char printed[AVRM_PORT_MAX];
  name.print(printed);
  const std::string_view text(printed);
  Bytes changed(text.begin(), text.end());
  for (std::uint32_t changes = input.below(4); changes != 0; --changes) {
    const auto at = changed.begin() + input.below(static_cast<std::uint32_t>(changed.size()));
    input.below(2) == 0 ? (void)(*at = input.number<std::uint8_t>()) : (void)changed.insert(at, ',');
  }
  check_name(changed);
}

// Short timeouts.
class Briefly final : public Waiting {
public:
  [[nodiscard]] avrm_status_t go_on() noexcept override { return --left_ > 0 ? AVRM_OK : AVRM_ERR_TIMEOUT; }

private:
  int left_ = 2;
};

// Greetings. The port is of a family that needs no network.

void handshake(Input &input) {
  Port port;
  port.name.secret = {{5, 6}};
  port.listeners[0] = Socket(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  port.listener_count = 1;
  const int listener = port.listeners[0].get();
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  socklen_t bytes = sizeof where.sun_family; // a free name
  AVRM_MUST(bind(listener, reinterpret_cast<const sockaddr *>(&where), bytes) == 0);
  bytes = sizeof where;
  AVRM_MUST(listen(listener, 8) == 0 && getsockname(listener, reinterpret_cast<sockaddr *>(&where), &bytes) == 0);
  std::vector<Socket> clients;
  for (std::uint32_t left = 1 + input.below(3); left != 0; --left) {
    Bytes said;
    for (std::uint32_t parts = input.below(3); parts != 0; --parts) {
      Hello hello;
      const std::uint32_t change = input.below(8);
      if (change >= 4) {
        reinterpret_cast<std::uint32_t *>(&hello)[change - 4] = static_cast<std::uint32_t>(input.edgy());
      }
      append(said, hello);
      append(said, Word{});
    }
    const Bytes more = input.bytes(input.below(64));
    append(said, more.data(), more.size());
    clients.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int client = clients.back().get();
    AVRM_MUST(connect(client, reinterpret_cast<const sockaddr *>(&where), bytes) == 0);
    AVRM_MUST(said.empty() ||
              send(client, said.data(), said.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(said.size()));
    if (input.below(2) == 1) {
      clients.pop_back();
    }
  }
  Socket met;
  Briefly briefly;
  // None has the proof.
  AVRM_MUST(accept_at(port, briefly, &met) == AVRM_ERR_TIMEOUT && !met.is_open());
}

// Group messages.

// A device of the first process of its world, over a network on which nothing arrives.
class Home {
public:
  explicit Home(std::int32_t size) : boot_(size) {
    avrm_device_options_t options{};
    options.boot = &boot_;
    options.netmod = "null";
    options.shmmod = "none";
    options.connect = AVRM_CONNECT_EAGER; // what is live at first stays
    AVRM_MUST(avrm_device_open(&options, &device_) == AVRM_OK);
    device_->receives_from_net = true; // so that there are ports
    {
      GroupMessage own(device_->instance->memory);
      AVRM_MUST(write_group(device_, device_->world->map, &own) == AVRM_OK && own.bytes() >= sizeof header_);
      std::memcpy(&header_, own.data(), sizeof header_);
    }
    contexts_ = device_->contexts.count();
    live_ = live();
  }
  Home(const Home &) = delete;
  Home &operator=(const Home &) = delete;
  // Nobody holds the groups that were read.
  ~Home() {
    forget_worlds(device_);
    AVRM_MUST(device_->worlds == nullptr && device_->world_count == 0 && device_->dynamic->links == nullptr);
    AVRM_MUST(live() == live_ && device_->contexts.count() == contexts_);
    AVRM_MUST(avrm_device_close(device_) == AVRM_OK);
  }

  [[nodiscard]] avrm_device_t *device() const { return device_; }

  // A valid message, which the input changes; zeros change nothing.
  [[nodiscard]] Bytes group_message(Input &input) const {
    GroupMessageHeader header = header_;
    std::vector<GroupMessageWorld> worlds(1 + input.below(3));
    for (GroupMessageWorld &world : worlds) {
      const std::uint32_t name = input.below(8);
      world.name = name == 0 ? device_->name : WorldName{{name - 1, name - 1}};
      world.size = name == 0 ? device_->size : static_cast<std::int32_t>(8 * name);
      if (input.below(8) == 7) {
        world.size = static_cast<std::int32_t>(input.edgy());
      }
    }
    std::vector<GroupMessageRun> runs(std::max<std::size_t>(worlds.size(), input.below(5)));
    std::int64_t size = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      GroupMessageRun &run = runs[i];
      run.world = static_cast<std::int32_t>(i % worlds.size());
      run.count = input.between(1, 4);
      run.offset = input.between(0, 8);
      run.stride = input.between(-2, 2);
      const std::uint32_t change = input.below(16);
      if (change >= 12) {
        reinterpret_cast<std::int32_t *>(&run)[change - 12] = static_cast<std::int32_t>(input.edgy());
      }
      size += run.count;
    }
    header.worlds = static_cast<std::int32_t>(worlds.size());
    header.runs = static_cast<std::int32_t>(runs.size());
    header.size = static_cast<std::int32_t>(size);
    const std::int32_t cards = std::clamp<std::int32_t>(header.size, 0, 64);
    const std::uint32_t change = input.below(32);
    if (change >= 32 - sizeof header / 4) {
      reinterpret_cast<std::uint32_t *>(&header)[31 - change] = static_cast<std::uint32_t>(input.edgy());
    }
    Bytes bytes;
    append(bytes, header);
    append(bytes, worlds.data(), worlds.size() * sizeof(GroupMessageWorld));
    append(bytes, runs.data(), runs.size() * sizeof(GroupMessageRun));
    for (std::int32_t i = 0; i < cards; ++i) {
      Card card;
      card.node = static_cast<std::uint32_t>(i);
      card.net_bytes = input.below(25);
      card.name = {{static_cast<std::uint64_t>(i), 7}};
      if (input.below(16) == 15) {
        reinterpret_cast<std::uint32_t *>(&card)[input.below(6)] = static_cast<std::uint32_t>(input.edgy());
      }
      append(bytes, &card, header_.pitch);
    }
    if (input.below(16) == 15) {
      bytes.resize(bytes.size() + 8 - input.below(16));
    }
    return bytes;
  }

  // Checks a group that was read.
  void check(const avrm_rankmap_t *map) const {
    AVRM_MUST(map->size >= 1 && avrm_rankmap_validate(map, nullptr));
    for (std::int32_t rank = 0; rank < map->size; ++rank) {
      const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
      World *const world = process.pgid == kOwnWorld ? nullptr : find_world(device_, process.pgid);
      const std::int32_t size = world == nullptr ? device_->size : world->av->size;
      AVRM_MUST((world != nullptr || process.pgid == kOwnWorld) && process.lpid >= 0 && process.lpid < size);
      AVRM_MUST(world == nullptr || find_card(world, process.lpid) != nullptr);
      Route route{};
      (void)route_to(device_, process, &route);
    }
  }

private:
  [[nodiscard]] std::uint64_t live() const {
    std::uint64_t bytes = 0;
    for (const avrm_mem_kind_t kind : {AVRM_MEM_CACHE, AVRM_MEM_SCRATCH}) {
      avrm_mem_usage_t usage{};
      AVRM_MUST(avrm_instance_mem_usage(device_->instance, kind, &usage) == AVRM_OK);
      bytes += usage.live_bytes;
    }
    return bytes;
  }

  avrankmap::bench::SyntheticBoot boot_;
  avrm_device_t *device_ = nullptr;
  GroupMessageHeader header_{};
  std::uint32_t contexts_ = 0;
  std::uint64_t live_ = 0;
};

void group_messages(Input &input) {
  const Home home(2);
  std::vector<MapOwner> maps;
  for (std::uint32_t left = 1 + input.below(3); left != 0; --left) {
    const Bytes bytes = home.group_message(input);
    GroupMessage group_message(home.device()->instance->memory);
    AVRM_MUST(group_message.resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), group_message.data());
    MapOwner map;
    if (read_group(home.device(), group_message, 0, &map) != AVRM_OK) {
      AVRM_MUST(map == nullptr);
      continue;
    }
    AVRM_MUST(avrm_rankmap_bind(map.get()) == AVRM_OK);
    home.check(map.get());
    // A group that is passed on stays the same.
    GroupMessage copy(home.device()->instance->memory);
    MapOwner again;
    AVRM_MUST(write_group(home.device(), map.get(), &copy) == AVRM_OK);
    AVRM_MUST(read_group(home.device(), copy, 0, &again) == AVRM_OK);
    AVRM_MUST(again->size == map->size);
    for (std::int32_t rank = 0; rank < map->size; ++rank) {
      const avrm_gpid_t one = avrm_rankmap_gpid(map.get(), rank);
      const avrm_gpid_t other = avrm_rankmap_gpid(again.get(), rank);
      AVRM_MUST(one.pgid == other.pgid && one.lpid == other.lpid);
    }
    maps.push_back(std::move(map));
    ActiveHeader death{};
    death.type = ActiveType::kDeath;
    death.window = death.offset = input.below(8);
    death.position = input.edgy();
    on_passed_notice(home.device(), death);
  }
}

// Connections of groups.

// The other side of a link, which has sent everything that it will ever send.
class Stranger final : public RootConnector {
public:
  explicit Stranger(const Bytes &said) {
    int ends[2];
    AVRM_MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    near_ = Socket(ends[0]);
    far_ = Socket(ends[1]);
    AVRM_MUST(said.empty() ||
              send(far_.get(), said.data(), said.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(said.size()));
    AVRM_MUST(shutdown(far_.get(), SHUT_WR) == 0);
  }
  [[nodiscard]] avrm_status_t reach(ConnectingCreation & /*creation*/, Socket *socket_p,
                                    std::uint32_t *seed_p) noexcept override {
    *seed_p = 0;
    *socket_p = std::move(near_);
    return AVRM_OK;
  }

private:
  Socket near_;
  Socket far_;
};

// A message on a link, after its length.
void say(Bytes &said, Input &input, Bytes message) {
  const bool lies = input.below(16) == 15;
  append(said, lies ? input.edgy() : std::uint64_t{message.size()});
  if (!lies && !message.empty() && input.below(16) == 15) {
    message[input.below(static_cast<std::uint32_t>(message.size()))] ^= input.number<std::uint8_t>();
  }
  append(said, message.data(), message.size());
}

Bytes verdict(Input &input) {
  const std::int32_t status = input.below(16) == 15 ? static_cast<std::int32_t>(input.edgy()) : AVRM_OK;
  Bytes bytes;
  append(bytes, std::array<std::int32_t, 2>{status, AVRM_OK});
  return bytes;
}

void connection(Input &input) {
  const Home home(1);
  const Bytes group_message = home.group_message(input);
  Bytes said;
  Bytes bytes(7 * sizeof(std::int32_t)); // the header of a map, which the message replaces
  say(said, input, bytes);
  say(said, input, verdict(input));
  bytes.clear();
  append(bytes, std::uint64_t{group_message.size()});
  say(said, input, bytes);
  say(said, input, verdict(input));
  say(said, input, group_message);
  say(said, input, verdict(input));
  for (std::uint32_t rounds = 1 + input.below(7); rounds != 0; --rounds) {
    struct {
      std::uint32_t least = UINT32_MAX; // accepts any proposal of this process
      std::uint32_t greatest = 0;
      std::uint64_t least_digest = UINT64_MAX;
      std::uint64_t greatest_digest = 0;
      std::int32_t status = AVRM_OK;
      std::int32_t unused = 0;
      std::int32_t heard = AVRM_OK;
      std::int32_t unused_too = 0;
    } proposal;
    const std::uint32_t change = input.below(32);
    if (change >= 32 - sizeof proposal / 4) {
      reinterpret_cast<std::uint32_t *>(&proposal)[31 - change] = static_cast<std::uint32_t>(input.edgy());
    }
    bytes.clear();
    append(bytes, proposal);
    say(said, input, bytes);
  }
  // Then notices.
  for (std::uint32_t notices = input.below(4); notices != 0; --notices) {
    struct {
      std::uint32_t kind;
      std::int32_t lpid;
      WorldName world;
      std::uint64_t unused;
    } notice{};
    notice.kind = input.below(4);
    notice.lpid = static_cast<std::int32_t>(input.edgy());
    const std::uint64_t name = input.below(8);
    notice.world = {{name, name}};
    append(said, notice);
  }
  const Bytes rest = input.bytes(SIZE_MAX);
  append(said, rest.data(), rest.size());

  Stranger stranger(said);
  avrm_comm_t *inter = nullptr;
  const avrm_status_t status = connect_groups(home.device()->world, 0, stranger, &inter);
  AVRM_MUST(std::string_view(avrm_status_name(status)) != "AVRM_ERR_?");
  if (status != AVRM_OK) {
    AVRM_MUST(inter == nullptr);
    return;
  }
  home.check(inter->map);
  for (int looks = 0; looks < 65; ++looks) { // at links, too
    (void)avrm_progress(home.device());
  }
  AVRM_MUST(avrm_comm_free(inter) == AVRM_OK);
}

// A key-value store.

void scribbled_store(Input &input) {
  const std::int32_t size = input.between(1, 3);
  KeyValueStore store;
  AVRM_MUST(KeyValueStore::create(size, &store) == AVRM_OK);
  const auto index = static_cast<std::size_t>(size) * AVRM_BOOT_SLOTS * sizeof(std::uint64_t);
  for (int steps = 0; steps < 16 && !input.empty(); ++steps) {
    const auto rank = static_cast<std::int32_t>(input.below(static_cast<std::uint32_t>(size)));
    const auto slot = static_cast<std::int32_t>(input.below(AVRM_BOOT_SLOTS));
    switch (input.below(3)) {
    case 0: {
      const Bytes card = input.bytes(input.below(AVRM_BOOT_CARD_MAX + 1));
      (void)store.publish(rank, slot, card.data(), card.size());
      break;
    }
    case 1: { // head, sets and index come first
      const std::size_t word = input.below(static_cast<std::uint32_t>((512 + index) / sizeof(std::uint64_t)));
      const std::uint64_t value = input.edgy();
      std::memcpy(store.pages().data() + word * sizeof value, &value, sizeof value);
      break;
    }
    default: {
      std::size_t bytes = input.below(AVRM_BOOT_CARD_MAX + 1);
      const std::size_t room = bytes;
      const auto card = std::make_unique<unsigned char[]>(room);
      AVRM_MUST(store.fetch(rank, slot, card.get(), &bytes) != AVRM_OK || bytes <= room);
      (void)store.failures().has(rank);
    }
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  switch (input.below(5)) {
  case 0: port_name(input); break;
  case 1: handshake(input); break;
  case 2: group_messages(input); break;
  case 3: connection(input); break;
  default: scribbled_store(input);
  }
  return 0;
}
