[#] start of __file__
dnl SPDX-FileCopyrightText: 2026 The avrankmap authors
dnl SPDX-License-Identifier: BSD-3-Clause
dnl MPICH_SUBCFG_AFTER=src/mpid/ch4

AC_DEFUN([PAC_SUBCFG_PREREQ_]PAC_SUBCFG_AUTO_SUFFIX,[
    AC_ARG_WITH([avrankmap],
                AS_HELP_STRING([--with-avrankmap],[Keep groups and address tables by avrankmap (ch4 with one netmod)]),
                [],[with_avrankmap=no])
    build_avrankmap=no
    AM_COND_IF([BUILD_CH4],[
        AS_IF([test "$with_avrankmap" != "no"],[
            AS_CASE([$ch4_netmods],
                [ofi],[AC_DEFINE([MPIDI_AV_CODEC],[AVRM_CODEC_OFI],[How address words are encoded])],
                [ucx],[AC_DEFINE([MPIDI_AV_CODEC],[AVRM_CODEC_UCX],[How address words are encoded])],
                [AC_MSG_ERROR([--with-avrankmap needs one netmod])])
            build_avrankmap=yes
            AC_DEFINE([HAVE_AVRANKMAP],[1],[Define if avrankmap keeps groups and address tables])
        ])
    ])
    AS_IF([test "$with_avrankmap" != "no" -a "$build_avrankmap" = "no"],
          [AC_MSG_ERROR([--with-avrankmap needs --with-device=ch4])])
    AM_CONDITIONAL([BUILD_AVRANKMAP],[test "$build_avrankmap" = "yes"])
])

AC_DEFUN([PAC_SUBCFG_BODY_]PAC_SUBCFG_AUTO_SUFFIX,[
AVRANKMAP_CXXFLAGS=""
AVRANKMAP_LDFLAGS=""
AM_COND_IF([BUILD_AVRANKMAP],[
    AC_LANG_PUSH([C++])
    AC_MSG_CHECKING([for C++20, which avrankmap is written in])
    avrankmap_save_CXXFLAGS="$CXXFLAGS"
    for avrankmap_std in -std=c++20 -std=c++2a none ; do
        AS_IF([test "$avrankmap_std" = "none"],[
            AC_MSG_RESULT([no])
            AC_MSG_ERROR([avrankmap needs a compiler for C++20: gcc 11, clang 13 or later])])
        CXXFLAGS="$avrankmap_save_CXXFLAGS $avrankmap_std"
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([
            #include <bit>
            #include <concepts>
            #include <span>
            template <std::unsigned_integral T> constexpr int width(T x) { return static_cast<int>(std::bit_width(x)); }
            int width_of_four() { return width(4u); }
        ])],[break])
    done
    CXXFLAGS="$avrankmap_save_CXXFLAGS"
    AC_MSG_RESULT([$avrankmap_std])
    AC_LANG_POP([C++])
    AVRANKMAP_CXXFLAGS="$avrankmap_std -Os -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden"
    dnl What MPICH does not call is not linked.
    PAC_PUSH_FLAG([LDFLAGS])
    LDFLAGS="$LDFLAGS -Wl,--gc-sections"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([],[])],[AVRANKMAP_LDFLAGS="-Wl,--gc-sections"])
    PAC_POP_FLAG([LDFLAGS])
])
AC_SUBST([AVRANKMAP_CXXFLAGS])
AC_SUBST([AVRANKMAP_LDFLAGS])
])
[#] end of __file__
