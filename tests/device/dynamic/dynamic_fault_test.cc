// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors between worlds: wrong port names, ports that nobody serves, and deaths. Each is a
// status, never a hang.
#include <signal.h>
#include <unistd.h>

#include "comm_calls/group_message.h"
#include "comm_calls/group_message_wire.h"
#include "core/device.h"
#include "core/peers/worlds.h"
#include "dynamic/dial.h"
#include "dynamic/port.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

const Transport &kAlone = transport_named("ucx_tcp");
TEST(Ports, NamesThatAreNoneAreRefused) {
  run_worlds(kAlone, {2}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
    const std::string good = port;
    const std::string secret = good.substr(6, 32);
    const std::string bad[] = {
        "",
        "avrm2",
        "avrm1/" + good.substr(6),
        good.substr(0, 20),
        "avrm2/" + secret,
        "avrm2/" + secret + "/",
        "avrm2/" + secret + "/1",
        "avrm2/" + secret + "/1/",
        "avrm2/" + secret + "/0/127.0.0.1",
        "avrm2/" + secret + "/65536/127.0.0.1",
        "avrm2/" + secret + "/-1/127.0.0.1",
        "avrm2/" + secret + "/1x/127.0.0.1",
        "avrm2/" + secret + "/1/127.0.0.1,",
        "avrm2/" + secret + "/1/127.0.0",
        "avrm2/" + secret + "/1/127.0.0.1 ",
        "avrm2/" + secret + "/1/::1::1",
        "avrm2/" + secret + "/1/[::1]",
        "avrm2/" + secret + "/1/1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1",
        "avrm2/" + secret + "/1/" + std::string(300, '1'),
        "avrm2/" + secret.substr(1) + "G/1/127.0.0.1",
        std::string(1000, 'a'),
    };
    for (const std::string &name : bad) {
      avrm_comm_t *comm = nullptr;
      AVRM_MUST(avrm_comm_connect(self.process.world, 0, name.c_str(), nullptr, &comm) == AVRM_ERR_PORT);
      AVRM_MUST(avrm_comm_accept(self.process.world, 1, name.c_str(), nullptr, &comm) == AVRM_ERR_PORT);
      AVRM_MUST(avrm_port_close(self.process.device, name.c_str()) == AVRM_ERR_PORT);
      AVRM_MUST(comm == nullptr);
    }
    AVRM_MUST(avrm_port_close(self.process.device, port) == AVRM_OK);
    AVRM_MUST(avrm_port_close(self.process.device, port) == AVRM_ERR_PORT);
  });
}

TEST(Ports, ArgumentsAreChecked) {
  run_worlds(kAlone, {1}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    avrm_comm_t *comm = nullptr;
    avrm_comm_t *const world = self.process.world;
    AVRM_MUST(avrm_port_open(nullptr, port) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_port_open(self.process.device, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_accept(nullptr, 0, "", nullptr, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_accept(world, 0, nullptr, nullptr, &comm) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_accept(world, 0, "", nullptr, nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_connect(world, 1, "", nullptr, &comm) == AVRM_ERR_RANK);
    AVRM_MUST(avrm_comm_connect(world, -1, "", nullptr, &comm) == AVRM_ERR_RANK);
    const avrm_meet_options_t negative{-1};
    AVRM_MUST(avrm_comm_connect(world, 0, "", &negative, &comm) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_comm_disconnect(nullptr) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_comm_disconnect(&comm) == AVRM_ERR_NULL);
    comm = world;
    AVRM_MUST(avrm_comm_disconnect(&comm) == AVRM_ERR_BUSY && comm == world);
  });
}

TEST(Ports, ANetworkThatDeliversNothingHasNone) {
  run_worlds(transport_named("posix"), {1}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_ERR_UNSUPPORTED);
    AVRM_MUST(avrm_comm_connect(self.process.world, 0, "avrm2/00000000000000000000000000000000/1/127.0.0.1", nullptr,
                                &comm) == AVRM_ERR_UNSUPPORTED);
  });
}

TEST(Ports, NobodyAnswersAtAPortThatIsClosed) {
  run_worlds(kAlone, {2}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
    AVRM_MUST(avrm_port_close(self.process.device, port) == AVRM_OK);
    avrm_comm_t *comm = nullptr;
    AVRM_MUST(avrm_comm_connect(self.process.world, 1, port, nullptr, &comm) == AVRM_ERR_PEER);
    AVRM_MUST(avrm_comm_accept(self.process.world, 1, port, nullptr, &comm) == AVRM_ERR_PORT);
  });
}

