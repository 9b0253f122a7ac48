#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: check_man_pages.sh CMAKE BUILD_DIR CONFIG
# Once they are installed, man finds a page by its name, and renders all of them without a warning;
# each has the usual sections. Exits with 77 if there is no man.
set -euo pipefail
cmake=$1 build=$2 config=$3
command -v man >/dev/null && command -v groff >/dev/null || { echo "skipped: man or groff is missing"; exit 77; }
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
DESTDIR=$prefix "$cmake" --install "$build" --config "$config" --prefix /usr >/dev/null
pages=$prefix/usr/share/man

# shown NAME: the page as text
shown() { MANPATH=$pages MANWIDTH=80 MAN_KEEP_FORMATTING='' man -P cat 3 "$1"; }
word=$(shown avrm_rankmap_word)
for line in 'NAME' 'SYNOPSIS' 'DESCRIPTION' 'NOTES' 'EXAMPLES' 'SEE ALSO' \
  '       #include <avrankmap/rankmap.h>' \
  '       uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank);'; do
  grep -qxF -- "$line" <<<"$word" || { echo "avrm_rankmap_word(3) has no line '$line'"; exit 1; }
done
stride=$(shown avrm_rankmap_create_stride)
grep -qx 'ERRORS' <<<"$stride" && grep -qE '^       AVRM_ERR_STRIDE$' <<<"$stride" || {
  echo "avrm_rankmap_create_stride(3) does not list its errors"
  exit 1
}

for page in "$pages"/man[37]/*; do
  head -1 "$page" | grep -q '^\.TH '
  grep -A1 '^\.SH NAME' "$page" | grep -qE '^[^ ]+ \\- [^ ]' || { echo "$page: no name with a description"; exit 1; }
done
warnings=$(cat "$pages"/man[37]/* | groff -man -ww -Tutf8 -z 2>&1 | head -20)
[[ -z $warnings ]] || { echo "$warnings"; exit 1; }
