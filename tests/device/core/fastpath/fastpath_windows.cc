// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "tests/device/core/fastpath/fastpath_process.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kUnit = 8;
constexpr std::size_t kSlot = 6000; // bytes per put
constexpr std::size_t kSizes[] = {1, 8, 64, 65, 200, 5999};

// A window over our own memory, in which every process has as many slots as it makes puts.
class FastpathWindow {
public:
  FastpathWindow(Fastpath &fast, avrm_fp_comm_t *comm, std::size_t slots, avrm_fp_window_t *place = nullptr)
      : fast_(fast), slots_(slots), memory_(slots * kSlot * static_cast<std::size_t>(fast.size)), window_(place) {
    const auto status = place == nullptr
                            ? avrm_fp_window_create(comm, memory_.data(), memory_.size(), kUnit, 0, &window_)
                            : avrm_fp_window_create_predefined(comm, memory_.data(), memory_.size(), kUnit, 0, place);
    AVRM_MUST(status == AVRM_OK);
  }
  FastpathWindow(const FastpathWindow &) = delete;
  FastpathWindow &operator=(const FastpathWindow &) = delete;
  ~FastpathWindow() {
    barrier(fast_.process); // nobody uses the window any more
    AVRM_MUST(avrm_fp_window_free(window_) == AVRM_OK);
  }

  [[nodiscard]] avrm_fp_window_t *get() const { return window_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.size(); }
  // Place of a process's `slot`th put, by its rank in the world.
  [[nodiscard]] std::size_t offset_of(int origin, std::size_t slot) const {
    return (static_cast<std::size_t>(origin) * slots_ + slot) * kSlot;
  }
  [[nodiscard]] std::int64_t displacement_of(int origin, std::size_t slot) const {
    return static_cast<std::int64_t>(offset_of(origin, slot)) / kUnit;
  }
  void finish_puts() {
    AVRM_MUST(avrm_fp_flush_all(window_) == AVRM_OK);
    barrier(fast_.process);
  }
  // Checks that a process's put is complete, and that nothing lies beyond it.
  void must_hold(int origin, std::size_t slot, const Buffer &data) const {
    Buffer expected = data;
    expected.resize(kSlot);
    AVRM_MUST(std::memcmp(memory_.data() + offset_of(origin, slot), expected.data(), kSlot) == 0);
  }
  [[nodiscard]] const unsigned char *at(int origin, std::size_t slot) const {
    return memory_.data() + offset_of(origin, slot);
  }

private:
  Fastpath &fast_;
  std::size_t slots_;
  Buffer memory_;
  avrm_fp_window_t *window_;
};

std::int32_t bytes_in(const Buffer &buffer) { return static_cast<std::int32_t>(buffer.size()); }

// One way to put bytes at a displacement. `target` is a rank in the world.
using PutWay = avrm_status_t (*)(Fastpath &fast, avrm_fp_window_t *window, const Buffer &data, int target,
                                 std::int64_t displacement);
template <std::size_t kBuild>
avrm_status_t put_by(Fastpath &fast, avrm_fp_window_t *window, const Buffer &data, int target,
                     std::int64_t displacement) {
  return kFastpathBuilds[kBuild].put(data.data(), bytes_in(data), AVRM_BYTE, fast.rank_of(target), displacement,
                                     window);
}
constexpr PutWay kWays[] = {
    put_by<0>,
    put_by<1>,
    put_by<2>,
    put_by<3>,
    put_by<4>,
    [](Fastpath &, avrm_fp_window_t *window, const Buffer &data, int target, std::int64_t displacement) {
      return avrm_fp_put_global(data.data(), bytes_in(data), AVRM_BYTE, target, displacement, window);
    },
    [](Fastpath &fast, avrm_fp_window_t *window, const Buffer &data, int target, std::int64_t displacement) {
      return avrm_fp_put_npn(data.data(), bytes_in(data), AVRM_BYTE, fast.rank_of(target), displacement, window);
    },
};

void put_wrongly(Fastpath &fast, const FastpathWindow &window) {
  avrm_fp_window_t *const w = window.get();
  const auto end = static_cast<std::int64_t>(window.bytes()) / kUnit;
  const int target = fast.rank_of((fast.process.rank + 1) % fast.size);
  AVRM_MUST(avrm_fp_put_default("", 1, AVRM_BYTE, fast.size, 0, w) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_fp_put_default("", -1, AVRM_BYTE, target, 0, w) == AVRM_ERR_COUNT);
  AVRM_MUST(avrm_fp_put_default(nullptr, 1, AVRM_BYTE, target, 0, w) == AVRM_ERR_BUFFER);
  AVRM_MUST(avrm_fp_put_default("", 1, AVRM_DATATYPE_NULL, target, 0, w) == AVRM_ERR_DATATYPE);
  AVRM_MUST(avrm_fp_put_default("", 1, AVRM_BYTE, target, 0, nullptr) == AVRM_ERR_WINDOW);
  AVRM_MUST(avrm_fp_put_default("", 1, AVRM_BYTE, target, end, w) == AVRM_ERR_OUTSIDE);
  AVRM_MUST(avrm_fp_put_default("", 1, AVRM_BYTE, target, -1, w) == AVRM_ERR_OUTSIDE);
  AVRM_MUST(avrm_fp_put_default("123456789", 9, AVRM_BYTE, target, end - 1, w) == AVRM_ERR_OUTSIDE);
}

