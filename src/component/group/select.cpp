// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/select.h"

#include <bit>
#include <cstdlib>

#include "base/array.h"
#include "base/bits.h"
#include "group/run_arithmetic.h"
#include "group/select_by_runs.h"
#include "rankmap/create/slot_index.h"

namespace avrankmap::detail {

namespace {

// The ranges of lpids of one process group in the two lists, and the first bit of their
// intersection.
struct Reach {
  std::int64_t low[2];
  std::int64_t high[2];
  std::int64_t first_bit;

  [[nodiscard]] std::int64_t from() const noexcept { return std::max(low[0], low[1]); }
  [[nodiscard]] std::int64_t to() const noexcept { return std::min(high[0], high[1]); }
};

class Reaches {
public:
  Reaches(const ProcessList &list, const ProcessList &other) noexcept : index_(list.memory()), reaches_(list.memory()) {
    note(list, 0);
    note(other, 1);
    for (Reach &reach : reaches_) {
      reach.first_bit = bits_;
      bits_ += std::max<std::int64_t>(0, reach.to() - reach.from() + 1);
    }
  }

  [[nodiscard]] bool failed() const noexcept { return failed_ || reaches_.failed(); }
  [[nodiscard]] std::int64_t bits() const noexcept { return bits_; }
  // The reach of the process group of a run, which must be in one of the lists.
  [[nodiscard]] const Reach &of(const Run &run) noexcept {
    // The pgid is known, so slot_of allocates nothing.
    return reaches_[static_cast<std::size_t>(index_.slot_of(run.pgid))];
  }

private:
  void note(const ProcessList &runs, int which) noexcept {
    constexpr std::int64_t kFar = std::int64_t{1} << 32;
    for (const Run &run : runs) {
      const std::int32_t slot = index_.slot_of(run.pgid);
      if (slot < 0) {
        failed_ = true;
        return;
      }
      if (static_cast<std::size_t>(slot) == reaches_.size()) {
        reaches_.append({{kFar, kFar}, {-1, -1}, 0});
      }
      if (reaches_.failed()) {
        return;
      }
      Reach &reach = reaches_[static_cast<std::size_t>(slot)];
      reach.low[which] = std::min(reach.low[which], low_lpid(run));
      reach.high[which] = std::max(reach.high[which], high_lpid(run));
    }
  }

