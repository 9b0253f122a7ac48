// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layout of a group message: header | worlds | runs | one business card per process, by rank. The
// cards omit shared memory, which is shared only within a world.
#include "comm_calls/group_message.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fnv.h"
#include "comm_algorithms/map_message.h"
#include "comm_calls/group_message_wire.h"
#include "core/job_secret_exchange.h"
#include "core/peers/connect.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "launch/boot.h"

namespace avrankmap::detail {

namespace {

// Numbers the worlds of a group in order of appearance.
class Numbering {
public:
  Numbering(Memory &memory, std::int32_t most) noexcept : pgids_(memory, static_cast<std::size_t>(most)) {}
  explicit operator bool() const noexcept { return static_cast<bool>(pgids_); }
  std::int32_t number(std::int32_t pgid) noexcept {
    std::int32_t *const end = pgids_.data() + count_;
    std::int32_t *const found = std::find(pgids_.data(), end, pgid);
    if (found == end) {
      *found = pgid;
      ++count_;
    }
    return static_cast<std::int32_t>(found - pgids_.data());
  }
  [[nodiscard]] std::int32_t count() const noexcept { return count_; }
  [[nodiscard]] std::int32_t pgid(std::int32_t number) const noexcept { return pgids_.data()[number]; }

private:
  Scratch<std::int32_t> pgids_;
  std::int32_t count_ = 0;
};

// Finds a number that identifies this machine. Returns AVRM_ERR_SYSTEM if descriptors or memory are
// exhausted, since an arbitrary number would denote another machine. All systems without the file
// count as the same machine.
avrm_status_t learn_machine(std::uint64_t *id_p) noexcept {
  char text[64] = {};
  if (std::FILE *const file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    (void)std::fread(text, 1, sizeof text - 1, file);
    (void)std::fclose(file);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
    return AVRM_ERR_SYSTEM;
  }
  *id_p = fnv_64({text, sizeof text});
  return AVRM_OK;
}

avrm_status_t card_of(avrm_device_t *device, avrm_gpid_t process, Card *card_p) noexcept {
  std::size_t bytes = sizeof *card_p;
  if (process.pgid == kOwnWorld) {
    const avrm_status_t status = avrm_boot_fetch(device->boot, process.lpid, 0, card_p, &bytes);
    if (status != AVRM_OK) {
      return status;
    }
    if (!card_p->is_sound(bytes)) {
      return AVRM_ERR_BOOT;
    }
  } else {
    World *const world = find_world(device, process.pgid);
    const unsigned char *const card = world == nullptr ? nullptr : find_card(world, process.lpid);
    if (card == nullptr) {
      return AVRM_ERR_PEER;
    }
    card_p->load(card);
  }
  card_p->shm_bytes = 0;
  return AVRM_OK;
}

// Maximum total number of processes in the worlds of a message.
constexpr std::int64_t kMostProcesses = std::int64_t{1} << 26;
// A message has room for a group of 2^24 processes.
static_assert((std::uint64_t{1} << 24) * (sizeof(Card) + sizeof(GroupMessageWorld) + sizeof(GroupMessageRun)) +
                  sizeof(GroupMessageHeader) <=
              GroupMessage::kMost);

constexpr std::uint32_t round_up(std::size_t bytes) noexcept { return static_cast<std::uint32_t>((bytes + 7) / 8 * 8); }

// Writes the cards, `pitch` bytes apart. If a card is longer, stops and writes the pitch that it
// needs to *needed_p.
avrm_status_t write_cards(avrm_device_t *device, const avrm_rankmap_t *group, unsigned char *at, std::uint32_t pitch,
                          std::uint32_t *needed_p) noexcept {
  *needed_p = pitch;
  for (std::int32_t rank = 0; rank < group->size; ++rank) {
    Card card;
    const avrm_status_t status = card_of(device, avrm_rankmap_gpid(group, rank), &card);
    if (status != AVRM_OK) {
      return status;
    }
    if (card.size() > pitch) {
      *needed_p = round_up(card.size());
      return AVRM_OK;
    }
    std::memcpy(at + std::size_t{pitch} * static_cast<std::size_t>(rank), &card, card.size());
  }
  return AVRM_OK;
}

std::uint64_t group_message_bytes(const GroupMessageHeader &header) noexcept {
  return sizeof(GroupMessageHeader) + static_cast<std::uint64_t>(header.worlds) * sizeof(GroupMessageWorld) +
         static_cast<std::uint64_t>(header.runs) * sizeof(GroupMessageRun) +
         static_cast<std::uint64_t>(header.size) * header.pitch;
}

} // namespace

avrm_status_t write_group(avrm_device_t *device, const avrm_rankmap_t *group, GroupMessage *group_message) noexcept {
  avrm_status_t status = learn_own_name(device);
  if (status == AVRM_OK) {
    status = learn_secret(device->boot);
  }
  if (status != AVRM_OK) {
    return status;
  }
  Numbering numbering(device->instance->memory, device->world_count + 1);
  if (!numbering) {
    return AVRM_ERR_NO_MEMORY;
  }
  GroupMessageHeader header{};
  status = learn_machine(&header.machine);
  header.magic = GroupMessageHeader::kMagic;
  header.codec = device->codec;
  header.is_local = device->local_only ? 1 : 0;
  header.size = group->size;
  header.rank_bits = device->match_bits.rank_bits();
  (void)for_each_run(group, [&](const Run &run) {
    ++header.runs;
    (void)numbering.number(run.pgid);
    return AVRM_OK;
  });
  header.worlds = numbering.count();
  for (std::uint32_t needed = 64; header.pitch != needed && status == AVRM_OK;) {
    header.pitch = needed;
    if (!group_message->resize(group_message_bytes(header))) {
      return AVRM_ERR_NO_MEMORY;
    }
    unsigned char *const cards = group_message->data() + sizeof header +
                                 static_cast<std::size_t>(header.worlds) * sizeof(GroupMessageWorld) +
                                 static_cast<std::size_t>(header.runs) * sizeof(GroupMessageRun);
    status = write_cards(device, group, cards, header.pitch, &needed);
  }
  if (status != AVRM_OK) {
    return status;
  }
  unsigned char *at = group_message->data();
  std::memcpy(at, &header, sizeof header);
  at += sizeof header;
  for (std::int32_t i = 0; i < header.worlds; ++i) {
    const std::int32_t pgid = numbering.pgid(i);
    const World *const world = pgid == kOwnWorld ? nullptr : find_world(device, pgid);
    const GroupMessageWorld line{name_of(device, pgid), world == nullptr ? device->boot->secret : world->secret,
                                 world == nullptr ? device->size : world->av->size, 0};
    std::memcpy(at, &line, sizeof line);
    at += sizeof line;
  }
  (void)for_each_run(group, [&](const Run &run) {
    const GroupMessageRun line{run.count, numbering.number(run.pgid), run.offset, run.stride};
    std::memcpy(at, &line, sizeof line);
    at += sizeof line;
    return AVRM_OK;
  });
  return AVRM_OK;
}

namespace {

class Reader {
public:
  Reader(avrm_device_t *device, const GroupMessage &group_message, std::int32_t link_owner) noexcept
      : device_(device), group_message_(group_message), link_owner_(link_owner) {}

