// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/environment.h"

#include <cstdint>

// Weak, so that their addresses tell whether the run-time library is there. A macro would only tell
// how this file was compiled, and gcc has none for UBSan.
extern "C" {
[[gnu::weak]] void __asan_init();                  // NOLINT(bugprone-reserved-identifier)
[[gnu::weak]] void __tsan_init();                  // NOLINT(bugprone-reserved-identifier)
[[gnu::weak]] void __msan_init();                  // NOLINT(bugprone-reserved-identifier)
[[gnu::weak]] void __ubsan_handle_out_of_bounds(); // NOLINT(bugprone-reserved-identifier)
}

namespace avrankmap::counters {

std::string_view linked_sanitizer() {
  if (&__asan_init != nullptr)
    return "AddressSanitizer";
  if (&__tsan_init != nullptr)
    return "ThreadSanitizer";
  if (&__msan_init != nullptr)
    return "MemorySanitizer";
  if (&__ubsan_handle_out_of_bounds != nullptr)
    return "UndefinedBehaviorSanitizer";
  return {};
}

bool under_valgrind() {
#if defined(__x86_64__)
  // Valgrind's documented client request RUNNING_ON_VALGRIND (0x1001): rotations that leave rdi as
  // it was and an exchange of rbx with itself, which valgrind recognises and answers in rdx.
  // Written out because the header that wraps it is not on every machine.
  const volatile std::uint64_t request[6] = {0x1001, 0, 0, 0, 0, 0};
  std::uint64_t answer = 0;
  asm volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
               : "+d"(answer)
               : "a"(&request[0])
               : "cc", "memory");
  return answer != 0;
#else
  return false;
#endif
}

} // namespace avrankmap::counters
