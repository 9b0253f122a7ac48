#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_inline.sh INCLUDE_DIR...
# In public headers hot functions are AVRM_INLINE, which base.h defines: a raw `inline` would not
# follow a change of that definition. Ignores comments.
set -euo pipefail

bad=0
for header in $(find "$@" -name '*.h' ! -path '*/avrankmap/base.h'); do
  # Without comments (never nested), line numbers kept.
  code=$(awk '{
      line = $0; out = ""
      while (line != "") {
        if (inside) {
          if ((i = index(line, "*/")) == 0) break
          line = substr(line, i + 2); inside = 0
        } else {
          i = index(line, "/*"); j = index(line, "//")
          if (j && (!i || j < i)) { out = out substr(line, 1, j - 1); break }
          if (!i) { out = out line; break }
          out = out substr(line, 1, i - 1) " "; line = substr(line, i + 2); inside = 1
        }
      }
      print out
    }' "$header")
  if grep -nE '(^|[^A-Za-z0-9_])(__inline__|__inline|inline)([^A-Za-z0-9_]|$)' <<<"$code" | sed "s|^|$header:|"; then
    bad=1
  fi
done
if ((bad)); then
  echo "raw 'inline' in a public header; write AVRM_INLINE (base.h)"
fi
exit "$bad"