void put_by_displacement(Process &process) {
  constexpr std::size_t kSlots = std::size(kWays) * std::size(kSizes);
  Fastpath fast(process);
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  // The second half for what a process puts into its own part.
  FastpathWindow window(fast, fast.comm, 2 * kSlots);
  put_wrongly(fast, window); // before the first contact, and after it
  std::vector<Buffer> out;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const PutWay put = kWays[slot / std::size(kSizes)];
    for (const bool own : {false, true}) {
      const int target = own ? process.rank : next;
      const std::int64_t displacement = window.displacement_of(process.rank, own ? kSlots + slot : slot);
      out.push_back(content(process.rank, target, static_cast<int>(slot), kSizes[slot % std::size(kSizes)]));
      AVRM_MUST(put(fast, window.get(), out.back(), target, displacement) == AVRM_OK);
    }
  }
  for (const FastpathBuild &build : kFastpathBuilds) {
    AVRM_MUST(build.put("", 1, AVRM_BYTE, AVRM_PROC_NULL, 0, window.get()) == AVRM_OK);
  }
  window.finish_puts();
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const int number = static_cast<int>(slot);
    const std::size_t bytes = kSizes[slot % std::size(kSizes)];
    window.must_hold(previous, slot, content(previous, process.rank, number, bytes));
    window.must_hold(process.rank, kSlots + slot, content(process.rank, process.rank, number, bytes));
  }
  put_wrongly(fast, window);
}

// Elements of a datatype with gaps go into blocks of the same shape.
void put_derived_datatypes(Process &process) {
  using Array = std::array<std::int32_t, 12>; // three blocks of two elements, five apart
  Fastpath fast(process);
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  FastpathWindow window(fast, fast.comm, std::size(kFastpathBuilds));
  avrm_datatype_t vector = AVRM_DATATYPE_NULL;
  AVRM_MUST(avrm_type_vector(avrm_device_instance(process.device), 3, 2, 5, AVRM_INT32, &vector) == AVRM_OK);
  AVRM_MUST(avrm_type_commit(vector) == AVRM_OK);
  Array data;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::int32_t>(1000 + i);
  }
  std::size_t slot = 0;
  for (const FastpathBuild &build : kFastpathBuilds) {
    const std::int64_t displacement = window.displacement_of(process.rank, slot++);
    AVRM_MUST(build.put(data.data(), 1, vector, fast.rank_of(next), displacement, window.get()) == AVRM_OK);
    AVRM_MUST(build.put(data.data(), 2, vector, fast.rank_of(next), displacement, window.get()) ==
              AVRM_ERR_UNSUPPORTED);
  }
  window.finish_puts();
  for (slot = 0; slot < std::size(kFastpathBuilds); ++slot) {
    Array got;
    std::memcpy(got.data(), window.at(previous, slot), sizeof got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      AVRM_MUST(got[i] == (i % 5 < 2 ? data[i] : 0));
    }
  }
  AVRM_MUST(avrm_type_free(&vector) == AVRM_OK);
}

// By virtual address, alone and with all proposals for puts; by an ordinary and by a
// predefined handle.
void put_by_virtual_address(Process &process) {
  Fastpath fast(process);
  FastpathWindow window(fast, fast.comm, 2 * std::size(kSizes));
  FastpathWindow predefined(fast, AVRM_COMM_1, std::size(kSizes), AVRM_WIN_1);
  const auto size = static_cast<std::size_t>(process.size);
  std::vector<std::uint64_t> bases(size);
  std::vector<std::uint64_t> predefined_bases(size);
  std::vector<Buffer> out;
  for (int target = 0; target < process.size; ++target) {
    std::uint64_t &base = bases[static_cast<std::size_t>(target)];
    std::uint64_t &other = predefined_bases[static_cast<std::size_t>(target)];
    AVRM_MUST(avrm_fp_window_address(window.get(), fast.rank_of(target), &base) == AVRM_OK);
    AVRM_MUST(avrm_fp_window_address(AVRM_WIN_1, target, &other) == AVRM_OK);
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      out.push_back(content(process.rank, target, static_cast<int>(i), kSizes[i]));
      const Buffer &data = out.back();
      AVRM_MUST(avrm_fp_put_virtual_addr(data.data(), bytes_in(data), AVRM_BYTE, fast.rank_of(target),
                                         base + window.offset_of(process.rank, i), window.get()) == AVRM_OK);
      AVRM_MUST(avrm_fp_put_all_opts(data.data(), bytes_in(data), AVRM_BYTE, target,
                                     base + window.offset_of(process.rank, std::size(kSizes) + i),
                                     window.get()) == AVRM_OK);
      AVRM_MUST(avrm_fp_put_all_opts(data.data(), bytes_in(data), AVRM_BYTE, target,
                                     other + predefined.offset_of(process.rank, i), AVRM_WIN_1) == AVRM_OK);
    }
  }
  window.finish_puts();
  predefined.finish_puts();
  for (int origin = 0; origin < process.size; ++origin) {
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      const Buffer data = content(origin, process.rank, static_cast<int>(i), kSizes[i]);
      window.must_hold(origin, i, data);
      window.must_hold(origin, std::size(kSizes) + i, data);
      predefined.must_hold(origin, i, data);
    }
  }
}