  avrm_status_t read(MapOwner *map_p) noexcept {
    avrm_status_t status = check();
    if (status == AVRM_OK) {
      status = check_worlds();
    }
    if (status == AVRM_OK) {
      status = check_runs();
    }
    if (status == AVRM_OK) {
      status = check_cards();
    }
    if (status == AVRM_OK) {
      status = learn_own_name(device_);
    }
    if (status != AVRM_OK) {
      return status;
    }
    const Scratch<World *> worlds(memory(), static_cast<std::size_t>(header_.worlds));
    const Scratch<Run> runs(memory(), static_cast<std::size_t>(header_.runs));
    if (!(worlds && runs)) {
      return AVRM_ERR_NO_MEMORY;
    }
    for (std::int32_t i = 0; i < header_.worlds && status == AVRM_OK; ++i) {
      status = find_or_add_world(i, &worlds.data()[i]);
    }
    if (status != AVRM_OK) {
      return status;
    }
    std::int32_t rank = 0;
    for (std::int32_t i = 0; i < header_.runs; ++i) {
      const GroupMessageRun run = run_at(i);
      const World *const world = worlds.data()[run.world];
      runs.data()[i] = {rank, run.count, world == nullptr ? kOwnWorld : world->av->pgid, run.offset, run.stride};
      rank += run.count;
    }
    const MapHeader header{header_.size, 0, 0, 0, 0, header_.runs, 0};
    return map_from_message(device_->instance, header, runs.data(), map_p);
  }

private:
  [[nodiscard]] Memory &memory() const noexcept { return device_->instance->memory; }