  SlotIndex index_;
  Array<Reach> reaches_;
  std::int64_t bits_ = 0;
  bool failed_ = false;
};

// Returns the number of steps to mark or test the bits of a list: one per 64 processes of a run of
// stride 1 or -1, otherwise one per process.
std::int64_t bit_steps(const ProcessList &list) noexcept {
  std::int64_t steps = 0;
  for (const Run &run : list) {
    steps += std::abs(run.stride) == 1 ? run.count / 64 + 1 : run.count;
  }
  return steps;
}

// The indices of a run, if any, whose lpids are in from .. to.
RunIndices within(const Run &run, std::int64_t from, std::int64_t to) noexcept {
  const std::int64_t count = to - from + 1;
  if (count <= 0) {
    return {0, 1, 0};
  }
  return common_indices(run, {0, static_cast<std::int32_t>(count), run.pgid, static_cast<std::int32_t>(from), 1});
}

// Marks the processes of a list that are within reach.
void mark(const ProcessList &list, Reaches &reaches, Bits *bits) noexcept {
  for (const Run &run : list) {
    const Reach &reach = reaches.of(run);
    const RunIndices places = within(run, reach.from(), reach.to());
    if (places.count > 0) {
      const Run part = part_of(run, places.first, 1, places.count);
      bits->mark(reach.first_bit + part.offset - reach.from(), part.stride, part.count);
    }
  }
}

// Appends the processes with the indices begin .. end - 1 of a run whose bits equal `wanted`. All
// of them must be within reach.
void append_by_bits(const Run &run, const Reach &reach, std::int64_t begin, std::int64_t end, const Bits &bits,
                    bool wanted, ProcessList *out) noexcept {
  const auto bit_at = [&](std::int64_t place) { return reach.first_bit + lpid_at(run, place) - reach.from(); };
  const auto append = [&](std::int64_t from, std::int64_t to) {
    if (to > from) {
      out->append(part_of(run, from, 1, to - from));
    }
  };
  if (run.count == 1) {
    if (bits.test(reach.first_bit + run.offset - reach.from()) == wanted) {
      out->append(run);
    }
  } else if (run.stride == 1) {
    const std::int64_t shift = bit_at(0);
    for (std::int64_t place = begin; place < end;) {
      const std::int64_t from = bits.find(wanted, place + shift, end + shift) - shift;
      place = bits.find(!wanted, from + shift, end + shift) - shift;
      append(from, place);
    }
  } else if (run.stride == -1) {
    const std::int64_t shift = bit_at(0); // index p is bit shift - p
    for (std::int64_t place = begin; place < end;) {
      const std::int64_t from = shift - bits.find_down(wanted, shift - place, shift - end);
      place = shift - bits.find_down(!wanted, shift - from, shift - end);
      append(from, place);
    }
  } else {
    for (std::int64_t place = begin, from = begin; place <= end; ++place) {
      if (place == end || bits.test(bit_at(place)) != wanted) {
        append(from, place);
        from = place + 1;
      }
    }
  }
}

void select_by_bits(const ProcessList &list, const ProcessList &other, Keep keep, Reaches &reaches,
                    ProcessList *out) noexcept {
  Bits bits(list.memory(), reaches.bits());
  if (!bits) {
    return out->fail();
  }
  mark(other, reaches, &bits);
  const bool members = keep == Keep::kMembers;
  for (const Run &run : list) {
    const Reach &reach = reaches.of(run);
    const RunIndices places = within(run, reach.from(), reach.to());
    if (places.count == 0) {
      if (!members) {
        out->append(run);
      }
      continue;
    }
    const std::int64_t end = places.first + places.count;
    if (!members && places.first > 0) {
      out->append(part_of(run, 0, 1, places.first));
    }
    append_by_bits(run, reach, places.first, end, bits, members, out);
    if (!members && end < run.count) {
      out->append(part_of(run, end, 1, run.count - end));
    }
  }
}

void select_by_keys(const ProcessList &list, const ProcessList &other, Keep keep, ProcessList *out) noexcept {
  const auto key = [](const Run &run, std::int64_t place) {
    const std::int64_t lpid = lpid_at(run, place);
    return static_cast<std::uint64_t>(run.pgid) << 32 | static_cast<std::uint64_t>(lpid);
  };
  const Scratch<std::uint64_t> keys(list.memory(), static_cast<std::size_t>(other.total()));
  if (!keys) {
    return out->fail();
  }
  std::uint64_t *end = keys.data();
  for (const Run &run : other) {
    for (std::int64_t place = 0; place < run.count; ++place) {
      *end++ = key(run, place);
    }
  }
  std::sort(keys.data(), end);
  for (const Run &run : list) {
    std::int64_t begin = 0;
    for (std::int64_t place = 0; place <= run.count; ++place) {
      const bool kept =
          place < run.count && std::binary_search(keys.data(), end, key(run, place)) == (keep == Keep::kMembers);
      if (!kept) {
        if (place > begin) {
          out->append(part_of(run, begin, 1, place - begin));
        }
        begin = place + 1;
      }
    }
  }
}

} // namespace

void select(const ProcessList &list, const ProcessList &other, Keep keep, ProcessList *out) noexcept {
  if (list.failed() || other.failed()) {
    return out->fail(error_of(list, other));
  }
  if (list.empty() || other.empty()) {
    if (keep == Keep::kOthers) {
      out->append(list);
    }
    return;
  }
  Reaches reaches(list, other);
  if (reaches.failed()) {
    return out->fail();
  }
  const std::int64_t processes = list.total() + other.total();
  const auto runs = static_cast<std::int64_t>(list.size() + other.size());
  const bool bits_fit = reaches.bits() / 64 <= processes;
  // In steps of about a nanosecond: clearing and reading words and marking or testing bits, or
  // sorting and searching runs.
  const std::int64_t bits_cost = reaches.bits() / 256 + bit_steps(list) + bit_steps(other);
  const std::int64_t runs_cost = 8 * runs * std::bit_width(static_cast<std::uint64_t>(runs));
  if (!bits_fit || runs_cost <= bits_cost) {
    // Runs that overlap without a common process could make this method quadratic, so it stops when
    // it has cost as much as the other methods.
    if (select_by_runs(list, other, keep, 4 * runs + processes, out)) {
      return;
    }
  }
  if (bits_fit) {
    select_by_bits(list, other, keep, reaches, out);
  } else {
    select_by_keys(list, other, keep, out);
  }
}

} // namespace avrankmap::detail
