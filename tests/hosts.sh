#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

usage() {
  cat <<'END'
Usage: tests/hosts.sh up N [OPTION]...     makes hosts h1 to hN out of namespaces; they remain until `down`
       tests/hosts.sh on HOST COMMAND...   runs a command on one of them
       tests/hosts.sh slurm                starts Slurm: slurmctld on h1, slurmd on each host
       tests/hosts.sh down                 ends all processes of the hosts, and removes the hosts
       tests/hosts.sh run N [OPTION]... COMMAND...
                                           makes hosts, runs a command on h1, and removes the hosts
       tests/hosts.sh check                exits with 0 if this machine can have such hosts
Simulates several hosts on one machine; needs root, iproute2 and util-linux. A host has its own network, host name,
System V IPC, boot id, /dev/shm, /tmp, /sys and /etc/hosts. Its eth0 is on a switch with those of the others, and has
no way to the real network. Several simulations can exist at once.

  --same-boot-id  the hosts have the machine's boot id, as containers do
  --docker0       each host also has an interface docker0, with the same address on all of them
  --ipv6          eth0 has IPv6 addresses only
  --slurm         (run) starts Slurm before the command
  --limit SECONDS (run) ends the command after this time; exit code 124

Launchers find the hosts by name, and start their agents there without ssh:
  tests/hosts.sh up 2
  tests/hosts.sh on h1 mpirun -H h1:2,h2:2 -n 4 PROGRAM
  tests/hosts.sh on h1 mpiexec.hydra -hosts h1,h2 -ppn 2 -n 4 PROGRAM
  tests/hosts.sh slurm && tests/hosts.sh on h1 srun --mpi=pmi2 -N 2 -n 4 PROGRAM
  tests/hosts.sh down

AVRM_HOSTS_FOLDER names a simulation: a folder with its state, by default /tmp/avrankmap-hosts. Commands on hosts have
it in their environment. Of the machine's /tmp a host sees the folder of this simulation, and those with the current
folder and this source tree.
END
}

die() {
  echo "hosts.sh: $*" >&2
  exit 1
}

self=$(realpath "${BASH_SOURCE[0]}")

check() {
  ((EUID == 0)) || die "needs root"
  local tool
  for tool in ip unshare nsenter setpriv; do
    command -v "$tool" >/dev/null || die "needs $tool (Debian and Ubuntu: iproute2, util-linux)"
  done
  unshare -n -u -i -m true 2>/dev/null || die "this system allows no namespaces"
  unshare -n ip link add switch type bridge 2>/dev/null || die "this system has no bridges"
}

# --------------------------------------------------------------------------------------------------
# Making hosts
# --------------------------------------------------------------------------------------------------

# Options of up and run.
count=0
same_boot_id=0
docker0=0
ipv6=0
slurm=0
limit=0
parse_options() {
  [[ ${1-} =~ ^[1-9][0-9]{0,2}$ ]] && (($1 <= 250)) || die "the number of hosts is 1 to 250"
  count=$1
  shift
  while [[ ${1-} == --* ]]; do
    case $1 in
    --same-boot-id) same_boot_id=1 ;;
    --docker0) docker0=1 ;;
    --ipv6) ipv6=1 ;;
    --slurm) slurm=1 ;;
    --limit) limit=$2 && shift ;;
    *) die "no such option: $1" ;;
    esac
    shift
  done
  words=("$@")
}

# address K: of host K.
address() { if ((ipv6)); then echo "fd77::$1"; else echo "10.77.0.$1"; fi; }

