#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Shows that the hosts of tests/hosts.sh are apart, that simulations do not meet, and that nothing is
# left of them.
set -euo pipefail

hosts=$(cd "$(dirname "$0")" && pwd)/hosts.sh
if ! "$hosts" check; then
  echo "Skipped: hosts cannot be simulated here"
  exit 77
fi
work=$(mktemp -d)
export AVRM_HOSTS_FOLDER=$work/up
trap '"$hosts" down 2>/dev/null || true; rm -rf "$work"' EXIT
failures=0
# expect WHAT WANTED FOUND
expect() {
  [[ $2 != "$3" ]] || return 0
  failures=$((failures + 1))
  printf 'FAILED: %s: %s instead of %s\n' "$1" "$3" "$2"
}
# status COMMAND...: its exit code
status() { local code=0 && "$@" >/dev/null 2>&1 || code=$? && echo "$code"; }

"$hosts" up 2
expect 'names' 'h1 h2' "$(for k in 1 2; do "$hosts" on "h$k" hostname; done | paste -sd' ')"
"$hosts" on h1 touch /tmp/mine /dev/shm/mine
expect 'a file in /tmp of another host' 1 "$(status "$hosts" on h2 test -e /tmp/mine)"
expect 'a file in /dev/shm of another host' 1 "$(status "$hosts" on h2 test -e /dev/shm/mine)"
expect 'the current folder' "$PWD" "$("$hosts" on h2 pwd)"
boot_ids=$(for k in 1 2; do "$hosts" on "h$k" cat /proc/sys/kernel/random/boot_id; done | sort -u | wc -l)
expect 'boot ids' 2 "$boot_ids"
expect 'interfaces in /sys' 'eth0 lo' "$("$hosts" on h1 ls /sys/class/net | paste -sd' ')"
expect 'ssh to a host' h2 "$("$hosts" on h1 "$AVRM_HOSTS_FOLDER/ssh" -x -p 22 root@h2 hostname)"
expect 'the way to the other host' '' "$("$hosts" on h1 bash -c 'exec 3<>/dev/tcp/h2/9' 2>&1 | grep -v refused)"
expect 'another simulation in this folder' 1 "$(status "$hosts" up 1)"
expect 'another simulation, with as many hosts' 'h2 fd77::2' \
  "$("$hosts" run 2 --ipv6 "$hosts" on h2 bash -c 'echo $(hostname) $(getent ahosts h2 | sed -n "s/ .*//p;q")')"
expect 'an exit code' 5 "$(status "$hosts" run 1 sh -c 'exit 5')"
expect 'an exit code after the limit' 124 "$(status "$hosts" run 1 --limit 1 sleep 100)"

status "$hosts" on h2 sleep 1000 >"$work/code" 2>/dev/null &
"$hosts" down
wait
expect 'the exit code of a command on a host that is removed' 137 "$(<"$work/code")"
expect 'the folder' 1 "$(status test -e "$AVRM_HOSTS_FOLDER")"
exit "$((failures != 0))"