TEST(Ports, WhoIsNotServedInTimeGivesUp) {
  run_worlds(kAlone, {2}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
    avrm_comm_t *comm = nullptr;
    const avrm_meet_options_t soon{50};
    AVRM_MUST(avrm_comm_connect(self.process.world, 0, port, &soon, &comm) == AVRM_ERR_TIMEOUT);
    AVRM_MUST(avrm_comm_accept(self.process.world, 0, port, &soon, &comm) == AVRM_ERR_TIMEOUT);
  });
}

// Waits as long as another process has not said that it is done.
class Until final : public detail::Waiting {
public:
  explicit Until(std::atomic<int> &done) : done_(done) {}
  [[nodiscard]] avrm_status_t go_on() noexcept override {
    sched_yield();
    return done_.load() == 0 ? AVRM_OK : AVRM_ERR_TIMEOUT;
  }

private:
  std::atomic<int> &done_;
};

// In which the handshake ends, on a busy machine, too.
constexpr std::int32_t kAfterHandshakeMs = 3000;

// The other side knows the secret, and says no more after the handshake.
TEST(Ports, TheTimeCoversGroupMessagesOfAnAccept) {
  run_worlds(kAlone, {1, 1}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    if (self.world == 0) {
      AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
      self.board.hang(0, port);
      avrm_comm_t *comm = nullptr;
      const avrm_meet_options_t soon{kAfterHandshakeMs};
      AVRM_MUST(avrm_comm_accept(self.process.world, 0, port, &soon, &comm) == AVRM_ERR_TIMEOUT);
      self.board.counters[0].store(1);
      return;
    }
    detail::PortName name;
    AVRM_MUST(name.parse(self.board.read(0)) == AVRM_OK);
    Until waiting(self.board.counters[0]);
    detail::Socket silent;
    AVRM_MUST(detail::connect_to(name, waiting, &silent) == AVRM_OK);
    while (waiting.go_on() == AVRM_OK) {
    }
  });
}

TEST(Ports, TheTimeCoversGroupMessagesOfAConnect) {
  run_worlds(kAlone, {1, 1}, [](WorldProcess &self) {
    if (self.world == 1) {
      avrm_comm_t *comm = nullptr;
      const avrm_meet_options_t soon{kAfterHandshakeMs};
      AVRM_MUST(avrm_comm_connect(self.process.world, 0, self.board.read(0), &soon, &comm) == AVRM_ERR_TIMEOUT);
      self.board.counters[0].store(1);
      return;
    }
    detail::Port port;
    AVRM_MUST(detail::listen_at("", true, &port) == AVRM_OK);
    char name[AVRM_PORT_MAX];
    port.name.print(name);
    self.board.hang(0, name);
    Until waiting(self.board.counters[0]);
    detail::Socket silent;
    AVRM_MUST(detail::accept_at(port, waiting, &silent) == AVRM_OK);
    while (waiting.go_on() == AVRM_OK) {
    }
  });
}

TEST(Ports, AnInterfaceWithoutAddressHasNoPorts) {
  run_worlds(kAlone, {1}, [](WorldProcess &self) {
    avrm_device_options_t options = options_over(kAlone, self.process.boot);
    options.port_interface = "nowhere0";
    avrm_device_t *device = nullptr;
    AVRM_MUST(avrm_device_open(&options, &device) == AVRM_OK);
    char port[AVRM_PORT_MAX];
    AVRM_MUST(avrm_port_open(device, port) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_device_close(device) == AVRM_OK);
    options.port_interface = "a_name_that_is_too_long";
    AVRM_MUST(avrm_device_open(&options, &device) == AVRM_ERR_OPTION);
  });
}

TEST(Ports, WhoDoesNotKnowTheSecretIsNotLetIn) {
  run_worlds(kAlone, {1, 1}, [](WorldProcess &self) {
    char port[AVRM_PORT_MAX];
    avrm_comm_t *comm = nullptr;
    if (self.world == 0) {
      AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
      self.board.hang(0, port);
      AVRM_MUST(avrm_comm_accept(self.process.world, 0, port, nullptr, &comm) == AVRM_OK);
    } else {
      const char *const right = self.board.read(0);
      std::memcpy(port, right, sizeof port);
      port[6] = port[6] == '0' ? '1' : '0';
      AVRM_MUST(avrm_comm_connect(self.process.world, 0, port, nullptr, &comm) == AVRM_ERR_PEER);
      AVRM_MUST(avrm_comm_connect(self.process.world, 0, right, nullptr, &comm) == AVRM_OK);
    }
    check_intercomm(self.world_member(), comm, ids_of(1 - self.world, 1));
    part(comm);
  });
}

