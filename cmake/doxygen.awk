# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Filter for Doxygen: the comment that begins a header becomes the description of the file, drawn as it is written. The number
# of lines stays.
NR == 1 && /^\/\/ SPDX/ { print "/** @file"; opening = 1; next }
opening && /^\/\/ SPDX/ { print "@verbatim"; next }
opening && /^\/\// { sub(/^\/\/ ?/, ""); print; next }
opening { print "@endverbatim */ " $0; opening = 0; next }
{ print }
