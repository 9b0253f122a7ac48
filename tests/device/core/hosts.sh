#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: hosts.sh check | hosts.sh run MPIRUN [OPTION]... PROGRAM [ARGUMENT]... Simulates two hosts
# with namespaces (network, host name, System V IPC, mounts: each has its own /dev/shm and /tmp),
# connects them by a bridge, and runs PROGRAM under mpirun with two processes on each. Removes
# everything at its end. `check` exits with 0 if this is possible here.
set -euo pipefail

command -v ip >/dev/null && command -v unshare >/dev/null && command -v nsenter >/dev/null || exit 1
if [[ $1 == check ]]; then
  exec unshare -n -u -i -m true 2>/dev/null
fi
shift

# The bridge is in a network namespace of this script, so it does not touch the real network, and
# several scripts can run at once.
if [[ ${AVRM_HOSTS_INSIDE:-} != 1 ]]; then
  AVRM_HOSTS_INSIDE=1 exec unshare -n -m --propagation private bash "$0" run "$@"
fi

work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
ip link set lo up
ip link add fbr0 type bridge
ip link set fbr0 up
{
  echo 127.0.0.1 localhost
  echo 10.77.0.1 h1
  echo 10.77.0.2 h2
} >"$work/hosts"
for i in 1 2; do
  unshare -n -u -i -m --propagation private bash -c "
    hostname h$i && ip link set lo up && mount -t tmpfs -o size=1g tmpfs /dev/shm &&
    mount --bind '$work/hosts' /etc/hosts && cat /proc/sys/kernel/random/uuid >'$work/boot_id$i' &&
    mount --bind '$work/boot_id$i' /proc/sys/kernel/random/boot_id && touch '$work/up$i' && exec sleep 600" &
  pids+=($!)
done
for i in 1 2; do
  for _ in {1..100}; do
    [[ ! -e $work/up$i ]] || break
    sleep 0.05
  done
  ip link add "fv$i" type veth peer name eth0 netns "${pids[i - 1]}"
  ip link set "fv$i" master fbr0 up
  nsenter -t "${pids[i - 1]}" -n ip addr add "10.77.0.$i/24" dev eth0
  nsenter -t "${pids[i - 1]}" -n ip link set eth0 up
done

# What mpirun takes for ssh: options, host, command.
cat >"$work/reach" <<END
#!/bin/bash
while [[ \$1 == -* ]]; do [[ \$1 == -p || \$1 == -o ]] && shift; shift; done
case \$1 in h1) pid=${pids[0]} ;; h2) pid=${pids[1]} ;; esac
shift
exec nsenter -t \$pid -n -u -i -m --wd="$PWD" -- /bin/sh -c "\$*"
END
chmod +x "$work/reach"

mpirun=$1
shift
root=()
((EUID != 0)) || root=(--allow-run-as-root)
status=0
timeout 150 nsenter -t "${pids[0]}" -n -u -i -m --wd="$PWD" -- "$mpirun" "${root[@]}" --oversubscribe --bind-to none \
  --mca plm rsh --mca plm_rsh_agent "$work/reach" -H h1:2,h2:2 -n 4 "$@" || status=$?
exit "$status"
