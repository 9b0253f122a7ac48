// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Language support that all public headers share: linkage, inlining, branch hints. The headers stay
// in the common subset of C11 and C++17.
#ifndef AVRANKMAP_BASE_H
#define AVRANKMAP_BASE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "avrankmap/version.h"

#ifdef __cplusplus
/// Begins declarations with C linkage.
#define AVRM_BEGIN_DECLS extern "C" {
/// Ends declarations with C linkage.
#define AVRM_END_DECLS }
/// Marks functions that never throw.
#define AVRM_NOEXCEPT noexcept
#else
#define AVRM_BEGIN_DECLS
#define AVRM_END_DECLS
#define AVRM_NOEXCEPT
#endif

/// Marks functions of the hot path. In C++20 and later they are plain `inline`, so that modules and
/// inline functions with external linkage may use them. In C they have internal linkage, because
/// C's `inline` requires an external definition in some translation unit; C++ before C++20, which
/// has no modules, is treated like C.
#if defined(__cplusplus) && __cplusplus >= 202002L
#define AVRM_INLINE inline
#else
#define AVRM_INLINE static inline
#endif

/// AVRM_INLINE that is always inlined, for the cases of the translation switch and for the fast
/// path. Compilers consider these functions too large to inline more than once, but an out-of-line
/// copy would test at run time what is constant at each call.
#if defined(__GNUC__)
#define AVRM_INLINE_ALWAYS AVRM_INLINE __attribute__((always_inline))
#else
#define AVRM_INLINE_ALWAYS AVRM_INLINE
#endif

#if defined(__GNUC__)
/// Marks a condition that is usually true.
#define AVRM_LIKELY(x) __builtin_expect(!!(x), 1)
/// Marks a condition that is usually false.
#define AVRM_UNLIKELY(x) __builtin_expect(!!(x), 0)
/// Marks code that is never reached; undefined behaviour if it is.
#define AVRM_UNREACHABLE() __builtin_unreachable()
#else
#define AVRM_LIKELY(x) (x)
#define AVRM_UNLIKELY(x) (x)
#define AVRM_UNREACHABLE() ((void)0)
#endif

// Marks data that inline functions share with the static library linked into the same program or
// shared object. Hidden symbols are read directly, without the global offset table.
#if defined(__GNUC__) && !AVRM_I_SHARED
#define AVRM_I_HIDDEN __attribute__((visibility("hidden")))
#else
#define AVRM_I_HIDDEN
#endif

// 1 in builds with ThreadSanitizer, which needs atomics where plain loads are sufficient for the
// hardware.
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

#endif