// Groups that arrive over a link are checked: each makes a group or a status, and nothing leaks.
TEST(GroupMessages, ThatAreDamagedLeaveNothingBehind) {
  run_worlds(kAlone, {2}, [](WorldProcess &self) {
    avrm_device_t *const device = self.process.device;
    detail::Memory &memory = device->instance->memory;
    detail::GroupMessage good(memory);
    AVRM_MUST(detail::write_group(device, avrm_comm_map(self.process.world), &good) == AVRM_OK);
    const std::uint64_t before = live_bytes(self.process, AVRM_MEM_TOTAL);
    const auto read = [&](std::uint64_t bytes, std::uint64_t at, unsigned char mask) {
      detail::GroupMessage exact(memory);
      AVRM_MUST(exact.resize(std::max<std::uint64_t>(bytes, 1)));
      std::memcpy(exact.data(), good.data(), std::min(bytes, good.bytes()));
      if (at < bytes) {
        exact.data()[at] ^= mask;
      }
      detail::MapOwner map;
      const avrm_status_t status = detail::read_group(device, exact, 0, &map);
      AVRM_MUST((status == AVRM_OK) == (map != nullptr));
      map = nullptr;
      detail::forget_worlds(device);
      return status;
    };
    AVRM_MUST(read(good.bytes(), UINT64_MAX, 0) == AVRM_OK);
    for (std::uint64_t bytes = 0; bytes < good.bytes(); ++bytes) {
      AVRM_MUST(read(bytes, UINT64_MAX, 0) == AVRM_ERR_MISMATCH);
    }
    int refused = 0;
    for (std::uint64_t at = 0; at < good.bytes(); ++at) {
      for (const unsigned char mask : {0x01, 0x80, 0xff}) {
        refused += read(good.bytes(), at, mask) == AVRM_OK ? 0 : 1;
      }
    }
    AVRM_MUST(refused > 60);
    AVRM_MUST(live_bytes(self.process, AVRM_MEM_TOTAL) == before);
  });
}

// A world of any size takes 12 bytes of address space per process.
TEST(GroupMessages, SizesAreCheckedBeforeAnythingIsAllocated) {
  run_worlds(kAlone, {1}, [](WorldProcess &self) {
    avrm_device_t *const device = self.process.device;
    detail::GroupMessage message(device->instance->memory);
    AVRM_MUST(detail::write_group(device, avrm_comm_map(self.process.world), &message) == AVRM_OK);
    detail::GroupMessageWorld world{};
    unsigned char *const at = message.data() + sizeof(detail::GroupMessageHeader);
    std::memcpy(&world, at, sizeof world);
    world.name.words[0] ^= 1; // another world's
    const auto peak = [device] {
      avrm_mem_usage_t usage{};
      AVRM_MUST(avrm_instance_mem_usage(device->instance, AVRM_MEM_TOTAL, &usage) == AVRM_OK);
      return usage.peak_bytes;
    };
    for (const std::int32_t size : {device->match_bits.most_rank() + 2, INT32_MAX, 0, -1}) {
      world.size = size;
      std::memcpy(at, &world, sizeof world);
      const std::uint64_t before = peak();
      detail::MapOwner map;
      AVRM_MUST(detail::read_group(device, message, 0, &map) == (size > 0 ? AVRM_ERR_LIMIT : AVRM_ERR_MISMATCH));
      AVRM_MUST(map == nullptr && device->worlds == nullptr && peak() == before);
    }
  });
}

class DynamicFault : public UcxOrLong {};
class DynamicFaultEverywhere : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Over, DynamicFaultEverywhere, testing::ValuesIn(transports_between_jobs()), kByName);
INSTANTIATE_TEST_SUITE_P(Over, DynamicFault, testing::ValuesIn(transports_between_jobs()), kByName);

