// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages of peers that send anything, to a device with windows and operations under way.
// Three of its four processes do not exist: the input provides their answers.
#include <cstdlib>
#include <memory>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "bench/synthetic/synthetic_boot.h"
#include "core/active.h"
#include "core/device.h"
#include "launch/boot.h"
#include "rma/window.h"
#include "tests/fuzz/input.h"

namespace {

using avrankmap::detail::ActiveBlock;
using avrankmap::detail::ActiveHeader;
using avrankmap::detail::ActiveType;
using avrankmap::fuzz::Input;

constexpr std::size_t kWindows = 4;
constexpr std::uint32_t kTypes =
    static_cast<std::uint32_t>(avrankmap::detail::ActiveType::kGetBlocks) + 2; // 0 and one unknown
constexpr std::size_t kGets = 8;

struct Exact {
  void operator()(void *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Exact>; // of exactly this size, for the sanitizer

class Session {
public:
  explicit Session(Input input) : input_(input) {
    avrm_device_options_t options{};
    options.boot = &boot_;
    options.netmod = "null";
    options.shmmod = "none";
    AVRM_MUST(avrm_device_open(&options, &device_) == AVRM_OK);
    // A network without native puts and gets. It takes every active message, and the
    // input answers it.
    original_ = device_->net->ops;
    ops_ = *original_;
    ops_.am_send = [](avrm_netmod_t *, std::uint64_t, const void *header, std::size_t, const void *, std::size_t) {
      return current->on_sent(header);
    };
    device_->net->ops = &ops_;
    device_->net->capabilities = 0;
    current = this;
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    // Refuses the requests that are still under way, each on behalf of its target.
    for (avrm_window_t *window : windows_) {
      while (window != nullptr && window->unanswered.first() != nullptr) {
        ActiveHeader header{};
        header.type = ActiveType::kRefused;
        header.sender = static_cast<std::int32_t>(window->unanswered.first()->ignore);
        header.window = window->id;
        header.token = window->unanswered.first()->match;
        deliver(header, {});
      }
    }
    for (avrm_request_t *&request : requests_) {
      if (request != nullptr) {
        (void)avrm_wait(&request, nullptr);
      }
    }
    for (avrm_window_t *window : windows_) {
      if (window != nullptr) {
        AVRM_MUST(avrm_window_free(window) == AVRM_OK);
      }
    }
    device_->net->ops = original_;
    AVRM_MUST(avrm_device_close(device_) == AVRM_OK);
  }

  void run() {
    for (int steps = 0; steps < 64 && !input_.empty(); ++steps) {
      step();
    }
  }

private:
  avrm_status_t on_sent(const void *bytes) {
    ActiveHeader header;
    std::memcpy(&header, bytes, sizeof header);
    last_ = header;
    if (header.type == ActiveType::kKeyRequest) { // its sender waits for the answer
      ActiveHeader answer = header;
      answer.type = input_.below(4) == 0 ? ActiveType::kRefused : ActiveType::kKeyReply;
      answer.sender = static_cast<std::int32_t>(header.token); // in the world, ranks are lpids
      std::vector<std::uint8_t> description = input_.bytes(input_.below(40));
      if (answer.type == ActiveType::kKeyReply && description.size() >= 16 && input_.below(2) == 0) {
        std::memset(description.data() + 8, 0, 8); // a valid description
        description.resize(16);
      }
      deliver(answer, description);
    }
    return AVRM_OK;
  }

  void deliver(ActiveHeader header, const std::vector<std::uint8_t> &payload) {
    header.secret = device_->boot->secret;
    const std::size_t bytes = sizeof header + payload.size();
    const Memory message(std::malloc(bytes));
    std::memcpy(message.get(), &header, sizeof header);
    if (!payload.empty()) {
      std::memcpy(static_cast<char *>(message.get()) + sizeof header, payload.data(), payload.size());
    }
    (void)avrankmap::detail::on_active(device_, message.get(), bytes);
  }

  void step() {
    switch (input_.below(12)) {
    case 0: return create_window();
    case 1: return free_window();
    case 2: return raw();
    case 3: return get();
    case 4: return put();
    case 7: return get_strided();
    case 8: return visible_put();
    case 9: return atomic();
    case 10: return blocks_message();
    case 11: return get_blocks();
    default: return message();
    }
  }

  void create_window() {
    const std::size_t at = input_.below(kWindows);
    if (windows_[at] != nullptr) {
      return;
    }
    const std::size_t bytes = input_.below(300);
    memory_[at].reset(std::calloc(1, bytes == 0 ? 1 : bytes));
    AVRM_MUST(avrm_window_create(avrm_device_world(device_), memory_[at].get(), bytes, 0, &windows_[at]) == AVRM_OK);
  }

  void free_window() {
    avrm_window_t *&window = windows_[input_.below(kWindows)];
    if (window != nullptr && avrm_window_free(window) == AVRM_OK) {
      window = nullptr;
    }
  }

  void raw() {
    const std::vector<std::uint8_t> bytes = input_.bytes(input_.below(200));
    const Memory message(std::malloc(bytes.empty() ? 1 : bytes.size()));
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t *>(message.get()));
    (void)avrankmap::detail::on_active(device_, message.get(), bytes.size());
  }

  void message() {
    ActiveHeader header = last_; // the answer to the last request, with changes
    header.type = static_cast<ActiveType>(input_.below(kTypes));
    const bool names_atomic = input_.below(4) == 0;
    header.sender = input_.between(-1, 4);
    const avrm_window_t *const window = windows_[input_.below(kWindows)];
    header.window = window != nullptr ? window->id : input_.edgy();
    const auto changes = input_.number<std::uint8_t>();
    for (int field = 0; field < 6; ++field) {
      if ((changes >> field & 1) != 0) {
        std::uint64_t *const fields[] = {&header.offset, &header.position, &header.bytes,
                                         &header.block,  &header.pitch,    &header.token};
        *fields[field] = input_.edgy();
      }
    }
    if (names_atomic) {
      header.type = input_.below(2) == 0 ? ActiveType::kAtomic : ActiveType::kFetchAtomic;
      header.block = input_.below(10);
      header.pitch = std::uint64_t{1} << input_.between(8, 11) | input_.below(16) << 1 | 1;
      header.offset = input_.below(300);
    }
    const std::vector<std::uint8_t> payload = input_.bytes(input_.below(300));
    if ((changes & 0x40) != 0) {
      header.bytes = payload.size();
    }
    deliver(header, payload);
  }

  void get() {
    avrm_window_t *const window = windows_[input_.below(kWindows)];
    const std::size_t at = input_.below(kGets);
    if (window == nullptr || requests_[at] != nullptr) {
      return;
    }
    const std::size_t bytes = input_.below(300);
    buffers_[at].reset(std::malloc(bytes == 0 ? 1 : bytes));
    (void)avrm_get(window, buffers_[at].get(), bytes, input_.between(0, 3), input_.edgy(), &requests_[at]);
  }

  void get_strided() {
    avrm_window_t *const window = windows_[input_.below(kWindows)];
    const std::size_t at = input_.below(kGets);
    if (window == nullptr || requests_[at] != nullptr) {
      return;
    }
    const std::size_t count = input_.below(9);
    const avrm_layout_t here{input_.below(9) * 4, count, 40};
    const avrm_layout_t there{here.block / 4, count * 4, input_.below(30)};
    buffers_[at].reset(std::malloc(400));
    (void)avrm_get_strided(window, buffers_[at].get(), &here, input_.between(0, 3), input_.below(100), &there,
                           &requests_[at]);
  }

  // A put or get of a list of blocks, most of which are in the window.
  void blocks_message() {
    ActiveHeader header = last_;
    header.type = input_.below(2) == 0 ? ActiveType::kPutBlocks : ActiveType::kGetBlocks;
    header.sender = input_.between(0, 3);
    const avrm_window_t *const window = windows_[input_.below(kWindows)];
    header.window = window != nullptr ? window->id : input_.edgy();
    header.block = input_.below(6);
    header.bytes = 0;
    std::vector<std::uint8_t> payload;
    for (std::uint64_t i = 0; i < header.block; ++i) {
      const bool is_wild = input_.below(8) == 0;
      const ActiveBlock block{is_wild ? input_.edgy() : input_.below(200), is_wild ? input_.edgy() : input_.below(60)};
      const auto *const bytes = reinterpret_cast<const std::uint8_t *>(&block);
      payload.insert(payload.end(), bytes, bytes + sizeof block);
      header.bytes += block.bytes;
    }
    if (header.type == ActiveType::kPutBlocks) {
      payload.resize(payload.size() + header.bytes % 400);
    }
    if (input_.below(8) == 0) {
      header.block = input_.edgy();
    }
    deliver(header, payload);
  }

  void get_blocks() {
    avrm_window_t *const window = windows_[input_.below(kWindows)];
    const std::size_t at = input_.below(kGets);
    if (window == nullptr || requests_[at] != nullptr) {
      return;
    }
    const std::size_t bytes = input_.below(100);
    const avrm_block_t here[] = {{200, bytes}, {40, 3}};
    const avrm_block_t there[] = {{input_.between(-5, 100), 3}, {input_.between(-5, 250), bytes}};
    const avrm_blocks_t origin{here, 2};
    const avrm_blocks_t remote{there, 2};
    buffers_[at].reset(std::malloc(300));
    (void)avrm_get_blocks(window, buffers_[at].get(), &origin, input_.between(0, 3), input_.below(20), &remote,
                          &requests_[at]);
  }

  void atomic() {
    avrm_window_t *const window = windows_[input_.below(kWindows)];
    const std::size_t at = input_.below(kGets);
    if (window == nullptr || requests_[at] != nullptr) {
      return;
    }
    constexpr avrm_datatype_t kTypes[] = {AVRM_INT8, AVRM_UINT16, AVRM_FLOAT, AVRM_DOUBLE, AVRM_UINT64};
    const avrm_datatype_t type = kTypes[input_.below(5)];
    const auto op = static_cast<avrm_op_t>(input_.below(9));
    const std::size_t count = input_.below(20);
    const std::vector<std::uint8_t> operands = input_.bytes(8 * count);
    buffers_[at].reset(std::malloc(8 * count + 1));
    if (operands.size() == 8 * count) {
      (void)avrm_get_accumulate(window, operands.data(), buffers_[at].get(), count, type, op, input_.between(0, 3),
                                8 * input_.below(20), &requests_[at]);
    }
  }

  void visible_put() {
    avrm_window_t *const window = windows_[input_.below(kWindows)];
    const std::size_t at = input_.below(kGets);
    if (window == nullptr || requests_[at] != nullptr) {
      return;
    }
    const std::vector<std::uint8_t> bytes = input_.bytes(input_.below(100));
    (void)avrm_rput(window, bytes.data(), bytes.size(), input_.between(0, 3), input_.below(300), &requests_[at]);
  }

  void put() {
    avrm_window_t *const window = windows_[input_.below(kWindows)];
    if (window == nullptr) {
      return;
    }
    const std::vector<std::uint8_t> bytes = input_.bytes(input_.below(100));
    avrm_request_t *request = nullptr;
    if (avrm_put(window, bytes.data(), bytes.size(), input_.between(0, 3), input_.edgy(), &request) == AVRM_OK) {
      (void)avrm_wait(&request, nullptr);
    }
  }

  static Session *current;

  Input input_;
  avrankmap::bench::SyntheticBoot boot_{4};
  avrm_device_t *device_ = nullptr;
  avrm_netmod_ops_t ops_{};
  const avrm_netmod_ops_t *original_ = nullptr;
  ActiveHeader last_{};
  Memory memory_[kWindows];
  avrm_window_t *windows_[kWindows] = {};
  Memory buffers_[kGets];
  avrm_request_t *requests_[kGets] = {};
};

Session *Session::current = nullptr;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Session(Input(data, size)).run();
  return 0;
}
