// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Properties of this process's pages, as the kernel reports them.
#ifndef AVRANKMAP_TESTS_SUPPORT_PAGES_H
#define AVRANKMAP_TESTS_SUPPORT_PAGES_H

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::test {

inline constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

inline std::uint64_t page_size() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

// Resident bytes of the pages that hold [start, start + size).
inline std::uint64_t resident_bytes(const void *start, std::uint64_t size) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 30;
  const auto first = reinterpret_cast<std::uintptr_t>(start) / page_size() * page_size();
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(start) + size;
  std::vector<unsigned char> pages(kStep / page_size());
  std::uint64_t resident = 0;
  for (std::uintptr_t at = first; at < end; at += kStep) {
    if (mincore(reinterpret_cast<void *>(at), std::min<std::uint64_t>(kStep, end - at), pages.data()) != 0) {
      throw std::runtime_error("mincore refused");
    }
    const std::uint64_t count = (std::min<std::uint64_t>(kStep, end - at) + page_size() - 1) / page_size();
    resident +=
        static_cast<std::uint64_t>(std::count_if(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(count),
                                                 [](unsigned char page) { return (page & 1) != 0; }));
  }
  return resident * page_size();
}

// Value of a field of /proc/self/smaps, such as "VmFlags", for the mapping that holds an address;
// empty if the kernel does not report it.
inline std::string mapping_field(const void *address, const std::string &field) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> first >> dash >> end && dash == '-') {
      inside = first <= wanted && wanted < end;
    } else if (inside && line.compare(0, field.size() + 1, field + ":") == 0) {
      return line.substr(field.size() + 1);
    }
  }
  return "";
}

// Bytes of addresses that this process has mapped.
inline std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * page_size();
}

// The number in a line of /proc/meminfo, such as "HugePages_Free"; 0 if there is none.
inline std::uint64_t meminfo(const std::string &field) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, field.size() + 1, field + ":") == 0) {
      return std::stoull(line.substr(field.size() + 1));
    }
  }
  return 0;
}

} // namespace avrankmap::test

#endif