// Member 1 of world 0 dies instead of accepting, so its death is known while the
// meeting is under way.
TEST_P(DynamicFault, ADeathInOneGroupEndsTheMeetingForBoth) {
  run_worlds(GetParam(), {3, 2},
             [](WorldProcess &self) {
               AVRM_MUST(avrm_barrier(self.process.world) == AVRM_OK);
               fence(self.process);
               if (self.world == 0 && self.process.rank == 1) {
                 usleep(100000); // so that the meeting has mostly begun
                 kill(getpid(), SIGKILL);
               }
               char port[AVRM_PORT_MAX] = "";
               if (self.world == 0 && self.process.rank == 0) {
                 AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
                 self.board.hang(0, port);
               } else if (self.process.rank == 0) {
                 std::memcpy(port, self.board.read(0), sizeof port);
               }
               avrm_comm_t *comm = nullptr;
               AVRM_MUST((self.world == 0
                              ? avrm_comm_accept(self.process.world, 0, port, nullptr, &comm)
                              : avrm_comm_connect(self.process.world, 0, port, nullptr, &comm)) == AVRM_ERR_PEER);
               AVRM_MUST(comm == nullptr);
             },
             {0, 1});
}

void expect_deaths_to_be_told(const Transport &transport, int victim) {
  run_worlds(transport, {3, 2},
             [victim](WorldProcess &self) {
               self.keeps_contexts = true;
               avrm_comm_t *comm = connect_worlds(self);
               check_intercomm(self.world_member(), comm, ids_of(1 - self.world, self.world == 0 ? 2 : 3));
               AVRM_MUST(avrm_barrier(self.process.world) == AVRM_OK);
               self.board.counters[0].fetch_add(1);
               while (self.board.counters[0].load() < 5) {
                 avrm_progress(self.process.device);
               }
               if (self.world == 0 && self.process.rank == victim) {
                 kill(getpid(), SIGKILL);
               }
               if (self.world == 1) { // a process waits for it
                 int in = 0;
                 avrm_request_t *request = nullptr;
                 avrm_status_t status = avrm_irecv(comm, &in, sizeof in, victim, 9, &request);
                 status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
                 AVRM_MUST(status == AVRM_ERR_PEER);
               }
               AVRM_MUST(avrm_comm_disconnect(&comm) == AVRM_ERR_PEER);
               AVRM_MUST(comm == nullptr);
             },
             {0, victim});
}

// The roots connect alone, and then create an intercommunicator of both worlds.
TEST_P(DynamicFault, ADeathIsToldToProcessesThatJoinedLater) {
  constexpr int kVictim = 1;
  run_worlds(GetParam(), {3, 2},
             [](WorldProcess &self) {
               self.keeps_contexts = true;
               avrm_comm_t *const world = self.process.world;
               const bool leads = self.process.rank == 0;
               avrm_comm_t *part = nullptr;
               avrm_comm_t *roots = nullptr;
               avrm_comm_t *comm = nullptr;
               AVRM_MUST(avrm_comm_split(world, leads ? 0 : 1, 0, &part) == AVRM_OK);
               if (leads) {
                 char port[AVRM_PORT_MAX] = "";
                 if (self.world == 0) {
                   AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
                   self.board.hang(0, port);
                 }
                 roots = connect_worlds(self, part, self.board.read(0));
               }
               AVRM_MUST(avrm_intercomm_create(world, 0, roots, 0, 1, &comm) == AVRM_OK);
               check_intercomm(self.world_member(), comm, ids_of(1 - self.world, self.world == 0 ? 2 : 3));
               self.board.counters[0].fetch_add(1);
               while (self.board.counters[0].load() < 5) {
                 avrm_progress(self.process.device);
               }
               if (self.world == 1 && self.process.rank == kVictim) {
                 kill(getpid(), SIGKILL);
               }
               if (self.world == 0) {
                 int in = 0;
                 avrm_request_t *request = nullptr;
                 avrm_status_t status = avrm_irecv(comm, &in, sizeof in, kVictim, 9, &request);
                 status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
                 AVRM_MUST(status == AVRM_ERR_PEER);
               }
               AVRM_MUST(avrm_comm_disconnect(&comm) == AVRM_ERR_PEER);
               release(roots);
               release(part);
             },
             {1, kVictim});
}

TEST_P(DynamicFault, TheDeathOfAMemberIsToldToTheOtherWorld) { expect_deaths_to_be_told(GetParam(), 2); }
TEST_P(DynamicFaultEverywhere, TheDeathOfARootIsToldToTheOtherWorld) { expect_deaths_to_be_told(GetParam(), 0); }

} // namespace
} // namespace avrankmap::test