  avrm_status_t refuse(avrm_status_t status, const char *text) noexcept {
    header_ = {};
    report(device_, status, text);
    return status;
  }

  // Checks the header and the length.
  avrm_status_t check() noexcept {
    if (group_message_.bytes() < sizeof header_) {
      return refuse(AVRM_ERR_MISMATCH, "a group came with too few bytes");
    }
    std::memcpy(&header_, group_message_.data(), sizeof header_);
    if (header_.magic != GroupMessageHeader::kMagic || header_.size < 1 || header_.worlds < 1 || header_.runs < 1 ||
        header_.worlds > header_.runs || header_.runs > header_.size || header_.pitch < Card::kHeader ||
        header_.pitch > sizeof(Card) || header_.pitch % 8 != 0 ||
        group_message_.bytes() != group_message_bytes(header_)) {
      return refuse(AVRM_ERR_MISMATCH, "a group message is not in the format of this version");
    }
    if (header_.codec != static_cast<std::uint32_t>(device_->codec)) {
      return refuse(AVRM_ERR_UNSUPPORTED, "the other world uses another netmod");
    }
    std::uint64_t machine = header_.machine;
    if (header_.is_local != 0 || device_->local_only) {
      if (const avrm_status_t status = learn_machine(&machine); status != AVRM_OK) {
        return refuse(status, "this machine's number cannot be read");
      }
    }
    if (header_.machine != machine) {
      return refuse(AVRM_ERR_UNSUPPORTED,
                    "the other world is on another machine, and one of the two listens on its own only");
    }
    if (header_.rank_bits != device_->match_bits.rank_bits()) {
      return refuse(AVRM_ERR_LIMIT,
                    "one of the jobs has more than 16,777,216 processes, and lays out match bits differently");
    }
    if (header_.size - 1 > device_->match_bits.most_rank()) {
      return refuse(AVRM_ERR_LIMIT, "the other group has more processes than match bits have ranks");
    }
    return AVRM_OK;
  }

  // Limits the total size of the worlds: each process takes 12 bytes of address space.
  avrm_status_t check_worlds() noexcept {
    std::int64_t processes = 0;
    for (std::int32_t i = 0; i < header_.worlds; ++i) {
      const GroupMessageWorld line = world_at(i);
      if (line.size < 1 || line.name == WorldName{}) {
        return refuse(AVRM_ERR_MISMATCH, "a world has no processes, or no name");
      }
      if (line.size - 1 > device_->match_bits.most_rank()) {
        return refuse(AVRM_ERR_LIMIT, "a world has more processes than match bits have ranks");
      }
      processes += line.size;
    }
    return processes <= kMostProcesses ? AVRM_OK
                                       : refuse(AVRM_ERR_LIMIT, "the worlds of a group have too many processes");
  }

  avrm_status_t check_cards() noexcept {
    for (std::int32_t rank = 0; rank < header_.size; ++rank) {
      if (!Card::is_sound_in(card_at(rank), header_.pitch)) {
        return refuse(AVRM_ERR_MISMATCH, "the business card of a process is invalid");
      }
    }
    return AVRM_OK;
  }

  avrm_status_t check_runs() noexcept {
    std::int64_t size = 0;
    for (std::int32_t i = 0; i < header_.runs; ++i) {
      const GroupMessageRun run = run_at(i);
      if (run.count < 1 || run.world < 0 || run.world >= header_.worlds) {
        return refuse(AVRM_ERR_MISMATCH, "a run of a group is empty, or of a world that the message does not list");
      }
      const std::int64_t last = run.offset + (run.count - std::int64_t{1}) * run.stride;
      const std::int32_t world_size = world_at(run.world).size;
      if (run.offset < 0 || run.offset >= world_size || last < 0 || last >= world_size) {
        return refuse(AVRM_ERR_MISMATCH, "a group has processes that do not exist in their world");
      }
      size += run.count;
    }
    return size == header_.size ? AVRM_OK : refuse(AVRM_ERR_MISMATCH, "the runs of a group do not add up to its size");
  }

