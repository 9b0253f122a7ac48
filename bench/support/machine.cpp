// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/machine.h"

#include <fmt/format.h>

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace avrankmap::bench {
namespace {

/// What follows "KEY :" in the first line of a file that has it, or nothing.
std::string value_of(const char *path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) {
      continue;
    }
    const std::size_t colon = line.find(':');
    const std::size_t value = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

std::string first_line(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// A line of /proc/meminfo, in bytes; 0 if it is not there.
std::uint64_t memory_info(std::string_view key) {
  std::istringstream text(value_of("/proc/meminfo", key));
  std::uint64_t kibibytes = 0;
  text >> kibibytes;
  return kibibytes * 1024;
}

std::vector<std::string> caches() {
  std::vector<std::string> found;
  for (int index = 0;; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string level = first_line(folder + "level");
    if (level.empty()) {
      return found;
    }
    const std::string type = first_line(folder + "type");
    const char *const suffix = type == "Data" ? "d" : type == "Instruction" ? "i" : "";
    found.push_back(fmt::format("L{}{} {}", level, suffix, first_line(folder + "size")));
  }
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#else
  return {};
#endif
}

} // namespace

Machine describe_machine() {
  Machine machine;
  machine.processor = value_of("/proc/cpuinfo", "model name");
  // Where a virtual machine hides the name, its numbers tell the generation.
  const std::string family = value_of("/proc/cpuinfo", "cpu family");
  const std::string model = value_of("/proc/cpuinfo", "model\t");
  if (!machine.processor.empty() && !family.empty() && !model.empty()) {
    machine.processor += fmt::format(", family {} model {}", family, model);
  }
  machine.cpus = cpu_count();
  machine.caches = caches();
  machine.memory = memory_info("MemTotal");
  machine.virtual_machine = value_of("/proc/cpuinfo", "flags").find(" hypervisor ") != std::string::npos;
  machine.huge_pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  utsname names;
  if (uname(&names) == 0) {
    machine.kernel = fmt::format("{} {}", names.sysname, names.release);
  }
  machine.compiler = compiler();
  return machine;
}

int cpu_count() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::optional<int> pin_to_one_cpu(int skipped) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return std::nullopt;
  }
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skipped-- > 0) {
      continue;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) {
      return cpu;
    }
  }
  return std::nullopt;
}

std::uint64_t available_memory() {
  const std::uint64_t available = memory_info("MemAvailable");
  return available == 0 ? std::numeric_limits<std::uint64_t>::max() : available;
}

} // namespace avrankmap::bench
