// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of the environment variables that the device reads, and the only functions that read
// them. include/ENVIRONMENT.md is generated from the table. A new variable is one more row here.
//
// Part of the device's archive; the component reads no variables.
#ifndef AVRANKMAP_SRC_BASE_ENVIRONMENT_H
#define AVRANKMAP_SRC_BASE_ENVIRONMENT_H

#include <cstdint>

#include "avrankmap/device/environment.h"
#include "avrankmap/status.h"

namespace avrankmap::detail::env {

// X(identifier, kind, name, values, default, meaning), ordered by kind. The texts are Markdown
// without "|". env::choice reads the values as a list of words, separated by ", ".
#define AVRM_I_VARIABLES(X)                                                                                            \
  X(kNetmod, OWN, "AVRM_NETMOD", "a netmod of the build, such as ofi, ucx or null",                                    \
    "the one in the options (`netmod_ops`), otherwise the first of ofi, ucx and null that was built",                  \
    "Netmod of a device if its options do not name one (`netmod`).")                                                   \
  X(kShmmod, OWN, "AVRM_SHMMOD", "a shmmod of the build, such as posix, or none",                                      \
    "the one in the options (`shmmod_ops`), otherwise posix if it was built",                                          \
    "Shmmod of a device if its options do not name one (`shmmod`).")                                                   \
  X(kAv, OWN, "AVRM_AV", "table, implicit",                                                                            \
    "implicit if connection is eager and the netmod's addresses are consecutive numbers (ofi), otherwise table",       \
    "Kind of the world's address vector if the device's options do not specify it (`AVRM_DEVICE_AV_AUTO`). With any "  \
    "other value `avrm_device_open` returns `AVRM_ERR_OPTION`.")                                                       \
  X(kPosixNoCma, OWN, "AVRM_POSIX_NO_CMA", "0, 1 (any other text is 1)", "not set",                                    \
    "1: the posix shmmod copies large messages through its rings; 0: with cross-memory attach (process_vm_readv). "    \
    "Not set: the first large messages determine which is faster on this machine. Read when a device is opened.")      \
  X(kUcxNoRma, OWN, "AVRM_UCX_NO_RMA", "0, 1 (any other text is 1)",                                                   \
    "1 if UCX has TCP and no faster network, otherwise 0",                                                             \
    "1: the ucx netmod opens UCX without its puts and gets, which over TCP let anyone who can reach the process "      \
    "read and write all of its memory; windows use active messages instead. Processes of a job may have different "    \
    "values.")                                                                                                         \
  X(kSpinUs, OWN, "AVRM_SPIN_US", "microseconds, or -1", "1000",                                                       \
    "Time for which a waiting thread polls without an event before it sleeps, if the device's options do not "         \
    "specify it. -1: it never sleeps. Over libfabric's `tcp;ofi_rxm` this saves 1 us of 6 to 8 per message and "       \
    "increases the message rate by 8 %, because a wake-up passes through several epoll instances there. With any "     \
    "other text `avrm_device_open` returns `AVRM_ERR_OPTION`.")                                                        \
  X(kAtomics, OWN, "AVRM_ATOMICS", "network, processor",                                                               \
    "network, but processor if libfabric or UCX is known to emulate network atomics",                                  \
    "How windows that request network atomics (`AVRM_WINDOW_NETWORK_ATOMICS`) execute them. `network`: by the "        \
    "network, emulated or not, if all members have network atomics; `processor`: always by the processor. A window "   \
    "uses the processor if one of its members has the value `processor`. Read when a device is opened; with any "      \
    "other value `avrm_device_open` returns `AVRM_ERR_OPTION`.")                                                       \
  X(kPortInterface, OWN, "AVRM_PORT_INTERFACE", "name of a network interface, such as ib0",                            \
    "loopback if the job is on one machine, otherwise all",                                                            \
    "Interface on which ports and watched processes (`AVRM_RING`) listen if the device's options do not specify it.")  \
  X(kRing, OWN, "AVRM_RING", "no, yes, sockets", "yes",                                                                \
    "Whether processes watch each other under launchers that may not report deaths (PMIx, PMI-2): between nodes by a " \
    "TCP connection, within a node by a pidfd, or with `sockets` by a connection in both cases. A process with the "   \
    "value `no` does not watch others in this way, and is not watched by other nodes. With any other value "           \
    "`avrm_device_open` returns `AVRM_ERR_OPTION`.")                                                                   \
  X(kLauncher, OWN, "AVRM_LAUNCHER", "pmix, pmi2, none", "depends on the variables below",                             \
    "The launcher whose job `avrm_boot_open` joins; `none`: this process runs alone. Not set: PMIx if the variables "  \
    "below indicate it, otherwise PMI-2 if they indicate it, otherwise none. A process that `avrm_comm_spawn` "        \
    "started without a launcher always joins the job of its siblings. With any other value `avrm_boot_open` returns "  \
    "`AVRM_ERR_OPTION`.")                                                                                              \
  X(kOpenTimeout, OWN, "AVRM_OPEN_TIMEOUT", "seconds, 0 or more", "600",                                               \
    "How long `avrm_device_open` and `avrm_boot_open` wait for processes of the job that have not called them, under " \
    "launchers that may not report that they have ended (PMIx, PMI-2); and how long `avrm_comm_spawn` waits for "      \
    "children of such a launcher if its options have no `timeout_ms`. After that time the call returns "               \
    "`AVRM_ERR_TIMEOUT`. 0: no limit; `avrm_boot_fence` never has one. With any other text `avrm_boot_open` returns "  \
    "`AVRM_ERR_OPTION`.")                                                                                              \
  X(kPath, FOREIGN, "PATH", "folders, separated by colons", "/bin:/usr/bin",                                           \
    "Folders in which `avrm_comm_spawn` searches for a program.")                                                      \
  X(kPmixNamespace, FOREIGN, "PMIX_NAMESPACE", "any", "not set",                                                       \
    "Set together with `PMIX_RANK`: a PMIx launcher started this process, and `avrm_boot_open` joins its job. "        \
    "Slurm's PMIx (`srun --mpi=pmix`) usually ends the whole step when a process dies, regardless of `srun`'s "        \
    "options; programs that continue after failures use `srun --mpi=pmi2`.")                                           \
  X(kPmixRank, FOREIGN, "PMIX_RANK", "any", "not set", "See `PMIX_NAMESPACE`.")                                        \
  X(kPmiFd, FOREIGN, "PMI_FD", "number of a descriptor", "not set",                                                    \
    "A PMI-2 launcher (mpiexec.hydra, `srun --mpi=pmi2`) started this process, and `avrm_boot_open` joins its job.")   \
  X(kPmiRank, FOREIGN, "PMI_RANK", "any", "not set",                                                                   \
    "Like `PMI_FD`, for launchers whose library needs no descriptor.")                                                 \
  X(kPmiPort, FOREIGN, "PMI_PORT", "host:port", "not set", "Like `PMI_FD`.")                                           \
  X(kPmiJobid, FOREIGN, "PMI_JOBID", "any", "not set",                                                                 \
    "Set by Slurm's PMI-2. Not set: while this process is in a PMI-2 job, it ignores `SIGUSR1` unless the program "    \
    "handles it; hydra sends this signal when a process has died.")                                                    \
  X(kSlurmProcid, FOREIGN, "SLURM_PROCID", "a number", "not set", "See `SLURM_STEP_NUM_TASKS`.")                       \
  X(kSlurmStepTasks, FOREIGN, "SLURM_STEP_NUM_TASKS", "a number", "not set",                                           \
    "If it is more than 1 and `SLURM_PROCID` is set, but neither PMIx nor PMI-2 is used, `avrm_boot_open` returns "    \
    "`AVRM_ERR_BOOT`: `srun` started this process without `--mpi`, so it would run alone. `AVRM_LAUNCHER=none` "       \
    "permits that.")                                                                                                   \
  X(kSlurmStepNodes, FOREIGN, "SLURM_STEP_NUM_NODES", "a number", "not set",                                           \
    "The number of a step's nodes. If `PMI_process_mapping` of Slurm's PMI-2 lists more (seen with 22.05 and "         \
    "`--distribution=arbitrary`), the processes of this node are those of `SLURM_GTIDS`.")                             \
  X(kSlurmGtids, FOREIGN, "SLURM_GTIDS", "numbers, separated by commas", "not set", "See `SLURM_STEP_NUM_NODES`.")     \
  X(kSlurmNodeid, FOREIGN, "SLURM_NODEID", "a number", "not set", "This node's id where `SLURM_GTIDS` is used.")       \
  X(kSlurmOverlap, FOREIGN, "SLURM_OVERLAP", "any", "not set",                                                         \
    "Set: `avrm_comm_spawn` starts children through Slurm's PMI-2, as a step that shares the CPUs of its parents. "    \
    "Not set: through the embedded launcher, because such a step would wait for free CPUs.")                           \
  X(kFiProvider, FOREIGN, "FI_PROVIDER", "names of libfabric providers", "not set",                                    \
    "libfabric's choice of provider if the device's options do not specify one. avrankmap quotes it in error texts.")  \
  X(kFiOfiRxmBufferSize, FOREIGN, "FI_OFI_RXM_BUFFER_SIZE", "bytes", "16384",                                          \
    "Maximum size of a message that libfabric's `ofi_rxm` sends in one piece, and of active messages. `ofi_rxm` "      \
    "clears about 4000 buffers of this size per process. With less than 1024 `avrm_device_open` returns "              \
    "`AVRM_ERR_UNSUPPORTED`. With less than 4400, processes that cannot attach each other's memory cannot "            \
    "communicate within a node.")                                                                                      \
  X(kUcxTls, FOREIGN, "UCX_TLS", "names of UCX transports", "all",                                                     \
    "UCX's choice of transports if the device's options do not specify them.")                                         \
  X(kUcxNetDevices, FOREIGN, "UCX_NET_DEVICES", "names of network devices", "lo",                                      \
    "This default applies if all peers are on this machine and TCP is the only transport. Otherwise, without a "       \
    "faster network, bridges such as `docker0` are excluded, because they often have the same address on all hosts.")  \
  X(kUcxMmErrorHandling, FOREIGN, "UCX_MM_ERROR_HANDLING", "y, n", "y",                                                \
    "Lets shared memory report that a peer has died. This default applies if the transports include shared memory.")   \
  X(kUcxMmFifoElemSize, FOREIGN, "UCX_MM_FIFO_ELEM_SIZE", "bytes", "320",                                              \
    "Stores messages of up to 256 bytes in the receive queue itself, for 12 KiB more per process. This default "       \
    "applies if the transports include shared memory. Must be the same in all processes.")                             \
  X(kUcxPosixFifoElemSize, FOREIGN, "UCX_POSIX_FIFO_ELEM_SIZE", "bytes", "`UCX_MM_FIFO_ELEM_SIZE`",                    \
    "If set, avrankmap does not change `UCX_MM_FIFO_ELEM_SIZE`.")                                                      \
  X(kUcxSysvFifoElemSize, FOREIGN, "UCX_SYSV_FIFO_ELEM_SIZE", "bytes", "`UCX_MM_FIFO_ELEM_SIZE`",                      \
    "If set, avrankmap does not change `UCX_MM_FIFO_ELEM_SIZE`.")                                                      \
  X(kUcxXpmemFifoElemSize, FOREIGN, "UCX_XPMEM_FIFO_ELEM_SIZE", "bytes", "`UCX_MM_FIFO_ELEM_SIZE`",                    \
    "If set, avrankmap does not change `UCX_MM_FIFO_ELEM_SIZE`.")                                                      \
  X(kUcxKeepaliveInterval, FOREIGN, "UCX_KEEPALIVE_INTERVAL", "a time", "1s",                                          \
    "Interval at which UCX checks that a silent peer still exists.")                                                   \
  X(kSpawned, INTERNAL, "AVRM_SPAWNED", "descriptor:inode:size:local:rank", "not set",                                 \
    "The embedded launcher started this process: the file that holds the job's cards, and this process's rank.")       \
  X(kParentPort, INTERNAL, "AVRM_PARENT_PORT", "name of a port", "not set",                                            \
    "Port at which the parents wait, if the embedded launcher started this process.")                                  \
  X(kPmixParentPort, INTERNAL, "AVRM_PMIX_PARENT_PORT", "name of a port", "not set",                                   \
    "Port at which the parents wait, if a PMIx launcher started this process for them.")

enum Variable : std::uint8_t {
#define AVRM_I_VARIABLE_ENUM(identifier, kind, name, values, fallback, meaning) identifier,
  AVRM_I_VARIABLES(AVRM_I_VARIABLE_ENUM)
#undef AVRM_I_VARIABLE_ENUM
};

inline constexpr avrm_variable_t kVariables[] = {
#define AVRM_I_VARIABLE_ROW(identifier, kind, name, values, fallback, meaning)                                         \
  {name, AVRM_VARIABLE_##kind, values, fallback, meaning},
    AVRM_I_VARIABLES(AVRM_I_VARIABLE_ROW)
#undef AVRM_I_VARIABLE_ROW
};

[[nodiscard]] constexpr const avrm_variable_t &row(Variable variable) noexcept { return kVariables[variable]; }

// Returns the unchanged value; null if the variable is not set.
[[nodiscard]] const char *text(Variable variable) noexcept;
// Returns the value; null if the variable is not set or empty.
[[nodiscard]] const char *word(Variable variable) noexcept;
// Returns false if the variable is not set, empty or "0".
[[nodiscard]] bool flag(Variable variable) noexcept;
// Writes the value, a decimal number of at least `least`; leaves *number_p unchanged if the
// variable is not set or empty. Returns AVRM_OK, or AVRM_ERR_OPTION if the value is not such a
// number.
[[nodiscard]] avrm_status_t number(Variable variable, std::int32_t least, std::int32_t *number_p) noexcept;
// Writes the position of the value in the row's list, counted from 1; 0 if the variable is not set
// or empty. Returns AVRM_OK, or AVRM_ERR_OPTION if the row does not list the value.
[[nodiscard]] avrm_status_t choice(Variable variable, int *choice_p) noexcept;

} // namespace avrankmap::detail::env

#endif