  [[nodiscard]] GroupMessageWorld world_at(std::int32_t i) const noexcept {
    GroupMessageWorld line{};
    std::memcpy(&line, group_message_.data() + sizeof header_ + static_cast<std::size_t>(i) * sizeof line, sizeof line);
    return line;
  }
  [[nodiscard]] GroupMessageRun run_at(std::int32_t i) const noexcept {
    GroupMessageRun line{};
    std::memcpy(&line,
                group_message_.data() + sizeof header_ +
                    static_cast<std::size_t>(header_.worlds) * sizeof(GroupMessageWorld) +
                    static_cast<std::size_t>(i) * sizeof line,
                sizeof line);
    return line;
  }
  [[nodiscard]] const unsigned char *card_at(std::int32_t rank) const noexcept {
    return group_message_.data() + group_message_.bytes() -
           static_cast<std::size_t>(header_.size - rank) * std::size_t{header_.pitch};
  }

  // Calls visit(rank, lpid) for each process of a world.
  template <typename Visit> avrm_status_t for_each_of(std::int32_t world, Visit visit) const noexcept {
    std::int32_t rank = 0;
    for (std::int32_t i = 0; i < header_.runs; ++i) {
      const GroupMessageRun run = run_at(i);
      for (std::int32_t k = 0; k < run.count && run.world == world; ++k) {
        const avrm_status_t status =
            visit(rank + k, static_cast<std::int32_t>(run.offset + std::int64_t{k} * run.stride));
        if (status != AVRM_OK) {
          return status;
        }
      }
      rank += run.count;
    }
    return AVRM_OK;
  }

  // *world_p is null for this process's world.
  avrm_status_t find_or_add_world(std::int32_t i, World **world_p) noexcept {
    const GroupMessageWorld line = world_at(i);
    *world_p = nullptr;
    if (line.name == device_->name) {
      return line.size == device_->size ? AVRM_OK : AVRM_ERR_MISMATCH;
    }
    const bool is_new = find_world(device_, line.name) == nullptr;
    const avrm_status_t status = know_world(device_, line.name, line.size, world_p);
    if (status != AVRM_OK) {
      return status;
    }
    World *const world = *world_p;
    if (is_new) {
      world->secret = line.secret;
    } else if (is_lost(device_, world)) {
      return AVRM_ERR_PEER; // and remains so as long as it is known
    }
    if (world->link_owner < 0) {
      world->link_owner = link_owner_;
    }
    return keep_cards(i, world);
  }

  // Keeps the cards of the processes for which no card is known yet.
  avrm_status_t keep_cards(std::int32_t i, World *world) noexcept {
    std::int32_t count = 0;
    (void)for_each_of(i, [&](std::int32_t /*rank*/, std::int32_t lpid) {
      count += find_card(world, lpid) == nullptr ? 1 : 0;
      return AVRM_OK;
    });
    if (count == 0) {
      return AVRM_OK;
    }
    const std::size_t size =
        sizeof(CardBlock) + static_cast<std::size_t>(count) * (sizeof(CardBlock::Entry) + header_.pitch);
    auto *const block = static_cast<CardBlock *>(memory().allocate(size, alignof(CardBlock), AVRM_MEM_CACHE));
    if (block == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    block->size = size;
    block->count = count;
    block->pitch = header_.pitch;
    std::int32_t place = 0;
    (void)for_each_of(i, [&](std::int32_t rank, std::int32_t lpid) {
      if (find_card(world, lpid) == nullptr) {
        block->entries()[place] = {lpid, place};
        std::memcpy(block->cards() + static_cast<std::size_t>(place) * block->pitch, card_at(rank), block->pitch);
        ++place;
      }
      return AVRM_OK;
    });
    std::sort(block->entries(), block->entries() + count,
              [](const CardBlock::Entry &a, const CardBlock::Entry &b) { return a.lpid < b.lpid; });
    block->next = world->cards;
    world->cards = block;
    return AVRM_OK;
  }

  avrm_device_t *device_;
  const GroupMessage &group_message_;
  std::int32_t link_owner_;
  GroupMessageHeader header_{};
};

} // namespace

avrm_status_t read_group(avrm_device_t *device, const GroupMessage &group_message, std::int32_t link_owner,
                         MapOwner *map_p) noexcept {
  return Reader(device, group_message, link_owner).read(map_p);
}

} // namespace avrankmap::detail
