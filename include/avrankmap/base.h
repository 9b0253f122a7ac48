// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Language glue that every public header shares: linkage, inlining, branch hints. Nothing here is specific to
// address vectors. The headers live in the common subset of C11 and C++17.
#ifndef AVRANKMAP_BASE_H
#define AVRANKMAP_BASE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
#define AVRM_BEGIN_DECLS extern "C" {
#define AVRM_END_DECLS }
#define AVRM_NOEXCEPT noexcept
#else
#define AVRM_BEGIN_DECLS
#define AVRM_END_DECLS
#define AVRM_NOEXCEPT
#endif

// Functions of the hot path. From C++20 on a plain `inline` keeps them usable in modules and in inline functions
// with external linkage; C and older C++ need internal linkage, because C's `inline` would ask for a copy elsewhere.
#if defined(__cplusplus) && __cplusplus >= 202002L
#define AVRM_INLINE inline
#else
#define AVRM_INLINE static inline
#endif

// The same for the cases of the translation switch and for the fast path: compilers find them too large to be worth it in
// more than one place, but out of line they would test at run time what is a constant at each place.
#if defined(__GNUC__)
#define AVRM_INLINE_ALWAYS AVRM_INLINE __attribute__((always_inline))
#else
#define AVRM_INLINE_ALWAYS AVRM_INLINE
#endif

#if defined(__GNUC__)
#define AVRM_LIKELY(x) __builtin_expect(!!(x), 1)
#define AVRM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define AVRM_UNREACHABLE() __builtin_unreachable()
#else
#define AVRM_LIKELY(x) (x)
#define AVRM_UNLIKELY(x) (x)
#define AVRM_UNREACHABLE() ((void)0)
#endif

// Data that the inline functions of one program or shared object share with the archive inside it: reached without a
// detour through the global offset table.
#if defined(__GNUC__)
#define AVRM_I_HIDDEN __attribute__((visibility("hidden")))
#else
#define AVRM_I_HIDDEN
#endif

// 1 when the build is watched by ThreadSanitizer, which wants to see atomics where hardware only needs plain loads.
#if defined(__SANITIZE_THREAD__)
#define AVRM_I_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define AVRM_I_TSAN 1
#endif
#endif
#ifndef AVRM_I_TSAN
#define AVRM_I_TSAN 0
#endif

// 1 when mode dispatch is one compare and a fan of conditional jumps written by hand (rankmap_inl.h says why).
// Define AVRM_NO_ASM to get the portable `switch` everywhere.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(AVRM_NO_ASM)
#define AVRM_I_ASM_DISPATCH 1
#else
#define AVRM_I_ASM_DISPATCH 0
#endif

// 1 when a rare call from the hot path is made by hand, too (rankmap_inl.h says why). Sanitizers want to see their calls.
#if AVRM_I_ASM_DISPATCH && !AVRM_I_TSAN && !defined(__SANITIZE_ADDRESS__)
#define AVRM_I_ASM_CALL 1
#else
#define AVRM_I_ASM_CALL 0
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#undef AVRM_I_ASM_CALL
#define AVRM_I_ASM_CALL 0
#endif
#endif

// Behind a label of an `asm goto` that is rarely gone to: else gcc 12 takes the more labels for the more likely and puts
// what several of them share in the way of the others.
#if defined(__GNUC__) && !defined(__clang__)
#define AVRM_I_COLD_LABEL __attribute__((cold))
#else
#define AVRM_I_COLD_LABEL ((void)0)
#endif

// Says that `v` is wanted in a register here. GCC 12 otherwise merges the load of `v` into an addition and then has
// to spend one more instruction on the address of the load that follows. Emits no instruction of its own.
#if AVRM_I_ASM_DISPATCH
#define AVRM_I_IN_REGISTER(v) __asm__("" : "+r"(v))
#else
#define AVRM_I_IN_REGISTER(v) ((void)(v))
#endif

#endif