# What the keeper leaves for the other commands: hosts (/etc/hosts), ssh (the stand-in), count, and
# h<k>.pid: a process in the namespaces of host k.
write_state() {
  local k
  {
    printf '%s\n' '127.0.0.1 localhost' '::1 localhost ip6-localhost'
    for ((k = 1; k <= count; ++k)); do echo "$(address "$k") h$k"; done
  } >"$folder/hosts"
  echo "$count" >"$folder/count"
  cat >"$folder/ssh" <<END
#!/bin/bash
# What launchers take for ssh: options, host, command.
while [[ \$1 == -* ]]; do
  [[ \$1 != -[lopi] ]] || shift
  shift
done
host=\${1#*@}
shift
AVRM_HOSTS_FOLDER=$folder exec '$self' on "\$host" /bin/sh -c "\$*"
END
  chmod +x "$folder/ssh"
}

# The part of a path that a host must see: the folder directly below /tmp.
below_tmp() {
  local path
  path=$(realpath "$1")
  [[ $path != /tmp/* ]] || cut -d/ -f3 <<<"$path"
}

# become_host K: runs in the namespaces of the host.
become_host() {
  local k=$1 own=$folder/h$1.mounts kept path
  hostname "h$k"
  ip link set lo up
  # Addresses can be used at once: none is searched for duplicates.
  for path in /proc/sys/net/ipv6/conf/{all,default}/accept_dad; do
    [[ ! -e $path ]] || echo 0 >"$path"
  done
  mkdir "$own"
  mount -t tmpfs tmpfs "$own" # the mounts to come are in memory, and nothing is left of them
  mkdir -m 1777 "$own/tmp"
  mount -t tmpfs -o mode=1777 tmpfs "$own/tmp"
  for kept in $(for path in "$PWD" "$self" "$folder"; do below_tmp "$path"; done | sort -u); do
    mkdir "$own/tmp/$kept"
    mount --rbind "/tmp/$kept" "$own/tmp/$kept"
  done
  mount -t tmpfs -o mode=1777 tmpfs /dev/shm
  mount --bind "$folder/hosts" /etc/hosts
  if ((!same_boot_id)); then
    cat /proc/sys/kernel/random/uuid >"$own/boot_id"
    mount --bind "$own/boot_id" /proc/sys/kernel/random/boot_id
  fi
  # A new /sys lists this host's interfaces. It lacks what was mounted in the old one.
  mkdir "$own/cgroup"
  if mount --rbind /sys/fs/cgroup "$own/cgroup" 2>/dev/null && mount -t sysfs sysfs /sys; then
    mount --rbind "$own/cgroup" /sys/fs/cgroup
  fi
  mount --move "$own/tmp" /tmp
}

# connect_host K PID
connect_host() {
  local k=$1 pid=$2 prefix=24
  ((!ipv6)) || prefix=64
  if ((docker0)); then # first, so that it has the lower index; with a port, so that it has a carrier
    nsenter -t "$pid" -n ip link add docker0 type bridge
    nsenter -t "$pid" -n ip addr add 172.17.0.1/16 dev docker0
    nsenter -t "$pid" -n ip link set docker0 up
    nsenter -t "$pid" -n ip link add container type veth peer name port
    nsenter -t "$pid" -n ip link set port master docker0 up
    nsenter -t "$pid" -n ip link set container up
  fi
  ip link add "port$k" type veth peer name eth0 netns "$pid"
  ip link set "port$k" master switch up
  nsenter -t "$pid" -n ip addr add "$(address "$k")/$prefix" dev eth0
  nsenter -t "$pid" -n ip link set eth0 up
}

make_hosts() {
  local k pid
  write_state
  ip link set lo up
  ip link add switch type bridge
  ip link set switch up
  for ((k = 1; k <= count; ++k)); do
    # A host ends when this process does, if no other process is on it.
    unshare -n -u -i -m --propagation private setpriv --pdeathsig KILL sleep infinity &
    pid=$!
    until [[ ! $(readlink "/proc/$pid/ns/mnt") -ef /proc/self/ns/mnt && $(<"/proc/$pid/comm") == sleep ]]; do
      [[ -e /proc/$pid ]] || die "cannot make a host"
      sleep 0.01
    done
    echo "$pid" >"$folder/h$k.pid"
    nsenter -t "$pid" -n -u -i -m -- env -C "$PWD" "$BASH" "$self" become "$k" "$folder" "$same_boot_id"
    connect_host "$k" "$pid"
  done
}

# Processes on the hosts, whoever started them.
on_hosts() {
  local process pid spaces=' '
  for pid in "$folder"/h*.pid; do spaces+="$(readlink "/proc/$(<"$pid")/ns/net" 2>/dev/null) "; done
  for process in /proc/[0-9]*; do
    [[ $spaces != *" $(readlink "$process/ns/net" 2>/dev/null || echo none) "* ]] || echo "${process#/proc/}"
  done
}

remove_hosts() {
  trap '' TERM INT HUP
  local pids
  # Our own children last: the namespaces of some are those by which the others are found.
  local children
  children=$(jobs -p)
  disown -a # else bash says that they were killed
  while pids=$(comm -23 <(on_hosts | sort) <(sort <<<"$children")) && [[ $pids ]]; do
    kill -KILL $pids 2>/dev/null || true
    sleep 0.02
  done
  [[ ! $children ]] || kill -KILL $children 2>/dev/null || true
  rm -rf "$folder"
}

# keep: a process with a network of its own, in which the switch is. It has made the hosts, and
# removes them when it ends.
keep() {
  mkdir -m 700 "$folder"
  trap remove_hosts EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  echo $$ >"$folder/keeper.pid"
  make_hosts
}

# --------------------------------------------------------------------------------------------------
# Using hosts
# --------------------------------------------------------------------------------------------------

on() {
  local host=$1 pid
  shift
  (($#)) || die "on $host: which command?"
  pid=$(cat "$folder/$host.pid" 2>/dev/null) || die "there is no host $host in $folder"
  exec nsenter -t "$pid" -n -u -i -m -- env -C "$PWD" AVRM_HOSTS_FOLDER="$folder" SLURM_CONF="$folder/slurm.conf" \
    OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent="$folder/ssh" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC="$folder/ssh" "$@"
}

start_slurm() {
  local count k tool
  for tool in slurmctld slurmd srun sinfo; do
    command -v "$tool" >/dev/null || die "needs $tool (Debian and Ubuntu: slurmctld, slurmd, slurm-client)"
  done
  count=$(<"$folder/count")
  mkdir -p "$folder"/slurm/{state,h1}
  # Without munge, cgroups or accounting. Each host has as many CPUs as a test may want.
  cat >"$folder/slurm.conf" <<END
ClusterName=hosts
SlurmctldHost=h1
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
$(! grep -q '^fd' "$folder/hosts" || echo CommunicationParameters=EnableIPv6,DisableIPv4)
MpiDefault=pmi2
ReturnToService=2
StateSaveLocation=$folder/slurm/state
SlurmdSpoolDir=$folder/slurm/%n
SlurmctldPidFile=$folder/slurm/slurmctld.pid
SlurmdPidFile=$folder/slurm/%n.pid
SlurmctldLogFile=$folder/slurm/slurmctld.log
SlurmdLogFile=$folder/slurm/%n.log
NodeName=h[1-$count] CPUs=64 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
END
  for ((k = 1; k <= count; ++k)); do
    mkdir -p "$folder/slurm/h$k"
  done
  (on h1 slurmctld -f "$folder/slurm.conf")
  for ((k = 1; k <= count; ++k)); do
    (on "h$k" slurmd -f "$folder/slurm.conf" -N "h$k")
  done
  for ((k = 0; k < 300; ++k)); do
    (($( (on h1 sinfo -h -N -o '%T' 2>/dev/null || true) | grep -c '^idle$') < count)) || return 0
    sleep 0.1
  done
  die "Slurm does not start; its logs: $(tail -n 5 "$folder"/slurm/*.log)"
}

up() {
  parse_options "$@"
  check
  ((!${#words[@]})) || die "up takes no command"
  [[ ! -e $folder ]] || die "$folder exists: end the simulation there by \`down\`"
  # The keeper has neither our output, which a caller may wait for, nor our terminal.
  setsid unshare -n -m --propagation private "$BASH" "$self" keep "$@" </dev/null >"$folder.log" 2>&1 &
  until [[ -e $folder/ready ]]; do
    [[ -e /proc/$! ]] || die "$(cat "$folder.log"; rm -f "$folder.log")"
    sleep 0.02
  done
  rm -f "$folder.log"
}

down() {
  local keeper
  keeper=$(cat "$folder/keeper.pid" 2>/dev/null) || die "there are no hosts in $folder"
  kill -TERM "$keeper" 2>/dev/null || rm -rf "$folder"
  while [[ -e $folder ]]; do sleep 0.02; done
}

run() {
  parse_options "$@"
  ((${#words[@]})) || die "run: which command?"
  keep
  ((!slurm)) || start_slurm
  local limited=()
  [[ $limit == 0 ]] || limited=(timeout --kill-after=5 "$limit")
  # In the background, so that signals are not delayed until it ends.
  "${limited[@]}" "$BASH" "$self" on h1 "${words[@]}" <&0 &
  local status=0
  wait $! || status=$?
  exit "$status"
}

folder=${AVRM_HOSTS_FOLDER:-/tmp/avrankmap-hosts}
command=${1-}
(($#)) && shift
case $command in
up) up "$@" ;;
on | down) "$command" "$@" ;;
slurm) start_slurm ;;
check) check ;;
run)
  check
  export AVRM_HOSTS_FOLDER
  AVRM_HOSTS_FOLDER=$(mktemp -d -u /tmp/avrankmap-hosts.XXXXXXXX)
  exec unshare -n -m --propagation private "$BASH" "$self" inside "$@"
  ;;
# Internal: parts of those above.
inside) run "$@" ;;
keep)
  parse_options "$@"
  keep
  touch "$folder/ready"
  sleep infinity &
  wait $!
  ;;
become)
  folder=$2 same_boot_id=$3
  become_host "$1"
  ;;
-h | --help) usage ;;
*) usage >&2 && exit 2 ;;
esac