// Whether the parts of all members are known, and alike.
bool are_alike(const avrm_fp_window_t *window) {
  avrm_part_t first{};
  avrm_part_t part{};
  bool alike = avrm_directory_find(window->parts, 0, &first);
  for (int rank = 1; alike && rank < window->map->size; ++rank) {
    alike = avrm_directory_find(window->parts, rank, &part) && part.base == first.base && part.key == first.key &&
            part.size == first.size;
  }
  return alike;
}

// Puts 8 bytes into the part of every member, by every build.
void put_everywhere(const Fastpath &fast, const FastpathWindow &window, std::size_t first_slot) {
  std::size_t slot = first_slot;
  for (const FastpathBuild &build : kFastpathBuilds) {
    for (int target = 0; target < fast.size; ++target) {
      const Buffer data = content(fast.process.rank, target, static_cast<int>(slot), kUnit);
      AVRM_MUST(build.put(data.data(), kUnit, AVRM_BYTE, fast.rank_of(target),
                          window.displacement_of(fast.process.rank, slot), window.get()) == AVRM_OK);
    }
    ++slot;
  }
}

void become_uniform_as_parts_are_met(Process &process) {
  constexpr std::size_t kBuilds = std::size(kFastpathBuilds);
  Fastpath fast(process);
  FastpathWindow window(fast, fast.comm, 2 * kBuilds);
  AVRM_MUST(avrm_fp_window_is_uniform(window.get()) == are_alike(window.get()));
  put_everywhere(fast, window, 0);
  AVRM_MUST(avrm_fp_window_is_uniform(window.get()) == are_alike(window.get()));
  put_everywhere(fast, window, kBuilds);
  window.finish_puts();
  for (int origin = 0; origin < process.size; ++origin) {
    for (std::size_t slot = 0; slot < 2 * kBuilds; ++slot) {
      window.must_hold(origin, slot, content(origin, process.rank, static_cast<int>(slot), kUnit));
    }
  }
}

// Base and key may be alike where sizes are not.
void be_no_more_uniform_than_their_sizes(Process &process) {
  Fastpath fast(process);
  std::array<std::uint64_t, 4> memory{};
  const auto bytes_of = [](int world_rank) { return std::size_t{8} * static_cast<std::size_t>(world_rank + 1); };
  avrm_fp_window_t *window = nullptr;
  AVRM_MUST(avrm_fp_window_create(fast.comm, memory.data(), bytes_of(process.rank), kUnit, AVRM_WINDOW_EXCHANGE,
                                  &window) == AVRM_OK);
  AVRM_MUST(avrm_fp_window_is_uniform(window) == are_alike(window));
  const std::uint64_t value = 7;
  for (int target = 0; target < process.size; ++target) {
    const int rank = fast.rank_of(target);
    AVRM_MUST(avrm_fp_put_default(&value, 1, AVRM_UINT64, rank, target, window) == AVRM_OK);
    AVRM_MUST(avrm_fp_put_default(&value, 1, AVRM_UINT64, rank, target + 1, window) == AVRM_ERR_OUTSIDE);
  }
  AVRM_MUST(avrm_fp_flush_all(window) == AVRM_OK);
  barrier(process);
  AVRM_MUST(memory[static_cast<std::size_t>(process.rank)] == value);
  AVRM_MUST(avrm_fp_window_free(window) == AVRM_OK);
}

} // namespace

void fastpath_windows_are_uniform_if_all_parts_are(Process &process) {
  become_uniform_as_parts_are_met(process);
  be_no_more_uniform_than_their_sizes(process);
}

void fastpath_puts_land_where_they_should(Process &process) {
  put_by_displacement(process);
  put_derived_datatypes(process);
  put_by_virtual_address(process);
}

} // namespace avrankmap::test
