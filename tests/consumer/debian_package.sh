#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: debian_package.sh CPACK BUILD_DIR CONFIG WORK_DIR COMPILER
# Makes the Debian package, unpacks it elsewhere, looks at what Debian asks of it, and builds and runs
# a program with it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cpack=$1 build=$2 config=$3 work=$4 compiler=$5

rm -rf "$work" && mkdir -p "$work"
(cd "$work" && "$cpack" -G DEB -C "$config" --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1) ||
  { cat "$work/log"; exit 1; }
package=$(ls "$work"/libavrankmap-dev_*.deb)
[[ $(dpkg-deb -f "$package" Section) == libdevel ]]
[[ $(dpkg-deb -f "$package" Maintainer) =~ ^[^\<]+" <"[^@]+@[^@]+">"$ ]]
dpkg-deb -x "$package" "$work/root"
[[ $(<"$work/root/usr/share/doc/libavrankmap-dev/copyright") == $(<"$here/../../LICENSE") ]]
# No debugging symbols, but all others.
while read -r archive; do
  if readelf -WS "$archive" | grep '\.debug_'; then
    exit 1
  fi
done < <(find "$work/root" -name '*.a')
# All files are where a development package has them.
if (cd "$work/root" && find . -type f) | grep -vE '^\./usr/(include/avrankmap/|lib/|bin/avrm-|share/(doc/(lib)?avrankmap|man/man[37]/avr))'; then
  exit 1
fi
pc=$(find "$work/root" -name avrankmap.pc)
export PKG_CONFIG_PATH=${pc%/*}
exec bash "$here/pkg_config.sh" "$work/program" "$compiler" -std=c11 first_program.c
